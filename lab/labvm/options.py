# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The command line of lab/vm: its options, its help text, and the combinations of
options that it refuses.

Tests and benchmarks run lab/vm with these options, so existing options must not
change.
"""

import argparse
import os

from . import accel, kernels, words

KINDS = ("xrdma", "rxe")
PROGRAM = os.environ.get("XRDMA_PROGRAM", "lab/vm")

EPILOG = """
COMMAND runs as root in node 1. It starts in /mnt, where DIR of --share is, and without
--share in /root. This checkout is at /src (read-only). The environment of COMMAND has
these variables:
  XRDMA_DEV        the RDMA device, as in ibv_devinfo -d
  XRDMA_NETDEV     its network interface
  XRDMA_GID_INDEX  the index of the device's IPv4-mapped RoCEv2 GID
  XRDMA_ADDR       its IPv4 address
  XRDMA_ADDR6      its IPv6 address
  XRDMA_PCI        its PCI address
  PEER_ADDR        the IPv4 address of node 2's device
  PEER_ADDR6       the IPv6 address of node 2's device
COMMAND can use these commands of the lab:
  on-peer CMD...     runs CMD in node 2, with the streams of on-peer itself and
                     node 2's values of these variables; exits with the status
                     of CMD. Background processes of CMD continue to run. If
                     on-peer is killed, CMD is killed too
  xrdma-device [--node N] JSON
                     sends a request to the control socket of the device of
                     this node, or of node N, and prints the answer. All
                     commands but quit are taken. The file of a capture has a
                     plain name, like wire.pcap, and is in the directory of the
                     logs, which --keep keeps
  xrdma-fault [--node N] KIND [OPTION]...
                     makes the device report a fault to the programs that use
                     it, such as a completion with an error: xrdma-fault --help
  lab-device [--node N] unplug|plug|kill|correctable|nonfatal|fatal
                     unplug: presses the button of the device's slot, which
                     makes the kernel unbind the device after 5 s. plug: presses
                     the button again. kill: kills the device process; plug then
                     starts another one in the next slot, see --slots.
                     correctable, nonfatal, fatal: the port above the device
                     reports a PCI Express error of that severity. lab-device
                     does not wait for the kernel
  lab-rxe            makes the soft-RoCE device rxe0 on a network interface of
                     its own, and prints shell variables that describe it

A node with peer type xrdma has an xrdma device, one with type rxe a virtio-net
interface with soft-RoCE. Node 2 boots the same kernel as node 1, at the same
time. Options for machines and devices apply to both nodes. A kernel complaint
or a device failure in either node fails the run.

SPEC of --impair is "none", or a list of words like loss=1%,dup=0.5%,delay=50us:
  loss=P             a frame is lost. P is a probability, like 1% or 0.01
  dup=P              a frame is sent twice
  reorder=P          up to 8 later frames overtake a frame
  corrupt=P          one bit of a frame is changed
  corrupt-icrc-ok=P  one bit of a RoCE packet is changed, and its ICRC is correct
  ecn=P              a packet is marked: congestion experienced
  delay=T            each frame is late. T is up to 10s, like 500ns, 50us or 2ms
  seed=N             seed of the random numbers
Each device impairs the frames that it sends, also those to itself. If its peer
is rxe, it also impairs the frames that it receives. COMMAND can change SPEC:
xrdma-device '{"cmd":"fault","wire":"SPEC"}'.

FAR-END, which --uplink gives to the device of a single machine as --wire:
  tap=NAME               the other end of the cable is the interface NAME of this
                         host, which can be a port of a bridge. The device makes
                         NAME if it does not exist; it is down then
  packet=INTERFACE       the device sends and receives by INTERFACE of this host
  udp=ADDRESS:PORT,ADDRESS:PORT
                         a UDP datagram for each frame; the first address is this
                         end, the second the other end
The machine has the MTU of that interface, at most 9000, and these addresses:
192.168.77.N, fd00:77::N, and the MAC address 02:00:00:78:72:N (hexadecimal).

FILE of --capture gets the frames that node 1 sends and receives: those that it
sends before they are impaired, those that it receives after that.

Exit status: that of COMMAND. 124: the time limit has passed. 125: COMMAND
returned 0, but the kernel complained, the device counted host errors, or the
device died; the reason is printed. 126: the machine did not come up. 2: wrong
usage.
"""

# options whose value may start with a dash
DASHED = ("--qemu-arg", "--device-arg", "--append")


def _join_dashed(argv):
    """Joins an option and a value that starts with a dash, since argparse would take
    the value for an option: --qemu-arg -icount becomes --qemu-arg=-icount."""
    out = []
    rest = iter(argv)
    for arg in rest:
        if arg == "--":
            return out + [arg] + list(rest)
        if arg in DASHED:
            value = next(rest, None)
            out.append(arg if value is None else f"{arg}={value}")
        else:
            out.append(arg)
    return out


def _size(text):
    number, unit = text[:-1], text[-1:].upper()
    if not number.isdigit() or unit not in ("M", "G"):
        raise argparse.ArgumentTypeError(f"'{text}' is not like 512M or 4G")
    return text.upper()


def _positive(text):
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive number")
    return int(text)


def _number(text):
    if not text.isdigit() or not 1 <= int(text) <= 254:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number from 1 to 254")
    return int(text)


def _seconds(text):
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a number of seconds, like 90 or 0.5")
    return seconds


def _add_machine(parser):
    add = parser.add_argument
    add("--kernel", default=kernels.DEFAULT,
        choices=[*kernels.DEBIAN, *kernels.OWN],
        help="Debian's kernel of this series (default: the newest, "
        f"{kernels.DEFAULT or 'which the first run finds'}), or one of the lab's own "
        "kernels, which is built if it does not exist")
    add("--nodes", type=_positive, choices=(1, 2), help="number of machines (default: 1)")
    add("--peer", choices=KINDS,
        help="two machines; the RDMA device of the second (default: xrdma)")
    add("--both", choices=KINDS, help="two machines; the RDMA device of both")
    add("--iommu", action="store_true",
        help="put the device behind a strict IOMMU")
    add("--impair", metavar="SPEC",
        help="impair frames on the wire, like loss=1%%,delay=50us, see below")
    add("--capture", metavar="FILE",
        help="write the frames on the wire to FILE, as pcap")
    add("--uplink", metavar="FAR-END",
        help="connect the device to a network of this host: tap=NAME, "
        "packet=INTERFACE or udp=ADDRESS:PORT,ADDRESS:PORT, see below")
    add("--number", type=_number, metavar="N",
        help="with --uplink: number of the machine in that network, 1 to 254, the "
        "last part of its addresses (default: 1)")
    add("--accel", choices=accel.KINDS,
        default=os.environ.get("XRDMA_ACCEL", "auto"),
        help="how QEMU runs the processors: kvm, tcg (emulation), or auto: KVM if a "
        "kernel boots by it (default: %(default)s)")
    add("--mem", type=_size, metavar="SIZE",
        help="guest memory, like 512M or 4G (default: 2G; 3G with a kernel of "
        "the lab's own)")
    add("--smp", type=_positive, metavar="N",
        help="processors of each machine (default: 2; with two machines 1)")
    add("--la57", action="store_true",
        help="page tables of 5 levels: processes have addresses up to 2^56. Needs one "
        "of Debian's kernels, and boots slower")
    add("--append", action="append", default=[], metavar="KERNEL_ARGS",
        help="additional kernel arguments, separated by spaces")
    add("--qemu-arg", action="append", default=[], metavar="ARG",
        help="one more argument for QEMU")
    add("--share", metavar="DIR",
        help="mount DIR of the host at /mnt, writable, and start COMMAND there")
    add("--timeout", type=_seconds, metavar="S",
        help="end the run after S seconds and exit with 124")


def _add_testing(parser):
    group = parser.add_argument_group("for tests of the lab and the driver")
    add = group.add_argument
    add("--keep", action="store_true", help="keep the logs and print their path")
    add("--no-build", action="store_true", help="do not update build/ first")
    add("--no-device", action="store_true", help="a machine without a device")
    add("--no-driver", action="store_true",
        help="do not load the module: COMMAND does that")
    add("--fast-device", action="store_true",
        help="use the optimised device, for benchmarks (default: with sanitizers)")
    add("--device-arg", action="append", default=[], metavar="ARG",
        help="one more argument for the device process")
    add("--slots", type=_positive, default=1, metavar="N",
        help="number of hot-plug slots; each device process needs one of its own "
        "(default: 1)")
    add("--sleep", action="store_true",
        help="COMMAND may suspend the machine: its virtio devices keep their state")
    add("--device-may-die", action="store_true",
        help="COMMAND may end or kill the device; a sanitizer's report still fails "
        "the run")
    add("--allow-host-errors", action="store_true",
        help="do not fail because of host errors that the device counted")
    add("--allow-splat", metavar="REGEX",
        help="do not fail because of kernel complaints that match REGEX")
    add("--root", metavar="DIR",
        help="boot the Debian system in DIR, with its newest kernel and with the "
        "driver and provider that are installed there. It needs bash, "
        "busybox-static, iproute2 and kmod")
    # set when lab/vm starts itself again inside the root image, where DIR of --share
    # is at /mnt, the directory of --capture's FILE is at /srv, and DIR of --root at
    # /opt
    add("--entered", action="store_true", help=argparse.SUPPRESS)


def _build_parser():
    parser = argparse.ArgumentParser(
        prog=PROGRAM, description="Boots guests that have an xrdma device.")
    sub = parser.add_subparsers(dest="action", required=True)
    raw = argparse.RawDescriptionHelpFormatter
    run = sub.add_parser(
        "run", help="boot, run a command, exit with its status", epilog=EPILOG,
        formatter_class=raw, usage=f"{PROGRAM} run [OPTION]... -- COMMAND [ARG]...")
    shell = sub.add_parser("shell", help="boot into an interactive shell",
                           usage=f"{PROGRAM} shell [OPTION]...")
    for each in (run, shell):
        _add_machine(each)
        _add_testing(each)
    return parser, {"run": run, "shell": shell}


def _kernel(parser, opts):
    """The series of the kernel: XRDMA_KERNEL of lab/check, or that of the options."""
    series, known = os.environ.get("XRDMA_KERNEL"), [*kernels.DEBIAN, *kernels.OWN]
    if series and series not in known:
        parser.error("XRDMA_KERNEL: " + words.no_such("kernel", series, known))
    return series or opts.kernel


def _settle_nodes(parser, opts):
    """Sets opts.nodes, opts.smp, opts.mem and opts.kinds: the device type of each node,
    None for a node without a device."""
    peer = opts.both or opts.peer
    if opts.both and opts.peer:
        parser.error("--peer and --both exclude each other")
    if peer and opts.nodes == 1:
        parser.error("--nodes 1: --peer and --both need two nodes")
    opts.nodes = opts.nodes or (2 if peer else 1)
    opts.kinds = [opts.both or "xrdma"]
    if opts.nodes == 2:
        opts.kinds.append(peer or "xrdma")
    if opts.no_device:
        if peer:
            parser.error("--no-device excludes --peer and --both")
        opts.kinds = [None] * opts.nodes
    opts.smp = opts.smp or (2 if opts.nodes == 1 else 1)
    opts.mem = opts.mem or ("3G" if opts.kernel in kernels.OWN else "2G")


def _refuse_missing(parser, opts):
    """Refuses options for a device or a wire that no node has."""
    if opts.uplink and opts.kinds != ["xrdma"]:
        parser.error("--uplink needs one machine that has an xrdma device")
    if opts.number and not opts.uplink:
        parser.error("--number needs --uplink")
    if opts.impair and "xrdma" not in opts.kinds:
        parser.error("--impair: there is no xrdma device to impair frames")
    if opts.capture and not any(opts.kinds):
        parser.error("--capture: there is no wire")
    if opts.la57 and opts.kernel in kernels.OWN:
        parser.error("--la57: the lab's own kernels have no compressed form")


def _settle_paths(parser, opts):
    """Checks the paths of --share, --root and --capture on the host, and makes that of
    --capture absolute. Inside the root image, sets the paths to the places where lab/vm
    has mounted the directories."""
    directory, file = os.path.split(os.path.abspath(opts.capture or "x"))
    if opts.entered:
        opts.share = opts.share and "/mnt"
        opts.root = opts.root and "/opt"
        opts.capture = opts.capture and f"/srv/{file}"
        return
    for name, path in (("share", opts.share), ("root", opts.root)):
        if path and not os.path.isdir(path):
            parser.error(f"--{name}: '{path}' is not a directory")
    if opts.capture and not os.path.isdir(directory):
        parser.error(f"--capture: '{directory}' is not a directory")
    opts.capture = opts.capture and os.path.join(directory, file)


def parse(argv):
    """Returns the options; .command is COMMAND, None for a shell.

    Exits with status 2 and a message if the options are invalid.
    """
    parser, parts = _build_parser()
    command = None
    if "--" in argv:
        split = argv.index("--")
        argv, command = argv[:split], argv[split + 1:]
    opts = words.parse(parser, _join_dashed(argv), lambda opts: parts[opts.action])
    if opts.action == "run" and not command:
        parser.error("run: no command given, add: -- COMMAND")
    if opts.action == "shell" and command is not None:
        parser.error("shell takes no command")
    opts.kernel = _kernel(parser, opts)
    _settle_nodes(parser, opts)
    _refuse_missing(parser, opts)
    _settle_paths(parser, opts)
    opts.command = command
    return opts

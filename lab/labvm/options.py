# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The command line of lab/vm: what it takes, and what it refuses.

The interface is stable: tests and benchmarks script against it.
"""

import argparse
import os

from . import kernels

KINDS = ("xrdma", "rxe")

EPILOG = """
COMMAND runs as root in node 1, with DIR (see --share) at /mnt, this checkout
at /src (read-only), and in its environment:
  XRDMA_DEV        the RDMA device, as in ibv_devinfo -d
  XRDMA_NETDEV     its network interface
  XRDMA_GID_INDEX  the index of its IPv4-mapped RoCEv2 GID
  XRDMA_ADDR       its IPv4 address
  XRDMA_ADDR6      its IPv6 address
  XRDMA_PCI        its PCI address
  PEER_ADDR        the IPv4 address of node 2's device
  PEER_ADDR6       and its IPv6 address
and these commands of the lab:
  on-peer CMD...     runs CMD in node 2, with the streams of on-peer itself and
                     node 2's values of these variables; exits with its status.
                     What CMD leaves in the background goes on; a CMD whose
                     on-peer is killed is killed too
  xrdma-device [--node N] JSON
                     sends a request to the control socket of the device: that
                     of this node, or of node N
  lab-device [--node N] unplug|plug|kill|correctable|nonfatal|fatal
                     unplug: presses the button of the device's slot, which
                     makes the kernel let the device go after 5 s. plug: presses
                     it again. kill: kills the device process; plug then starts
                     another, in the next slot, see --slots. correctable,
                     nonfatal, fatal: the port above the device reports such an
                     error of PCI Express. None of them waits for the kernel
  lab-rxe            makes rxe0 on a network of its own, prints how to use it

A peer that is xrdma has a device of its own; one that is rxe has a virtio-net
interface with soft-RoCE. Node 2 boots the same kernel beside node 1; options
that shape a machine or a device count for both. A complaint of either node
fails the run.

SPEC, for example loss=1%,dup=0.5%,reorder=2%,corrupt=0.1%,delay=50us,seed=7:
each device impairs what it sends, also to itself, and, if its peer is rxe, also
what it receives. "xrdma-device" changes it later: {"cmd":"fault","wire":SPEC}.

FILE of --capture holds the frames of node 1 as it sends them and as it receives
them: the wire impairs what is sent after that, what is received before.

Exit status: that of COMMAND. 124: the time was up. 125: COMMAND returned 0,
but the kernel complained, the device counted host errors, or it died; what it
was is printed. 126: the machine did not come up. 2: wrong usage.
"""

# options whose value may start with a dash
DASHED = ("--qemu-arg", "--device-arg", "--append")


def _join_dashed(argv):
    """--qemu-arg -icount -> --qemu-arg=-icount, as argparse wants it"""
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


def _add_machine(parser):
    add = parser.add_argument
    add("--kernel", default=kernels.DEFAULT,
        choices=[*kernels.DEBIAN, *kernels.OWN],
        help="Debian's of this series (default: the newest, %(default)s), or one "
        "of the lab's own, which is built first")
    add("--nodes", type=int, choices=(1, 2), help="machines (default: 1)")
    add("--peer", choices=KINDS,
        help="two machines, and what the second has (default: xrdma)")
    add("--both", choices=KINDS, help="two machines, and what both have")
    add("--iommu", action="store_true",
        help="put the device behind a strict IOMMU")
    add("--impair", metavar="SPEC", help="what happens to frames on the wire")
    add("--capture", metavar="FILE",
        help="write the frames on the wire to FILE, as pcap")
    add("--mem", type=_size, metavar="SIZE",
        help="guest memory, like 512M or 4G (default: 2G; 3G with a kernel of "
        "the lab's own)")
    add("--smp", type=_positive, metavar="N",
        help="processors (default: 2; of two machines, 1 each)")
    add("--append", action="append", default=[], metavar="KERNEL_ARGS",
        help="more kernel arguments")
    add("--qemu-arg", action="append", default=[], metavar="ARG",
        help="one more argument for QEMU")
    add("--share", metavar="DIR",
        help="show DIR at /mnt, writable")
    add("--timeout", type=float, metavar="S",
        help="kill everything after S seconds, exit with 124")


def _add_testing(parser):
    group = parser.add_argument_group("for tests of the lab and the driver")
    add = group.add_argument
    add("--keep", action="store_true", help="keep the logs, say where")
    add("--no-build", action="store_true", help="take build/ as it is")
    add("--no-device", action="store_true", help="a machine without one")
    add("--no-driver", action="store_true",
        help="leave loading the module to COMMAND")
    add("--fast-device", action="store_true",
        help="the optimised device, for figures; else the sanitized one")
    add("--device-arg", action="append", default=[], metavar="ARG",
        help="one more argument for the device process")
    add("--slots", type=_positive, default=1, metavar="N",
        help="hot-plug slots, of which each device uses up one (default: 1)")
    add("--sleep", action="store_true",
        help="COMMAND may suspend the machine: the lab's own devices keep their "
        "state")
    add("--device-may-die", action="store_true",
        help="COMMAND may end or kill the device; what a sanitizer reports of "
        "it fails all the same")
    add("--allow-host-errors", action="store_true",
        help="do not fail for errors that the device counted")
    add("--allow-splat", metavar="REGEX",
        help="do not fail for kernel complaints that match")
    # lab/vm started itself inside the root image, where DIR is at /mnt and the
    # directory of FILE at /srv
    add("--entered", action="store_true", help=argparse.SUPPRESS)


def _build_parser():
    parser = argparse.ArgumentParser(
        prog="lab/vm", description="Boots machines that have an xrdma device.")
    sub = parser.add_subparsers(dest="action", required=True)
    raw = argparse.RawDescriptionHelpFormatter
    run = sub.add_parser(
        "run", help="boot, run a command, exit with its status", epilog=EPILOG,
        formatter_class=raw, usage="lab/vm run [OPTION]... -- COMMAND [ARG]...")
    shell = sub.add_parser("shell", help="boot into an interactive shell",
                           usage="lab/vm shell [OPTION]...")
    for each in (run, shell):
        _add_machine(each)
        _add_testing(each)
    return parser


def _settle_nodes(parser, opts):
    """Sets nodes and kinds: what each node has, None for nothing."""
    peer = opts.both or opts.peer
    if opts.both and opts.peer:
        parser.error("--peer and --both: one of them")
    if peer and opts.nodes == 1:
        parser.error("--nodes 1: there is no peer then")
    opts.nodes = opts.nodes or (2 if peer else 1)
    opts.kinds = [opts.both or "xrdma"]
    if opts.nodes == 2:
        opts.kinds.append(peer or "xrdma")
    if opts.no_device:
        if peer:
            parser.error("--no-device: no node has one then")
        opts.kinds = [None] * opts.nodes
    opts.smp = opts.smp or (2 if opts.nodes == 1 else 1)
    opts.mem = opts.mem or ("3G" if opts.kernel in kernels.OWN else "2G")


def _refuse_missing(parser, opts):
    """What does not exist."""
    if opts.impair and "xrdma" not in opts.kinds:
        parser.error("--impair: there is no device that could")
    if opts.capture and not any(opts.kinds):
        parser.error("--capture: there is no wire")


def _settle_paths(parser, opts):
    """Directories of the host, as they are seen inside the root image."""
    directory, name = os.path.split(os.path.abspath(opts.capture or "x"))
    if opts.entered:
        opts.share = opts.share and "/mnt"
        opts.capture = opts.capture and f"/srv/{name}"
        return
    if opts.share and not os.path.isdir(opts.share):
        parser.error(f"--share: '{opts.share}' is not a directory")
    if opts.capture and not os.path.isdir(directory):
        parser.error(f"--capture: '{directory}' is not a directory")
    opts.capture = opts.capture and os.path.join(directory, name)


def parse(argv):
    """Returns the options; .command is COMMAND, None for a shell.

    Exits with status 2 and a message when they make no sense.
    """
    parser = _build_parser()
    command = None
    if "--" in argv:
        split = argv.index("--")
        argv, command = argv[:split], argv[split + 1:]
    opts = parser.parse_args(_join_dashed(argv))
    if opts.action == "run" and not command:
        parser.error("run: no command given, add: -- COMMAND")
    if opts.action == "shell" and command is not None:
        parser.error("shell takes no command")
    opts.kernel = os.environ.get("XRDMA_KERNEL", opts.kernel)
    _settle_nodes(parser, opts)
    _refuse_missing(parser, opts)
    _settle_paths(parser, opts)
    opts.command = command
    return opts

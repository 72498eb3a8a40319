# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The command line of lab/vm: what it takes, and what it refuses.

The interface is stable: tests and benchmarks script against it.
"""

import argparse
import os

KERNELS = ("6.12", "7.2")

EPILOG = """
COMMAND runs as root in node 1, with DIR (see --share) at /mnt, this checkout
at /src (read-only), and in its environment:
  XRDMA_DEV        the RDMA device, as in ibv_devinfo -d
  XRDMA_NETDEV     its network interface
  XRDMA_GID_INDEX  the index of its IPv4-mapped RoCEv2 GID
  XRDMA_ADDR       its IPv4 address
  XRDMA_PCI        its PCI address
  PEER_ADDR        the IPv4 address of node 2's device
and these commands of the lab:
  on-peer CMD...     runs CMD in node 2
  xrdma-device JSON  sends a request to the device's control socket
  lab-rxe            makes rxe0 on a network of its own, prints how to use it

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
    add("--kernel", default="7.2", choices=KERNELS + ("debug",),
        help="Debian's kernel of this series (default: 7.2)")
    add("--nodes", type=int, default=1, choices=(1, 2), help="machines")
    add("--peer", choices=("xrdma", "rxe"), help="what node 2 has")
    add("--iommu", action="store_true",
        help="put the device behind a strict IOMMU")
    add("--impair", metavar="SPEC", help="what happens to frames on the wire")
    add("--mem", type=_size, default="2G", metavar="SIZE",
        help="guest memory, like 512M or 4G (default: 2G)")
    add("--smp", type=_positive, default=2, metavar="N",
        help="processors (default: 2)")
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
    add("--device-may-die", action="store_true",
        help="COMMAND may kill the device")
    add("--allow-host-errors", action="store_true",
        help="do not fail for errors that the device counted")
    add("--allow-splat", metavar="REGEX",
        help="do not fail for kernel complaints that match")
    # lab/vm started itself inside the root image, where DIR is at /mnt
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


def _refuse_missing(parser, opts):
    """What other parts of the project must exist for."""
    if opts.kernel == "debug":
        parser.error("--kernel debug: there is no debug kernel yet")
    if opts.nodes == 2 or opts.peer:
        parser.error("--nodes 2 and --peer: a second node does not exist yet")
    if opts.impair:
        parser.error("--impair: the wire cannot be impaired from here yet")


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
    _refuse_missing(parser, opts)
    if opts.entered:
        opts.share = opts.share and "/mnt"
    elif opts.share and not os.path.isdir(opts.share):
        parser.error(f"--share: '{opts.share}' is not a directory")
    opts.command = command
    return opts

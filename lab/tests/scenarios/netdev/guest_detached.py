# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A network device whose adapter does not come out of a reset: what the network stack and
programs ask of it meanwhile. Runs in a guest that host_netdev.py starts."""

import contextlib
import ctypes
import os
import pathlib
import re
import socket
import struct
import subprocess
import time

import pytest

from lib import phc
from lib.control import ask, lie, repair, stats
from lib.ether import frames

NETDEV = os.environ["XRDMA_NETDEV"]
CLASS = pathlib.Path("/sys/class/net", NETDEV)
RESET = pathlib.Path("/sys/bus/pci/devices", os.environ["XRDMA_PCI"], "reset")
PATIENCE = 30
PORT_GRO = 64       # XRDMA_PORT_GRO
SYS_BPF = {"x86_64": 321, "aarch64": 280}
PROG_LOAD, LINK_CREATE, PROG_TYPE_XDP, ATTACH_XDP, SKB_MODE = 5, 28, 6, 37, 2
# r0 = XDP_PASS; exit
PROGRAM = struct.pack("<BBhiBBhi", 0xb7, 0, 0, 2, 0x95, 0, 0, 0)

# Commands that reach each operation of the network device and of ethtool. The answers
# do not matter, but there must be one.
COMMANDS = [
    *(f"ethtool {words} {NETDEV}" for words in (
        "", "-i", "-k", "-S", "-a", "-c", "-g", "-l", "-x", "-T", "-P",
        "--show-eee", "--show-fec", "-m", "-u", "-I -a", "-d", "--show-priv-flags")),
    *(f"ethtool {word} {NETDEV} {words}" for word, words in (
        ("-n", "rx-flow-hash tcp4"), ("-A", "tx off"), ("-C", "rx-usecs 9"),
        ("-G", "rx 512"), ("-L", "combined 1"), ("-X", "equal 1"),
        ("-K", "rx off"), ("-K", "rx on"), ("-K", "rxvlan off"), ("-K", "rxvlan on"),
        ("-r", ""), ("-t", ""))),
    *(f"ip link set {NETDEV} {words}" for words in (
        "mtu 1400", "address 02:00:00:00:00:77", "promisc on", "promisc off",
        "allmulticast on", "allmulticast off", "txqueuelen 500", "txqueuelen 1000")),
    f"ip -s -s -d link show {NETDEV}",
    f"ip maddr add 01:00:5e:00:00:77 dev {NETDEV}",
    f"ip maddr del 01:00:5e:00:00:77 dev {NETDEV}",
    "ip link add brd type bridge", f"ip link set {NETDEV} master brd",
    f"ip link set {NETDEV} nomaster", "ip link del brd",
    f"ip link add link {NETDEV} name tagged type vlan id 7", "ip link set tagged up",
    "ethtool tagged", "ethtool -T tagged", "ip link del tagged",
    f"ip link add link {NETDEV} name mac type macvlan mode passthru",
    "ip link set mac address 02:00:00:00:00:78", "ethtool -T mac", "ip link del mac",
    f"sysctl -w net.ipv4.conf.{NETDEV}.forwarding=1",
    f"sysctl -w net.ipv4.conf.{NETDEV}.forwarding=0",
    f"tc qdisc replace dev {NETDEV} root fq", f"tc -s qdisc show dev {NETDEV}",
    f"tc qdisc del dev {NETDEV} root",
    f"tc qdisc replace dev {NETDEV} clsact", f"tc qdisc del dev {NETDEV} clsact",
]


def bpf(command, attr):
    """The bpf() system call. Returns a file descriptor."""
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(SYS_BPF[os.uname().machine], command, attr, len(attr))
    if fd < 0:
        raise OSError(ctypes.get_errno(), "bpf")
    return fd


@contextlib.contextmanager
def generic_xdp():
    """A program of XDP that the network stack runs. It makes the network stack switch
    frames off that the device has merged."""
    program, licence = (ctypes.create_string_buffer(data) for data in (PROGRAM, b"GPL"))
    prog = bpf(PROG_LOAD, struct.pack("<IIQQ", PROG_TYPE_XDP, len(PROGRAM) // 8,
                                      ctypes.addressof(program),
                                      ctypes.addressof(licence)) + bytes(96))
    link = bpf(LINK_CREATE, struct.pack("<IIII", prog, socket.if_nametoindex(NETDEV),
                                        ATTACH_XDP, SKB_MODE) + bytes(32))
    os.close(prog)
    try:
        yield
    finally:
        os.close(link)


def ethtool(*words):
    done = subprocess.run(["ethtool", words[0], NETDEV, *words[1:]],
                          check=False, capture_output=True, text=True)
    return done.stdout + done.stderr


@contextlib.contextmanager
def detached():
    """A reset of the function fails at the beginning, and another one succeeds at the
    end."""
    ask(**lie("MAGIC", 0x12345678))
    try:
        RESET.write_text("1")
        assert "No such device" in ethtool("-i")
        yield
        assert "No such device" in ethtool("-i")
    finally:
        repair()
        RESET.write_text("1")


def wait_for_frames():
    until = time.monotonic() + PATIENCE
    while not frames(count=1):
        assert time.monotonic() < until


def test_generic_xdp():
    """The setting that XDP needs is that of the device afterwards."""
    assert stats()["device"]["port_flags"] & PORT_GRO
    with contextlib.ExitStack() as stack:
        with detached():
            stack.enter_context(generic_xdp())
        wait_for_frames()
        assert not stats()["device"]["port_flags"] & PORT_GRO
        assert re.search(r"^rx-gro-hw: off", ethtool("-k"), re.M)
    ethtool("-K", "rx-gro-hw", "on")
    assert stats()["device"]["port_flags"] & PORT_GRO


def settings():
    return [ethtool(word) for word in ("-a", "-c", "-g", "-l", "-x", "-k")] + \
        [(CLASS / name).read_text() for name in ("address", "mtu", "flags")]


def test_operations():
    """No operation uses the device, and none changes a setting of the device."""
    before = settings()
    with detached():
        for command in COMMANDS:
            subprocess.run(command.split(), check=False, capture_output=True, timeout=60)
        for path in CLASS.rglob("*"):
            with contextlib.suppress(OSError):
                if path.is_file() and not path.is_symlink():
                    path.read_bytes()
        for request in (phc.hwtstamp, phc.enable):
            with pytest.raises(OSError):
                request()
    wait_for_frames()
    assert settings() == before


def test_the_port_is_closed_and_opened():
    """The port cannot be opened while it is detached, and works when it is not."""
    with detached():
        subprocess.run(["ip", "link", "set", NETDEV, "down"], check=True)
        done = subprocess.run(["ip", "link", "set", NETDEV, "up"], check=False)
        assert done.returncode
    subprocess.run(["ip", "link", "set", NETDEV, "up"], check=True)
    wait_for_frames()

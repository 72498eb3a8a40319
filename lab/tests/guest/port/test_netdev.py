# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The Ethernet port: which MTU the driver sets in the device, and queues that fail.
Runs in a guest."""

import contextlib
import fcntl
import os
import socket
import struct
import threading
import time

import pytest

from lib.control import ask, stats
from lib.ether import frames

NETDEV = os.environ.get("XRDMA_NETDEV")
SIOCGIFMTU, SIOCSIFMTU = 0x8921, 0x8922
SMALL, LARGE = 1500, 4000
ROUNDS = 4
DELAY = 0.1     # seconds that the device takes to change the port
PATIENCE = 10   # seconds until the port works again


def mtu(request=SIOCGIFMTU, value=0):
    """Reads the MTU of the interface, or sets it."""
    words = struct.pack("16si20x", NETDEV.encode(), value)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        return struct.unpack("16si20x", fcntl.ioctl(sock, request, words))[1]


@contextlib.contextmanager
def member(number):
    """A socket that is a member of a multicast group."""
    group = socket.inet_pton(socket.AF_INET6, f"ff02::aa:{number:x}")
    index = socket.if_nametoindex(NETDEV)
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as sock:
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP,
                        group + struct.pack("@i", index))
        yield


@pytest.fixture
def slow_port():
    """A device that delays MODIFY_PORT, and a small MTU."""
    before = mtu()
    mtu(SIOCSIFMTU, SMALL)
    yield lambda: ask(cmd="command_fault", kind="delay", opcode="MODIFY_PORT",
                      ms=int(DELAY * 1000), count=2)
    ask(cmd="command_faults_clear")
    mtu(SIOCSIFMTU, before)


def settled_mtu():
    """The MTU in the device, after all changes have ended."""
    time.sleep(3 * DELAY)
    ask(cmd="command_faults_clear")
    return stats()["device"]["mtu"]


def test_mtu_survives_a_group_joined_just_before(slow_port):
    for number in range(ROUNDS):
        slow_port()
        with member(number):
            mtu(SIOCSIFMTU, LARGE)
            assert mtu() == LARGE
            assert settled_mtu() == LARGE
        mtu(SIOCSIFMTU, SMALL)
        assert settled_mtu() == SMALL


def test_mtu_survives_a_group_joined_meanwhile(slow_port):
    for number in range(ROUNDS):
        slow_port()
        change = threading.Thread(target=mtu, args=(SIOCSIFMTU, LARGE))
        change.start()
        time.sleep(DELAY / 2)
        with member(number):
            change.join()
            assert mtu() == LARGE
            assert settled_mtu() == LARGE
        mtu(SIOCSIFMTU, SMALL)
        assert settled_mtu() == SMALL


def link(name):
    """An attribute of the interface in sysfs."""
    with open(f"/sys/class/net/{NETDEV}/{name}", encoding="ascii") as file:
        return int(file.read())


def works():
    """Whether frames come back within PATIENCE seconds."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if frames(count=3) == 3:
            return True
    return False


@pytest.mark.parametrize("kind, counter", [
    ("send", "statistics/tx_errors"), ("receive", "statistics/rx_errors"),
    ("fatal", None)])
def test_port_works_again(kind, counter):
    """After a fault of a queue, a few frames are lost, and the link stays up."""
    assert works()
    changes, lost = link("carrier_changes"), counter and link(counter)
    ask(cmd="eth_fault", kind=kind)
    frames(count=1)
    assert stats()["device"]["eth_fault"] == "none"
    assert works()
    assert link("carrier_changes") == changes
    assert not counter or link(counter) > lost


def test_a_frame_that_cannot_be_several_is_refused():
    """The device says so of a frame that is no TCP: the driver drops the frame, counts an
    error, and keeps its queues."""
    assert works()
    errors = link("statistics/rx_errors")
    ask(cmd="eth_fault", kind="merged")
    assert frames(count=1) == 0
    assert stats()["device"]["eth_fault"] == "none"
    assert link("statistics/rx_errors") == errors + 1
    assert frames(patience=1, count=3) == 3


def test_port_works_again_and_again():
    for _ in range(3):
        ask(cmd="eth_fault", kind="send")
        frames(count=1)
        assert works()

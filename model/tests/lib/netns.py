# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Network namespaces of a test, and packet sockets in them.

A namespace exists as long as its object, and the processes and sockets in it. Tests
that make interfaces do so only in namespaces of their own.
"""

import contextlib
import os
import socket
import struct
import subprocess
import time

SOL_PACKET, ADD_MEMBERSHIP, AUXDATA, VNET_HDR = 263, 1, 8, 15
ETH_P_ALL = 3
NEEDS_CSUM, GSO_TCPV4, GSO_TCPV6, GSO_UDP_L4 = 1, 1, 4, 5
VNET = struct.Struct("<BBHHHH")


class Namespace:
    """A new network namespace, whose loopback interface is up. IPv6 is off at other
    interfaces, so that the kernel sends no frames by itself."""

    def __init__(self):
        self._depth = []
        self._here = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        os.unshare(os.CLONE_NEWNET)
        self._fd = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        os.setns(self._here, os.CLONE_NEWNET)
        self.path = f"/proc/{os.getpid()}/fd/{self._fd}"
        self.ip("link set lo up")
        self.run("sysctl", "-q", "net.ipv6.conf.default.disable_ipv6=1")

    def close(self):
        """Forget the namespace."""
        os.close(self._fd)
        os.close(self._here)

    @contextlib.contextmanager
    def inside(self):
        """Processes and sockets that are made in this context are in the namespace."""
        os.setns(self._fd, os.CLONE_NEWNET)
        try:
            yield
        finally:
            os.setns(self._here, os.CLONE_NEWNET)

    def run(self, *argv):
        """Run a program in the namespace; it must succeed."""
        with self.inside():
            return subprocess.run(argv, check=True, capture_output=True,
                                  text=True).stdout

    def ip(self, words):
        """Run ip(8)."""
        return self.run("ip", *words.split())

    def listen(self, interface, vnet_hdr=False):
        """Make a packet socket that sends and receives by an interface."""
        with self.inside():
            sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        sock.setsockopt(SOL_PACKET, AUXDATA, 1)
        if vnet_hdr:
            sock.setsockopt(SOL_PACKET, VNET_HDR, 1)
        sock.bind((interface, ETH_P_ALL))
        sock.settimeout(10)
        return sock


def veth(near, far, near_name, far_name, mtu=1500):
    """Connect two namespaces by a pair of interfaces, which are up."""
    near.ip(f"link add {near_name} mtu {mtu} type veth peer name {far_name} "
            f"mtu {mtu} netns {far.path}")
    near.ip(f"link set {near_name} up")
    far.ip(f"link set {far_name} up")


def receive(sock, wanted):
    """Return the next frame for which wanted(frame) is true, with its VLAN tag."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        frame, ancillary, _, _ = sock.recvmsg(65536, 64)
        for level, kind, data in ancillary:
            if (level, kind) != (SOL_PACKET, AUXDATA):
                continue
            status, _, _, _, _, tci, tpid = struct.unpack_from("<IIIHHHH", data)
            if status & 0x10:
                frame = frame[:12] + struct.pack(">HH", tpid, tci) + frame[12:]
        if wanted(frame):
            return frame
    raise AssertionError("the frame did not arrive")


def wait_for(condition, timeout=10):
    """Wait until condition() is true; return its result."""
    deadline = time.monotonic() + timeout
    while True:
        result = condition()
        if result:
            return result
        assert time.monotonic() < deadline
        time.sleep(0.01)

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Frames of TCP that the device merges: how the driver describes them to the network
stack, and counts them. A packet socket sends a frame that the device divides; the parts
come back, and the device merges them. Runs in a guest."""

import ipaddress
import os
import random
import re
import socket
import struct
import subprocess

import pytest

from lib import netdev_queues as queues
from lib.ether import address

NETDEV = os.environ.get("XRDMA_NETDEV")
SOL_PACKET, PACKET_VNET_HDR = 263, 15
HDR = struct.Struct("=BBHHHH")          # struct virtio_net_hdr
NEEDS_CSUM, TCPV4, TCPV6, ECN = 1, 1, 4, 0x80
# a merged frame is longer than the largest MTU, and has room in a receive entry
MSS, PARTS = 1000, 11
ACK, PSH, CWR = 0x10, 0x08, 0x80
GRO = "netdev_rx_hw_gro_packets", "netdev_rx_hw_gro_wire_packets"
FRAMES = "netdev_rx_packets", "netdev_rx_bytes"


def folded(data):
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total


def long_frame(source, target, flags=ACK | PSH, options=12):
    """A frame of TCP from the port to itself, which stands for PARTS frames, as the
    network stack gives it to a device that divides it."""
    payload = random.Random(options).randbytes(PARTS * MSS - 7)
    ends = [ipaddress.ip_address(end) for end in (source, target)]
    size = 20 + options
    pseudo = b"".join(end.packed for end in ends) + struct.pack(
        ">II", size + len(payload), socket.IPPROTO_TCP)
    tcp = struct.pack(">HHIIBBHHH", 5000, 9, 77, 88, size << 2, flags, 1000,
                      folded(pseudo), 0) + b"\1" * options
    if ends[0].version == 4:
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + size + len(payload), 5, 0x4000, 9,
                         socket.IPPROTO_TCP, 0) + pseudo[:8]
        ip = ip[:10] + struct.pack(">H", 0xffff - folded(ip)) + ip[12:]
    else:
        ip = struct.pack(">IHBB", 6 << 28, size + len(payload), socket.IPPROTO_TCP,
                         9) + pseudo[:32]
    kind = 0x800 if ends[0].version == 4 else 0x86dd
    return 2 * address() + kind.to_bytes(2, "big") + ip + tcp + payload, 14 + len(ip)


def come_back(frame, l4):
    """Sends a long frame. Returns what a packet socket receives: the header and the
    frame."""
    kind = int.from_bytes(frame[12:14], "big")
    gso = (TCPV4 if kind == 0x800 else TCPV6) | (ECN if frame[l4 + 13] & CWR else 0)
    size = l4 + (frame[l4 + 12] >> 4) * 4
    head = HDR.pack(NEEDS_CSUM, gso, size, MSS, l4, 16)
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(kind)) as sock:
        sock.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
        sock.bind((NETDEV, kind))
        sock.settimeout(5)
        sock.send(head + frame)
        while True:
            data = sock.recv(1 << 16)
            got, rest = HDR.unpack(data[:HDR.size]), data[HDR.size:]
            # the kernel may send frames of its own
            if rest[l4:l4 + 4] == frame[l4:l4 + 4]:
                return (*got[:2], *got[3:]), rest


@pytest.fixture(autouse=True)
def only_the_device_merges():
    subprocess.run(["ethtool", "-K", NETDEV, "gro", "off"], check=True)
    yield
    subprocess.run(["ethtool", "-K", NETDEV, "gro", "on", "rx-gro-hw", "on"], check=True)


@pytest.mark.parametrize("flags", [ACK, ACK | PSH, ACK | CWR])
@pytest.mark.parametrize("ends", [("10.9.8.7", "10.9.8.6"), ("fd09::7", "fd09::6")])
@pytest.mark.parametrize("options", [0, 12, 40])
def test_a_merged_frame_is_described(ends, flags, options):
    """The network stack gets the frame that it has sent, with the work that was left to
    the device."""
    frame, l4 = long_frame(*ends, flags=flags, options=options)
    gso = (TCPV6 if l4 == 54 else TCPV4) | (ECN if flags & CWR else 0)
    head, got = come_back(frame, l4)
    assert head == (NEEDS_CSUM, gso, MSS, l4, 16)
    assert got == frame


def counters():
    out = subprocess.run(["ethtool", "-S", NETDEV], check=True, capture_output=True,
                         text=True).stdout
    return [int(re.search(rf"^ *{name}: (\d+)$", out, re.M)[1]) for name in GRO + FRAMES]


def test_a_merged_frame_counts_as_many():
    """Each part counts for the port, for its queue, and as merged."""
    frame, l4 = long_frame("10.9.8.7", "10.9.8.6")
    header = l4 + (frame[l4 + 12] >> 4) * 4
    before, old = counters(), queues.gro(NETDEV)
    come_back(frame, l4)
    merged, parts, frames, size = (b - a for a, b in zip(before, counters()))
    assert (merged, parts) == (1, PARTS)
    wanted = len(frame) + (PARTS - 1) * header
    # the kernel sends a frame of its own now and then, which may come back
    assert 0 <= frames - PARTS <= 3 and 0 <= size - wanted <= 300
    rows = [[b - a for a, b in zip(*pair)] for pair in zip(old, queues.gro(NETDEV))]
    assert sorted(rows)[-1] == [1, len(frame), PARTS, wanted]
    assert not any(map(any, sorted(rows)[:-1]))


def test_no_frame_is_merged_if_the_option_is_off():
    subprocess.run(["ethtool", "-K", NETDEV, "rx-gro-hw", "off"], check=True)
    before = counters()
    frame, l4 = long_frame("10.9.8.7", "10.9.8.6")
    head, got = come_back(frame, l4)
    assert head[1] == 0 and len(got) == len(frame) - (PARTS - 1) * MSS + 7
    assert counters()[:2] == before[:2]

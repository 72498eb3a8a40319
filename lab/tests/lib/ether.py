# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Frames from the Ethernet port to itself, through the device."""

import contextlib
import os
import pathlib
import random
import socket

FRAMES = 100
ETHERTYPE = 0x88b5  # reserved for local experiments


def address():
    """The MAC address of the port."""
    path = pathlib.Path("/sys/class/net", os.environ["XRDMA_NETDEV"], "address")
    return bytes.fromhex(path.read_text().strip().replace(":", ""))


def frame_returns(size):
    """Sends a frame with size bytes of payload, which differ. Whether it came back
    unchanged within a second."""
    kind = ETHERTYPE.to_bytes(2, "big")
    sent = 2 * address() + kind + random.Random(size).randbytes(size)
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                       socket.htons(ETHERTYPE)) as sock:
        sock.bind((os.environ["XRDMA_NETDEV"], ETHERTYPE))
        sock.settimeout(1)
        sock.send(sent)
        with contextlib.suppress(TimeoutError):
            return sock.recv(16384) == sent
    return False


def frames(patience=0.05, count=FRAMES):
    """Sends @count frames one after the other, each a byte longer than the one before
    it. Returns the number of frames that came back within @patience seconds."""
    kind, came = ETHERTYPE.to_bytes(2, "big"), 0
    with contextlib.suppress(OSError), \
            socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                          socket.htons(ETHERTYPE)) as sock:
        sock.bind((os.environ["XRDMA_NETDEV"], ETHERTYPE))
        sock.settimeout(patience)
        for number in range(count):
            sock.send(2 * address() + kind + bytes(46 + number))
            with contextlib.suppress(TimeoutError):
                sock.recv(2048)
                came += 1
    return came

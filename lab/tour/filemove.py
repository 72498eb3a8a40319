#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Move a file between two processes by RDMA.

usage: filemove.py FILE

The parent reads FILE into a registered buffer of 1 GiB that mixes 4 KiB and
2 MiB pages and writes it into memory of the child by RDMA WRITE; the child
hashes the received bytes; the parent reads them back by RDMA READ into another
part of the buffer. All three sha256 must be equal. The transfers in each direction
are repeated: the rate is the median of samples that take at least a second each.
"""

import hashlib
import json
import os
import socket
import statistics
import sys
import time

import pyverbs.enums as e
from pyverbs.mr import MR
from pyverbs.pd import PD

LAB = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
sys.path.insert(0, LAB)

from labverbs.rc import (ALL, Buffer, Device, Endpoint,  # noqa: E402
                         mixed_parts)

TOTAL = 1 << 30
CHUNK = 1 << 20
WINDOW = 32
SAMPLES = 3
SECONDS = 1.0


def send(sock, **message):
    sock.sendall(json.dumps(message).encode() + b"\n")


def receive(stream):
    line = stream.readline()
    if not line:
        sys.exit("filemove: the other process has ended")
    return json.loads(line)


def digest(view):
    return hashlib.sha256(view).hexdigest()


def child(sock, length):
    """Register the memory that the parent writes to and reads from, and hash it."""
    stream = sock.makefile("r")
    dev = Device()
    pd = PD(dev.ctx)
    buf = Buffer((length, True))
    mr = MR(pd, length, ALL, address=buf.address)
    end = Endpoint(dev, pd)
    send(sock, peer=end.address(), address=buf.address, rkey=mr.rkey)
    end.connect(receive(stream)["peer"])
    send(sock, ready=True)
    receive(stream)
    send(sock, sha256=digest(buf.view))
    receive(stream)


def transfer(end, opcode, mr, local, remote, length):
    """Move @length bytes in chunks; return the duration in seconds."""
    start, posted, done = time.monotonic(), 0, 0
    chunks = range(0, length, CHUNK)
    while done < len(chunks):
        while posted < len(chunks) and posted - done < WINDOW:
            at = chunks[posted]
            sge = (local + at, min(CHUNK, length - at), mr.lkey)
            end.post(opcode, [sge], remote=remote["address"] + at,
                     rkey=remote["rkey"])
            posted += 1
        end.wait()
        done += 1
    return time.monotonic() - start


def rate(*what):
    """Take samples of transfer(*what); return median and spread as text."""
    rates, length = [], what[-1]
    for _ in range(SAMPLES):
        took = moved = 0
        while took < SECONDS:
            took += transfer(*what)
            moved += length
        rates.append(moved / took / (1 << 20))
    median = statistics.median(rates)
    spread = (max(rates) - min(rates)) / median
    return f"{median:.0f} MiB/s, spread {spread:.0%}"


def parent(sock, path, length):
    stream = sock.makefile("r")
    dev = Device()
    pd = PD(dev.ctx)
    buf = Buffer(*mixed_parts(TOTAL))
    with open(path, "rb") as file:
        file.readinto(buf.view[:length])
    mr = MR(pd, TOTAL, ALL, address=buf.address)
    end = Endpoint(dev, pd)
    remote = receive(stream)
    end.connect(remote["peer"])
    send(sock, peer=end.address())
    receive(stream)

    back = TOTAL // 2
    wrote = rate(end, e.IBV_WR_RDMA_WRITE, mr, buf.address, remote, length)
    send(sock, hash=True)
    sums = {"file": digest(buf.view[:length]),
            "after WRITE": receive(stream)["sha256"]}
    read = rate(end, e.IBV_WR_RDMA_READ, mr, buf.address + back, remote,
                length)
    sums["after READ"] = digest(buf.view[back:back + length])
    send(sock, bye=True)
    print(f"  {length / (1 << 20):.1f} MiB   WRITE {wrote}   READ {read}")
    for name, value in sums.items():
        print(f"  sha256 {name:<12} {value}")
    if len(set(sums.values())) != 1:
        sys.exit("filemove: the sums differ")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    length = os.path.getsize(sys.argv[1])
    if not 0 < length <= TOTAL // 2:
        sys.exit(f"filemove: {sys.argv[1]}: its size must be 1 byte to "
                 f"{TOTAL >> 21} MiB")
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if not pid:
        ours.close()
        child(theirs, length)
        os._exit(0)
    theirs.close()
    parent(ours, sys.argv[1], length)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status:
        sys.exit(f"filemove: the other process ended with {status}")


if __name__ == "__main__":
    main()

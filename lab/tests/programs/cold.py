# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Moves messages between this process and another process of this program on the other
node, from and to memory that the devices do not know yet; the memory that messages go
to has not been touched by the processes either. Few enough packets are in flight that
all can wait for a page. The receives of all messages are posted before the first one is
sent. Prints one line if all bytes are right.

  cold.py             waits for the other process
  cold.py ADDRESS     connects to it, and sends
"""

import hashlib
import os
import pathlib
import socket
import sys

sys.path[:0] = [str(path) for path in pathlib.Path(__file__).resolve().parents[1:3]]

from pyverbs.pd import PD  # noqa: E402

from labverbs.rc import Device, Endpoint  # noqa: E402
from lib.paged import ADD, PAGE, READ, SEND, WRITE, Memory, Region  # noqa: E402
from lib.words import Words  # noqa: E402

PORT = 4711
PART = 64 << 10
NUMBER = 64
SIZE = NUMBER * PART
ADDS = 16
# messages in flight: 128 packets of 1024 bytes
DEPTH = 2


def digest(mem):
    return hashlib.sha256(mem.get()).hexdigest()


class Side:
    """What both processes have."""

    def __init__(self, words):
        self.words, self.dev = words, Device()
        self.pd = PD(self.dev.ctx)
        self.end = Endpoint(self.dev, self.pd, depth=NUMBER)

    def region(self, length=SIZE, populate=False):
        """Memory and a paged region on it."""
        mem = Memory(length, populate=populate)
        return mem, Region(self.dev, self.pd, mem)

    def connect(self, say, inbox=()):
        """Tells the other process the address of the queue pair, and @say. Posts a
        receive for each of @inbox before the other process sends. Returns what the
        other process says."""
        heard = self.words.swap({**self.end.address(), **say})
        self.end.connect(heard, timeout=18)
        for sge in inbox:
            self.end.recv([sge])
        self.words.swap("connected")
        return heard


def serve(words):
    side = Side(words)
    (target, to), (inbox, at), (counters, of) = \
        side.region(), side.region(), side.region(ADDS * PAGE)
    side.connect({"target": (target.address, to.rkey),
                  "counters": (counters.address, of.rkey)},
                 [at.sge(inbox.address + start, PART)
                  for start in range(0, SIZE, PART)])
    side.end.wait(NUMBER, timeout=60)
    words.swap([digest(target), digest(inbox),
                [counters.get(place * PAGE, 1)[0] for place in range(ADDS)]])


def move(side, kind, mem, region, remote=(0, 0)):
    """Moves all bytes of @mem."""
    for number, start in enumerate(range(0, SIZE, PART)):
        if number >= DEPTH:
            side.end.wait()
        place = remote[0] + start if remote[1] else 0
        side.end.post(kind, [region.sge(mem.address + start, PART)], place, remote[1])
    side.end.wait(DEPTH)


def ask(words):
    side = Side(words)
    first, second = side.region(populate=True), side.region(populate=True)
    back, old = side.region(), side.region(ADDS * PAGE)
    far = side.connect({})
    move(side, WRITE, *first, far["target"])
    move(side, READ, *back, far["target"])
    assert back[0].get() == first[0].get(), "a READ has got wrong bytes"
    address, rkey = far["counters"]
    for place in range(0, ADDS * PAGE, PAGE):
        side.end.post(ADD, [old[1].sge(old[0].address + place, 8)], address + place,
                      rkey, compare=1)
        side.end.wait()
    assert not any(old[0].get()), "an atomic has got a wrong value"
    move(side, SEND, *second)
    assert words.swap("sent") == [digest(first[0]), digest(second[0]), [1] * ADDS]
    print(f"verified {3 * SIZE} bytes")


def main():
    if len(sys.argv) > 1:
        with socket.create_connection((sys.argv[1], PORT)) as sock:
            ask(Words(sock))
        return
    listener = socket.create_server((os.environ["XRDMA_ADDR"], PORT))
    with listener.accept()[0] as sock:
        serve(Words(sock))


if __name__ == "__main__":
    main()

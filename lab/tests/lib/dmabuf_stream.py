# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Traffic to a dma-buf that moves all the time: a thread that moves it, and messages whose
bytes are compared with a shadow copy."""

import os
import threading
import time

from lib.paged import OK, PAGE, READ, SEND, WRITE

SLOT = 64 << 10


class Mover(threading.Thread):
    """Moves the memory of a dma-buf until stop() is called. .number: number of moves"""

    def __init__(self, buf, pause=0.003):
        super().__init__(daemon=True)
        self._buf, self._pause, self._end = buf, pause, threading.Event()
        self.number, self._error = 0, None
        self.start()

    def run(self):
        try:
            while not self._end.is_set():
                self._buf.move()
                self.number += 1
                time.sleep(self._pause)
        except BaseException as error:      # stop() raises it
            self._error = error

    def stop(self):
        """Returns the number of moves."""
        self._end.set()
        self.join(60)
        if self._error:
            raise self._error
        return self.number


class Shadow:
    """The bytes that the dma-buf must have. Messages go from the lower half of the slots
    to the upper one, so that no message changes the source of another one."""

    def __init__(self, buf, chance):
        self.buf, self.bytes, self.chance = buf, bytearray(buf.before), chance
        self.busy, self._half = set(), buf.length // SLOT // 2

    def take(self, low):
        while True:
            slot = self.chance.randrange(self._half) + (0 if low else self._half)
            if slot not in self.busy:
                self.busy.add(slot)
                return slot

    def give(self, slots):
        for slot in slots:
            at = slot * SLOT
            assert self.buf.map[at:at + SLOT] == self.bytes[at:at + SLOT], slot
            self.busy.discard(slot)


class Message:
    """A message in flight from slot to slot; the process writes to the source before."""

    def __init__(self, shadow, link, region):
        self.shadow, self.link, chance = shadow, link, shadow.chance
        self.kind = chance.choice((WRITE, READ, SEND))
        self.length = chance.choice((1, 8, PAGE, chance.randrange(1, SLOT), SLOT))
        self.slots = shadow.take(True), shadow.take(False)
        self.places = [slot * SLOT + chance.randrange(SLOT - self.length + 1)
                       for slot in self.slots]
        at, data = self.slots[0] * SLOT, os.urandom(SLOT)
        shadow.buf.map[at:at + SLOT] = shadow.bytes[at:at + SLOT] = data
        link.start(self.kind, *((region, place) for place in self.places),
                   self.length)

    def finish(self):
        assert self.link.a.poll(timeout=60)[0].status == OK
        if self.kind == SEND:
            assert self.link.b.poll()[0].status == OK
        (start, goal), bytes_ = self.places, self.shadow.bytes
        bytes_[goal:goal + self.length] = bytes_[start:start + self.length]
        self.shadow.give(self.slots)

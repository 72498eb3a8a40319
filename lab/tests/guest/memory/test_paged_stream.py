# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Traffic between paged regions while the mappings of their memory change: a shadow
copy has the bytes that each place must have. A device that uses a page which is no
longer mapped, or a write that is lost, makes a difference. Runs in a guest."""

import collections
import contextlib
import ctypes
import itertools
import os
import pathlib
import random
import threading
import time

import pytest

from labverbs.rc import HUGE
from lib import paged
from lib.paged import OK, READ, SEND, WRITE, Link, Memory, Region
from lib.soak import soak

SLOT = 64 << 10
SIZE = 4 * HUGE
SLOTS = SIZE // SLOT
DEPTH = 4               # number of messages in flight
COMPACT = pathlib.Path("/proc/sys/vm/compact_memory")


class Shadow:
    """The memory, divided into slots, and the bytes that the slots must have. A message
    owns two slots, and a change that alters bytes owns one."""

    def __init__(self):
        self.mem = Memory(SIZE, huge=True)
        # the upper half has small pages
        self.mem.advise(paged.NOHUGEPAGE, SIZE // 2)
        self.mem.map_again(SIZE // 2)
        self.spare = Memory(SLOT, populate=False)
        self.bytes = bytearray(self.mem.fill())
        self.locks = [threading.Lock() for _ in range(SLOTS)]
        self.history = [collections.deque(maxlen=8) for _ in range(SLOTS)]

    def take(self, chance):
        """A slot that nobody owns, which the caller then owns."""
        while True:
            slot = chance.randrange(SLOTS)
            if self.locks[slot].acquire(blocking=False):
                return slot
            time.sleep(0)

    def give(self, slot, what):
        """Compares the bytes of a slot, and ends its ownership."""
        at = slot * SLOT
        self.history[slot].append(what)
        want, got = self.bytes[at:at + SLOT], self.mem.get(at, SLOT)
        if want != got:
            wrong = [n for n in range(SLOT) if want[n] != got[n]]
            raise AssertionError(
                f"slot {slot}: {len(wrong)} wrong bytes from {wrong[0]:#x} to "
                f"{wrong[-1]:#x}, the last changes: {list(self.history[slot])}")
        self.locks[slot].release()


class Message:
    """A message in flight, from one slot to another."""

    def __init__(self, shadow, link, regions, chance):
        self.shadow, self.link = shadow, link
        self.kind = chance.choice((WRITE, READ, SEND))
        self.length = chance.choice((1, 8, 4096, chance.randrange(1, SLOT), SLOT))
        self.slots = [shadow.take(chance), shadow.take(chance)]
        self.places = [slot * SLOT + chance.randrange(SLOT - self.length + 1)
                       for slot in self.slots]
        ends = [(chance.choice(regions), shadow.mem.address + at)
                for at in self.places]
        link.start(self.kind, *ends, self.length)

    def done(self):
        """Whether the message has arrived."""
        number, found = self.link.a.cq.poll(1)
        if not number:
            return False
        assert found[0].status == OK, (found[0].status, self.kind, self.slots)
        if self.kind == SEND:
            assert self.link.b.poll()[0].status == OK
        start, goal = self.places
        self.shadow.bytes[goal:goal + self.length] = \
            self.shadow.bytes[start:start + self.length]
        for slot in self.slots:
            self.shadow.give(slot, (self.kind, self.length, *self.places))
        return True


class Worker(threading.Thread):
    """Calls step() as long as goes_on(). self.error is what step() has raised."""

    def __init__(self, step, goes_on, pause=0.0):
        super().__init__(daemon=True)
        self._step, self._goes_on, self._pause = step, goes_on, pause
        self.counts, self.error = collections.Counter(), None
        self.start()

    def run(self):
        try:
            while self._goes_on():
                self.counts[self._step()] += 1
                time.sleep(self._pause)
        except BaseException as error:      # the main thread raises it
            self.error = error


class Changes:
    """Changes of the mappings."""

    def __init__(self, shadow, seed):
        self._shadow, self._mem = shadow, shadow.mem
        self._chance = random.Random(seed)
        self._calm = random.Random(seed + 1)
        self._zeros = os.open("/dev/zero", os.O_RDONLY)
        self._alterations = itertools.cycle(
            ("remap", "store", "dontneed", "protect", "move", "store"))
        self._disturbances = itertools.cycle(
            3 * ("fork", "pageout", "collapse", "pageout") + ("compact",))

    # changes that alter bytes, or during which a slot must not be accessed

    def _zero(self, slot):
        self._shadow.bytes[slot * SLOT:(slot + 1) * SLOT] = bytes(SLOT)

    def remap(self, slot):
        self._mem.unmap(slot * SLOT, SLOT)
        self._mem.map_again(slot * SLOT, SLOT)
        self._zero(slot)

    def dontneed(self, slot):
        self._mem.advise(paged.DONTNEED, slot * SLOT, SLOT)
        self._zero(slot)

    def protect(self, slot):
        prot = self._chance.choice((paged.READABLE, paged.NONE))
        self._mem.protect(prot, slot * SLOT, SLOT)
        self._mem.protect(paged.WRITABLE, slot * SLOT, SLOT)

    def move(self, slot):
        """Moves the pages to other addresses and back."""
        here, there = self._mem.address + slot * SLOT, self._shadow.spare.address
        for source, target in ((here, there), (there, here)):
            paged.called(paged.LIBC.mremap(source, SLOT, SLOT,
                                           paged.MAYMOVE | 2, target))

    def store(self, slot):
        """The process writes to the slot itself."""
        data = os.urandom(SLOT)
        self._mem.put(slot * SLOT, data)
        self._shadow.bytes[slot * SLOT:(slot + 1) * SLOT] = data

    def alter(self):
        slot, name = self._shadow.take(self._chance), next(self._alterations)
        getattr(self, name)(slot)
        self._shadow.give(slot, name)
        return name

    # changes at any time, which alter no bytes

    def _range(self):
        first = self._calm.randrange(SLOTS)
        return first * SLOT, self._calm.randrange(1, SLOTS - first + 1) * SLOT

    def fork(self):
        """A child shares the pages, and writes to some of its own."""
        child = os.fork()
        if not child:
            at, length = self._range()
            # fails where no memory is mapped, and does not kill the child
            paged.LIBC.read(self._zeros, ctypes.c_void_p(self._mem.address + at),
                            ctypes.c_size_t(length))
            time.sleep(self._calm.random() * 0.02)
            os._exit(0)
        time.sleep(self._calm.random() * 0.02)
        os.waitpid(child, 0)

    def pageout(self):
        place = self._range()
        # fails if a part of the range is not mapped
        with contextlib.suppress(OSError):
            self._mem.advise(paged.PAGEOUT, *place)
            if self._calm.random() < 0.5:
                # the pages are clean then, until the device writes to them
                self._mem.advise(paged.POPULATE_READ, *place)

    def collapse(self):
        at = self._calm.randrange(SIZE // HUGE) * HUGE
        # fails if no huge page is free, or if pages are in use
        with contextlib.suppress(OSError):
            self._mem.advise(paged.COLLAPSE, at, HUGE)

    def compact(self):
        COMPACT.write_text("1")

    def disturb(self):
        name = next(self._disturbances)
        getattr(self, name)()
        return name


def stream(shadow, links, regions, chance, more):
    """Keeps messages in flight as long as more() of their number. Returns the
    number."""
    number, flying = 0, [Message(shadow, link, regions, chance)
                         for link in links]
    begun = {message: time.monotonic() for message in flying}
    while flying:
        # the other threads and the device need the processors
        time.sleep(0.0005)
        for message in list(flying):
            if not message.done():
                assert time.monotonic() < begun[message] + 60, \
                    ("a message hangs", message.kind, message.places)
                continue
            number += 1
            flying.remove(message)
            begun.pop(message)
            if more(number):
                flying.append(Message(shadow, message.link, regions, chance))
                begun[flying[-1]] = time.monotonic()
    return number


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_no_byte_is_stale_or_lost(dev, pd, seed):
    shadow = Shadow()
    regions = [Region(dev, pd, shadow.mem), Region(dev, pd)]
    links = [Link(dev, pd, timeout=20) for _ in range(DEPTH)]
    changes, going = Changes(shadow, seed), [True]
    end, least = time.monotonic() + soak(10, 1800), soak(50, 5000)

    def more(number):
        """A busy machine needs more time for as many messages and changes."""
        late = time.monotonic() - end
        enough = number > least and len(workers[0].counts) == 5 and \
            len(workers[1].counts) >= 3
        return not any(worker.error for worker in workers) and \
            (late < 0 or late < 300 and not enough)

    with paged.Swap():
        workers = [Worker(changes.alter, lambda: going[0], 0.002),
                   Worker(changes.disturb, lambda: going[0], 0.01)]
        try:
            number = stream(shadow, links, regions, random.Random(seed + 2), more)
        finally:
            going[0] = False
            for worker in workers:
                worker.join(60)
        for worker in workers:
            if worker.error:
                raise worker.error
        # what the device has written must be in swap, too
        shadow.mem.advise(paged.PAGEOUT)
        assert shadow.mem.get() == shadow.bytes
    rows = [region.statistic() for region in regions]
    print(f"{number} messages,", *(dict(worker.counts) for worker in workers),
          *rows)
    assert number > least
    assert len(workers[0].counts) == 5 and len(workers[1].counts) >= 3
    for row in rows:
        assert row["page_faults"] > 0 and row["page_invalidations"] > 0
    for thing in links + regions:
        thing.close()

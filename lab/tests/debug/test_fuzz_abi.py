# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Hostile users: random calls of uverbs, random mappings, and random bytes in
rings, records and the doorbell page, by several processes and threads that share
their objects. Calls must fail with an errno and must end, the kernel must print
nothing, other users must not be disturbed, and nothing may stay. A round takes a
few seconds and begins with a seed, which the test prints; XRDMA_SEED repeats it.
Runs in a guest of `lab/vm run --kernel debug`."""

import collections
from concurrent.futures import ThreadPoolExecutor
import errno
import mmap
import random
import time

from lib import rawqp as r, uioctl, uverbs
from lib.context import RawContext, RawDevice
from lib.crew import Crew
from lib.fuzz_calls import (ARENA, COMMANDS, ON_DEMAND, WRONG, Caller, arena,
                            gid_of)
from lib.soak import soak
from lib.undisturbed import undisturbed, works

ROUND = soak(2, 20)         # seconds
STEPS = 300                 # least number of steps of a round
ALL = soak(1, 3600 / 4)     # seconds of each of the four tests


def rounds(dev, pd, seed, play):
    """Plays rounds, each with a seed of its own, for ALL seconds. Checks the counters
    of the rounds: all errnos are ones for users, and some calls succeeded."""
    counts, end = collections.Counter(), time.monotonic() + ALL
    works(dev, pd)
    while True:
        print(f"XRDMA_SEED={seed}")
        with undisturbed(dev, pd):
            counts += play(seed)
        seed += 1
        if time.monotonic() >= end:
            break
    codes = collections.Counter()
    for (_, code), n in counts.items():
        codes[code] += n
    total = sum(codes.values())
    print(f"{total} calls, {len(codes) - 1} errnos, {codes[0]} succeeded")
    assert not WRONG & set(codes)
    assert total and codes[0] >= total / 50
    return counts


# ---- calls -----------------------------------------------------------------------

def step(caller):
    """A command, or advice about memory that is paged, or a change of such memory."""
    fate = caller.rng.random()
    if fate < 0.1:
        caller.advise()
    elif fate < 0.2:
        caller.change_memory()
    else:
        caller.call()


def test_random_calls(dev, pd, seed):
    """One thread makes the calls, so that the same seed gives the same calls."""
    def play(start):
        def body(_number, tick, over):
            raw = RawContext(dev)
            caller = Caller([raw.cmd_fd], random.Random(start), gid_of(dev),
                            arena(), start % 2)
            caller.furnish()
            while not over():
                if caller.rng.random() < 0.1:
                    caller.attributes()
                else:
                    step(caller)
                tick()
            return caller.counts
        return Crew(body).run(ROUND, STEPS)

    counts = rounds(dev, pd, seed, play)
    print("never succeeded:", *(name for name in (*COMMANDS, "advise_mr")
                                if not counts[name, 0]))


def sharing(dev, start):
    """Opens two devices, which three processes with two threads each share, so that one
    thread may destroy an object that another one uses."""
    raws = [RawContext(dev), RawContext(dev)]
    fds = [raw.cmd_fd for raw in raws]
    first = Caller(fds[:1], random.Random(start), gid_of(dev), arena(),
                   start % 2)
    for _ in range(3):
        first.furnish()

    def body(number, tick, over):
        callers = [Caller(fds, random.Random(start + 1000 * (2 * number + one)),
                          gid_of(dev), arena(), start % 2, inherited=True)
                   for one in (1, 2)]
        for caller in callers:
            for kind, handles in first.alive.items():
                caller.alive[kind] = list(handles)

        def work(caller):
            while not over():
                step(caller)
                tick()
        with ThreadPoolExecutor(1) as threads:
            other = threads.submit(work, callers[1])
            work(callers[0])
            other.result()
        return callers[0].counts + callers[1].counts

    counts = Crew(body, 3).run(ROUND, STEPS)
    for raw in raws:
        raw.close()
    return counts


def test_processes_and_threads_share_everything(dev, pd, seed):
    """The kernel refuses few calls because of who makes them (EACCES): it does so before
    the driver sees the call."""
    counts = rounds(dev, pd, seed, lambda start: sharing(dev, start))
    refused = sum(n for (_, code), n in counts.items() if code == errno.EACCES)
    assert refused < sum(counts.values()) / 20


def mapper(dev, start, tick, over):
    """Calls mmap() with random offsets, lengths and rights, and uses the mappings that
    it gets."""
    rng, raw = random.Random(start), RawContext(dev)
    keys, counts = [0], collections.Counter()
    for _ in range(3):
        keys.append(uioctl.alloc_dm(raw, 4096 * rng.randint(1, 4))[1])
    while not over():
        offset = rng.choice((rng.choice(keys), rng.choice(keys),
                             rng.randrange(64) << 12,
                             rng.getrandbits(rng.randint(12, 62)) & ~0xfff))
        length = 4096 * rng.choice((1, 1, 1, 2, 4, 5, 1 << 10))
        code = 0
        try:
            with mmap.mmap(raw.cmd_fd, length, offset=offset,
                           flags=rng.choice((mmap.MAP_SHARED, mmap.MAP_SHARED,
                                             mmap.MAP_PRIVATE)),
                           prot=rng.choice((3, 3, 1, 2, 5, 7, 0))) as got:
                got.madvise(rng.choice((mmap.MADV_DONTNEED,
                                        mmap.MADV_DONTFORK)))
        except OSError as err:
            code = err.errno
        counts["mmap", code] += 1
        tick()
    return counts


def test_random_mappings(dev, pd, seed):
    def play(start):
        return Crew(lambda number, tick, over:
                    mapper(dev, start + 1000 * number, tick, over),
                    2).run(ROUND, STEPS)
    rounds(dev, pd, seed, play)


# ---- rings -----------------------------------------------------------------------


def scribble(rng, end, region):
    """Writes random entries and indexes to the rings of one end, and rings random
    doorbells."""
    view, size = end._ring.view, len(end._ring.view)
    for _ in range(rng.randrange(1, 6)):
        fate = rng.random()
        if fate < 0.5:
            entry = bytearray(b"".join(r.access(
                rng.choice((r.WRITE, r.READ, r.FETCH_ADD)), region[1],
                region[0], (region[1], rng.choice((8, 64, 5000)),
                            region[0]))))
            if rng.random() < 0.7:
                entry[rng.randrange(len(entry))] = rng.randrange(256)
            at = end._sq + rng.randrange(end.depth) * end.UNIT
            view[at:at + len(entry)] = bytes(entry)
        else:
            at = rng.randrange(size - 64)
            view[at:at + 64] = rng.randbytes(64)
    if rng.random() < 0.8:
        end._sq_pi += rng.choice((1, 1, 2, 5, end.depth))
        r.put32(view, end._rec, end._sq_pi % 2**32)
    else:
        r.put32(view, end._rec + rng.choice((0, 4, 8, 60)),
                rng.getrandbits(32))
    index = rng.choice((end._sq_pi % 2**32, end._sq_pi % 2**32,
                        rng.getrandbits(32)))
    end._db_word.value = index << 32 | rng.choice(
        (end.qpn, end.qpn, rng.randrange(20000), rng.getrandbits(32)))
    if rng.random() < 0.1:
        size = rng.choice((4, 8))
        at = rng.choice((0, 8, 16, size * rng.randrange(4096 // size)))
        end._db[at:at + size] = rng.randbytes(size)


def scribbler(dev, seed, tick, over):
    """Returns the number of ends for which the device has written a completion."""
    rng, mine = random.Random(seed), RawDevice(dev)
    domain, buf = mine.ctx.alloc_pd(), arena()
    caller = Caller([mine.ctx.cmd_fd], rng, gid_of(dev), buf)
    handle, key, _ = uverbs.reg_mr(mine.ctx, domain, buf.address, ARENA,
                                   buf.address, 0x1f | rng.choice((0, ON_DEMAND)))
    counts = collections.Counter()
    while not over():
        both = r.Pair(mine, domain, timeout=8, retry=1)
        for _ in range(rng.randrange(1, 40)):
            scribble(rng, rng.choice((both.near, both.far)),
                     (key, buf.address))
            if rng.random() < 0.2:
                caller.change_memory()
            tick()
        for end in (both.near, both.far):
            counts["end", 0 if end.completions() else errno.EAGAIN] += 1
        both.close()
        tick()
    return counts


def test_random_rings(dev, pd, seed):
    """A process that corrupts its own rings must not disturb other processes."""
    def play(start):
        return Crew(lambda number, tick, over:
                    scribbler(dev, start + 1000 * number, tick, over),
                    2).run(ROUND, STEPS)
    rounds(dev, pd, seed, play)

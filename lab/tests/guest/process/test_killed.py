# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Processes with objects of all kinds that are killed at any moment: while they
create objects, during a call, under traffic. Nothing of theirs may stay, and no
other process may notice. Runs in a guest."""

import os
import random
import select
import signal
import struct
import time
import traceback

from labverbs.rc import Buffer
from lib import rawqp as r, uioctl, uverbs
from lib.context import RawDevice
from lib.crew import PATIENCE
from lib.dmabuf import udmabuf
from lib.fuzz_calls import Caller, arena, gid_of
from lib.soak import soak
from lib.sweep_verbs import GROUP
from lib.undisturbed import undisturbed

KILLS = soak(50, 10000)
FLOCK = 500         # victims between two checks of the resources
ALIVE = 4
UD, RAW = 4, 8
BUSY = ("reg_mr", "dereg_mr", "create_cq", "create_qp", "alloc_mw",
        "create_srq", "modify_srq", "resize_cq", "rereg_mr", "create_flow")


# ---- a victim ------------------------------------------------------------------------

def queue_pair(ctx, domain, cq, kind):
    """Creates a queue pair for packets. Its rings are kept in memory."""
    rings = Buffer((1 << 13, False))
    return uverbs.create_qp(ctx, domain, cq, struct.pack(
        "<QBBBBI", rings.address, 4, 2, 4, 5, 0), kind=kind), rings


def regions(ctx, domain, rng):
    """Registers regions of the process's memory, of device memory and of dma-bufs."""
    made = []
    for _ in range(rng.randint(1, 6)):
        buf = Buffer((4096 * rng.choice((1, 2, 16)), False))
        made.append((buf, uverbs.reg_mr(ctx, domain, buf.address, buf.length,
                                        buf.address, 0x1f)[1]))
    if rng.random() < 0.5:
        handle = uioctl.alloc_dm(ctx, 8192)[0]
        uioctl.reg_dm(ctx, domain, handle, 0, 4096, 0x2f)
    if rng.random() < 0.5 and os.path.exists("/dev/udmabuf"):
        uioctl.reg_dmabuf(ctx, domain, 0, 4096, 0, udmabuf(4096), 0xf)
    return made


def listeners(ctx, domain, cq, caller):
    """Creates queue pairs with a multicast group and with a flow rule."""
    group, rings = queue_pair(ctx, domain, cq, UD)
    uverbs.attach_mcast(ctx, group, GROUP)
    raw, more = queue_pair(ctx, domain, cq, RAW)
    caller.alive["raw"] = [raw]
    while not caller.alive["flow"]:
        caller.call("create_flow")
    return rings, more


def hoard(dev, rng):
    """Creates a connection with bound windows, and many objects of other kinds."""
    mine = RawDevice(dev)
    ctx, domain = mine.ctx, mine.ctx.alloc_pd()
    made = regions(ctx, domain, rng)
    both = r.Pair(mine, domain)
    for _ in range(2):
        key = uverbs.alloc_mw(ctx, domain, 2)[1]
        both.far.do(r.bind(key, key & ~0xff | key + 1 & 0xff, made[0][1],
                           made[0][0].address, 64, r.REMOTE))
    caller = Caller([ctx.cmd_fd], rng, gid_of(dev), arena(1 << 17))
    caller.alive["pd"].append(domain.handle)
    if rng.random() < 0.5:
        caller.furnish()
    if rng.random() < 0.5:
        made.append(made[0][:2] + listeners(ctx, domain, both.far.cq, caller))
    return both, caller, made


def victim(dev, seed, tell):
    """The function of a victim process. Tells its parent when it has created all its
    objects, then works until it is killed."""
    rng = random.Random(seed)
    both, caller, made = hoard(dev, rng)
    os.write(tell, b"x")
    while True:
        buf, key = rng.choice(made)[:2]
        if rng.random() < 0.3:
            caller.call(rng.choice(BUSY))
        both.near.post(*[r.access(r.WRITE, buf.address, key,
                                  (buf.address, buf.length, key))] * 4)
        both.near.poll(4)


# ---- the end ---------------------------------------------------------------------------

class Victim:
    """A process that is killed at a random time: if @young, while it creates objects,
    otherwise after that, while it works."""

    def __init__(self, dev, seed, young):
        self.told, tell = os.pipe()
        self._end = time.monotonic() + (young or PATIENCE)
        self._young = young
        self._pid = os.fork()
        if not self._pid:
            try:
                victim(dev, seed, tell)
            finally:
                traceback.print_exc()
                os._exit(1)
        os.close(tell)

    def due(self, told):
        """Whether the process is to be killed now. @told: it has sent a message."""
        if told:
            assert os.read(self.told, 1) == b"x", "the victim died by itself"
            return True
        late = time.monotonic() > self._end
        assert self._young or not late, "the victim does not get what it wants"
        return late

    def kill(self):
        os.kill(self._pid, signal.SIGKILL)
        os.close(self.told)
        assert os.waitpid(self._pid, 0)[1] == signal.SIGKILL


def start_and_kill(dev, rng, count):
    """Starts and kills @count victims, one in three of them young. Returns the number
    of the others."""
    alive, ripe = {}, 0
    try:
        while count or alive:
            while count and len(alive) < ALIVE:
                young = rng.random() / 4 if rng.random() < 1 / 3 else None
                one = Victim(dev, rng.random(), young)
                alive[one.told] = one
                count -= 1
            told = select.select(alive, [], [], 0.01)[0]
            for name in [name for name in alive
                         if alive[name].due(name in told)]:
                time.sleep(rng.random() / 50)
                alive.pop(name).kill()
                ripe += name in told
    finally:
        for one in alive.values():
            one.kill()
    return ripe


def test_killed_at_any_moment(dev, pd, seed):
    rng, begun, ripe = random.Random(seed), time.monotonic(), 0
    for done in range(0, KILLS, FLOCK):
        number = min(FLOCK, KILLS - done)
        with undisturbed(dev, pd):
            ripe += start_and_kill(dev, rng, number)
        print(f"{done + number} killed, {ripe} of them at work, in "
              f"{time.monotonic() - begun:.0f} s")
    assert ripe >= KILLS / 2

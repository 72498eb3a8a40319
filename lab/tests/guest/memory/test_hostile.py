# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A hostile peer that sends random keys, addresses, lengths and operations against
many live keys. The function that predicts each result knows only the rules; all
memory is compared with a copy. Runs in a guest."""

import random
import struct

from pyverbs.pd import PD

from lib import rawqp as r
from lib.rawqp import CMP_SWAP, FETCH_ADD, WRITE
from lib.soak import soak
from lib.windows import PAGE, RIGHT_OF, next_key

SIZE = 3 * PAGE
BATCH = 100         # accesses, fewer than the number of fault records that are kept


class Grant:
    """The grant of a live key: the addresses from @first on stand for the bytes of
    @region from @start on. @refused: the reason if the key grants this peer no
    access, otherwise None."""

    def __init__(self, key, region, start, length, rights, first=None,
                 refused=None):
        self.key, self.region, self.start = key, region, start
        self.length, self.rights = length, rights
        self.first = region.iova + start if first is None else first
        self.refused = refused

    def judge(self, key, opcode, remote, length):
        """The reason to refuse an access, or None."""
        if key != self.key:
            return "key_byte"
        if self.refused:
            return self.refused
        if not RIGHT_OF[opcode] & self.rights:
            return "rights"
        if not 0 <= remote - self.first <= self.length - length:
            return "range"
        # a window may begin at any byte, so address and memory must both be aligned
        where = self.start + remote - self.first
        if opcode in (FETCH_ADD, CMP_SWAP) and (remote % 8 or where % 8):
            return "align"
        return None


class World:
    """Live keys, and a copy of all memory, whether a key grants it or not."""

    def __init__(self, things, rng):
        self.things, self.rng = things, rng
        self.pair, self.other = things.pair(), things.pair()
        self.foreign = PD(things.dev.ctx)
        self.local = things.region(length=SIZE)
        self.grants, self.dead = {}, []
        for _ in range(soak(40, 1000)):
            self._add_region()
        for key in self.dead:
            self.grants.pop(key >> 8, None)
        self.all = list(self.grants.values())
        self.useful = [grant for grant in self.all
                       if grant.rights & r.REMOTE and not grant.refused]
        self.regions = list(things._regions)
        self.copies = {region: bytearray(region.buf.view)
                       for region in self.regions}

    def _grant(self, *args, **kwargs):
        grant = Grant(*args, **kwargs)
        self.grants[grant.key >> 8] = grant

    def _add_region(self):
        things, rng = self.things, self.rng
        rights = r.LOCAL_WRITE | r.MW_BIND | rng.choice(
            [0, r.REMOTE_WRITE, r.REMOTE_READ, r.REMOTE, r.REMOTE])
        region = things.region(rights, length=SIZE)
        self._grant(region.rkey, region, 0, SIZE, rights)
        for _ in range(3):
            self._add_window(region)
        if rng.random() < 0.2:
            closed = things.region()
            self.dead.append(closed.rkey)
            things.close(closed)
        if rng.random() < 0.2:
            foreign = things.region(pd=self.foreign, length=SIZE)
            self._grant(foreign.rkey, foreign, 0, SIZE, r.REMOTE,
                        refused="pd")

    def _add_window(self, region):
        rng, kind = self.rng, self.rng.choice([1, 2, 2])
        window = self.things.window(kind)
        start = rng.randrange(SIZE)
        length = rng.randint(1, SIZE - start)
        rights = rng.randrange(8) << 1
        fate = rng.random()
        if fate < 0.1:
            self._grant(window.key, region, start, length, 0,
                        refused="key_free")
            return
        end = self.other if kind == 2 and fate < 0.2 else self.pair
        zero = r.ZERO_BASED if kind == 2 and fate > 0.8 else 0
        key = window.bind(end.far, region, start, length, rights=rights | zero,
                          new_key=next_key(window.key, rng.randint(1, 255)))
        self._grant(key, region, start, length, rights,
                    first=0 if zero else None,
                    refused=None if end is self.pair else "qp")

    # an access

    def choose(self):
        """A random access: key, operation, address and length."""
        rng = self.rng
        grant = rng.choice(self.useful if rng.random() < 0.85 else self.all)
        allowed = [op for op, right in RIGHT_OF.items() if right & grant.rights]
        if rng.random() < 0.1 or not allowed:
            allowed = list(RIGHT_OF)
        opcode = rng.choice(allowed)
        atomic = opcode in (FETCH_ADD, CMP_SWAP)
        length = 8 if atomic else rng.choice(
            [1, 7, 64, 1024, 1025, rng.randint(1, SIZE)])
        fate = rng.random()
        if fate < 0.85 and RIGHT_OF[opcode] & grant.rights:
            length = min(length, grant.length)
            length = 8 if atomic else length
            remote = grant.first + rng.randint(
                0, max(0, grant.length - length))
            remote = remote + 7 & ~7 if atomic else remote
        elif fate < 0.95:
            remote = grant.first + rng.choice([0, grant.length]) + \
                rng.randint(-length, 8)
        else:
            remote = rng.choice([rng.getrandbits(64), 2**64 - length + 1,
                                 2**64 - 1, 0])
        key = grant.key
        fate = rng.random()
        if fate < 0.05:
            key = next_key(key, rng.randint(1, 255))
        elif fate < 0.08:
            key = rng.getrandbits(32)
        elif fate < 0.1 and self.dead:
            key = rng.choice(self.dead)
        return key, opcode, remote % 2**64, length

    def judge(self, key, opcode, remote, length):
        """The grant of a key, and the reason to refuse the access, or None."""
        grant = self.grants.get(key >> 8)
        if not grant:
            return None, "key_invalid|key_index"
        return grant, grant.judge(key, opcode, remote, length)

    def carry_out(self, grant, opcode, remote, length):
        """Executes the access on the copies."""
        far, near = self.copies[grant.region], self.copies[self.local]
        at = PAGE + grant.start + remote - grant.first
        if opcode == WRITE:
            far[at:at + length] = near[PAGE:PAGE + length]
            return
        near[PAGE:PAGE + length] = far[at:at + length]
        if opcode == FETCH_ADD:
            value, = struct.unpack_from("<Q", far, at)
            struct.pack_into("<Q", far, at, (value + 1) % 2**64)

    def compare(self):
        """Checks that all memory equals the copies."""
        for region in self.regions:
            assert region.buf.view == self.copies[region]


def attack(world, number):
    """Makes one access and checks its status. Returns the key and the reason to refuse
    the access, or None."""
    key, opcode, remote, length = world.choose()
    grant, reason = world.judge(key, opcode, remote, length)
    what = f"{number}: key {key:#x} opcode {opcode} {remote:#x}+{length}"
    pair = world.pair
    pair.near.post(r.access(opcode, remote, key,
                            world.local.sge(length=length)))
    wc, = pair.near.poll()
    if not reason:
        assert wc.status == "SUCCESS", what
        world.carry_out(grant, opcode, remote, length)
        return None
    assert wc.status == ("REM_INV_REQ_ERR" if reason == "align"
                         else "REM_ACCESS_ERR"), (what, reason)
    pair.again()
    return what, key, reason


def check_records(faults, refused):
    """Checks that each refused access has a fault record with its reason, in order."""
    records = faults.wait(len(refused))
    assert len(records) == len(refused)
    for record, (what, key, reason) in zip(records, refused):
        assert record["reason"] in reason.split("|"), (what, reason, record)
        assert int(record["key"], 0) == key, (what, record)


def test_hostile_peer(things, faults):
    world = World(things, random.Random(1709))
    accesses, total = soak(2000, 100000), 0
    for start in range(0, accesses, BATCH):
        refused = list(filter(None, (attack(world, start + number)
                                     for number in range(BATCH))))
        check_records(faults, refused)
        world.compare()
        total += len(refused)
    # between 20 % and 80 % of the accesses were refused
    assert accesses / 5 < total < accesses * 4 / 5
    things.close()
    world.foreign.close()

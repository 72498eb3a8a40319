# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Regions, windows and connections for tests of protection. Things closes all objects
of a test, and the checks compare memory that must not change."""

import contextlib
import os

from labverbs.rc import Buffer
from lib import rawqp as r, uverbs
from lib.rawqp import CMP_SWAP, FETCH_ADD, READ, WRITE, Pair

PAGE = 4096


class Region:
    """A registered range, with a page that is not registered on both sides. All bytes
    are random."""

    def __init__(self, dev, pd, rights, length, iova):
        self.buf = Buffer((length + 2 * PAGE, False))
        self.buf.view[:] = os.urandom(self.buf.length)
        self.start, self.length = self.buf.address + PAGE, length
        self.iova = self.start if iova is None else iova
        self.rights = rights
        self._ctx = dev.ctx
        self.handle, self.lkey, self.rkey = uverbs.reg_mr(
            dev.ctx, pd, self.start, length, self.iova, rights)
        self.note()

    def note(self):
        """Saves the present bytes for unchanged()."""
        self.before = bytes(self.buf.view)

    def unchanged(self, start=0, data=b""):
        """Whether the bytes are those of note(), except for @data at offset @start."""
        at = PAGE + start
        want = self.before[:at] + data + self.before[at + len(data):]
        return bytes(self.buf.view) == want

    def at(self, start, length):
        """The bytes of a range of the region."""
        return bytes(self.buf.view[PAGE + start:PAGE + start + length])

    def sge(self, start=0, length=64):
        """A scatter-gather entry for a range of the region."""
        return (self.iova + start) % 2**64, length, self.lkey

    def close(self):
        uverbs.dereg_mr(self._ctx, self.handle)


def next_key(key, step=1):
    """The key with the same index and another key byte."""
    return key & ~0xff | (key + step) & 0xff


class Window:
    """A memory window; .key is the one it has after the last bind()."""

    def __init__(self, dev, pd, kind):
        self._ctx, self.kind = dev.ctx, kind
        self.handle, self.key = uverbs.alloc_mw(dev.ctx, pd, kind)

    def entry(self, region, start=0, length=None, rights=r.REMOTE, **change):
        """A BIND_MW entry; @change replaces fields of it."""
        fields = {"window": self.key, "new_key": next_key(self.key),
                  "mr_key": region.lkey, "addr": region.iova + start,
                  "length": region.length if length is None else length,
                  "rights": rights}
        return r.bind(**{**fields, **change})

    def bind(self, end, region, *args, **kwargs):
        """Binds the window by the queue pair @end, which must succeed. Returns the
        new key."""
        end.do(self.entry(region, *args, **kwargs))
        self.key = kwargs.get("new_key", next_key(self.key))
        return self.key

    def unbind_entry(self, **change):
        """An entry that unbinds a window of type 1."""
        fields = {"window": self.key, "new_key": next_key(self.key),
                  "mr_key": 0, "addr": 0, "length": 0, "rights": 0}
        return r.bind(**{**fields, **change})

    def close(self):
        uverbs.dealloc_mw(self._ctx, self.handle)


class Things:
    """The objects that a test has made, which can be closed in the right order."""

    def __init__(self, dev, pd):
        self.dev, self.pd = dev, pd
        self._windows, self._regions, self._pairs = [], [], []

    def region(self, rights=r.LOCAL_WRITE | r.REMOTE | r.MW_BIND, pd=None,
               length=4 * PAGE, iova=None):
        return self._add(self._regions, Region(self.dev, pd or self.pd, rights,
                                               length, iova))

    def window(self, kind=2, pd=None):
        return self._add(self._windows, Window(self.dev, pd or self.pd, kind))

    def pair(self, **options):
        return self._add(self._pairs, Pair(self.dev, self.pd, **options))

    @staticmethod
    def _add(kind, thing):
        kind.append(thing)
        return thing

    def close(self, *things):
        """Closes these things, or all if none is given."""
        for kind in (self._windows, self._regions, self._pairs):
            for thing in [t for t in kind if not things or t in things]:
                kind.remove(thing)
                thing.close()

    def give_up(self):
        """Closes all that is left after a test, which may have failed."""
        for kind in (self._windows, self._regions, self._pairs):
            for thing in kind:
                with contextlib.suppress(OSError):
                    thing.close()


# ---- accesses and their results ----------------------------------------------

RIGHT_OF = {WRITE: r.REMOTE_WRITE, READ: r.REMOTE_READ,
            FETCH_ADD: r.REMOTE_ATOMIC, CMP_SWAP: r.REMOTE_ATOMIC}
NAMES = {WRITE: "WRITE", READ: "READ", FETCH_ADD: "FETCH_ADD",
         CMP_SWAP: "CMP_SWAP"}


def length_of(opcode, length=64):
    return 8 if opcode in (FETCH_ADD, CMP_SWAP) else length


def access(opcode, window_key, remote, local, length=64):
    """An access of @length bytes by or to the start of @local."""
    return r.access(opcode, remote, window_key,
                    local.sge(length=length_of(opcode, length)))


def check_granted(pair, opcode, key, remote, local, far, at, length=64):
    """Checks that an access succeeds, and changes only its target, at offset @at of
    @far."""
    local.note()
    length = length_of(opcode, length)
    pair.near.do(access(opcode, key, remote, local, length))
    if opcode == WRITE:
        assert far.unchanged(at, local.before[PAGE:PAGE + length])
        assert local.unchanged()
    else:
        old = far.before[PAGE + at:PAGE + at + length]
        assert local.unchanged(0, old)
        if opcode == FETCH_ADD:
            new = int.from_bytes(old, "little") + 1
            assert far.unchanged(at, (new % 2**64).to_bytes(8, "little"))
        else:
            assert far.unchanged()
    far.note()


def check_refused(pair, faults, reason, opcode, key, remote, local, *regions,
                  length=64):
    """Checks that an access is refused with the right statuses and fault record, and
    changes no memory. Then connects the pair again."""
    length = length_of(opcode, length)
    for region in (local, *regions):
        region.note()
    pair.far.recv(local.sge(), wr_id=100)
    pair.near.post(access(opcode, key, remote, local, length),
                   r.send(local.sge()))
    assert [wc.status for wc in pair.near.poll(2)] == \
        ["REM_ACCESS_ERR", "WR_FLUSH_ERR"]
    assert [wc.status for wc in pair.far.poll()] == ["WR_FLUSH_ERR"]
    assert pair.states() == (r.ERR, r.ERR)
    check_record(faults, reason, key, NAMES[opcode], pair.far.qpn,
                 "remote-read" if opcode == READ else "remote-write",
                 remote % 2**64, length)
    for region in (local, *regions):
        assert region.unchanged()
    pair.again()


def check_record(faults, reason, key, opcode, qpn, direction, addr, length):
    record = faults.one()
    assert record["reason"] in reason.split("|")
    assert int(record["key"], 0) == key
    assert (record["opcode"], record["direction"]) == (opcode, direction)
    assert int(record["qpn"], 0) == qpn
    assert (int(record["addr"], 0), int(record["length"])) == (addr, length)

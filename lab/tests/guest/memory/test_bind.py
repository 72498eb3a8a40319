# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Bind requests of memory windows that break exactly one rule each. Such a bind
must complete with an error, in its turn, must leave a fault record with the reason,
and must change neither window nor memory. Runs in a guest."""

import pytest
from pyverbs.pd import PD

from labverbs.rc import LOCAL
from lib import rawqp as r
from lib.rawqp import READ, WRITE
from lib.windows import PAGE, check_granted, check_record, next_key

KINDS = [1, 2]


class Stage:
    """The objects that the binds of the cases name: @window is free, @bound is bound,
    @other belongs to another protection domain; region @ends goes to the last
    address, region @zero is zero-based."""

    def __init__(self, things, kind):
        self.things, self.kind = things, kind
        self.foreign = PD(things.dev.ctx)
        self.pair = things.pair()
        self.region = things.region()
        self.window, self.bound = things.window(kind), things.window(kind)
        self.bound.bind(self.pair.far, self.region, 0, 64)

    def other_window(self):
        return self.things.window(self.kind, self.foreign)

    def other_region(self):
        return self.things.region(pd=self.foreign)

    def closed_window(self):
        window = self.things.window(self.kind)
        self.things.close(window)
        return window

    def closed_region(self):
        region = self.things.region()
        self.things.close(region)
        return region

    def plain(self, rights):
        return self.things.region(rights)


def new(key):
    """The fields of a bind that name the window @key and its next key."""
    return {"window": key, "new_key": next_key(key)}


BOTH, ONE, TWO = (1, 2), (1,), (2,)
NO_BIND, NO_WRITE = r.LOCAL_WRITE | r.REMOTE, r.REMOTE_READ | r.MW_BIND
# name of the case -> types of windows, reason, key in the fault record, wrong fields
WRONG_BINDS = {
    "window beyond the table": (BOTH, "key_index|key_invalid", "window",
                                lambda s: new(0xffffff00)),
    "window that was deallocated": (BOTH, "key_invalid", "window",
                                    lambda s: new(s.closed_window().key)),
    "window with another key byte": (TWO, "key_byte", "window", lambda s: {
        "window": next_key(s.window.key, 7)}),
    "region as window": (BOTH, "type", "window",
                         lambda s: new(s.plain(NO_BIND).lkey)),
    "window of another domain": (BOTH, "pd", "window",
                                 lambda s: new(s.other_window().key)),
    "window that is bound": (TWO, "not_free", "window",
                             lambda s: new(s.bound.key)),
    "new key of another index": (BOTH, "key_index", "window", lambda s: {
        "new_key": s.bound.key}),
    "new key that is the old one": (ONE, "key_byte", "window", lambda s: {
        "new_key": s.window.key}),
    "no bytes": (TWO, "range", "window", lambda s: {"length": 0}),
    "no bytes and no region": (TWO, "range", "window", lambda s: {
        "length": 0, "mr_key": 0, "addr": 0, "rights": 0}),
    "unbind with an address": (ONE, "range", "window", lambda s: {
        "length": 0, "mr_key": 0, "rights": 0}),
    "unbind with a region": (ONE, "range", "window", lambda s: {
        "length": 0, "addr": 0, "rights": 0}),
    "unbind with rights": (ONE, "range", "window", lambda s: {
        "length": 0, "addr": 0, "mr_key": 0}),
    "local right": (BOTH, "rights", "window", lambda s: {
        "rights": r.REMOTE | r.LOCAL_WRITE}),
    "right to bind": (BOTH, "rights", "window", lambda s: {
        "rights": r.MW_BIND}),
    "right that does not exist": (BOTH, "rights", "window", lambda s: {
        "rights": 1 << 7}),
    "right beyond 16 bits": (BOTH, "rights", "window", lambda s: {
        "rights": 1 << 16 | r.REMOTE_READ}),
    "zero-based window of type 1": (ONE, "type", "window", lambda s: {
        "rights": r.REMOTE_READ | r.ZERO_BASED}),
    "region beyond the table": (BOTH, "key_index|key_invalid", "mr_key",
                                lambda s: {"mr_key": 0xffffff00}),
    "region that was deregistered": (BOTH, "key_invalid", "mr_key", lambda s: {
        "mr_key": s.closed_region().lkey}),
    "region with another key byte": (BOTH, "key_byte", "mr_key", lambda s: {
        "mr_key": s.region.lkey ^ 0x80}),
    "free window as region": (BOTH, "key_free", "mr_key", lambda s: {
        "mr_key": s.things.window(2).key}),
    "bound window as region": (BOTH, "type", "mr_key", lambda s: {
        "mr_key": s.bound.key, "length": 8}),
    "itself as region": (BOTH, "key_free", "mr_key", lambda s: {
        "mr_key": s.window.key}),
    "region of another domain": (BOTH, "pd", "mr_key", lambda s: {
        "mr_key": s.other_region().lkey}),
    "region that allows no windows": (BOTH, "rights", "mr_key", lambda s: {
        "mr_key": s.plain(NO_BIND).lkey}),
    "remote write without local write": (BOTH, "rights", "mr_key", lambda s: {
        "mr_key": s.plain(NO_WRITE).lkey, "rights": r.REMOTE_WRITE}),
    "remote atomic without local write": (BOTH, "rights", "mr_key", lambda s: {
        "mr_key": s.plain(NO_WRITE).lkey, "rights": r.REMOTE_ATOMIC}),
    "byte before the region": (BOTH, "range", "mr_key", lambda s: {
        "addr": s.region.iova - 1, "length": 1}),
    "from the byte before": (BOTH, "range", "mr_key", lambda s: {
        "addr": s.region.iova - 1}),
    "byte behind the region": (BOTH, "range", "mr_key", lambda s: {
        "addr": s.region.iova + s.region.length, "length": 1}),
    "one byte too long": (BOTH, "range", "mr_key", lambda s: {
        "length": s.region.length + 1}),
    "last byte and one more": (BOTH, "range", "mr_key", lambda s: {
        "addr": s.region.iova + s.region.length - 1, "length": 2}),
    "all there is": (BOTH, "range", "mr_key", lambda s: {
        "length": 2**64 - 1}),
    "end that wraps to the start": (BOTH, "range", "mr_key", lambda s: {
        "addr": s.region.iova + 8, "length": 2**64 - 4}),
    "end that wraps": (BOTH, "range", "mr_key", lambda s: {
        "addr": 2**64 - 32, "length": 64}),
}


def _cases():
    return [pytest.param(kind, what, id=f"type {kind}: {what}")
            for what, (kinds, *_) in WRONG_BINDS.items() for kind in kinds]


@pytest.mark.parametrize("kind,what", _cases())
def test_bind_is_refused(things, faults, kind, what):
    _, reason, names, change = WRONG_BINDS[what]
    stage = Stage(things, kind)
    pair, region, window = stage.pair, stage.region, stage.window
    fields = {"window": window.key, "mr_key": region.lkey, "addr": region.iova,
              "length": region.length, **change(stage)}
    region.note()
    # the request before the bind is executed, the request after it is not
    pair.far.post(r.access(WRITE, region.iova + 64, region.rkey,
                           region.sge(0, 64)),
                  window.entry(region, **fields),
                  r.access(WRITE, region.iova + 128, region.rkey,
                           region.sge(0, 64)))
    got = pair.far.poll(3)
    assert [wc.wr_id for wc in got] == [1, 2, 3]
    assert [wc.status for wc in got] == ["SUCCESS", "MW_BIND_ERR",
                                         "WR_FLUSH_ERR"]
    assert got[1].reason in reason.split("|")
    assert pair.states() == (r.RTS, r.ERR)
    check_record(faults, reason, fields[names], "BIND_MW", pair.far.qpn,
                 "local-read", fields["addr"] % 2**64, fields["length"])
    assert region.unchanged(64, region.at(0, 64))

    # neither window has changed
    pair.again()
    region.note()
    check_granted(pair, WRITE, stage.bound.key, region.iova, region, region, 0)
    window.bind(pair.far, region, 0, 8)
    check_granted(pair, READ, window.key, region.iova, stage.plain(LOCAL),
                  region, 0, 8)
    things.close()
    stage.foreign.close()


def test_zero_based_window_of_a_zero_based_region(things, faults):
    far = things.region(r.LOCAL_WRITE | r.MW_BIND | r.ZERO_BASED, iova=0)
    pair, window = things.pair(), things.window(2)
    pair.far.post(window.entry(far, rights=r.REMOTE | r.ZERO_BASED))
    assert pair.far.poll()[0].status == "MW_BIND_ERR"
    check_record(faults, "type", far.lkey, "BIND_MW", pair.far.qpn,
                 "local-read", 0, far.length)
    things.close()


@pytest.mark.parametrize("kind", KINDS)
def test_region_at_the_end_of_the_address_space(things, faults, kind):
    far = things.region(iova=2**64 - 4 * PAGE)
    pair, window = things.pair(), things.window(kind)
    for addr, length in ((2**64 - 8, 16), (2**64 - 1, 2), (0, 8),
                         (far.iova, far.length + 1)):
        pair.far.post(window.entry(far, addr=addr, length=length))
        assert pair.far.poll()[0].status == "MW_BIND_ERR"
        check_record(faults, "range", far.lkey, "BIND_MW", pair.far.qpn,
                     "local-read", addr, length)
        pair.again()
    window.bind(pair.far, far, far.length - 8, 8)
    things.close()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rights", [r.REMOTE_READ, 0])
def test_region_without_local_write_can_be_read(things, kind, rights):
    """Only windows by which the peer can change memory need local write."""
    far = things.region(r.MW_BIND)
    pair, window = things.pair(), things.window(kind)
    window.bind(pair.far, far, rights=rights)
    things.close()


@pytest.mark.parametrize("entry", ["reserved", "inline", "reg_mr", "sges"])
def test_entry_that_is_malformed(things, entry):
    far = things.region()
    pair, window = things.pair(), things.window(2)
    head, tail = window.entry(far, reserved=int(entry == "reserved"))
    head = bytearray(head)
    if entry == "inline":
        head[1] |= r.INLINE
    elif entry == "sges":
        head[2] = 1
    elif entry == "reg_mr":
        head[0] = r.REG_MR
    pair.far.post((bytes(head), tail))
    assert pair.far.poll()[0].status in ("LOC_QP_OP_ERR", "MW_BIND_ERR")
    pair.again()
    # the window was not bound, so it can be bound now
    window.bind(pair.far, far)
    things.close()

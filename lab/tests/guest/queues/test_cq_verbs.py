# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Completion queues: resizing, moderation, overflow, and what the resource tracker
shows of them. The tests lay out the rings by hand, so that each request can be
valid or invalid. Runs in a guest."""

import os
import select
import struct
import time

import pytest
from pyverbs.mr import MR

from labverbs.rc import ALL, Buffer, Device
from lib import uioctl, uverbs
from lib.rawqp import READ, WRITE, RawEnd, access, put32
from lib.rdma_tool import rdma

NEXT = 1
CQ_ERR = 0                  # enum ibv_event_type


def ring_buffer(log_depth):
    """A buffer for a ring and its record."""
    return Buffer((max(64 << log_depth, 4096) + 4096, False))


class End(RawEnd):
    """An end whose completion queue has a size of its own, and a channel."""

    LOG_CQ = 6
    channel = -1

    def _make_cq(self, log_depth):
        self._log_cq = log_depth = self.LOG_CQ
        self._cq_ring = ring_buffer(log_depth)
        self._cq_rec = 64 << log_depth
        self.cq, _, out = uverbs.create_cq(
            self.dev.ctx, 1 << log_depth,
            struct.pack("<QII", self._cq_ring.address, log_depth, 0),
            channel=self.channel)
        self.cqn, self._ci, self._arm = struct.unpack("<I4x", out)[0], 0, 0

    def arm(self):
        if uioctl.shadow_doorbells(self.dev.ctx):
            self._arm += 4
            put32(self._cq_ring.view, self._cq_rec + 4, self._arm | NEXT)
        else:
            self._cq_db.value = self._ci << 32 | NEXT << 24 | self.cqn

    def new_ring(self, log_depth):
        """A ring for a resize, with the contents that xrdma-abi.h prescribes."""
        ring, depth = ring_buffer(log_depth), 1 << log_depth
        for index in range(self._ci, self._ci + depth):
            lap = index >> log_depth & 1
            ring.view[index % depth * 64 + 60] = lap
        struct.pack_into("<II", ring.view, depth * 64, self._ci, self._arm)
        return ring

    def resize(self, log_depth):
        """Resizes to another ring. Returns the completions left in the old one."""
        ring = self.new_ring(log_depth)
        cqe, index = uverbs.resize_cq(
            self.dev.ctx, self.cq, 1 << log_depth,
            struct.pack("<QII", ring.address, log_depth, 0))
        assert cqe == 1 << log_depth
        first, left = self._ci, self.completions()
        assert self._ci == index
        # the owner bits of the new ring, as if the old completions were in it
        for old in range(first, index):
            ring.view[old % cqe * 64 + 60] = not old >> log_depth & 1
        self._cq_ring, self._cq_rec = ring, 64 << log_depth
        self._log_cq = log_depth
        put32(ring.view, self._cq_rec, self._ci)
        return left


class SmallEnd(End):
    LOG_CQ = 4


def connected(dev, pd, kind=End, **more):
    near, far = kind(dev, pd, **more), RawEnd(dev, pd)
    near.connect(far)
    far.connect(near)
    return near, far


def writes(mr, buf, count):
    return [access(WRITE, buf.address, mr.rkey, (buf.address, 8, mr.lkey))
            for _ in range(count)]


@pytest.fixture
def region(pd):
    buf = Buffer((4096, False))
    mr = MR(pd, 4096, ALL, address=buf.address)
    yield buf, mr
    mr.close()


def settle(end, dev, count):
    """Waits until @count completions are in the ring."""
    until = time.monotonic() + 20
    while indexes(dev, end)[0] - end._ci < count:
        assert time.monotonic() < until
        time.sleep(0.01)


def indexes(dev, end):
    """(pi, ci) of a queue in the output of `rdma resource`."""
    row, = [row for row in rdma("resource", "show", "cq", "dev", dev.name,
                                "-dd") if row["drv_cqn"] == end.cqn]
    return row["drv_pi"], row["drv_ci"]


# ---- resizing --------------------------------------------------------------------

@pytest.mark.parametrize("before,unread,log_depth", [
    (0, 0, 7), (0, 20, 7), (0, 20, 5), (50, 20, 8), (70, 30, 5), (200, 16, 4),
    (130, 10, 6)])
def test_nothing_is_lost_when_it_moves(dev, pd, region, before, unread,
                                       log_depth):
    buf, mr = region
    near, far = connected(dev, pd)
    done = 0
    while done < before:
        some = min(20, before - done)
        near.do(*writes(mr, buf, some))
        done += some
    near.post(*writes(mr, buf, unread), first=1)
    settle(near, dev, unread)
    got = near.resize(log_depth)
    # more than a lap of the new ring
    for at in range(0, 3 << log_depth, 10):
        near.post(*writes(mr, buf, 10), first=unread + 1 + at)
        got += near.poll(unread + 10 - len(got) if not at else 10)
    assert {wc.status for wc in got} == {"SUCCESS"}
    assert [wc.wr_id for wc in got] == list(range(1, len(got) + 1))
    near.close()
    far.close()


def test_it_moves_while_it_works(dev, pd, region):
    buf, mr = region
    near, far = connected(dev, pd)
    got, posted = [], 0
    for log_depth in (7, 5, 8, 6, 5, 9) * 3:
        near.post(*writes(mr, buf, 20), first=posted + 1)
        posted += 20
        got += near.resize(log_depth)
        got += near.poll(posted - len(got)) if posted > len(got) else []
    assert [wc.wr_id for wc in got] == list(range(1, posted + 1))
    near.close()
    far.close()


def test_ring_too_small_for_what_is_in_it(dev, pd, region):
    buf, mr = region
    near, far = connected(dev, pd)
    near.post(*writes(mr, buf, 20))
    settle(near, dev, 20)
    with pytest.raises(OSError) as err:
        near.resize(4)
    assert err.value.errno == 22
    assert len(near.poll(20)) == 20
    near.do(*writes(mr, buf, 30))
    near.close()
    far.close()


@pytest.mark.parametrize("entries,log_depth,reserved,skip,errno", [
    (64, 6, 1, 0, 22), (64, 6, 0, 64, 22), (65, 6, 0, 0, 22), (16, 3, 0, 0, 22),
    (64, 23, 0, 0, 22), (64, 6, 0, 1 << 46, 14), (1 << 31, 6, 0, 0, 22)])
def test_bad_request_changes_nothing(dev, pd, region, entries, log_depth,
                                     reserved, skip, errno):
    buf, mr = region
    near, far = connected(dev, pd)
    ring = near.new_ring(6)
    with pytest.raises(OSError) as err:
        uverbs.resize_cq(dev.ctx, near.cq, entries, struct.pack(
            "<QII", (ring.address + skip) % 2**64, log_depth, reserved))
    assert err.value.errno == errno
    near.do(*writes(mr, buf, 30))
    near.close()
    far.close()


# ---- events ------------------------------------------------------------------------

@pytest.fixture
def channel(dev):
    fd = uverbs.create_comp_channel(dev.ctx)
    yield fd
    os.close(fd)


def fires(fd, seconds):
    """Reads an event. Returns False if none comes within @seconds."""
    if not select.select([fd], [], [], seconds)[0]:
        return False
    os.read(fd, 8)
    return True


def with_channel(dev, pd, fd):
    kind = type("ChannelEnd", (End,), {"channel": fd})
    return connected(dev, pd, kind)


def test_moderated_event_waits_for_its_count(dev, pd, region, channel):
    buf, mr = region
    near, far = with_channel(dev, pd, channel)
    uverbs.modify_cq(dev.ctx, near.cq, 4, 0)
    for _ in range(2):
        near.arm()
        near.do(*writes(mr, buf, 3))
        assert not fires(channel, 0.3)
        near.do(*writes(mr, buf, 1))
        assert fires(channel, 10)
    uverbs.modify_cq(dev.ctx, near.cq, 0, 0)
    near.arm()
    near.do(*writes(mr, buf, 1))
    assert fires(channel, 10)
    near.close()
    far.close()


def test_moderated_event_comes_after_its_period(dev, pd, region, channel):
    buf, mr = region
    near, far = with_channel(dev, pd, channel)
    uverbs.modify_cq(dev.ctx, near.cq, 1000, 60000)
    near.arm()
    start = time.monotonic()
    near.do(*writes(mr, buf, 1))
    assert fires(channel, 10)
    assert time.monotonic() - start > 0.055
    near.close()
    far.close()


def test_error_is_not_moderated(dev, pd, region, channel):
    buf, mr = region
    near, far = with_channel(dev, pd, channel)
    uverbs.modify_cq(dev.ctx, near.cq, 1000, 0)
    near.arm()
    near.post(access(READ, buf.address, mr.rkey ^ 1,
                     (buf.address, 8, mr.lkey)))
    assert fires(channel, 10)
    assert near.poll(1)[0].status == "REM_ACCESS_ERR"
    near.close()
    far.close()


def _target(fd):
    try:
        return os.readlink(f"/proc/self/fd/{fd}")
    except FileNotFoundError:
        return ""


def _event_files():
    return {int(fd) for fd in os.listdir("/proc/self/fd")
            if "infinibandevent" in _target(fd)}


def test_overflow_is_an_event(dev, region):
    from pyverbs.pd import PD
    known = _event_files()
    own = Device()
    events, = _event_files() - known
    pd, buf = PD(own.ctx), Buffer((4096, False))
    mr = MR(pd, 4096, ALL, address=buf.address)
    near, far = connected(own, pd, SmallEnd)
    near.post(*writes(mr, buf, 16))
    settle(near, own, 16)
    assert not select.select([events], [], [], 0.2)[0]
    near.post(*writes(mr, buf, 8), first=17)
    found = set()
    while select.select([events], [], [], 10 if not found else 0.5)[0]:
        found.add(struct.unpack("<QII", os.read(events, 16))[1])
    assert CQ_ERR in found
    # the earlier completions are still in the ring, and the queue pair is in ERR
    assert [wc.wr_id for wc in near.completions()] == list(range(1, 17))
    assert near.state() == 6
    near.close()
    far.close()
    mr.close()
    pd.close()
    own.ctx.close()


# ---- the indexes in `rdma resource` ---------------------------------------------------

def test_indexes_are_shown(dev, pd, region):
    buf, mr = region
    near, far = connected(dev, pd)
    assert indexes(dev, near) == (0, 0)
    near.do(*writes(mr, buf, 30))
    assert indexes(dev, near) == (30, 30)
    near.post(*writes(mr, buf, 25))
    settle(near, dev, 25)
    assert indexes(dev, near) == (55, 30)
    near.completions()
    near.recv((buf.address, 8, mr.lkey))
    row, = [row for row in rdma("resource", "show", "qp", "link", f"{dev.name}/1",
                                "-dd")
            if row["lqpn"] == near.qpn]
    assert (row["drv_sq_pi"], row["drv_sq_ci"]) == (55, 55)
    assert (row["drv_rq_pi"], row["drv_rq_ci"]) == (1, 0)
    near.close()
    far.close()

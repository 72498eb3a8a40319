# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The verbs of paged regions: capabilities, advise_mr, windows, re-registration, and
the end of regions and processes while the device waits for pages. Accesses are in
test_paged.py. Runs in a guest."""

import errno
import os
import subprocess
import sys
import threading
import time

import pytest
import pyverbs.enums as e
from pyverbs.pd import PD

from labverbs.rc import ALL, HUGE, LOCAL
from lib import paged, rawqp as r, uverbs
from lib.control import ask, device_state, late_fault, repair, stats
from lib.errnos import fails
from lib.machine import settled
from lib.paged import (OK, ON_DEMAND, PAGE, PAGED, READ, REMOTE_REFUSED, WRITE,
                       Link, Memory, Region, advise)
from lib.paths import TESTS
from lib.rdma_tool import resources
from lib.soak import soak
from lib.windows import check_granted, check_refused

PREFETCH, PREFETCH_WRITE, NO_FAULT = 0, 1, 2
FLUSH = 1
TRANS, DOMAIN, ACCESS = 1, 2, 4
READS = LOCAL | e.IBV_ACCESS_REMOTE_READ | ON_DEMAND
SIZE = 1 << 20


@pytest.fixture
def other(dev):
    pd = PD(dev.ctx)
    yield pd
    pd.close()


def test_capabilities(dev):
    """What the device supports is reported by transport. Receives of unreliable
    transports are not reported, because they drop packets."""
    caps = dev.ctx.query_device_ex().odp_caps
    sends = e.IBV_ODP_SUPPORT_SEND | e.IBV_ODP_SUPPORT_WRITE
    everything = (sends | e.IBV_ODP_SUPPORT_RECV | e.IBV_ODP_SUPPORT_READ |
                  e.IBV_ODP_SUPPORT_ATOMIC | e.IBV_ODP_SUPPORT_SRQ_RECV)
    assert caps.general_caps == \
        e.IBV_ODP_SUPPORT | e.IBV_ODP_SUPPORT_IMPLICIT
    assert caps.rc_odp_caps == caps.xrc_odp_caps == everything
    assert caps.uc_odp_caps & everything in (0, e.IBV_ODP_SUPPORT_SEND, sends)
    assert caps.ud_odp_caps == e.IBV_ODP_SUPPORT_SEND


def test_secret_memory(dev, pd, make, link):
    """The kernel lets nobody pin secret memory, and no page of it is accessible on demand.
    The memory before it is, also if the access is a part of a sequence that maps more."""
    mem, near = paged.secret(SIZE), Memory(SIZE)
    before = Memory(SIZE)
    before.move(mem.address - SIZE)
    own = make(near, access=ALL)
    fails(errno.EFAULT, uverbs.reg_mr, dev.ctx, pd, mem.address, SIZE, mem.address, ALL)
    secret = mem.get()
    for region in make(mem), make():
        for flags in PREFETCH, PREFETCH_WRITE, NO_FAULT:
            assert advise(pd, flags, FLUSH, region.sge(mem.address, SIZE)) == errno.EFAULT
        for at in mem.address, mem.address + SIZE - PAGE:
            assert link.move(READ, (region, at), (own, near.address),
                             PAGE) == REMOTE_REFUSED
            assert link.move(WRITE, (own, near.address), (region, at),
                             PAGE) == REMOTE_REFUSED
    assert mem.get() == secret
    for at in range(0, SIZE, 16 * PAGE):
        assert link.move(READ, (region, before.address + at), (own, near.address + at),
                         16 * PAGE) == OK
    assert near.get() == before.get()
    mem.unmap()
    before.unmap()


# ---- advise_mr ---------------------------------------------------------------------

@pytest.mark.parametrize("flags", [0, FLUSH], ids=["later", "flush"])
@pytest.mark.parametrize("implicit", [False, True],
                         ids=["explicit", "implicit"])
def test_prefetched_memory_has_no_page_fault(dev, pd, make, link, flags, implicit):
    for advice, kind in ((PREFETCH_WRITE, WRITE), (PREFETCH, READ),
                         (PREFETCH_WRITE, READ)):
        mem, near = Memory(SIZE), Memory(SIZE)
        region = make(None if implicit else mem)
        own = make(near, access=ALL)
        assert advise(pd, advice, flags,
                      region.sge(mem.address + 100, SIZE // 2),
                      region.sge(mem.address + SIZE // 2, SIZE // 2)) == 0
        before = paged.port(dev, "page_faults")
        ends = [(own, near.address), (region, mem.address + 100)]
        assert link.move(kind, *(ends if kind == WRITE else ends[::-1]),
                         SIZE - 100) == OK
        assert near.get(0, SIZE - 100) == mem.get(100)
        assert paged.port(dev, "page_faults") == before
        row = region.statistic()
        assert row["page_faults"] == 0
        assert row["page_prefetch"] >= SIZE // PAGE
        mem.unmap()


def test_prefetch_for_reads_does_not_break_copy_on_write(pd, make, link):
    """The first write after a prefetch for reads still has a page fault."""
    mem, near = Memory(SIZE, populate=False), Memory(SIZE)
    region, own = make(mem), make(near, access=ALL)
    assert advise(pd, PREFETCH, FLUSH, region.sge(mem.address, SIZE)) == 0
    # the pages are the kernel's page of zeros
    assert mem.resident()[0] == 0
    assert link.move(WRITE, (own, near.address), (region, mem.address), SIZE) == OK
    assert mem.get() == near.get()
    assert region.statistic()["page_faults"] > 0


def test_prefetch_without_faults_maps_what_is_present(pd, make, link):
    mem, near = Memory(SIZE, populate=False), Memory(SIZE)
    region, own = make(mem), make(near, access=ALL)
    mem.put(0, os.urandom(SIZE // 2))
    assert advise(pd, NO_FAULT, FLUSH, region.sge(mem.address, SIZE)) == 0
    assert mem.resident()[0] == SIZE // 2, "pages have been made"
    row = region.statistic()
    assert row["pages_mapped"] == SIZE // 2 // PAGE and row["page_faults"] == 0
    target = (region, mem.address)
    assert link.move(WRITE, (own, near.address), target, SIZE // 2) == OK
    assert region.statistic()["page_faults"] == 0
    assert link.move(WRITE, (own, near.address), target, SIZE) == OK
    assert region.statistic()["page_faults"] > 0
    assert mem.get() == near.get()


@pytest.mark.parametrize("flags", [0, FLUSH], ids=["later", "flush"])
def test_advice_that_is_refused(pd, make, other, flags):
    mem = Memory(SIZE)
    region, pinned = make(mem), make(mem, access=ALL)
    reads = make(mem, access=e.IBV_ACCESS_REMOTE_READ | ON_DEMAND)
    foreign = make(mem, pd=other)
    good = region.sge(mem.address, PAGE)
    for advice in (PREFETCH, PREFETCH_WRITE, NO_FAULT):
        for code, (address, length, key) in {
                errno.ENOENT: (mem.address, PAGE, region.lkey ^ 1),
                -errno.ENOENT: (mem.address, PAGE, pinned.lkey),
                errno.EPERM: foreign.sge(mem.address, PAGE),
                errno.EFAULT: region.sge(mem.address, SIZE + 1),
                -errno.EFAULT: region.sge(mem.address - 1, 1)}.items():
            bad = address, length, key
            assert advise(pd, advice, flags, bad) == abs(code)
            assert advise(pd, advice, flags, good, bad) == abs(code)
        assert advise(pd, advice, flags, good) == 0
    assert advise(pd, PREFETCH_WRITE, flags, reads.sge(mem.address, 1)) == \
        errno.EPERM
    assert advise(pd, PREFETCH, 2, good) in (errno.EINVAL, errno.EOPNOTSUPP)
    assert advise(pd, 9, flags, good) in (errno.EINVAL, errno.EOPNOTSUPP)
    foreign.close()


def test_advice_for_unmapped_memory(pd, make):
    """With FLUSH the caller learns of it. Without, the advice is a hint."""
    mem = Memory(SIZE)
    region = make(mem)
    mem.unmap(SIZE // 2)
    whole = region.sge(mem.address, SIZE)
    for advice in (PREFETCH, PREFETCH_WRITE):
        assert advise(pd, advice, 0, whole) == 0
        assert advise(pd, advice, FLUSH, whole) == errno.EFAULT
    assert advise(pd, PREFETCH, FLUSH, region.sge(mem.address, SIZE // 2)) == 0


# ---- windows -----------------------------------------------------------------------

@pytest.mark.parametrize("kind", [1, 2])
def test_windows_over_paged_memory(things, faults, kind):
    """The device finds missing pages through the window. What the window does not grant
    is refused as for pinned memory."""
    rights = r.LOCAL_WRITE | r.REMOTE | r.MW_BIND | ON_DEMAND
    local, region = things.region(), things.region(rights)
    pair, window = things.pair(timeout=18), things.window(kind)
    window.bind(pair.far, region, 5000, 6000)
    for at in (5000, 8184, 10936):
        for opcode in (r.WRITE, r.READ):
            check_granted(pair, opcode, window.key, region.iova + at, local,
                          region, at)
    for opcode in (r.FETCH_ADD, r.CMP_SWAP):
        check_granted(pair, opcode, window.key, region.iova + 8192, local,
                      region, 8192)
    check_refused(pair, faults, "range", r.WRITE, window.key,
                  region.iova + 4999, local, region)


# ---- re-registration -----------------------------------------------------------------

def test_rights_come_and_go(make, link, faults):
    mem, near = Memory(SIZE), Memory(SIZE)
    region, own = make(mem), make(near, access=ALL)
    write = (WRITE, (own, near.address), (region, mem.address), SIZE)
    read = (READ, (region, mem.address), (own, near.address), SIZE)
    assert link.move(*write) == OK
    for rights in (READS, e.IBV_ACCESS_REMOTE_READ | ON_DEMAND):
        region.rereg(ACCESS, access=rights)
        before = mem.get()
        near.fill()
        assert link.move(*write) == REMOTE_REFUSED
        assert faults.one()["reason"] == "rights"
        assert mem.get() == before
        assert link.move(*read) == OK
        region.rereg(ACCESS, access=PAGED)
        near.fill()
        assert link.move(*write) == OK
        assert mem.get() == near.get()


def test_pages_of_a_region_that_gets_the_right_to_write(make, link):
    """The device has mapped pages of zeros, which must not be written."""
    mem, third, near = Memory(SIZE, populate=False), \
        Memory(PAGE, populate=False), Memory(SIZE)
    region = make(mem, access=e.IBV_ACCESS_REMOTE_READ | ON_DEMAND)
    own = make(near, access=ALL)
    assert link.move(READ, (region, mem.address), (own, near.address), SIZE) == OK
    region.rereg(ACCESS, access=PAGED)
    near.fill()
    assert link.move(WRITE, (own, near.address), (region, mem.address), SIZE) == OK
    assert mem.get() == near.get()
    assert not any(third.get())


def test_another_protection_domain(dev, pd, make, link, other, faults):
    mem, near = Memory(SIZE), Memory(SIZE)
    region, own = make(mem), make(near, access=ALL)
    theirs, foreign = Link(dev, other), make(near, access=ALL, pd=other)
    target = (region, mem.address)
    assert link.move(WRITE, (own, near.address), target, PAGE) == OK
    region.rereg(DOMAIN, pd=other)
    assert link.move(WRITE, (own, near.address), target, PAGE) == REMOTE_REFUSED
    assert faults.one()["reason"] == "pd"
    assert theirs.move(WRITE, (foreign, near.address), target, SIZE) == OK
    assert mem.get() == near.get()
    theirs.close()
    for one in (region, foreign):
        one.close()


def test_memory_of_a_region_cannot_change(dev, pd, make, link):
    """Neither to other memory, nor from paged to pinned, nor back."""
    mem, new, near = Memory(SIZE), Memory(SIZE), Memory(SIZE)
    region, pinned = make(mem), make(mem, access=ALL)
    own = make(near, access=ALL)
    for one, flags, access in ((region, TRANS, 0), (region, TRANS | ACCESS, PAGED),
                               (region, ACCESS, ALL), (pinned, ACCESS, PAGED),
                               (pinned, TRANS | ACCESS, PAGED)):
        keys = one.lkey, one.rkey
        fails(errno.EOPNOTSUPP, uverbs.rereg_mr, dev.ctx, one.handle, flags, pd,
              new.address, SIZE, new.address, access)
        assert (one.lkey, one.rkey) == keys
        near.fill()
        assert link.move(WRITE, (own, near.address), (one, mem.address),
                         SIZE) == OK
        assert mem.get() == near.get()


# ---- ends of regions and processes -----------------------------------------------------

@pytest.fixture
def switches():
    """Ends the device's faults that a test has asked for."""
    yield
    repair()


def test_deregistered_while_an_access_waits(dev, pd, make, link, switches, faults):
    """The access is refused because of its key."""
    near = Memory(PAGE)
    own = make(near, access=ALL)
    for _ in range(5):
        mem = Memory(HUGE)
        region = Region(dev, pd, mem)
        ask(**late_fault(1, 900))
        link.start(WRITE, (own, near.address), (region, mem.address), 64)
        assert settled(lambda: stats()["paging"]["page_faults"] == 1)
        began = time.monotonic()
        region.close()
        assert link.a.poll()[0].status == REMOTE_REFUSED
        assert time.monotonic() - began < 0.9
        assert faults.one()["reason"] in ("key_free", "key_invalid", "key_byte")
        link.close()
        link.connect()
        mem.unmap()


def test_deregistered_while_page_faults_are_handled(dev, pd, make, link):
    """The message is whole or refused, and nothing waits for ever."""
    near = Memory(2 * HUGE)
    own = make(near, access=ALL)
    live = device_state()["dma"]
    for turn in range(soak(15, 300)):
        mem = Memory(2 * HUGE, populate=False)
        region = Region(dev, pd, mem)
        timer = threading.Timer(0.002 * (turn % 15), region.close)
        timer.start()
        status = link.move(WRITE, (own, near.address), (region, mem.address),
                           2 * HUGE)
        timer.join()
        assert status in (OK, REMOTE_REFUSED)
        if status == OK:
            assert mem.get() == near.get()
        mem.unmap()
    assert stats()["paging"]["page_faults"] == stats()["paging"]["queued"] == 0
    assert device_state()["dma"] <= live


def test_killed_while_page_faults_are_handled(dev):
    """Whatever a killed process had is freed, and soon."""
    before, held = resources(dev), device_state()
    for turn in range(soak(2, 50)):
        child = subprocess.Popen(
            [sys.executable, "-B", str(TESTS / "programs/paged_traffic.py")],
            stdout=subprocess.PIPE)
        assert child.stdout.readline() == b"running\n"
        time.sleep(0.013 * turn)
        child.kill()
        began = time.monotonic()
        child.wait(30)
        assert time.monotonic() - began < 10
    assert settled(lambda: resources(dev) == before)
    assert settled(lambda: device_state() == held)
    assert stats()["paging"]["page_faults"] == 0


def test_counters_of_a_region(pd, make, link):
    mem, near = Memory(SIZE), Memory(SIZE)
    region, own = make(mem), make(near, access=ALL)

    def row():
        found = region.statistic()
        return tuple(found[name] for name in (
            "page_faults", "pages_mapped", "page_invalidations",
            "page_prefetch"))
    assert row() == (0, 0, 0, 0)
    assert link.move(WRITE, (own, near.address), (region, mem.address), 64) == OK
    assert row() == (1, 1, 0, 0)
    mem.advise(paged.DONTNEED, 0, PAGE)
    assert row() == (1, 1, 1, 0)
    mem.advise(paged.DONTNEED, PAGE, PAGE)
    assert row() == (1, 1, 1, 0)
    assert advise(pd, PREFETCH_WRITE, FLUSH,
                  region.sge(mem.address, 8 * PAGE)) == 0
    assert row() == (1, 9, 1, 8)
    assert region.details()["drv_kind"] == "odp"
    assert own.details()["drv_kind"] == "user"

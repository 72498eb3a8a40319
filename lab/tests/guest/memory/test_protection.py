# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Protection of regions: an access that is not granted must fail with the status
that IBTA demands, must appear in a fault record, and must change no memory. Runs in
a guest."""

import pytest
import pyverbs.enums as e
from pyverbs.mr import MR
from pyverbs.pd import PD

from labverbs.rc import ALL, LOCAL, Buffer, pair
from lib.protection import (ADD, READ, REFUSED, SIZE, WRITE, Region, attempt,
                            reason)


@pytest.mark.parametrize("opcode", [WRITE, READ, ADD])
def test_every_wrong_key_byte(dev, pd, faults, opcode):
    region = Region(pd)
    length = 8 if opcode == ADD else 64
    for byte in range(1, 256, 1 if opcode == WRITE else 51):
        status = attempt(dev, pd, opcode, region.address,
                         region.mr.rkey ^ byte, length)
        assert status == REFUSED
        record = faults.one()
        assert record["reason"] == "key_byte"
        assert int(record["key"], 0) == region.mr.rkey ^ byte
        assert record["direction"].startswith("remote-")
        assert int(record["addr"], 0) == region.address
        assert int(record["length"]) == length
    assert region.unchanged()


@pytest.mark.parametrize("opcode", [WRITE, READ, ADD])
def test_foreign_protection_domain(dev, pd, faults, opcode):
    region = Region(PD(dev.ctx))
    length = 8 if opcode == ADD else 64
    assert attempt(dev, pd, opcode, region.address, region.mr.rkey,
                   length) == REFUSED
    assert reason(faults) == "pd"
    assert region.unchanged()


@pytest.mark.parametrize("opcode", [WRITE, READ])
@pytest.mark.parametrize("start,length", [
    (-1, 1), (-1, SIZE), (SIZE, 1), (SIZE - 1, 2), (SIZE - 63, 64),
    (2**63, 64), (-4096, 64),
])
def test_outside_of_the_range(dev, pd, faults, opcode, start, length):
    region = Region(pd)
    remote = (region.address + start) % 2**64
    assert attempt(dev, pd, opcode, remote, region.mr.rkey, length) == REFUSED
    assert reason(faults) == "range"
    assert region.unchanged()


def test_range_that_wraps(dev, pd, faults):
    region = Region(pd)
    assert attempt(dev, pd, WRITE, 2**64 - 32, region.mr.rkey, 64) == REFUSED
    assert reason(faults) == "range"
    assert region.unchanged()


@pytest.mark.parametrize("start,length", [(0, 1), (SIZE - 1, 1), (0, SIZE)])
def test_edges_of_the_range_are_granted(dev, pd, start, length):
    region = Region(pd)
    assert attempt(dev, pd, WRITE, region.address + start, region.mr.rkey,
                   length) == e.IBV_WC_SUCCESS


@pytest.mark.parametrize("opcode,right", [
    (WRITE, e.IBV_ACCESS_REMOTE_WRITE), (READ, e.IBV_ACCESS_REMOTE_READ),
    (ADD, e.IBV_ACCESS_REMOTE_ATOMIC)])
def test_each_operation_needs_its_right_of_region_and_queue_pair(
        dev, pd, faults, opcode, right):
    length = 8 if opcode == ADD else 64
    lacking, only = Region(pd, ALL & ~right), Region(pd, LOCAL | right)
    assert attempt(dev, pd, opcode, lacking.address, lacking.mr.rkey,
                   length) == REFUSED
    assert reason(faults) == "rights"
    assert attempt(dev, pd, opcode, only.address, only.mr.rkey, length,
                   end_access=ALL & ~right) != e.IBV_WC_SUCCESS
    assert reason(faults) == "qp_rights"
    assert lacking.unchanged() and only.unchanged()
    assert attempt(dev, pd, opcode, only.address, only.mr.rkey,
                   length) == e.IBV_WC_SUCCESS


def test_local_write_needs_its_right(dev, pd, faults):
    a, b = pair(dev, pd)
    region, near = Region(pd), Region(pd, 0)
    a.post(READ, [(near.address, 64, near.mr.lkey)], region.address,
           region.mr.rkey)
    assert a.poll()[0].status == e.IBV_WC_LOC_PROT_ERR
    assert reason(faults) == "rights"
    assert near.unchanged()


def test_receive_buffer_without_local_write(dev, pd, faults):
    a, b = pair(dev, pd)
    source, sink = Region(pd), Region(pd, 0)
    b.recv([(sink.address, 64, sink.mr.lkey)])
    a.post(e.IBV_WR_SEND, [(source.address, 64, source.mr.lkey)])
    assert a.poll()[0].status == e.IBV_WC_REM_OP_ERR
    assert b.poll()[0].status == e.IBV_WC_LOC_PROT_ERR
    assert reason(faults) == "rights"
    assert sink.unchanged()


def test_access_after_deregistration(dev, pd, faults):
    region = Region(pd)
    rkey = region.mr.rkey
    region.mr.close()
    assert attempt(dev, pd, WRITE, region.address, rkey) == REFUSED
    assert reason(faults) == "key_invalid"
    assert region.unchanged()


KERNEL_KEY = 1      # xrdma-hw.rst, "The local key of the kernel"


@pytest.mark.parametrize("key", [KERNEL_KEY, 0, 0xff])
def test_the_local_key_of_the_kernel_is_none_of_a_process(dev, pd, faults, key):
    """The key is refused with physical and virtual addresses, as lkey and as rkey."""
    region = Region(pd)
    for address in region.address, 0x1000, 0x100000:
        assert attempt(dev, pd, WRITE, address, key) == REFUSED
        assert reason(faults) == "key_invalid"
        for opcode in WRITE, READ:
            a, b = pair(dev, pd)
            a.post(opcode, [(address, 64, key)], region.address, region.mr.rkey)
            assert a.poll()[0].status == e.IBV_WC_LOC_PROT_ERR
            assert reason(faults) == "key_invalid"
        a, b = pair(dev, pd)
        b.recv([(address, 64, key)])
        a.post(e.IBV_WR_SEND, [(region.address, 64, region.mr.lkey)])
        assert b.poll()[0].status == e.IBV_WC_LOC_PROT_ERR
        assert reason(faults) == "key_invalid"
    assert region.unchanged()


def test_index_that_was_never_used(dev, pd, faults):
    region = Region(pd)
    assert attempt(dev, pd, WRITE, region.address, 0xffffff00) == REFUSED
    assert reason(faults) in ("key_index", "key_invalid")


def test_keys_are_not_predictable_nor_soon_reused(dev, pd):
    buf, seen, order = Buffer((4096, False)), set(), []
    for _ in range(2000):
        mr = MR(pd, 4096, LOCAL, address=buf.address)
        assert mr.lkey not in seen
        seen.add(mr.lkey)
        order.append(mr.lkey >> 8)
        mr.close()
    assert len(set(order)) == len(order), "an index came back within 2,000 frees"
    steps = [b - a for a, b in zip(order, order[1:])]
    assert len(set(steps)) > len(steps) // 4, "indexes follow a pattern"


def test_a_write_over_a_multi_page_range_lands_on_all_pages_in_order(dev, pd):
    """Checks the address translation: each page has other bytes."""
    near = Region(pd, ALL, 8 << 20)
    far = Region(pd, ALL, 8 << 20)
    a, b = pair(dev, pd)
    a.post(WRITE, [(near.address + 4095, (8 << 20) - 8190, near.mr.lkey)],
           far.address + 4093, far.mr.rkey)
    a.wait()
    size = (8 << 20) - 8190
    assert bytes(far.buf.view[4093:4093 + size]) == \
        bytes(near.buf.view[4095:4095 + size])
    assert bytes(far.buf.view[:4093]) == far.before[:4093]
    assert bytes(far.buf.view[4093 + size:]) == far.before[4093 + size:]

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Reliable connections: every operation must move exactly the bytes that it names.
Runs in a guest."""

import pytest
import pyverbs.enums as e

from labverbs.rc import Endpoint, Status, pair
from lib.memory import Side

SIZES = [1, 2, 3, 4, 63, 64, 1023, 1024, 1025, 4096, 65536, 1 << 20, (1 << 20) + 7]
MTUS = [e.IBV_MTU_256, e.IBV_MTU_512, e.IBV_MTU_1024]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("mtu", MTUS)
def test_write(dev, pd, size, mtu):
    a, b = pair(dev, pd, mtu=mtu)
    src, dst = Side(pd, size), Side(pd, size)
    a.post(e.IBV_WR_RDMA_WRITE, [src.sge()], dst.address, dst.mr.rkey)
    a.wait()
    assert dst.data() == src.data()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("mtu", MTUS)
def test_read(dev, pd, size, mtu):
    a, b = pair(dev, pd, mtu=mtu)
    src, dst = Side(pd, size), Side(pd, size)
    a.post(e.IBV_WR_RDMA_READ, [dst.sge()], src.address, src.mr.rkey)
    wc, = a.wait()
    assert dst.data() == src.data()
    assert wc.byte_len == size


@pytest.mark.parametrize("size", SIZES)
def test_send(dev, pd, size):
    a, b = pair(dev, pd)
    src, dst = Side(pd, size), Side(pd, size)
    b.recv([dst.sge()], wr_id=0xfeedface12345678)
    a.post(e.IBV_WR_SEND, [src.sge()], wr_id=77)
    sent, = a.wait()
    got, = b.wait()
    assert dst.data() == src.data()
    assert (got.byte_len, got.wr_id) == (size, 0xfeedface12345678)
    assert got.opcode == e.IBV_WC_RECV
    assert (sent.wr_id, sent.opcode) == (77, e.IBV_WC_SEND)


def test_send_into_a_larger_buffer_changes_only_its_beginning(dev, pd):
    a, b = pair(dev, pd)
    src, dst = Side(pd, 100), Side(pd, 5000)
    before = dst.data()
    b.recv([dst.sge()])
    a.post(e.IBV_WR_SEND, [src.sge()])
    a.wait()
    wc, = b.wait()
    assert wc.byte_len == 100
    assert dst.data() == src.data() + before[100:]


def test_send_with_immediate(dev, pd):
    a, b = pair(dev, pd)
    src, dst = Side(pd, 3000), Side(pd, 3000)
    b.recv([dst.sge()])
    a.post(e.IBV_WR_SEND_WITH_IMM, [src.sge()], imm=0x01020304)
    a.wait()
    wc, = b.wait()
    assert wc.imm_data == 0x01020304
    assert wc.wc_flags & e.IBV_WC_WITH_IMM
    assert dst.data() == src.data()


def test_write_with_immediate_consumes_a_receive(dev, pd):
    a, b = pair(dev, pd)
    src, dst = Side(pd, 3000), Side(pd, 3000)
    b.recv([(dst.address, 0, dst.mr.lkey)], wr_id=5)
    a.post(e.IBV_WR_RDMA_WRITE_WITH_IMM, [src.sge()], dst.address, dst.mr.rkey,
           imm=0xaabbccdd)
    a.wait()
    wc, = b.wait()
    assert (wc.wr_id, wc.imm_data, wc.byte_len) == (5, 0xaabbccdd, 3000)
    assert wc.opcode == e.IBV_WC_RECV_RDMA_WITH_IMM
    assert dst.data() == src.data()


@pytest.mark.parametrize("opcode", [e.IBV_WR_SEND, e.IBV_WR_RDMA_WRITE,
                                    e.IBV_WR_RDMA_READ])
def test_scatter_gather(dev, pd, opcode):
    a, b = Endpoint(dev, pd, sge=7), Endpoint(dev, pd, sge=5)
    a.connect(b.address())
    b.connect(a.address())
    near, far = Side(pd, 70001), Side(pd, 70001)
    if opcode == e.IBV_WR_SEND:
        b.recv(far.pieces(5))
        a.post(opcode, near.pieces(7))
        b.wait()
    else:
        a.post(opcode, near.pieces(7), far.address, far.mr.rkey)
    a.wait()
    assert far.data() == near.data()


@pytest.mark.parametrize("opcode", [e.IBV_WR_SEND, e.IBV_WR_RDMA_WRITE])
def test_zero_bytes(dev, pd, opcode):
    a, b = pair(dev, pd)
    dst = Side(pd, 64)
    before = dst.data()
    if opcode == e.IBV_WR_SEND:
        b.recv([dst.sge()])
    a.post(opcode, [(dst.address, 0, dst.mr.lkey)], dst.address,
           dst.mr.rkey if opcode != e.IBV_WR_SEND else 0)
    a.wait()
    assert dst.data() == before


def test_inline_data_may_change_right_after_post(dev, pd):
    a, b = Endpoint(dev, pd, inline=200), Endpoint(dev, pd)
    a.connect(b.address())
    b.connect(a.address())
    src, dst = Side(pd, 200), Side(pd, 200)
    want = src.data()
    a.post(e.IBV_WR_RDMA_WRITE, [(src.address, 200, 0)], dst.address,
           dst.mr.rkey, flags=e.IBV_SEND_SIGNALED | e.IBV_SEND_INLINE)
    src.buf.view[:] = bytes(src.buf.length)
    a.wait()
    assert dst.data() == want


def u64(side):
    return int.from_bytes(side.data()[:8], "little")


def test_fetch_and_add(dev, pd):
    a, b = pair(dev, pd)
    near, far = Side(pd, 8), Side(pd, 8)
    old = u64(far)
    a.post(e.IBV_WR_ATOMIC_FETCH_AND_ADD, [near.sge()], far.address,
           far.mr.rkey, compare=0xfffffffffffffff1)
    wc, = a.wait()
    assert u64(near) == old
    assert u64(far) == (old + 0xfffffffffffffff1) % 2**64
    assert wc.byte_len == 8


@pytest.mark.parametrize("equal", [True, False])
def test_compare_and_swap(dev, pd, equal):
    a, b = pair(dev, pd)
    near, far = Side(pd, 8), Side(pd, 8)
    old = u64(far)
    a.post(e.IBV_WR_ATOMIC_CMP_AND_SWP, [near.sge()], far.address, far.mr.rkey,
           compare=old ^ (not equal), swap=0x1122334455667788)
    a.wait()
    assert u64(near) == old
    assert u64(far) == (0x1122334455667788 if equal else old)


def test_many_operations_complete_in_order(dev, pd):
    a, b = Endpoint(dev, pd, depth=256), Endpoint(dev, pd, depth=256)
    a.connect(b.address())
    b.connect(a.address())
    near, far = Side(pd, 4096), Side(pd, 4096)
    for lap in range(8):
        for n in range(256):
            opcode = (e.IBV_WR_RDMA_WRITE, e.IBV_WR_RDMA_READ)[n % 2]
            a.post(opcode, [(near.address + n * 16, 16, near.mr.lkey)],
                   far.address + n * 16, far.mr.rkey, wr_id=lap << 8 | n)
        got = [wc.wr_id for wc in a.wait(256)]
        assert got == list(range(lap << 8, (lap + 1) << 8))


def test_receiver_not_ready_is_retried_until_a_receive_is_posted(dev, pd):
    a, b = pair(dev, pd)
    src, dst = Side(pd, 2000), Side(pd, 2000)
    a.post(e.IBV_WR_SEND, [src.sge()])
    assert a.cq.poll()[0] == 0
    b.recv([dst.sge()])
    a.wait()
    b.wait()
    assert dst.data() == src.data()


def test_receiver_not_ready_for_too_long_fails(dev, pd):
    a, b = pair(dev, pd, rnr_retry=2)
    src = Side(pd, 10)
    a.post(e.IBV_WR_SEND, [src.sge()])
    with pytest.raises(Status) as failure:
        a.wait()
    assert failure.value.status == e.IBV_WC_RNR_RETRY_EXC_ERR


def test_peer_that_does_not_answer_fails_after_its_retries(dev, pd):
    a, b = Endpoint(dev, pd), Endpoint(dev, pd)
    b.connect(a.address())
    absent = dict(b.address(), qpn=b.qp.qp_num ^ 0x8000)
    a.connect(absent, timeout=8, retry=2)
    src = Side(pd, 10)
    a.post(e.IBV_WR_SEND, [src.sge()])
    with pytest.raises(Status) as failure:
        a.wait()
    assert failure.value.status == e.IBV_WC_RETRY_EXC_ERR


def test_message_longer_than_the_receive_buffer_fails_on_both_sides(dev, pd):
    a, b = pair(dev, pd)
    src, dst = Side(pd, 2000), Side(pd, 1999)
    b.recv([dst.sge()])
    a.post(e.IBV_WR_SEND, [src.sge()])
    assert a.poll()[0].status == e.IBV_WC_REM_INV_REQ_ERR
    assert b.poll()[0].status == e.IBV_WC_LOC_LEN_ERR
    dst.data()


def test_work_behind_a_failure_is_flushed_in_order(dev, pd):
    a, b = pair(dev, pd)
    src, dst = Side(pd, 64), Side(pd, 64)
    for n in range(3):
        b.recv([dst.sge()], wr_id=100 + n)
    a.post(e.IBV_WR_RDMA_WRITE, [src.sge()], dst.address, dst.mr.rkey ^ 1,
           wr_id=0)
    for n in range(1, 5):
        a.post(e.IBV_WR_RDMA_WRITE, [src.sge()], dst.address, dst.mr.rkey,
               wr_id=n)
    wcs = a.poll(5)
    assert [wc.wr_id for wc in wcs] == list(range(5))
    assert wcs[0].status == e.IBV_WC_REM_ACCESS_ERR
    assert {wc.status for wc in wcs[1:]} == {e.IBV_WC_WR_FLUSH_ERR}
    flushed = b.poll(3)
    assert [wc.wr_id for wc in flushed] == [100, 101, 102]
    assert {wc.status for wc in flushed} == {e.IBV_WC_WR_FLUSH_ERR}
    a.post(e.IBV_WR_RDMA_WRITE, [src.sge()], dst.address, dst.mr.rkey, wr_id=9)
    late, = a.poll()
    assert (late.wr_id, late.status) == (9, e.IBV_WC_WR_FLUSH_ERR)


def test_bad_lkey_fails_locally(dev, pd):
    a, b = pair(dev, pd)
    src, dst = Side(pd, 64), Side(pd, 64)
    a.post(e.IBV_WR_RDMA_WRITE, [(src.address, 64, src.mr.lkey ^ 1)],
           dst.address, dst.mr.rkey)
    assert a.poll()[0].status == e.IBV_WC_LOC_PROT_ERR


def test_queue_pair_works_again_after_reset(dev, pd):
    a, b = pair(dev, pd)
    src, dst = Side(pd, 64), Side(pd, 64)
    a.post(e.IBV_WR_RDMA_WRITE, [src.sge()], dst.address, dst.mr.rkey ^ 1)
    assert a.poll()[0].status == e.IBV_WC_REM_ACCESS_ERR
    from pyverbs.qp import QPAttr
    for end in (a, b):
        end.qp.modify(QPAttr(qp_state=e.IBV_QPS_RESET), e.IBV_QP_STATE)
    a.connect(b.address())
    b.connect(a.address())
    a.post(e.IBV_WR_RDMA_WRITE, [src.sge()], dst.address, dst.mr.rkey)
    a.wait()
    assert dst.data() == src.data()


def test_atomics_that_are_not_aligned_are_refused(dev, pd):
    a, b = pair(dev, pd)
    near, far = Side(pd, 8), Side(pd, 16)
    before = far.data()
    a.post(e.IBV_WR_ATOMIC_FETCH_AND_ADD, [near.sge()], far.address + 4,
           far.mr.rkey, compare=1)
    assert a.poll()[0].status == e.IBV_WC_REM_INV_REQ_ERR
    assert far.data() == before

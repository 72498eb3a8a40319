# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Queue pairs: their states, attributes and asynchronous events. Runs in a guest."""

import json
import os
import pathlib
import subprocess

import pytest
import pyverbs.enums as e
from pyverbs.mr import MR
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QPAttr

from labverbs.rc import ALL, Buffer, Endpoint, pair

SIZE = 4096


def errno_of(call, *args):
    with pytest.raises(PyverbsRDMAError) as err:
        call(*args)
    return err.value.error_code


def region(pd, length=SIZE):
    buf = Buffer((length, False))
    return buf, MR(pd, length, ALL, address=buf.address)


def state(qp):
    return qp.query(e.IBV_QP_STATE)[0].qp_state


def next_event(dev):
    """The type of the next asynchronous event. Ignores changes of GIDs and of the link,
    which come from earlier tests: all of them use the same context."""
    while True:
        event = dev.ctx.get_async_event()
        event.ack()
        if event.event_type not in (e.IBV_EVENT_GID_CHANGE, e.IBV_EVENT_PORT_ERR,
                                    e.IBV_EVENT_PORT_ACTIVE):
            return event.event_type


def modify(qp, mask, **values):
    attr = QPAttr()
    for name, value in values.items():
        setattr(attr, name, value)
    qp.modify(attr, mask)


def test_queried_attributes_are_those_set(dev, pd):
    a, b = pair(dev, pd, timeout=17, retry=5, rnr_retry=3, mtu=e.IBV_MTU_512)
    attr, init = a.qp.query(0x1fffff)
    assert attr.qp_state == attr.cur_qp_state == e.IBV_QPS_RTS
    assert attr.path_mtu == e.IBV_MTU_512
    assert (attr.timeout, attr.retry_cnt, attr.rnr_retry) == (17, 5, 3)
    assert attr.dest_qp_num == b.qp.qp_num
    assert attr.sq_psn == a.psn and attr.rq_psn == b.psn
    assert attr.max_rd_atomic == attr.max_dest_rd_atomic == 16
    assert attr.min_rnr_timer == 12 and attr.port_num == 1
    assert attr.qp_access_flags == ALL & ~e.IBV_ACCESS_LOCAL_WRITE
    assert init.cap.max_send_wr >= 64 and init.cap.max_recv_wr >= 64
    assert init.sq_sig_all == 1


@pytest.mark.parametrize("mask,values", [
    (e.IBV_QP_PORT, {"port_num": 2}),
    (e.IBV_QP_PKEY_INDEX, {"pkey_index": 1}),
    (e.IBV_QP_ACCESS_FLAGS, {"qp_access_flags": 1 << 18}),
])
def test_value_out_of_range_to_init(dev, pd, mask, values):
    end = Endpoint(dev, pd)
    all_values = {"qp_state": e.IBV_QPS_INIT, "port_num": 1}
    all_values.update(values)
    need = (e.IBV_QP_STATE | e.IBV_QP_PORT | e.IBV_QP_PKEY_INDEX |
            e.IBV_QP_ACCESS_FLAGS)
    assert errno_of(lambda: modify(end.qp, need, **all_values)) == 22
    assert state(end.qp) == e.IBV_QPS_RESET


@pytest.mark.parametrize("name,mask,value", [
    ("timeout", e.IBV_QP_TIMEOUT, 32), ("retry_cnt", e.IBV_QP_RETRY_CNT, 8),
    ("rnr_retry", e.IBV_QP_RNR_RETRY, 8),
    ("max_rd_atomic", e.IBV_QP_MAX_QP_RD_ATOMIC, 17),
])
def test_value_out_of_range_in_sqd(dev, pd, name, mask, value):
    a, _ = pair(dev, pd)
    modify(a.qp, e.IBV_QP_STATE, qp_state=e.IBV_QPS_SQD)
    assert errno_of(lambda: modify(a.qp, mask, **{name: value})) == 22
    modify(a.qp, mask, **{name: 3})
    assert getattr(a.qp.query(mask)[0], name) == 3
    modify(a.qp, e.IBV_QP_STATE, qp_state=e.IBV_QPS_RTS)


@pytest.fixture
def mtu_1500():
    knob = pathlib.Path(f"/sys/class/net/{os.environ['XRDMA_NETDEV']}/mtu")
    before = knob.read_text()
    knob.write_text("1500")
    yield
    knob.write_text(before)


@pytest.mark.parametrize("mtu", [e.IBV_MTU_2048, e.IBV_MTU_4096, 6, 0])
def test_path_mtu_above_that_of_the_port(dev, pd, mtu_1500, mtu):
    assert dev.ctx.query_port(1).active_mtu == e.IBV_MTU_1024
    a, b = Endpoint(dev, pd), Endpoint(dev, pd)
    assert errno_of(lambda: a.connect(b.address(), mtu=mtu)) == 22
    assert state(a.qp) == e.IBV_QPS_INIT


def test_reset_and_again(dev, pd):
    buf, mr = region(pd)
    a, b = pair(dev, pd)
    for _ in range(3):
        a.post(e.IBV_WR_RDMA_WRITE, [(buf.address, 8, mr.lkey)], buf.address,
               mr.rkey)
        a.wait()
        for end in (a, b):
            modify(end.qp, e.IBV_QP_STATE, qp_state=e.IBV_QPS_RESET)
            assert state(end.qp) == e.IBV_QPS_RESET
        a.connect(b.address())
        b.connect(a.address())


def test_error_state_flushes_all(dev, pd):
    buf, mr = region(pd)
    a, _ = pair(dev, pd)
    for n in range(10):
        a.recv([(buf.address, 8, mr.lkey)], wr_id=n)
    modify(a.qp, e.IBV_QP_STATE, qp_state=e.IBV_QPS_ERR)
    for n in range(10):
        a.recv([(buf.address, 8, mr.lkey)], wr_id=10 + n)
        a.post(e.IBV_WR_SEND, [(buf.address, 8, mr.lkey)], wr_id=100 + n)
    got = a.poll(30)
    assert {wc.status for wc in got} == {e.IBV_WC_WR_FLUSH_ERR}
    assert [wc.wr_id for wc in got if wc.wr_id < 100] == list(range(20))
    assert [wc.wr_id for wc in got if wc.wr_id >= 100] == list(range(100, 110))


def test_sq_drained_event(dev, pd):
    buf, mr = region(pd, 1 << 20)
    a, b = pair(dev, pd)
    for _ in range(8):
        a.post(e.IBV_WR_RDMA_WRITE, [(buf.address, 1 << 19, mr.lkey)],
               buf.address + (1 << 19), mr.rkey)
    attr = QPAttr(qp_state=e.IBV_QPS_SQD)
    attr.en_sqd_async_notify = 1
    a.qp.modify(attr, e.IBV_QP_STATE | e.IBV_QP_EN_SQD_ASYNC_NOTIFY)
    assert next_event(dev) == e.IBV_EVENT_SQ_DRAINED
    attr = a.qp.query(e.IBV_QP_STATE)[0]
    assert attr.qp_state == e.IBV_QPS_SQD and not attr.sq_draining
    modify(a.qp, e.IBV_QP_STATE, qp_state=e.IBV_QPS_RTS)
    a.wait(8)


def test_access_error_event(dev, pd):
    buf, mr = region(pd)
    a, b = pair(dev, pd)
    a.post(e.IBV_WR_RDMA_WRITE, [(buf.address, 8, mr.lkey)], buf.address,
           mr.rkey ^ 1)
    assert a.poll()[0].status == e.IBV_WC_REM_ACCESS_ERR
    assert next_event(dev) == e.IBV_EVENT_QP_ACCESS_ERR
    assert state(a.qp) == state(b.qp) == e.IBV_QPS_ERR
    rec, = [x for x in rdma("resource", "show", "qp", "-dd")
            if x.get("lqpn") == b.qp.qp_num]
    print(rec)
    assert rec["drv_fault"] == "key_byte"


def rdma(*args):
    out = subprocess.run(["rdma", *args, "-j"], check=True,
                         capture_output=True, text=True).stdout
    return json.loads(out)


def test_cq_overflow_event(dev, pd):
    from pyverbs.cq import CQ
    from pyverbs.qp import QP, QPCap, QPInitAttr
    buf, mr = region(pd)
    a, b = Endpoint(dev, pd), Endpoint(dev, pd)
    a.cq = CQ(dev.ctx, 16)
    a.qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=a.cq, rcq=a.cq,
                             cap=QPCap(64, 64, 1, 1, 0), sq_sig_all=1))
    a.connect(b.address())
    b.connect(a.address())
    for _ in range(a.cq.cqe + 1):
        a.post(e.IBV_WR_RDMA_WRITE, [(buf.address, 8, mr.lkey)], buf.address,
               mr.rkey)
    assert next_event(dev) == e.IBV_EVENT_CQ_ERR
    assert state(a.qp) == e.IBV_QPS_ERR


@pytest.mark.parametrize("cqe", [1, 16, 17, 4096])
def test_cq_depth_is_true(dev, cqe):
    from pyverbs.cq import CQ
    assert CQ(dev.ctx, cqe).cqe == max(16, 1 << (cqe - 1).bit_length())


def test_cq_depth_limits(dev):
    from pyverbs.cq import CQ
    top = dev.ctx.query_device().max_cqe
    for cqe in (0, top + 1, (1 << 31) - 1):
        assert errno_of(lambda c=cqe: CQ(dev.ctx, c)) == 22


def test_cq_of_the_largest_depth_works(dev, pd):
    """The largest depth is that of the specification: a ring of 256 MiB, which behind
    an IOMMU has as many mappings as pages."""
    top = dev.ctx.query_device().max_cqe
    assert top == 1 << 22
    a, _ = pair(dev, pd)
    a.cq.resize(top)
    assert a.cq.cqe == top
    buf, mr = region(pd)
    a.post(e.IBV_WR_RDMA_WRITE, [(buf.address, 8, mr.lkey)], buf.address, mr.rkey)
    a.wait()

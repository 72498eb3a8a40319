# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Memory windows and invalidation through the provider: ibv_bind_mw(),
ibv_post_send() and ibv_wr_bind_mw(), and what the provider itself refuses. Runs in
a guest."""

import errno
import os

import pytest
import pyverbs.enums as e
from pyverbs.mr import MR, MW, MWBind, MWBindInfo
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QPCap, QPEx, QPInitAttrEx
from pyverbs.wr import SendWR

from labverbs.rc import ALL, LOCAL, Buffer, Endpoint, pair
from lib.windows import next_key

REMOTE = ALL & ~LOCAL
SIZE = 16384
EXTENDED = (e.IBV_QP_EX_WITH_RDMA_WRITE | e.IBV_QP_EX_WITH_SEND
            | e.IBV_QP_EX_WITH_SEND_WITH_INV | e.IBV_QP_EX_WITH_LOCAL_INV
            | e.IBV_QP_EX_WITH_BIND_MW)


class Region:
    def __init__(self, pd, access=ALL | e.IBV_ACCESS_MW_BIND):
        self.buf = Buffer((SIZE, False))
        self.buf.view[:] = os.urandom(SIZE)
        self.before = bytes(self.buf.view)
        self.mr = MR(pd, SIZE, access, address=self.buf.address)
        self.address = self.buf.address

    def sge(self, length=64):
        return self.address, length, self.mr.lkey

    def unchanged(self):
        return bytes(self.buf.view) == self.before


def info(region, access=REMOTE, start=0, length=SIZE):
    return MWBindInfo(region.mr, region.address + start, length, access)


class Post:
    """The requests for windows by ibv_post_send()."""

    make = Endpoint

    @staticmethod
    def bind(end, mw, region):
        wr = SendWR(opcode=e.IBV_WR_BIND_MW, wr_id=1)
        wr.set_bind_wr(mw, info(region))
        end.qp.post_send(wr)
        return wr.rkey

    @staticmethod
    def local_inv(end, key):
        wr = SendWR(opcode=e.IBV_WR_LOCAL_INV, imm_data=key)
        end.qp.post_send(wr)

    @staticmethod
    def send_inv(end, key, region):
        end.post(e.IBV_WR_SEND_WITH_INV, [region.sge()], imm=key)


class ExtendedEndpoint(Endpoint):
    def __init__(self, dev, pd):
        super().__init__(dev, pd)
        self.qp.close()
        cap = QPCap(64, 64, 1, 1, 0)
        self.qp = QPEx(dev.ctx, QPInitAttrEx(
            qp_type=e.IBV_QPT_RC, scq=self.cq, rcq=self.cq, cap=cap, pd=pd,
            sq_sig_all=1, send_ops_flags=EXTENDED,
            comp_mask=e.IBV_QP_INIT_ATTR_PD
            | e.IBV_QP_INIT_ATTR_SEND_OPS_FLAGS))


class Extended:
    """The requests for windows by ibv_wr_*()."""

    make = ExtendedEndpoint

    @staticmethod
    def _do(end, request):
        end.qp.wr_start()
        end.qp.wr_id, end.qp.wr_flags = 1, e.IBV_SEND_SIGNALED
        request()
        end.qp.wr_complete()

    @classmethod
    def bind(cls, end, mw, region):
        key = next_key(mw.rkey)
        cls._do(end, lambda: end.qp.wr_bind_mw(mw, key, info(region)))
        return key

    @classmethod
    def local_inv(cls, end, key):
        cls._do(end, lambda: end.qp.wr_local_inv(key))

    @classmethod
    def send_inv(cls, end, key, region):
        from pyverbs.wr import SGE

        def request():
            end.qp.wr_send_inv(key)
            end.qp.wr_set_sge(SGE(*region.sge()))
        cls._do(end, request)


def connected(dev, pd, way):
    a, b = way.make(dev, pd), way.make(dev, pd)
    a.connect(b.address())
    b.connect(a.address())
    return a, b


def write(end, near, far, key):
    """Writes @near to @far. Returns the status."""
    if isinstance(end, ExtendedEndpoint):
        from pyverbs.wr import SGE

        def request():
            end.qp.wr_rdma_write(key, far.address)
            end.qp.wr_set_sge(SGE(*near.sge()))
        Extended._do(end, request)
    else:
        end.post(e.IBV_WR_RDMA_WRITE, [near.sge()], far.address, key)
    return end.poll()[0].status


WAYS = pytest.mark.parametrize("way", [Post, Extended])


@WAYS
def test_bind_use_and_local_invalidate(dev, pd, way):
    a, b = connected(dev, pd, way)
    near, far, mw = Region(pd), Region(pd), MW(pd, e.IBV_MW_TYPE_2)
    key = way.bind(b, mw, far)
    assert b.wait()[0].opcode == e.IBV_WC_BIND_MW
    assert write(a, near, far, key) == e.IBV_WC_SUCCESS
    assert far.buf.view[:64] == near.buf.view[:64]
    way.local_inv(b, key)
    assert b.wait()[0].opcode == e.IBV_WC_LOCAL_INV
    assert write(a, near, far, key) == e.IBV_WC_REM_ACCESS_ERR
    mw.close()


@WAYS
def test_send_with_invalidate(dev, pd, way):
    a, b = connected(dev, pd, way)
    near, far, sink = Region(pd), Region(pd), Region(pd)
    mw = MW(pd, e.IBV_MW_TYPE_2)
    key = way.bind(b, mw, far)
    b.wait()
    b.recv([sink.sge(SIZE)], wr_id=9)
    way.send_inv(a, key, near)
    assert a.wait()[0].opcode == e.IBV_WC_SEND
    wc, = b.wait()
    assert wc.opcode == e.IBV_WC_RECV and wc.wr_id == 9
    assert wc.wc_flags & e.IBV_WC_WITH_INV
    assert not wc.wc_flags & e.IBV_WC_WITH_IMM
    # ibv_wc has one field for immediate data and invalidated key
    assert wc.imm_data == key
    assert sink.buf.view[:64] == near.buf.view[:64]
    assert write(a, near, far, key) == e.IBV_WC_REM_ACCESS_ERR
    assert far.unchanged()
    mw.close()


@WAYS
def test_refused_bind(dev, pd, way):
    a, b = connected(dev, pd, way)
    far, mw = Region(pd, LOCAL), MW(pd, e.IBV_MW_TYPE_2)
    way.bind(b, mw, far)
    assert b.poll()[0].status == e.IBV_WC_MW_BIND_ERR
    mw.close()
    far.mr.close()


@WAYS
def test_refused_invalidate(dev, pd, way):
    a, b = connected(dev, pd, way)
    far = Region(pd)
    way.local_inv(b, far.mr.rkey)
    assert b.poll()[0].status == e.IBV_WC_LOC_QP_OP_ERR
    a, b = connected(dev, pd, way)
    b.recv([far.sge()])
    way.send_inv(a, far.mr.rkey, far)
    assert a.poll()[0].status == e.IBV_WC_REM_ACCESS_ERR
    assert b.poll()[0].status == e.IBV_WC_LOC_ACCESS_ERR


def bind_1(end, mw, bind_info, wr_id=5):
    end.qp.bind_mw(mw, MWBind(bind_info, e.IBV_SEND_SIGNALED, wr_id))


def test_type_1(dev, pd):
    a, b = pair(dev, pd)
    near, far, mw = Region(pd), Region(pd), MW(pd, e.IBV_MW_TYPE_1)
    seen = {mw.rkey}
    for start in (0, 64, 128):
        bind_1(b, mw, info(far, start=start, length=64))
        wc, = b.wait()
        assert (wc.opcode, wc.wr_id) == (e.IBV_WC_BIND_MW, 5)
        # each bind gives the window another key with the same index
        assert mw.rkey not in seen and {key >> 8 for key in seen} == \
            {mw.rkey >> 8}
        seen.add(mw.rkey)
        a.post(e.IBV_WR_RDMA_WRITE, [near.sge()], far.address + start, mw.rkey)
        a.wait()
        assert far.buf.view[start:start + 64] == near.buf.view[:64]
    old = mw.rkey
    bind_1(b, mw, info(far, access=0, length=0))
    b.wait()
    assert mw.rkey != old
    # no window is bound to the region, which can be deregistered
    far.mr.close()
    a.post(e.IBV_WR_RDMA_WRITE, [near.sge()], far.address, old)
    assert a.poll()[0].status == e.IBV_WC_REM_ACCESS_ERR
    mw.close()


def test_type_1_is_bound_after_a_bind_that_failed(dev, pd):
    """A failed bind does not change the window's key in the device, and a program cannot
    see that. The next bind must succeed nevertheless."""
    far, bare, mw = Region(pd), Region(pd, LOCAL), MW(pd, e.IBV_MW_TYPE_1)
    for _ in range(3):
        _, b = pair(dev, pd)
        bind_1(b, mw, info(bare))
        assert b.poll()[0].status == e.IBV_WC_MW_BIND_ERR
    a, b = pair(dev, pd)
    bind_1(b, mw, info(far))
    assert b.poll()[0].status == e.IBV_WC_SUCCESS
    a.post(e.IBV_WR_RDMA_WRITE, [bare.sge()], far.address, mw.rkey)
    a.wait()
    mw.close()


def errno_of(call, *args):
    with pytest.raises(PyverbsRDMAError) as failure:
        call(*args)
    return failure.value.error_code


def test_misuse_is_refused_at_once(dev, pd):
    _, b = pair(dev, pd)
    far, one, two = Region(pd), MW(pd, e.IBV_MW_TYPE_1), \
        MW(pd, e.IBV_MW_TYPE_2)
    foreign = PD(dev.ctx)
    other = Region(foreign)
    assert errno_of(bind_1, b, two, info(far)) == errno.EINVAL
    assert errno_of(bind_1, b, one, info(other)) == errno.EPERM
    wr = SendWR(opcode=e.IBV_WR_BIND_MW)
    wr.set_bind_wr(one, info(far))
    assert errno_of(b.qp.post_send, wr) == errno.EINVAL
    # none of the requests was posted
    assert b.cq.poll()[0] == 0
    far.mr.close()
    other.mr.close()
    foreign.close()


def test_window_is_deallocated_with_its_region_bound(dev, pd):
    _, b = pair(dev, pd)
    far, mw = Region(pd), MW(pd, e.IBV_MW_TYPE_2)
    Post.bind(b, mw, far)
    b.wait()
    assert errno_of(far.mr.close) == errno.EBUSY
    mw.close()
    far.mr.close()

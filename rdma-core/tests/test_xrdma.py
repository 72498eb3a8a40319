# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""
Test the xrdma provider with a device: full queues, datagrams, resized queues,
ibv_wr_*() and struct ibv_cq_ex, memory windows, device memory and dma-buf.
"""

import errno
import fcntl
import mmap
import os
import struct
import time
import unittest

from pyverbs.base import inc_rkey
from pyverbs.cq import CQEX, CqInitAttrEx, PollCqAttr
from pyverbs.device import AllocDmAttr, DM
from pyverbs.mr import DMMR, DmaBufMR, MR, MW, MWBind, MWBindInfo
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QPAttr, QPCap, QPEx, QPInitAttrEx
from pyverbs.srq import SrqAttr
from pyverbs.wr import RecvWR, SGE, SendWR
from pyverbs.libibverbs_enums import (
    IBV_WC_STANDARD_FLAGS, ibv_access_flags as mr_access,
    ibv_create_cq_wc_flags, ibv_mw_type, ibv_qp_attr_mask,
    ibv_qp_create_send_ops_flags as ops, ibv_qp_init_attr_mask as init,
    ibv_qp_state, ibv_qp_type, ibv_send_flags, ibv_srq_attr_mask,
    ibv_wc_flags, ibv_wc_opcode as wc_op, ibv_wc_status, ibv_wr_opcode)

from tests.base import RCResources, RDMATestCase, UDResources
import tests.utils as u


XRDMA_IDS = (0x1af4, 0x10f0)
ACCESS = mr_access.IBV_ACCESS_LOCAL_WRITE | mr_access.IBV_ACCESS_REMOTE_WRITE
SIGNALED = ibv_send_flags.IBV_SEND_SIGNALED
INLINE = ibv_send_flags.IBV_SEND_INLINE
SUCCESS = ibv_wc_status.IBV_WC_SUCCESS
REM_ACCESS_ERR = ibv_wc_status.IBV_WC_REM_ACCESS_ERR
UDMABUF_CREATE = 0x40187542


class XrdmaResources(RCResources):
    def create_mr(self):
        self.mr = MR(self.pd, self.msg_size, ACCESS)

    def create_qp_attr(self):
        attr = super().create_qp_attr()
        attr.qp_access_flags = ACCESS | mr_access.IBV_ACCESS_REMOTE_READ
        return attr

    def create_qp_cap(self):
        return QPCap(max_send_wr=50, max_recv_wr=1, max_send_sge=3,
                     max_inline_data=100)

    def create_qp_init_attr(self):
        attr = super().create_qp_init_attr()
        attr.sq_sig_all = 0
        return attr

    def granted(self):
        """Return the capacities of the queue pair."""
        return self.qp.query(ibv_qp_attr_mask.IBV_QP_CAP)[1].cap

    def post_write(self, wr_id, length, send_flags, count=1):
        """Post an RDMA WRITE of count equal pieces of length bytes."""
        sge = [SGE(self.mr.buf, length, self.mr.lkey)] * count
        wr = SendWR(wr_id=wr_id, opcode=ibv_wr_opcode.IBV_WR_RDMA_WRITE,
                    num_sge=count, sg=sge, send_flags=send_flags)
        wr.set_wr_rdma(self.rkey, self.raddr)
        self.qp.post_send(wr)


class XrdmaTestCase(RDMATestCase):
    resources = XrdmaResources

    def setUp(self):
        super().setUp()
        self.create_players(self.resources)
        attr = self.client.ctx.query_device()
        if (attr.vendor_id, attr.vendor_part_id) != XRDMA_IDS:
            raise unittest.SkipTest('Not an xrdma device')

    def fails(self, error_code, call, *args):
        with self.assertRaises(PyverbsRDMAError) as ctx:
            call(*args)
        self.assertEqual(ctx.exception.error_code, error_code)


class XrdmaQueueTest(XrdmaTestCase):
    def refused(self, error_code, *request):
        self.fails(error_code, self.client.post_write, *request)

    def test_unsignaled_work_fills_the_queue(self):
        """
        A send queue takes as many requests as query reports, and the completion
        of the last request frees them all.
        """
        depth = self.client.granted().max_send_wr
        self.assertGreaterEqual(depth, 50)
        for lap in range(3):
            for i in range(depth - 1):
                self.client.post_write(i, 8, 0)
            self.client.post_write(lap, 8, SIGNALED)
            self.refused(errno.ENOMEM, 0, 8, 0)
            wc, = u.poll_cq(self.client.cq)
            self.assertEqual(wc.wr_id, lap)

    def test_granted_payload(self):
        """
        Payloads as large as query reports arrive, larger ones are refused.
        """
        cap = self.client.granted()
        inline = cap.max_inline_data
        self.assertGreaterEqual(inline, 100)
        self.assertGreaterEqual(cap.max_send_sge, 3)

        data = bytes(i % 251 for i in range(inline))
        self.client.mr.write(data, inline)
        flags = INLINE | SIGNALED
        self.client.post_write(1, inline, flags)
        self.client.mr.write(b'\0' * inline, inline)
        u.poll_cq(self.client.cq)
        self.assertEqual(self.server.mr.read(inline, 0), data)

        self.client.post_write(2, 8, SIGNALED, cap.max_send_sge)
        u.poll_cq(self.client.cq)
        self.refused(errno.EINVAL, 3, inline + 1, flags)
        self.refused(errno.EINVAL, 4, 8, 0, cap.max_send_sge + 1)

    def test_reset_removes_completions(self):
        """
        RESET removes the completions that were not polled. Afterwards the queue
        pair works again.
        """
        reset = QPAttr(qp_state=ibv_qp_state.IBV_QPS_RESET)
        for i in range(10):
            self.client.post_write(i, 8, SIGNALED)
        time.sleep(0.2)
        for player in self.client, self.server:
            player.qp.modify(reset, ibv_qp_attr_mask.IBV_QP_STATE)
        self.assertEqual(self.client.cq.poll(16)[0], 0)

        self.pre_run()
        self.client.post_write(99, 8, SIGNALED)
        wc, = u.poll_cq(self.client.cq)
        self.assertEqual(wc.wr_id, 99)


class XrdmaDatagramResources(UDResources):
    def create_qp_cap(self):
        return QPCap(max_send_wr=64, max_recv_wr=4, max_inline_data=64)


class XrdmaDatagramTest(XrdmaTestCase):
    resources = XrdmaDatagramResources

    def send(self, wr_id, data, flags=0):
        """Send a datagram to the server."""
        client = self.client
        client.mr.write(data, len(data))
        sge = SGE(client.mr.buf, len(data), client.mr.lkey)
        wr = SendWR(wr_id=wr_id, num_sge=1, sg=[sge],
                    send_flags=SIGNALED | flags)
        ah = u.get_global_ah(client, self.gid_index, self.ib_port)
        wr.set_wr_ud(ah, self.server.qp.qp_num, UDResources.UD_QKEY)
        client.qp.post_send(wr)

    def receive(self, wr_id, length):
        mr = self.server.mr
        sge = SGE(mr.buf, length, mr.lkey)
        self.server.qp.post_recv(RecvWR(wr_id=wr_id, num_sge=1, sg=[sge]))

    def test_completion_names_the_sender(self):
        """
        The completion names the sender, and the GRH area precedes the data. The
        sender may change inline data as soon as it is posted.
        """
        for flags in 0, INLINE:
            self.receive(5, 140)
            self.send(6, b'd' * 64, flags)
            if flags:
                self.client.mr.write(b'x' * 64, 64)
            wc, = u.poll_cq(self.server.cq)
            self.assertEqual((wc.wr_id, wc.opcode, wc.byte_len, wc.qp_num),
                             (5, wc_op.IBV_WC_RECV, 40 + 64,
                              self.server.qp.qp_num))
            self.assertEqual(wc.src_qp, self.client.qp.qp_num)
            self.assertTrue(wc.wc_flags & ibv_wc_flags.IBV_WC_GRH)
            got = self.server.mr.read(104, 0)
            self.assertEqual(got[40:], b'd' * 64)
            # bytes 20 to 39: an IPv4 header with our address in both places
            self.assertEqual(got[20:22], b'\x45\x00')
            self.assertEqual(got[32:36], got[36:40])
            gid = self.client.ctx.query_gid(self.ib_port, self.gid_index)
            self.assertEqual(got[32:36].hex(), gid.gid.replace(':', '')[-8:])
            wc, = u.poll_cq(self.client.cq)
            self.assertEqual((wc.wr_id, wc.opcode), (6, wc_op.IBV_WC_SEND))

    def test_completion_queue_keeps_what_it_holds(self):
        """
        Completions that were not polled survive resizing, in order. A size
        below their number is refused.
        """
        cq = self.client.cq
        cq.resize(30)
        # so many that the phases of the present and of the next ring differ
        for i in range(cq.cqe + 5):
            self.send(i, b'r')
            u.poll_cq(cq)
        for i in range(30):
            self.send(i, b'r', INLINE)
            if i == 5:
                cq.resize(100)
        time.sleep(0.3)
        depth = cq.cqe
        self.fails(errno.EINVAL, cq.resize, 8)
        self.assertEqual(cq.cqe, depth)
        self.fails(errno.EINVAL, cq.resize, 0)
        cq.resize(1000)
        self.assertGreaterEqual(cq.cqe, 1000)
        done = u.poll_cq(cq, 30)
        self.assertEqual([wc.wr_id for wc in done], list(range(30)))
        self.send(77, b'r')
        wc, = u.poll_cq(cq)
        self.assertEqual(wc.wr_id, 77)


class XrdmaSharedResources(RCResources):
    def __init__(self, **kwargs):
        super().__init__(**kwargs, qp_count=2, with_srq=True)


class XrdmaSharedTest(XrdmaTestCase):
    resources = XrdmaSharedResources

    def post(self, wr_id):
        mr = self.server.mr
        sge = SGE(mr.buf + wr_id, 1, mr.lkey)
        self.server.srq.post_recv(RecvWR(wr_id=wr_id, num_sge=1, sg=[sge]))

    def send(self, qp, byte):
        self.client.mr.write(byte, 1)
        sge = SGE(self.client.mr.buf, 1, self.client.mr.lkey)
        wr = SendWR(num_sge=1, sg=[sge], send_flags=SIGNALED)
        self.client.qps[qp].post_send(wr)
        u.poll_cq(self.client.cq)
        wc, = u.poll_cq(self.server.cq)
        return wc

    def test_queue_keeps_what_it_holds(self):
        """
        Posted receives survive resizing. The queue pairs consume them in order,
        and a full queue refuses another one.
        """
        srq = self.server.srq
        srq.modify(SrqAttr(max_wr=16), ibv_srq_attr_mask.IBV_SRQ_MAX_WR)
        depth = srq.query().max_wr
        self.assertEqual(depth, 16)
        for i in range(depth):
            self.post(i)
        self.fails(errno.ENOMEM, self.post, depth)
        for i in range(8):
            wc = self.send(i % 2, b'%d' % i)
            self.assertEqual((wc.wr_id, wc.qp_num),
                             (i, self.server.qps[i % 2].qp_num))
        self.fails(errno.EINVAL, srq.modify, SrqAttr(max_wr=4),
                   ibv_srq_attr_mask.IBV_SRQ_MAX_WR)
        srq.modify(SrqAttr(max_wr=8), ibv_srq_attr_mask.IBV_SRQ_MAX_WR)
        self.fails(errno.ENOMEM, self.post, 16)
        srq.modify(SrqAttr(max_wr=100), ibv_srq_attr_mask.IBV_SRQ_MAX_WR)
        for i in range(16, 20):
            self.post(i)
        for i in range(8, 20):
            self.assertEqual(self.send(i % 2, b'%d' % (i % 10)).wr_id, i)
        self.assertEqual(self.server.mr.read(20, 0), b'01234567890123456789')


SEND_OPS = ops.IBV_QP_EX_WITH_SEND | ops.IBV_QP_EX_WITH_SEND_WITH_INV | \
           ops.IBV_QP_EX_WITH_RDMA_WRITE | ops.IBV_QP_EX_WITH_RDMA_READ | \
           ops.IBV_QP_EX_WITH_BIND_MW | ops.IBV_QP_EX_WITH_LOCAL_INV


class XrdmaExResources(XrdmaResources):
    """Resources with ibv_wr_*() and struct ibv_cq_ex."""
    def create_cq(self):
        flags = IBV_WC_STANDARD_FLAGS | \
                ibv_create_cq_wc_flags.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP
        self.cq = CQEX(self.ctx, CqInitAttrEx(cqe=100, wc_flags=flags))

    def create_mr(self):
        self.mr = MR(self.pd, self.msg_size,
                     ACCESS | mr_access.IBV_ACCESS_MW_BIND)

    def create_qps(self):
        mask = init.IBV_QP_INIT_ATTR_PD | init.IBV_QP_INIT_ATTR_SEND_OPS_FLAGS
        init_attr = QPInitAttrEx(cap=self.create_qp_cap(), pd=self.pd,
                                 qp_type=ibv_qp_type.IBV_QPT_RC, scq=self.cq,
                                 rcq=self.cq, comp_mask=mask, sq_sig_all=0,
                                 send_ops_flags=SEND_OPS)
        self.qps.append(QPEx(self.ctx, init_attr, self.create_qp_attr()))
        self.qps_num.append(self.qp.qp_num)
        self.psns.append(0)

    def begin(self, wr_id, flags=SIGNALED):
        self.qp.wr_id = wr_id
        self.qp.wr_flags = flags

    def add_write(self, wr_id, rkey=None):
        """Add an RDMA WRITE of 8 bytes to the batch."""
        self.begin(wr_id)
        self.qp.wr_rdma_write(rkey or self.rkey, self.raddr)
        self.qp.wr_set_sge(SGE(self.mr.buf, 8, self.mr.lkey))

    def poll(self, count=1):
        """
        Poll count completions. Return a tuple for each: wr_id, status, opcode,
        flags, invalidated key, timestamp.
        """
        found, end = [], time.monotonic() + 15
        while len(found) < count and time.monotonic() < end:
            if self.cq.start_poll(PollCqAttr()):
                continue
            while True:
                flags = self.cq.read_wc_flags()
                found.append((self.cq.wr_id, self.cq.status,
                              self.cq.read_opcode(), flags,
                              self.cq.read_imm_data(),
                              self.cq.read_timestamp()))
                if len(found) == count or self.cq.poll_next():
                    break
            self.cq.end_poll()
        return found


class XrdmaExtendedTest(XrdmaTestCase):
    resources = XrdmaExResources

    def test_batch_completes_in_order(self):
        """
        The requests of a batch complete in order, with increasing timestamps.
        """
        client = self.client
        for lap in range(5):
            client.qp.wr_start()
            for i in range(40):
                client.add_write(i)
            client.qp.wr_complete()
            found = client.poll(40)
            self.assertEqual([wc[0] for wc in found], list(range(40)))
            self.assertEqual({wc[1] for wc in found}, {SUCCESS})
            self.assertEqual({wc[2] for wc in found}, {wc_op.IBV_WC_RDMA_WRITE})
            times = [wc[5] for wc in found]
            self.assertEqual(times, sorted(times))
            self.assertLess(0, times[0])

    def test_timestamps_are_nanoseconds(self):
        attr = self.client.ctx.query_device_ex()
        self.assertEqual(attr.completion_timestamp_mask, (1 << 64) - 1)
        # in kHz
        self.assertEqual(attr.hca_core_clock, 1000000)
        stamps = []
        begin = time.monotonic_ns()
        for pause in 0, 0.5:
            time.sleep(pause)
            self.client.qp.wr_start()
            self.client.add_write(1)
            self.client.qp.wr_complete()
            stamps.append(self.client.poll()[0][5])
        elapsed = time.monotonic_ns() - begin
        self.assertLess(400e6, stamps[1] - stamps[0])
        self.assertLess(stamps[1] - stamps[0], 2 * elapsed)

    def test_clock_is_that_of_timestamps(self):
        """
        The clock that is read after a completion is at least its timestamp, and
        exceeds it by at most the time that has passed.
        """
        for _ in range(3):
            begin = time.monotonic_ns()
            self.client.qp.wr_start()
            self.client.add_write(1)
            self.client.qp.wr_complete()
            stamp = self.client.poll()[0][5]
            sec, clock = self.client.ctx.query_rt_values_ex()
            elapsed = time.monotonic_ns() - begin
            self.assertEqual(sec, 0)
            self.assertLessEqual(stamp, clock)
            self.assertLess(clock - stamp, 2 * elapsed + 10e6)
        self.fails(errno.EINVAL, self.client.ctx.query_rt_values_ex, 1 << 1)

    def test_wrong_batch_posts_nothing(self):
        """A batch with an invalid request is not posted. The next batch is posted."""
        client = self.client
        depth = 64
        client.qp.wr_start()
        for i in range(depth + 1):
            client.add_write(i)
        self.fails(errno.ENOMEM, client.qp.wr_complete)
        client.qp.wr_start()
        client.add_write(1)
        client.qp.wr_set_sge(SGE(client.mr.buf, 8, client.mr.lkey))
        self.fails(errno.EINVAL, client.qp.wr_complete)
        client.qp.wr_start()
        client.add_write(2)
        client.qp.wr_abort()
        client.qp.wr_start()
        client.qp.wr_complete()
        time.sleep(0.2)
        self.assertEqual(client.cq.start_poll(PollCqAttr()), errno.ENOENT)

        client.qp.wr_start()
        client.add_write(3)
        client.qp.wr_complete()
        self.assertEqual(client.poll()[0][:2], (3, SUCCESS))

    def test_inline_data_may_change_at_once(self):
        self.client.mr.write(b'a' * 60, 60)
        self.client.qp.wr_start()
        self.client.begin(1)
        self.client.qp.wr_rdma_write(self.client.rkey, self.client.raddr)
        self.client.qp.wr_set_inline_data(self.client.mr.buf, 60)
        self.client.mr.write(b'b' * 60, 60)
        self.client.qp.wr_complete()
        self.assertEqual(self.client.poll()[0][1], SUCCESS)
        self.assertEqual(self.server.mr.read(61, 0), b'a' * 60 + b'\0')


class XrdmaWindowTest(XrdmaTestCase):
    resources = XrdmaExResources

    def info(self, length=8, access=mr_access.IBV_ACCESS_REMOTE_WRITE):
        mr = self.server.mr
        return MWBindInfo(mr, mr.buf, length, access)

    def write(self, rkey):
        """Write by a key; return the status."""
        self.client.qp.wr_start()
        self.client.add_write(1, rkey)
        self.client.qp.wr_complete()
        return self.client.poll()[0][1]

    def bind_type_1(self, mw, length=8):
        access = mr_access.IBV_ACCESS_REMOTE_WRITE if length else 0
        info = self.info(length, access)
        self.server.qp.bind_mw(mw, MWBind(info, SIGNALED, 7))
        wc, = self.server.poll()
        self.assertEqual(wc[:3], (7, SUCCESS, wc_op.IBV_WC_BIND_MW))

    def bind_type_2(self, mw, rkey):
        self.server.qp.wr_start()
        self.server.begin(8)
        self.server.qp.wr_bind_mw(mw, rkey, self.info())
        self.server.qp.wr_complete()
        wc, = self.server.poll()
        self.assertEqual(wc[:3], (8, SUCCESS, wc_op.IBV_WC_BIND_MW))

    def test_type_1_has_another_key_after_each_bind(self):
        """A key is valid until the next bind. 300 binds use all key bytes."""
        with MW(self.server.pd, ibv_mw_type.IBV_MW_TYPE_1) as mw:
            seen = {mw.rkey}
            for i in range(300):
                old = mw.rkey
                self.bind_type_1(mw, 0 if i % 50 == 49 else 8)
                self.assertNotEqual(mw.rkey, old)
                self.assertEqual(mw.rkey >> 8, old >> 8)
                seen.add(mw.rkey)
                if i % 50 == 0:
                    self.assertEqual(self.write(mw.rkey), SUCCESS)
            self.assertEqual(len(seen), 256)
            old = mw.rkey
            self.bind_type_1(mw)
            self.assertEqual(self.write(old), REM_ACCESS_ERR)

    def test_type_2_has_the_key_it_is_given(self):
        """
        A window has the given key as soon as the bind is posted. A batch that
        is aborted changes no key.
        """
        with MW(self.server.pd, ibv_mw_type.IBV_MW_TYPE_2) as mw:
            first = mw.rkey
            self.server.qp.wr_start()
            self.server.begin(1)
            self.server.qp.wr_bind_mw(mw, inc_rkey(first), self.info())
            self.server.qp.wr_abort()
            self.assertEqual(mw.rkey, first)
            for step in 77, 1, 255, 0:
                key = first & ~0xff | (mw.rkey + step) & 0xff
                self.bind_type_2(mw, key)
                self.assertEqual(mw.rkey, key)
                self.assertEqual(self.write(key), SUCCESS)
                self.server.qp.wr_start()
                self.server.begin(9)
                self.server.qp.wr_local_inv(key)
                self.server.qp.wr_complete()
                wc, = self.server.poll()
                self.assertEqual(wc[:3], (9, SUCCESS, wc_op.IBV_WC_LOCAL_INV))
            self.assertEqual(self.write(key), REM_ACCESS_ERR)

    def test_receiver_learns_which_key_was_invalidated(self):
        with MW(self.server.pd, ibv_mw_type.IBV_MW_TYPE_2) as mw:
            self.bind_type_2(mw, inc_rkey(mw.rkey))
            sge = SGE(self.server.mr.buf, 8, self.server.mr.lkey)
            self.server.qp.post_recv(RecvWR(wr_id=5, num_sge=1, sg=[sge]))
            self.client.qp.wr_start()
            self.client.begin(6)
            self.client.qp.wr_send_inv(mw.rkey)
            self.client.qp.wr_complete()
            self.assertEqual(self.client.poll()[0][:3],
                             (6, SUCCESS, wc_op.IBV_WC_SEND))
            self.assertEqual(self.server.poll()[0][:5],
                             (5, SUCCESS, wc_op.IBV_WC_RECV,
                              ibv_wc_flags.IBV_WC_WITH_INV, mw.rkey))
            self.assertEqual(self.write(mw.rkey), REM_ACCESS_ERR)

    def test_wrong_binds_are_refused(self):
        """The provider does not post an invalid bind, and changes no key."""
        server = self.server
        with MW(server.pd, ibv_mw_type.IBV_MW_TYPE_1) as one, \
             MW(server.pd, ibv_mw_type.IBV_MW_TYPE_2) as two:
            keys = one.rkey, two.rkey
            good = self.info()
            bad = self.info(access=mr_access.IBV_ACCESS_ON_DEMAND)
            self.fails(errno.EINVAL, server.qp.bind_mw, two, MWBind(good, 0))
            self.fails(errno.EINVAL, server.qp.bind_mw, one, MWBind(bad, 0))
            self.fails(errno.EINVAL, server.qp.bind_mw, one,
                       MWBind(good, INLINE))
            for mw, info in (one, good), (two, bad):
                wr = SendWR(opcode=ibv_wr_opcode.IBV_WR_BIND_MW)
                wr.set_bind_wr(mw, info)
                self.fails(errno.EINVAL, server.qp.post_send, wr)
                server.qp.wr_start()
                server.qp.wr_bind_mw(mw, inc_rkey(mw.rkey), info)
                self.fails(errno.EINVAL, server.qp.wr_complete)
            self.assertEqual((one.rkey, two.rkey), keys)


class XrdmaMemoryTest(XrdmaTestCase):
    resources = XrdmaExResources
    remote = ACCESS | mr_access.IBV_ACCESS_REMOTE_READ

    def transfer(self, add, mr, addr):
        """Transfer 64 bytes between the client's region and another one."""
        self.client.qp.wr_start()
        self.client.begin(1)
        add(mr.rkey, addr)
        self.client.qp.wr_set_sge(SGE(self.client.mr.buf, 64,
                                      self.client.mr.lkey))
        self.client.qp.wr_complete()
        self.assertEqual(self.client.poll()[0][1], SUCCESS)

    def test_device_memory(self):
        """
        Host and peer access the same bytes of device memory, and addresses of a
        zero-based region begin at 0.
        """
        with DM(self.server.ctx, AllocDmAttr(length=10000)) as dm:
            dm.copy_to_dm(4000, b'm' * 256, 256)
            mr = DMMR(self.server.pd, 4096,
                      self.remote | mr_access.IBV_ACCESS_ZERO_BASED, dm,
                      4032)
            self.transfer(self.client.qp.wr_rdma_read, mr, 0)
            self.assertEqual(self.client.mr.read(64, 0), b'm' * 64)
            self.client.mr.write(b'w' * 64, 64)
            self.transfer(self.client.qp.wr_rdma_write, mr, 64)
            self.assertEqual(dm.copy_from_dm(4032, 192),
                             b'm' * 64 + b'w' * 64 + b'm' * 64)
            mr.close()

    def test_copies_stay_inside(self):
        with DM(self.server.ctx, AllocDmAttr(length=100)) as dm:
            dm.copy_to_dm(96, b'1234', 4)
            self.assertEqual(dm.copy_from_dm(96, 4), b'1234')
            for offset, length in ((100, 4), (96, 8), (0, 104), (1 << 63, 4),
                                   ((1 << 64) - 4, 8), (2, 4), (0, 3)):
                self.fails(errno.EFAULT, dm.copy_to_dm, offset, b'12345678',
                           length)
                self.fails(errno.EFAULT, dm.copy_from_dm, offset, length)
        self.fails(errno.EINVAL, DM, self.server.ctx,
                   AllocDmAttr(length=100, comp_mask=1))

    def test_dma_buf(self):
        """
        A region of a part of a dma-buf, whose pages the process has mapped too.
        """
        memory = os.memfd_create('xrdma', os.MFD_ALLOW_SEALING)
        os.ftruncate(memory, 16384)
        fcntl.fcntl(memory, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
        view = mmap.mmap(memory, 16384)
        with open('/dev/udmabuf', 'rb') as device:
            request = bytearray(struct.pack('IIQQ', memory, 0, 0, 16384))
            buf = fcntl.ioctl(device, UDMABUF_CREATE, request)
        mr = DmaBufMR(self.server.pd, 8192, self.remote, dmabuf=buf,
                      offset=4096)
        self.client.mr.write(b'd' * 64, 64)
        self.transfer(self.client.qp.wr_rdma_write, mr, 4096 + 100)
        self.assertEqual(view[4196 - 1:4196 + 65], b'\0' + b'd' * 64 + b'\0')
        mr.close()
        os.close(buf)
        os.close(memory)

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""
Test what the xrdma provider promises of its queues.
"""

import errno
import time
import unittest

from pyverbs.mr import MR
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QPAttr, QPCap
from pyverbs.wr import SGE, SendWR
import pyverbs.enums as e

from tests.base import RCResources, RDMATestCase
import tests.utils as u


XRDMA_IDS = (0x1af4, 0x10f0)
ACCESS = e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_WRITE


class XrdmaResources(RCResources):
    def create_mr(self):
        self.mr = MR(self.pd, self.msg_size, ACCESS)

    def create_qp_attr(self):
        attr = super().create_qp_attr()
        attr.qp_access_flags = ACCESS
        return attr

    def create_qp_cap(self):
        return QPCap(max_send_wr=50, max_recv_wr=1, max_send_sge=3,
                     max_inline_data=100)

    def create_qp_init_attr(self):
        attr = super().create_qp_init_attr()
        attr.sq_sig_all = 0
        return attr

    def granted(self):
        """The capacities that the queue pair really has."""
        return self.qp.query(e.IBV_QP_CAP)[1].cap

    def post_write(self, wr_id, length, send_flags, count=1):
        """Post an RDMA WRITE of count equal pieces of the region."""
        sge = [SGE(self.mr.buf, length, self.mr.lkey)] * count
        wr = SendWR(wr_id=wr_id, opcode=e.IBV_WR_RDMA_WRITE, num_sge=count,
                    sg=sge, send_flags=send_flags)
        wr.set_wr_rdma(self.rkey, self.raddr)
        self.qp.post_send(wr)


class XrdmaQueueTest(RDMATestCase):
    def setUp(self):
        super().setUp()
        self.create_players(XrdmaResources)
        attr = self.client.ctx.query_device()
        if (attr.vendor_id, attr.vendor_part_id) != XRDMA_IDS:
            raise unittest.SkipTest('Not an xrdma device')

    def refused(self, error_code, *request):
        with self.assertRaises(PyverbsRDMAError) as ctx:
            self.client.post_write(*request)
        self.assertEqual(ctx.exception.error_code, error_code)

    def test_unsignaled_work_fills_the_queue(self):
        """
        A queue takes exactly what was granted, and one completion frees all.
        """
        depth = self.client.granted().max_send_wr
        self.assertGreaterEqual(depth, 50)
        for lap in range(3):
            for i in range(depth - 1):
                self.client.post_write(i, 8, 0)
            self.client.post_write(lap, 8, e.IBV_SEND_SIGNALED)
            self.refused(errno.ENOMEM, 0, 8, 0)
            wc, = u.poll_cq(self.client.cq)
            self.assertEqual(wc.wr_id, lap)

    def test_granted_payload(self):
        """
        The largest payloads that were granted arrive, larger ones are refused.
        """
        cap = self.client.granted()
        inline = cap.max_inline_data
        self.assertGreaterEqual(inline, 100)
        self.assertGreaterEqual(cap.max_send_sge, 3)

        data = bytes(i % 251 for i in range(inline))
        self.client.mr.write(data, inline)
        flags = e.IBV_SEND_INLINE | e.IBV_SEND_SIGNALED
        self.client.post_write(1, inline, flags)
        self.client.mr.write(b'\0' * inline, inline)
        u.poll_cq(self.client.cq)
        self.assertEqual(self.server.mr.read(inline, 0), data)

        self.client.post_write(2, 8, e.IBV_SEND_SIGNALED, cap.max_send_sge)
        u.poll_cq(self.client.cq)
        self.refused(errno.EINVAL, 3, inline + 1, flags)
        self.refused(errno.EINVAL, 4, 8, 0, cap.max_send_sge + 1)

    def test_reset_takes_completions_along(self):
        """
        After RESET nothing of the earlier life shows, and work goes on.
        """
        reset = QPAttr(qp_state=e.IBV_QPS_RESET)
        for i in range(10):
            self.client.post_write(i, 8, e.IBV_SEND_SIGNALED)
        time.sleep(0.2)
        for player in self.client, self.server:
            player.qp.modify(reset, e.IBV_QP_STATE)
        self.assertEqual(self.client.cq.poll(16)[0], 0)

        self.pre_run()
        self.client.post_write(99, 8, e.IBV_SEND_SIGNALED)
        wc, = u.poll_cq(self.client.cq)
        self.assertEqual(wc.wr_id, 99)

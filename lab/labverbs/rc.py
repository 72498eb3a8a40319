# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Devices, buffers and reliable connections on top of pyverbs. This module works on
any RoCEv2 device.
"""

import ctypes
import mmap
import os
import time

from pyverbs.addr import GID, AHAttr, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
import pyverbs.enums as e
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, SendWR, RecvWR

LOCAL = e.IBV_ACCESS_LOCAL_WRITE
ALL = (LOCAL | e.IBV_ACCESS_REMOTE_WRITE | e.IBV_ACCESS_REMOTE_READ
       | e.IBV_ACCESS_REMOTE_ATOMIC)
MADV_HUGEPAGE, MADV_NOHUGEPAGE = 14, 15
HUGE = 2 << 20


class Status(Exception):
    """A completion that is not a success; .status is the ibv_wc_status."""

    def __init__(self, wc):
        super().__init__(f"completion status {wc.status}")
        self.status = wc.status
        self.vendor_err = wc.vendor_err


class Device:
    """An open device with the port and GID that the lab chose."""

    def __init__(self, name=None, gid_index=None):
        self.name = name or os.environ["XRDMA_DEV"]
        self.gid_index = int(os.environ["XRDMA_GID_INDEX"]
                             if gid_index is None else gid_index)
        self.ctx = Context(name=self.name)
        self.gid = self.ctx.query_gid(1, self.gid_index)


class Endpoint:
    """A queue pair with a completion queue of its own."""

    def __init__(self, dev, pd, depth=64, access=ALL, sge=1, inline=0):
        self.dev, self.pd, self.access = dev, pd, access
        self.cq = CQ(dev.ctx, 2 * depth)
        cap = QPCap(depth, depth, sge, sge, inline)
        self.qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=self.cq,
                                    rcq=self.cq, cap=cap, sq_sig_all=1))
        self.psn = int.from_bytes(os.urandom(3), "big")

    def address(self):
        """The values that the other side passes to connect(); can be sent as JSON."""
        return {"qpn": self.qp.qp_num, "psn": self.psn, "gid": str(self.dev.gid)}

    def to_init(self):
        attr = QPAttr(port_num=1)
        attr.qp_access_flags = self.access
        self.qp.to_init(attr)
        return attr

    def to_rtr(self, peer, mtu=e.IBV_MTU_1024):
        """Change the queue pair to RTR, connected to the peer with this address()."""
        attr = self.to_init()
        attr.path_mtu = mtu
        attr.dest_qp_num, attr.rq_psn = peer["qpn"], peer["psn"]
        attr.max_dest_rd_atomic = attr.max_rd_atomic = 16
        attr.min_rnr_timer = 12
        route = GlobalRoute(dgid=GID(peer["gid"]), sgid_index=self.dev.gid_index)
        route.hop_limit = 64
        attr.ah_attr = AHAttr(port_num=1, is_global=1, gr=route)
        self.qp.to_rtr(attr)
        return attr

    def connect(self, peer, timeout=14, retry=7, rnr_retry=7, mtu=e.IBV_MTU_1024):
        """Change the queue pair to RTS, connected to the peer with this address()."""
        attr = self.to_rtr(peer, mtu)
        attr.sq_psn, attr.timeout = self.psn, timeout
        attr.retry_cnt, attr.rnr_retry = retry, rnr_retry
        self.qp.to_rts(attr)

    def post(self, opcode, sges, remote=0, rkey=0, wr_id=0, imm=None,
             flags=e.IBV_SEND_SIGNALED, compare=0, swap=0):
        """Post one send; @sges is a list of (address, length, lkey)."""
        wr = SendWR(wr_id=wr_id, num_sge=len(sges), opcode=opcode,
                    sg=[SGE(*s) for s in sges], imm_data=imm or 0,
                    send_flags=flags)
        if opcode in (e.IBV_WR_ATOMIC_CMP_AND_SWP, e.IBV_WR_ATOMIC_FETCH_AND_ADD):
            wr.set_wr_atomic(rkey, remote, compare, swap)
        elif rkey or remote:
            wr.set_wr_rdma(rkey, remote)
        self.qp.post_send(wr)

    def recv(self, sges, wr_id=0):
        """Post one receive."""
        self.qp.post_recv(RecvWR(wr_id=wr_id, num_sge=len(sges),
                                 sg=[SGE(*s) for s in sges]))

    def poll(self, count=1, timeout=20):
        """Wait for @count completions, whatever their status."""
        got, deadline = [], time.monotonic() + timeout
        while len(got) < count:
            n, wcs = self.cq.poll(count - len(got))
            got += wcs or []
            if not n and time.monotonic() > deadline:
                raise TimeoutError(f"{len(got)} of {count} completions")
        return got

    def wait(self, count=1, timeout=20):
        """Wait for @count completions; raise Status for one that failed."""
        wcs = self.poll(count, timeout)
        for wc in wcs:
            if wc.status != e.IBV_WC_SUCCESS:
                raise Status(wc)
        return wcs


def pair(dev, pd_a, pd_b=None, **connect):
    """Two endpoints of this process, connected to each other."""
    a, b = Endpoint(dev, pd_a), Endpoint(dev, pd_b or pd_a)
    a.connect(b.address(), **connect)
    b.connect(a.address(), **connect)
    return a, b


class Buffer:
    """Anonymous memory of the parts (length, huge): huge parts get huge pages."""

    def __init__(self, *parts):
        self.length = sum(length for length, _ in parts)
        self._map = mmap.mmap(-1, self.length + HUGE,
                              flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        base = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        self._skip = -base % HUGE
        self.address = base + self._skip
        self.view = memoryview(self._map)[self._skip:self._skip + self.length]
        at = self._skip
        for length, huge in parts:
            if length >= mmap.PAGESIZE:
                advice = MADV_HUGEPAGE if huge else MADV_NOHUGEPAGE
                self._map.madvise(advice, at, length)
            at += length


def mixed_parts(total, part=64 << 20):
    """Parts of @part bytes, @total bytes in all, alternately of huge and small pages."""
    return [(part, n % 2 == 0) for n in range(total // part)]

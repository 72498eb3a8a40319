# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Queue pairs whose entries the test writes itself, as a hostile process can: without
the provider, any bytes can be posted. The layouts are those of
include/uapi/rdma/xrdma-abi.h.

The tests check what the device does with the entries.
"""

import ctypes
import mmap
import os
import struct
import time
from typing import NamedTuple

import pyverbs.enums as e

from labverbs.rc import ALL, Buffer
from lib import uverbs

SEND, SEND_IMM, SEND_INV, WRITE, WRITE_IMM, READ = range(1, 7)
CMP_SWAP, FETCH_ADD, BIND_MW, LOCAL_INV, REG_MR = range(7, 12)
RECV = 128
SIGNALED, FENCE, SOLICITED, INLINE = 1, 2, 4, 8

CQE_INV = 1 << 2

# Rights of entries and of bind segments
LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC = 1, 2, 4, 8
MW_BIND, ZERO_BASED = 16, 32
REMOTE = REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC

REASONS = ("none", "key_index", "key_invalid", "key_free", "key_byte", "pd",
           "qp", "rights", "range", "translation", "bound", "type", "align",
           "qp_rights", "not_free")

STATUS = {number: name for name, number in {
    "SUCCESS": 0, "LOC_LEN_ERR": 1, "LOC_QP_OP_ERR": 2, "LOC_PROT_ERR": 4,
    "WR_FLUSH_ERR": 5, "MW_BIND_ERR": 6, "BAD_RESP_ERR": 7,
    "LOC_ACCESS_ERR": 8, "REM_INV_REQ_ERR": 9, "REM_ACCESS_ERR": 10,
    "REM_OP_ERR": 11, "RETRY_EXC_ERR": 12, "RNR_RETRY_EXC_ERR": 13,
    "FATAL_ERR": 19, "GENERAL_ERR": 21}.items()}

RESET, INIT, RTR, RTS, SQD, SQE, ERR = range(7)


# ---- send entries --------------------------------------------------------------

def _entry(opcode, inv_key=0, remote=0, rkey=0, sges=(), flags=SIGNALED,
           segment=b"", num_sge=None):
    head = struct.pack("<BBHIQII", opcode, flags,
                       len(sges) if num_sge is None else num_sge,
                       inv_key, remote % 2**64, rkey, 0)
    return head, segment + b"".join(struct.pack("<QII", *s) for s in sges)


def access(opcode, remote, rkey, sge, **more):
    """A send entry for WRITE, READ or an atomic, which adds 1 or swaps 0 for 0."""
    segment = b""
    if opcode in (CMP_SWAP, FETCH_ADD):
        segment = struct.pack("<QQ", opcode == FETCH_ADD, 0)
    return _entry(opcode, remote=remote, rkey=rkey, sges=[sge],
                  segment=segment, **more)


def send(*sges, **more):
    return _entry(SEND, sges=sges, **more)


def send_inv(key, *sges, **more):
    return _entry(SEND_INV, inv_key=key, sges=sges, **more)


def local_inv(key, **more):
    return _entry(LOCAL_INV, inv_key=key, **more)


def bind(window, new_key, mr_key, addr, length, rights, reserved=0, **more):
    segment = struct.pack("<QQIIII", addr % 2**64, length % 2**64, mr_key,
                          new_key, rights, reserved)
    return _entry(BIND_MW, inv_key=window, segment=segment, **more)


# ---- completions ---------------------------------------------------------------

class Completion(NamedTuple):
    """A completion, with the names of status and reason."""
    wr_id: int
    status: str
    reason: str
    opcode: int
    byte_len: int
    flags: int
    inv_key: int


def _completion(raw):
    wr_id, byte_len, key, _, _, opcode, status, flags, vendor = \
        struct.unpack_from("<QIIIIBBHH", raw)
    return Completion(wr_id, STATUS.get(status, status),
                      REASONS[vendor] if vendor < len(REASONS) else vendor,
                      opcode, byte_len, flags, key)


# ---- queue pairs ---------------------------------------------------------------

def put32(view, at, value):
    """Writes a word by one store, since the device may read it at the same time.
    struct.pack_into() would write zeros first."""
    view.cast("I")[at // 4] = value


class RawEnd:
    """An RC queue pair with a completion queue of its own."""

    UNIT = 64           # one unit: any entry with up to 2 SGEs
    SQ_UNITS = 3
    LOG_RQ_STRIDE = 5

    def __init__(self, dev, pd, log_depth=5, rights=ALL):
        self.dev, self.pd, self.rights = dev, pd, rights
        self.depth = 1 << log_depth
        self._make_cq(log_depth + 1)
        self._make_qp(log_depth)
        self._db = mmap.mmap(dev.ctx.cmd_fd, 4096, offset=0)
        self._db_word = ctypes.c_uint64.from_buffer(self._db)
        self._cq_db = ctypes.c_uint64.from_buffer(self._db, 8)

    def _make_cq(self, log_depth):
        self._log_cq = log_depth
        self._cq_ring = Buffer((64 << log_depth, False), (4096, False))
        self._cq_rec = 64 << log_depth
        self.cq, _, _ = uverbs.create_cq(
            self.dev.ctx, 1 << log_depth,
            struct.pack("<QII", self._cq_ring.address, log_depth, 0),
            response_size=16)
        self._ci = 0

    def _make_qp(self, log_depth):
        self._sq = 1 << log_depth + self.LOG_RQ_STRIDE
        end = self._sq + ((self.SQ_UNITS << log_depth) +
                          self.SQ_UNITS - 1) * self.UNIT
        self._rec = -(-end // 128) * 128
        self._ring = Buffer((self._rec + 128, False))
        data = struct.pack("<QBBBBI", self._ring.address, log_depth,
                           self.SQ_UNITS, log_depth, self.LOG_RQ_STRIDE, 0)
        self.handle, self.qpn = uverbs.create_qp_numbers(
            self.dev.ctx, self.pd, self.cq, data, send_wr=self.depth,
            recv_wr=self.depth)
        self.psn = int.from_bytes(os.urandom(3), "big")
        self._sq_pi = self._rq_pi = self._place = 0

    def close(self):
        """Destroys both queues; OSError if the driver refuses."""
        uverbs.destroy_qp(self.dev.ctx, self.handle)
        uverbs.destroy_cq(self.dev.ctx, self.cq)

    # states

    def state(self):
        return uverbs.query_qp_state(self.dev.ctx, self.handle)

    def reset(self):
        """Changes to state RESET and clears the rings, as the provider does."""
        uverbs.modify_qp(self.dev.ctx, self.handle, state=RESET)
        self.completions()
        self._ring.view[self._rec:self._rec + 128] = bytes(128)
        self._sq_pi = self._rq_pi = self._place = 0

    def connect(self, peer, mtu=e.IBV_MTU_1024, timeout=14, retry=7):
        """Changes to state RTS, connected to another RawEnd of this port."""
        modify, ctx = uverbs.modify_qp, self.dev.ctx
        modify(ctx, self.handle, state=INIT, access=self.rights)
        modify(ctx, self.handle, state=RTR, mtu=mtu, dest_qpn=peer.qpn,
               rq_psn=peer.psn, gid=str(self.dev.gid),
               sgid_index=self.dev.gid_index)
        modify(ctx, self.handle, state=RTS, sq_psn=self.psn, timeout=timeout,
               retry=retry)

    # work

    def post(self, *entries, first=1):
        """Posts send entries with wr_ids @first, @first + 1, ..., and rings the
        doorbell once."""
        view = self._ring.view
        for number, (head, tail) in enumerate(entries, first):
            raw = bytearray(head + struct.pack("<Q", number) + tail)
            units = -(-len(raw) // self.UNIT)
            raw[1] |= units - 1 << 4
            at = self._sq + self._place * self.UNIT
            view[at:at + len(raw)] = bytes(raw)
            self._place = (self._place + units) % (self.SQ_UNITS * self.depth)
            self._sq_pi = (self._sq_pi + 1) % 2**32
        put32(view, self._rec, self._sq_pi)
        self._db_word.value = self._sq_pi << 32 | self.qpn

    def recv(self, *sges, wr_id=100):
        """Posts a receive."""
        size = 1 << self.LOG_RQ_STRIDE
        at = self._rq_pi % self.depth * size
        raw = struct.pack("<HHHHQ", len(sges), 0, 0, 0, wr_id) + \
            b"".join(struct.pack("<QII", *s) for s in sges)
        self._ring.view[at:at + size] = raw.ljust(size, b"\0")
        self._rq_pi = (self._rq_pi + 1) % 2**32
        put32(self._ring.view, self._rec + 4, self._rq_pi)

    def completions(self):
        """Polls all completions that are in the queue."""
        got, view = [], self._cq_ring.view
        while True:
            at = self._ci % (1 << self._log_cq) * 64
            lap = self._ci >> self._log_cq & 1
            if view[at + 60] & 1 == lap:
                break
            got.append(_completion(bytes(view[at:at + 64])))
            self._ci = (self._ci + 1) % 2**32
        put32(view, self._cq_rec, self._ci)
        return got

    def poll(self, count=1, timeout=20):
        """Waits for @count completions, whatever their status."""
        got, deadline = self.completions(), time.monotonic() + timeout
        while len(got) < count:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{len(got)} of {count} completions: {got}")
            got += self.completions()
        return got

    def do(self, *entries):
        """Posts entries and waits for their completions, which must be successes."""
        self.post(*entries)
        got = self.poll(len(entries))
        assert {wc.status for wc in got} == {"SUCCESS"}, got
        return got


class Pair:
    """Two connected RawEnds: @near posts requests, @far is the responder."""

    def __init__(self, dev, pd, far_pd=None, far_rights=ALL, **connect):
        self.near = RawEnd(dev, pd)
        self.far = RawEnd(dev, far_pd or pd, rights=far_rights)
        self._connect = connect
        self._up()

    def _up(self):
        self.near.connect(self.far, **self._connect)
        self.far.connect(self.near, **self._connect)

    def again(self):
        """Resets and connects both ends after an error."""
        self.near.reset()
        self.far.reset()
        self._up()

    def states(self):
        return self.near.state(), self.far.state()

    def close(self):
        self.near.close()
        self.far.close()

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Creates objects of each kind by commands of uverbs whose driver data the test
chooses, and destroys them. The commands are in uverbs.py and uioctl.py."""

import ipaddress
import struct

from labverbs.rc import Buffer
from lib import uioctl, uverbs

X = uverbs.EXTENDED
GET_CONTEXT, ALLOC_PD, CREATE_AH = 0, 3, 5
CREATE_CQ, CREATE_QP, MODIFY_QP = 18, 24, 26
CREATE_SRQ, MODIFY_SRQ, DESTROY_SRQ = 32, 33, 35
CREATE_WQ, MODIFY_WQ, DESTROY_WQ = X | 52, X | 53, X | 54
CREATE_TABLE, DESTROY_TABLE = X | 55, X | 56
RC, UD, RAW_PACKET = 2, 4, 8
TOEPLITZ = 1


def first(raw, at=0):
    """The 32-bit word at byte @at of a reply."""
    return struct.unpack_from("<I", raw, at)[0]


class Raw:
    """One object of each kind, made without libibverbs."""

    def __init__(self, dev, pd):
        self.dev, self.ctx, self.pd = dev, dev.ctx, pd.handle
        self.room = [Buffer((65536, False)) for _ in range(5)]
        self.cq = first(self.create_cq(0))
        self.srq = first(self.create_srq(1))
        self.qp = first(self.create_qp(2))
        self.wq = first(self.create_wq(3), 8)
        self.table = first(self.create_table(), 8)
        self.spare_cq = None

    def close(self):
        for command, handle in ((DESTROY_TABLE, self.table),
                                (DESTROY_WQ, self.wq)):
            uioctl.invoke(self.ctx, command, struct.pack("<II", 0, handle),
                          reply=0 if command == DESTROY_TABLE else 16)
        uverbs.destroy_qp(self.ctx, self.qp)
        uioctl.invoke(self.ctx, DESTROY_SRQ, struct.pack("<II", self.srq, 0),
                      reply=4)
        uverbs.destroy_cq(self.ctx, self.cq)

    # room: the number of the buffer that the object uses; place: see uioctl.invoke()

    def alloc_pd(self, _, place=None):
        return uioctl.invoke(self.ctx, ALLOC_PD, b"", b"", 4, 8, place)

    def create_ah(self, _, place=None, driver=b""):
        gid = ipaddress.ip_address(str(self.dev.gid)).packed
        return uioctl.invoke(
            self.ctx, CREATE_AH, struct.pack("<QII", 0, self.pd, 0) + gid +
            struct.pack("<I4BH6B", 0, self.dev.gid_index, 64, 0, 0, 0, 0, 0, 0,
                        1, 1, 0), driver, 4, 32, place)

    def create_cq(self, room, place=None):
        return uioctl.invoke(
            self.ctx, CREATE_CQ, struct.pack("<QIIiI", 0, 16, 0, -1, 0),
            struct.pack("<QII", self.room[room].address, 4, 0), 8, 8, place)

    def other_cq(self):
        """A completion queue that no other object uses. Returns the same one until it
        is destroyed."""
        if self.spare_cq is None:
            self.spare_cq = first(self.create_cq(4))
        return self.spare_cq

    def create_srq(self, room, place=None):
        return uioctl.invoke(
            self.ctx, CREATE_SRQ, struct.pack("<QIIII", 0, self.pd, 8, 1, 0),
            struct.pack("<QBB6x", self.room[room].address, 4, 6), 16, 8, place)

    def create_qp(self, room, place=None):
        return uioctl.invoke(
            self.ctx, CREATE_QP, struct.pack(
                "<QIIII5IBBBx", 0, self.pd, self.cq, self.cq, 0, 8, 8, 1, 1, 0,
                1, RC, 0), struct.pack("<QBBBBI", self.room[room].address, 4, 1,
                                       4, 5, 0), 32, 8, place)

    def create_wq(self, room, place=None):
        return uioctl.invoke(
            self.ctx, CREATE_WQ, struct.pack("<IIQIIIIII", 0, 0, 0, self.pd,
                                             self.cq, 8, 1, 0, 0),
            struct.pack("<QBB6x", self.room[room].address, 4, 5), 24, 8, place)

    def create_table(self):
        return uioctl.invoke(self.ctx, CREATE_TABLE,
                             struct.pack("<IIII", 0, 0, self.wq, 0), b"", 16)

    def create_rss(self, _, place=None, kind=RAW_PACKET, send_wr=0, srq=None,
                   function=TOEPLITZ, fields=3, key_len=40, reserved=0):
        return uioctl.invoke(
            self.ctx, X | CREATE_QP, struct.pack(
                "<QIIII5IBBBxIIII", 0, self.pd, 0, 0, srq or 0, send_wr, 0, 1, 0,
                0, 1, kind, bool(srq), 1, 0, self.table, 0),
            struct.pack("<QBBB5x40s", fields, function, key_len, reserved,
                        bytes(40)), 40, 8, place)

    def alloc_dm(self, _, place=None):
        return struct.pack("<I", uioctl.alloc_dm(self.ctx, 4096,
                                                 place=place)[0])


DESTROY = {
    "alloc_pd": lambda raw, out: uverbs.plain(
        raw.ctx, uverbs.DEALLOC_PD, out[:4]),
    "create_ah": lambda raw, out: uverbs.plain(raw.ctx, 8, out[:4]),
    "create_cq": lambda raw, out: uverbs.destroy_cq(raw.ctx, first(out)),
    "create_srq": lambda raw, out: uioctl.invoke(
        raw.ctx, DESTROY_SRQ, out[:4] + bytes(4), reply=4),
    "create_qp": lambda raw, out: uverbs.destroy_qp(raw.ctx, first(out)),
    "create_rss": lambda raw, out: uverbs.destroy_qp(raw.ctx, first(out)),
    "create_wq": lambda raw, out: uioctl.invoke(
        raw.ctx, DESTROY_WQ, bytes(4) + out[8:12], reply=16),
    "alloc_dm": lambda raw, out: uioctl.free_dm(raw.ctx, first(out)),
}

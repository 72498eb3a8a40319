# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What the core lets through and the driver has to refuse: driver data that a verb
does not have, attributes that this device lacks, replies that cannot be written.
Nothing is left of a call that was refused, and the next one works."""

import errno
import gc
import ipaddress
import json
import os
import pathlib
import struct
import subprocess
import types

import pytest

from labverbs.rc import Buffer
from lib import uioctl, uverbs

X = uverbs.EXTENDED
GET_CONTEXT, ALLOC_PD, CREATE_AH = 0, 3, 5
CREATE_CQ, CREATE_QP, MODIFY_QP = 18, 24, 26
CREATE_SRQ, MODIFY_SRQ, DESTROY_SRQ = 32, 33, 35
CREATE_WQ, MODIFY_WQ, DESTROY_WQ = X | 52, X | 53, X | 54
CREATE_TABLE, DESTROY_TABLE = X | 55, X | 56
RC, UD, RAW_PACKET = 2, 4, 8
NOWHERE = 4096          # an address of no memory
TOEPLITZ = 1


def errno_of(call, *args, **kwargs):
    with pytest.raises(OSError) as failure:
        call(*args, **kwargs)
    return failure.value.errno


def first(raw, at=0):
    return struct.unpack_from("<I", raw, at)[0]


class Raw:
    """One of each thing, made without a library."""

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

    # each with its own of the rooms; place: see uioctl.invoke()

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
        """One that nothing else needs; the same until it has ended."""
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
                1, RC, 0), struct.pack("<QBBBBI", self.room[room].address, 4, 6,
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


@pytest.fixture
def raw(dev, pd):
    raw = Raw(dev, pd)
    yield raw
    raw.close()


def resources():
    """What there is. Objects of tests before this one, which Python has not
    collected yet, go first."""
    gc.collect()
    out = subprocess.run(["rdma", "-j", "resource", "show"], check=True,
                         capture_output=True, text=True).stdout
    return json.loads(out)


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


@pytest.mark.parametrize("name", DESTROY)
def test_a_reply_that_cannot_be_written_undoes_the_call(raw, name):
    before = resources()
    for _ in range(3):
        assert errno_of(getattr(raw, name), 4, NOWHERE) == errno.EFAULT
    assert resources() == before
    DESTROY[name](raw, getattr(raw, name)(4))
    assert resources() == before


@pytest.mark.parametrize("code,wrong", [
    (errno.EOPNOTSUPP, {"kind": RC}),
    (errno.EINVAL, {"send_wr": 8}),
    (errno.EINVAL, {"reserved": 1}),
    (errno.EINVAL, {"key_len": 39}),
    (errno.EOPNOTSUPP, {"function": 2}),
    (errno.EOPNOTSUPP, {"fields": 1 << 40}),
])
def test_queue_pair_with_a_table_that_cannot_be(raw, code, wrong):
    assert errno_of(raw.create_rss, 4, **wrong) == code
    DESTROY["create_rss"](raw, raw.create_rss(4))


@pytest.mark.parametrize("attributes", [
    pytest.param(0x4, id="flags"), pytest.param(0x5, id="state and flags")])
def test_a_work_queue_has_no_flags_to_change(raw, attributes):
    request = struct.pack("<IIIIII", attributes, raw.wq, 0, 0, 1, 1)
    assert errno_of(uioctl.invoke, raw.ctx, MODIFY_WQ,
                    request) == errno.EOPNOTSUPP


def test_a_group_has_a_member_once(raw, pd):
    """To the core one LID is another group than the next; Ethernet has none."""
    group = ipaddress.ip_address("::ffff:239.1.2.3").packed
    qp = uverbs.create_qp(raw.ctx, pd, raw.cq, struct.pack(
        "<QBBBBI", raw.room[4].address, 4, 7, 4, 5, 0), kind=UD)
    for _ in range(2):
        uverbs.attach_mcast(raw.ctx, qp, group, 1)
        assert errno_of(uverbs.attach_mcast, raw.ctx, qp, group,
                        2) == errno.EINVAL
        uverbs.detach_mcast(raw.ctx, qp, group, 1)
    uverbs.destroy_qp(raw.ctx, qp)


PATH_MIG_STATE, CAP, RATE_LIMIT = 1 << 18, 1 << 19, 1 << 25
TO_INIT, INIT, REARM, PORT = 0x39, 1, 1, 1


def modify_qp(raw, mask, driver=b""):
    """To INIT."""
    request = bytes(64) + struct.pack("<II", raw.qp, TO_INIT | mask) + \
        bytes(24) + bytes((INIT, 0, 0, REARM, 0, 0, 0, 0, PORT)) + bytes(15)
    uioctl.invoke(raw.ctx, X | MODIFY_QP, request, driver, reply=8)


@pytest.mark.parametrize("mask", [CAP, PATH_MIG_STATE, RATE_LIMIT],
                         ids=["size", "path", "rate"])
def test_attributes_that_no_queue_pair_has(raw, mask):
    assert errno_of(modify_qp, raw, mask) == errno.EOPNOTSUPP
    modify_qp(raw, 0)


# each works without
NO_DRIVER_DATA = {
    "modify_srq": lambda raw, driver: uioctl.invoke(
        raw.ctx, MODIFY_SRQ, struct.pack("<IIII", raw.srq, 2, 0, 3), driver),
    "modify_srq_not_at_all": lambda raw, driver: uioctl.invoke(
        raw.ctx, MODIFY_SRQ, struct.pack("<IIII", raw.srq, 0, 0, 0), driver),
    "modify_wq": lambda raw, driver: uioctl.invoke(
        raw.ctx, MODIFY_WQ, struct.pack("<IIIIII", 1, raw.wq, 0, 0, 0, 0),
        driver),
    "modify_qp": lambda raw, driver: modify_qp(raw, 0, driver),
    "create_ah": lambda raw, driver: DESTROY["create_ah"](
        raw, raw.create_ah(4, driver=driver)),
    "destroy_cq": lambda raw, driver: uioctl.invoke(
        raw.ctx, uverbs.DESTROY_CQ, struct.pack("<II", raw.other_cq(), 0),
        driver, reply=8),
}


@pytest.mark.parametrize("name", NO_DRIVER_DATA)
def test_driver_data_of_a_verb_that_has_none(raw, name):
    code = errno_of(NO_DRIVER_DATA[name], raw, struct.pack("<Q", 1))
    assert code in (errno.EINVAL, errno.EOPNOTSUPP)
    NO_DRIVER_DATA[name](raw, b"")


@pytest.fixture
def fresh(dev):
    """A file that has no context yet."""
    path, = [path.parent.name for path in
             pathlib.Path("/sys/class/infiniband_verbs").glob("*/ibdev")
             if path.read_text().strip() == dev.name]
    fd = os.open(f"/dev/infiniband/{path}", os.O_RDWR)
    yield types.SimpleNamespace(cmd_fd=fd)
    os.close(fd)


def test_driver_data_of_a_context(fresh):
    assert errno_of(uverbs.call, fresh, GET_CONTEXT, b"", 72,
                    struct.pack("<Q", 1)) in (errno.EINVAL, errno.EOPNOTSUPP)
    os.close(first(uverbs.call(fresh, GET_CONTEXT, b"", 72)))

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Requests that the core accepts and the driver must refuse: driver data for a verb
that has none, attributes that this device lacks, replies that cannot be written. A
refused call must leave nothing behind, and the next call must work. Runs in a
guest."""

import errno
import ipaddress
import os
import pathlib
import struct
import types

import pytest

from lib import uioctl, uverbs
from lib.errnos import errno_of
from lib.raw_objects import (DESTROY, GET_CONTEXT, MODIFY_QP, MODIFY_SRQ,
                             MODIFY_WQ, RC, UD, X, Raw, first)
from lib.rdma_tool import totals

NOWHERE = 4096          # an address of no memory


@pytest.fixture
def raw(dev, pd):
    raw = Raw(dev, pd)
    yield raw
    raw.close()


@pytest.mark.parametrize("name", DESTROY)
def test_a_reply_that_cannot_be_written_undoes_the_call(dev, raw, name):
    before = totals(dev)
    for _ in range(3):
        assert errno_of(getattr(raw, name), 4, NOWHERE) == errno.EFAULT
    assert totals(dev) == before
    DESTROY[name](raw, getattr(raw, name)(4))
    assert totals(dev) == before


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
    """A group with another LID is another group for the core, but not on Ethernet, which
    has no LIDs: the driver must refuse it."""
    group = ipaddress.ip_address("::ffff:239.1.2.3").packed
    qp = uverbs.create_qp(raw.ctx, pd, raw.cq, struct.pack(
        "<QBBBBI", raw.room[4].address, 4, 2, 4, 5, 0), kind=UD)
    for _ in range(2):
        uverbs.attach_mcast(raw.ctx, qp, group, 1)
        assert errno_of(uverbs.attach_mcast, raw.ctx, qp, group,
                        2) == errno.EINVAL
        uverbs.detach_mcast(raw.ctx, qp, group, 1)
    uverbs.destroy_qp(raw.ctx, qp)


PATH_MIG_STATE, CAP, RATE_LIMIT = 1 << 18, 1 << 19, 1 << 25
TO_INIT, INIT, REARM, PORT = 0x39, 1, 1, 1


def modify_qp(raw, mask, driver=b""):
    """Changes the queue pair to INIT, with further bits in the attribute mask."""
    request = bytes(64) + struct.pack("<II", raw.qp, TO_INIT | mask) + \
        bytes(24) + bytes((INIT, 0, 0, REARM, 0, 0, 0, 0, PORT)) + bytes(15)
    uioctl.invoke(raw.ctx, X | MODIFY_QP, request, driver, reply=8)


@pytest.mark.parametrize("mask", [CAP, PATH_MIG_STATE, RATE_LIMIT],
                         ids=["size", "path", "rate"])
def test_attributes_that_no_queue_pair_has(raw, mask):
    assert errno_of(modify_qp, raw, mask) == errno.EOPNOTSUPP
    modify_qp(raw, 0)


# verb -> call with driver data; without driver data each call succeeds
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
    """An open file of the device that has no context yet."""
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

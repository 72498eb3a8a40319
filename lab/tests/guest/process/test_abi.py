# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Invalid requests at the user ABI: structures that are too short or have unknown
bits or illegal values, memory that does not exist, pages of others, calls in the
wrong order. Runs in a guest."""

import errno
import mmap
import os
import struct

import pytest
from pyverbs.cq import CQ

from labverbs.rc import Buffer, Endpoint
from lib import uioctl, uverbs

OPEN_XRCD, CLOSE_XRCD = 37, 38
REFUSED = (errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSPC)


@pytest.fixture
def buf():
    return Buffer((1 << 20, False))


def cq_data(buf, log_depth=4, reserved=0, skip=0):
    return struct.pack("<QII", buf.address + skip, log_depth, reserved)


def qp_data(buf, sq=(4, 1), rq=(4, 5), reserved=0, skip=0):
    return struct.pack("<QBBBBI", buf.address + skip, *sq, *rq, reserved)


def refused(call, *args, codes=REFUSED, **kwargs):
    with pytest.raises(OSError) as failure:
        call(*args, **kwargs)
    assert failure.value.errno in codes, failure.value


def test_well_formed_structures_are_taken(dev, pd, buf):
    handle, cqe, _ = uverbs.create_cq(dev.ctx, 16, cq_data(buf))
    assert cqe >= 16
    other = Buffer((1 << 20, False))
    qp = uverbs.create_qp(dev.ctx, pd, handle, qp_data(other))
    refused(uverbs.destroy_cq, dev.ctx, handle, codes=(errno.EBUSY,))
    uverbs.destroy_qp(dev.ctx, qp)
    uverbs.destroy_cq(dev.ctx, handle)


@pytest.mark.parametrize("length", [0, 4, 8, 12])
def test_cq_structure_too_short(dev, buf, length):
    refused(uverbs.create_cq, dev.ctx, 16, cq_data(buf)[:length])


def test_cq_structure_with_an_unknown_tail(dev, buf):
    refused(uverbs.create_cq, dev.ctx, 16,
            cq_data(buf) + struct.pack("<Q", 1))


def test_cq_reserved_field(dev, buf):
    refused(uverbs.create_cq, dev.ctx, 16, cq_data(buf, reserved=1))


@pytest.mark.parametrize("cqe,log_depth", [
    (16, 3), (17, 4), (16, 31), (16, 255), (16, 23), (0, 4), (1 << 23, 22)])
def test_cq_depth(dev, buf, cqe, log_depth):
    refused(uverbs.create_cq, dev.ctx, cqe, cq_data(buf, log_depth))


@pytest.mark.parametrize("skip", [1, 64, 2048])
def test_cq_buffer_that_is_not_aligned(dev, buf, skip):
    refused(uverbs.create_cq, dev.ctx, 16, cq_data(buf, skip=skip))


def test_cq_buffer_that_is_not_mapped(dev):
    data = struct.pack("<QII", 4096, 4, 0)
    refused(uverbs.create_cq, dev.ctx, 16, data, codes=(errno.EFAULT,))


def test_cq_vector_that_is_not_there(dev, buf):
    refused(uverbs.create_cq, dev.ctx, 16, cq_data(buf), vector=10000)


@pytest.fixture
def cq(dev):
    ring = Buffer((65536, False))
    handle, _, _ = uverbs.create_cq(dev.ctx, 64, cq_data(ring, 6))
    yield handle
    uverbs.destroy_cq(dev.ctx, handle)


@pytest.mark.parametrize("length", [0, 8, 12])
def test_qp_structure_too_short(dev, pd, cq, buf, length):
    refused(uverbs.create_qp, dev.ctx, pd, cq, qp_data(buf)[:length])


def test_qp_reserved_field(dev, pd, cq, buf):
    refused(uverbs.create_qp, dev.ctx, pd, cq, qp_data(buf, reserved=1))


@pytest.mark.parametrize("sq,rq", [
    ((4, 0), (4, 5)), ((4, 17), (4, 5)), ((16, 1), (4, 5)), ((4, 1), (16, 5)),
    ((4, 1), (4, 4)), ((4, 1), (4, 11)), ((255, 255), (255, 255)),
    ((3, 1), (4, 5)), ((4, 1), (3, 5)), ((4, 1), (4, 0)),
])
def test_qp_depths_and_sizes_of_entries(dev, pd, cq, buf, sq, rq):
    refused(uverbs.create_qp, dev.ctx, pd, cq, qp_data(buf, sq, rq))


@pytest.mark.parametrize("want", [
    {"send_wr": 1 << 20}, {"recv_wr": 1 << 20}, {"send_sge": 100},
    {"recv_sge": 100}, {"send_wr": 17}, {"recv_wr": 17}, {"recv_sge": 3},
    {"inline": 1 << 16}, {"kind": 77}])
def test_qp_limits(dev, pd, cq, buf, want):
    refused(uverbs.create_qp, dev.ctx, pd, cq, qp_data(buf), **want)


def test_qp_buffer_that_is_not_aligned(dev, pd, cq, buf):
    refused(uverbs.create_qp, dev.ctx, pd, cq, qp_data(buf, skip=64))


def test_qp_buffer_that_is_not_mapped(dev, pd, cq):
    data = struct.pack("<QBBBBI", 4096, 4, 1, 4, 5, 0)
    refused(uverbs.create_qp, dev.ctx, pd, cq, data, codes=(errno.EFAULT,))


def test_foreign_pages_can_not_be_mapped(dev):
    # offsets 0 and 1 are the context's own doorbell page and push page
    for page in range(2, 4096, 97):
        with pytest.raises(OSError) as failure:
            mmap.mmap(dev.ctx.cmd_fd, 4096, offset=page * 4096)
        assert failure.value.errno == errno.EINVAL


def test_doorbell_page_is_not_readable_memory_of_another_size(dev):
    with pytest.raises(OSError):
        mmap.mmap(dev.ctx.cmd_fd, 1 << 20, offset=0)


def test_queue_pair_states_out_of_order(dev, pd):
    import pyverbs.enums as e
    from pyverbs.pyverbs_error import PyverbsRDMAError
    from pyverbs.qp import QPAttr
    end = Endpoint(dev, pd)
    for state in (e.IBV_QPS_RTR, e.IBV_QPS_RTS):
        with pytest.raises(PyverbsRDMAError) as failure:
            end.qp.modify(QPAttr(qp_state=state), e.IBV_QP_STATE)
        assert failure.value.error_code == errno.EINVAL


def test_completion_queue_deeper_than_the_limit(dev):
    from pyverbs.pyverbs_error import PyverbsRDMAError
    limit = dev.ctx.query_device().max_cqe
    CQ(dev.ctx, limit).close()
    with pytest.raises(PyverbsRDMAError):
        CQ(dev.ctx, limit + 1)


@pytest.mark.parametrize("driver", [0, 1])
def test_closing_an_xrc_domain_does_not_fail(dev, driver):
    """Closing succeeds with any driver data. The core takes a failure for another user
    of the domain, never frees the domain, and warns when the device is closed."""
    request = struct.pack("<iI", -1, os.O_CREAT)
    out = uverbs.call(dev.ctx, OPEN_XRCD, request, 4)
    handle, = struct.unpack("<I", out)
    close = (uioctl.invoke, dev.ctx, CLOSE_XRCD, struct.pack("<I", handle),
             struct.pack("<Q", driver))
    close[0](*close[1:])
    refused(*close, codes=(errno.ENOENT,))

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Registration of regions: what is granted, and which errno refuses the rest. A
registration must send no command to the device and leave nothing behind. Runs in a
guest."""

import ctypes
import errno
import os

import pytest
import pyverbs.enums as e
from pyverbs.mr import MR

from labverbs.rc import ALL, LOCAL, Buffer, pair
from lib import paged, uverbs
from lib.errnos import fails
from lib.rdma_tool import resources

WRITE = e.IBV_WR_RDMA_WRITE
READABLE, WRITABLE = 1, 3       # protection flags of mmap()
PRIVATE = 0x22                  # anonymous memory


@pytest.fixture
def buf():
    return Buffer((1 << 20, False))


@pytest.mark.parametrize("access", [
    e.IBV_ACCESS_REMOTE_WRITE, e.IBV_ACCESS_REMOTE_ATOMIC,
    e.IBV_ACCESS_REMOTE_WRITE | e.IBV_ACCESS_REMOTE_READ])
def test_remote_write_and_atomic_need_local_write(dev, pd, buf, access):
    fails(errno.EINVAL, uverbs.reg_mr, dev.ctx, pd, buf.address, 4096,
          buf.address, access)


@pytest.mark.parametrize("access", [1 << 10, 1 << 15, 1 << 19, 1 << 30])
def test_unknown_access_flags(dev, pd, buf, access):
    with pytest.raises(OSError) as failure:
        uverbs.reg_mr(dev.ctx, pd, buf.address, 4096, buf.address, access)
    assert failure.value.errno in (errno.EINVAL, errno.EOPNOTSUPP)


@pytest.mark.parametrize("start,length,iova", [
    (0, 0, 0),                                      # nothing
    (-4096, 8192, 0),                               # memory that wraps
    (0, 4096, -2048),                               # addresses that wrap
    (0, 2**64 - 1, 0), (0, 2**63, 0),
])
def test_zero_and_overflowing_lengths(dev, pd, buf, start, length, iova):
    start = (buf.address + start if start >= 0 else start) % 2**64
    iova = (start & 4095) + iova if iova >= 0 else iova
    with pytest.raises(OSError) as failure:
        uverbs.reg_mr(dev.ctx, pd, start, length, iova % 2**64, LOCAL)
    assert failure.value.errno in (errno.EINVAL, errno.ENOMEM, errno.EFAULT,
                                   errno.EOVERFLOW)


def test_iova_with_another_offset_in_the_page(dev, pd, buf):
    fails(errno.EINVAL, uverbs.reg_mr, dev.ctx, pd, buf.address, 4096, 100,
          LOCAL)


def libc():
    """The C library's mmap() and munmap(), for memory without a Python object."""
    lib = ctypes.CDLL(None, use_errno=True)
    lib.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    lib.mmap.restype = ctypes.c_void_p
    lib.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int,
                         ctypes.c_int, ctypes.c_int, ctypes.c_long]
    return lib


def test_memory_that_is_not_mapped(dev, pd):
    size = 1 << 20
    gone = libc().mmap(None, size, WRITABLE, PRIVATE, -1, 0)
    assert libc().munmap(gone + size // 2, size // 2) == 0
    fails(errno.EFAULT, uverbs.reg_mr, dev.ctx, pd, gone, size, gone, LOCAL)


def test_read_only_memory(dev, pd):
    readonly = libc().mmap(None, 65536, READABLE, PRIVATE, -1, 0)
    fails(errno.EFAULT, uverbs.reg_mr, dev.ctx, pd, readonly, 65536, readonly,
          LOCAL)
    handle, _, _ = uverbs.reg_mr(dev.ctx, pd, readonly, 65536, readonly,
                                 e.IBV_ACCESS_REMOTE_READ)
    uverbs.dereg_mr(dev.ctx, handle)


@pytest.mark.parametrize("iova", [0, 0x1000, 0x123456789000, 2**64 - (1 << 20),
                                  0xfffffffffff00000 - (1 << 21)])
def test_any_iova(dev, pd, buf, iova):
    """The peer names bytes by IOVA, not by their address."""
    handle, lkey, rkey = uverbs.reg_mr(dev.ctx, pd, buf.address, buf.length,
                                       iova, ALL)
    near = Buffer((65536, False))
    near.view[:] = os.urandom(65536)
    near_mr = MR(pd, 65536, LOCAL, address=near.address)
    a, b = pair(dev, pd)
    at = 12345
    a.post(WRITE, [(near.address, 65536, near_mr.lkey)], iova + at, rkey)
    a.wait()
    assert bytes(buf.view[at:at + 65536]) == bytes(near.view)
    assert not any(buf.view[:at]) and not any(buf.view[at + 65536:])
    uverbs.dereg_mr(dev.ctx, handle)


@pytest.mark.parametrize("skip", [0, 4096, 4096 * 3 + 17])
@pytest.mark.parametrize("parts", [
    [(6 << 20, True)],
    [(2 << 20, True), (2 << 20, False), (4 << 20, True)],
    [(2 << 20, False), (2 << 20, True), (2 << 20, False)],
], ids=["huge", "huge-small-huge", "small-huge-small"])
def test_mixed_block_sizes_keep_every_byte_in_place(dev, pd, parts, skip):
    far = Buffer(*parts)
    far.view[:] = bytes(far.length)
    near = Buffer((far.length, False))
    near.view[:] = os.urandom(near.length)
    length = far.length - skip - 5
    far_mr = MR(pd, length, ALL, address=far.address + skip)
    near_mr = MR(pd, near.length, LOCAL, address=near.address)
    a, b = pair(dev, pd)
    a.post(WRITE, [(near.address, length, near_mr.lkey)], far.address + skip,
           far_mr.rkey)
    a.wait()
    assert bytes(far.view[skip:skip + length]) == bytes(near.view[:length])
    assert not any(far.view[:skip]) and not any(far.view[skip + length:])


def test_registration_sends_no_command(dev, pd, buf, device):
    """A registration sends no command, a deregistration at most one INVALIDATE."""
    before = device.stats()["device"]["counters"]["commands"]
    mrs = [MR(pd, 4096, ALL, address=buf.address) for _ in range(100)]
    assert device.stats()["device"]["counters"]["commands"] == before
    for mr in mrs:
        mr.close()
    after = device.stats()["device"]["counters"]["commands"]
    assert 1 <= after - before <= 100


def test_failures_leave_nothing_behind(dev, pd, buf, device):
    before, live = resources(dev), device.stats()["dma"]["live"]
    for _ in range(50):
        fails(errno.EFAULT, uverbs.reg_mr, dev.ctx, pd, 4096, 1 << 20, 4096,
              LOCAL)
    assert resources(dev) == before
    assert device.stats()["dma"]["live"] == live


def test_protection_domain_with_a_region_is_busy(dev, buf):
    from pyverbs.pd import PD
    import struct
    pd = PD(dev.ctx)
    mr = MR(pd, 4096, LOCAL, address=buf.address)
    fails(errno.EBUSY, uverbs.plain, dev.ctx, uverbs.DEALLOC_PD,
          struct.pack("<I", pd.handle))
    mr.close()
    pd.close()


def test_memory_that_was_never_written_has_one_page(dev, pd):
    """On demand, the device may map the same page, which is zero, for all addresses. A
    kernel that checks the use of the DMA API must not complain."""
    mem, near = (paged.Memory(16 * 4096, populate=fill) for fill in (False, True))
    region, own = paged.Region(dev, pd, mem), paged.Region(dev, pd, near, access=ALL)
    link = paged.Link(dev, pd)
    assert link.move(paged.READ, (region, mem.address), (own, near.address),
                     mem.length) == paged.OK
    assert near.get() == bytes(mem.length)
    near.fill()
    assert link.move(paged.WRITE, (own, near.address), (region, mem.address),
                     mem.length) == paged.OK
    assert mem.get() == near.get()
    for thing in (link, region, own):
        thing.close()

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Regions of dma-bufs, whose memory belongs to another driver that may take it back
at any time. Dma-bufs that move are in test_dmabuf_moves.py. Runs in a guest."""

import errno
import fcntl
import mmap
import os
import struct

import pytest
import pyverbs.enums as e
from pyverbs.mr import MR
from pyverbs.pd import PD

from labverbs.rc import ALL, LOCAL, Buffer, pair
from lib import uioctl, uverbs
from lib.dmabuf import DmaBuf, Exporter, udmabuf
from lib.errnos import fails
from lib.protection import READ, REFUSED, WRITE, attempt, reason
from lib.rdma_tool import resources

PAGES = 16
SIZE = PAGES * 4096
OK = e.IBV_WC_SUCCESS
TRANS, DOMAIN, ACCESS = 1, 2, 4
HEAP_ALLOC = 0xc0184800


def from_heap(mode):
    with open("/dev/dma_heap/system", "r+b", buffering=0) as heap:
        out = fcntl.ioctl(heap, HEAP_ALLOC,
                          struct.pack("<QIIQ", SIZE, 0, mode | os.O_CLOEXEC, 0))
    return struct.unpack_from("<I", out, 8)[0]


@pytest.fixture(scope="session")
def exporter():
    exporter = Exporter()
    yield exporter
    exporter.close()


@pytest.fixture(params=["udmabuf", "exporter"])
def dmabuf(request, exporter):
    buf = DmaBuf(udmabuf(SIZE) if request.param == "udmabuf" else
                 exporter.fixed(SIZE), SIZE)
    yield buf
    buf.close()


@pytest.fixture
def mine(exporter):
    """A dma-buf whose exporter can revoke it."""
    buf = DmaBuf(exporter.fixed(SIZE), SIZE)
    buf.revoke = lambda: exporter.revoke(buf.fd)
    yield buf
    buf.close()


def register(dev, pd, buf, offset=0, length=SIZE, iova=None, access=ALL):
    return uioctl.reg_dmabuf(dev.ctx, pd, offset, length,
                             offset if iova is None else iova, buf.fd, access)


class Peer:
    """A connection, and memory of its own."""

    def __init__(self, dev, pd):
        self.buf = Buffer((SIZE, False))
        self.buf.view[:] = os.urandom(SIZE)
        self.mr = MR(pd, SIZE, LOCAL, address=self.buf.address)
        self.a, self.b = pair(dev, pd)

    def move(self, opcode, at, length, remote, rkey):
        self.a.post(opcode, [(self.buf.address + at, length, self.mr.lkey)],
                    remote, rkey)
        self.a.wait()

    def bytes(self, at, length):
        return bytes(self.buf.view[at:at + length])


@pytest.mark.parametrize("offset,length,iova", [
    (0, SIZE, 0), (4096, 8192, 0x1000), (4096 + 100, 9001, 0x70000064),
    (SIZE - 1, 1, 0xfff), (0, 1, 0)])
def test_bytes_go_where_they_belong(dev, pd, dmabuf, offset, length, iova):
    handle, lkey, rkey = register(dev, pd, dmabuf, offset, length, iova)
    peer = Peer(dev, pd)
    peer.move(WRITE, 17, min(length, SIZE - 17), iova, rkey)
    want = (dmabuf.before[:offset] + peer.bytes(17, min(length, SIZE - 17)))
    want += dmabuf.before[len(want):]
    assert bytes(dmabuf.map) == want
    peer.buf.view[:] = bytes(SIZE)
    peer.move(READ, 0, length, iova, rkey)
    assert peer.bytes(0, length) == want[offset:offset + length]
    uverbs.dereg_mr(dev.ctx, handle)
    assert bytes(dmabuf.map) == want


def test_its_bounds_are_kept(dev, pd, faults, dmabuf):
    handle, lkey, rkey = register(dev, pd, dmabuf, 4096, 8192, 4096)
    for remote in 4095, 4096 + 8192 - 63:
        assert attempt(dev, pd, WRITE, remote, rkey) == REFUSED
        assert reason(faults) == "range"
    assert dmabuf.unchanged()
    uverbs.dereg_mr(dev.ctx, handle)
    assert attempt(dev, pd, WRITE, 4096, rkey) == REFUSED
    assert dmabuf.unchanged()


@pytest.mark.parametrize("code,offset,length,iova,access", [
    (errno.EINVAL, 0, SIZE + 1, 0, ALL),
    (errno.EINVAL, 4096, SIZE, 4096, ALL),
    (errno.EINVAL, SIZE, 1, 0, ALL),
    (errno.EINVAL, 0, 0, 0, ALL),
    (errno.EINVAL, 2**64 - 4096, 8192, 0, ALL),
    (errno.EINVAL, 0, SIZE, 2**64 - 4096, ALL),
    (errno.EINVAL, 0, SIZE, 100, ALL),
    (errno.EINVAL, 0, SIZE, 0, e.IBV_ACCESS_REMOTE_WRITE),
    (errno.EINVAL, 0, SIZE, 0, ALL | e.IBV_ACCESS_MW_BIND),
])
def test_what_cannot_be_registered(dev, pd, device, dmabuf, code, offset,
                                   length, iova, access):
    before, live = resources(dev), device.stats()["dma"]["live"]
    fails(code, register, dev, pd, dmabuf, offset, length, iova, access)
    assert resources(dev) == before
    assert device.stats()["dma"]["live"] == live


def test_other_files_are_no_dma_buf(dev, pd):
    class Other:
        fd = os.open("/dev/null", os.O_RDWR)
    fails(errno.EINVAL, register, dev, pd, Other)
    os.close(Other.fd)
    fails(errno.EBADF, register, dev, pd, Other)


def test_the_mode_of_the_file_does_not_count(dev, pd):
    """The mode of the file is for mmap(). Other drivers do not check it either."""
    if not os.path.exists("/dev/dma_heap/system"):
        pytest.skip("no heap of dma-bufs")

    class ReadOnly:
        fd = from_heap(os.O_RDONLY)
    handle, lkey, rkey = register(dev, pd, ReadOnly)
    peer = Peer(dev, pd)
    peer.move(WRITE, 0, SIZE, 0, rkey)
    with mmap.mmap(ReadOnly.fd, SIZE, prot=mmap.PROT_READ) as view:
        assert view[:] == peer.bytes(0, SIZE)
    uverbs.dereg_mr(dev.ctx, handle)
    os.close(ReadOnly.fd)


def test_what_can_change_and_what_cannot(dev, pd, faults, dmabuf):
    handle, lkey, rkey = register(dev, pd, dmabuf)
    mem, other = Buffer((SIZE, False)), PD(dev.ctx)
    fails(errno.EOPNOTSUPP, uverbs.rereg_mr, dev.ctx, handle, TRANS, pd,
          mem.address, SIZE, mem.address)
    fails(errno.EOPNOTSUPP, uverbs.rereg_mr, dev.ctx, handle, ACCESS, pd, 0, 0,
          0, ALL | e.IBV_ACCESS_MW_BIND)
    new, _ = uverbs.rereg_mr(dev.ctx, handle, DOMAIN | ACCESS, other,
                             access=LOCAL | e.IBV_ACCESS_REMOTE_READ)
    assert new >> 8 == lkey >> 8 and new != lkey
    assert attempt(dev, other, READ, 0, new) == OK
    for domain, key, why in ((other, new, "rights"), (other, lkey, "key_byte"),
                             (pd, new, "pd")):
        assert attempt(dev, domain, WRITE, 0, key) == REFUSED
        assert reason(faults) == why
    assert dmabuf.unchanged()
    uverbs.dereg_mr(dev.ctx, handle)


# ---- revocation by the exporter --------------------------------------------

def test_what_is_taken_back_cannot_be_touched(dev, pd, faults, mine):
    handle, lkey, rkey = register(dev, pd, mine)
    peer = Peer(dev, pd)
    peer.move(WRITE, 0, SIZE, 0, rkey)
    mine.fill()
    mine.revoke()
    for opcode in WRITE, READ:
        assert attempt(dev, pd, opcode, 0, rkey) == REFUSED
        assert reason(faults) == "key_invalid"
    # nor can the region be a local buffer of the process
    far = Buffer((4096, False))
    far_mr = MR(pd, 4096, ALL, address=far.address)
    peer.a.post(WRITE, [(0, 64, lkey)], far.address, far_mr.rkey)
    assert peer.a.poll()[0].status == e.IBV_WC_LOC_PROT_ERR
    assert not any(far.view[:64])
    assert mine.unchanged()
    uverbs.dereg_mr(dev.ctx, handle)


def test_the_region_stays_an_object_that_grants_nothing(dev, pd, device, mine):
    live = device.stats()["dma"]["live"]
    handle, lkey, rkey = register(dev, pd, mine)
    count = resources(dev)["mr"]
    mine.revoke()
    assert resources(dev)["mr"] == count
    for flags in ACCESS, DOMAIN, ACCESS | DOMAIN:
        fails(errno.EINVAL, uverbs.rereg_mr, dev.ctx, handle, flags,
              PD(dev.ctx) if flags & DOMAIN else pd, 0, 0, 0, ALL)
    mine.revoke()
    mem = Buffer((4096, False))
    others = [uverbs.reg_mr(dev.ctx, pd, mem.address, 4096, 0, LOCAL)
              for _ in range(200)]
    assert lkey >> 8 not in {other[1] >> 8 for other in others}, "given out"
    uverbs.dereg_mr(dev.ctx, handle)
    for other, _, _ in others:
        uverbs.dereg_mr(dev.ctx, other)
    assert resources(dev)["mr"] == count - 1
    assert device.stats()["dma"]["live"] <= live + 8


def test_all_regions_of_a_dma_buf_end_together(dev, pd, faults, mine):
    regions = [register(dev, pd, mine, at * 4096, 4096) for at in range(PAGES)]
    mine.revoke()
    for at in 0, PAGES // 2, PAGES - 1:
        assert attempt(dev, pd, WRITE, at * 4096, regions[at][2]) == REFUSED
        assert reason(faults) == "key_invalid"
    assert mine.unchanged()
    for handle, _, _ in regions:
        uverbs.dereg_mr(dev.ctx, handle)


def test_it_can_be_registered_again(dev, pd, mine):
    for _ in range(20):
        handle, lkey, rkey = register(dev, pd, mine)
        mine.revoke()
        again, _, rkey = register(dev, pd, mine)
        peer = Peer(dev, pd)
        peer.move(WRITE, 0, SIZE, 0, rkey)
        assert bytes(mine.map) == peer.bytes(0, SIZE)
        uverbs.dereg_mr(dev.ctx, handle)
        uverbs.dereg_mr(dev.ctx, again)


def test_the_file_may_be_closed_before_the_region(dev, pd, exporter):
    fd = exporter.fixed(SIZE)
    handle, lkey, rkey = uioctl.reg_dmabuf(dev.ctx, pd, 0, SIZE, 0, fd, ALL)
    os.close(fd)
    assert attempt(dev, pd, WRITE, 0, rkey) == OK
    uverbs.dereg_mr(dev.ctx, handle)


# ---- memory of the device, exported by the core -------------------------------

EXPORTS = int(os.uname().release.split(".")[0]) >= 7


class Exported(DmaBuf):
    """Device memory as a dma-buf. Its file cannot be mapped; the memory can."""

    def __init__(self, ctx):
        self.ctx, self.length = ctx, SIZE
        self.dm, self.offset, _ = uioctl.alloc_dm(ctx, SIZE)
        self.map = mmap.mmap(ctx.cmd_fd, SIZE, offset=self.offset)
        self.fd = uioctl.export_dm(ctx, self.offset)
        self.fill()

    def free(self):
        uioctl.free_dm(self.ctx, self.dm)
        self.dm = None

    def close(self):
        super().close()
        if self.dm is not None:
            self.free()


@pytest.fixture
def exported(dev):
    if not EXPORTS:
        pytest.skip("the core of this kernel exports nothing")
    buf = Exported(dev.ctx)
    yield buf
    buf.close()


@pytest.mark.parametrize("offset,length,iova", [
    (0, SIZE, 0), (4096, 8192, 0x1000), (4096 + 100, 9001, 0x70000064),
    (SIZE - 1, 1, 0xfff)])
def test_exported_device_memory_is_registered(dev, pd, faults, exported, offset,
                                              length, iova):
    test_bytes_go_where_they_belong(dev, pd, exported, offset, length, iova)
    exported.fill()
    handle, lkey, rkey = register(dev, pd, exported, offset, length, iova)
    assert attempt(dev, pd, WRITE, iova + length - 63, rkey, 64) == REFUSED
    assert reason(faults) == "range"
    assert exported.unchanged()
    uverbs.dereg_mr(dev.ctx, handle)


def test_rights_to_exported_device_memory_change(dev, pd, faults, exported):
    handle, lkey, rkey = register(dev, pd, exported)
    read_only = LOCAL | e.IBV_ACCESS_REMOTE_READ
    uverbs.rereg_mr(dev.ctx, handle, ACCESS, pd, access=read_only)
    assert attempt(dev, pd, WRITE, 0, rkey) == REFUSED
    assert reason(faults) == "rights"
    assert exported.unchanged()
    peer = Peer(dev, pd)
    peer.move(READ, 0, SIZE, 0, rkey)
    assert peer.bytes(0, SIZE) == exported.before
    uverbs.dereg_mr(dev.ctx, handle)


def test_freed_device_memory_is_taken_back(dev, pd, faults, exported):
    handle, lkey, rkey = register(dev, pd, exported)
    assert attempt(dev, pd, WRITE, 0, rkey) == OK
    exported.free()
    before = bytes(exported.map)
    for opcode in WRITE, READ:
        assert attempt(dev, pd, opcode, 0, rkey) == REFUSED
        assert reason(faults) == "key_invalid"
    fails(errno.ENODEV, register, dev, pd, exported)
    uverbs.dereg_mr(dev.ctx, handle)
    assert bytes(exported.map) == before


def test_only_memory_is_exported(dev):
    """A doorbell page, and an offset without a mapping, cannot be exported."""
    if not EXPORTS:
        pytest.skip("the core of this kernel exports nothing")
    for page in range(64):
        with pytest.raises(OSError) as failure:
            os.close(uioctl.export_dm(dev.ctx, page * 4096))
        assert failure.value.errno in (errno.EINVAL, errno.EOPNOTSUPP)
    fails(errno.EINVAL, uioctl.export_dm, dev.ctx, 2**63)

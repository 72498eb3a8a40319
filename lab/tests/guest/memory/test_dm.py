# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Device memory: its allocation in zeroed pages, its mapping and its registration.
Nobody else may get a page while anybody can still reach it. Runs in a guest."""

import errno
import mmap
import os
import struct

import pytest
import pyverbs.enums as e
from pyverbs.mr import MR

from labverbs.rc import LOCAL, Buffer, pair
from lib import uioctl, uverbs
from lib.context import RawContext
from lib.errnos import fails
from lib.protection import ADD, READ, REFUSED, WRITE, attempt, reason
from lib.rdma_tool import details, resources

PAGE = mmap.PAGESIZE
ZERO_BASED = e.IBV_ACCESS_ZERO_BASED
ALL = 0xf | ZERO_BASED
SIZE = 4 * PAGE


@pytest.fixture(scope="module")
def total(dev):
    """The size of the device's memory in bytes."""
    size = dev.ctx.query_device_ex().max_dm_size
    assert size
    return size


class Dm:
    def __init__(self, ctx, length=SIZE, log_align=0):
        self.ctx = ctx
        self.handle, self.key, self.size = uioctl.alloc_dm(ctx, length,
                                                           log_align)
        self.length = length

    def map(self):
        return mmap.mmap(self.ctx.cmd_fd, self.size, offset=self.key)

    def free(self):
        uioctl.free_dm(self.ctx, self.handle)


@pytest.fixture
def dm(dev, total):
    dm = Dm(dev.ctx)
    yield dm
    dm.free()


class Peer:
    """A connection, and 16 KiB of memory with random bytes."""

    def __init__(self, dev, pd):
        self.buf = Buffer((SIZE, False))
        self.buf.view[:] = self.noise = os.urandom(SIZE)
        self.mr = MR(pd, SIZE, LOCAL, address=self.buf.address)
        self.a, self.b = pair(dev, pd)

    def move(self, opcode, at, length, remote, rkey, **more):
        self.a.post(opcode, [(self.buf.address + at, length, self.mr.lkey)],
                    remote, rkey, **more)
        self.a.wait()


def test_it_is_zeroed_and_holds_what_is_written(dev, total):
    for _ in range(2):
        dm = Dm(dev.ctx)
        view = dm.map()
        assert view[:] == bytes(SIZE)
        noise = os.urandom(SIZE)
        view[:] = noise
        assert view[:] == noise
        view.close()
        dm.free()


def test_rdma_to_and_from_it(dev, pd, dm):
    view = dm.map()
    handle, lkey, rkey = uioctl.reg_dm(dev.ctx, pd, dm.handle, 0, SIZE, ALL)
    peer = Peer(dev, pd)
    peer.move(WRITE, 5, 9000, 3001, rkey)
    assert view[:] == bytes(3001) + peer.noise[5:9005] + bytes(SIZE - 12001)
    view[:8] = struct.pack("<Q", 41)
    peer.move(ADD, 0, 8, 0, rkey, compare=1)
    assert bytes(peer.buf.view[:8]) == struct.pack("<Q", 41)
    assert view[:8] == struct.pack("<Q", 42)
    peer.buf.view[:] = bytes(SIZE)
    peer.move(READ, 0, SIZE, 0, rkey)
    assert bytes(peer.buf.view) == view[:]
    view.close()
    uverbs.dereg_mr(dev.ctx, handle)


def test_as_the_own_buffer_of_a_work_request(dev, pd, dm):
    view = dm.map()
    view[:] = noise = os.urandom(SIZE)
    handle, lkey, rkey = uioctl.reg_dm(dev.ctx, pd, dm.handle, 0, SIZE, ALL)
    far = Buffer((SIZE, False))
    far_mr = MR(pd, SIZE, 0xf, address=far.address)
    a, b = pair(dev, pd)
    a.post(WRITE, [(100, 5000, lkey)], far.address + 1, far_mr.rkey)
    a.wait()
    assert bytes(far.view[:5002]) == b"\0" + noise[100:5100] + b"\0"
    far.view[:] = back = os.urandom(SIZE)
    a.post(READ, [(0, SIZE, lkey)], far.address, far_mr.rkey)
    b.recv([(4096, 64, lkey)])
    a.post(e.IBV_WR_SEND, [(0, 64, lkey)])
    a.wait(2)
    b.wait()
    assert view[:] == back[:4096] + back[:64] + back[4160:]
    view.close()
    uverbs.dereg_mr(dev.ctx, handle)


@pytest.mark.parametrize("offset,length", [(0, 1), (1, 100), (4090, 20),
                                           (SIZE - 1, 1), (PAGE, PAGE)])
def test_a_region_of_a_part(dev, pd, faults, dm, offset, length):
    view = dm.map()
    handle, lkey, rkey = uioctl.reg_dm(dev.ctx, pd, dm.handle, offset, length,
                                       ALL)
    for bad in (length, 1), (0, length + 1), (2**64 - 1, 2):
        assert attempt(dev, pd, WRITE, bad[0], rkey, bad[1]) == REFUSED
        assert reason(faults) == "range"
    assert view[:] == bytes(SIZE)
    peer = Peer(dev, pd)
    peer.move(WRITE, 0, length, 0, rkey)
    assert view[:] == (bytes(offset) + peer.noise[:length] +
                       bytes(SIZE - offset - length))
    view.close()
    uverbs.dereg_mr(dev.ctx, handle)


@pytest.mark.parametrize("access,opcode,why", [
    (ZERO_BASED | 1, WRITE, "rights"), (ZERO_BASED | 1, READ, "rights"),
    (ZERO_BASED | 3, ADD, "rights")])
def test_its_rights_are_kept(dev, pd, faults, dm, access, opcode, why):
    handle, lkey, rkey = uioctl.reg_dm(dev.ctx, pd, dm.handle, 0, SIZE, access)
    assert attempt(dev, pd, opcode, 0, rkey, 8) == REFUSED
    assert reason(faults) == why
    uverbs.dereg_mr(dev.ctx, handle)


@pytest.mark.parametrize("code,offset,length,access", [
    (errno.EINVAL, 0, SIZE + 1, ALL), (errno.EINVAL, SIZE, 1, ALL),
    (errno.EINVAL, 2**64 - 1, 2, ALL),
    (errno.EINVAL, 0, SIZE, 0xf), (errno.EINVAL, 0, SIZE, ZERO_BASED | 2),
    (errno.EOPNOTSUPP, 0, SIZE, ALL | e.IBV_ACCESS_ON_DEMAND)])
def test_what_cannot_be_registered(dev, pd, dm, code, offset, length, access):
    before = resources(dev)
    fails(code, uioctl.reg_dm, dev.ctx, pd, dm.handle, offset, length, access)
    assert resources(dev) == before


def test_what_cannot_be_allocated(dev, total):
    for length, align in (0, 0), (total + 1, 0), (2**64 - 1, 0), (PAGE, 63):
        fails(errno.EINVAL, uioctl.alloc_dm, dev.ctx, length, align)


def test_no_change_in_place(dev, pd, dm):
    handle, lkey, rkey = uioctl.reg_dm(dev.ctx, pd, dm.handle, 0, SIZE, ALL)
    for flags in range(1, 8):
        fails(errno.EINVAL, uverbs.rereg_mr, dev.ctx, handle, flags, pd, 0,
              SIZE, 0, ALL)
    uverbs.dereg_mr(dev.ctx, handle)


def test_it_is_in_use_by_its_regions(dev, pd, dm):
    handle, lkey, rkey = uioctl.reg_dm(dev.ctx, pd, dm.handle, 0, SIZE, ALL)
    fails(errno.EBUSY, uioctl.free_dm, dev.ctx, dm.handle)
    uverbs.dereg_mr(dev.ctx, handle)


def test_all_of_it_and_not_a_page_more(dev, total):
    pieces = []
    with pytest.raises(OSError) as failure:
        while len(pieces) <= total // SIZE:
            pieces.append(Dm(dev.ctx))
    assert failure.value.errno == errno.ENOMEM
    assert len(pieces) == total // SIZE
    for n, dm in enumerate(pieces):
        view = dm.map()
        assert view[:] == bytes(SIZE)
        view[:8] = struct.pack("<Q", n + 1)
        view.close()
    for n, dm in enumerate(pieces):
        view = dm.map()
        assert view[:8] == struct.pack("<Q", n + 1), "two have the same page"
        view.close()
    for dm in pieces:
        dm.free()
    whole = Dm(dev.ctx, total)
    view = whole.map()
    assert not any(view[n] for n in range(0, total, 512))
    view.close()
    whole.free()


@pytest.mark.parametrize("log_align", [0, 3, 12, 14, 16, 18])
def test_alignment(dev, pd, total, log_align):
    """The offset in the device's memory has the requested alignment."""
    odd = Dm(dev.ctx, 1)
    dm = Dm(dev.ctx, PAGE, log_align)
    handle, lkey, _ = uioctl.reg_dm(dev.ctx, pd, dm.handle, 8, 64, ALL)
    row = details(dev, lkey)
    assert row["drv_kind"] == "device_memory"
    assert (row["drv_dm_offset"] - 8) % (1 << log_align) == 0
    assert row["drv_dm_offset"] >= PAGE
    uverbs.dereg_mr(dev.ctx, handle)
    dm.free()
    odd.free()


def test_a_mapping_keeps_the_pages(dev, total):
    """Pages that are freed, but still mapped, are not allocated to others."""
    first = Dm(dev.ctx, total)
    view = first.map()
    view[:4] = b"mine"
    first.free()
    fails(errno.ENOMEM, uioctl.alloc_dm, dev.ctx, PAGE)
    assert view[:4] == b"mine"
    view.close()
    second = Dm(dev.ctx, total)
    view = second.map()
    assert view[:4] == bytes(4)
    view.close()
    second.free()


def test_only_its_owner_maps_it_and_only_whole(dev, dm):
    raw = RawContext(dev)
    with pytest.raises((OSError, ValueError)):
        mmap.mmap(raw.cmd_fd, dm.size, offset=dm.key)
    raw.close()
    for size in PAGE, dm.size + PAGE:
        with pytest.raises((OSError, ValueError)):
            mmap.mmap(dev.ctx.cmd_fd, size, offset=dm.key)
    with pytest.raises((OSError, ValueError)):
        mmap.mmap(dev.ctx.cmd_fd, dm.size, mmap.MAP_PRIVATE, offset=dm.key)


def test_a_process_that_is_killed_gives_all_back(dev, total):
    ready, told = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            raw = RawContext(dev)
            mine = raw.alloc_pd()
            dm = Dm(raw, total)
            view = dm.map()
            view[:4] = b"mine"
            uioctl.reg_dm(raw, mine, dm.handle, 0, total, ALL)
            os.write(told, b"x")
            os.read(os.pipe()[0], 1)
        finally:
            os._exit(1)
    os.close(told)
    assert os.read(ready, 1)
    fails(errno.ENOMEM, uioctl.alloc_dm, dev.ctx, PAGE)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    dm = Dm(dev.ctx, total)
    view = dm.map()
    assert view[:4] == bytes(4)
    view.close()
    dm.free()


def test_fragments_come_together_again(dev, total):
    pieces = [Dm(dev.ctx, PAGE * (n % 5 + 1)) for n in range(20)]
    for n in range(0, 20, 2):
        pieces[n].free()
    middle = [Dm(dev.ctx, PAGE) for _ in range(10)]
    for dm in pieces[1::2] + middle:
        dm.free()
    whole = Dm(dev.ctx, total)
    whole.free()

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Re-registration of regions: what a changed region grants, and what remains of its
former grant. Runs in a guest."""

import ctypes
import errno
import mmap
import os

import pytest
import pyverbs.enums as e
from pyverbs.mr import MR
from pyverbs.pd import PD

from labverbs.rc import ALL, LOCAL, Buffer, pair
from lib import uioctl, uverbs
from lib.errnos import fails
from lib.memory import address_of, huge_pages
from lib.protection import READ, REFUSED, WRITE, attempt, reason
from lib.rdma_tool import resources

TRANS, DOMAIN, ACCESS = 1, 2, 4
READ_ONLY = LOCAL | e.IBV_ACCESS_REMOTE_READ
ZERO_BASED = e.IBV_ACCESS_ZERO_BASED
SIZE = 16384
OK = e.IBV_WC_SUCCESS


class Memory:
    """Memory of some pages with random bytes."""

    def __init__(self, length=SIZE, huge=False):
        self.buf = Buffer((length, huge))
        self.address, self.length = self.buf.address, length
        self.view = self.buf.view
        self.fill()

    def fill(self):
        self.view[:] = os.urandom(self.length)
        self.before = bytes(self.view)

    def unchanged(self):
        return bytes(self.view) == self.before


class Region:
    """A region through the raw interface: no library tracks its keys."""

    def __init__(self, dev, pd, mem=None, access=ALL, iova=None):
        self.dev, self.pd = dev, pd
        self.mem = mem or Memory()
        self.iova = self.mem.address if iova is None else iova
        self.handle, self.lkey, self.rkey = uverbs.reg_mr(
            dev.ctx, pd, self.mem.address, self.mem.length, self.iova, access)

    def rereg(self, flags, pd=None, mem=None, iova=None, access=0):
        """Change the region; return its rkey from before the change."""
        old = self.rkey
        start, length = (mem.address, mem.length) if mem else (0, 0)
        where = start if iova is None else iova
        self.lkey, self.rkey = uverbs.rereg_mr(
            self.dev.ctx, self.handle, flags, pd or self.pd, start, length,
            where, access)
        self.pd = pd or self.pd
        if mem:
            self.mem, self.iova = mem, where
        return old

    def close(self):
        uverbs.dereg_mr(self.dev.ctx, self.handle)


@pytest.fixture
def other(dev):
    pd = PD(dev.ctx)
    yield pd
    pd.close()


@pytest.fixture
def region(dev, pd):
    region = Region(dev, pd)
    yield region
    region.close()


def lands(dev, pd, mem, remote, rkey):
    """Checks that a WRITE through the key changes its target and no other byte."""
    near = Memory()
    near_mr = MR(pd, near.length, LOCAL, address=near.address)
    a, b = pair(dev, pd)
    a.post(WRITE, [(near.address + 3, 5000, near_mr.lkey)], remote + 4001, rkey)
    a.wait()
    want = mem.before[:4001] + near.before[3:5003] + mem.before[9001:]
    assert bytes(mem.view) == want
    mem.fill()
    a.qp.close()
    b.qp.close()
    near_mr.close()


@pytest.mark.parametrize("flags", range(1, 8))
def test_every_combination_of_what_can_change(dev, pd, other, faults, flags):
    old, new = Memory(), Memory()
    region = Region(dev, pd, old)
    stale = region.rereg(flags, pd=other if flags & DOMAIN else None,
                         mem=new if flags & TRANS else None,
                         iova=0x7000000 + (new.address & 4095),
                         access=READ_ONLY if flags & ACCESS else 0)
    assert stale >> 8 == region.rkey >> 8, "another key index"
    assert (stale == region.rkey) == (flags == ACCESS), "key byte"
    assert region.lkey == region.rkey
    mine = other if flags & DOMAIN else pd

    for domain in (pd, other) if stale != region.rkey else ():
        assert attempt(dev, domain, WRITE, region.iova, stale) == REFUSED
        assert reason(faults) == "key_byte"
    if flags & DOMAIN:
        assert attempt(dev, pd, WRITE, region.iova, region.rkey) == REFUSED
        assert reason(faults) == "pd"
    if flags & ACCESS:
        assert attempt(dev, mine, WRITE, region.iova, region.rkey) == REFUSED
        assert reason(faults) == "rights"
        assert attempt(dev, mine, READ, region.iova, region.rkey) == OK
    if flags & TRANS:
        assert attempt(dev, mine, READ, old.address, region.rkey) == REFUSED
        assert reason(faults) == "range"
    assert old.unchanged() and new.unchanged()
    if not flags & ACCESS:
        lands(dev, mine, region.mem, region.iova, region.rkey)
    assert old.unchanged() and new.unchanged()
    region.close()


def test_the_local_key_changes_too(dev, pd, faults, region):
    far = Memory()
    far_mr = MR(pd, far.length, ALL, address=far.address)
    stale = region.rereg(TRANS, mem=Memory())
    a, b = pair(dev, pd)
    a.post(WRITE, [(region.iova, 64, region.lkey)], far.address, far_mr.rkey)
    a.wait()
    assert bytes(far.view[:64]) == region.mem.before[:64]
    a.post(WRITE, [(region.iova, 64, stale)], far.address, far_mr.rkey)
    assert a.poll()[0].status == e.IBV_WC_LOC_PROT_ERR
    assert reason(faults) == "key_byte"


def test_a_region_can_grow_shrink_and_move(dev, pd, region):
    for length, huge in (4096, False), (6 << 20, True), (65536, False):
        if length < 9001:
            region.rereg(TRANS, mem=Memory(length, huge))
            assert attempt(dev, pd, WRITE, region.iova + length - 8,
                           region.rkey, 8) == OK
            assert attempt(dev, pd, WRITE, region.iova + length - 7,
                           region.rkey, 8) == REFUSED
        else:
            region.rereg(TRANS, mem=Memory(length, huge))
            lands(dev, pd, region.mem, region.iova, region.rkey)


def test_zero_based_comes_and_goes(dev, pd, faults, region):
    region.rereg(ACCESS, access=ALL | ZERO_BASED)
    lands(dev, pd, region.mem, 0, region.rkey)
    assert attempt(dev, pd, WRITE, region.iova, region.rkey) == REFUSED
    assert reason(faults) == "range"
    region.rereg(ACCESS, access=ALL | e.IBV_ACCESS_RELAXED_ORDERING)
    lands(dev, pd, region.mem, region.iova, region.rkey)
    region.rereg(ACCESS | TRANS, mem=Memory(), access=ALL | ZERO_BASED)
    lands(dev, pd, region.mem, 0, region.rkey)
    # the access rights do not change, and the region is still zero-based
    region.rereg(TRANS, mem=Memory())
    lands(dev, pd, region.mem, 0, region.rkey)


def test_a_zero_based_region_begins_at_zero(dev, pd, faults):
    mem = Memory()
    region = Region(dev, pd, mem, ALL | ZERO_BASED)
    lands(dev, pd, mem, 0, region.rkey)
    assert attempt(dev, pd, READ, mem.length - 64, region.rkey) == OK
    assert attempt(dev, pd, READ, mem.length - 63, region.rkey) == REFUSED
    assert reason(faults) == "range"
    region.close()


def test_relaxed_ordering_moves_the_same_bytes(dev, pd):
    region = Region(dev, pd, access=ALL | e.IBV_ACCESS_RELAXED_ORDERING)
    lands(dev, pd, region.mem, region.iova, region.rkey)
    region.close()


RIGHTS = [e.IBV_ACCESS_REMOTE_READ, e.IBV_ACCESS_REMOTE_WRITE,
          e.IBV_ACCESS_REMOTE_ATOMIC, e.IBV_ACCESS_MW_BIND,
          e.IBV_ACCESS_RELAXED_ORDERING]


def test_adding_a_right_does_not_interrupt_the_peer(dev, pd):
    """READs for which the region has had the right from the beginning are in flight."""
    near = Memory(1 << 20)
    near_mr = MR(pd, near.length, LOCAL, address=near.address)
    a, b = pair(dev, pd)
    for _ in range(10):
        access = READ_ONLY
        region = Region(dev, pd, Memory(1 << 20), access)
        for right in RIGHTS[1:]:
            for _ in range(8):
                a.post(READ, [(near.address, near.length, near_mr.lkey)],
                       region.iova, region.rkey)
            access |= right
            assert region.rereg(ACCESS, access=access) == region.rkey
            for _ in range(8):
                a.wait()
        lands(dev, pd, region.mem, region.iova, region.rkey)
        region.close()


def test_an_added_right_counts_at_once(dev, pd, faults, region):
    region.rereg(ACCESS, access=READ_ONLY)
    assert attempt(dev, pd, READ, region.iova, region.rkey) == OK
    assert attempt(dev, pd, WRITE, region.iova, region.rkey) == REFUSED
    assert reason(faults) == "rights"
    region.rereg(ACCESS, access=ALL)
    lands(dev, pd, region.mem, region.iova, region.rkey)
    region.rereg(ACCESS, access=READ_ONLY)
    assert attempt(dev, pd, WRITE, region.iova, region.rkey) == REFUSED
    assert reason(faults) == "rights"


# ---- changes that fail must change nothing --------------------------------

def unmapped(size=1 << 20):
    """Addresses of which the second half is not mapped."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int,
                          ctypes.c_int, ctypes.c_int, ctypes.c_long]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    at = libc.mmap(None, size, 3, 0x22, -1, 0)
    assert libc.munmap(at + size // 2, size // 2) == 0
    return at, size


def bad_changes(mem):
    hole, size = unmapped()
    yield errno.EFAULT, TRANS, hole, size, hole, 0
    yield errno.EFAULT, TRANS | ACCESS, hole, size, hole, READ_ONLY
    yield errno.EINVAL, TRANS, mem.address, 0, mem.address, 0
    yield errno.EINVAL, TRANS, mem.address, SIZE, 2**64 - 4096, 0
    yield errno.EINVAL, TRANS, mem.address, SIZE, 100, 0
    yield errno.EINVAL, TRANS, mem.address, 2**63, mem.address, 0
    yield errno.EINVAL, ACCESS, 0, 0, 0, e.IBV_ACCESS_REMOTE_WRITE
    yield errno.EINVAL, ACCESS, 0, 0, 0, e.IBV_ACCESS_REMOTE_ATOMIC
    yield errno.EOPNOTSUPP, ACCESS, 0, 0, 0, LOCAL | e.IBV_ACCESS_ON_DEMAND
    yield errno.EINVAL, 0, 0, 0, 0, 0
    yield errno.EOPNOTSUPP, 8, 0, 0, 0, 0


def test_a_change_that_fails_changes_nothing(dev, pd, device, region):
    other = Memory()
    keys = region.lkey, region.rkey
    live = device.stats()["dma"]["live"]
    for code, flags, start, length, iova, access in bad_changes(other):
        for more in (0, DOMAIN) if flags in range(1, 8) else (0,):
            with pytest.raises(OSError) as failure:
                uverbs.rereg_mr(dev.ctx, region.handle, flags | more, pd, start,
                                length, iova, access)
            assert failure.value.errno == code, (flags | more, start, length)
    assert (region.lkey, region.rkey) == keys
    assert device.stats()["dma"]["live"] == live
    lands(dev, pd, region.mem, region.iova, region.rkey)
    assert other.unchanged()


def test_no_such_protection_domain_or_region(dev, pd, region):
    class Nothing:
        handle = 0xfffff
    with pytest.raises(OSError):
        uverbs.rereg_mr(dev.ctx, region.handle, DOMAIN, Nothing)
    with pytest.raises(OSError):
        uverbs.rereg_mr(dev.ctx, 0xfffff, DOMAIN, pd)
    lands(dev, pd, region.mem, region.iova, region.rkey)


def test_a_protection_domain_is_in_use_by_its_last_region(dev, pd, other):
    """After a change of domain, ib_core counts the region in the new domain only: the
    old one can be destroyed."""
    first = PD(dev.ctx)
    region = Region(dev, first)
    region.rereg(DOMAIN, pd=other)
    first.close()
    region.rereg(DOMAIN, pd=pd)
    region.close()


def readonly_pages(size=SIZE):
    mapping = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    mapping[:] = os.urandom(size)
    address = ctypes.addressof(ctypes.c_char.from_buffer(mapping))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    assert libc.mprotect(address, size, mmap.PROT_READ) == 0
    return mapping, address


def test_read_only_memory_never_gets_a_right_to_write(dev, pd, faults):
    mapping, address = readonly_pages()
    handle, lkey, rkey = uverbs.reg_mr(dev.ctx, pd, address, SIZE, address,
                                       e.IBV_ACCESS_REMOTE_READ)
    before = bytes(mapping)
    fails(errno.EFAULT, uverbs.rereg_mr, dev.ctx, handle, ACCESS, pd, 0, 0, 0,
          ALL)
    assert attempt(dev, pd, READ, address, rkey) == OK
    assert attempt(dev, pd, WRITE, address, rkey) == REFUSED
    assert reason(faults) == "rights"
    assert bytes(mapping) == before
    uverbs.dereg_mr(dev.ctx, handle)


def test_a_right_to_write_pins_anew(dev, pd):
    """Pages that were never written are the kernel's zero page, so a region with a new
    right to write must pin other pages."""
    mem = Buffer((SIZE, False))
    handle, lkey, rkey = uverbs.reg_mr(dev.ctx, pd, mem.address, SIZE,
                                       mem.address, e.IBV_ACCESS_REMOTE_READ)
    lkey, rkey = uverbs.rereg_mr(dev.ctx, handle, ACCESS, pd, access=ALL)
    near = Memory()
    near_mr = MR(pd, near.length, LOCAL, address=near.address)
    a, b = pair(dev, pd)
    a.post(WRITE, [(near.address, SIZE, near_mr.lkey)], mem.address, rkey)
    a.wait()
    assert bytes(mem.view[:SIZE]) == near.before
    uverbs.dereg_mr(dev.ctx, handle)


def in_child(work):
    """Runs @work in a child process. Returns its errno, 0 if it succeeds."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        work()
        os._exit(0)
    except OSError as err:
        os._exit(err.errno)


def test_another_process_cannot_pin_it_anew(dev, pd):
    """In another process, the same addresses are other memory, so the change fails."""
    mem = Memory()
    handle, lkey, rkey = uverbs.reg_mr(dev.ctx, pd, mem.address, SIZE,
                                       mem.address, e.IBV_ACCESS_REMOTE_READ)
    assert in_child(lambda: uioctl.rereg_mr(
        dev.ctx, handle, ACCESS, pd, access=ALL)) == errno.EACCES
    # what needs no memory of the process is possible
    assert in_child(lambda: uioctl.rereg_mr(
        dev.ctx, handle, ACCESS, pd,
        access=e.IBV_ACCESS_REMOTE_READ)) == 0
    assert attempt(dev, pd, READ, mem.address, rkey) == OK
    uverbs.dereg_mr(dev.ctx, handle)


def test_changes_leave_nothing_behind(dev, pd, other, device, region):
    mems = [Memory(), Memory(4096), Memory(6 << 20, True)]
    before, seen = resources(dev), set()
    live = device.stats()["dma"]["live"]
    for n in range(300):
        seen.add(region.rereg(n % 7 + 1, pd=(pd, other)[n % 2],
                              mem=mems[n % 3] if (n % 7 + 1) & TRANS else None,
                              access=ALL))
    assert resources(dev) == before
    assert len(seen) > 100, "key bytes do not vary"
    region.rereg(TRANS, mem=mems[0])
    assert device.stats()["dma"]["live"] <= live + 8


def test_huge_pages_of_the_file_system(dev, pd):
    with huge_pages(2) as mapping:
        address = address_of(mapping)
        mapping[:] = os.urandom(4 << 20)
        before = bytes(mapping)
        near = Memory()
        near_mr = MR(pd, near.length, LOCAL, address=near.address)
        at = (2 << 20) - 5000
        for access in ALL, ALL | e.IBV_ACCESS_HUGETLB:
            handle, lkey, rkey = uverbs.reg_mr(dev.ctx, pd, address, 4 << 20,
                                               address, access)
            a, b = pair(dev, pd)
            a.post(WRITE, [(near.address, SIZE, near_mr.lkey)], address + at,
                   rkey)
            a.wait()
            assert mapping[:] == before[:at] + near.before + before[at + SIZE:]
            uverbs.dereg_mr(dev.ctx, handle)

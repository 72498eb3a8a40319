# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Paged regions, whose memory is not pinned: mappings that a test changes by system
calls, regions on them, and a connection that moves data between regions."""

import contextlib
import ctypes
import errno
import mmap
import os
import subprocess
import tempfile

import pytest

import pyverbs.enums as e
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.wr import SGE

from labverbs.rc import ALL, HUGE, pair
from lib import uverbs
from lib.rdma_tool import details, rdma

PAGE = 4096
ON_DEMAND = e.IBV_ACCESS_ON_DEMAND
PAGED = ALL | ON_DEMAND
EVERYTHING = 2**64 - 1
NONE, READABLE, WRITABLE = 0, 1, 3              # protection flags of mmap()
PRIVATE, SHARED, ANONYMOUS, FIXED = 2, 1, 0x20, 0x10
NORESERVE, HUGETLB = 0x4000, 0x40000
GIB = 1 << 30
HUGETLB_1G = HUGETLB | 30 << 26                 # 30: the logarithm of the page size
DONTNEED, FREE, REMOVE, MERGEABLE = 4, 8, 9, 12
HUGEPAGE, NOHUGEPAGE, PAGEOUT, POPULATE_READ, COLLAPSE = 14, 15, 21, 22, 25
SOFT_OFFLINE = 101
MAYMOVE = 1
MEMFD_SECRET = 447                              # number of the system call

OK = e.IBV_WC_SUCCESS
LOCAL_REFUSED, REMOTE_REFUSED = e.IBV_WC_LOC_PROT_ERR, e.IBV_WC_REM_ACCESS_ERR
WRITE, READ, SEND = (e.IBV_WR_RDMA_WRITE, e.IBV_WR_RDMA_READ, e.IBV_WR_SEND)
ADD, SWAP = e.IBV_WR_ATOMIC_FETCH_AND_ADD, e.IBV_WR_ATOMIC_CMP_AND_SWP


def _libc():
    lib = ctypes.CDLL(None, use_errno=True)
    pointer, size, number = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    for name, types in {
            "mmap": (pointer, size, number, number, number, ctypes.c_long),
            "munmap": (pointer, size), "mprotect": (pointer, size, number),
            "madvise": (pointer, size, number),
            "mremap": (pointer, size, size, number, pointer)}.items():
        getattr(lib, name).argtypes = types
    lib.mmap.restype = lib.mremap.restype = pointer
    return lib


LIBC = _libc()


def called(result):
    """The result of a system call; raises OSError for -1."""
    if result in (-1, EVERYTHING):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


class Memory:
    """A mapping without a Python object for its bytes, so that a test can change it at
    will. The address of memory is a multiple of 2 MiB, that of pages of 1 GiB of 1 GiB.

    @huge: ask for transparent huge pages, or for none of them
    @populate: fill with random bytes
    """

    def __init__(self, length, prot=WRITABLE, flags=PRIVATE | ANONYMOUS, fd=-1,
                 huge=False, populate=True):
        self.length = length
        self.address = self._place(length, flags, fd)
        called(LIBC.mmap(self.address, length, prot, flags | FIXED, fd, 0))
        if fd < 0 and not flags & HUGETLB:
            self.advise(HUGEPAGE if huge else NOHUGEPAGE)
        if populate and prot == WRITABLE:
            self.fill()

    @staticmethod
    def _place(length, flags, fd):
        """Addresses that begin at a multiple of a huge page, and are free again."""
        page = GIB if flags & HUGETLB_1G == HUGETLB_1G else HUGE
        size = length + 2 * page
        at = called(LIBC.mmap(None, size, NONE, PRIVATE | ANONYMOUS | NORESERVE,
                              -1, 0))
        called(LIBC.munmap(at, size))
        return (at + page) // page * page

    def fill(self):
        """Writes random bytes, and returns them."""
        data = os.urandom(self.length)
        self.put(0, data)
        return data

    def put(self, at, data):
        ctypes.memmove(self.address + at, data, len(data))

    def get(self, at=0, length=None):
        """The bytes of a range."""
        return ctypes.string_at(self.address + at,
                                self.length - at if length is None else length)

    def advise(self, advice, at=0, length=None):
        called(LIBC.madvise(self.address + at, length or self.length - at, advice))

    def protect(self, prot, at=0, length=None):
        called(LIBC.mprotect(self.address + at, length or self.length - at, prot))

    def unmap(self, at=0, length=None):
        called(LIBC.munmap(self.address + at, length or self.length - at))

    def map_again(self, at=0, length=None, prot=WRITABLE):
        """Replaces a range by new anonymous memory, which is zero."""
        called(LIBC.mmap(self.address + at, length or self.length - at, prot,
                         PRIVATE | ANONYMOUS | FIXED, -1, 0))

    def move(self, address):
        """Moves all pages to @address by mremap(). No memory is mapped at the old
        addresses then."""
        called(LIBC.mremap(self.address, self.length, self.length,
                           MAYMOVE | 2, address))
        self.address = address

    def resident(self):
        """Bytes of the mapping that are in memory and those in swap."""
        found, here = {"Rss": 0, "Swap": 0}, False
        for line in open("/proc/self/smaps"):
            words = line.split()
            if "-" in words[0] and not words[0].endswith(":"):
                start = int(words[0].split("-")[0], 16)
                here = self.address <= start < self.address + self.length
            elif here and words[0][:-1] in found:
                found[words[0][:-1]] += int(words[1]) << 10
        return found["Rss"], found["Swap"]


def secret(length):
    """Memory that the kernel itself does not map (memfd_secret())."""
    fd = LIBC.syscall(MEMFD_SECRET, 0)
    if fd < 0 and ctypes.get_errno() == errno.ENOSYS:
        pytest.skip("the kernel has no secret memory")
    called(fd)
    os.ftruncate(fd, length)
    mem = Memory(length, flags=SHARED, fd=fd)
    os.close(fd)
    return mem


class Region:
    """A region through the raw interface. @mem None: the whole address space. @iova:
    the address under its key, if that is not the virtual address"""

    def __init__(self, dev, pd, mem=None, access=PAGED, start=None, length=None,
                 iova=None):
        self._dev, self.pd, self._number = dev, pd, None
        self.start, self.length = 0, EVERYTHING
        if mem:
            self.start = mem.address if start is None else start
            self.length = mem.length if length is None else length
        self.handle, self.lkey, self.rkey = uverbs.reg_mr(
            dev.ctx, pd, self.start, self.length,
            self.start if iova is None else iova, access)

    def sge(self, address, length):
        return address, length, self.lkey

    def details(self):
        return details(self._dev, self.lkey)

    def statistic(self):
        """The counters of the region."""
        if self._number is None:
            self._number = self.details()["mrn"]
        row, = (row for row in rdma("statistic", "show", "mr") if
                row.get("mrn") == self._number)
        return row

    def rereg(self, flags, pd=None, access=0, start=0, length=0):
        self.lkey, self.rkey = uverbs.rereg_mr(
            self._dev.ctx, self.handle, flags, pd or self.pd, start, length,
            start, access)
        self.pd = pd or self.pd

    def close(self):
        uverbs.dereg_mr(self._dev.ctx, self.handle)


class Regions:
    """The regions of a test. A call registers one more region; @pd: its protection
    domain, if that is not the one of the others."""

    def __init__(self, dev, pd):
        self._dev, self._pd, self._made = dev, pd, []

    def __call__(self, mem=None, pd=None, **options):
        self._made.append(Region(self._dev, pd or self._pd, mem, **options))
        return self._made[-1]

    def close(self):
        """Deregisters the regions, but those that the test has deregistered."""
        for region in self._made:
            with contextlib.suppress(OSError):
                region.close()


class Link:
    """Connections of this process to itself: requests of the first end of each go to
    the second one. After an error, other queue pairs take the place of those."""

    def __init__(self, dev, pd, **connect):
        # a longer timeout, since an emulated machine handles page faults slowly
        self._dev, self._pd = dev, pd
        self._connect = {"timeout": 18, **connect}
        self.connect()

    def connect(self):
        self.a, self.b = pair(self._dev, self._pd, **self._connect)

    def close(self):
        for end in (self.a, self.b):
            end.qp.close()
            end.cq.close()

    def start(self, kind, source, target, length):
        """Posts the request that moves bytes.

        @source, @target: (region, address)
        """
        (of, start), (to, goal) = source, target
        if kind == READ:
            self.a.post(kind, [to.sge(goal, length)], start, of.rkey)
        elif kind == WRITE:
            self.a.post(kind, [of.sge(start, length)], goal, to.rkey)
        else:
            self.b.recv([to.sge(goal, length)])
            self.a.post(kind, [of.sge(start, length)])

    def move(self, kind, source, target, length, timeout=20):
        """Moves bytes. Returns the status of the requester; after an error the link is
        connected anew."""
        self.start(kind, source, target, length)
        status = self.a.poll(timeout=timeout)[0].status
        if status == OK and kind == SEND:
            received, = self.b.poll(timeout=timeout)
            assert (received.status, received.byte_len) == (OK, length)
        if status != OK:
            self.close()
            self.connect()
        return status

    def atomic(self, kind, result, target, compare=0, swap=0):
        """Executes an atomic; result, target: (region, address)."""
        (to, goal), (of, place) = result, target
        self.a.post(kind, [to.sge(goal, 8)], place, of.rkey, compare=compare,
                    swap=swap)
        return self.a.poll()[0].status


def advise(pd, advice, flags, *entries):
    """Calls advise_mr. Returns its errno, 0 if it succeeds."""
    try:
        pd.advise_mr(advice, flags, [SGE(*entry) for entry in entries])
        return 0
    except PyverbsRDMAError as err:
        return err.error_code


def port(dev, *names):
    """Counters of the port, read from the device now."""
    from lib.control import stats
    counters = stats()["device"]["counters"]
    return tuple(counters[name] for name in names)


def thp_is_on():
    """Whether the kernel gives huge pages to a mapping that asks for them."""
    with open("/sys/kernel/mm/transparent_hugepage/enabled") as knob:
        return "[never]" not in knob.read()


def _run(*argv):
    """The output of a program that must succeed."""
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout


class Swap:
    """Swap space on a loop device; use as a context manager.

    A page that is read from this swap space stays clean in the swap cache, and its next
    swap-out writes nothing unless the page was changed. In compressed memory (zram),
    the kernel would write each page again, and not notice that the driver forgets what
    the device has changed. The file is in a ramfs, which the kernel never swaps.
    """

    SIZE = 64 << 20

    def __enter__(self):
        if subprocess.run(["modprobe", "loop"]).returncode:
            pytest.skip("the kernel has no loop devices")
        self._place = tempfile.mkdtemp()
        _run("mount", "-t", "ramfs", "swap", self._place)
        image = f"{self._place}/image"
        with open(image, "wb") as file:
            file.truncate(self.SIZE)
        self._device = _run("losetup", "--find", "--show", image).strip()
        _run("mkswap", self._device)
        _run("swapon", self._device)
        return self

    def __exit__(self, *_):
        _run("swapoff", self._device)
        _run("losetup", "--detach", self._device)
        _run("umount", self._place)
        os.rmdir(self._place)

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Dma-bufs of the udmabuf driver, and of the lab's exporter, which revokes or moves its
memory on request (lab/ktest/dmabuf_exporter.c); regions of dma-bufs."""

import collections
import errno
import fcntl
import functools
import mmap
import os
import struct
import subprocess

import pyverbs.enums as e
from pyverbs.wr import SGE

from labverbs.rc import ALL
from lib import paged, uioctl, uverbs
from lib.paged import OK, READ, WRITE

UDMABUF_CREATE = 0x40187542
F_ADD_SEALS, F_SEAL_SHRINK = 1033, 2
# requests to the lab's exporter, see dmabuf_exporter.h
CREATE, REVOKE, SHAPE = 0x7800, 0x7801, 0x40107802
MOVE, FAIL, COUNT = 0x40247803, 0x40247804, 0xc0247805
HUGE_ORDER = 9
# Older kernels pin each dma-buf that is mapped, so that none of them moves.
MOVES = int(os.uname().release.split(".")[0]) >= 7

Counts = collections.namedtuple("Counts", "pinned mapped maps moves left strays")


def udmabuf(length):
    """Makes a dma-buf of new memory. Returns its file descriptor."""
    memfd = os.memfd_create("udmabuf", os.MFD_ALLOW_SEALING)
    os.ftruncate(memfd, length)
    fcntl.fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK)
    with open("/dev/udmabuf", "r+b", buffering=0) as maker:
        request = bytearray(struct.pack("<IIQQ", memfd, 0, 0, length))
        fd = fcntl.ioctl(maker, UDMABUF_CREATE, request)
    os.close(memfd)
    return fd


class DmaBuf:
    """A dma-buf, with its file descriptor .fd and a copy of its bytes."""

    def __init__(self, fd, length):
        self.fd, self.length = fd, length
        self.map = mmap.mmap(fd, length)
        self.fill()

    def fill(self):
        """Writes random bytes."""
        self.map[:] = os.urandom(self.length)
        self.before = bytes(self.map)

    def unchanged(self):
        """Whether the bytes are those that fill() has written."""
        return bytes(self.map) == self.before

    def close(self):
        self.map.close()
        os.close(self.fd)


class Exporter:
    """The lab's exporter."""

    def __init__(self):
        subprocess.run(["modprobe", "xrdma_dmabuf_exporter"], check=True)
        self._fd = os.open("/dev/xrdma-dmabuf", os.O_RDWR)

    def fixed(self, length):
        """Makes a dma-buf that can be revoked, but not moved. Returns its file
        descriptor."""
        return fcntl.ioctl(self._fd, CREATE, length // mmap.PAGESIZE)

    def movable(self, length, total=None, order=0):
        """Makes a dma-buf that can be moved. Returns its file descriptor.

        @total: length of the dma-buf, if its pages repeat
        @order: log2 of the number of pages that are contiguous
        """
        pages = [size // mmap.PAGESIZE for size in (length, total or length)]
        return fcntl.ioctl(self._fd, SHAPE,
                           bytearray(struct.pack("<4I", *pages, order, 1)))

    def revoke(self, fd):
        fcntl.ioctl(self._fd, REVOKE, fd)

    def _request(self, code, fd, error=0, value=0):
        request = bytearray(struct.pack("<iII24x", fd, error, value))
        fcntl.ioctl(self._fd, code, request)
        return request

    def move(self, fd, ms=0):
        """Moves the memory. @ms: the contents arrive after as many milliseconds."""
        self._request(MOVE, fd, value=ms)

    def fail(self, fd, code, count=1):
        """The next mappings fail with an errno."""
        self._request(FAIL, fd, code, count)

    def counts(self, fd):
        return Counts._make(struct.unpack_from("<6I", self._request(COUNT, fd), 12))

    def close(self):
        os.close(self._fd)


@functools.cache
def _exporter():
    return Exporter()


def movable_dmabuf(length):
    """Makes a dma-buf that can be moved. Returns its file descriptor."""
    return _exporter().movable(length)


def prefetch_dmabuf(w, domain):
    """A verb for sweep_verbs.py: maps memory that is not pinned."""
    fd = movable_dmabuf(paged.PAGE)
    w.later(os.close, fd)
    handle, lkey, _ = uioctl.reg_dmabuf(w.ctx, domain, 0, paged.PAGE, 0, fd, ALL)
    w.later(uverbs.dereg_mr, w.ctx, handle)
    with w.fault:
        domain.advise_mr(e._IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
                         e._IBV_ADVISE_MR_FLAG_FLUSH, [SGE(0, paged.PAGE, lkey)])


class Moving(DmaBuf):
    """A dma-buf of the lab's exporter that can be moved."""

    def __init__(self, exporter, length, **shape):
        super().__init__(exporter.movable(length, **shape), length)
        self.exporter = exporter

    def move(self, ms=0):
        self.exporter.move(self.fd, ms)

    def fail(self, code, count=1):
        self.exporter.fail(self.fd, code, count)

    def counts(self):
        return self.exporter.counts(self.fd)

    def can_move(self):
        """Whether the memory can be moved now: it is not pinned."""
        try:
            self.move()
        except OSError as error:
            assert error.errno == errno.EBUSY
            return False
        return True


class Region(paged.Region):
    """A region of a dma-buf. The address of the first byte is the offset in the dma-buf,
    or @iova."""

    def __init__(self, dev, pd, buf, offset=0, length=None, iova=None, access=ALL):
        self._dev, self.pd, self._number = dev, pd, None
        self.start = offset if iova is None else iova
        self.length = buf.length - offset if length is None else length
        self.handle, self.lkey, self.rkey = uioctl.reg_dmabuf(
            dev.ctx, pd, offset, self.length, self.start, buf.fd, access)


class Side:
    """A region of a dma-buf, and pinned memory from which and to which bytes move."""

    def __init__(self, link, near, region, buf):
        self.link, self.region, self.buf = link, region, buf
        self.mem, self.own = near

    def write(self, at=0, length=None, remote=None):
        """The device writes to the dma-buf. Returns the status."""
        return self.link.move(WRITE, (self.own, self.mem.address),
                              (self.region, at if remote is None else remote),
                              length or self.buf.length)

    def read(self, at=0, length=None):
        """The bytes that the device reads from the dma-buf."""
        length = length or self.buf.length
        self.mem.put(0, bytes(length))
        assert self.link.move(READ, (self.region, at), (self.own, self.mem.address),
                              length) == OK
        return self.mem.get(0, length)

    def agrees(self):
        """The device reads what the process reads, and the other way."""
        assert self.read() == bytes(self.buf.map)
        self.mem.fill()
        assert self.write() == OK
        assert bytes(self.buf.map) == self.mem.get(0, self.buf.length)

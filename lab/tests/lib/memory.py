# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Memory of a process: registered buffers with margins, and huge pages."""

import contextlib
import ctypes
import mmap
import os
import pathlib

from pyverbs.mr import MR

from labverbs.rc import ALL, Buffer

MAP_HUGETLB = 0x40000
MARGIN = 64


class Side:
    """A registered buffer with a margin on both ends that must not change."""

    def __init__(self, pd, length):
        self.buf = Buffer((length + 2 * MARGIN, False))
        self.buf.view[:] = os.urandom(self.buf.length)
        self.mr = MR(pd, self.buf.length, ALL, address=self.buf.address)
        self.address, self.length = self.buf.address + MARGIN, length
        self.edges = self._edges()

    def _edges(self):
        return bytes(self.buf.view[:MARGIN]), bytes(self.buf.view[-MARGIN:])

    def data(self):
        """The bytes between the margins. Checks that the margins have not changed."""
        assert self._edges() == self.edges, "bytes outside of the range changed"
        return bytes(self.buf.view[MARGIN:-MARGIN])

    def sge(self):
        """The range between the margins as a scatter-gather entry."""
        return (self.address, self.length, self.mr.lkey)

    def pieces(self, count):
        """The range as @count scatter-gather entries of unequal length."""
        cuts = [self.length * n * n // (count * count) for n in range(count + 1)]
        return [(self.address + a, b - a, self.mr.lkey)
                for a, b in zip(cuts, cuts[1:])]


@contextlib.contextmanager
def huge_pages(number):
    """Memory of @number huge pages of 2 MiB, which the kernel reserves for it."""
    knob = pathlib.Path("/proc/sys/vm/nr_hugepages")
    knob.write_text(str(number))
    try:
        yield mmap.mmap(-1, number << 21, flags=mmap.MAP_PRIVATE |
                        mmap.MAP_ANONYMOUS | MAP_HUGETLB)
    finally:
        knob.write_text("0")


def address_of(mapping):
    """The address of an mmap object."""
    return ctypes.addressof(ctypes.c_char.from_buffer(mapping))

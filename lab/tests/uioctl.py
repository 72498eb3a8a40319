# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The ioctl() interface of uverbs, raw: dma-bufs and device memory.

Must not know: what is right or wrong to ask for; errors are OSError.
"""

import ctypes
import fcntl
import struct

VERBS_IOCTL = 0xc0181b01
DRIVER_XRDMA = 0x10f0
OBJECT_MR, OBJECT_DM = 7, 14
MR_REG_DM, MR_DESTROY, MR_REG_DMABUF = 0, 1, 4
DM_ALLOC, DM_FREE = 0, 1
ALLOC_DM_RESP = 0x1000


class Attrs:
    """The attributes of one call."""

    def __init__(self):
        self.rows, self.keep = [], []

    def _add(self, number, length, data):
        self.rows.append(struct.pack("<HHHHq", number, length, 1, 0, data))

    def handle(self, number, value):
        self._add(number, 0, value)

    def value(self, number, code, value):
        """Up to 8 bytes stand in the attribute itself."""
        raw = struct.pack("<" + code, value)
        self._add(number, len(raw),
                  struct.unpack("<q", raw.ljust(8, b"\0"))[0])

    def output(self, number, size):
        out = ctypes.create_string_buffer(size)
        self.keep.append(out)
        self._add(number, size, ctypes.addressof(out))
        return out

    def run(self, ctx, obj, method):
        """Return the data word of the first attribute: a new handle."""
        head = struct.pack("<HHHHQII", 24 + 16 * len(self.rows), obj, method,
                           len(self.rows), 0, DRIVER_XRDMA, 0)
        request = bytearray(head + b"".join(self.rows))
        fcntl.ioctl(ctx.cmd_fd, VERBS_IOCTL, request, True)
        return struct.unpack_from("<I", request, 24 + 8)[0]


def _keys(attrs, ctx, method, first):
    lkey, rkey = attrs.output(first, 4), attrs.output(first + 1, 4)
    handle = attrs.run(ctx, OBJECT_MR, method)
    return (handle,) + tuple(struct.unpack("<I", key)[0]
                             for key in (lkey, rkey))


def reg_dmabuf(ctx, pd, offset, length, iova, fd, access):
    """Register; return (handle, lkey, rkey)."""
    attrs = Attrs()
    attrs.handle(0, 0)
    attrs.handle(1, pd.handle)
    attrs.value(2, "Q", offset)
    attrs.value(3, "Q", length)
    attrs.value(4, "Q", iova)
    attrs.value(5, "I", fd)
    attrs.value(6, "I", access)
    return _keys(attrs, ctx, MR_REG_DMABUF, 7)


def alloc_dm(ctx, length, log_align=0):
    """Return (handle, offset for mmap(), bytes for mmap())."""
    attrs = Attrs()
    attrs.handle(0, 0)
    attrs.value(1, "Q", length)
    attrs.value(2, "I", log_align)
    out = attrs.output(ALLOC_DM_RESP, 16)
    handle = attrs.run(ctx, OBJECT_DM, DM_ALLOC)
    return (handle,) + struct.unpack("<QQ", out)


def free_dm(ctx, handle):
    attrs = Attrs()
    attrs.handle(0, handle)
    attrs.run(ctx, OBJECT_DM, DM_FREE)


def reg_dm(ctx, pd, dm, offset, length, access):
    """Register; return (handle, lkey, rkey)."""
    attrs = Attrs()
    attrs.handle(0, 0)
    attrs.value(1, "Q", offset)
    attrs.value(2, "Q", length)
    attrs.handle(3, pd.handle)
    attrs.value(4, "I", access)
    attrs.handle(5, dm)
    return _keys(attrs, ctx, MR_REG_DM, 6)

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The ioctl() interface of uverbs without a library: dma-bufs, device memory, and the
commands of write() with driver data that the caller chooses. The write() interface is in
uverbs.py.

Arguments are not checked. An error of the kernel is an OSError.
"""

import ctypes
import fcntl
import struct

from lib import uverbs

VERBS_IOCTL = 0xc0181b01
DRIVER_XRDMA = 0x10f0
OBJECT_MR, OBJECT_DM, OBJECT_DMABUF = 7, 14, 18
MR_REG_DM, MR_REG_DMABUF = 0, 4
DM_ALLOC, DM_FREE = 0, 1
ALLOC_DM_RESP = 0x1000
OBJECT_DEVICE, INVOKE_WRITE, QUERY_CONTEXT = 0, 0, 4
QUERY_CONTEXT_RESP, UCAP_SHADOW_DB = 0x1000, 1
CORE_IN, CORE_OUT, WRITE_CMD, DRIVER_IN, DRIVER_OUT = 0, 1, 2, 0x1000, 0x1001


class Attrs:
    """The attributes of one call."""

    def __init__(self):
        self.rows, self.keep = [], []

    def _add(self, number, length, data):
        self.rows.append(struct.pack("<HHHHq", number, length, 1, 0, data))

    def handle(self, number, value):
        self._add(number, 0, value)

    def value(self, number, code, value):
        """Adds a value of up to 8 bytes, which is inside of the attribute."""
        raw = struct.pack("<" + code, value)
        self._add(number, len(raw),
                  struct.unpack("<q", raw.ljust(8, b"\0"))[0])

    def data(self, number, raw):
        """Adds data of any length. Adds no attribute for empty data."""
        if len(raw) > 8:
            self.keep.append(ctypes.create_string_buffer(raw, len(raw)))
            self._add(number, len(raw), ctypes.addressof(self.keep[-1]))
        elif raw:
            self.value(number, f"{len(raw)}s", raw)

    def output(self, number, size, place=None):
        out = ctypes.create_string_buffer(size)
        self.keep.append(out)
        self._add(number, size, place or ctypes.addressof(out))
        return out

    def run(self, ctx, obj, method):
        """Return the data word of the first attribute: a new handle."""
        head = struct.pack("<HHHHQII", 24 + 16 * len(self.rows), obj, method,
                           len(self.rows), 0, DRIVER_XRDMA, 0)
        request = bytearray(head + b"".join(self.rows))
        fcntl.ioctl(ctx.cmd_fd, VERBS_IOCTL, request, True)
        return struct.unpack_from("<I", request, 24 + 8)[0]


def shadow_doorbells(ctx):
    """Does the device read indexes and arm words in records?"""
    attrs = Attrs()
    out = attrs.output(QUERY_CONTEXT_RESP, 32)
    attrs.run(ctx, OBJECT_DEVICE, QUERY_CONTEXT)
    return bool(struct.unpack_from("<I", out, 12)[0] & UCAP_SHADOW_DB)


def invoke(ctx, command, request, driver=b"", reply=0, driver_reply=0,
           place=None):
    """Calls a command of write() by its number. Returns the core's part of the reply.

    @request: the bytes after the response pointer in the kernel's structure, or the
    whole structure if it has no response pointer. @place: address for the driver's
    part of the reply; None: memory of this function.
    """
    attrs = Attrs()
    if reply and not command & uverbs.EXTENDED:
        request = bytes(8) + request
    attrs.data(CORE_IN, request)
    out = attrs.output(CORE_OUT, reply) if reply else b""
    attrs.value(WRITE_CMD, "Q", command)
    attrs.data(DRIVER_IN, driver)
    if driver_reply:
        attrs.output(DRIVER_OUT, driver_reply, place)
    attrs.run(ctx, OBJECT_DEVICE, INVOKE_WRITE)
    return bytes(out)


def rereg_mr(ctx, handle, flags, pd, access=0):
    """Change protection domain or rights of a region; return its (lkey, rkey). A process
    may call this also if its parent has opened the device: the kernel refuses its write()
    (EACCES) before the driver gets to know of it."""
    request = struct.pack("<IIQQQII", handle, flags, 0, 0, 0, pd.handle, access)
    return struct.unpack("<II", invoke(ctx, uverbs.REREG_MR, request, reply=8))


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


def alloc_dm(ctx, length, log_align=0, place=None):
    """Return (handle, offset for mmap(), bytes for mmap()). place: see invoke()."""
    attrs = Attrs()
    attrs.handle(0, 0)
    attrs.value(1, "Q", length)
    attrs.value(2, "I", log_align)
    out = attrs.output(ALLOC_DM_RESP, 16, place)
    handle = attrs.run(ctx, OBJECT_DM, DM_ALLOC)
    return (handle,) + struct.unpack("<QQ", out)


def export_dm(ctx, offset):
    """Export the pages at an mmap() offset as a dma-buf; return its file."""
    attrs = Attrs()
    attrs.handle(0, 0)
    attrs.value(1, "Q", offset)
    return attrs.run(ctx, OBJECT_DMABUF, 0)


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

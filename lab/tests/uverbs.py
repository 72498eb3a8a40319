# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The write() interface of uverbs, raw: for calls that no library would make."""

import ctypes
import os
import struct

DEALLOC_PD, REG_MR, DEREG_MR = 4, 9, 13
CREATE_CQ, DESTROY_CQ = 18, 20
CREATE_QP, DESTROY_QP = 24, 27


def call(ctx, command, request, response_size, driver=b""):
    """Run @command on the open context @ctx; return the response.

    @request is what follows the response pointer in the kernel's structure,
    @driver what a provider would add. Raises OSError.
    """
    out = ctypes.create_string_buffer(max(response_size, 4))
    body = struct.pack("<Q", ctypes.addressof(out)) + request + driver
    header = struct.pack("<IHH", command, (8 + len(body)) // 4,
                         response_size // 4)
    os.write(ctx.cmd_fd, header + body)
    return out.raw[:response_size]


def plain(ctx, command, request):
    """A command without a response pointer."""
    header = struct.pack("<IHH", command, (8 + len(request)) // 4, 0)
    os.write(ctx.cmd_fd, header + request)


def reg_mr(ctx, pd, start, length, iova, access):
    """Register; return (handle, lkey, rkey)."""
    request = struct.pack("<QQQII", start, length, iova, pd.handle, access)
    return struct.unpack("<III", call(ctx, REG_MR, request, 12))


def dereg_mr(ctx, handle):
    plain(ctx, DEREG_MR, struct.pack("<I", handle))


def create_cq(ctx, cqe, driver, response_size=16, vector=0):
    """Create a CQ with any driver data; return (handle, cqe, driver data)."""
    request = struct.pack("<QIIiI", 0, cqe, vector, -1, 0)
    out = call(ctx, CREATE_CQ, request, response_size, driver)
    return struct.unpack("<II", out[:8]) + (out[8:],)


def destroy_cq(ctx, handle):
    call(ctx, DESTROY_CQ, struct.pack("<II", handle, 0), 8)


def create_qp(ctx, pd, cq, driver, send_wr=16, recv_wr=16, send_sge=1,
              recv_sge=1, inline=0, kind=2, response_size=40):
    """Create an RC queue pair with any driver data; return its handle."""
    request = struct.pack("<QIIIIIIIIIBBBx", 0, pd.handle, cq, cq, 0, send_wr,
                          recv_wr, send_sge, recv_sge, inline, 1, kind, 0)
    out = call(ctx, CREATE_QP, request, response_size, driver)
    return struct.unpack("<I", out[:4])[0]


def destroy_qp(ctx, handle):
    call(ctx, DESTROY_QP, struct.pack("<II", handle, 0), 4)

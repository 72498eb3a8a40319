# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The write() interface of uverbs without a library, for calls that no library makes.
The ioctl() interface is in uioctl.py."""

import ctypes
import ipaddress
import os
import struct

DEALLOC_PD, REG_MR, REREG_MR, DEREG_MR = 4, 9, 11, 13
ALLOC_MW, DEALLOC_MW = 14, 16
CREATE_COMP_CHANNEL, CREATE_CQ, RESIZE_CQ, DESTROY_CQ = range(17, 21)
CREATE_QP, QUERY_QP, MODIFY_QP, DESTROY_QP = 24, 25, 26, 27
ATTACH_MCAST, DETACH_MCAST = 30, 31
EXTENDED, MODIFY_CQ = 0x80000000, 57

# enum ibv_qp_attr_mask of each change of state that tests make
QP_MASKS = {0: 0x1, 1: 0x1 | 0x8 | 0x10 | 0x20,
            2: 0x1 | 0x80 | 0x100 | 0x1000 | 0x8000 | 0x20000 | 0x100000,
            3: 0x1 | 0x200 | 0x400 | 0x800 | 0x2000 | 0x10000, 6: 0x1}


def call(ctx, command, request, response_size, driver=b""):
    """Run @command on the open context @ctx; return the response.

    @request: the bytes after the response pointer in the kernel's structure
    @driver: the driver data, which usually the provider adds

    Raises OSError.
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


def rereg_mr(ctx, handle, flags, pd, start=0, length=0, iova=0, access=0):
    """Change a region; return its (lkey, rkey)."""
    request = struct.pack("<IIQQQII", handle, flags, start, length, iova,
                          pd.handle, access)
    return struct.unpack("<II", call(ctx, REREG_MR, request, 8))


def alloc_mw(ctx, pd, kind):
    """Allocate a window of type 1 or 2; return (handle, rkey)."""
    request = struct.pack("<IB3x", pd.handle, kind)
    return struct.unpack("<II", call(ctx, ALLOC_MW, request, 8))


def dealloc_mw(ctx, handle):
    plain(ctx, DEALLOC_MW, struct.pack("<I", handle))


def create_cq(ctx, cqe, driver, response_size=16, vector=0, channel=-1):
    """Create a CQ with any driver data; return (handle, cqe, driver data)."""
    request = struct.pack("<QIIiI", 0, cqe, vector, channel, 0)
    out = call(ctx, CREATE_CQ, request, response_size, driver)
    return struct.unpack("<II", out[:8]) + (out[8:],)


def destroy_cq(ctx, handle):
    call(ctx, DESTROY_CQ, struct.pack("<II", handle, 0), 8)


def create_qp(ctx, pd, cq, driver, send_wr=16, recv_wr=16, send_sge=1,
              recv_sge=1, inline=0, kind=2, response_size=40):
    """Create an RC queue pair with any driver data; return its handle."""
    return create_qp_numbers(ctx, pd, cq, driver, send_wr, recv_wr, send_sge,
                             recv_sge, inline, kind, response_size)[0]


def create_qp_numbers(ctx, pd, cq, driver, send_wr=16, recv_wr=16, send_sge=1,
                      recv_sge=1, inline=0, kind=2, response_size=40):
    """Create an RC queue pair with any driver data; return its handle and number."""
    request = struct.pack("<QIIIIIIIIIBBBx", 0, pd.handle, cq, cq, 0, send_wr,
                          recv_wr, send_sge, recv_sge, inline, 1, kind, 0)
    out = call(ctx, CREATE_QP, request, response_size, driver)
    return struct.unpack("<II", out[:8])


def modify_qp(ctx, handle, state, access=0, mtu=3, dest_qpn=0, rq_psn=0,
              sq_psn=0, gid="::", sgid_index=0, timeout=14, retry=7):
    """Change an RC queue pair to @state, with the attributes that the state needs."""
    path = ipaddress.ip_address(gid).packed + struct.pack(
        "<IHHBBBBBBBB", 0, 0, 0, sgid_index, 64, 0, 0, 0, 0, 1, 1)
    request = path + bytes(32) + struct.pack(
        "<IIIIIIIHHBBBBBBBBBBBBBBxx", handle, QP_MASKS[state], 0, rq_psn,
        sq_psn, dest_qpn, access, 0, 0, state, 0, mtu, 0, 0, 16, 16, 12, 1,
        timeout, retry, 7, 0, 0)
    plain(ctx, MODIFY_QP, request)


def query_qp_state(ctx, handle):
    """The state of a queue pair, enum ibv_qp_state."""
    out = call(ctx, QUERY_QP, struct.pack("<II", handle, 1), 128)
    return out[108]


def destroy_qp(ctx, handle):
    call(ctx, DESTROY_QP, struct.pack("<II", handle, 0), 4)


def attach_mcast(ctx, qp, gid, lid=0):
    """Attach a datagram queue pair, given by its handle, to a multicast group."""
    plain(ctx, ATTACH_MCAST, gid + struct.pack("<IHH", qp, lid, 0))


def detach_mcast(ctx, qp, gid, lid=0):
    plain(ctx, DETACH_MCAST, gid + struct.pack("<IHH", qp, lid, 0))


def resize_cq(ctx, handle, cqe, driver):
    """Resize a CQ with any driver data; return (cqe, index)."""
    out = call(ctx, RESIZE_CQ, struct.pack("<II", handle, cqe), 16, driver)
    return struct.unpack("<I4xI4x", out)


def modify_cq(ctx, handle, count, period):
    """Set the moderation of a CQ by an extended command."""
    request = struct.pack("<IIHHI", handle, 1, count, period, 0)
    os.write(ctx.cmd_fd, struct.pack("<IHHQHHI", EXTENDED | MODIFY_CQ,
                                     len(request) // 8, 0, 0, 0, 0, 0) +
             request)


def create_comp_channel(ctx):
    """The file descriptor of a new completion channel."""
    return struct.unpack("<i", call(ctx, CREATE_COMP_CHANNEL, b"", 4))[0]

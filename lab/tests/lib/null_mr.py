# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Null regions by libibverbs, since pyverbs has no call for them."""

import contextlib
import ctypes
import os

POINTER = ctypes.c_void_p
# The function ibv_alloc_null_mr() is inline: it calls an operation in struct
# verbs_context, which the ABI of libibverbs places this many bytes before struct
# ibv_context.
ALLOC_NULL_MR = 38 * 8


class IbvMr(ctypes.Structure):
    """struct ibv_mr"""
    _fields_ = [("context", POINTER), ("pd", POINTER), ("addr", POINTER),
                ("length", ctypes.c_size_t), ("handle", ctypes.c_uint32),
                ("lkey", ctypes.c_uint32), ("rkey", ctypes.c_uint32)]


def library():
    lib = ctypes.CDLL("libibverbs.so.1", use_errno=True)
    for name in ("ibv_get_device_list", "ibv_open_device", "ibv_alloc_pd"):
        getattr(lib, name).restype = POINTER
    lib.ibv_get_device_name.restype = ctypes.c_char_p
    return lib


def open_device(lib, name):
    """An open context of the device with this name."""
    found = POINTER(lib.ibv_get_device_list(None))
    devices = ctypes.cast(found, ctypes.POINTER(POINTER))
    at = 0
    while lib.ibv_get_device_name(POINTER(devices[at])) != name.encode():
        at += 1
    ctx = POINTER(lib.ibv_open_device(POINTER(devices[at])))
    lib.ibv_free_device_list(found)
    return ctx


@contextlib.contextmanager
def domain(name):
    """A protection domain of a context of its own: (library, context, domain)."""
    lib = library()
    ctx = open_device(lib, name)
    pd = POINTER(lib.ibv_alloc_pd(ctx))
    try:
        yield lib, ctx, pd
    finally:
        assert lib.ibv_dealloc_pd(pd) == 0
        assert lib.ibv_close_device(ctx) == 0


def alloc_null_mr(ctx, pd):
    """Calls ibv_alloc_null_mr(). Returns the struct ibv_mr. Raises OSError."""
    place = POINTER.from_address(ctx.value - ALLOC_NULL_MR)
    call = ctypes.CFUNCTYPE(ctypes.POINTER(IbvMr), POINTER, use_errno=True)
    mr = call(place.value)(pd)
    if not mr:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return mr.contents

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Dma-bufs of the udmabuf driver."""

import fcntl
import os
import struct

UDMABUF_CREATE = 0x40187542
F_ADD_SEALS, F_SEAL_SHRINK = 1033, 2


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

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""User contexts that are opened without libibverbs. When the file of such a context is
closed, the kernel destroys all of its objects."""

import os
import struct

from lib import uverbs

GET_CONTEXT, ALLOC_PD = 0, 3


class RawContext:
    """A user context. cmd_fd: its file, async_fd: the file of its events."""

    def __init__(self, dev):
        name = os.listdir(f"/sys/class/infiniband/{dev.name}/device/"
                          "infiniband_verbs")[0]
        self.cmd_fd = os.open(f"/dev/infiniband/{name}", os.O_RDWR)
        out = uverbs.call(self, GET_CONTEXT, b"", 8 + 32)
        self.async_fd = struct.unpack_from("<I", out)[0]

    def alloc_pd(self):
        """Allocates a protection domain. .handle is its handle in uverbs."""
        class Domain:
            handle = struct.unpack_from(
                "<I", uverbs.call(self, ALLOC_PD, b"", 4 + 8))[0]
        return Domain

    def close(self):
        """Closes the files. The kernel then destroys the context and its objects."""
        os.close(self.cmd_fd)
        os.close(self.async_fd)


class RawDevice:
    """An open device of this process, as rawqp and windows take one."""

    def __init__(self, dev):
        self.name, self.gid, self.gid_index = dev.name, dev.gid, dev.gid_index
        self.ctx = RawContext(dev)

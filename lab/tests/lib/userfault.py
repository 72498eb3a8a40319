# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""userfaultfd(2): a range of memory whose missing pages this process hands over, or
nobody."""

import ctypes
import fcntl
import os
import struct
import threading

from lib.paged import LIBC, PAGE, called

SYS_USERFAULTFD = 323       # of x86-64
API, REGISTER, COPY = 0xC018AA3F, 0xC020AA00, 0xC028AA03
VERSION, MISSING, PAGEFAULT = 0xAA, 1, 0x12
MESSAGE = 32                # bytes of struct uffd_msg
ADDRESS = 16                # offset of the address in it


class Userfault:
    """The range of @mem, a lib.paged.Memory without a page."""

    def __init__(self, mem):
        self._mem, self.served = mem, 0
        self._fd = called(LIBC.syscall(SYS_USERFAULTFD, os.O_CLOEXEC))
        fcntl.ioctl(self._fd, API, struct.pack("<QQQ", VERSION, 0, 0))
        fcntl.ioctl(self._fd, REGISTER, struct.pack("<QQQQ", mem.address, mem.length,
                                                    MISSING, 0))

    def provide(self, address, data):
        """Hands over whole pages."""
        source = ctypes.create_string_buffer(data, len(data))
        fcntl.ioctl(self._fd, COPY, struct.pack("<QQQQq", address,
                                                ctypes.addressof(source), len(data),
                                                0, 0))

    def serve(self, data):
        """Starts a thread that hands over each page for which the kernel asks, with the
        bytes of @data."""
        threading.Thread(target=self._serve, args=[data], daemon=True).start()

    def _serve(self, data):
        while True:
            message = os.read(self._fd, MESSAGE)
            if message[0] != PAGEFAULT:
                continue
            at, = struct.unpack_from("<Q", message, ADDRESS)
            at -= at % PAGE
            try:
                self.provide(at, data[at - self._mem.address:][:PAGE])
            except FileExistsError:
                continue
            self.served += 1

    def close(self):
        """Ends the waits for pages: the range is ordinary memory then."""
        os.close(self._fd)

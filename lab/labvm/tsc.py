# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The frequency of the host's time stamp counter (TSC), which QEMU's emulation (TCG)
passes to the guest as it is. The guest's kernel would measure the frequency against an
emulated timer; on a busy host its result, and so each clock of the guest, is wrong by
several percent, and stays so. machine.py tells the kernel the frequency instead; this
module knows nothing of QEMU.
"""

import ctypes
import mmap
import platform
import time

_RDTSC = bytes.fromhex("0f31" "48c1e220" "4809d0" "c3")     # returns rdx << 32 | rax
_SPAN_S = 0.05          # an error of 1 us is 20 ppm
_READINGS = 20          # of which the one that took least time counts


def _reader():
    """A function that reads the TSC."""
    code = mmap.mmap(-1, mmap.PAGESIZE,
                     prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(_RDTSC)
    read = ctypes.CFUNCTYPE(ctypes.c_uint64)(
        ctypes.addressof(ctypes.c_char.from_buffer(code)))
    read.code = code
    return read


def _reading(read):
    """One time as (ns of CLOCK_MONOTONIC, TSC)."""
    best = None
    for _ in range(_READINGS):
        before, ticks, after = time.monotonic_ns(), read(), time.monotonic_ns()
        if best is None or after - before < best[0]:
            best = after - before, (before + after) // 2, ticks
    return best[1:]


def _is_constant():
    """Whether the TSC of the host counts at one rate."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            return " constant_tsc " in file.read()
    except OSError:
        return False


def khz():
    """The frequency in kHz; None if the host has no TSC, or its rate changes."""
    if platform.machine() != "x86_64" or not _is_constant():
        return None
    read = _reader()
    start_ns, start = _reading(read)
    time.sleep(_SPAN_S)
    end_ns, end = _reading(read)
    return round((end - start) * 1000000 / (end_ns - start_ns))

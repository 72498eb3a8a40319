# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A driver that takes over a device from another driver: from that of a kernel that
shut down, or that crashed; or in the same kernel from a program that left the
device running. Each kernel starts the next one with this program. Prints its
findings as lines of JSON, which host_power.py judges. Runs in guests that
host_power.py starts.

Usage: guest_kernels.py KERNEL
"""

import ctypes
import mmap
import os
import pathlib
import shlex
import struct
import subprocess
import sys
import time

sys.path[:0] = [str(path) for path in pathlib.Path(__file__).parents[2:4]]

from labvm import job  # noqa: E402
from lib.control import ask, device_state  # noqa: E402
from lib.function import pingpong, pingpong_args, set_up  # noqa: E402
from lib.machine import (PATIENCE, PCI, PORT, listens, report,  # noqa: E402
                         run, settled)

LAB = pathlib.Path("/lab/job")
INITRD = pathlib.Path("/tmp/initrd")
# memory for the kernel that starts after this one has crashed
ROOM = "crashkernel=384M"


# ---- from kernel to kernel -------------------------------------------------------

def job_archive():
    """This guest's job archive, with the next kernel's scenario as COMMAND."""
    config = {}
    for line in (LAB / "config").read_text().splitlines():
        name, _, value = line.partition("=")
        config[name] = "".join(shlex.split(value))
    return job.archive(config, ["python3", "-B", __file__, *sys.argv[2:]])


def load(*options):
    """Loads the next kernel (kexec), which is the same version as this one."""
    release = os.uname().release
    kernel = (LAB / "config").read_text().partition("kernel=")[2].split()[0]
    base = pathlib.Path(f"/src/build/{kernel}/initrd").read_bytes()
    INITRD.write_bytes(base + bytes(-len(base) % 512) + job_archive())
    words = pathlib.Path("/proc/cmdline").read_text().replace(ROOM, "").strip()
    done = run("kexec", "-s", f"--initrd={INITRD}", *options,
               f"--append={words} {ROOM if '-l' in options else 'nr_cpus=1'}",
               f"/boot/vmlinuz-{release}", seconds=4 * PATIENCE)
    if done["status"]:
        sys.exit(f"kexec: {done}")


def use():
    """Starts processes that use the device until the kernel ends. Returns whether they
    run."""
    children = []

    def start(*options):
        children.append(subprocess.Popen(
            pingpong_args() + ["-n", "100000000", "-s", "65536", *options],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    start()
    settled(lambda: listens(PORT))
    start("localhost")
    time.sleep(2)
    return all(child.poll() is None for child in children)


def state():
    """The resources that the device has, and whether it is a bus master."""
    command, = struct.unpack_from("<H", (PCI / "config").read_bytes(), 4)
    return {"master": bool(command & 4), **device_state()}


def leave(name, **findings):
    """Reports the last findings of a kernel, and waits until they have been passed on."""
    report(name=name, device=state(), **findings)
    time.sleep(1)


# ---- a device that was left running -------------------------------------------------

MASTER_AND_MEMORY = 6
CMD_BASE, RSP_BASE, CMD_LOG, CMD_DB, MPT_ROOT = 0x18, 0x20, 0x28, 0x2c, 0x30
CTRL, STATUS, ENABLE, RUNS = 0x10, 0x14, 1, 3
NOP, ENTRY, LOG_DEPTH, LOG_TABLE = 0, 128, 5, 18
HUGE = 2 << 20
# Delays in seconds of the replies to the commands. The series grows by a factor of 1.3,
# so that a reply is due soon after the driver has started, however long that takes.
LATER, DUE = [0.001, *(2 * 1.3 ** number for number in range(15))], 0.35


class Runner:
    """Starts the device as the specification says, without the driver, and makes it
    answer commands later. memory: the memory that the device uses, contiguous: key
    table, commands, replies."""

    def __init__(self):
        pathlib.Path("/proc/sys/vm/nr_hugepages").write_text("1")
        self.memory = mmap.mmap(-1, HUGE, flags=mmap.MAP_SHARED |
                                mmap.MAP_ANONYMOUS | 0x40000)   # MAP_HUGETLB
        self.memory[:] = bytes(HUGE)
        self._address = self._physical()
        self._regs = self._map()

    def _physical(self):
        virtual = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        with open("/proc/self/pagemap", "rb") as pages:
            pages.seek(virtual // mmap.PAGESIZE * 8)
            entry, = struct.unpack("<Q", pages.read(8))
        return (entry & (1 << 55) - 1) * mmap.PAGESIZE

    @staticmethod
    def _map():
        (PCI / "enable").write_text("1")
        with open(PCI / "config", "r+b", buffering=0) as config:
            config.seek(4)
            config.write(struct.pack("<H", MASTER_AND_MEMORY))
        with open(PCI / "resource0", "r+b", buffering=0) as file:
            regs = mmap.mmap(file.fileno(), mmap.PAGESIZE)
        return (ctypes.c_uint32 * (mmap.PAGESIZE // 4)).from_buffer(regs)

    def _write64(self, register, value):
        self._regs[register // 4] = value & 0xffffffff
        self._regs[register // 4 + 1] = value >> 32

    def start(self):
        """Starts the device. Returns whether it runs."""
        commands = 1 << LOG_TABLE
        self._write64(MPT_ROOT, self._address | LOG_TABLE << 3)
        self._write64(CMD_BASE, self._address + commands)
        self._write64(RSP_BASE, self._address + commands + mmap.PAGESIZE)
        self._regs[CMD_LOG // 4] = LOG_DEPTH
        self._regs[CTRL // 4] = ENABLE
        settled(lambda: self._regs[STATUS // 4] == RUNS)
        for number, seconds in enumerate(LATER):
            ask(cmd="command_fault", kind="delay", opcode="NOP",
                ms=int(seconds * 1000))
            struct.pack_into("<HH", self.memory, commands + ENTRY * number,
                             NOP, number)
        self._regs[CMD_DB // 4] = len(LATER)
        return self._regs[STATUS // 4] == RUNS


def running():
    """The driver is bound to a running device. It must reset the device, which must
    work and must not write to the memory of before."""
    runner = Runner()
    runs = runner.start()
    began = time.monotonic()
    empty = bytes(HUGE)
    answers = settled(lambda: bytes(runner.memory) != empty)
    set_up()
    met = bytes(runner.memory)
    time.sleep(DUE * (time.monotonic() - began) + 1)
    report(name="running", runs=runs, answers=answers,
           still=bytes(runner.memory) == met,
           in_time=time.monotonic() - began < max(LATER),
           works=pingpong(time.monotonic()))


# ---- the kernels, one after the other ------------------------------------------------

def meet(name):
    """Binds the driver to the device in the state that the last kernel left."""
    met = state()
    set_up()
    report(name=name, device=met, works=pingpong(time.monotonic()))


def finish():
    """Ends the last kernel: unloads the module, and reports what is left."""
    unload = run("modprobe", "-r", "xrdma")
    report(name="end", unload=unload, device=device_state())


def first():
    """The first kernel, which is shut down while the device is in use."""
    running()
    load("-l")
    leave("shutdown", busy=use())
    run("kexec", "-x", "-e")


def second():
    """The second kernel, which crashes while the device is in use."""
    meet("second")
    if not sys.argv[2:]:
        finish()
        return
    load("-p")
    leave("crash", busy=use())
    pathlib.Path("/proc/sysrq-trigger").write_text("c")


def third():
    """The third kernel, which has little memory and one processor."""
    meet("third")
    finish()


KERNELS = {function.__name__: function for function in (first, second, third)}

if __name__ == "__main__":
    KERNELS[sys.argv[1]]()

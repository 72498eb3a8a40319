# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Regions on a device that does not answer when they are changed, are ended or lose
their memory. Each scenario prints its findings as lines of JSON, the last of them named
"after", which host_regions.py judges. Runs in guests that host_regions.py starts.

Usage: guest_regions.py SCENARIO...
"""

import os
import pathlib
import sys
import time

sys.path[:0] = [str(path) for path in pathlib.Path(__file__).parents[2:4]]

from lib import binding
from lib.control import ask, device_state, hang, repair
from lib.machine import Log, interfaces, report, run

SIZE = 16 * 4096


def timed(call, *args):
    """The errno of a call, or 0, and its duration in seconds."""
    began = time.monotonic()
    try:
        call(*args)
        code = 0
    except OSError as err:
        code = err.errno
    return {"errno": code, "seconds": time.monotonic() - began}


class World:
    """An open device, a protection domain, and memory."""

    def __init__(self):
        from pyverbs.pd import PD
        from labverbs.rc import Buffer, Device
        from lib import uverbs
        self.uverbs = uverbs
        self.dev = Device()
        self.pd = PD(self.dev.ctx)
        self.old, self.new = Buffer((SIZE, False)), Buffer((SIZE, False))

    def region(self):
        return self.uverbs.reg_mr(self.dev.ctx, self.pd, self.old.address, SIZE,
                                  self.old.address, 0xf)

    def rereg(self, handle, flags):
        return timed(self.uverbs.rereg_mr, self.dev.ctx, handle, flags, self.pd,
                     self.new.address, SIZE, self.new.address, 0xf)

    def dereg(self, handle):
        return timed(self.uverbs.dereg_mr, self.dev.ctx, handle)


def finish(log, **findings):
    """Waits until the driver has declared the device dead and recovered it, and reports
    the findings."""
    noticed = log.wait_for("the device is dead")
    repair()
    report(name="end", noticed=noticed, errors=log.errors(), **findings)


def changed_in_place():
    """The device does not answer the INVALIDATE of a change in place: the region must
    not change."""
    log, world = Log(), World()
    handle, lkey, _ = world.region()
    ask(**hang("INVALIDATE"))
    change = world.rereg(handle, 7)
    again = world.rereg(handle, 4)
    finish(log, change=change, again=again, dereg=world.dereg(handle))


class DmaBuf:
    def __init__(self, movable=False):
        from lib.dmabuf import Exporter
        self._exporter = Exporter()
        self.fd = (self._exporter.movable if movable else self._exporter.fixed)(SIZE)

    def revoke(self):
        self._exporter.revoke(self.fd)

    def move(self):
        self._exporter.move(self.fd)

    def counts(self):
        return self._exporter.counts(self.fd)._asdict()


def taken_back():
    """The device does not answer the INVALIDATE after the exporter of a dma-buf has
    revoked it."""
    from lib import uioctl
    log, world, buf = Log(), World(), DmaBuf()
    handle, _, _ = uioctl.reg_dmabuf(world.dev.ctx, world.pd, 0, SIZE, 0,
                                     buf.fd, 0xf)
    ask(**hang("INVALIDATE"))
    taken = timed(buf.revoke)
    finish(log, taken=taken, change=world.rereg(handle, 4),
           dereg=world.dereg(handle), again=timed(buf.revoke))


def taken_back_late():
    """The exporter revokes a dma-buf whose region was deregistered, but whose memory is
    not released yet."""
    from lib import uioctl
    log, world, buf = Log(), World(), DmaBuf()
    handle, _, _ = uioctl.reg_dmabuf(world.dev.ctx, world.pd, 0, SIZE, 0,
                                     buf.fd, 0xf)
    ask(**hang("INVALIDATE"))
    dereg = world.dereg(handle)
    finish(log, dereg=dereg, taken=timed(buf.revoke))


def use(world, buf):
    """Registers a dma-buf, and lets the device write to it. Returns the region."""
    from lib import paged
    from lib.dmabuf import Region
    buf.length = SIZE
    mem = paged.Memory(SIZE)
    own = paged.Region(world.dev, world.pd, mem, access=0xf)
    region = Region(world.dev, world.pd, buf)
    link = paged.Link(world.dev, world.pd)
    assert link.move(paged.WRITE, (own, mem.address), (region, 0),
                     SIZE) == paged.OK
    return region


def moved():
    """The device does not answer the INVALIDATE_RANGE after the exporter of a dma-buf
    has moved it. The device may write to the old memory until it is silenced."""
    log, world, buf = Log(), World(), DmaBuf(movable=True)
    region = use(world, buf)
    ask(**hang("INVALIDATE_RANGE"))
    taken = timed(buf.move)
    finish(log, taken=taken, dereg=timed(region.close), again=timed(buf.move),
           counts=buf.counts())


def moved_late():
    """The exporter moves a dma-buf whose region was deregistered, but whose memory is not
    released yet."""
    log, world, buf = Log(), World(), DmaBuf(movable=True)
    region = use(world, buf)
    ask(**hang("INVALIDATE"))
    dereg = timed(region.close)
    finish(log, dereg=dereg, taken=timed(buf.move), counts=buf.counts())


def unbound_moving():
    """The driver is unbound while the device has memory of a dma-buf that moves."""
    world, buf = World(), DmaBuf(movable=True)
    use(world, buf)
    pci = os.environ["XRDMA_PCI"]
    driver = "/sys/bus/pci/drivers/xrdma"
    took = timed(pathlib.Path(driver, "unbind").write_text, pci)
    moved = timed(buf.move)
    report(name="end", took=took, moved=moved, counts=buf.counts(),
           back=timed(pathlib.Path(driver, "bind").write_text, pci))


def unbound():
    """The driver is unbound while a process has mapped device memory."""
    import mmap
    from lib import uioctl
    world = World()
    handle, key, size = uioctl.alloc_dm(world.dev.ctx, 8192)
    view = mmap.mmap(world.dev.ctx.cmd_fd, size, offset=key)
    view[:4] = b"mine"
    uioctl.reg_dm(world.dev.ctx, world.pd, handle, 0, size, 0x2f)
    pci = os.environ["XRDMA_PCI"]
    driver = "/sys/bus/pci/drivers/xrdma"
    took = timed(pathlib.Path(driver, "unbind").write_text, pci)
    report(name="end", took=took, seen=view[:4] == b"mine",
           back=timed(pathlib.Path(driver, "bind").write_text, pci))


def play(name):
    """Runs a scenario in a process of its own, unloads the module and loads it again."""
    child = os.fork()
    if not child:
        globals()[name]()
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(child, 0)
    unload = run("modprobe", "-r", "xrdma")
    exporter = run("modprobe", "-r", "xrdma_dmabuf_exporter")
    report(name="after", unload=unload, exporter=exporter,
           device=device_state(), again=run("modprobe", "xrdma"),
           made=interfaces())


def main():
    for number, name in enumerate(sys.argv[1:]):
        if number:
            binding.ready()
        play(name)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A change of the mappings of paged memory on a device that does not answer; a driver
that is unbound while pages do not arrive; a device that has pages and cannot be silenced;
a page of 1 GiB, which the kernel reserves when it boots; addresses that only a process
with page tables of 5 levels has; and persistent memory. Each scenario prints its findings
as lines of JSON, the last of them named "after", which host_paging.py judges. Runs in
guests that host_paging.py starts.

Usage: guest_paging.py SCENARIO...
"""

import os
import pathlib
import sys
import time
import uuid

sys.path[:0] = [str(path) for path in pathlib.Path(__file__).parents[2:4]]

from lib import binding
from lib.control import ask, device_state, hang, late, lie, repair
from lib.machine import Log, interfaces, report, run

SIZE = 1 << 20
FLUSH_PERSISTENT = 0x200        # enum ibv_access_flags


class World:
    """A paged region whose pages the device has mapped, and a connection."""

    def __init__(self, mem=None):
        from pyverbs.pd import PD
        from labverbs.rc import Device
        from lib import paged
        self.paged, self.dev = paged, Device()
        self.pd = PD(self.dev.ctx)
        self.mem, self.near = mem or paged.Memory(SIZE), paged.Memory(SIZE)
        self.region = paged.Region(self.dev, self.pd, self.mem)
        self.own = paged.Region(self.dev, self.pd, self.near, access=paged.ALL)
        self.link = paged.Link(self.dev, self.pd)
        assert self.write() == paged.OK

    def write(self, at=0):
        return self.link.move(self.paged.WRITE, (self.own, self.near.address),
                              (self.region, self.mem.address + at), SIZE)

    def same(self, at=0):
        return self.mem.get(at, SIZE) == self.near.get()


def timed(call, *args):
    """The seconds that a call takes."""
    began = time.monotonic()
    call(*args)
    return time.monotonic() - began


def finish(log, world, **findings):
    noticed = log.wait_for("the device is dead")
    repair()
    findings["dereg"] = timed(ends_of, world)
    report(name="end", noticed=noticed, errors=log.errors(), **findings)


def ends_of(world):
    """Deregisters the region, which a recovered device does not know any more."""
    try:
        world.region.close()
    except OSError:
        pass


def unmapped():
    """The device does not answer the INVALIDATE_RANGE of a munmap()."""
    log, world = Log(), World()
    ask(**hang("INVALIDATE_RANGE"))
    took = timed(world.mem.unmap)
    again = world.paged.Memory(SIZE, populate=False)
    finish(log, world, unmap=took, zeros=not any(again.get()))


def forked():
    """The same of a fork(), and of the writes to the shared pages after it."""
    log, world = Log(), World()
    ask(**hang("INVALIDATE_RANGE"))
    began = time.monotonic()
    child = os.fork()
    if not child:
        os._exit(0)
    took = time.monotonic() - began
    os.waitpid(child, 0)
    finish(log, world, fork=took, write=timed(world.mem.fill))


def answered_late():
    """The device answers after half of the time limit: nothing but a delay happens."""
    log, world = Log(), World()
    ask(**late("INVALIDATE_RANGE", 0.4))
    took = timed(world.mem.unmap)
    world.mem.map_again()
    status = world.write()
    report(name="end", noticed=None, errors=log.errors(), unmap=took,
           status=status, same=world.same())
    world.region.close()


def ended():
    """The process ends: the region is deregistered by a device that does not answer."""
    log, world = Log(), World()
    ask(**hang("INVALIDATE"))
    report(name="end", noticed=None, errors=log.errors())
    # the kernel frees the region when the process ends
    sys.stdout.flush()
    os._exit(0)


def gigantic():
    """Writes to every other MiB of a page of 1 GiB, then removes the page."""
    from lib import paged
    log = Log()
    world = World(paged.Memory(
        paged.GIB, flags=paged.PRIVATE | paged.ANONYMOUS | paged.HUGETLB_1G,
        populate=False))
    wrong = [at for at in range(0, paged.GIB, 2 * SIZE)
             if world.write(at) != paged.OK or not world.same(at)]
    counters = world.region.statistic()
    world.mem.unmap()
    report(name="end", noticed=None, errors=log.errors(), wrong=wrong,
           faults=counters["page_faults"], mapped=counters["pages_mapped"],
           unmapped=world.write() == paged.REMOTE_REFUSED)
    world.region.close()


def held():
    """Pages of a process never arrive. The driver is unbound and bound again, also while
    the process waits in advise_mr, and rmmod does not wait for the pages."""
    from lib.hostage import Hostage
    log, hostage = Log(), Hostage()
    hostage.tell("prefetch")
    time.sleep(0.5)
    took = timed(binding.unbind)
    began = time.monotonic()
    unload = run("rmmod", "xrdma", seconds=20)
    unloads = time.monotonic() - began
    binding.again()
    world = World()
    report(name="end", noticed=None, errors=log.errors(), unbind=took, unload=unload,
           unloads=unloads, status=world.write(), same=world.same(),
           killed=hostage.kill())
    world.region.close()


def kept():
    """The device can neither be reset nor silenced while it has pages of 64 regions. The
    mappings change after the driver has given the device up."""
    from lib import paged
    log, world = Log(), World()
    regions = [paged.Region(world.dev, world.pd, world.mem) for _ in range(64)]
    for region in regions:
        assert world.link.move(paged.READ, (region, world.mem.address),
                               (world.own, world.near.address), 64) == paged.OK
    ask(cmd="pending", on=True)
    ask(**lie("STATUS", 0))
    abandoned = log.wait_for("are never freed")
    took = timed(world.mem.unmap)
    again = paged.Memory(SIZE, populate=False)
    zeros = not any(again.get())
    forked = timed(lambda: os.waitpid(os.fork() or os._exit(0), 0))
    repair()
    report(name="end", noticed=abandoned, errors=log.errors(), unmap=took, zeros=zeros,
           fork=forked, back=log.wait_for("works again"))


def far():
    """Uses memory 2^48 bytes above other memory. The tables of a region map positions
    below 2^48 only."""
    from lib import paged
    log, world = Log(), World()
    mem = paged.Memory(SIZE)
    mem.move(world.mem.address + (1 << 48))
    whole = paged.Region(world.dev, world.pd)
    own = paged.Region(world.dev, world.pd, mem)
    advised = world.paged.advise(world.pd, 1, 1, whole.sge(mem.address, SIZE))

    def read(region, source):
        status = world.link.move(paged.READ, (region, source.address),
                                 (world.own, world.near.address), SIZE)
        return status, world.near.get() == source.get()

    report(name="end", noticed=None, errors=log.errors(), advised=advised,
           below=read(whole, world.mem), beyond=read(whole, mem),
           own=read(own, mem), prefetches=whole.statistic()["page_prefetch"])
    for region in (own, whole, world.region):
        region.close()


class Persistent:
    """Memory of the file system or device that the kernel makes of the range of
    memmap=. DAX: a mapping has the pages of the device itself, without a copy."""

    def __init__(self):
        self._place = "/root/dax"
        for module in ("nd_e820", "nd_pmem", "device_dax", "dax_pmem", "ext4"):
            run("modprobe", module)
        self._bus = pathlib.Path("/sys/bus/nd")

    def file(self):
        """Memory of a file of a file system with DAX."""
        from lib import paged
        os.makedirs(self._place, exist_ok=True)
        for words in (f"mkfs.ext4 -q -b 4096 {self._pmem()}",
                      f"mount -o dax=always {self._pmem()} {self._place}"):
            done = run(*words.split())
            assert done["status"] == 0, done["words"]
        with open(f"{self._place}/file", "wb+") as file:
            os.posix_fallocate(file.fileno(), 0, 4 * SIZE)
            return paged.Memory(4 * SIZE, flags=paged.SHARED, fd=file.fileno())

    def unmount(self):
        done = run("umount", self._place)
        assert done["status"] == 0, done["words"]

    @staticmethod
    def _pmem():
        device, = pathlib.Path("/dev").glob("pmem*")
        return device

    def device(self):
        """Memory of the character device to which the same range is then bound."""
        from lib import binding, paged
        namespace, region = "namespace0.0", self._bus / "devices/region0"
        binding.write(self._bus / "drivers/nd_pmem/unbind", namespace)
        seed = (region / "dax_seed").read_text().strip()
        for name, value in (("mode", "ram"), ("align", str(2 * SIZE)),
                            ("uuid", str(uuid.uuid4())), ("namespace", namespace)):
            binding.write(self._bus / "devices" / seed / name, value)
        binding.write(self._bus / "drivers/dax_pmem/bind", seed)
        device, = pathlib.Path("/dev").glob("dax*")
        fd = os.open(device, os.O_RDWR)
        return paged.Memory(4 * SIZE, flags=paged.SHARED, fd=fd)


def used(world, mem):
    """Reads and writes memory through a region of its own and through one of the whole
    address space. Returns what was wrong."""
    from lib import paged
    wrong = []
    for region in (paged.Region(world.dev, world.pd, mem),
                   paged.Region(world.dev, world.pd)):
        at, near = mem.address + SIZE, (world.own, world.near.address)
        mem.fill()
        for kind, source, target in ((paged.READ, (region, at), near),
                                     (paged.WRITE, near, (region, at))):
            world.near.fill()
            status = world.link.move(kind, source, target, SIZE)
            if status or mem.get(SIZE, SIZE) != world.near.get():
                wrong.append((region.length, kind, status))
        # the process takes the pages away, and finds there what the device wrote
        if mem.advise(paged.DONTNEED) or mem.get(SIZE, SIZE) != world.near.get():
            wrong.append((region.length, "changed"))
        region.close()
    return wrong


def granted(world, mem, access):
    """Registers memory for FLUSH to persistence, and reads it. Returns the errno of the
    registration, or the status of the READ."""
    from lib import paged
    try:
        region = paged.Region(world.dev, world.pd, mem, access=access | FLUSH_PERSISTENT)
    except OSError as err:
        return -err.errno
    status = world.link.move(paged.READ, (region, mem.address),
                             (world.own, world.near.address), SIZE)
    region.close()
    return status


def dax():
    """Uses persistent memory, of a file and of a device."""
    from lib import paged
    log, world, memory = Log(), World(), Persistent()
    file = memory.file()
    wrong = used(world, file)
    persists = {"file": granted(world, file, paged.PAGED),
                "pinned": granted(world, world.mem, paged.ALL),
                "paged": granted(world, world.mem, paged.PAGED)}
    file.unmap()
    memory.unmount()
    device = memory.device()
    persists["device"] = granted(world, device, paged.ALL)
    report(name="end", noticed=None, errors=log.errors(), file=wrong,
           device=used(world, device), persists=persists)
    device.unmap()
    world.region.close()


def play(name):
    """Runs a scenario in a process of its own, unloads the module and loads it again."""
    log = Log()
    child = os.fork()
    if not child:
        globals()[name]()
        sys.stdout.flush()
        os._exit(0)
    began = time.monotonic()
    os.waitpid(child, 0)
    took = time.monotonic() - began
    if name == "ended":
        log.wait_for("the device is dead")
        repair()
    unload = run("modprobe", "-r", "xrdma")
    report(name="after", took=took, unload=unload, device=device_state(),
           errors=log.errors(), again=run("modprobe", "xrdma"), made=interfaces())


def main():
    for number, name in enumerate(sys.argv[1:]):
        if number:
            binding.ready()
        play(name)


if __name__ == "__main__":
    main()

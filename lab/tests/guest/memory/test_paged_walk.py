# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A peer that walks a paged region of the whole address space: it must cost the owner no
memory where the process has none, and must not make the OOM killer kill a process. A
full memory cgroup is in test_paged_cgroup.py. Runs in a guest."""

import pathlib
import time

from labverbs.rc import ALL, HUGE
from lib import paged
from lib.machine import Log, settled
from lib.paged import NORESERVE, PAGE, REMOTE_REFUSED, WRITE, Link, Memory, Region

KNOB = pathlib.Path("/proc/sys/vm/nr_hugepages")
MIB, GIB = 1 << 20, 1 << 30


def meminfo(name):
    """A value of /proc/meminfo in bytes."""
    rows = dict(line.split(":") for line in open("/proc/meminfo"))
    return int(rows[name].split()[0]) << 10


def killed(log):
    """Whether the OOM killer has killed a process."""
    return any("Out of memory" in text for _, text in log.lines())


def test_addresses_without_a_mapping_cost_no_tables(dev, pd):
    """Each of these addresses would need a table for 512 GiB and one for 1 GiB. A
    mapping without any right is no better than none."""
    near = Memory(PAGE)
    region, own = Region(dev, pd), Region(dev, pd, near, access=ALL)
    guard = Memory(GIB, prot=paged.NONE, flags=paged.PRIVATE | paged.ANONYMOUS |
                   NORESERVE)
    tables = region.details()["drv_mtt_bytes"]
    link = Link(dev, pd)
    for address in (*range(1 << 39, 1 << 45, 1 << 40), guard.address):
        assert link.move(WRITE, (own, near.address), (region, address),
                         8) == REMOTE_REFUSED
    assert region.details()["drv_mtt_bytes"] == tables
    for thing in (link, region, own):
        thing.close()
    guard.unmap()


class Full:
    """Takes the memory of the machine, but about @left bytes. Use as a context
    manager."""

    def __init__(self, left):
        self._left = left

    def __enter__(self):
        KNOB.write_text(str(max(0, meminfo("MemAvailable") - self._left) // HUGE))
        return self

    def release(self):
        KNOB.write_text("0")

    def __exit__(self, *_):
        self.release()


def test_walk_that_fills_the_machine_waits(dev, pd):
    """The peer writes to more memory than the machine has. The accesses wait, no process
    is killed, and the accesses go on when there is memory."""
    part, number = 4 * MIB, 64
    mem = Memory(part * number, flags=paged.PRIVATE | paged.ANONYMOUS | NORESERVE,
                 populate=False)
    near, link = Memory(part), Link(dev, pd)
    region, own = Region(dev, pd), Region(dev, pd, near, access=ALL)
    log = Log()
    assert region.statistic()["page_waits"] == 0
    with Full(part * number // 2) as full:
        for at in range(0, mem.length, part):
            link.start(WRITE, (own, near.address), (region, mem.address + at), part)
        assert settled(lambda: region.statistic()["page_waits"] > 10, 30)
        time.sleep(2)
        assert meminfo("MemAvailable") > 8 * MIB
        assert link.a.cq.poll(number)[0] < number
        assert not killed(log)
        full.release()
        assert settled(lambda: mem.get(mem.length - 1) == near.get(part - 1), 30)
    for at in range(0, mem.length, part):
        assert mem.get(at, part) == near.get(), at
    assert not killed(log)
    for thing in (link, region, own):
        thing.close()
    mem.unmap()

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Paged regions of a process in a memory cgroup: the cgroup pays for the pages that the
device asks for and for their tables, and accesses wait while it is full. Runs in a
guest."""

import json
import os
import pathlib
import socket
import tempfile
import traceback

import pytest
from pyverbs.pd import PD

from labverbs.rc import ALL, HUGE, Device, Endpoint
from lib import paged
from lib.machine import run, settled
from lib.paged import NORESERVE, PAGE, READ, WRITE, Memory, Region

# One page is accessed in each 2 MiB. Each of them needs a table of the device, which is
# two pages of the kernel.
PLACES = 512
TABLES = PLACES * 2 * PAGE


class Group:
    """A memory cgroup below the root."""

    def __init__(self, root):
        self._path = root / "xrdma-test"
        (root / "cgroup.subtree_control").write_text("+memory")
        self._path.mkdir()

    def put(self, name, value):
        (self._path / name).write_text(str(value))

    def get(self, name):
        return (self._path / name).read_text()

    def kernel(self):
        """Bytes of the kernel that are charged to the cgroup."""
        rows = dict(row.split() for row in self.get("memory.stat").splitlines())
        return int(rows["kernel"])

    def killed(self):
        """Number of processes that were killed, because the cgroup was full."""
        rows = dict(row.split() for row in self.get("memory.events").splitlines())
        return int(rows["oom_kill"])

    def close(self):
        self._path.rmdir()


@pytest.fixture
def group():
    with tempfile.TemporaryDirectory() as place:
        root = pathlib.Path(place)
        if run("mount", "-t", "cgroup2", "cgroup2", place)["status"]:
            pytest.skip("the kernel has no control groups")
        try:
            if "memory" not in (root / "cgroup.controllers").read_text().split():
                pytest.skip("the kernel has no memory cgroups")
            group = Group(root)
            yield group
            assert settled(lambda: not group.get("cgroup.procs"))
            group.close()
        finally:
            run("umount", place)


def peer(mem, words, touch):
    """The process in the cgroup. Writes one page in each 2 MiB of @mem, and a second one
    in the first 2 MiB, if @touch,
    registers @mem, and connects a queue pair to the test. Then it only sleeps, until it
    has to deregister @mem."""
    for place in range(PLACES if touch else 0):
        mem.put(place * HUGE, place.to_bytes(8, "little"))
    if touch:
        mem.put(PAGE, b"present!")
    dev = Device()
    pd = PD(dev.ctx)
    region, end = Region(dev, pd, mem), Endpoint(dev, pd)
    words.say({"lkey": region.lkey, "rkey": region.rkey, **end.address()})
    end.connect(words.hear(), timeout=18)
    words.say("connected")
    assert words.hear() == "deregister"
    region.close()
    words.say("deregistered")
    words.hear()


class Words:
    """One end of a conversation in lines of JSON."""

    def __init__(self, end):
        self._in, self._out = end.makefile("r"), end.makefile("w")
        end.close()

    def say(self, word):
        print(json.dumps(word), file=self._out, flush=True)

    def hear(self):
        return json.loads(self._in.readline() or "null")

    def close(self):
        self._in.close()
        self._out.close()


class Child:
    """A process in a cgroup that runs peer(), and a queue pair that is connected to it,
    with memory of its own."""

    # requests at a time. Their tables need more memory than the kernel charges in
    # advance, which is 64 pages for each processor
    NEAR = 256
    # bytes that write() writes to each place
    LENGTH = 64 << 10

    def __init__(self, dev, pd, group, touch=True):
        self._dev = dev
        self._mem = Memory(PLACES * HUGE, flags=paged.PRIVATE | paged.ANONYMOUS |
                           NORESERVE, populate=False)
        here, there = socket.socketpair()
        self._pid = os.fork()
        if not self._pid:
            here.close()
            try:
                group.put("cgroup.procs", os.getpid())
                peer(self._mem, Words(there), touch)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(0)
        there.close()
        self._words = Words(here)
        self._connect(dev, pd)

    def _connect(self, dev, pd):
        far = self._words.hear()
        self.lkey, self._rkey = far["lkey"], far["rkey"]
        self._near = Memory(self.LENGTH)
        self._own = Region(dev, pd, self._near, access=ALL)
        self._end = Endpoint(dev, pd, depth=self.NEAR)
        self._words.say(self._end.address())
        self._end.connect(far, timeout=18)
        assert self._words.hear() == "connected"

    # details and counters of the region, as of a region of this process
    details, statistic, _number = Region.details, Region.statistic, None

    def start(self, places):
        """Posts a READ of 8 bytes of each of these places."""
        for place in places:
            at = self._near.address + place % self.NEAR * 8
            self._end.post(READ, [self._own.sge(at, 8)],
                           self._mem.address + place * HUGE, self._rkey)

    def finish(self, places):
        self._end.wait(len(places))
        for place in places:
            got = self._near.get(place % self.NEAR * 8, 8)
            assert int.from_bytes(got, "little") == place

    def read_all(self):
        for first in range(0, PLACES, self.NEAR):
            places = range(first, first + self.NEAR)
            self.start(places)
            self.finish(places)

    def read_second(self):
        """The first 8 bytes of the second page."""
        self._end.post(READ, [self._own.sge(self._near.address, 8)],
                       self._mem.address + PAGE, self._rkey)
        self._end.wait()
        return self._near.get(0, 8)

    def write(self, places):
        """Posts a WRITE to each of these places."""
        for place in places:
            self._end.post(WRITE, [self._own.sge(self._near.address, self.LENGTH)],
                           self._mem.address + place * HUGE, self._rkey)

    def written(self, places):
        """Waits for write(), and checks the bytes of each place."""
        self._end.wait(len(places))
        got = Memory(self.LENGTH)
        region = Region(self._dev, self._end.pd, got, access=ALL)
        for place in places:
            self._end.post(READ, [region.sge(got.address, self.LENGTH)],
                           self._mem.address + place * HUGE, self._rkey)
            self._end.wait()
            assert got.get() == self._near.get(), place
        region.close()
        got.unmap()

    def lives(self):
        """Has no signal killed the process?"""
        return os.waitpid(self._pid, os.WNOHANG) == (0, 0)

    def deregister(self):
        self._words.say("deregister")
        assert self._words.hear() == "deregistered"

    def close(self):
        self._words.close()
        os.waitpid(self._pid, 0)
        self._end.qp.close()
        self._end.cq.close()
        self._own.close()
        self._mem.unmap()


@pytest.fixture
def child(dev, pd, group, request):
    """A child; the parameter tells whether its memory has pages, by default it has."""
    child = Child(dev, pd, group, getattr(request, "param", True))
    yield child
    group.put("memory.max", "max")
    child.close()


def test_tables_are_charged_to_the_owner(group, child):
    """The tables that page faults need belong to the process, and not to the kernel
    threads that handle the page faults."""
    before = group.kernel()
    child.read_all()
    assert child.statistic()["page_faults"] >= PLACES
    assert settled(lambda: group.kernel() - before >= TABLES)
    assert group.kernel() - before < 2 * TABLES
    child.deregister()
    assert settled(lambda: group.kernel() - before < TABLES // 8)


def test_accesses_wait_while_the_cgroup_is_full(group, child):
    """Page faults that find no memory are answered later, and no process is killed.
    When there is memory again, the accesses go on."""
    first = range(child.NEAR)
    assert child.statistic()["page_waits"] == 0
    # for some of the tables
    group.put("memory.max", int(group.get("memory.current")) + (1 << 20))
    child.start(first)
    assert settled(lambda: child.statistic()["page_waits"])
    seen = child.statistic()
    assert seen["page_waits"] < seen["page_faults"]
    assert settled(lambda: child.statistic()["page_waits"] > seen["page_waits"])
    group.put("memory.max", "max")
    child.finish(first)
    seen = child.statistic()
    child.read_all()
    assert child.statistic()["page_waits"] == seen["page_waits"]
    assert group.killed() == 0


def test_present_pages_need_no_room(group, child):
    """While the cgroup is full, a page that is present is mapped at once, if its table
    exists."""
    child.start([0])
    child.finish([0])
    assert settled(lambda: child.statistic()["page_faults"] == 1)
    group.put("memory.max", group.get("memory.current"))
    assert child.read_second() == b"present!"
    seen = child.statistic()
    assert (seen["page_faults"], seen["page_waits"]) == (2, 0)


@pytest.mark.parametrize("child", [False], indirect=True, ids=["untouched"])
def test_pages_wait_while_the_cgroup_is_full(group, child):
    """A peer writes to more memory than the cgroup has left. The accesses wait instead
    of a process that is killed, and go on when there is memory."""
    places = range(child.NEAR)
    # a quarter of what the accesses need
    room = child.NEAR * child.LENGTH // 4
    group.put("memory.max", int(group.get("memory.current")) + room)
    child.write(places)
    assert settled(lambda: child.statistic()["page_waits"] > 10)
    mapped = child.statistic()["pages_mapped"]
    assert room // PAGE // 2 < mapped <= room // PAGE
    seen = child.statistic()["page_waits"]
    assert settled(lambda: child.statistic()["page_waits"] > seen + 2)
    assert child.statistic()["pages_mapped"] - mapped < room // PAGE // 4
    assert child.lives() and group.killed() == 0
    group.put("memory.max", "max")
    child.written(places)
    assert child.lives() and group.killed() == 0

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Paged regions whose mappings change after the device has used their pages: the
device must follow each change, and must not use a page that is no longer mapped. A
random mix of changes under traffic is in test_paged_stream.py. Runs in a guest."""

import contextlib
import errno
import os
import pathlib
import threading
import time

import pytest
import pyverbs.enums as e

from labverbs.rc import HUGE
from lib import paged
from lib.paged import (OK, PAGE, READ, REMOTE_REFUSED, SEND, WRITE, Link,
                       Memory, Region)
from lib.soak import soak
from lib.userfault import Userfault

SIZE = 1 << 20
VM = pathlib.Path("/proc/sys/vm")
KSM = pathlib.Path("/sys/kernel/mm/ksm")
kinds_of_page = pytest.mark.parametrize("huge", [False, True],
                                        ids=["small", "huge"])


class Side:
    """Memory with a paged region on it, whose pages the device has mapped for writing,
    and a pinned buffer at the other end of a connection."""

    def __init__(self, dev, pd, length=SIZE, huge=False):
        self.link = Link(dev, pd)
        self.mem = Memory(length, huge=huge)
        self.near = Memory(length)
        self.region = Region(dev, pd, self.mem)
        self.own = Region(dev, pd, self.near, access=paged.ALL)
        assert self.write() == OK

    def write(self, at=0, length=None):
        """The device writes random bytes to the memory."""
        self.near.fill()
        return self.link.move(WRITE, (self.own, self.near.address + at),
                              (self.region, self.region.start + at),
                              length or self.near.length - at)

    def read(self, at=0, length=None):
        """The bytes of the memory, as the device reads them; None if it may not."""
        length = length or self.near.length - at
        status = self.link.move(READ, (self.region, self.region.start + at),
                                (self.own, self.near.address + at), length)
        return self.near.get(at, length) if status == OK else None

    def agrees(self):
        """Checks that device and process see the same bytes, written by either."""
        assert self.read() == self.mem.get()
        self.mem.fill()
        assert self.read() == self.mem.get()
        assert self.write() == OK
        assert self.mem.get() == self.near.get()

    def close(self):
        self.link.close()
        self.region.close()
        self.own.close()


@pytest.fixture
def side(dev, pd):
    made = []

    def make(**options):
        made.append(Side(dev, pd, **options))
        return made[-1]
    yield make
    for one in made:
        one.close()


@pytest.fixture(scope="module")
def swap():
    with paged.Swap():
        yield


@kinds_of_page
def test_other_memory_at_the_same_address(side, huge):
    one = side(length=2 * HUGE, huge=huge)
    for at, length in ((0, PAGE), (3 * PAGE, HUGE), (0, 2 * HUGE)):
        before = one.mem.get()
        one.mem.unmap(at, length)
        one.mem.map_again(at, length)
        want = before[:at] + bytes(length) + before[at + length:]
        assert one.read() == want == one.mem.get()
        one.agrees()


def test_a_huge_page_of_which_another_part_is_protected(side, faults):
    """A page fault maps a huge page as a whole. That the process protects another part
    of it meanwhile refuses no access to the rest. The access is so short that only the
    huge page makes the driver map more."""
    one = side(length=HUGE, huge=True)
    part = HUGE - (64 << 10)
    for _ in range(soak(400, 5000)):
        # fails if no huge page is free
        with contextlib.suppress(OSError):
            one.mem.advise(paged.COLLAPSE)
        one.link.start(WRITE, (one.own, one.near.address),
                       (one.region, one.region.start), 8)
        for _ in range(12):
            one.mem.protect(paged.NONE, part)
            one.mem.protect(paged.WRITABLE, part)
        assert one.link.a.poll()[0].status == OK
    assert not faults.new()


def test_unmapped_memory_is_refused(side, faults):
    one = side()
    one.mem.unmap(SIZE // 2)
    assert one.write() == REMOTE_REFUSED
    assert faults.one()["reason"] == "translation"
    assert one.read() is None
    assert faults.one()["reason"] == "translation"
    assert one.write(length=SIZE // 2) == OK
    assert one.mem.get(0, SIZE // 2) == one.near.get(0, SIZE // 2)


@kinds_of_page
@pytest.mark.parametrize("advice", [paged.DONTNEED, paged.FREE],
                         ids=["dontneed", "free"])
def test_pages_that_the_process_gives_back(side, huge, advice):
    one = side(length=HUGE, huge=huge)
    one.mem.advise(advice, PAGE, 7 * PAGE)
    if advice == paged.DONTNEED:
        want = one.near.get()
        assert one.read() == want[:PAGE] + bytes(7 * PAGE) + want[8 * PAGE:]
    one.agrees()


@kinds_of_page
def test_write_protected_memory(side, faults, huge):
    one = side(length=HUGE, huge=huge)
    before = one.mem.get()
    one.mem.protect(paged.READABLE, PAGE, PAGE)
    assert one.write(PAGE, 64) == one.write(2 * PAGE - 1, 1) == REMOTE_REFUSED
    assert [record["reason"] for record in faults.wait(2)] == \
        ["translation"] * 2
    assert one.mem.get() == before == one.read()
    one.mem.protect(paged.NONE, PAGE, PAGE)
    assert one.read() is None
    one.mem.protect(paged.WRITABLE, PAGE, PAGE)
    one.agrees()


@kinds_of_page
def test_moved_memory(dev, pd, side, huge):
    """After mremap() the old addresses are refused, and a region at the new addresses
    finds the pages."""
    one = side(length=HUGE, huge=huge)
    before, target = one.mem.get(), Memory(HUGE, populate=False)
    there = Region(dev, pd, target)
    old = one.mem.address
    one.mem.move(target.address)
    assert one.read() is None
    one.mem.address = old
    one.mem.map_again()
    assert one.read() == bytes(HUGE)
    assert one.link.move(READ, (there, target.address),
                         (one.own, one.near.address), HUGE) == OK
    assert one.near.get() == before
    there.close()


@kinds_of_page
def test_fork(side, huge):
    """Parent and child share the pages until one of them writes. The device writes for
    the parent: the child must not see it."""
    one = side(length=HUGE, huge=huge)
    before = one.mem.get()
    (go, start), (answers, answer) = os.pipe(), os.pipe()
    child = os.fork()
    if not child:
        os.read(go, 1)
        os.write(answer, b"1" if one.mem.get() == before else b"0")
        # what the child writes is its own
        one.mem.put(0, b"child" * 1000)
        os.write(answer, b"2")
        os.read(go, 1)
        os._exit(0)
    assert one.read() == before
    assert one.write(0, HUGE // 2) == OK
    after = one.near.get(0, HUGE // 2) + before[HUGE // 2:]
    assert one.mem.get() == after
    os.write(start, b"1")
    assert os.read(answers, 1) == b"1", "the device wrote to a page of the child"
    assert os.read(answers, 1) == b"2"
    assert one.read() == after == one.mem.get()
    one.agrees()
    os.write(start, b"1")
    os.waitpid(child, 0)
    one.agrees()


def test_child_cannot_use_a_region_of_its_parent_as_its_own(side):
    """The region is the memory of the parent, also while the child writes to its copy
    of each page first."""
    one = side()
    before = one.mem.get()
    child = os.fork()
    if not child:
        one.mem.put(0, os.urandom(SIZE))
        os._exit(0)
    os.waitpid(child, 0)
    assert one.read() == before == one.mem.get()
    one.agrees()


@kinds_of_page
def test_swap(side, swap, huge):
    """Pages that are swapped out are read from swap when the device needs them."""
    one = side(length=HUGE, huge=huge)
    want = one.mem.get()
    one.mem.advise(paged.PAGEOUT)
    swapped = one.mem.resident()[1]
    assert swapped >= HUGE // 2, "the kernel has swapped too few pages out"
    assert one.read() == want
    one.mem.advise(paged.PAGEOUT)
    assert one.write(5000, HUGE // 2) == OK
    assert one.mem.get(5000, HUGE // 2) == one.near.get(5000, HUGE // 2)
    one.agrees()


def test_written_pages_are_swapped_with_what_the_device_wrote(side, swap):
    """The process never touches the page between the device's write and the swap."""
    one = side()
    for _ in range(3):
        one.mem.advise(paged.PAGEOUT)
        assert one.write() == OK
        want = one.near.get()
        one.mem.advise(paged.PAGEOUT)
        assert one.mem.resident()[1] >= SIZE // 2
        assert one.mem.get() == want
        one.mem.advise(paged.PAGEOUT)
        assert one.read() == want


@kinds_of_page
def test_written_pages_that_were_clean_in_swap(side, swap, huge):
    """The process reads the pages back from swap. They are then clean, and the process
    may write to them, so the device's write causes no page fault of the process: only
    the driver knows that the pages have changed."""
    one = side(length=HUGE, huge=huge)
    for _ in range(3):
        one.mem.advise(paged.PAGEOUT)
        assert one.mem.resident()[1] >= HUGE // 2
        one.mem.get()
        assert one.write() == OK
        one.mem.advise(paged.PAGEOUT)
        assert one.mem.resident()[1] >= HUGE // 2
        assert one.mem.get() == one.near.get()


def test_compaction_moves_pages(side):
    one = side(length=2 * HUGE)
    before = one.region.statistic()["page_invalidations"]
    moved, tries = False, 0
    while not moved and tries < 2:
        # holes for the kernel to fill
        holes = [Memory(HUGE) for _ in range(16)]
        for hole in holes:
            for at in range(0, HUGE, 2 * PAGE):
                hole.unmap(at, PAGE)
        want = one.mem.get()
        (VM / "compact_memory").write_text("1")
        assert one.read() == want == one.mem.get()
        one.agrees()
        for hole in holes:
            hole.unmap()
        moved = one.region.statistic()["page_invalidations"] > before
        tries += 1
    if not moved:
        pytest.skip("compaction moved no page of the region")


def frame(address):
    """The number of the page frame at an address."""
    with open("/proc/self/pagemap", "rb") as table:
        table.seek(address // PAGE * 8)
        return int.from_bytes(table.read(8), "little") & ((1 << 55) - 1)


@kinds_of_page
def test_migrated_page(side, huge):
    """The kernel moves the bytes of a page to another page (MADV_SOFT_OFFLINE), and
    never uses the first one again."""
    one = side(length=HUGE, huge=huge)
    place, before = 3 * PAGE, one.mem.get()
    first = frame(one.mem.address + place)
    try:
        one.mem.advise(paged.SOFT_OFFLINE, place, PAGE)
    except OSError as err:
        if err.errno == errno.EINVAL:
            pytest.skip("the kernel cannot take a page out of use")
        raise
    assert frame(one.mem.address + place) not in (first, 0)
    assert one.read() == before == one.mem.get()
    one.agrees()


@pytest.mark.parametrize("direction", ["split", "collapse"])
def test_huge_pages_are_split_and_collapsed(side, direction):
    one = side(length=2 * HUGE, huge=direction == "split")
    if direction == "split":
        one.mem.advise(paged.DONTNEED, 5 * PAGE, PAGE)
        one.mem.protect(paged.READABLE, 9 * PAGE, PAGE)
        one.mem.protect(paged.WRITABLE, 9 * PAGE, PAGE)
    else:
        one.mem.advise(paged.HUGEPAGE)
        one.mem.advise(paged.COLLAPSE)
    one.agrees()


@pytest.mark.skipif(not KSM.exists(), reason="the kernel cannot merge pages")
def test_merged_pages(dev, pd, side):
    """The kernel merges equal pages (KSM). A write of the device to one of them must
    not change the others."""
    one, page = side(), os.urandom(PAGE)
    one.mem.put(0, page * (SIZE // PAGE))
    want = one.mem.get()
    one.mem.advise(paged.MERGEABLE)
    keep = {name: (KSM / name).read_text() for name in
            ("run", "sleep_millisecs", "pages_to_scan")}
    try:
        (KSM / "sleep_millisecs").write_text("20")
        (KSM / "pages_to_scan").write_text("1000")
        (KSM / "run").write_text("1")
        until = time.monotonic() + 10
        while int((KSM / "pages_sharing").read_text()) < SIZE // PAGE // 2:
            assert time.monotonic() < until, "the kernel merged no pages"
            time.sleep(0.1)
        assert one.read() == want
        assert one.write(8 * PAGE, PAGE) == OK
        assert one.mem.get() == want[:8 * PAGE] + \
            one.near.get(8 * PAGE, PAGE) + want[9 * PAGE:]
    finally:
        (KSM / "run").write_text("2")
        for name, text in keep.items():
            (KSM / name).write_text(text)
    one.agrees()


# ---- userfaultfd -------------------------------------------------------------------

def test_memory_that_a_process_provides(dev, pd, side):
    """An access waits for a page that userfaultfd(2) has to provide. When the page is
    there, the access goes on."""
    one = side()
    mem = Memory(4 * PAGE, populate=False)
    region, user = Region(dev, pd, mem), Userfault(mem)
    one.link.start(WRITE, (one.own, one.near.address), (region, mem.address), 64)
    time.sleep(0.2)
    assert one.link.a.cq.poll(1)[0] == 0
    user.provide(mem.address, b"\1" * PAGE)
    assert one.link.a.poll()[0].status == OK
    assert mem.get(0, PAGE) == one.near.get(0, 64) + b"\1" * (PAGE - 64)
    user.close()
    region.close()


# ---- changes while a message is in flight ------------------------------------------------

@pytest.mark.parametrize("kind", [WRITE, READ, SEND],
                         ids=["write", "read", "send"])
def test_mapping_that_goes_away_under_a_message(dev, pd, side, faults, kind):
    """Each message either arrives whole or is refused, with a record, in reasonable
    time. What remains mapped can be accessed, also by another connection that was
    there before."""
    one, other = side(length=2 * HUGE), Link(dev, pd)
    refused = e.IBV_WC_REM_OP_ERR if kind == SEND else REMOTE_REFUSED
    before = other.a, other.b
    for turn in range(8):
        one.mem.map_again()
        ends = [(one.own, one.near.address), (one.region, one.mem.address)]
        cut = threading.Timer(0.005 * turn, one.mem.unmap, [HUGE])
        cut.start()
        status = one.link.move(kind, *(ends[::-1] if kind == READ else ends),
                               2 * HUGE)
        assert status in (OK, refused)
        if status != OK:
            assert faults.wait(1)[0]["reason"] == "translation"
        cut.join()
        one.mem.map_again(HUGE)
        assert other.move(WRITE, (one.own, one.near.address),
                          (one.region, one.mem.address), HUGE) == OK
        if status == OK and kind != READ:
            assert one.mem.get(0, HUGE) == one.near.get(0, HUGE)
        one.link.close()
        one.link.connect()
    one.agrees()
    assert (other.a, other.b) == before
    other.close()


@pytest.mark.parametrize("used", [0, PAGE], ids=["none", "neighbour"])
def test_memory_that_the_device_never_used_sends_no_command(dev, pd, side, device,
                                                            used):
    """Neither if the device has used nothing of the region, nor if it has used a page
    before: then the region has tables, and the driver looks into them. At a boundary
    inside of 2 MiB, the kernel would announce a change of all of these."""
    one, big = side(), Memory(64 << 20, populate=False)
    region = Region(dev, pd, big)
    big.put(0, b"x" * (4 << 20))
    if used:
        assert one.link.move(WRITE, (one.own, one.near.address),
                             (region, big.address), used) == OK
        assert region.statistic()["pages_mapped"] == 1
    before = device.stats()["device"]["counters"]["commands"]
    big.unmap(HUGE if used else 0)
    assert device.stats()["device"]["counters"]["commands"] == before
    assert region.statistic()["page_invalidations"] == 0
    region.close()


def test_a_change_waits_for_one_command(side, device):
    """One munmap() of memory that the device uses sends one command for each GiB."""
    one = side(length=HUGE)
    before = device.stats()["device"]["counters"]["commands"]
    one.mem.unmap()
    assert device.stats()["device"]["counters"]["commands"] == before + 1

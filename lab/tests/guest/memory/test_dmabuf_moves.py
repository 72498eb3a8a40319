# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Regions of dma-bufs whose exporter moves the memory: the region is not pinned, stays
valid, and follows the memory. Exporters that only take memory back are in
test_dmabuf.py. Runs in a guest."""

import contextlib
import errno
import os
import random
import signal
import time

import pytest
import pyverbs.enums as e
from pyverbs.pd import PD
from pyverbs.wr import SGE

from labverbs.rc import ALL, HUGE, LOCAL
from lib import paged
from lib.control import ask, late_fault, repair, stats
from lib.dmabuf import (HUGE_ORDER, MOVES, DmaBuf, Exporter, Moving, Region, Side,
                        udmabuf)
from lib.dmabuf_stream import Message, Mover, Shadow
from lib.machine import settled
from lib.paged import (ADD, LOCAL_REFUSED, OK, PAGE, READ, REMOTE_REFUSED, SEND,
                       WRITE, Link, Memory)
from lib.protection import reason
from lib.rdma_tool import resources
from lib.soak import soak

SIZE = 2 * HUGE
GIB = 1 << 30
PREFETCH, PREFETCH_WRITE, NO_FAULT = 0, 1, 2
FLUSH = 1
KINDS = {"write": WRITE, "read": READ, "send": SEND}
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
moves_only = pytest.mark.skipif(not MOVES, reason="this kernel moves no dma-buf")


@pytest.fixture(scope="module")
def exporter():
    exporter = Exporter()
    yield exporter
    exporter.close()


def check_counts(buf):
    """The device was never in the way of a move."""
    counts = buf.counts()
    assert counts.left == counts.strays == counts.pinned == 0, counts
    return counts


@pytest.fixture
def make(exporter):
    """A function that makes a dma-buf. Each must be unmapped at the end, and no page
    that it has left may have been accessed."""
    made = []

    def make(length=SIZE, **shape):
        made.append(Moving(exporter, length, **shape))
        return made[-1]
    yield make
    for buf in made:
        assert check_counts(buf).mapped == 0
        buf.close()


@pytest.fixture(params=[0, HUGE_ORDER], ids=["small", "huge"])
def buf(request, make):
    return make(order=request.param)


@pytest.fixture
def register(dev, pd, make):
    """A function that registers a region, which the fixture deregisters before make()
    closes the dma-bufs."""
    made = []

    def register(buf, **options):
        made.append(Region(dev, options.pop("pd", pd), buf, **options))
        return made[-1]
    yield register
    for region in made:
        with contextlib.suppress(OSError):
            region.close()


@pytest.fixture
def link(dev, pd):
    link = Link(dev, pd)
    yield link
    link.close()


@pytest.fixture
def near(dev, pd):
    """Pinned memory of the process, and its region."""
    mem = Memory(SIZE)
    region = paged.Region(dev, pd, mem, access=ALL)
    yield mem, region
    region.close()
    mem.unmap()


@pytest.fixture
def side(link, near, register, buf):
    return Side(link, near, register(buf), buf)


@pytest.fixture(autouse=True)
def undisturbed(dev):
    """The device has found no error of the driver, and no page fault is left."""
    before = stats()["host_errors"]
    yield
    repair()
    after = stats()
    assert after["host_errors"] == before
    assert after["paging"]["page_faults"] == after["paging"]["queued"] == 0


# ---- registration ------------------------------------------------------------------

@moves_only
def test_registration_pins_and_maps_nothing(side):
    counts, region = side.buf.counts(), side.region
    assert counts.pinned == counts.mapped == counts.maps == 0
    assert region.details()["drv_kind"] == "dmabuf_odp"
    assert region.details()["drv_mtt_bytes"] == PAGE
    assert side.write(0, 64) == OK
    counts = side.buf.counts()
    assert (counts.pinned, counts.mapped, counts.maps) == (0, 1, 1)
    region.close()
    assert side.buf.counts().mapped == 0


def pins_its_memory(side):
    """The memory is mapped by registration, and cannot move."""
    counts, before = side.buf.counts(), bytes(side.buf.map)
    assert side.region.details()["drv_kind"] == "dmabuf"
    assert counts.mapped == 1 and counts.pinned
    assert not side.buf.can_move()
    assert side.read() == before
    side.agrees()
    side.region.close()
    counts = side.buf.counts()
    assert counts.mapped == counts.pinned == 0
    assert side.buf.can_move()


@pytest.mark.skipif(MOVES, reason="this kernel moves dma-bufs")
def test_a_kernel_that_moves_nothing_pins(side):
    pins_its_memory(side)


@pytest.mark.parametrize("kind", ["udmabuf", "fixed"])
def test_an_exporter_that_cannot_move_is_mapped_at_once(exporter, link, near,
                                                        register, kind):
    one = DmaBuf(udmabuf(SIZE) if kind == "udmabuf" else exporter.fixed(SIZE), SIZE)
    region = register(one)
    assert region.details()["drv_kind"] == "dmabuf"
    if kind == "fixed":
        assert exporter.counts(one.fd).mapped == 1
    Side(link, near, region, one).agrees()
    region.close()
    one.close()


# ---- accesses before and after a move ------------------------------------------------

@moves_only
def test_the_region_follows_the_memory(side):
    for _ in range(4):
        side.agrees()
        before = bytes(side.buf.map)
        side.buf.move()
        assert bytes(side.buf.map) == before == side.read()


@moves_only
@every_kind
def test_every_kind_of_access(buf, register, near, link, kind):
    """The dma-buf is the source of one message and the target of the next, always after
    a move."""
    mem, own = near
    region = register(buf)
    for at, length in ((0, 64), (4095, 2), (HUGE - 3, 7), (5000, HUGE), (17, SIZE - 17)):
        buf.move()
        assert link.move(kind, (region, at), (own, mem.address), length) == OK
        assert mem.get(0, length) == bytes(buf.map[at:at + length])
        mem.fill()
        before = bytes(buf.map)
        buf.move()
        assert link.move(kind, (own, mem.address), (region, at), length) == OK
        assert bytes(buf.map) == before[:at] + mem.get(0, length) + \
            before[at + length:]


@moves_only
def test_atomics_after_moves(buf, register, near, link):
    mem, own = near
    region = register(buf)
    buf.map[8:16] = bytes(8)
    for number in range(20):
        buf.move()
        assert link.atomic(ADD, (own, mem.address), (region, 8), compare=1) == OK
        assert int.from_bytes(mem.get(0, 8), "little") == number
    assert int.from_bytes(buf.map[8:16], "little") == 20


@moves_only
@pytest.mark.parametrize("offset,length,iova", [
    (PAGE, 2 * PAGE, 0x1000), (PAGE + 100, 9001, 0x70000064), (SIZE - 1, 1, 0xfff),
    (HUGE - 100, HUGE, 2**64 - HUGE - 100)])
def test_a_part_of_a_dma_buf(buf, register, near, link, faults, offset, length, iova):
    mem, own = near
    region = register(buf, offset=offset, length=length, iova=iova)
    for _ in range(2):
        buf.move()
        before = bytes(buf.map)
        mem.fill()
        assert link.move(WRITE, (own, mem.address), (region, iova), length) == OK
        assert bytes(buf.map) == before[:offset] + mem.get(0, length) + \
            before[offset + length:]
        buf.move()
        mem.put(0, bytes(length))
        assert link.move(READ, (region, iova), (own, mem.address), length) == OK
        assert mem.get(0, length) == bytes(buf.map[offset:offset + length])
    if iova:
        assert link.move(WRITE, (own, mem.address), (region, iova - 1),
                         1) == REMOTE_REFUSED
        assert reason(faults) == "range"


@moves_only
def test_a_region_of_several_gib(exporter, register, near, link):
    """The region has memory in three spans of 1 GiB, all of which a move takes from the
    device. The pages of the dma-buf repeat."""
    total = 2 * GIB + HUGE
    fd = exporter.movable(HUGE, total, HUGE_ORDER)
    buf = type("Buf", (), {"fd": fd, "length": total})
    region = register(buf)
    mem, own = near
    for at in (GIB - 5000, 2 * GIB - HUGE + 7, total - 9000, 100):
        mem.fill()
        length = min(2 * PAGE + 1000, total - at)
        assert link.move(WRITE, (own, mem.address), (region, at), length) == OK
        exporter.move(fd)
        sent = mem.get(0, length)
        assert link.move(READ, (region, (at + HUGE) % total // HUGE * HUGE),
                         (own, mem.address), HUGE) == OK
        place = at % HUGE
        got = mem.get(0, HUGE)
        assert (got + got)[place:place + length] == sent
    assert region.statistic()["page_invalidations"] >= 5
    region.close()
    counts = exporter.counts(fd)
    assert counts.left == counts.strays == counts.mapped == 0
    os.close(fd)


@moves_only
def test_all_regions_of_a_dma_buf_move_together(buf, register, near, link):
    mem, own = near
    regions = [register(buf, offset=at, length=HUGE // 4)
               for at in range(0, SIZE, HUGE // 4)]
    for _ in range(2):
        for region in regions:
            assert link.move(WRITE, (own, mem.address + region.start),
                             (region, region.start), region.length) == OK
        assert bytes(buf.map) == mem.get()
        assert buf.counts().mapped == len(regions)
        buf.move()
        assert buf.counts().mapped == 0
        mem.fill()


@moves_only
def test_rights_change_between_moves(dev, side, faults):
    """Rights and protection domain change as those of other regions, and the memory
    stays paged."""
    side.agrees()
    read_only = LOCAL | e.IBV_ACCESS_REMOTE_READ
    side.region.rereg(4, access=read_only)
    before = bytes(side.buf.map)
    for _ in range(2):
        assert side.write() == REMOTE_REFUSED
        assert reason(faults) == "rights"
        assert bytes(side.buf.map) == before == side.read()
        side.buf.move()
    side.region.rereg(4, access=ALL)
    side.agrees()
    with pytest.raises(OSError) as failure:
        side.region.rereg(4, access=ALL | paged.ON_DEMAND)
    assert failure.value.errno == errno.EOPNOTSUPP
    side.agrees()
    other = PD(dev.ctx)
    side.region.rereg(2, pd=other)
    assert side.write() == REMOTE_REFUSED
    assert reason(faults) == "pd"
    side.region.close()


# ---- statistics and prefetch --------------------------------------------------------

@moves_only
def test_statistics(side):
    row = side.region.statistic()
    assert row["page_faults"] == row["pages_mapped"] == row["page_invalidations"] == 0
    side.buf.move()
    assert side.region.statistic()["page_invalidations"] == 0
    for turn in range(1, 4):
        assert side.write() == OK
        row = side.region.statistic()
        # one page fault maps all, of as many as the access has raised
        assert turn <= row["page_faults"] <= 4 * turn
        assert row["pages_mapped"] == turn * SIZE // PAGE
        side.buf.move()
        assert side.region.statistic()["page_invalidations"] == turn
        assert side.buf.counts().maps == turn


@moves_only
def test_a_move_sends_one_command(side, device):
    def commands():
        return device.stats()["device"]["counters"]["commands"]
    for used in (False, True, False):
        if used:
            side.agrees()
        before = commands()
        side.buf.move()
        assert commands() == before + used


@moves_only
@pytest.mark.parametrize("order", [0, HUGE_ORDER], ids=["small", "huge"])
def test_huge_pieces_need_no_tables(device, make, register, near, link, order):
    """With an IOMMU, the mappings that the device has show the tables: one for the span,
    and one for each 2 MiB that are not contiguous. The IOMMU may make small pages
    contiguous. The first region is all of the dma-buf; the second one lacks a page of
    the first 2 MiB, and so needs a table for the others, even if they are contiguous."""
    mem, own = near
    used, buf = [], make(order=order)
    for offset in 0, PAGE:
        region = register(buf, offset=offset)
        before = device.stats()["dma"]["live"]
        assert link.move(WRITE, (own, mem.address), (region, offset), PAGE) == OK
        used.append(device.stats()["dma"]["live"] - before)
        region.close()
    print(used)
    if used == [0, 0]:
        pytest.skip("no IOMMU")
    contiguous = order == HUGE_ORDER or used[0] == SIZE // PAGE + 1
    assert contiguous or used[0] == SIZE // PAGE + 1 + SIZE // HUGE
    assert used[1] == used[0] + contiguous


@moves_only
@pytest.mark.parametrize("advice", [PREFETCH, PREFETCH_WRITE])
def test_prefetch(pd, side, advice):
    def prefetch(what):
        pd.advise_mr(what, FLUSH, [SGE(0, SIZE, side.region.lkey)])
    for turn in range(1, 3):
        prefetch(NO_FAULT)
        assert side.buf.counts().mapped == 0
        prefetch(advice)
        assert side.region.statistic()["pages_mapped"] == turn * SIZE // PAGE
        assert side.write() == OK
        assert side.region.statistic()["page_faults"] == 0
        side.buf.move()
        assert bytes(side.buf.map) == side.mem.get()


# ---- moves at the wrong moment -----------------------------------------------------

@moves_only
@every_kind
def test_move_while_a_page_fault_waits(side, kind):
    """The device reports the page fault 300 ms late, and the memory moves meanwhile."""
    region, own, mem = side.region, side.own, side.mem
    for _ in range(2):
        mem.fill()
        ask(**late_fault(1, 300))
        side.link.start(kind, (own, mem.address) if kind != READ else (region, 0),
                        (region, 0) if kind != READ else (own, mem.address), SIZE)
        for _ in range(3):
            time.sleep(0.05)
            side.buf.move()
        assert side.link.a.poll()[0].status == OK
        if kind == SEND:
            side.link.b.poll()
        assert bytes(side.buf.map) == mem.get()
        side.buf.move()


@moves_only
def test_contents_that_arrive_late(side):
    """The device waits for the fence: it neither reads what was not there yet, nor
    writes what the contents would replace."""
    for access in (side.read, side.write):
        before = bytes(side.buf.map)
        began = time.monotonic()
        side.buf.move(ms=400)
        result = access()
        assert time.monotonic() >= began + 0.39
        if access == side.read:
            assert result == before
        else:
            assert bytes(side.buf.map) == side.mem.get()


@moves_only
def test_move_while_the_driver_waits_for_contents(side):
    """The handler of the page fault holds the lock of the dma-buf, for which the move
    waits."""
    for _ in range(3):
        side.mem.fill()
        side.buf.move(ms=300)
        side.link.start(WRITE, (side.own, side.mem.address), (side.region, 0), SIZE)
        time.sleep(0.1)
        side.buf.move()
        assert side.link.a.poll()[0].status == OK
        assert bytes(side.buf.map) == side.mem.get()


@moves_only
def test_deregistration_while_the_memory_moves(dev, pd, buf, near, link, device):
    mem, own = near
    live = device.stats()["dma"]["live"]
    mover = Mover(buf, 0.001)
    try:
        for _ in range(soak(40, 2000)):
            region = Region(dev, pd, buf)
            assert link.move(WRITE, (own, mem.address), (region, 0), 9000) == OK
            link.start(WRITE, (own, mem.address), (region, 0), SIZE)
            region.close()
            if link.a.poll()[0].status != OK:
                link.close()
                link.connect()
    finally:
        assert mover.stop() > 5
    assert settled(lambda: buf.counts().mapped == 0)
    assert device.stats()["dma"]["live"] <= live + 8


def child(dev_name, buf, tell):
    """The function of a process that keeps messages in flight until it is killed."""
    from labverbs.rc import Device
    dev = Device(dev_name)
    pd = PD(dev.ctx)
    mem = Memory(SIZE)
    own, region = paged.Region(dev, pd, mem, access=ALL), Region(dev, pd, buf)
    link = Link(dev, pd)
    while True:
        assert link.move(WRITE, (own, mem.address), (region, 0), SIZE) == OK
        os.write(tell, b"x")


@moves_only
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_process_is_killed_while_the_memory_moves(dev, buf):
    before = resources(dev)
    mover = Mover(buf)
    try:
        for number in range(soak(4, 200)):
            told, tell = os.pipe()
            pid = os.fork()
            if not pid:
                try:
                    child(dev.name, buf, tell)
                finally:
                    os._exit(1)
            os.close(tell)
            assert os.read(told, 1) == b"x", "the process died by itself"
            time.sleep(0.01 * number % 0.05)
            os.kill(pid, signal.SIGKILL)
            assert os.waitpid(pid, 0)[1] == signal.SIGKILL
            os.close(told)
    finally:
        mover.stop()
    assert settled(lambda: buf.counts().mapped == 0 and resources(dev) == before)


# ---- traffic while the memory moves ------------------------------------------------

@moves_only
def test_no_byte_is_stale_or_lost(dev, pd, buf, register, seed):
    """Each message is compared with a shadow copy, while the memory moves all the
    time."""
    shadow, region = Shadow(buf, random.Random(seed)), register(buf)
    links = [Link(dev, pd, timeout=20) for _ in range(4)]
    end, number, enough = time.monotonic() + soak(8, 600), 0, soak(40, 1000)
    mover = Mover(buf)
    try:
        while time.monotonic() < end or \
                mover.is_alive() and min(number, mover.number) < enough:
            flying = [Message(shadow, link, region) for link in links]
            for message in flying:
                message.finish()
            number += len(flying)
    finally:
        moves = mover.stop()
    assert bytes(buf.map) == shadow.bytes
    row = region.statistic()
    print(f"{number} messages, {moves} moves, {row}")
    assert number >= enough and moves >= enough
    assert row["page_invalidations"] > moves // 4
    for link in links:
        link.close()


# ---- exporters that refuse ---------------------------------------------------------

@moves_only
@pytest.mark.parametrize("code", [errno.ENODEV, errno.EINVAL, errno.EIO])
def test_an_exporter_that_maps_nothing(side, faults, code):
    """The access is refused, on each side. When the exporter maps again, the region
    works."""
    side.buf.fail(code)
    assert side.write() == REMOTE_REFUSED
    assert reason(faults) == "translation"
    assert side.buf.unchanged()
    side.buf.fail(code)
    assert side.link.move(WRITE, (side.region, 0), (side.own, side.mem.address),
                          64) == LOCAL_REFUSED
    side.agrees()


@moves_only
@pytest.mark.parametrize("code", [errno.ENOMEM, errno.EBUSY, errno.EAGAIN, errno.EINTR,
                                  512, errno.EDEADLK, errno.ETIMEDOUT],
                         ids=["ENOMEM", "EBUSY", "EAGAIN", "EINTR", "ERESTARTSYS",
                              "EDEADLK", "ETIMEDOUT"])
def test_an_exporter_that_maps_later(make, register, near, link, code):
    """The access waits until the exporter maps the memory."""
    buf = make()
    side = Side(link, near, register(buf), buf)
    buf.fail(code, 2)
    side.agrees()
    assert buf.counts().maps >= 3


@moves_only
def test_memory_that_is_taken_back_for_good(side, faults):
    """The exporter takes the memory from the device, and refuses each later mapping.
    Nothing is read or written then, and deregistration works."""
    side.agrees()
    side.buf.fill()
    side.buf.exporter.revoke(side.buf.fd)
    side.buf.fail(errno.ENODEV, 1000)
    for kind, ends in ((WRITE, ((side.own, side.mem.address), (side.region, 0))),
                       (READ, ((side.region, 0), (side.own, side.mem.address)))):
        assert side.link.move(kind, *ends, 64) == REMOTE_REFUSED
        assert reason(faults) == "translation"
    assert side.buf.unchanged() and side.buf.counts().mapped == 0
    side.region.close()

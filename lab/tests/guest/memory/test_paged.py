# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Paged regions: what their registration costs, accesses to memory that is not
present, kinds of mappings, and accesses that must be refused. Changes of mappings are
in test_paged_changes.py, the verbs of paged regions in test_paged_verbs.py. Runs in a
guest."""

import contextlib
import errno
import gc
import os
import statistics
import subprocess
import time

import pytest
import pyverbs.enums as e
from pyverbs.qp import QPCap, QPEx, QPInitAttrEx
from pyverbs.wr import SGE

from labverbs.rc import ALL, HUGE, LOCAL, Endpoint
from lib import paged, uverbs
from lib.errnos import fails
from lib.memory import huge_pages
from lib.paged import (ADD, LOCAL_REFUSED, NORESERVE, OK, PAGE, PAGED, READ,
                       READABLE, REMOTE_REFUSED, SEND, SHARED, SWAP, WRITE,
                       Link, Memory, Region)
from lib.soak import soak

TIB = 1 << 40
PLACING = ALL | e.IBV_ACCESS_FLUSH_GLOBAL
TROUBLE = ("rnr_nak_retry_err", "packet_seq_err", "local_ack_timeout_err",
           "tx_retransmitted_pkts", "page_fault_drops")
KINDS = {"write": WRITE, "read": READ, "send": SEND}
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
both = pytest.mark.parametrize("implicit", [False, True],
                               ids=["explicit", "implicit"])


@pytest.fixture(autouse=True)
def undisturbed(dev):
    """No packet was sent again, or dropped, on account of a missing page."""
    before = paged.port(dev, *TROUBLE)
    yield
    assert paged.port(dev, *TROUBLE) == before


# ---- registration ------------------------------------------------------------------

def vast():
    """1 TiB of addresses."""
    return Memory(TIB, flags=paged.PRIVATE | paged.ANONYMOUS | NORESERVE,
                  populate=False)


def seconds(dev, pd, start, length):
    began = time.perf_counter()
    handle, _, _ = uverbs.reg_mr(dev.ctx, pd, start, length, start, PAGED)
    took = time.perf_counter() - began
    uverbs.dereg_mr(dev.ctx, handle)
    return took


@both
def test_registration_costs_the_same_for_every_size(dev, pd, implicit):
    mem = vast()
    start, length = (0, paged.EVERYTHING) if implicit else (mem.address, TIB)
    took = {4096: [], length: []}
    for _ in range(soak(150, 3000)):
        took[4096].append(seconds(dev, pd, mem.address, 4096))
        took[length].append(seconds(dev, pd, start, length))
    small, large = map(statistics.median, took.values())
    mem.unmap()
    assert large <= soak(1.5, 1.1) * small


def free_bytes():
    with open("/proc/meminfo") as rows:
        return int(dict(line.split(":") for line in rows)["MemFree"].split()[0]) \
            << 10


@both
def test_registration_needs_little_memory(dev, pd, implicit):
    """A region of any size has one table, and at most 8 KiB in all."""
    mem, number = vast(), 300
    gc.collect()
    before = free_bytes()
    made = [Region(dev, pd, None if implicit else mem) for _ in range(number)]
    used = before - free_bytes()
    assert made[0].details()["drv_mtt_bytes"] == 4096
    for region in made:
        region.close()
    mem.unmap()
    # the memory of 2 MiB is noise of the machine
    assert used <= number * 8192 + (2 << 20)


def test_registration_sends_no_command(dev, pd, device):
    mem = vast()
    before = device.stats()["device"]["counters"]["commands"]
    made = [Region(dev, pd, mem) for _ in range(20)]
    assert device.stats()["device"]["counters"]["commands"] == before
    for region in made:
        region.close()
    mem.unmap()


def test_addresses_that_no_process_can_have(dev, pd):
    for start, length in ((1 << 63, 4096), (4096, 2**64 - 4097), (0, 1 << 63),
                          (2**64 - 8192, 8192)):
        with pytest.raises(OSError) as failure:
            uverbs.reg_mr(dev.ctx, pd, start, length, start, PAGED)
        assert failure.value.errno in (errno.EINVAL, errno.EFAULT,
                                       errno.EOVERFLOW)
    fails(errno.EINVAL, uverbs.reg_mr, dev.ctx, pd, 0, paged.EVERYTHING, 4096,
          PAGED)


def test_unmapped_addresses_can_be_registered(make, link):
    """Memory that is mapped later is found."""
    far, near = Memory(HUGE), Memory(HUGE)
    far.unmap()
    region, own = make(far), make(near)
    far.map_again()
    assert link.move(WRITE, (own, near.address), (region, far.address),
                     HUGE) == OK
    assert far.get() == near.get()


# ---- accesses to memory that is not present ------------------------------------------

RANGES = [(0, 64), (4095, 2), (1, 4096), (3 * PAGE + 17, 100_001),
          (HUGE - 3, 7), (HUGE - 70_000, 140_000), (PAGE, HUGE)]


@both
@every_kind
def test_cold_memory_on_both_sides(dev, make, link, kind, implicit):
    """The pages of the source are present, but not mapped for the device; those of the
    target do not exist yet."""
    for at, length in RANGES:
        source = Memory(2 * HUGE)
        target = Memory(2 * HUGE, populate=False)
        of, to = ((make(), make()) if implicit else
                  (make(source), make(target)))
        before, = paged.port(dev, "page_faults")
        assert link.move(kind, (of, source.address + at),
                         (to, target.address + at), length) == OK
        assert target.get(at, length) == source.get(at, length)
        assert not any(target.get(0, at)) and \
            not any(target.get(at + length))
        assert paged.port(dev, "page_faults")[0] >= before + 2
        source.unmap()
        target.unmap()


@both
@pytest.mark.parametrize("kind", [ADD, SWAP], ids=["add", "swap"])
def test_cold_atomics(make, link, kind, implicit):
    """An atomic executes once, however often it waits, and its result arrives."""
    for _ in range(10):
        result, target = Memory(PAGE, populate=False), Memory(PAGE)
        old = int.from_bytes(target.get(8, 8), "little")
        if implicit:
            to, of = make(), make()
        else:
            to, of = make(result), make(target)
        assert link.atomic(kind, (to, result.address), (of, target.address + 8),
                           compare=1 if kind == ADD else old, swap=77) == OK
        assert int.from_bytes(result.get(0, 8), "little") == old
        want = (old + 1) % 2**64 if kind == ADD else 77
        assert int.from_bytes(target.get(8, 8), "little") == want


class PlacingEnd(Endpoint):
    """An endpoint with FLUSH and ATOMIC_WRITE, which only ibv_wr_*() can post."""

    OPERATIONS = (e.IBV_QP_EX_WITH_RDMA_WRITE | e.IBV_QP_EX_WITH_FLUSH |
                  e.IBV_QP_EX_WITH_ATOMIC_WRITE)

    def __init__(self, dev, pd):
        super().__init__(dev, pd, access=PLACING)
        self.qp.close()
        self.qp = QPEx(dev.ctx, QPInitAttrEx(
            qp_type=e.IBV_QPT_RC, scq=self.cq, rcq=self.cq, pd=pd,
            cap=QPCap(64, 64, 1, 1, 0), send_ops_flags=self.OPERATIONS,
            comp_mask=e.IBV_QP_INIT_ATTR_PD |
            e.IBV_QP_INIT_ATTR_SEND_OPS_FLAGS))

    def place(self, sge, region, address, length, word, value):
        """Posts a WRITE to the address, a FLUSH of what it wrote, and an ATOMIC_WRITE
        of the value to the address @word, all in one batch."""
        self.qp.wr_start()
        self.qp.wr_id, self.qp.wr_flags = 1, e.IBV_SEND_SIGNALED
        self.qp.wr_rdma_write(region.rkey, address)
        self.qp.wr_set_sge(SGE(*sge))
        self.qp.wr_flush(region.rkey, address, length, e.IBV_FLUSH_GLOBAL,
                         e.IBV_FLUSH_RANGE)
        self.qp.wr_atomic_write(region.rkey, word, value)
        self.qp.wr_complete()


@both
def test_cold_flush_and_atomic_write(dev, pd, make, implicit):
    """FLUSH and ATOMIC_WRITE wait for pages as WRITE does, and in their order: the
    value of the ATOMIC_WRITE is there once, after the bytes of the WRITE."""
    a, b = PlacingEnd(dev, pd), PlacingEnd(dev, pd)
    a.connect(b.address(), timeout=18)
    b.connect(a.address(), timeout=18)
    for at, length in ((0, 8), (PAGE - 3, 3 * PAGE), (HUGE - 100, 70_000)):
        source = Memory(2 * HUGE)
        target = Memory(6 * HUGE, populate=False)
        of = make(source)
        to = make(None if implicit else target, access=PAGED | PLACING)
        value, word = os.urandom(8), 4 * HUGE + 3 * PAGE + 8
        a.place(of.sge(source.address, length), to, target.address + at, length,
                target.address + word, value)
        assert [wc.opcode for wc in a.wait(3)] == [
            e.IBV_WC_RDMA_WRITE, e.IBV_WC_FLUSH, e.IBV_WC_ATOMIC_WRITE]
        assert target.get(at, length) == source.get(0, length)
        assert target.get(word - 8, 24) == bytes(8) + value + bytes(8)


def test_cold_scatter_list(dev, pd, make):
    """Several scatter-gather entries, each on cold memory, on both sides."""
    a, b = Endpoint(dev, pd, sge=4), Endpoint(dev, pd, sge=4)
    a.connect(b.address(), timeout=18)
    b.connect(a.address(), timeout=18)
    lengths = [5000, 3, 70_000, 9000]
    sources = [Memory(HUGE) for _ in lengths]
    targets = [Memory(HUGE, populate=False) for _ in lengths]
    regions = [make(mem) for mem in sources + targets]
    b.recv([regions[4 + n].sge(mem.address + 11, size) for n, (mem, size) in
            enumerate(zip(targets, reversed(lengths)))])
    a.post(SEND, [regions[n].sge(mem.address + 4090, size) for n, (mem, size) in
                  enumerate(zip(sources, lengths))])
    a.wait()
    b.wait()
    sent = b"".join(mem.get(4090, size) for mem, size in zip(sources, lengths))
    got = b"".join(mem.get(11, size) for mem, size in
                   zip(targets, reversed(lengths)))
    assert got == sent


@pytest.mark.parametrize("iova", [0, 0x1000, 0x123456789000, 2**64 - HUGE])
def test_any_iova(make, link, iova):
    far, near = Memory(HUGE, populate=False), Memory(HUGE)
    region, own = make(far, iova=iova), make(near)
    assert link.move(WRITE, (own, near.address + 5),
                     (region, (iova + 4091) % 2**64), 70_000) == OK
    assert far.get(4091, 70_000) == near.get(5, 70_000)


def test_a_region_in_the_middle_of_pages(make, link):
    """The region ends and begins in pages, of which the rest is out of reach."""
    far, near = Memory(HUGE), Memory(HUGE)
    before = far.get()
    region = make(far, start=far.address + 100, length=3 * PAGE)
    own = make(near)

    def write(at, length):
        return link.move(WRITE, (own, near.address), (region, far.address + at),
                         length)
    assert write(100, 3 * PAGE) == OK
    want = before[:100] + near.get(0, 3 * PAGE) + before[100 + 3 * PAGE:]
    assert far.get() == want
    assert write(99, 1) == write(100 + 3 * PAGE, 1) == REMOTE_REFUSED
    assert far.get() == want


def test_zeros_are_read_and_then_written(make, link):
    """A read finds the kernel's page of zeros, which a write must not change."""
    far, other = (Memory(HUGE, populate=False) for _ in range(2))
    near = Memory(HUGE)
    region, own, third = make(far), make(near), make(other)
    data = near.get()
    for target in (far, other):
        to = region if target is far else third
        assert link.move(READ, (to, target.address), (own, near.address),
                         PAGE) == OK
        assert not any(near.get(0, PAGE))
    near.put(0, data)
    assert link.move(WRITE, (own, near.address), (region, far.address),
                     PAGE) == OK
    assert far.get(0, PAGE) == data[:PAGE]
    assert link.move(READ, (third, other.address), (own, near.address),
                     PAGE) == OK
    assert not any(near.get(0, PAGE)) and not any(other.get())


# ---- kinds of mappings -----------------------------------------------------------------

def faults_of_touching(link, own, near, region, mem, offset):
    """Writes one byte at the offset in each 2 MiB. Returns the number of page faults."""
    before = region.statistic()["page_faults"]
    for at in range(offset, mem.length, HUGE):
        assert link.move(WRITE, (own, near.address), (region, mem.address + at),
                         1) == OK
        assert mem.get(at, 1) == near.get(0, 1)
    return region.statistic()["page_faults"] - before


@pytest.mark.parametrize("pages", ["small", "transparent", "hugetlb"])
def test_huge_pages_are_mapped_as_a_whole(make, link, pages):
    """After one byte of a huge page, no other byte of it misses."""
    number = 16
    with contextlib.ExitStack() as stack:
        flags = paged.PRIVATE | paged.ANONYMOUS
        if pages == "hugetlb":
            stack.enter_context(huge_pages(number))
            flags |= paged.HUGETLB
        mem = Memory(number * HUGE, flags=flags, huge=pages == "transparent")
        near = Memory(PAGE)
        region, own = make(mem), make(near)
        first = faults_of_touching(link, own, near, region, mem, 0)
        again = [faults_of_touching(link, own, near, region, mem, at)
                 for at in (HUGE - 1, 1 << 20)]
        mapped = region.statistic()["pages_mapped"]
        region.close()
        mem.unmap()
    if pages == "small":
        assert [first, *again] == [number] * 3 and mapped == 3 * number
    else:
        # huge pages follow each other, so the driver maps ahead
        assert 0 < first <= number
        assert again == [0, 0] and mapped == number * HUGE // PAGE


def test_stream_of_huge_pages_has_few_page_faults(make, link):
    size = soak(128 << 20, 512 << 20)
    far, near = Memory(size, huge=True), Memory(HUGE)
    region, own = make(far), make(near)
    for at in range(0, size, HUGE):
        assert link.move(WRITE, (own, near.address), (region, far.address + at),
                         HUGE) == OK
    assert far.get(size - HUGE) == near.get()
    # the driver maps more and more ahead, which the device may overtake
    assert region.statistic()["page_faults"] <= size // HUGE // 4


def test_memory_ahead_of_a_stream_is_limited(make, link):
    """The driver maps at most twice 32 MiB ahead, and nothing behind the region."""
    size, limit = 256 << 20, 64 << 20
    near = Memory(HUGE)
    own = make(near)
    for length, streamed in ((size, 144 << 20), (24 << 20, 20 << 20)):
        far = Memory(size, huge=True, populate=False)
        region = make(far, length=length)
        for at in range(0, streamed, HUGE):
            assert link.move(WRITE, (own, near.address),
                             (region, far.address + at), HUGE) == OK
        # the driver goes on to map
        time.sleep(1)
        region.close()
        # a page fault starts each run of the driver, so the last run may end where
        # the stream ends
        assert streamed <= far.resident()[0] <= min(length, streamed + limit)
        far.unmap()


def test_stream_of_small_pages_maps_ahead(make, link):
    """A message over many pages has few page faults, because each maps more."""
    size = 4 << 20
    far, near = Memory(size, populate=False), Memory(size)
    region, own = make(far), make(near)
    assert link.move(WRITE, (own, near.address), (region, far.address), size) == OK
    assert far.get() == near.get()
    for one in (region, own):
        assert one.statistic()["page_faults"] <= 20


def test_stream_of_small_messages_maps_ahead(make, link):
    """Messages that follow each other have fewer page faults than one each."""
    number, size = 64, 64 << 10
    far, near = Memory(number * size, populate=False), Memory(size)
    region, own = make(far), make(near)
    for at in range(0, number * size, size):
        assert link.move(WRITE, (own, near.address), (region, far.address + at),
                         size) == OK
    assert far.get((number - 1) * size) == near.get()
    assert region.statistic()["page_faults"] <= number // 4


def test_pages_ahead_that_do_not_exist_change_nothing(make, link, faults):
    size, message = 1 << 20, 4 * PAGE
    far, near = Memory(size, populate=False), Memory(message)
    region, own = make(far), make(near)
    far.unmap(size // 2)
    for at in range(0, size // 2, message):
        assert link.move(WRITE, (own, near.address), (region, far.address + at),
                         message) == OK
    assert far.get(0, size // 2) == near.get() * (size // 2 // message)
    assert not faults.new()


@contextlib.contextmanager
def tmpfs(tmp_path):
    yield tmp_path


@contextlib.contextmanager
def disk(tmp_path):
    """A file system on a disk, which writes changed pages back."""
    image, where = tmp_path / "image", tmp_path / "mounted"
    where.mkdir()
    with open(image, "wb") as file:
        file.truncate(16 << 20)
    if subprocess.run(["modprobe", "-a", "loop", "ext4"]).returncode:
        pytest.skip("the kernel has no ext4")
    subprocess.run(["mkfs.ext4", "-q", "-F", str(image)], check=True,
                   capture_output=True)
    subprocess.run(["mount", "-o", "loop", str(image), str(where)], check=True)
    try:
        yield where
    finally:
        subprocess.run(["umount", str(where)], check=True)


@pytest.mark.parametrize("where", [tmpfs, disk])
def test_file_mappings(tmp_path, make, link, where):
    """What the device writes is in the file, also after the kernel has written the
    pages back and has read them again."""
    near = Memory(1 << 20)
    own = make(near)
    with where(tmp_path) as path:
        (path / "file").write_bytes(os.urandom(1 << 20))
        with open(path / "file", "r+b") as file:
            before = file.read()
            far = Memory(1 << 20, flags=SHARED, fd=file.fileno(), populate=False)
            region = make(far)
            assert link.move(READ, (region, far.address), (own, near.address),
                             1 << 20) == OK
            assert near.get() == before
            want = bytearray(before)
            for at in (4000, 4000):
                data = near.fill()[:9000]
                want[at:at + 9000] = data
                assert link.move(WRITE, (own, near.address),
                                 (region, far.address + at), 9000) == OK
                os.fsync(file.fileno())
                with open("/proc/sys/vm/drop_caches", "w") as knob:
                    knob.write("3")
                assert os.pread(file.fileno(), 1 << 20, 0) == want
                assert far.get() == want
            region.close()
            far.unmap()
        assert (path / "file").read_bytes() == want


def test_truncated_file(tmp_path, make, link):
    """Pages behind the end of the file are refused, as the process gets SIGBUS."""
    near = Memory(1 << 20)
    own = make(near)
    with open(tmp_path / "file", "w+b") as file:
        file.write(os.urandom(1 << 20))
        file.flush()
        far = Memory(1 << 20, flags=SHARED, fd=file.fileno(), populate=False)
        region = make(far)
        move = (WRITE, (own, near.address), (region, far.address), 1 << 20)
        assert link.move(*move) == OK
        file.truncate(1 << 19)
        assert link.move(*move) == REMOTE_REFUSED
        assert link.move(*move[:3], 1 << 19) == OK
        file.truncate(1 << 20)
        assert link.move(*move) == OK
        assert os.pread(file.fileno(), 1 << 20, 0) == near.get()
        far.unmap()


def test_private_mapping_of_a_file(tmp_path, make, link):
    """A write of the device goes to a copy of the page, not to the file."""
    near, before = Memory(1 << 20), os.urandom(1 << 20)
    own = make(near)
    (tmp_path / "file").write_bytes(before)
    with open(tmp_path / "file", "r+b") as file:
        far = Memory(1 << 20, flags=paged.PRIVATE, fd=file.fileno(),
                     populate=False)
        region = make(far)
        data = near.get()
        assert link.move(READ, (region, far.address), (own, near.address),
                         1 << 20) == OK
        assert near.get() == before
        near.put(0, data)
        assert link.move(WRITE, (own, near.address), (region, far.address + 1),
                         9000) == OK
    assert far.get() == before[:1] + data[:9000] + before[9001:]
    assert (tmp_path / "file").read_bytes() == before


# ---- accesses that are refused -----------------------------------------------------------

def test_read_only_mapping_serves_reads(make, link, faults):
    """The key has rights to write, the mapping has not."""
    far, near = Memory(HUGE), Memory(HUGE)
    before = far.get()
    far.protect(READABLE)
    region, own = make(far), make(near)
    for _ in range(2):
        assert link.move(READ, (region, far.address), (own, near.address),
                         HUGE) == OK
        assert near.get() == before
        assert link.move(SEND, (region, far.address), (own, near.address),
                         PAGE) == OK
        assert not faults.new()
        assert link.move(WRITE, (own, near.address), (region, far.address + 5000),
                         64) == REMOTE_REFUSED
        record = faults.one()
        assert (record["reason"], record["opcode"]) == ("translation", "WRITE")
        assert record["direction"] == "remote-write"
        assert link.atomic(ADD, (own, near.address),
                           (region, far.address)) == REMOTE_REFUSED
        assert faults.one()["reason"] == "translation"
        link.close()
        link.connect()
        assert link.move(READ, (own, near.address), (region, far.address),
                         64) == LOCAL_REFUSED
        assert faults.one()["reason"] == "translation"
    assert far.get() == before


@every_kind
@pytest.mark.parametrize("side", ["source", "target"])
@both
def test_addresses_outside_of_any_mapping(dev, pd, make, link, faults, kind, side,
                                          implicit):
    """The access is refused with the right statuses, and other queue pairs, which use
    the same region, go on."""
    mems = {"source": Memory(HUGE), "target": Memory(HUGE)}
    hole = mems[side]
    hole.unmap(HUGE // 2)
    regions = {name: make(None if implicit else mem)
               for name, mem in mems.items()}
    ends = {name: (regions[name], mem.address) for name, mem in mems.items()}
    other = Link(dev, pd)
    before = other.a, other.b
    assert other.move(kind, ends["source"], ends["target"], PAGE) == OK

    link.start(kind, ends["source"], ends["target"], HUGE)
    got = link.a.poll()[0]
    local = (side == "source") == (kind != READ)
    if local:
        assert got.status == LOCAL_REFUSED
    elif kind == SEND:
        assert got.status == e.IBV_WC_REM_OP_ERR
        assert link.b.poll()[0].status == LOCAL_REFUSED
    else:
        assert got.status == REMOTE_REFUSED
    record = faults.one()
    assert record["reason"] == "translation"
    link.close()
    link.connect()

    for _ in range(3):
        assert other.move(kind, ends["source"], ends["target"], HUGE // 2) == OK
    assert (other.a, other.b) == before
    assert mems["target"].get(0, HUGE // 2) == mems["source"].get(0, HUGE // 2)
    other.close()


def test_a_mapping_without_any_right(make, link, faults):
    far, near = Memory(HUGE), Memory(HUGE)
    region, own = make(far), make(near)
    far.protect(paged.NONE)
    for kind, source, target in (
            (WRITE, (own, near.address), (region, far.address)),
            (READ, (region, far.address), (own, near.address))):
        assert link.move(kind, source, target, 64) == REMOTE_REFUSED
        assert faults.one()["reason"] == "translation"
    far.protect(paged.WRITABLE)
    assert link.move(WRITE, (own, near.address), (region, far.address), 64) == OK


def test_who_may_not_access_causes_no_page_fault(dev, pd, make, link, faults):
    """Key, rights, range and protection domain are checked before the translation."""
    from pyverbs.pd import PD
    far, near, other = Memory(HUGE), Memory(HUGE), PD(dev.ctx)
    foreign = make(far, pd=other)
    reads = make(far, access=LOCAL | e.IBV_ACCESS_REMOTE_READ | paged.ON_DEMAND)
    region, own = make(far), make(near)
    assert link.move(READ, (own, near.address), (own, near.address + PAGE),
                     PAGE) == OK
    before = paged.port(dev, "page_faults", "page_fault_waits")
    source = (own, near.address)
    for to, at, reason in ((foreign, 0, "pd"), (reads, 0, "rights"),
                           (region, HUGE - 63, "range"), (region, -1, "range")):
        assert link.move(WRITE, source, (to, far.address + at),
                         64) == REMOTE_REFUSED
        assert faults.one()["reason"] == reason
    assert paged.port(dev, "page_faults", "page_fault_waits") == before
    foreign.close()
    other.close()

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Accesses that wait for a page: many for one page, more than can wait, and page
faults or answers that are late, lost or doubled, which the device does on request.
Runs in a guest."""

import time

import pytest
from pyverbs.mr import MR

from labverbs.rc import ALL, HUGE, Buffer
from lib import paged
from lib.control import ask, fault, late_fault, repair, stats
from lib.machine import settled
from lib.paged import ADD, OK, PAGE, READ, SEND, WRITE, Link, Memory, Region

TROUBLE = ("packet_seq_err", "local_ack_timeout_err", "tx_retransmitted_pkts")
# The device repeats an access whose page fault has no answer after this many seconds.
RECOVERS = 1
# Seconds that a message may take otherwise, on a busy machine
SLACK = 4
KINDS = {"write": WRITE, "read": READ, "send": SEND}
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


@pytest.fixture(autouse=True)
def quiet(dev):
    """Ends the device's faults. The device has found no error of the driver, and no
    page fault and no packet that waits is left."""
    before = stats()["host_errors"]
    yield
    repair()
    after = stats()
    assert after["host_errors"] == before
    for what in ("page_faults", "queued", "parked_bytes"):
        assert after["paging"][what] == 0


class Many:
    """Many queue pairs, connected in pairs, each with 64 bytes of a pinned buffer."""

    def __init__(self, dev, pd, number):
        self.links = [Link(dev, pd) for _ in range(number // 2)]
        self.ends = [end for link in self.links for end in (link.a, link.b)]
        self.buf = Buffer((64 * number, False))
        self.buf.view[:] = bytes(n % 251 for n in range(64 * number))
        self.mr = MR(pd, self.buf.length, ALL, address=self.buf.address)

    def sge(self, number):
        return self.buf.address + 64 * number, 64, self.mr.lkey

    def get(self, number):
        return bytes(self.buf.view[64 * number:64 * number + 64])

    def finish(self):
        for end in self.ends:
            end.wait()

    def close(self):
        for link in self.links:
            link.close()
        self.mr.close()


@pytest.mark.parametrize("side, implicit", [("requester", False),
                                            ("responder", True)])
def test_128_queue_pairs_wait_for_one_page(dev, pd, side, implicit):
    """There is one page fault, and its answer wakes all."""
    many, mem = Many(dev, pd, 128), Memory(2 * PAGE)
    region = Region(dev, pd, None if implicit else mem)
    waits, = paged.port(dev, "page_fault_waits")
    trouble = paged.port(dev, *TROUBLE)
    ask(**late_fault(1, 950))
    began = time.monotonic()
    for number, end in enumerate(many.ends):
        place = mem.address + 64 * (number % 64)
        at, _, key = many.sge(number)
        if side == "responder":
            end.post(WRITE, [(at, 64, key)], place, region.rkey)
        else:
            end.post(WRITE, [region.sge(place, 64)], at, key)
    posted = time.monotonic() - began
    many.finish()
    assert region.statistic()["page_faults"] == 1
    # if posting took too long, the last ones did not have to wait
    assert paged.port(dev, "page_fault_waits")[0] == waits + 128 or posted > 0.5
    assert paged.port(dev, *TROUBLE) == trouble
    for number in range(64, 128):
        assert many.get(number) == mem.get(64 * (number - 64), 64)
    region.close()
    many.close()


def test_page_faults_of_a_protection_domain_are_limited(dev, pd):
    """The device asks for at most a quarter of all page faults for one domain. The
    other accesses wait until they may raise one."""
    number = 80
    many, mem = Many(dev, pd, number), Memory(number * HUGE, populate=False)
    region = Region(dev, pd, mem)
    ask(**late_fault(1000, 900))
    for place, end in enumerate(many.ends):
        end.post(WRITE, [many.sge(place)], mem.address + place * HUGE, region.rkey)
    assert settled(lambda: stats()["paging"]["queued"] > 0)
    assert stats()["paging"]["page_faults"] <= 64
    ask(**late_fault(0, 0))
    many.finish()
    for place in range(number):
        assert mem.get(place * HUGE, 64) == many.get(place)
    region.close()
    many.close()


@pytest.mark.parametrize("messages", [1, 64], ids=["one", "many"])
def test_more_packets_than_can_wait(dev, pd, messages):
    """What cannot wait is sent again, and arrives once and in order."""
    link = Link(dev, pd)
    size = 2 << 20
    mem, near = Memory(size, populate=False), Memory(size)
    region, own = Region(dev, pd, mem), Region(dev, pd, near, access=ALL)
    part = size // messages
    for turn in range(2):
        ask(**late_fault(1, 500))
        for at in range(0, size, part):
            link.a.post(WRITE, [own.sge(near.address + at, part)],
                        mem.address + at, region.rkey)
        link.a.wait(messages)
        assert mem.get() == near.get()
        mem.advise(paged.DONTNEED)
        near.fill()
    for thing in (link, region, own):
        thing.close()


class Ends:
    """A source and a target in cold memory, and a connection."""

    def __init__(self, dev, pd):
        self.link = Link(dev, pd)
        self.source, self.target = Memory(HUGE), Memory(HUGE, populate=False)
        self.of, self.to = (Region(dev, pd, mem) for mem in
                            (self.source, self.target))

    def move(self, kind, length=100_000):
        """Moves bytes, which must arrive. Returns the seconds that it took."""
        began = time.monotonic()
        assert self.link.move(kind, (self.of, self.source.address + 77),
                              (self.to, self.target.address + 4090),
                              length) == OK
        took = time.monotonic() - began
        assert self.target.get(4090, length) == self.source.get(77, length)
        assert not any(self.target.get(0, 4090))
        assert not any(self.target.get(4090 + length))
        return took

    def close(self):
        for thing in (self.link, self.of, self.to):
            thing.close()


@pytest.fixture
def ends(dev, pd):
    ends = Ends(dev, pd)
    yield ends
    ends.close()


@every_kind
def test_page_fault_that_is_late(dev, ends, kind):
    trouble = paged.port(dev, *TROUBLE)
    ask(**late_fault(2, 300))
    assert 0.3 <= ends.move(kind) < RECOVERS + SLACK
    assert paged.port(dev, *TROUBLE) == trouble


@every_kind
@pytest.mark.parametrize("what", ["lost", "answer_lost"])
def test_page_fault_or_answer_that_is_lost(ends, kind, what):
    """The device asks again after a second."""
    ask(**fault(what, 1))
    assert RECOVERS * 0.9 <= ends.move(kind) < RECOVERS + SLACK
    assert stats()["paging"][what] == 0


@every_kind
def test_page_fault_that_is_reported_twice(ends, kind):
    """The driver answers twice. The device ignores the second answer, even if it has
    reused the page fault for another page."""
    ask(**fault("twice", 100))
    for _ in range(5):
        assert ends.move(kind) < SLACK
        ends.target.advise(paged.DONTNEED)


@pytest.mark.parametrize("what", ["late", "lost", "twice", "answer_lost"])
def test_atomics_execute_once(dev, pd, ends, what):
    result, target = Memory(PAGE, populate=False), Memory(PAGE)
    to, of = Region(dev, pd, result), Region(dev, pd, target)
    for turn in range(2):
        old = int.from_bytes(target.get(0, 8), "little")
        ask(**late_fault(2, 200) if what == "late" else fault(what, 1))
        assert ends.link.atomic(ADD, (to, result.address),
                                (of, target.address), compare=1) == OK
        assert int.from_bytes(result.get(0, 8), "little") == old
        assert int.from_bytes(target.get(0, 8), "little") == (old + 1) % 2**64
        for mem in (result, target):
            keep = mem.get()
            mem.map_again()
            mem.put(0, keep)
    to.close()
    of.close()

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of push: which requests the provider pushes, and that they arrive. The tests run
with every device; without push pages nothing is pushed."""

import os
import threading
import time

import pyverbs.enums as e
import pytest
from pyverbs.mr import MR
from pyverbs.pd import PD

from labverbs import rc
from lib import control

INLINE = e.IBV_SEND_INLINE | e.IBV_SEND_SIGNALED
PIECE = 256
# inline bytes of an entry of 256 bytes
MOST = 224
SLOTS = 16


def offered():
    """Does the device have push pages? They are the second half of BAR 2."""
    path = f"/sys/bus/pci/devices/{os.environ['XRDMA_PCI']}/resource"
    with open(path, encoding="ascii") as lines:
        first, last, _ = lines.read().splitlines()[2].split()
    return int(last, 16) - int(first, 16) + 1 == 32 << 20


SHADOW = control.stats()["device"]["shadow_db"]


def pushed():
    """Number of entries that the device took from slots."""
    return control.stats()["device"]["pushed"]


def used(wanted):
    """Does the provider push with this value of XRDMA_PUSH?"""
    return offered() and (wanted == "1" or (wanted is None and not SHADOW))


@pytest.fixture(name="dev", params=[None, "0", "1"],
                ids=["default", "never", "always"])
def _dev(request, monkeypatch):
    """A device that was opened with each value of XRDMA_PUSH."""
    if request.param is None:
        monkeypatch.delenv("XRDMA_PUSH", raising=False)
    else:
        monkeypatch.setenv("XRDMA_PUSH", request.param)
    dev = rc.Device()
    dev.pushes = used(request.param)
    return dev


class Link:
    """Two queue pairs of this process, and a buffer that one writes to."""

    def __init__(self, dev, pd, inline=MOST):
        self.a = rc.Endpoint(dev, pd, inline=inline)
        self.b = rc.Endpoint(dev, pd, inline=inline)
        self.a.connect(self.b.address())
        self.b.connect(self.a.address())
        self.buf = rc.Buffer((2 * PIECE, False))
        self.mr = MR(pd, 2 * PIECE, rc.ALL, address=self.buf.address)

    def post(self, length, value, flags=INLINE):
        """Writes this many bytes of this value from the first piece to the second."""
        self.buf.view[:length] = bytes([value]) * length
        self.a.post(e.IBV_WR_RDMA_WRITE, [(self.buf.address, length, self.mr.lkey)],
                    remote=self.buf.address + PIECE, rkey=self.mr.rkey, flags=flags)

    def write(self, length, value, flags=INLINE):
        """Writes, and checks what has arrived."""
        self.buf.view[PIECE:2 * PIECE] = bytes(PIECE)
        self.post(length, value, flags)
        self.a.wait()
        want = bytes([value]) * length + bytes(PIECE - length)
        assert bytes(self.buf.view[PIECE:2 * PIECE]) == want


def asleep():
    """Waits until the device polls no queue pair: with shadow doorbells the provider
    rings the doorbell of a device that sleeps."""
    deadline = time.monotonic() + 20
    while control.stats()["device"]["active_qps"]:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_new_context_gets_an_empty_page():
    """The driver clears the page, which keeps what another process has written."""
    before = control.stats()["pcie"]["push"]["write_bytes"]
    rc.Device().ctx.close()
    after = control.stats()["pcie"]["push"]["write_bytes"]
    assert after - before == (4096 if offered() else 0)


def test_inline_requests_are_pushed(dev):
    """Entries of 64, 128 and 256 bytes arrive, and the device takes them from slots."""
    link = Link(dev, PD(dev.ctx))
    lengths = [1, 32, 33, 96, 97, MOST]
    before = pushed()
    for number, length in enumerate(lengths, 1):
        asleep()
        link.write(length, number)
    assert pushed() - before == (len(lengths) if dev.pushes else 0)


def test_other_requests_are_not_pushed(dev):
    """A request that is not inline, or longer than a slot, or follows one that is not
    complete, is not pushed."""
    link = Link(dev, PD(dev.ctx), inline=400)
    before = pushed()
    link.write(100, 1, flags=e.IBV_SEND_SIGNALED)
    link.write(MOST + 1, 2)
    link.post(100, 3, flags=e.IBV_SEND_SIGNALED)
    link.post(100, 3)
    link.a.wait(2)
    assert pushed() == before


def test_queue_pairs_without_a_slot_work(dev):
    """The page has 16 slots of 256 bytes; a slot that is freed is used again."""
    pd = PD(dev.ctx)
    links = [Link(dev, pd) for _ in range(SLOTS)]
    before = pushed()
    for number, link in enumerate(links):
        asleep()
        link.write(100, number)
    # each link has two queue pairs, the second of which only receives
    assert pushed() - before == (SLOTS // 2 if dev.pushes else 0)
    links[0].a.qp.close()
    before = pushed()
    last = Link(dev, pd)
    asleep()
    last.write(100, 77)
    assert pushed() - before == dev.pushes


def test_threads_push_to_slots_of_their_own(dev):
    """Requests of threads that push at the same time do not mix."""
    pd = PD(dev.ctx)
    links = [Link(dev, pd) for _ in range(4)]
    errors = []

    def work(link, first):
        try:
            for i in range(200):
                link.write(i % MOST + 1, (first + i) % 255 + 1)
        except (AssertionError, rc.Status, TimeoutError) as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(link, 50 * n))
               for n, link in enumerate(links)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of push pages through the device's sockets: what arrives, and what is read."""

import pytest

import xrdma_driver as x

PUSH = 1 << 28
SIZE = 4096


@pytest.fixture(params=[True, False], ids=["shadow", "doorbell"])
def shadow(request):
    """Each test runs with shadow doorbells and without."""
    return request.param


@pytest.fixture
def options(request):
    """Options of the device; a test may have others as its parameter."""
    return getattr(request, "param", ("--push", "use"))


@pytest.fixture
def device(start_device, options):
    """A device that offers push pages."""
    return start_device("XRDMA_DEVICE", *options)


@pytest.fixture
def link(host):
    """Two connected queue pairs, each with a buffer and its key."""
    a, b = x.pair(host)
    for qp in (a, b):
        qp.data = host.alloc(SIZE)
        qp.key = host.register(qp.data, SIZE)
    return a, b


def pushed(host):
    """Number of times that the device took an entry from a slot."""
    return host.stats()["device"]["pushed"]


def test_pushed_writes_arrive(host, link):
    """Inline WRITEs in slots of each size arrive."""
    a, b = link
    for size, length in ((64, 32), (128, 33), (128, 96), (256, 96)):
        data = bytes(i + size & 0xFF for i in range(length))
        host.put(b.data, bytes(SIZE))
        a.push(x.WRITE, inline=data, remote=b.data, rkey=b.key, wr_id=size,
               size=size, at=size * 3)
        done = a.sent()
        assert (done["status"], done["wr_id"]) == (x.WC_OK, size)
        assert host.get(b.data, length + 1) == data + bytes(1)


@pytest.mark.parametrize("shadow", [False])
def test_the_slot_stands_for_the_entry(host, link, shadow):
    """A device that uses the slot does not look at the entry in memory. With shadow
    doorbells it may be faster than the doorbell."""
    a, b = link
    before = host.stats()["pcie"]["entry"]["reads"]
    for i in range(10):
        a.push(x.WRITE, [(a.data, 100, a.key)], remote=b.data, rkey=b.key, size=64)
        assert a.sent()["status"] == x.WC_OK
    assert host.stats()["pcie"]["entry"]["reads"] == before
    assert pushed(host) == 10
    assert host.stats()["pcie"]["push"]["write_bytes"] == 640


def test_bytes_that_were_not_pushed_are_zero(host, link):
    """An entry of 96 bytes of which 64 were pushed has zeros after them, if the device
    uses the slot."""
    a, b = link
    host.put(b.data, b"\x11" * 64)
    a.push(x.WRITE, inline=b"\x22" * 64, remote=b.data, rkey=b.key, size=64)
    assert a.sent()["status"] == x.WC_OK
    tail = b"\x22" * 32 if not pushed(host) else bytes(32)
    assert host.get(b.data, 64) == b"\x22" * 32 + tail


@pytest.mark.parametrize("options", [("--push", "ignore")], indirect=True)
def test_a_device_may_ignore_the_slot(host, link, options):
    """A device that ignores the slot reads the entry."""
    a, b = link
    a.push(x.WRITE, inline=b"\x33" * 64, remote=b.data, rkey=b.key, size=64)
    assert a.sent()["status"] == x.WC_OK
    assert host.get(b.data, 64) == b"\x33" * 64
    assert host.read(x.CAPS, 8) & PUSH and not pushed(host)


@pytest.mark.parametrize("options", [("--push", "use", "--impair", "loss=30%,dup=10%")],
                         indirect=True)
def test_pushed_entries_are_sent_again(host, link, options):
    """Lost packets of pushed entries are sent again, also in other orders."""
    a, b = link
    for i in range(40):
        a.push(x.WRITE, inline=bytes([i]) * 64, remote=b.data + 64 * i, rkey=b.key)
        if i % 8 == 7:
            for _ in range(8):
                assert a.sent()["status"] == x.WC_OK
    for i in range(40):
        assert host.get(b.data + 64 * i, 64) == bytes([i]) * 64
    assert pushed(host)


@pytest.mark.parametrize("options", [()], indirect=True)
def test_a_device_without_push_refuses_slots(host, link, options):
    """Without the capability the BAR has no push pages, and slots are ignored."""
    a, b = link
    assert not host.read(x.CAPS, 8) & PUSH
    assert host.client.region_info(2)[1] == x.PUSH_PAGES
    host.doorbell(a.number, 1, a.page, kind=1)
    assert host.stats()["device"]["db_errors"] == 1


def test_shape_of_the_bar(host):
    """The BAR of the doorbells has push pages, which read as zero."""
    assert host.read(x.CAPS, 8) & PUSH
    assert host.client.region_info(2)[1] == 2 * x.PUSH_PAGES
    last = 2 * x.PUSH_PAGES - 8
    host.client.write(2, last, 2**64 - 1, 8)
    assert host.client.read(2, last, 8) == 0


def test_misuse_in_the_page_of_the_kernel_is_a_host_error(driver, host):
    """A slot that is not aligned to its size, and an offset without a size."""
    cqs = [x.CompletionQueue(host, 16 + i) for i in range(2)]
    page, x.QueuePair.page = x.QueuePair.page, 0
    try:
        qp = x.QueuePair(host, 16, *cqs)
    finally:
        x.QueuePair.page = page
    host.doorbell(qp.number, 1, 0, kind=2 | 1 << 2)
    host.doorbell(qp.number, 1, 0, kind=4 << 2)
    driver.expected = {"DOORBELL_PUSH": 2}

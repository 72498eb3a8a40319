# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of on-demand paging through the device's sockets: what waits, and for how
long. The driver's side is in lib/paged.py."""

import contextlib
import random
import struct
import time

import pytest

import paged
import xrdma_driver as x

SIZE = 64 << 10
TRANSLATION = 9  # reason of a refused access


@pytest.fixture
def pager(host):
    """The driver's side of page faults."""
    return paged.Pager(host)


@pytest.fixture
def link(host, pager):
    """Two connected queue pairs: a has pinned memory, b has a paged region."""
    a, b = x.pair(host, timeout=14)
    a.data = host.alloc(SIZE)
    a.key = host.register(a.data, SIZE)
    b.region = pager.region(SIZE)
    return a, b


def fill(host, addr, size, seed=1):
    """Fill memory with random bytes and return them."""
    data = random.Random(seed).randbytes(size)
    host.put(addr, data)
    return data


def count(host, name):
    """Return a counter of the port."""
    return host.stats()["device"]["counters"][name]


def ask(host, **request):
    """Send a request to the control socket; it must succeed."""
    with contextlib.closing(host.process.control()) as control:
        reply = control.request(**request)
    assert reply["ok"], reply


def completed(qp):
    """Return a function that returns the next completion of a send, or None."""
    return lambda: qp.sent(0)


def test_write_to_cold_memory(host, pager, link):
    """A WRITE waits for each page of the responder, and its peer repeats nothing."""
    a, b = link
    data = fill(host, a.data, SIZE)
    a.send(x.WRITE, [(a.data, SIZE, a.key)], remote=0, rkey=b.region.key)
    done, faults = pager.serve_until(completed(a))
    assert done["status"] == x.WC_OK
    assert b.region.get(0, SIZE) == data
    assert [f.pos for f in faults] == list(range(0, SIZE, 4096))
    assert all(f.write and f.remote and f.opcode == x.WRITE for f in faults)
    assert faults[0].length == 4096 and faults[0].expected == SIZE
    assert {(f.key, f.qpn, f.pd) for f in faults} == {(b.region.key >> 8,
                                                       b.number, 1)}
    assert count(host, "page_faults") == len(faults)
    assert count(host, "page_fault_waits") == len(faults)
    for name in ("local_ack_timeout_err", "rnr_nak_retry_err", "packet_seq_err"):
        assert count(host, name) == 0


def test_write_from_cold_memory(host, pager, link):
    """The send queue of a WRITE stops at the packet that needs a page."""
    a, b = link
    data = fill(host, b.region.backing, SIZE)
    b.send(x.WRITE, [(0, SIZE, b.region.key)], remote=a.data, rkey=a.key)
    done, faults = pager.serve_until(completed(b))
    assert done["status"] == x.WC_OK
    assert host.get(a.data, SIZE) == data
    assert [f.pos for f in faults] == list(range(0, SIZE, 4096))
    assert not any(f.write or f.remote for f in faults)


def test_read_of_cold_memory(host, pager, link):
    """Data of a READ wait for the memory of the responder."""
    a, b = link
    data = fill(host, b.region.backing, SIZE)
    a.send(x.READ, [(a.data, SIZE, a.key)], remote=0, rkey=b.region.key)
    done, faults = pager.serve_until(completed(a))
    assert done["status"] == x.WC_OK
    assert host.get(a.data, SIZE) == data
    assert [f.pos for f in faults] == list(range(0, SIZE, 4096))
    assert not any(f.write for f in faults) and all(f.remote for f in faults)


def test_read_to_cold_memory(host, pager, link):
    """A READ is not requested before its memory is there."""
    a, b = link
    data = fill(host, a.data, SIZE)
    b.send(x.READ, [(0, SIZE, b.region.key)], remote=a.data, rkey=a.key)
    fault = pager.fault()
    assert (fault.pos, fault.length, fault.write) == (0, SIZE, True)
    assert count(host, "rx_read_requests") == 0
    pager.serve(fault)
    done, faults = pager.serve_until(completed(b))
    assert done["status"] == x.WC_OK
    assert b.region.get(0, SIZE) == data
    assert [f.pos for f in faults] == list(range(4096, SIZE, 4096))
    assert count(host, "rx_read_requests") == 1


def test_read_continues_where_memory_was_lost(host, pager, link):
    """A READ whose memory comes and goes delivers each byte."""
    a, b = link
    data = fill(host, a.data, SIZE)
    b.region.map_all()
    rng = random.Random(3)
    for _ in range(20):
        b.region.put(0, bytes(SIZE))
        b.send(x.READ, [(0, SIZE, b.region.key)], remote=a.data, rkey=a.key)
        for _ in range(4):
            b.region.unmap(rng.randrange(SIZE), 1)
        done, _ = pager.serve_until(completed(b))
        assert done["status"] == x.WC_OK
        assert b.region.get(0, SIZE) == data
    assert count(host, "local_ack_timeout_err") == 0


def test_send_to_cold_memory(host, pager, link):
    """A SEND takes one receive, in the order of the SENDs."""
    a, b = link
    data = fill(host, a.data, SIZE)
    b.receive([(0, 5000, b.region.key)], wr_id=1)
    b.receive([(0x8000, 5000, b.region.key)], wr_id=2)
    a.send(x.SEND, [(a.data, 5000, a.key)])
    a.send(x.SEND, [(a.data + 5000, 3000, a.key)])
    for wr_id, length in ((1, 5000), (2, 3000)):
        done, faults = pager.serve_until(lambda: b.received(0))
        assert (done["status"], done["wr_id"], done["byte_len"]) == (
            0, wr_id, length)
        assert all(f.opcode == x.RECV and f.write and not f.remote
                   for f in faults)
    assert b.region.get(0, 5000) == data[:5000]
    assert b.region.get(0x8000, 3000) == data[5000:8000]
    assert [a.sent()["status"] for _ in range(2)] == [0, 0]
    assert count(host, "out_of_buffer") == 0


def test_send_from_cold_memory(host, pager, link):
    """A SEND whose scatter-gather entries are all cold arrives once."""
    a, b = link
    data = fill(host, b.region.backing, SIZE)
    a.receive([(a.data, SIZE, a.key)])
    b.send(x.SEND, [(0x1ff0, 32, b.region.key), (0x4000, 9000, b.region.key)])
    done, faults = pager.serve_until(lambda: a.received(0))
    assert (done["status"], done["byte_len"]) == (0, 9032)
    assert host.get(a.data, 9032) == data[0x1ff0:0x2010] + data[0x4000:0x6328]
    assert [f.pos for f in faults] == [0x1ff0, 0x2000, 0x4000, 0x5000, 0x6000]


@pytest.mark.parametrize("opcode", [x.FETCH_ADD, x.CMP_SWAP])
def test_atomics_happen_once(host, pager, link, opcode):
    """Operand and result of an atomic are cold; the operation happens once, even if
    the peer repeats its request."""
    a, b = link
    a.region = pager.region(4096)
    b.region.put(8, (5).to_bytes(8, "little"))
    compare = 5 if opcode == x.CMP_SWAP else 0
    a.send(opcode, [(16, 8, a.region.key)], remote=8, rkey=b.region.key,
           extra=struct.pack("<QQ", 7, compare))
    fault = pager.fault()
    assert (fault.key, fault.pos, fault.length) == (a.region.key >> 8, 16, 8)
    pager.serve(fault)
    fault = pager.fault()
    assert (fault.key, fault.pos, fault.remote) == (b.region.key >> 8, 8, True)
    time.sleep(0.6)
    assert count(host, "local_ack_timeout_err") >= 1
    assert b.region.get(8, 8) == (5).to_bytes(8, "little")
    pager.serve(fault)
    assert a.sent()["status"] == x.WC_OK
    assert b.region.get(8, 8) == (12 if opcode == x.FETCH_ADD else 7).to_bytes(
        8, "little")
    assert a.region.get(16, 8) == (5).to_bytes(8, "little")


def test_many_queue_pairs_share_a_page_fault(host, pager):
    """128 queue pairs that need one page cause one event, and one answer wakes all."""
    region = pager.region(4096)
    data = host.alloc(4096)
    key = host.register(data, 4096)
    pairs = [x.pair(host, first=16 + 4 * i, timeout=14) for i in range(128)]
    began = time.monotonic()
    for i, (a, _) in enumerate(pairs):
        host.put(data + i, bytes([i]))
        a.send(x.WRITE, [(data + i, 1, key)], remote=i, rkey=region.key)
    deadline = time.monotonic() + x.TIMEOUT
    while count(host, "page_fault_waits") < 128:
        assert time.monotonic() < deadline
    faults = pager.pending()
    # the device reports a page fault without an answer again after a second
    assert 1 <= len(faults) <= 1 + int(time.monotonic() - began)
    pager.serve(faults[-1])
    assert [a.sent()["status"] for a, _ in pairs] == [0] * 128
    assert region.get(0, 128) == bytes(range(128))
    pager.quiet()
    assert count(host, "page_faults") == len(faults)


def test_refused(host, pager, link):
    """A page that the driver refuses fails the access, on either side."""
    a, b = link
    a.send(x.WRITE, [(a.data, 8, a.key)], remote=0, rkey=b.region.key)
    pager.answer(pager.fault().token, paged.REFUSE)
    assert a.sent()["status"] == x.WC_REM_ACCESS
    assert b.query()[0] == x.Q_ERR
    c, _ = x.pair(host, first=32)
    c.send(x.SEND, [(0, 8, b.region.key)])
    pager.answer(pager.fault().token, paged.REFUSE)
    done = c.sent()
    assert (done["status"], done["vendor_err"]) == (
        x.WC_LOC_PROT, TRANSLATION)
    fault = host.eqs[0].find(x.FAULT)
    assert fault[1] == TRANSLATION and fault[4] == b.number


def test_later(host, pager, link):
    """After LATER the device asks again, but not at once."""
    a, b = link
    a.send(x.WRITE, [(a.data, 8, a.key)], remote=0, rkey=b.region.key)
    first = pager.fault()
    start = time.monotonic()
    pager.answer(first.token, paged.LATER)
    again = pager.fault()
    assert time.monotonic() - start >= 0.01
    assert (again.pos, again.key) == (first.pos, first.key)
    assert again.token != first.token
    pager.serve(again)
    assert a.sent()["status"] == x.WC_OK


def test_lost_answer(host, pager, link):
    """A page fault without an answer is repeated after a second; the answer that is
    late is ignored."""
    a, b = link
    ask(host, cmd="paging_fault", kind="answer_lost", count=1)
    b.send(x.WRITE, [(0, 8, b.region.key)], remote=a.data, rkey=a.key)
    first = pager.fault()
    start = time.monotonic()
    pager.answer(first.token)
    again = pager.fault()
    assert 0.9 < time.monotonic() - start < 3
    pager.answer(first.token, paged.REFUSE)
    pager.quiet()
    pager.serve(again)
    assert b.sent()["status"] == x.WC_OK


def test_disturbed_events(host, pager, link):
    """Events that are late, lost, or written twice."""
    a, b = link
    ask(host, cmd="paging_fault", kind="late", count=1, ms=200)
    ask(host, cmd="paging_fault", kind="lost", count=0)
    start = time.monotonic()
    b.send(x.WRITE, [(0, 8, b.region.key)], remote=a.data, rkey=a.key)
    fault = pager.fault()
    assert time.monotonic() - start >= 0.2
    pager.serve(fault)
    assert b.sent()["status"] == x.WC_OK
    ask(host, cmd="paging_fault", kind="lost", count=1)
    start = time.monotonic()
    b.send(x.WRITE, [(0x1000, 8, b.region.key)], remote=a.data, rkey=a.key)
    fault = pager.fault()
    assert time.monotonic() - start >= 0.9
    pager.serve(fault)
    assert b.sent()["status"] == x.WC_OK
    ask(host, cmd="paging_fault", kind="twice")
    b.send(x.WRITE, [(0x2000, 8, b.region.key)], remote=a.data, rkey=a.key)
    fault, copy = pager.fault(), pager.fault()
    assert fault.token == copy.token
    pager.serve(fault)
    pager.serve(copy)
    assert b.sent()["status"] == x.WC_OK
    paging = host.stats()["paging"]
    assert paging == {"enabled": True, "page_faults": 0, "queued": 0,
                      "parked_bytes": 0, "late": 0, "lost": 0, "twice": 0,
                      "answer_lost": 0}


def test_range_is_fenced_under_load(host, pager, link):
    """After the reply to INVALIDATE_RANGE, not one byte of the old page changes."""
    a, b = link
    other = host.alloc(4096)
    rng = random.Random(5)
    fill(host, a.data, SIZE)
    b.region.map_all()
    for round_ in range(50):
        page = rng.randrange(16)
        for _ in range(4):
            a.send(x.WRITE, [(a.data, SIZE, a.key)], remote=0,
                   rkey=b.region.key)
        old = b.region.page(4096 * page)
        b.region.unmap(4096 * page)
        kept = bytes([round_]) * 4096
        host.put(old, kept)
        time.sleep(0.001)
        assert host.get(old, 4096) == kept
        done = [pager.serve_until(completed(a))[0]["status"]
                for _ in range(4)]
        assert done == [0] * 4
    assert host.get(other, 4096) == bytes(4096)


def test_the_right_to_write_is_taken_away(host, pager, link):
    """A page that is write-protected behind a fence serves reads, and a write of it
    waits."""
    a, b = link
    fill(host, a.data, SIZE)
    b.region.map_all()
    a.send(x.WRITE, [(a.data, 4096, a.key)], remote=0, rkey=b.region.key)
    assert a.sent()["status"] == x.WC_OK
    b.region.map(0, write=False)
    b.region.fence(0, 4096)
    a.send(x.READ, [(a.data, 4096, a.key)], remote=0, rkey=b.region.key)
    assert a.sent()["status"] == x.WC_OK
    a.send(x.WRITE, [(a.data, 4096, a.key)], remote=0, rkey=b.region.key)
    fault = pager.fault()
    assert fault.write and fault.pos == 0
    pager.serve(fault)
    assert a.sent()["status"] == x.WC_OK


def test_invalidate_ends_page_faults(host, pager, link):
    """INVALIDATE of the region ends the wait, and the access is refused."""
    a, b = link
    a.send(x.WRITE, [(a.data, 8, a.key)], remote=0, rkey=b.region.key)
    fault = pager.fault()
    assert host.invalidate(b.region.key) == [0]
    assert a.sent()["status"] == x.WC_REM_ACCESS
    assert host.eqs[0].find(x.FAULT)[1] == x.KEY_INVALID
    pager.answer(fault.token)
    assert host.stats()["paging"]["page_faults"] == 0


def test_region_beyond_its_root(host, pager, link):
    """A region of 2^64 - 1 bytes, as an implicit one: positions are addresses, and what
    the root cannot map is refused."""
    a, b = link
    everything = pager.region(4096, length=(1 << 64) - 1)
    a.send(x.WRITE, [(a.data, 8, a.key)], remote=0x10, rkey=everything.key)
    fault = pager.fault()
    assert fault.pos == 0x10
    pager.serve(fault)
    assert a.sent()["status"] == x.WC_OK
    a.send(x.WRITE, [(a.data, 8, a.key)], remote=1 << 30, rkey=everything.key)
    assert a.sent()["status"] == x.WC_REM_ACCESS
    pager.quiet(0.01)
    assert b.query()[0] == x.Q_ERR


def test_misuse_is_a_host_error(host, pager, link):
    """Answers to nothing, unknown outcomes, an index too far ahead, and a second
    ENABLE_ODP."""
    a, b = link
    a.send(x.WRITE, [(a.data, 8, a.key)], remote=0, rkey=b.region.key)
    fault = pager.fault()
    pager.answer(fault.token ^ 1)
    pager.answer(fault.token, 3)
    host.write(paged.RESUME_DB, pager.answers + 513)
    assert host.try_command(paged.ENABLE_ODP, paged.enable_body(pager.ring))[
        0] == x.BAD_STATE
    pager.serve(fault)
    assert a.sent()["status"] == x.WC_OK
    host.expected = {"RESUME_ENTRY": 2, "RESUME_INDEX": 1, "CMD_STATE": 1}


def test_paged_before_enable(host):
    """A paged key entry before ENABLE_ODP is a host error, and so is the doorbell."""
    a, b = x.pair(host)
    region = paged.Region(host, 4096)
    a.send(x.SEND, [(0, 8, region.key)])
    assert a.sent()["status"] == x.WC_LOC_PROT
    host.write(paged.RESUME_DB, 1)
    host.expected = {"MPT_PAGED": 1, "REG_ILLEGAL": 1}
    assert b.query()[0] == x.Q_RTS


def test_reset_ends_page_faults(host, pager, link):
    """A reset while accesses wait; the device starts again without paging."""
    a, b = link
    a.send(x.WRITE, [(a.data, SIZE, a.key)], remote=0, rkey=b.region.key)
    assert pager.fault()
    host.write(x.CTRL, x.RESET)
    assert host.read(x.STATUS) == x.READY
    paging = host.stats()["paging"]
    assert not paging["enabled"] and paging["page_faults"] == 0
    host.forget()
    host.start()
    assert paged.Pager(host)


def test_waiting_queue_pair_does_not_spin(host, pager, link):
    """The device sleeps while a send queue waits."""
    a, b = link
    b.send(x.WRITE, [(0, 8, b.region.key)], remote=a.data, rkey=a.key)
    fault = pager.fault()
    time.sleep(0.05)
    assert host.stats()["device"]["active_qps"] == 0
    # a later send needs a doorbell, and does not overtake
    b.send(x.WRITE, [(0, 8, b.region.key)], remote=a.data, rkey=a.key)
    assert b.sent(0.02) is None
    pager.serve(fault)
    assert [b.sent()["status"] for _ in range(2)] == [0, 0]

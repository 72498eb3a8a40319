# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of RDMA through the device's sockets: data, protection, bad queues."""

import random
import time

import pytest

import vfu_client as vfu
import xrdma_driver as x

SIZE = 1 << 20


@pytest.fixture(params=[True, False], ids=["shadow", "doorbell"])
def shadow(request):
    """Each test runs with shadow doorbells and without."""
    return request.param


@pytest.fixture
def link(host):
    """Two connected queue pairs, each with a buffer and its key."""
    a, b = x.pair(host)
    for qp in (a, b):
        qp.data = host.alloc(SIZE)
        qp.key = host.register(qp.data, SIZE)
    return a, b


def fill(host, addr, size, seed=1):
    """Fill memory with random bytes and return them."""
    data = random.Random(seed).randbytes(size)
    host.put(addr, data)
    return data


@pytest.mark.parametrize("size", [1, 3, 4095, 4096, 4097, 65536, SIZE])
def test_write_and_read_move_bytes(host, link, size):
    """WRITE and READ copy bytes and change no bytes around them."""
    a, b = link
    data = fill(host, a.data, size)
    host.put(b.data, b"\x11" * SIZE)
    a.send(x.WRITE, [(a.data, size, a.key)], remote=b.data, rkey=b.key,
           wr_id=7)
    done = a.sent()
    assert (done["status"], done["wr_id"], done["opcode"]) == (0, 7, x.WRITE)
    assert done["flags"] == x.C_SEND and done["qpn"] == a.number
    assert host.get(b.data, size) == data
    assert host.get(b.data + size, SIZE - size) == b"\x11" * (SIZE - size)
    host.put(a.data, bytes(SIZE))
    a.send(x.READ, [(a.data, size, a.key)], remote=b.data, rkey=b.key)
    done = a.sent()
    assert (done["status"], done["byte_len"]) == (0, size)
    assert host.get(a.data, size) == data


def test_send_scatters(host, link):
    """A SEND from three SGEs arrives in three SGEs."""
    a, b = link
    data = fill(host, a.data, 10000)
    b.receive([(b.data, 1, b.key), (b.data + 100, 0, 0),
               (b.data + 4096, 20000, b.key)], wr_id=3)
    a.send(x.SEND_IMM, [(a.data, 4000, a.key), (a.data + 4000, 1, a.key),
                        (a.data + 4001, 5999, a.key)], imm=0x44332211)
    assert a.sent()["status"] == x.WC_OK
    done = b.received()
    assert (done["status"], done["byte_len"], done["wr_id"]) == (0, 10000, 3)
    assert (done["imm"], done["flags"]) == (0x44332211, x.C_IMM)
    assert host.get(b.data, 1) == data[:1]
    assert host.get(b.data + 4096, 9999) == data[1:]


def test_inline_and_empty(host, link):
    """SENDs with inline data and without data arrive."""
    a, b = link
    b.receive([(b.data, 64, b.key)])
    b.receive()
    a.send(x.SEND, inline=b"hello, world")
    a.send(x.SEND)
    assert [a.sent()["status"] for _ in range(2)] == [0, 0]
    assert [b.received()["byte_len"] for _ in range(2)] == [12, 0]
    assert host.get(b.data, 12) == b"hello, world"


def test_atomics(host, link):
    """An atomic returns the old value and stores the new one."""
    a, b = link
    host.put64(b.data, 40)
    add = (2).to_bytes(8, "little") + bytes(8)
    a.send(x.FETCH_ADD, [(a.data, 8, a.key)], remote=b.data, rkey=b.key,
           extra=add)
    swap = (7).to_bytes(8, "little") + (42).to_bytes(8, "little")
    a.send(x.CMP_SWAP, [(a.data + 8, 8, a.key)], remote=b.data, rkey=b.key,
           extra=swap)
    assert [a.sent()["status"] for _ in range(2)] == [0, 0]
    assert host.get(a.data, 16) == bytes([40] + [0] * 7 + [42] + [0] * 7)
    assert host.get(b.data, 8) == bytes([7] + [0] * 7)


def refused(host, qp, status, reason, **send):
    """Check that the send fails with a status, and has a fault record."""
    qp.send(**send)
    done = qp.sent()
    assert done["status"] == status
    record = host.eqs[0].find(x.FAULT)
    assert record[1] == reason
    return record


def test_one_byte_past_the_end(host, link):
    """A WRITE beyond the end of a region writes no byte."""
    a, b = link
    record = refused(host, a, x.WC_REM_ACCESS, x.F_RANGE, opcode=x.WRITE,
                     sges=[(a.data, 16, a.key)], remote=b.data + SIZE - 15,
                     rkey=b.key)
    assert record[2:6] == (x.WRITE, 3, b.number, b.key)
    assert record[7] == b.data + SIZE - 15
    assert host.get(b.data + SIZE - 15, 15) == bytes(15)


@pytest.mark.parametrize("opcode,right", [
    (x.WRITE, x.REMOTE_WRITE), (x.READ, x.REMOTE_READ)])
def test_a_right_that_is_missing(host, link, opcode, right):
    """An operation without its right is refused, with all other rights."""
    a, b = link
    key = host.register(b.data, 4096, x.ALL_RIGHTS & ~right)
    refused(host, a, x.WC_REM_ACCESS, x.F_RIGHTS, opcode=opcode,
            sges=[(a.data, 16, a.key)], remote=b.data, rkey=key)


def test_a_foreign_pd(host, link):
    """A key of another protection domain is refused."""
    a, b = link
    key = host.register(b.data, 4096, pd=2)
    refused(host, a, x.WC_REM_ACCESS, x.F_PD, opcode=x.WRITE,
            sges=[(a.data, 16, a.key)], remote=b.data, rkey=key)


def test_a_wrong_local_key_byte(host, link):
    """A wrong byte of a local key: local error."""
    a, b = link
    refused(host, a, x.WC_LOC_PROT, x.KEY_BYTE, opcode=x.WRITE,
            sges=[(a.data, 16, a.key ^ 1)], remote=b.data, rkey=b.key)


def test_a_wrong_remote_key_byte(host, link):
    """A wrong byte of a remote key: remote error."""
    a, b = link
    refused(host, a, x.WC_REM_ACCESS, x.KEY_BYTE, opcode=x.WRITE,
            sges=[(a.data, 16, a.key)], remote=b.data, rkey=b.key ^ 1)


def test_access_after_invalidate(host, link):
    """After the reply to INVALIDATE the key grants no access."""
    a, b = link
    a.send(x.WRITE, [(a.data, 64, a.key)], remote=b.data, rkey=b.key)
    assert a.sent()["status"] == x.WC_OK
    assert host.invalidate(b.key) == [0]
    refused(host, a, x.WC_REM_ACCESS, x.KEY_INVALID, opcode=x.WRITE,
            sges=[(a.data, 64, a.key)], remote=b.data, rkey=b.key)


def test_invalidate_is_a_fence_under_load(host, link):
    """After the reply to INVALIDATE running WRITEs do not change memory."""
    a, b = link
    for round_ in range(20):
        host.put(a.data, bytes([round_ + 1]) * SIZE)
        key = host.register(b.data, SIZE)
        for _ in range(8):
            a.put_send(x.WRITE, [(a.data, SIZE, a.key)], remote=b.data,
                       rkey=key)
        a.ring()
        time.sleep(0.0002 * round_)
        host.invalidate(key)
        before = host.get(b.data, SIZE)
        time.sleep(0.005)
        assert host.get(b.data, SIZE) == before
        for _ in range(8):
            assert a.sent()["status"] in (x.WC_OK, x.WC_REM_ACCESS,
                                          x.WC_FLUSH)
        for qp in (a, b):
            qp.modify(1, state=x.Q_RESET)
            host.put(qp.record, bytes(128))
            qp.sq_pi = 0
        a.connect(b)
        b.connect(a)
        while host.eqs[0].poll(0.001):
            pass


def test_registration_needs_no_command(host, link):
    """A region is published by a store to the key table, without a command."""
    a, b = link
    before = host.stats()["device"]["counters"]["commands"]
    for i in range(100):
        key = host.register(b.data, 4096 * (i + 1))
        a.send(x.WRITE, [(a.data, 4096 * (i + 1), a.key)], remote=b.data,
               rkey=key)
        assert a.sent()["status"] == x.WC_OK
    assert host.stats()["device"]["counters"]["commands"] == before


def test_work_queues_that_lie(host, link):
    """Malformed indexes and entries of a user affect only their queue pair."""
    a, b = link
    host.put32(a.record, 1000)
    host.doorbell(a.number, 1000, a.page)
    event = host.eqs[0].find(x.QP_FATAL)
    assert event[4] == a.number
    assert a.query()[0] == x.Q_ERR
    assert b.query()[0] == x.Q_RTS
    host.doorbell(a.number, 0, 2)
    host.doorbell(12345, 0, 3)
    device = host.stats()["device"]
    assert (device["user_errors"], device["db_errors"]) == (1, 2)


def test_random_garbage_in_the_rings(host):
    """Random rings cause no crash, no host error and no write outside."""
    rnd = random.Random(7)
    guard = host.alloc(65536)
    fill(host, guard, 65536)
    before = host.get(guard, 65536)
    for i in range(60):
        a, b = x.pair(host, first=16 + 8 * i, timeout=8, retry_cnt=1,
                      rnr_retry=1)
        for qp in (a, b):
            host.put(qp.sq, rnd.randbytes(x.SQ_BYTES))
            host.put(qp.rq, rnd.randbytes(x.RQ_BYTES))
            for place in range(0, x.SQ_BYTES, 2 * x.UNIT):
                host.put(qp.sq + place, bytes([
                    rnd.randrange(15), 16 | rnd.randrange(16),
                    rnd.randrange(8), 0]))
            host.put32(qp.record + 4, rnd.choice([1, 16, 17, 0xFFFFFFFF]))
            index = rnd.choice([1, 8, 16])
            host.put32(qp.record, index)
            host.doorbell(qp.number, index, qp.page)
        if i % 3 == 0:
            index = rnd.getrandbits(32)
            host.put32(a.record, index)
            host.put32(a.send_cq.record, rnd.getrandbits(32))
            host.doorbell(a.number, index, a.page)
        a.query()
        for qp in (a, b):
            host.object_command(x.DESTROY_QP, qp.number)
        while host.eqs[0].poll(0):
            pass
    assert host.get(guard, 65536) == before


def test_cq_overflow_hits_its_owner_only(host, link):
    """A CQ overflow raises CQ_ERR and moves only the CQ's queue pairs to ERR."""
    a, b = link
    other, peer = x.pair(host, first=32)
    for _ in range(5):
        for _ in range(16):
            a.put_send(x.WRITE, remote=b.data, rkey=b.key)
        a.ring()
        time.sleep(0.02)
    event = host.eqs[0].find(x.CQ_ERR)
    assert event[4] == a.send_cq.number
    assert a.query()[0] == x.Q_ERR
    other.send(x.WRITE, remote=b.data, rkey=b.key)
    assert other.sent()["status"] == x.WC_OK
    assert peer.query()[0] == x.Q_RTS


def test_completion_event(host, link):
    """An armed CQ raises one interrupt and one event for each arming."""
    a, b = link
    for _ in range(10):
        host.eqs[1].arm()
        a.send_cq.arm()
        a.send(x.WRITE, [(a.data, 8, a.key)], remote=b.data, rkey=b.key)
        assert host.irqs[1].wait() == 1
        event = host.eqs[1].poll()
        assert (event[0], event[4]) == (x.CQ_COMP, a.send_cq.number)
        assert a.sent()["status"] == x.WC_OK
        a.send(x.WRITE, [(a.data, 8, a.key)], remote=b.data, rkey=b.key)
        assert a.sent()["status"] == x.WC_OK
        assert host.irqs[1].wait(0.01) == 0


def test_receives_posted_in_error_are_flushed(host, link):
    """Receives posted in ERR are flushed within 100 ms, without a doorbell."""
    a, _ = link
    a.modify(1, state=x.Q_ERR)
    for i in range(5):
        a.receive([(a.data, 8, a.key)], wr_id=i)
        done = a.received(0.5)
        assert (done["status"], done["wr_id"]) == (x.WC_FLUSH, i)
        time.sleep(0.1)


def test_a_scattered_buffer(host, link):
    """A region of pages in random order, with a table of one level."""
    a, b = link
    pages = [host.alloc(4096) for _ in range(64)]
    random.Random(3).shuffle(pages)
    table = host.alloc(4096)
    for i, page in enumerate(pages):
        host.put64(table + 8 * i, page | 3)
    index = host.next_key
    host.next_key += 1
    iova = 0x7F0000000123
    length = 64 * 4096 - 0x200
    at = host.mpt + index * 64
    host.put(at, x.MPT.pack(0, iova, length, x.root(table, 1, 12), 0x123, 0,
                            0, 0, 0, 0))
    host.put64(at, 0x42 | 2 << 8 | x.ALL_RIGHTS << 16 | 1 << 32)
    key = index << 8 | 0x42
    data = fill(host, a.data, length)
    a.send(x.WRITE, [(a.data, length, a.key)], remote=iova, rkey=key)
    assert a.sent()["status"] == x.WC_OK
    whole = b"".join(host.get(page, 4096) for page in pages)
    assert whole[0x123:0x123 + length] == data
    host.put64(table + 8 * 5, 0)
    host.invalidate(key)
    host.put64(at, 0x42 | 2 << 8 | x.ALL_RIGHTS << 16 | 1 << 32)
    a.send(x.WRITE, [(a.data, length, a.key)], remote=iova, rkey=key)
    assert a.sent()["status"] in (x.WC_REM_ACCESS, x.WC_REM_OP)
    host.expected = {"MTT_MISSING": 1}


def test_memory_is_read_only_for_the_device(host, link):
    """The device does not write to a read-only DMA mapping."""
    a, b = link
    extra = vfu.GuestMemory(0x10000)
    host.client.dma_map(extra, 0x10000000, rights=vfu.READ)
    key = host.register(0x10000000, 0x10000)
    a.send(x.READ, [(a.data, 64, a.key)], remote=0x10000000, rkey=key)
    assert a.sent()["status"] == x.WC_OK
    a.send(x.WRITE, [(a.data, 64, a.key)], remote=0x10000000, rkey=key)
    assert a.sent()["status"] in (x.WC_REM_ACCESS, x.WC_REM_OP)
    assert extra[0:64] == bytes(64)
    host.client.dma_unmap(0x10000000, 0x10000)
    extra.close()
    host.expected = {"DMA_ACCESS": 1}

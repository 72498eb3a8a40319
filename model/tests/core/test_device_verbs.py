# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests through the sockets of the device: resized and moderated completion
queues, FLUSH and ATOMIC_WRITE, flow rules, counter sets."""

import struct
import time

import pytest

import xrdma_driver as x

SIZE = 65536
RIGHTS = x.ALL_RIGHTS | x.FLUSH_GLOBAL | x.FLUSH_PERSISTENT


@pytest.fixture(params=[True, False], ids=["shadow", "doorbell"])
def shadow(request):
    """Each test runs with shadow doorbells and without."""
    return request.param


@pytest.fixture
def link(host):
    """Two connected queue pairs with FLUSH rights, and a buffer for each."""
    rights = RIGHTS & ~x.LOCAL_WRITE
    a, b = x.pair(host, access=rights)
    for qp in (a, b):
        qp.data = host.alloc(SIZE)
        qp.key = host.register(qp.data, SIZE, access=RIGHTS)
    return a, b


def write(link, wr_id):
    """Execute one small WRITE."""
    a, b = link
    a.send(x.WRITE, [(a.data, 8, a.key)], remote=b.data, rkey=b.key,
           wr_id=wr_id)


def mark_copied(host, ring, i):
    """Give the place of entry i in a new ring the phase of the lap, as if the entry had
    been copied there."""
    slot = i & ((1 << ring.log) - 1)
    host.put32(ring.addr + slot * 64 + 60, ~(i >> ring.log) & 1)


def resize(host, cq, log):
    """Run RESIZE_CQ; return the new ring."""
    new = x.Ring(host, log, x.CQE)
    for i in range(cq.ci, cq.ci + (1 << log)):
        slot = i & ((1 << log) - 1)
        host.put32(new.addr + slot * 64 + 60, i >> log & 1)
    host.put32(new.record, cq.ci)
    host.put32(new.record + 4, host.get32(cq.record + 4))
    reply = host.command(x.RESIZE_CQ, struct.pack(
        "<QIIIB3s", new.root(), cq.number, 0, 0, log, bytes(3)))
    return new, struct.unpack_from("<I", reply)[0]


def test_a_queue_is_resized_in_use(host, link):
    """Entries before the reply's index are in the old ring, others in the new."""
    cq = link[0].send_cq
    sent = 0
    for log in (4, 8, 5, 7):
        for i in range(5):
            write(link, sent + i)
        while link[0].query()[1] < sent + 5:
            time.sleep(0.001)
        new, index = resize(host, cq, log)
        assert index == sent + 5
        for i in range(sent, index):
            assert cq.completion()["wr_id"] == i
            mark_copied(host, new, i)
        cq.addr, cq.record, cq.log = new.addr, new.record, new.log
        host.put32(cq.record, cq.ci)
        sent += 5
        for i in range(40):
            write(link, sent)
            assert cq.completion()["wr_id"] == sent
            sent += 1


def test_events_are_moderated(host, link):
    """An event is raised after the third entry, or after the moderation time."""
    cq, eq = link[0].send_cq, host.eqs[1]
    host.command(x.MODIFY_CQ, struct.pack("<IHH", cq.number, 3, 0))
    cq.arm()
    for i in range(2):
        write(link, i)
        assert cq.completion()["wr_id"] == i
    assert eq.find(x.CQ_COMP, 0.05) is None
    write(link, 2)
    assert eq.find(x.CQ_COMP)[4] == cq.number
    host.command(x.MODIFY_CQ, struct.pack("<IHH", cq.number, 99, 30000))
    cq.arm()
    start = time.monotonic()
    write(link, 3)
    assert eq.find(x.CQ_COMP)[4] == cq.number
    assert time.monotonic() - start >= 0.03


def test_flush_and_atomic_write(host, link):
    """Both operations complete, and the 8 bytes are in memory."""
    a, b = link
    a.send(x.ATOMIC_WRITE, remote=b.data + 8, rkey=b.key, wr_id=1,
           extra=b"abcdefgh" + bytes(8))
    a.send(x.FLUSH, remote=b.data, rkey=b.key, wr_id=2, imm=16, ext=1)
    a.send(x.FLUSH, rkey=b.key, wr_id=3, ext=0x12)
    for wr_id, opcode in (1, x.ATOMIC_WRITE), (2, x.FLUSH), (3, x.FLUSH):
        done = a.sent()
        assert (done["status"], done["wr_id"], done["opcode"]) == (
            x.WC_OK, wr_id, opcode)
    assert host.get(b.data + 8, 8) == b"abcdefgh"
    a.send(x.ATOMIC_WRITE, remote=b.data + 4, rkey=b.key, wr_id=4,
           extra=bytes(16))
    assert a.sent()["status"] == x.WC_REM_INV


def counters(host, number, count):
    """Return the first counters of a set."""
    addr = host.alloc(count * 8)
    host.command(x.QUERY_STATS, struct.pack("<QII", addr, count, number))
    return struct.unpack(f"<{count}Q", host.get(addr, count * 8))


def test_counter_sets(host, link):
    """A counter set counts for its own queue pair only."""
    a, b = link
    host.command(x.BIND_COUNTER, struct.pack("<II", a.number, 7))
    host.command(x.BIND_COUNTER, struct.pack("<II", b.number, 8))
    before = counters(host, 0, 4)
    for i in range(5):
        write(link, i)
        assert a.sent()["status"] == x.WC_OK
    port = [now - was for now, was in zip(counters(host, 0, 4), before)]
    left, right = counters(host, 7, 4), counters(host, 8, 4)
    assert left[2] == right[0] == 5
    assert left[0] == right[2]
    assert [p + q for p, q in zip(left, right)] == port
    host.command(x.BIND_COUNTER, struct.pack("<II", a.number, 0))
    write(link, 9)
    assert a.sent()["status"] == x.WC_OK
    assert counters(host, 7, 4) == left
    assert counters(host, 8, 4)[0] == 6


DMAC = bytes.fromhex("0150561920a7")


def raw(host, number):
    """Return a raw packet queue pair with a buffer of its own."""
    cqs = [x.CompletionQueue(host, 100 + 2 * number + i) for i in range(2)]
    qp = x.QueuePair(host, number, *cqs, kind=x.RAW)
    for state in (x.Q_INIT, x.Q_RTR, x.Q_RTS):
        qp.modify(1, state=state)
    qp.data = host.alloc(4096)
    qp.key = host.register(qp.data, 4096)
    return qp


def make_rule(host, number, qpn):
    """Create a rule that delivers all frames to DMAC to a queue pair."""
    addr = host.alloc(128)
    host.put(addr, DMAC + bytes(58) + b"\xff" * 6 + bytes(58))
    host.command(x.CREATE_FLOW, struct.pack("<QIIHH", addr, number, qpn, 0, 0))


def send_frame(host, qp, frame):
    """Send one frame and wait for its completion."""
    host.put(qp.data, frame)
    qp.send(x.SEND, [(qp.data, len(frame), qp.key)])
    assert qp.sent()["status"] == x.WC_OK


def test_rules_and_tables(host):
    """Rules deliver frames of the same device to a queue pair and to a table."""
    client, server, other = (raw(host, 50 + i) for i in range(3))
    frame = DMAC + bytes(6) + b"\x08\x00" + bytes(100)
    for qp in (server, other):
        qp.receive([(qp.data, 2048, qp.key)])
    make_rule(host, 5, server.number)
    send_frame(host, client, frame)
    assert server.received()["byte_len"] == len(frame)
    assert host.get(server.data, len(frame)) == frame
    assert host.try_command(x.DESTROY_QP, struct.pack(
        "<I", server.number))[0] == x.BUSY
    host.object_command(x.DESTROY_FLOW, 5)
    table = host.alloc(8)
    host.put(table, struct.pack("<2I", other.number, server.number))
    host.command(x.CREATE_RSS, struct.pack("<QIBB2s40s", table, 99, 3, 1,
                                           bytes(2), bytes(40)))
    make_rule(host, 6, 99)
    send_frame(host, client, frame)
    assert other.received()["byte_len"] == len(frame)
    host.object_command(x.DESTROY_FLOW, 6)
    host.object_command(x.DESTROY_RSS, 99)
    host.object_command(x.DESTROY_QP, server.number)
    host.expected = {"CMD_BUSY": 1}

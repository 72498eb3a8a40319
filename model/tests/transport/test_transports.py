# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of SRQs, datagrams, multicast and XRC through the device's sockets.

Layouts are packed from the specification. The C tests in this folder test the
details.
"""

import struct

import pytest

import xrdma_driver as x

CREATE_SRQ, MODIFY_SRQ, QUERY_SRQ, DESTROY_SRQ = 0x40, 0x41, 0x42, 0x43
ATTACH_MCAST, DETACH_MCAST = 0x50, 0x51
UD, GSI, XRC_INI, XRC_TGT = 2, 3, 4, 5
HAS_SRQ = 4
LAST_WQE, SRQ_LIMIT = 0x15, 0x20
C_GRH, C_SRQ, C_IPV4 = 8, 16, 128
MCAST_QPN = 0xFFFFFF
QKEY, GSI_QKEY = 0x11223344, 0x80010000
GROUP = bytes(10) + b"\xff\xff" + bytes([239, 1, 2, 3])
GROUP_MAC = bytes([1, 0, 0x5E, 1, 2, 3])
LOG = 4


class SharedQueue:
    """A shared receive queue of entries of 64 bytes."""

    def __init__(self, host, number, xrcd=0, cqn=0, limit=0):
        self.host = host
        self.number = number
        self.pi = 0
        self.log = LOG
        self.ring = host.alloc(4096)
        self.record = self.ring + (64 << LOG)
        host.command(CREATE_SRQ, struct.pack(
            "<QIIIIIBBH", x.root(self.ring), number, 1, xrcd, cqn, limit, LOG,
            6, 0))

    def post(self, sges, wr_id):
        """Post one entry."""
        slot = self.pi & ((1 << self.log) - 1)
        data = x.RQ_WQE.pack(len(sges), bytes(6), wr_id)
        data += b"".join(x.SGE.pack(*sge) for sge in sges)
        self.host.put(self.ring + slot * 64, data)
        self.pi += 1
        self.host.put32(self.record, self.pi)

    def consumed(self):
        """Return the consumer index in the record."""
        return self.host.get32(self.record + 64)

    def set_limit(self, limit):
        """Set the limit by MODIFY_SRQ."""
        self.host.command(MODIFY_SRQ, struct.pack(
            "<QIIIB3s", 0, self.number, 1, limit, 0, bytes(3)))

    def resize(self, log):
        """Resize to a ring of another depth, and copy the posted entries."""
        leaf = x.size_log((64 << log) + 128)
        ring = self.host.alloc(1 << leaf, 1 << leaf)
        for i in range(self.consumed(), self.pi):
            data = self.host.get(self.ring + (i % (1 << self.log)) * 64, 64)
            self.host.put(ring + (i % (1 << log)) * 64, data)
        self.record = ring + (64 << log)
        self.host.put32(self.record, self.pi)
        self.host.command(MODIFY_SRQ, struct.pack(
            "<QIIIB3s", x.root(ring, 0, leaf), self.number, 2, 0, log,
            bytes(3)))
        self.ring = ring
        self.log = log

    def query(self):
        """Return the limit and the number of entries consumed."""
        reply = self.host.object_command(QUERY_SRQ, self.number)
        return struct.unpack_from("<II", reply)


class Pair(x.QueuePair):
    """A queue pair without some of the resources of x.QueuePair."""

    # pylint: disable=super-init-not-called, too-many-arguments
    def __init__(self, host, number, kind, send_cq, recv_cq, srqn=None,
                 xrcd=0):
        self.driver = host
        self.number = number
        self.send_cq = send_cq
        self.recv_cq = recv_cq
        self.sq_pi = 0
        self.rq_pi = 0
        sq = (x.WQ_LOG, x.SQ_UNITS) if send_cq else (0, 0)
        has_rq = recv_cq and srqn is None
        rq = (x.WQ_LOG, x.STRIDE_LOG) if has_rq else (0, 0)
        leaf = x.size_log(x.RQ_BYTES + x.SQ_BYTES + 128)
        self.rq = host.alloc(1 << leaf, 1 << leaf) if send_cq else 0
        self.sq = self.rq + (x.RQ_BYTES if has_rq else 0)
        self.record = self.sq + x.SQ_BYTES
        host.command(x.CREATE_QP, struct.pack(
            "<QIIIIIII6B6s", x.root(self.rq, 0, leaf) if send_cq else 0,
            number, 1 if send_cq else 0, send_cq.number if send_cq else 0,
            recv_cq.number if recv_cq else 0, srqn or 0, xrcd,
            self.page if send_cq else 0, kind,
            0 if srqn is None else HAS_SRQ, *sq, *rq, bytes(6)))

    def start_datagrams(self, qkey=QKEY):
        """Move a datagram queue pair from RESET to RTS."""
        self.modify(0x2101, state=x.Q_INIT, qkey=qkey)
        self.modify(0x0001, state=x.Q_RTR)
        self.modify(0x0401, state=x.Q_RTS, sq_psn=5)

    def send_to(self, av, dqpn, sges, wr_id=0, qkey=QKEY):
        """Post a datagram and ring the doorbell."""
        self.send(x.SEND, sges, wr_id=wr_id, remote=dqpn | qkey << 32,
                  extra=av)


@pytest.fixture(params=[True, False], ids=["shadow", "doorbell"])
def shadow(request):
    """Each test runs with shadow doorbells and without."""
    return request.param


@pytest.fixture
def buffer(host):
    """Return a buffer of 64 KiB and its key."""
    addr = host.alloc(65536)
    return addr, host.register(addr, 65536)


def queues(host, count, first=16):
    """Return completion queues."""
    return [x.CompletionQueue(host, first + i) for i in range(count)]


def test_srq_of_two_connections(host, buffer):
    """Two queue pairs take entries in order; limit, resize, BUSY."""
    addr, key = buffer
    cqs = queues(host, 8)
    srq = SharedQueue(host, 9)
    a = [Pair(host, 16 + i, x.RC, cqs[i], cqs[2 + i]) for i in range(2)]
    b = [Pair(host, 20 + i, x.RC, cqs[4 + i], cqs[6 + i], srqn=9)
         for i in range(2)]
    for i in range(2):
        a[i].connect(b[i])
        b[i].connect(a[i])
    for i in range(6):
        srq.post([(addr + 4096 * (i + 1), 4096, key)], 100 + i)
    srq.set_limit(5)
    for i in range(3):
        host.put(addr, bytes([i]) * 100)
        a[i & 1].send(x.SEND, [(addr, 100, key)])
        assert a[i & 1].sent()["status"] == x.WC_OK
        done = b[i & 1].received()
        assert (done["wr_id"], done["flags"]) == (100 + i, C_SRQ)
        assert host.get(addr + 4096 * (i + 1), 100) == bytes([i]) * 100
    assert host.eqs[0].find(SRQ_LIMIT)[4] == 9
    assert srq.query() == (0, 3) and srq.consumed() == 3
    srq.resize(LOG + 2)
    for i in range(6, 40):
        srq.post([(addr + 4096, 4096, key)], 100 + i)
    for i in range(3, 40):
        a[i & 1].send(x.SEND, [(addr, 100, key)])
        assert b[i & 1].received()["wr_id"] == 100 + i
        assert a[i & 1].sent()["status"] == x.WC_OK
    number = struct.pack("<I", 9)
    assert host.try_command(DESTROY_SRQ, number)[0] == x.BUSY
    b[0].modify(1, state=x.Q_ERR)
    event = host.eqs[0].find(LAST_WQE)
    assert event and event[4] == b[0].number
    for qp in b:
        host.object_command(x.DESTROY_QP, qp.number)
    host.object_command(DESTROY_SRQ, 9)
    host.expected = {"CMD_BUSY": 1}


def test_datagrams_and_the_gsi(host, buffer):
    """Datagrams to a queue pair and to the GSI arrive with their GRH."""
    addr, key = buffer
    cqs = queues(host, 4)
    ud = Pair(host, 16, UD, cqs[0], cqs[1])
    gsi = Pair(host, 1, GSI, cqs[2], cqs[3])
    # bit 31: an entry cannot have such a Q_Key, the QP's own is used
    ud.start_datagrams(GSI_QKEY)
    gsi.start_datagrams(GSI_QKEY)
    av = x.AV.pack(x.gid_of(1), host.mac(), 0, 0, 0, 64, 0, 0)
    data = bytes(range(200))
    host.put(addr, data)
    ud.receive([(addr + 4096, 4096, key)], wr_id=5)
    gsi.receive([(addr + 8192, 40, key), (addr + 12288, 4096, key)], wr_id=6)
    ud.send_to(av, 1, [(addr, 200, key)], qkey=GSI_QKEY)
    ud.send_to(av, 16, [(addr, 100, key)], qkey=1 << 31)
    for _ in range(2):
        assert ud.sent()["status"] == x.WC_OK
    done = gsi.received()
    assert (done["wr_id"], done["byte_len"], done["src_qpn"]) == (6, 240, 16)
    assert done["flags"] == C_GRH | C_IPV4
    assert host.get(addr + 12288, 200) == data
    assert host.get(addr + 8192 + 20, 1) == b"\x45"
    done = ud.received()
    assert (done["wr_id"], done["byte_len"]) == (5, 140)
    assert host.get(addr + 4096 + 40, 100) == data[:100]
    # the queue pair does not have this Q_Key any more
    ud.modify(0x0100, qkey=QKEY)
    gsi.receive([(addr + 8192, 4096, key)])
    ud.send_to(av, 1, [(addr, 200, key)], qkey=GSI_QKEY)
    assert ud.sent()["status"] == x.WC_OK
    assert gsi.received(0.1) is None
    # a datagram that is longer than the port allows
    ud.send_to(av, 1, [(addr, 5000, key)], wr_id=9)
    assert ud.sent()["status"] == x.WC_LOC_LEN
    assert ud.query()[0] == x.Q_SQE


def test_multicast(host, buffer):
    """All members but the sender get a copy. A second attach is refused, but is
    no host error: a process can cause it, by another LID."""
    addr, key = buffer
    cqs = queues(host, 6)
    qps = [Pair(host, 16 + i, UD, cqs[2 * i], cqs[2 * i + 1])
           for i in range(3)]
    for qp in qps:
        qp.start_datagrams()
        qp.receive([(addr + 4096, 4096, key)], wr_id=qp.number)
        host.command(ATTACH_MCAST, struct.pack("<II16s", qp.number, 0, GROUP))
    av = x.AV.pack(GROUP, GROUP_MAC, 0, 0, 0, 1, 0, 0)
    qps[0].send_to(av, MCAST_QPN, [(addr, 64, key)])
    for qp in qps[1:]:
        assert qp.received()["wr_id"] == qp.number
    assert qps[0].received(0.1) is None
    body = struct.pack("<II16s", 16, 0, GROUP)
    assert host.try_command(ATTACH_MCAST, body)[0] == x.BAD_NUMBER
    assert host.try_command(x.DESTROY_QP, body[:4])[0] == x.BUSY
    host.command(DETACH_MCAST, body)
    assert host.try_command(DETACH_MCAST, body)[0] == x.BAD_NUMBER
    host.object_command(x.DESTROY_QP, 16)
    host.expected = {"CMD_NUMBER": 1, "CMD_BUSY": 1}


def test_xrc(host, buffer):
    """A request names an SRQ, whose CQ and protection domain are used."""
    addr, key = buffer
    cqs = queues(host, 3)
    for i in range(2):
        SharedQueue(host, 9 + i, xrcd=4, cqn=cqs[1 + i].number).post(
            [(addr + 4096, 4096, key)], 50 + i)
    ini = Pair(host, 16, XRC_INI, cqs[0], None)
    tgt = Pair(host, 17, XRC_TGT, None, None, xrcd=4)
    av = x.AV.pack(x.gid_of(1), host.mac(), 0, 0, 0, 64, 0, 0)
    for qp, peer in ((ini, 17), (tgt, 16)):
        qp.modify(0x3001, state=x.Q_INIT, access=14)
    ini.modify(0x8A03, state=x.Q_RTR, path_mtu=5, dest_qpn=17, rq_psn=1, av=av)
    tgt.modify(0x8AA3, state=x.Q_RTR, path_mtu=5, dest_qpn=16, rq_psn=1,
               max_dest_rd_atomic=16, min_rnr_timer=1, av=av)
    ini.modify(0x045D, state=x.Q_RTS, timeout=10, retry_cnt=7, rnr_retry=7,
               sq_psn=1, max_rd_atomic=16)
    tgt.modify(0x0411, state=x.Q_RTS, timeout=10, sq_psn=1)

    def send(srqn):
        entry = ini.put_send(x.SEND, [(addr, 300, key)])
        host.put32(entry + 20, srqn)
        ini.ring()

    for i in (1, 0):
        send(9 + i)
        assert ini.sent()["status"] == x.WC_OK
        done = cqs[1 + i].completion()
        assert (done["wr_id"], done["qpn"]) == (50 + i, 17)
        assert done["flags"] == C_SRQ
    send(11)
    assert ini.sent()["status"] == x.WC_REM_INV
    assert tgt.query()[0] == x.Q_ERR
    event = host.eqs[0].find(LAST_WQE)
    assert event and event[4] == 17

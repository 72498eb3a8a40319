# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Raw packets of processes: which queue gets a frame by the flow rules, and work
queues that share the frames of a rule. Runs in a guest."""

import ipaddress
import struct
import time

import pytest
import pyverbs.enums as e
from pyverbs.cq import CQ
from pyverbs.flow import Flow, FlowAttr
from pyverbs.mr import MR
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QP, QPAttr, QPCap, QPEx, QPInitAttr, QPInitAttrEx
from pyverbs.spec import EthSpec, Ipv4ExtSpec, Ipv6Spec, TcpUdpSpec
from pyverbs.wq import (WQ, RwqIndTable, RwqIndTableInitAttr, RxHashConf, WQAttr,
                        WQInitAttr)
from pyverbs.wr import SGE, RecvWR, SendWR

from labverbs.rc import ALL, Buffer

DMAC, SMAC, GROUP = "02:aa:00:00:00:01", "02:aa:00:00:00:02", "01:00:5e:00:00:07"
DEPTH, ROOM = 64, 256
# Seconds without a frame after which no frame is expected any more
QUIET = 0.3
KEY = bytes(range(7, 47))


# ---- frames ---------------------------------------------------------------------

def mac(text):
    return bytes.fromhex(text.replace(":", ""))


def frame(dmac=DMAC, smac=SMAC, src="10.7.0.1", dst="10.7.0.2", proto=17, sport=1000,
          dport=2000, tos=0, ttl=9, mark=0):
    """A frame with IPv4 or IPv6 like @src, ports, and a payload that contains @mark. The
    frame is long enough that it is not padded."""
    source, target = map(ipaddress.ip_address, (src, dst))
    ports = struct.pack(">HHHHI16x", sport, dport, 28, 0, mark)
    if source.version == 4:
        kind, head = 0x800, struct.pack(">BBHIBBH", 0x45, tos, 20 + len(ports), 0,
                                        ttl, proto, 0)
    else:
        kind, head = 0x86dd, struct.pack(">IHBB", 6 << 28 | tos << 20, len(ports),
                                         proto, ttl)
    return (mac(dmac) + mac(smac) + struct.pack(">H", kind) + head +
            source.packed + target.packed + ports)


class Raw:
    """A raw packet queue pair that sends and receives."""

    def __init__(self, dev, pd):
        self.cq = CQ(dev.ctx, 2 * DEPTH)
        self.buf = Buffer((2 * DEPTH * ROOM, False))
        self.mr = MR(pd, self.buf.length, ALL, address=self.buf.address)
        self.qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RAW_PACKET, scq=self.cq,
                                    rcq=self.cq, cap=QPCap(DEPTH, DEPTH, 1, 1),
                                    sq_sig_all=1))
        attr = QPAttr(port_num=1)
        self.qp.to_init(attr)
        self.qp.to_rtr(attr)
        self.qp.to_rts(attr)
        for slot in range(DEPTH):
            self.post_recv(slot)

    def post_recv(self, slot):
        self.qp.post_recv(RecvWR(wr_id=slot, num_sge=1, sg=[
            SGE(self.buf.address + slot * ROOM, ROOM, self.mr.lkey)]))

    def send(self, data):
        at = DEPTH * ROOM
        self.buf.view[at:at + len(data)] = data
        self.qp.post_send(SendWR(wr_id=DEPTH, num_sge=1, sg=[
            SGE(self.buf.address + at, len(data), self.mr.lkey)]))
        until = time.monotonic() + 20
        while True:
            _, wcs = self.cq.poll(1)
            if wcs:
                assert wcs[0].status == e.IBV_WC_SUCCESS
                return
            assert time.monotonic() < until

    def frames(self, count, timeout=10):
        """Receives @count frames, or fewer if they do not come in time."""
        got, until = [], time.monotonic() + timeout
        while len(got) < count and time.monotonic() < until:
            for wc in self.cq.poll(DEPTH)[1] or []:
                assert wc.status == e.IBV_WC_SUCCESS
                at = wc.wr_id * ROOM
                got.append(bytes(self.buf.view[at:at + wc.byte_len]))
                self.post_recv(wc.wr_id)
        return got

    def close(self):
        self.qp.close()
        self.mr.close()
        self.cq.close()


@pytest.fixture
def raw(dev, pd):
    made = []

    def make():
        made.append(Raw(dev, pd))
        return made[-1]
    yield make
    for item in made:
        item.close()


def rule(end, *specs, **attr):
    flow = FlowAttr(num_of_specs=len(specs), **attr)
    flow.specs.extend(specs)
    return Flow(end if isinstance(end, (QP, QPEx)) else end.qp, flow)


def errno_of(call, *args, **more):
    with pytest.raises(PyverbsRDMAError) as err:
        call(*args, **more)
    return err.value.error_code


# ---- rules -----------------------------------------------------------------------

IPV6 = {"src": "fd00::1", "dst": "fd00::2"}
ANY_SOURCE = {"src_ip": "::", "src_ip_mask": "::"}


@pytest.mark.parametrize("spec,match,other", [
    (lambda: EthSpec(dst_mac=DMAC), {}, {"dmac": "02:aa:00:00:00:09"}),
    (lambda: EthSpec(src_mac=SMAC, ether_type=0x800), {}, IPV6),
    (lambda: Ipv4ExtSpec(dst_ip="10.7.0.2"), {}, {"dst": "10.7.0.3"}),
    (lambda: Ipv4ExtSpec(src_ip="10.7.0.1", src_ip_mask="255.255.0.0"),
     {"src": "10.7.99.99"}, {"src": "10.8.0.1"}),
    (lambda: Ipv4ExtSpec(proto=6), {"proto": 6}, {"proto": 17}),
    (lambda: Ipv4ExtSpec(tos=8, ttl=9), {"tos": 8}, {"tos": 4}),
    (lambda: Ipv4ExtSpec(ttl=9), {}, {**IPV6}),
    (lambda: Ipv6Spec(dst_ip="fd00::2", **ANY_SOURCE), IPV6, {**IPV6, "dst": "fd00::3"}),
    (lambda: Ipv6Spec(hop_limit=9, dst_ip="::", dst_ip_mask="::", **ANY_SOURCE),
     IPV6, {}),
    (lambda: TcpUdpSpec(e.IBV_FLOW_SPEC_UDP, dst_port=2000), {},
     {"dport": 2001}),
    (lambda: TcpUdpSpec(e.IBV_FLOW_SPEC_UDP, dst_port=2000), IPV6,
     {**IPV6, "proto": 6}),
    (lambda: TcpUdpSpec(e.IBV_FLOW_SPEC_TCP, src_port=1000), {"proto": 6},
     {"proto": 17}),
], ids=["dmac", "smac", "ip_dst", "ip_net", "proto", "tos", "only_v4", "ip6_dst",
        "only_v6", "udp", "udp6", "tcp"])
def test_rule_takes_what_matches(raw, spec, match, other):
    sender, taker = raw(), raw()
    flow = rule(taker, spec())
    sender.send(frame(**other, mark=1))
    sender.send(frame(**match, mark=2))
    assert taker.frames(1) == [frame(**match, mark=2)]
    assert not taker.frames(1, QUIET)
    flow.close()
    sender.send(frame(**match, mark=3))
    assert not taker.frames(1, QUIET)


def test_several_specifications_must_all_match(raw):
    sender, taker = raw(), raw()
    flow = rule(taker, EthSpec(dst_mac=DMAC), Ipv4ExtSpec(dst_ip="10.7.0.2"),
                TcpUdpSpec(e.IBV_FLOW_SPEC_UDP, dst_port=2000))
    for change in ({"dmac": GROUP}, {"dst": "10.7.0.4"}, {"dport": 1},
                   {"proto": 6}):
        sender.send(frame(**change))
    sender.send(frame())
    assert taker.frames(2, QUIET) == [frame()]
    flow.close()


def test_lowest_priority_wins_then_the_oldest(raw):
    sender, a, b, c = raw(), raw(), raw(), raw()
    flows = [rule(a, EthSpec(dst_mac=DMAC), priority=5),
             rule(b, EthSpec(dst_mac=DMAC), priority=3),
             rule(c, EthSpec(dst_mac=DMAC), priority=3)]
    for winner, loser in ((b, flows[1]), (c, flows[2]), (a, flows[0])):
        sender.send(frame())
        assert winner.frames(1) == [frame()]
        assert not any(end.frames(1, 0.05) for end in (a, b, c))
        loser.close()


def test_copies_leave_the_frame_to_others(raw):
    sender, sniffer, copier, taker = raw(), raw(), raw(), raw()
    flows = [rule(sniffer, flow_type=e.IBV_FLOW_ATTR_SNIFFER),
             rule(copier, EthSpec(dst_mac=DMAC),
                  flags=e.IBV_FLOW_ATTR_FLAGS_DONT_TRAP),
             rule(taker, EthSpec(dst_mac=DMAC), priority=9)]
    sender.send(frame(mark=1))
    for end in (sniffer, copier, taker):
        assert frame(mark=1) in end.frames(8, 1)
    for flow in flows:
        flow.close()


def test_default_rules_come_last(raw):
    sender, groups, rest, taker = raw(), raw(), raw(), raw()
    flows = [rule(rest, flow_type=e.IBV_FLOW_ATTR_ALL_DEFAULT),
             rule(groups, flow_type=e.IBV_FLOW_ATTR_MC_DEFAULT),
             rule(taker, EthSpec(dst_mac=GROUP), priority=65533)]
    other = "01:00:5e:00:00:08"
    for dmac in (DMAC, GROUP, other):
        sender.send(frame(dmac=dmac))
    assert frame(dmac=DMAC) in rest.frames(8, 1)
    assert taker.frames(1) == [frame(dmac=GROUP)]
    assert frame(dmac=other) in groups.frames(8, 1)
    for flow in flows:
        flow.close()


@pytest.mark.parametrize("specs,attr,errno", [
    ([lambda: EthSpec(ether_type=0x86dd), lambda: Ipv4ExtSpec(ttl=9)], {}, 22),
    ([lambda: Ipv4ExtSpec(proto=6),
      lambda: TcpUdpSpec(e.IBV_FLOW_SPEC_UDP, dst_port=1)], {}, 22),
    ([lambda: Ipv4ExtSpec(ttl=9), lambda: Ipv4ExtSpec(ttl=8)], {}, 22),
    ([], {"priority": 65534}, 22),
    ([lambda: EthSpec(dst_mac=DMAC)],
     {"flow_type": e.IBV_FLOW_ATTR_ALL_DEFAULT}, 22),
    ([lambda: EthSpec(dst_mac=DMAC, is_inner=1)], {}, 95),
    ([lambda: Ipv4ExtSpec(flags=2)], {}, 95),
    ([], {"flags": 4}, 95),
], ids=["v4_as_v6", "tcp_as_udp", "two_ttls", "priority", "default", "inner",
        "ip_flags", "egress"])
def test_rule_that_cannot_be(raw, specs, attr, errno):
    end = raw()
    assert errno_of(rule, end, *(spec() for spec in specs), **attr) == errno


def test_rules_are_for_raw_packets_only(dev, pd):
    cq = CQ(dev.ctx, 16)
    qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_UD, scq=cq, rcq=cq,
                           cap=QPCap(4, 4, 1, 1)))
    assert errno_of(rule, qp, EthSpec(dst_mac=DMAC)) == 95
    qp.close()
    cq.close()


# ---- work queues -------------------------------------------------------------------

RESET, READY, ERROR = e.IBV_WQS_RESET, e.IBV_WQS_RDY, e.IBV_WQS_ERR


def work_queue(dev, pd, cq, **more):
    attr = {"max_wr": DEPTH, "max_sge": 1, **more}
    return WQ(dev.ctx, WQInitAttr(wq_context=None, wq_pd=pd, wq_cq=cq,
                                  wq_type=e.IBV_WQT_RQ, comp_mask=0, **attr))


def move(wq, state, cur=None):
    mask = e.IBV_WQ_ATTR_STATE
    if cur is None:
        wq.modify(WQAttr(attr_mask=mask, wq_state=state))
    else:
        wq.modify(WQAttr(attr_mask=mask | e.IBV_WQ_ATTR_CURR_STATE,
                         wq_state=state, curr_wq_state=cur))


def test_states_of_a_work_queue(dev, pd):
    cq = CQ(dev.ctx, DEPTH)
    wq = work_queue(dev, pd, cq)
    assert errno_of(move, wq, ERROR) == 22
    assert errno_of(move, wq, READY, READY) == 22
    for state in (READY, RESET, READY, ERROR, RESET, READY):
        move(wq, state)
        move(wq, state, state)
    move(wq, ERROR)
    assert errno_of(move, wq, READY) == 22
    wq.close()
    cq.close()


class Spread:
    """Work queues behind a table, each with a completion queue of its own."""

    def __init__(self, dev, pd, log_size, fields):
        num = 1 << log_size
        self.cqs = [CQ(dev.ctx, DEPTH) for _ in range(num)]
        self.queues = [work_queue(dev, pd, cq) for cq in self.cqs]
        self.buf = Buffer((num * DEPTH * ROOM, False))
        self.mr = MR(pd, self.buf.length, ALL, address=self.buf.address)
        for number, wq in enumerate(self.queues):
            move(wq, READY)
            for slot in range(DEPTH):
                at = (number * DEPTH + slot) * ROOM
                wq.post_recv(RecvWR(wr_id=at, num_sge=1, sg=[
                    SGE(self.buf.address + at, ROOM, self.mr.lkey)]))
        self.table = RwqIndTable(dev.ctx, RwqIndTableInitAttr(log_size,
                                                              self.queues))
        mask = (e.IBV_QP_INIT_ATTR_PD | e.IBV_QP_INIT_ATTR_RX_HASH |
                e.IBV_QP_INIT_ATTR_IND_TABLE)
        conf = RxHashConf(rx_hash_function=e.IBV_RX_HASH_FUNC_TOEPLITZ,
                          rx_hash_key_len=len(KEY), rx_hash_key=list(KEY),
                          rx_hash_fields_mask=fields)
        self.qp = QPEx(dev.ctx, QPInitAttrEx(
            qp_type=e.IBV_QPT_RAW_PACKET, comp_mask=mask, pd=pd,
            hash_conf=conf, ind_table=self.table))

    def frames(self, number):
        _, wcs = self.cqs[number].poll(DEPTH)
        return [bytes(self.buf.view[wc.wr_id:wc.wr_id + wc.byte_len])
                for wc in wcs or []]

    def close(self):
        self.qp.close()
        self.table.close()
        for item in self.queues + self.cqs + [self.mr]:
            item.close()


def toeplitz(data):
    """The Toeplitz hash of data, computed bit by bit as in its definition."""
    key, result = int.from_bytes(KEY, "big"), 0
    for bit in range(8 * len(data)):
        if data[bit // 8] >> 7 - bit % 8 & 1:
            result ^= key >> 8 * len(KEY) - 32 - bit & 0xffffffff
    return result


def test_frames_go_by_their_hash(dev, pd, raw):
    sender = raw()
    spread = Spread(dev, pd, 2, e.IBV_RX_HASH_SRC_IPV4 | e.IBV_RX_HASH_DST_IPV4 |
                    e.IBV_RX_HASH_SRC_PORT_UDP | e.IBV_RX_HASH_DST_PORT_UDP)
    flow = rule(spread.qp, EthSpec(dst_mac=DMAC))
    expected = {number: [] for number in range(4)}
    for sport in range(1000, 1040):
        data = frame(sport=sport)
        expected[toeplitz(data[26:38]) % 4].append(data)
        sender.send(data)
    # frames without ports, with IPv6 addresses (not hashed), and both: first queue
    for more, first, last in (({"proto": 1}, 26, 34), (IPV6, 54, 58),
                              ({"proto": 1, **IPV6}, 0, 0)):
        data = frame(**more)
        expected[toeplitz(data[first:last]) % 4].append(data)
        sender.send(data)
    time.sleep(QUIET)
    assert {number: spread.frames(number) for number in range(4)} == expected
    assert all(expected.values())
    flow.close()
    spread.close()


def test_states_of_a_queue_pair_with_a_table(dev, pd):
    spread = Spread(dev, pd, 1, 0)
    attr = QPAttr(port_num=1)
    spread.qp.to_init(attr)
    spread.qp.to_rtr(attr)
    spread.qp.to_rts(attr)
    assert spread.qp.query(e.IBV_QP_STATE)[0].qp_state == e.IBV_QPS_RTS
    spread.close()


def test_tables_that_cannot_be(dev, pd):
    cq = CQ(dev.ctx, DEPTH)
    wq = work_queue(dev, pd, cq)
    assert errno_of(RwqIndTable, dev.ctx,
                    RwqIndTableInitAttr(8, [wq] * 256)) == 22
    assert errno_of(work_queue, dev, pd, cq, max_wr=1 << 20) == 22
    wq.close()
    cq.close()

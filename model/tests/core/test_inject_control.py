# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of the faults that users of verbs ask for: what a host sees of each, and which
requests the control socket refuses."""

import struct
import time

import pytest

import xrdma_driver as x

SIZE = 65536
UD = 2
PORT_DOWN, COMM_EST, QP_REQ, QP_ACCESS = 0x31, 0x13, 0x11, 0x12
SRQ_LIMIT, SRQ_ERR = 0x20, 0x21
CREATE_SRQ, MODIFY_SRQ = 0x40, 0x41
OF_SEND = {
    "loc-len-err": 1, "loc-qp-op-err": 2, "loc-prot-err": 4, "mw-bind-err": 6,
    "bad-resp-err": 7, "rem-inv-req-err": 9, "rem-access-err": 10,
    "rem-op-err": 11, "retry-exc-err": 12, "rnr-retry-exc-err": 13,
    "rem-abort-err": 16, "fatal-err": 19, "general-err": 21}
OF_RECV = {"loc-len-err": 1, "loc-qp-op-err": 2, "loc-prot-err": 4,
           "loc-access-err": 8, "fatal-err": 19, "general-err": 21}


@pytest.fixture(name="control")
def _control(device):
    control = device.control()
    yield control
    control.close()


@pytest.fixture(name="inject")
def _inject(control):
    """A function that sets a fault, which the device must take."""
    def inject(kind, **options):
        reply = control.request(cmd="inject", kind=kind, **options)
        assert reply == {"ok": True}, reply
    return inject


@pytest.fixture(name="link")
def _link(host):
    """Two connected queue pairs, each with a buffer and its key."""
    a, b = x.pair(host, timeout=14)
    for qp in (a, b):
        qp.data = host.alloc(SIZE)
        qp.key = host.register(qp.data, SIZE)
    return a, b


def write(link, wr_id, size=8):
    """Post a WRITE."""
    a, b = link
    a.send(x.WRITE, [(a.data, size, a.key)], remote=b.data, rkey=b.key,
           wr_id=wr_id)


def outcomes(qp, count):
    """Work request IDs and statuses of the next completions of sends."""
    return [(done["wr_id"], done["status"])
            for done in (qp.sent() for _ in range(count))]


def state(qp):
    """The state of a queue pair."""
    return qp.query()[0]


# ---- completions ----------------------------------------------------------------

@pytest.mark.parametrize("word, status", OF_SEND.items())
def test_the_nth_send_fails(host, link, inject, word, status):
    """The sends before are executed, the send fails, those after it are flushed."""
    inject("completion", qp=link[0].number, nth=2, status=word)
    host.put(link[0].data, b"12345678")
    for wr_id in range(4):
        write(link, wr_id)
    assert outcomes(link[0], 4) == [(0, 0), (1, status), (2, 5), (3, 5)]
    assert (state(link[0]), state(link[1])) == (x.Q_ERR, x.Q_RTS)
    assert host.get(link[1].data, 8) == b"12345678"
    assert host.stats()["inject"]["completion"] == 1


def test_a_failed_send_has_no_effect(host, link, inject):
    """A send that fails writes nothing."""
    inject("completion", qp=link[0].number, status="rem-access-err")
    host.put(link[0].data, b"12345678")
    write(link, 1)
    assert outcomes(link[0], 1) == [(1, 10)]
    assert host.get(link[1].data, 8) == bytes(8)


@pytest.mark.parametrize("word, status", OF_RECV.items())
def test_the_nth_receive_fails(link, inject, word, status):
    """The receive completes with the status, the peer's send with REM_OP_ERR."""
    a, b = link
    inject("completion", qp=b.number, queue="recv", nth=2, status=word)
    for wr_id in range(3):
        b.receive([(b.data, 64, b.key)], wr_id=wr_id)
    for wr_id in range(2):
        a.send(x.SEND, inline=b"hello", wr_id=wr_id)
    got = [b.received() for _ in range(3)]
    assert [(done["wr_id"], done["status"]) for done in got] == [
        (0, 0), (1, status), (2, 5)]
    assert outcomes(a, 2) == [(0, 0), (1, x.WC_REM_OP)]
    assert (state(a), state(b)) == (x.Q_ERR, x.Q_ERR)


def test_a_datagram_queue_pair_goes_to_sqe(host, inject, control):
    """Its sends have local errors only."""
    cq = x.CompletionQueue(host, 40)
    qp = x.QueuePair(host, 41, cq, cq, kind=UD)
    qp.modify(0x2101, state=x.Q_INIT, qkey=5)
    qp.modify(1, state=x.Q_RTR)
    qp.modify(0x401, state=x.Q_RTS)
    reply = control.request(cmd="inject", kind="completion", qp=41,
                            status="rem-access-err")
    assert reply["error"] == (
        "status: no such word: 'rem-access-err'; words: loc-len-err, "
        "loc-qp-op-err, loc-prot-err, fatal-err, general-err")
    inject("completion", qp=41, status="loc-prot-err")
    av = x.AV.pack(host.gid, host.mac(), 0, 0, 0, 64, 0, 0)
    for wr_id in range(2):
        qp.send(x.SEND, wr_id=wr_id, extra=struct.pack("<II", 41, 5) + av)
    assert outcomes(qp, 2) == [(0, 4), (1, 5)]
    assert state(qp) == x.Q_SQE


def test_a_late_completion_holds_up_those_behind_it(link, inject):
    """The order of completions stays the same."""
    inject("late", qp=link[0].number, nth=2, ms=300)
    start = time.monotonic()
    for wr_id in range(4):
        write(link, wr_id)
    assert outcomes(link[0], 1) == [(0, 0)]
    assert time.monotonic() - start < 0.25
    assert link[0].sent(timeout=0.05) is None
    assert outcomes(link[0], 3) == [(1, 0), (2, 0), (3, 0)]
    assert time.monotonic() - start >= 0.3


def test_a_late_receive(link, inject):
    """A receive is late, and the send is not."""
    a, b = link
    inject("late", qp=b.number, queue="recv", ms=200)
    b.receive([(b.data, 64, b.key)], wr_id=9)
    start = time.monotonic()
    a.send(x.SEND, inline=b"hello", wr_id=1)
    assert outcomes(a, 1) == [(1, 0)]
    assert b.received()["wr_id"] == 9
    assert time.monotonic() - start >= 0.2


def test_a_late_completion_dies_with_its_queue_pair(host, link, inject):
    """After DESTROY_QP no completion of the queue pair is written."""
    inject("late", qp=link[0].number, ms=100)
    write(link, 1)
    while link[0].query()[1] == 0:
        time.sleep(0.001)
    host.object_command(x.DESTROY_QP, link[0].number)
    assert link[0].sent(timeout=0.2) is None


def test_a_lost_completion(link, inject):
    """Only that completion is missing."""
    inject("lost", qp=link[0].number, nth=2)
    for wr_id in range(4):
        write(link, wr_id)
    assert outcomes(link[0], 3) == [(0, 0), (2, 0), (3, 0)]


def test_an_overrun(host, link, inject):
    """The n-th completion finds no room: CQ_ERR, and the queue pair is in ERR."""
    inject("cq-overrun", cq=link[0].send_cq.number, nth=3)
    for wr_id in range(4):
        write(link, wr_id)
    assert outcomes(link[0], 2) == [(0, 0), (1, 0)]
    assert host.eqs[0].find(x.CQ_ERR)[4] == link[0].send_cq.number
    assert link[0].sent(timeout=0.05) is None
    assert state(link[0]) == x.Q_ERR


# ---- keys -----------------------------------------------------------------------

def test_an_rkey_turns_invalid(host, link, inject):
    """From the n-th check on, each check fails. The device checks a WRITE at its
    start and at each packet."""
    a, b = link
    inject("key", key=b.key, nth=3)
    for wr_id in range(3):
        write(link, wr_id)
    assert outcomes(a, 3) == [(0, 0), (1, 10), (2, 5)]
    record = host.eqs[0].find(x.FAULT)
    assert (record[1], record[4], record[5]) == (x.KEY_INVALID, b.number, b.key)
    assert (state(a), state(b)) == (x.Q_ERR, x.Q_ERR)


def test_an_lkey_turns_invalid(link, inject):
    """The requester refuses the send."""
    inject("key", key=link[0].key)
    write(link, 1)
    assert outcomes(link[0], 1) == [(1, x.WC_LOC_PROT)]


def test_the_fault_ends_with_the_key(host, link, inject, control):
    """INVALIDATE of the key succeeds, and removes the fault."""
    inject("key", key=link[1].key)
    assert host.invalidate(link[1].key) == [0]
    assert control.request(cmd="inject_list")["faults"] == []
    reply = control.request(cmd="inject", kind="key", key=link[1].key)
    assert reply["error"] == f"key: {link[1].key:#x} is not valid"


# ---- the network ----------------------------------------------------------------

def test_a_short_silence_causes_retries(host, link, inject):
    """The queue pair hears no answer, and repeats the request until it does."""
    inject("silence", qp=link[0].number, ms=100)
    start = time.monotonic()
    write(link, 1)
    assert outcomes(link[0], 1) == [(1, 0)]
    assert time.monotonic() - start >= 0.1
    stats = host.stats()
    assert stats["inject"]["silence"] >= 1
    assert stats["wire"]["rx"]["silence"] == stats["inject"]["silence"]
    assert stats["device"]["counters"]["local_ack_timeout_err"] >= 1


def test_a_long_silence_exhausts_the_retries(host, inject):
    """The status is RETRY_EXC_ERR, on whichever side the port hears nothing."""
    a, b = x.pair(host, timeout=10, retry_cnt=2)
    a.data, a.key = host.alloc(SIZE), 0
    inject("silence", ms=60000)
    a.send(x.SEND, inline=b"hello", wr_id=1)
    assert outcomes(a, 1) == [(1, x.WC_RETRY)]
    assert (state(a), state(b)) == (x.Q_ERR, x.Q_RTS)


def test_the_link_goes_down_and_up(host, link, inject, control):
    """The host sees both events; a send waits for the link."""
    assert host.eqs[0].find(x.PORT_UP)
    start = time.monotonic()
    inject("link-down", ms=200)
    assert host.eqs[0].find(PORT_DOWN)
    fault, = control.request(cmd="inject_list")["faults"]
    assert fault["kind"] == "link-down" and 0 <= fault["ms"] <= 200
    assert not control.request(cmd="inject", kind="link-down", ms=1)["ok"]
    write(link, 1)
    assert host.eqs[0].find(x.PORT_UP)
    assert time.monotonic() - start >= 0.2
    assert outcomes(link[0], 1) == [(1, 0)]


def test_clear_plugs_the_cable_in(host, inject, control):
    """"inject_clear" ends link-down and every other fault."""
    inject("link-down", ms=60000)
    inject("silence", ms=60000)
    assert host.eqs[0].find(PORT_DOWN)
    assert control.request(cmd="inject_clear") == {"ok": True, "left": 2}
    assert host.eqs[0].find(x.PORT_UP)
    assert control.request(cmd="inject_list")["faults"] == []


# ---- events ---------------------------------------------------------------------

@pytest.mark.parametrize("word, event", [
    ("qp-fatal", x.QP_FATAL), ("qp-req-err", QP_REQ), ("qp-access-err", QP_ACCESS)])
def test_an_event_of_a_queue_pair(host, link, inject, control, word, event):
    """The queue pair goes to ERR, once."""
    inject("event", type=word, qp=link[0].number)
    assert host.eqs[0].find(event)[4] == link[0].number
    assert state(link[0]) == x.Q_ERR
    reply = control.request(cmd="inject", kind="event", type=word,
                            qp=link[0].number)
    assert reply["error"] == f"queue pair {link[0].number} is in state ERR"


def test_comm_est(host, inject, control):
    """Only a queue pair in state RTR gets the event."""
    cq = x.CompletionQueue(host, 40)
    a, b = x.QueuePair(host, 41, cq, cq), x.QueuePair(host, 42, cq, cq)
    assert not control.request(cmd="inject", kind="event", type="comm-est",
                               qp=41)["ok"]
    av = x.AV.pack(host.gid, host.mac(), 0, 0, 0, 64, 0, 0)
    a.modify(0x3001, state=x.Q_INIT)
    a.modify(0x8AA3, state=x.Q_RTR, path_mtu=5, dest_qpn=b.number, rq_psn=1,
             max_dest_rd_atomic=16, min_rnr_timer=1, av=av)
    inject("event", type="comm-est", qp=41)
    assert host.eqs[0].find(COMM_EST)[4] == 41
    assert state(a) == x.Q_RTR


def test_events_of_a_shared_receive_queue(host, inject, control):
    """SRQ_LIMIT needs a limit, and happens once."""
    addr = host.alloc(1 << 14, 1 << 14)
    host.command(CREATE_SRQ, struct.pack("<QIIIIIBB2s", x.root(addr, 0, 14), 5,
                                         1, 0, 0, 0, 4, 6, bytes(2)))
    reply = control.request(cmd="inject", kind="event", type="srq-limit", srq=5)
    assert reply["error"] == "shared receive queue 5 has no limit"
    host.put32(addr + (64 << 4), 4)
    host.command(MODIFY_SRQ, struct.pack("<QIIIB3s", 0, 5, 1, 3, 0, bytes(3)))
    inject("event", type="srq-limit", srq=5)
    assert host.eqs[0].find(SRQ_LIMIT)[4] == 5
    inject("event", type="srq-err", srq=5)
    assert host.eqs[0].find(SRQ_ERR)[4] == 5
    assert host.stats()["inject"]["event"] == 2


def test_device_fatal(host, inject):
    """The device enters the fatal state."""
    inject("event", type="device-fatal")
    assert host.eqs[0].find(x.DEVICE_FATAL)
    assert host.read(x.STATUS) & x.FATAL


# ---- the commands ---------------------------------------------------------------

def test_the_list_describes_each_fault(link, inject, control):
    """"inject_list" has the options of each fault that waits."""
    number, cqn = link[0].number, link[0].send_cq.number
    inject("completion", qp=number, nth=3, status="rem-op-err")
    inject("late", qp=number, queue="recv", ms=7)
    inject("cq-overrun", cq=cqn)
    inject("key", key=link[0].key, nth=2)
    assert control.request(cmd="inject_list")["faults"] == [
        {"kind": "completion", "qp": number, "queue": "send", "nth": 3,
         "status": "rem-op-err"},
        {"kind": "late", "qp": number, "queue": "recv", "nth": 1, "ms": 7},
        {"kind": "cq-overrun", "cq": cqn, "nth": 1},
        {"kind": "key", "key": link[0].key, "nth": 2}]


def test_faults_end_with_their_object_and_with_a_reset(host, link, inject, control):
    """DESTROY_QP removes the faults of the queue pair, a reset all."""
    inject("lost", qp=link[0].number)
    inject("lost", qp=link[1].number)
    inject("key", key=link[0].key)
    inject("silence", ms=60000)
    host.object_command(x.DESTROY_QP, link[0].number)
    first, *others = control.request(cmd="inject_list")["faults"]
    assert first["qp"] == link[1].number
    assert [fault["kind"] for fault in others] == ["key", "silence"]
    host.write(x.CTRL, x.RESET)
    assert control.request(cmd="inject_list")["faults"] == []


@pytest.mark.parametrize("request_, error", [
    ({}, "'kind' is missing; words: completion, late, lost, cq-overrun, key, "
         "silence, link-down, event"),
    ({"kind": "crash"}, "kind: no such word: 'crash'; words: completion, late, "
     "lost, cq-overrun, key, silence, link-down, event"),
    ({"kind": "lost", "qpn": 16},
     "no such option: 'qpn'; options: kind qp nth queue"),
    ({"kind": "lost"}, "'qp' is missing"),
    ({"kind": "lost", "qp": 999}, "qp: no queue pair has number 999"),
    ({"kind": "lost", "qp": "x"}, 'qp: "x" is not a number from 0 to 4294967295'),
    ({"kind": "lost", "qp": 16, "nth": 0},
     "nth: 0 is not a number from 1 to 4294967295"),
    ({"kind": "lost", "qp": 16, "queue": "both"},
     "queue: no such word: 'both'; words: send, recv"),
    ({"kind": "late", "qp": 16}, "'ms' is missing"),
    ({"kind": "cq-overrun", "cq": 999},
     "cq: no completion queue has number 999"),
    ({"kind": "silence", "ms": 600001},
     "ms: 600001 is not a number from 1 to 600000"),
    ({"kind": "event", "type": "oops"},
     "type: no such word: 'oops'; words: qp-fatal, qp-req-err, qp-access-err, "
     "comm-est, srq-err, srq-limit, device-fatal"),
    ({"kind": "completion", "qp": 16, "queue": "recv", "status": "retry-exc-err"},
     "status: no such word: 'retry-exc-err'; words: loc-len-err, loc-qp-op-err, "
     "loc-prot-err, loc-access-err, fatal-err, general-err"),
])
@pytest.mark.usefixtures("link")
def test_an_error_says_what_is_taken(control, request_, error):
    """A refused request sets no fault."""
    reply = control.request(cmd="inject", **request_)
    assert reply == {"ok": False, "error": error}
    assert control.request(cmd="inject_list")["faults"] == []


def test_a_device_without_a_driver_takes_no_fault(control):
    """A device that is not enabled has no objects."""
    reply = control.request(cmd="inject", kind="link-down", ms=1)
    assert reply["error"] == "no driver uses the device"

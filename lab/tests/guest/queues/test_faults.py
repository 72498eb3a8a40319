# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The faults of xrdma-fault: what a program that uses verbs sees of each of them. Runs in
a guest."""

import contextlib
import io
import re
import subprocess
import time

import pytest
import pyverbs.enums as e
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.srq import SRQ, SrqAttr, SrqInitAttr

from labverbs.rc import ALL, Buffer, Device, Endpoint, pair
from lib.control import ask
from lib.programs import load
from lib.rdma_tool import rdma

PROGRAM = load("guest/bin/xrdma-fault")
SIZE = 4096


def command(*words):
    """Runs xrdma-fault in this process, since a guest needs a second to start Python.
    Returns what it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert PROGRAM.run([*map(str, words)]) == 0
    return out.getvalue()


def refused(*words):
    """Runs xrdma-fault, which must fail. Returns the error."""
    out = subprocess.run(["xrdma-fault", *map(str, words)], check=False,
                         capture_output=True, text=True)
    assert out.returncode == 2 and not out.stdout
    return out.stderr


class Link:
    """Two connected queue pairs of a device that no other test has opened, so that
    there are no events of earlier tests."""

    def __init__(self, dev, **connect):
        self.dev = Device(dev.name, dev.gid_index)
        self.pd = PD(self.dev.ctx)
        self.buf = Buffer((SIZE, False))
        self.mr = MR(self.pd, SIZE, ALL, address=self.buf.address)
        self.a, self.b = pair(self.dev, self.pd, **connect)
        self.qpn = self.a.qp.qp_num

    def write(self, *wr_ids):
        """Posts a WRITE for each."""
        for wr_id in wr_ids:
            self.a.post(e.IBV_WR_RDMA_WRITE, [(self.buf.address, 8, self.mr.lkey)],
                        self.buf.address + 64, self.mr.rkey, wr_id=wr_id)

    def outcomes(self, count):
        """Work request IDs and statuses of the next completions."""
        return [(wc.wr_id, wc.status) for wc in self.a.poll(count)]

    def event(self):
        """The type of the next asynchronous event that is not about GIDs."""
        while True:
            event = self.dev.ctx.get_async_event()
            event.ack()
            if event.event_type != e.IBV_EVENT_GID_CHANGE:
                return event.event_type


@pytest.fixture(name="link")
def _link(dev):
    link = Link(dev)
    yield link
    command("clear")
    link.dev.ctx.close()


def state(end):
    return end.qp.query(e.IBV_QP_STATE)[0].qp_state


def test_a_send_fails(link):
    command("completion", "--qp", link.qpn, "--nth", 3, "--status",
            "rem-access-err")
    assert command("list") == (f"completion --qp {link.qpn} --queue send --nth 3 "
                               "--status rem-access-err\n")
    link.write(1, 2, 3, 4)
    assert link.outcomes(4) == [
        (1, e.IBV_WC_SUCCESS), (2, e.IBV_WC_SUCCESS),
        (3, e.IBV_WC_REM_ACCESS_ERR), (4, e.IBV_WC_WR_FLUSH_ERR)]
    assert state(link.a) == e.IBV_QPS_ERR
    assert command("list") == ""


def test_a_receive_fails(link):
    command("completion", "--qp", link.b.qp.qp_num, "--queue", "recv", "--status",
            "loc-prot-err")
    link.b.recv([(link.buf.address, 64, link.mr.lkey)], wr_id=5)
    link.a.post(e.IBV_WR_SEND, [(link.buf.address, 8, link.mr.lkey)], wr_id=6)
    assert link.outcomes(1) == [(6, e.IBV_WC_REM_OP_ERR)]
    wc, = link.b.poll()
    assert (wc.wr_id, wc.status) == (5, e.IBV_WC_LOC_PROT_ERR)


SEND = """loc-len-err loc-qp-op-err loc-prot-err mw-bind-err bad-resp-err rem-inv-req-err
    rem-access-err rem-op-err retry-exc-err rnr-retry-exc-err rem-abort-err fatal-err
    general-err""".split()
RECV = """loc-len-err loc-qp-op-err loc-prot-err loc-access-err fatal-err
    general-err""".split()


def status(word):
    """The value of enum ibv_wc_status of which this is the word."""
    return getattr(e, "IBV_WC_" + word.upper().replace("-", "_"))


@pytest.mark.parametrize("word", SEND)
def test_each_status_of_a_send(link, word):
    command("completion", "--qp", link.qpn, "--status", word)
    link.write(1, 2)
    assert link.outcomes(2) == [(1, status(word)), (2, e.IBV_WC_WR_FLUSH_ERR)]


@pytest.mark.parametrize("word", RECV)
def test_each_status_of_a_receive(link, word):
    command("completion", "--qp", link.b.qp.qp_num, "--queue", "recv", "--status", word)
    link.b.recv([(link.buf.address, 64, link.mr.lkey)], wr_id=5)
    link.a.post(e.IBV_WR_SEND, [(link.buf.address, 8, link.mr.lkey)])
    wc, = link.b.poll()
    assert (wc.wr_id, wc.status) == (5, status(word))


def test_a_completion_is_late(link):
    command("late", "--qp", link.qpn, "--ms", 1000)
    start = time.monotonic()
    link.write(1, 2)
    assert not link.a.cq.poll(2)[0]
    assert link.outcomes(2) == [(1, e.IBV_WC_SUCCESS), (2, e.IBV_WC_SUCCESS)]
    # the clock of the guest is slower than that of the device
    assert time.monotonic() - start > 0.2


def test_a_receive_is_lost_and_one_is_late(link):
    """The sender learns of neither."""
    command("lost", "--qp", link.b.qp.qp_num, "--queue", "recv")
    command("late", "--qp", link.b.qp.qp_num, "--queue", "recv", "--ms", 1000)
    for wr_id in (1, 2):
        link.b.recv([(link.buf.address, 64, link.mr.lkey)], wr_id=wr_id)
        link.a.post(e.IBV_WR_SEND, [(link.buf.address, 8, link.mr.lkey)], wr_id=wr_id)
    assert link.outcomes(2) == [(1, e.IBV_WC_SUCCESS), (2, e.IBV_WC_SUCCESS)]
    assert [(wc.wr_id, wc.status) for wc in link.b.poll()] == [(2, e.IBV_WC_SUCCESS)]
    assert not link.b.cq.poll(1)[0]


def test_a_completion_is_lost(link):
    command("lost", "--qp", link.qpn, "--nth", 2)
    for first in range(0, 300, 3):
        link.write(first, first + 1, first + 2)
        expected = [first, first + 1, first + 2]
        if not first:
            expected.remove(1)
        assert [wr_id for wr_id, _ in link.outcomes(len(expected))] == expected


def test_a_queue_overruns(link):
    row, = rdma("resource", "show", "qp", "link", f"{link.dev.name}/1", "lqpn",
                str(link.qpn), "-dd")
    command("cq-overrun", "--cq", row["drv_send_cqn"], "--nth", 2)
    link.write(1, 2, 3)
    assert link.event() == e.IBV_EVENT_CQ_ERR
    assert link.outcomes(1) == [(1, e.IBV_WC_SUCCESS)]
    assert state(link.a) == e.IBV_QPS_ERR


def test_a_key_turns_invalid(link):
    link.write(1)
    assert link.outcomes(1) == [(1, e.IBV_WC_SUCCESS)]
    remote = Buffer((SIZE, False))
    mr = MR(link.pd, SIZE, ALL, address=remote.address)
    command("key", "--key", hex(mr.rkey))
    link.a.post(e.IBV_WR_RDMA_WRITE, [(link.buf.address, 8, link.mr.lkey)],
                remote.address, mr.rkey, wr_id=2)
    assert link.outcomes(1) == [(2, e.IBV_WC_REM_ACCESS_ERR)]
    assert link.event() == e.IBV_EVENT_QP_ACCESS_ERR
    mr.close()
    assert command("list") == ""


def test_an_lkey_turns_invalid(link):
    local = Buffer((SIZE, False))
    mr = MR(link.pd, SIZE, ALL, address=local.address)
    write = (e.IBV_WR_RDMA_WRITE, [(local.address, 8, mr.lkey)], link.buf.address,
             link.mr.rkey)
    link.a.post(*write, wr_id=1)
    assert link.outcomes(1) == [(1, e.IBV_WC_SUCCESS)]
    command("key", "--key", hex(mr.lkey))
    link.a.post(*write, wr_id=2)
    assert link.outcomes(1) == [(2, e.IBV_WC_LOC_PROT_ERR)]
    mr.close()


def test_a_short_silence_is_overcome(dev):
    link = Link(dev, timeout=18)
    before = ask(cmd="stats")["inject"]["silence"]
    command("silence", "--qp", link.qpn, "--ms", 2000)
    link.write(1)
    assert link.outcomes(1) == [(1, e.IBV_WC_SUCCESS)]
    assert ask(cmd="stats")["inject"]["silence"] > before
    assert command("list") == ""
    link.dev.ctx.close()


def test_a_long_silence_breaks_the_connection(dev):
    link = Link(dev, timeout=12, retry=2)
    command("silence", "--ms", 60000)
    link.write(1, 2)
    assert link.outcomes(2) == [(1, e.IBV_WC_RETRY_EXC_ERR),
                                (2, e.IBV_WC_WR_FLUSH_ERR)]
    command("clear")
    link.dev.ctx.close()


def test_the_link_goes_down(link):
    command("link-down", "--ms", 1000)
    assert link.event() == e.IBV_EVENT_PORT_ERR
    assert link.dev.ctx.query_port(1).state == e.IBV_PORT_DOWN
    assert link.event() == e.IBV_EVENT_PORT_ACTIVE
    assert link.dev.ctx.query_port(1).state == e.IBV_PORT_ACTIVE
    link.write(1)
    assert link.outcomes(1) == [(1, e.IBV_WC_SUCCESS)]


@pytest.mark.parametrize("word", ["qp-fatal", "qp-req-err", "qp-access-err"])
def test_an_event_of_a_queue_pair(link, word):
    command("event", "--type", word, "--qp", link.qpn)
    name = "IBV_EVENT_" + word.upper().replace("-", "_")
    assert link.event() == getattr(e, name)
    assert state(link.a) == e.IBV_QPS_ERR


def test_a_connection_is_established_early(link):
    """The event comes before a queue pair in state RTR has received a message."""
    waits = Endpoint(link.dev, link.pd)
    waits.to_rtr(link.a.address())
    command("event", "--type", "comm-est", "--qp", waits.qp.qp_num)
    assert link.event() == e.IBV_EVENT_COMM_EST
    assert f"queue pair {link.qpn} does not wait in state RTR" in refused(
        "event", "--type", "comm-est", "--qp", link.qpn)


def test_a_shared_receive_queue_fails(link):
    srq = SRQ(link.pd, SrqInitAttr(SrqAttr(max_wr=16)))
    command("event", "--type", "srq-err", "--srq", srq_number(link))
    assert link.event() == e.IBV_EVENT_SRQ_ERR
    srq.close()


def srq_number(link):
    """The number of the only shared receive queue."""
    row, = rdma("resource", "show", "srq", "dev", link.dev.name, "-dd")
    return row["drv_srqn"]


def test_the_limit_of_a_shared_receive_queue(link):
    srq = SRQ(link.pd, SrqInitAttr(SrqAttr(max_wr=16)))
    srqn = srq_number(link)
    assert "has no limit" in refused("event", "--type", "srq-limit", "--srq", srqn)
    for _ in range(4):
        srq.post_recv(recv(link))
    srq.modify(SrqAttr(srq_limit=3), e.IBV_SRQ_LIMIT)
    command("event", "--type", "srq-limit", "--srq", srqn)
    assert link.event() == e.IBV_EVENT_SRQ_LIMIT_REACHED
    srq.close()


def recv(link):
    """A receive of 8 bytes."""
    from pyverbs.wr import SGE, RecvWR
    return RecvWR(num_sge=1, sg=[SGE(link.buf.address, 8, link.mr.lkey)])


@pytest.mark.parametrize("words, error", [
    (("crash",), "no such kind: 'crash'; kinds: completion, late, lost, "
     "cq-overrun, key, silence, link-down, event, list, clear"),
    (("late", "--msec", "5"),
     "late: no such option: '--msec'; options: --qp --ms --nth --queue"),
    (("link-down", "--ms", "soon"),
     'ms: "soon" is not a number from 1 to 600000'),
    (("silence", "--ms"), "--ms needs a value"),
    (("lost", "--qp", "1000000"), "qp: no queue pair has number 1000000"),
])
def test_an_error_names_the_word(words, error):
    assert refused(*words) == f"xrdma-fault: {error}\n"


def test_help_lists_each_kind():
    words = subprocess.run(["xrdma-fault", "--help"], check=True, capture_output=True,
                           text=True).stdout
    for kind in ("completion", "late", "lost", "cq-overrun", "key", "silence",
                 "link-down", "event"):
        assert f"\n  {kind} --" in words


def test_help_lists_each_status_and_event(link):
    words = set(re.findall(r"[a-z-]+", PROGRAM.usage()))
    for queue in ("send", "recv"):
        error = refused("completion", "--qp", link.qpn, "--queue", queue, "--status", "x")
        assert set(re.split(r", |\s", error.partition("words: ")[2].strip())) <= words
    error = refused("event", "--type", "x")
    assert {"srq-limit", "device-fatal"} < set(
        re.split(r", |\s", error.partition("words: ")[2].strip())) <= words

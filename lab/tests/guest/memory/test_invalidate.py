# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Invalidation of keys: by valid and invalid work requests of either side, over a
wire that loses and repeats packets, while accesses are in flight, by deregistration
under traffic, and by the end of a process that is killed. Runs in a guest."""

import errno
import os
import pathlib
import signal
import threading
import time

import pytest
from pyverbs.pd import PD

from lib import rawqp as r
from lib.machine import free_huge_pages
from lib.programs import hoard
from lib.rawqp import READ, WRITE, Pair
from lib.rdma_tool import totals
from lib.soak import soak
from lib.windows import (PAGE, Region, access, check_granted, check_record,
                         check_refused)

MESSAGE = 5000      # bytes of a message of several packets


# ---- valid requests ---------------------------------------------------------------

def test_local_invalidate_frees_the_window(things, faults):
    local, far = things.region(), things.region()
    pair, window = things.pair(), things.window()
    key = window.bind(pair.far, far)
    wc, = pair.far.do(r.local_inv(key))
    assert (wc.opcode, wc.reason) == (r.LOCAL_INV, "none")
    check_refused(pair, faults, "key_free", WRITE, key, far.iova, local, far)
    # invalidating a free window succeeds, and the window can be bound again
    pair.far.do(r.local_inv(key))
    things.close(far)
    things.close(window)
    things.close()


def test_local_invalidate_between_other_work(things):
    """LOCAL_INV is executed in order, and the requests before and after it too."""
    local, far = things.region(), things.region()
    pair, window = things.pair(), things.window()
    key = window.bind(pair.far, far)
    got = pair.far.do(
        *[r.access(READ, local.iova + 64 * n, local.rkey, far.sge(64 * n))
          for n in range(8)],
        r.local_inv(key, flags=r.SIGNALED | r.FENCE),
        r.access(WRITE, local.iova + 1024, local.rkey, far.sge(0, 512)))
    assert [wc.wr_id for wc in got] == list(range(1, 11))
    assert far.unchanged(0, local.before[PAGE:PAGE + 512])
    assert local.unchanged(1024, far.at(0, 512))
    things.close()


@pytest.mark.parametrize("length", [0, 16, MESSAGE])
def test_remote_invalidate_frees_the_window(things, faults, length):
    local, far, sink = things.region(), things.region(), things.region()
    pair, window = things.pair(), things.window()
    key = window.bind(pair.far, far)
    pair.far.recv(sink.sge(0, 8000), wr_id=77)
    sent, = pair.near.do(r.send_inv(key, local.sge(0, length)))
    got, = pair.far.poll()
    assert sent.opcode == r.SEND_INV
    assert (got.wr_id, got.status, got.opcode) == (77, "SUCCESS", r.RECV)
    assert got.flags & r.CQE_INV and got.inv_key == key
    assert got.byte_len == length
    assert sink.unchanged(0, local.at(0, length)) and far.unchanged()
    check_refused(pair, faults, "key_free", WRITE, key, far.iova, local, far)
    # invalidating a free window succeeds
    pair.far.recv(sink.sge())
    pair.near.do(r.send_inv(key, local.sge()))
    got, = pair.far.poll()
    assert got.status == "SUCCESS" and got.inv_key == key
    things.close(far)
    things.close()


def test_work_of_the_list_before_it_is_done(things, faults):
    """One list has a WRITE through the window and its invalidation."""
    local, far = things.region(), things.region()
    pair, window = things.pair(), things.window()
    for size in (64, MESSAGE):
        key = window.bind(pair.far, far)
        far.note()
        pair.far.recv(local.sge(8192))
        pair.near.do(access(WRITE, key, far.iova, local, size),
                     r.send_inv(key, local.sge()))
        assert pair.far.poll()[0].inv_key == key
        assert far.unchanged(0, local.at(0, size))
    check_refused(pair, faults, "key_free", WRITE, key, far.iova, local, far)
    things.close()


# ---- invalid requests --------------------------------------------------------------

class Stage:
    """The objects that the invalidations of the cases name."""

    def __init__(self, things):
        self.things = things
        self.foreign = PD(things.dev.ctx)
        self.pair, self.other = things.pair(), things.pair()
        self.region = things.region()
        self.window, self.elsewhere = things.window(), things.window()
        self.window.bind(self.pair.far, self.region)
        self.elsewhere.bind(self.other.far, self.region)

    def bound_type_1(self):
        return self.things.window(1).bind(self.pair.far, self.region)

    def closed(self):
        window = self.things.window()
        self.things.close(window)
        return window.key


# name of the case -> reason in the fault record, function that returns the key
WRONG = {
    "beyond the table": ("key_index|key_invalid", lambda s: 0xffffff00),
    "deallocated": ("key_invalid", lambda s: s.closed()),
    "another key byte": ("key_byte", lambda s: s.window.key ^ 0x40),
    "region": ("type", lambda s: s.things.region().rkey),
    "region that holds it": ("type", lambda s: s.region.rkey),
    "free window of type 1": ("type", lambda s: s.things.window(1).key),
    "bound window of type 1": ("type", lambda s: s.bound_type_1()),
    "another domain": ("pd", lambda s: s.things.window(2, s.foreign).key),
    "another queue pair": ("qp", lambda s: s.elsewhere.key),
}


@pytest.mark.parametrize("what", WRONG)
def test_local_invalidate_is_refused(things, faults, what):
    reason, choose = WRONG[what]
    stage = Stage(things)
    pair, region, key = stage.pair, stage.region, choose(stage)
    region.note()
    move = r.access(WRITE, region.iova + 64, region.rkey, region.sge())
    pair.far.post(move, r.local_inv(key), move)
    got = pair.far.poll(3)
    assert [wc.status for wc in got] == ["SUCCESS", "LOC_QP_OP_ERR",
                                         "WR_FLUSH_ERR"]
    assert got[1].reason in reason.split("|")
    assert pair.states() == (r.RTS, r.ERR)
    check_record(faults, reason, key, "LOCAL_INV", pair.far.qpn, "local-read",
                 0, 0)
    assert region.unchanged(64, region.at(0, 64))
    pair.again()
    check_unharmed(stage)


@pytest.mark.parametrize("length", [0, 64, MESSAGE])
@pytest.mark.parametrize("what", WRONG)
def test_remote_invalidate_is_refused(things, faults, what, length):
    reason, choose = WRONG[what]
    stage = Stage(things)
    pair, region, key = stage.pair, stage.region, choose(stage)
    local, sink = things.region(), things.region()
    region.note()
    pair.far.recv(sink.sge(0, 8000), wr_id=100)
    pair.far.recv(sink.sge(0, 8000), wr_id=101)
    pair.near.post(r.access(WRITE, region.iova, region.rkey, local.sge()),
                   r.send_inv(key, local.sge(0, length)),
                   r.send(local.sge()))
    assert [wc.status for wc in pair.near.poll(3)] == \
        ["SUCCESS", "REM_ACCESS_ERR", "WR_FLUSH_ERR"]
    got = pair.far.poll(2)
    assert [(wc.wr_id, wc.status) for wc in got] == \
        [(100, "LOC_ACCESS_ERR"), (101, "WR_FLUSH_ERR")]
    assert not got[0].flags & r.CQE_INV
    assert got[0].reason in reason.split("|")
    assert pair.states() == (r.ERR, r.ERR)
    check_record(faults, reason, key, "SEND_INV", pair.far.qpn, "remote-read",
                 0, 0)
    assert region.unchanged(0, local.at(0, 64))
    # the data of the SEND may have been written to the receive's buffer
    assert sink.unchanged(0, sink.at(0, length))
    pair.again()
    check_unharmed(stage)


def check_unharmed(stage):
    """Checks that both windows still grant access, and that their region cannot be
    deregistered."""
    things, region = stage.things, stage.region
    local = things.region()
    region.note()
    check_granted(stage.pair, WRITE, stage.window.key, region.iova, local,
                  region, 0)
    check_granted(stage.other, WRITE, stage.elsewhere.key, region.iova, local,
                  region, 0)
    with pytest.raises(OSError) as failure:
        region.close()
    assert failure.value.errno == errno.EBUSY
    things.close()
    stage.foreign.close()


def test_region_takes_no_invalidate_after_its_window(things, faults):
    """A region without windows refuses invalidation too."""
    far, pair = things.region(), things.pair()
    pair.far.post(r.local_inv(far.rkey))
    assert pair.far.poll()[0].status == "LOC_QP_OP_ERR"
    record = faults.one()
    assert record["reason"] == "type"
    things.close()


# ---- a wire that repeats and loses packets ------------------------------------------

@pytest.fixture
def wire(device):
    """A function that sets impairments of the wire. The test's end removes them."""
    def impair(spec):
        device.ask(cmd="fault", wire=spec)
    yield impair
    impair("none")


def counters(device):
    return device.stats()["device"]["counters"]


def test_repeated_send_invalidates_once(things, device, wire):
    """A duplicate of the SEND arrives after the key was bound again. It must not
    invalidate the new bind."""
    local, far, sink = things.region(), things.region(), things.region()
    pair, window = things.pair(timeout=10), things.window()
    window.bind(pair.far, far)
    key, before = window.key, counters(device)["duplicate_request"]
    rounds = 0
    wire("loss=15%,dup=20%,seed=11")
    while rounds < 20 or counters(device)["duplicate_request"] < before + 20:
        rounds += 1
        assert rounds < 1000, "no request was repeated"
        sink.note()
        pair.far.recv(sink.sge(0, 256), wr_id=rounds)
        pair.near.post(r.send_inv(key, local.sge()))
        got, = pair.far.poll()
        assert (got.wr_id, got.status, got.inv_key) == (rounds, "SUCCESS", key)
        window.bind(pair.far, far, new_key=key)
        sent, = pair.near.poll()
        assert sent.status == "SUCCESS"
        far.note()
        check_granted(pair, WRITE, key, far.iova, local, far, 0)
        assert sink.unchanged(0, local.at(0, 64))
        assert not pair.far.completions() and not pair.near.completions()
    assert pair.states() == (r.RTS, r.RTS)
    wire("none")
    things.close()


def test_repeated_write_does_not_land_behind_its_invalidate(things, wire):
    local, far = things.region(), things.region()
    pair, window = things.pair(timeout=10), things.window()
    wire("dup=60%,reorder=10%,seed=5")
    for _ in range(soak(15, 1000)):
        key = window.bind(pair.far, far)
        pair.far.recv(local.sge(8192))
        pair.near.post(access(WRITE, key, far.iova, local, MESSAGE),
                       r.send_inv(key, local.sge()))
        assert pair.far.poll()[0].inv_key == key
        assert far.at(0, MESSAGE) == local.at(0, MESSAGE)
        far.buf.view[PAGE:PAGE + MESSAGE] = os.urandom(MESSAGE)
        far.note()
        assert [wc.status for wc in pair.near.poll(2)] == ["SUCCESS"] * 2
        assert far.unchanged()
    things.close()


# ---- accesses in flight -------------------------------------------------------------

@pytest.fixture
def release(device):
    """A function that releases the packets that hold() keeps. It is also called at the
    end of the test."""
    def release():
        device.ask(cmd="release")
    yield release
    release()


def hold(device, end, after):
    """Makes the device hold packets for @end, except for the next @after packets."""
    device.ask(cmd="hold", qpn=end.qpn, after=after)


def held(device, count):
    """Waits until the device holds @count packets."""
    until = time.monotonic() + 10
    while device.stats()["wire"]["held"] < count:
        assert time.monotonic() < until, device.stats()["wire"]
        time.sleep(0.01)


LONG = 64 * 1024    # bytes of a message of 64 packets
SLOW = 21           # timeout exponent of a queue pair: 9 s


def start_write(things, device, key, far, pair):
    """Starts a WRITE of which ten packets arrive and the others are held."""
    local = things.region(length=LONG)
    far.note()
    hold(device, pair.far, 10)
    pair.near.post(access(WRITE, key, far.iova, local, LONG))
    held(device, 10)
    landed = far.at(0, 10 * 1024)
    assert landed == local.at(0, 10 * 1024)
    assert far.unchanged(0, landed)
    far.note()


def end_write(things, release, faults, far, pair, reason):
    """Releases the held packets of the WRITE, which must be refused."""
    release()
    assert pair.near.poll()[0].status == "REM_ACCESS_ERR"
    record = faults.one()
    assert record["reason"] == reason
    assert far.unchanged()
    things.close()


def test_write_in_flight_and_local_invalidate(things, device, release, faults):
    far = things.region(length=LONG)
    pair, window = things.pair(timeout=SLOW), things.window()
    key = window.bind(pair.far, far)
    start_write(things, device, key, far, pair)
    pair.far.do(r.local_inv(key))
    end_write(things, release, faults, far, pair, "key_free")


def test_local_invalidate_waits_for_what_is_not_acknowledged(
        things, device, release, faults):
    """The key grants access until the requests before LOCAL_INV are acknowledged, since
    they may have to be repeated."""
    local, far = things.region(), things.region()
    pair, window = things.pair(timeout=SLOW), things.window()
    key = window.bind(pair.far, far)
    hold(device, pair.near, 0)
    pair.far.post(r.access(WRITE, local.iova + 1024, local.rkey, far.sge()),
                  r.local_inv(key))
    held(device, 1)
    pair.near.post(access(WRITE, key, far.iova, local, 512))
    until = time.monotonic() + 10
    while far.unchanged() and time.monotonic() < until:
        time.sleep(0.01)
    assert far.unchanged(0, local.at(0, 512))
    assert not pair.far.completions()
    release()
    assert [wc.status for wc in pair.far.poll(2)] == ["SUCCESS"] * 2
    assert [wc.status for wc in pair.near.poll()] == ["SUCCESS"]
    check_refused(pair, faults, "key_free", WRITE, key, far.iova, local, far)
    things.close()


def test_write_in_flight_and_unbind(things, device, release, faults):
    far = things.region(length=LONG)
    pair, window = things.pair(timeout=SLOW), things.window(1)
    key = window.bind(pair.far, far)
    start_write(things, device, key, far, pair)
    pair.far.do(window.unbind_entry())
    end_write(things, release, faults, far, pair, "key_byte")


def test_write_in_flight_and_rebind(things, device, release, faults):
    """The window is bound to a smaller part of the region, with another key."""
    far = things.region(length=LONG)
    pair, window = things.pair(timeout=SLOW), things.window(1)
    key = window.bind(pair.far, far)
    start_write(things, device, key, far, pair)
    window.bind(pair.far, far, 0, 64)
    end_write(things, release, faults, far, pair, "key_byte")


def test_write_in_flight_and_dealloc(things, device, release, faults):
    far = things.region(length=LONG)
    pair, window = things.pair(timeout=SLOW), things.window()
    key = window.bind(pair.far, far)
    start_write(things, device, key, far, pair)
    things.close(window)
    things.close(far)
    end_write(things, release, faults, far, pair, "key_invalid")


def test_write_in_flight_and_dereg(things, device, release, faults):
    far, pair = things.region(length=LONG), things.pair(timeout=SLOW)
    start_write(things, device, far.rkey, far, pair)
    things.close(far)
    end_write(things, release, faults, far, pair, "key_invalid")


def test_remote_invalidate_behind_a_write_in_flight(things, device, release,
                                                    faults):
    """The WRITE arrives before the invalidation, so it succeeds; a later one fails."""
    local, far = things.region(length=LONG), things.region(length=LONG)
    pair, window = things.pair(timeout=SLOW), things.window()
    key = window.bind(pair.far, far)
    pair.far.recv(local.sge())
    hold(device, pair.far, 10)
    pair.near.post(access(WRITE, key, far.iova, local, LONG),
                   r.send_inv(key), access(WRITE, key, far.iova, local, 64))
    held(device, 10)
    assert not pair.far.completions()
    release()
    got, = pair.far.poll()
    assert got.inv_key == key and far.unchanged(0, local.at(0, LONG))
    assert [wc.status for wc in pair.near.poll(3)] == \
        ["SUCCESS", "SUCCESS", "REM_ACCESS_ERR"]
    record = faults.one()
    assert record["reason"] == "key_free"
    things.close()


# ---- deregistration under traffic ---------------------------------------------------

POSTED = 20


def register_and_end(dev, pd, rounds, failures):
    """Registers a region, and deregisters it while a peer writes to it, in rounds."""
    try:
        pair = Pair(dev, pd)
        source = Region(dev, pd, r.LOCAL_WRITE, 16 * PAGE, None)
        for number in range(rounds):
            far = Region(dev, pd, r.LOCAL_WRITE | r.REMOTE_WRITE, 16 * PAGE,
                         None)
            fresh = os.urandom(far.buf.length)
            write = r.access(WRITE, far.iova, far.rkey,
                             source.sge(0, source.length))
            pair.near.post(*[write] * POSTED)
            got = pair.near.poll(number % 5)
            far.close()
            far.buf.view[:] = fresh
            pair.near.post(write)
            got += pair.near.poll(POSTED + 1 - len(got))
            done = [wc.status for wc in got].count("SUCCESS")
            assert [wc.status for wc in got] == ["SUCCESS"] * done + \
                ["REM_ACCESS_ERR"] + ["WR_FLUSH_ERR"] * (POSTED - done)
            assert bytes(far.buf.view) == fresh, "bytes landed behind the end"
            pair.again()
        pair.close()
        source.close()
    except BaseException as failure:        # the test's thread raises it
        failures.append(failure)


def test_deregistration_under_traffic(dev, pd, faults):
    failures = []
    threads = [threading.Thread(target=register_and_end, args=(
        dev, pd, soak(12, 2000), failures)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    assert {record["reason"] for record in faults.new()} == {"key_invalid"}


def test_deregistrations_do_not_wait_for_each_other(dev, pd, device):
    """The reply to one INVALIDATE comes late. Other deregistrations do not wait."""
    slow, *fast = [Region(dev, pd, r.LOCAL_WRITE, PAGE, None)
                   for _ in range(4)]
    before = counters(device)["invalidated_keys"]
    device.ask(cmd="command_fault", kind="late", opcode="INVALIDATE", ms=4000)
    thread = threading.Thread(target=slow.close)
    thread.start()
    while counters(device)["invalidated_keys"] == before:
        time.sleep(0.01)
    for region in fast:
        region.close()
    assert thread.is_alive(), "the late answer was waited for"
    thread.join()


# ---- a process that is killed -------------------------------------------------------


def commands_of_exit(device, regions, windows, sig):
    """The number of device commands during the exit of a process with these numbers
    of regions and windows."""
    with hoard(regions, windows) as child:
        words = child.stdout.readline().split()
        assert words[:1] == ["ready"], words
        pages, shown = free_huge_pages(), int(words[1])
        before = counters(device)["commands"]
        child.send_signal(sig)
        child.wait(300)
    return counters(device)["commands"] - before, pages, shown


@pytest.fixture
def hugetlb():
    knob = pathlib.Path("/proc/sys/vm/nr_hugepages")
    old = knob.read_text()
    knob.write_text("8")
    yield
    knob.write_text(old)


def test_killed_process_leaves_nothing(dev, device, hugetlb):
    regions, windows = soak((5000, 500), (100000, 10000))
    before, pages = totals(dev), free_huge_pages()
    alone, _, _ = commands_of_exit(device, 0, 0, signal.SIGKILL)
    took, left, shown = commands_of_exit(device, regions, windows,
                                         signal.SIGKILL)
    # the regions existed, and the page was pinned
    assert shown >= regions and left == pages - 1
    assert took - alone <= (regions + windows) / 1000 + 1
    assert totals(dev) == before
    assert free_huge_pages() == pages


def test_keys_of_a_killed_process_are_dead(dev, pd, device, hugetlb, faults):
    """The keys that the process printed grant no access to other processes or peers."""
    with hoard(50, 5) as child:
        keys = [int(word, 0) for word in child.stdout.readline().split()[2:]]
        child.kill()
    assert len(keys) == 55
    local = Region(dev, pd, r.LOCAL_WRITE, 4096, None)
    pair = Pair(dev, pd)
    for key in keys[:5] + keys[50:]:
        check_refused(pair, faults, "key_invalid", WRITE, key, local.iova,
                      local)
    pair.close()
    local.close()

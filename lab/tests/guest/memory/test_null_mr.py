# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Null regions: work requests read zeros from them and lose what they write there, the
peer cannot use them, and they cost nothing. Runs in a guest."""

import ctypes
import errno
import os
import subprocess
import time

import pytest
import pyverbs.enums as e
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.wr import SGE

from labverbs.rc import LOCAL, Buffer, Endpoint
from lib import null_mr, rawqp as r, uverbs
from lib.memory import Side
from lib.protection import ADD, READ, REFUSED, WRITE, attempt, reason
from lib.rdma_tool import resources

SEND = e.IBV_WR_SEND
LOCAL_REFUSED = e.IBV_WC_LOC_PROT_ERR
EVERYTHING = 2**64 - 1
LENGTH = 10000
# places in a null region: nothing in the process has these addresses
PLACES = [0, 4095, 1 << 46, 2**64 - LENGTH]


@pytest.fixture(scope="module")
def lkey(dev):
    """The lkey of a null region, which all null regions have."""
    with null_mr.domain(dev.name) as (lib, ctx, pd):
        mr = null_mr.alloc_null_mr(ctx, pd)
        key = mr.lkey
        assert lib.ibv_dereg_mr(ctypes.byref(mr)) == 0
    return key


@pytest.fixture
def null(lkey):
    """A function that returns a scatter-gather entry of the null region."""
    return lambda address=0, length=LENGTH: (address, length, lkey)


@pytest.fixture
def ends(dev, pd):
    """Two queue pairs, connected to each other, of up to 3 scatter-gather entries."""
    a, b = (Endpoint(dev, pd, sge=3) for _ in range(2))
    a.connect(b.address())
    b.connect(a.address())
    return a, b


# ---- data --------------------------------------------------------------------------

@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", [SEND, WRITE])
def test_requests_read_zeros(pd, null, ends, kind, place):
    """Zeros come before and behind the bytes of an ordinary region."""
    a, b = ends
    near, far = Side(pd, LENGTH), Side(pd, 3 * LENGTH)
    sges = [null(place), near.sge(), null(place)]
    if kind == SEND:
        b.recv([far.sge()])
        a.post(SEND, sges)
        b.wait()
    else:
        a.post(WRITE, sges, far.address, far.mr.rkey)
    a.wait()
    assert far.data() == bytes(LENGTH) + near.data() + bytes(LENGTH)


@pytest.mark.parametrize("place", PLACES)
def test_receives_lose_bytes(pd, null, ends, place):
    a, b = ends
    near, far = Side(pd, 3 * LENGTH), Side(pd, LENGTH)
    b.recv([null(place), far.sge(), null(place)])
    a.post(SEND, [near.sge()])
    assert b.wait()[0].byte_len == 3 * LENGTH
    assert far.data() == near.data()[LENGTH:2 * LENGTH]


@pytest.mark.parametrize("place", PLACES)
def test_reads_lose_bytes(pd, null, ends, place):
    a, _ = ends
    near, far = Side(pd, 2 * LENGTH), Side(pd, 3 * LENGTH)
    halves = near.address, near.address + LENGTH
    a.post(READ, [(halves[0], LENGTH, near.mr.lkey), null(place),
                  (halves[1], LENGTH, near.mr.lkey)], far.address, far.mr.rkey)
    a.wait()
    data = far.data()
    assert near.data() == data[:LENGTH] + data[2 * LENGTH:]


def test_an_atomic_loses_its_result(pd, null, ends):
    a, _ = ends
    far = Side(pd, 4096)
    at = far.address + -far.address % 8
    word = ctypes.c_uint64.from_address(at)
    word.value = 41
    a.post(ADD, [null(8, 8)], at, far.mr.rkey, compare=1)
    a.wait()
    assert word.value == 42


def test_nothing_that_was_written_is_read(pd, null, ends):
    a, b = ends
    near, far = Side(pd, LENGTH), Side(pd, LENGTH)
    for _ in range(3):
        b.recv([null()])
        a.post(SEND, [near.sge()])
        b.wait()
        a.post(READ, [null()], near.address, near.mr.rkey)
        a.post(WRITE, [null()], far.address, far.mr.rkey)
        a.wait(3)
        assert not any(far.data())


# ---- protection --------------------------------------------------------------------

@pytest.mark.parametrize("kind", [WRITE, READ, ADD])
def test_the_peer_is_refused(dev, pd, lkey, faults, kind):
    """Neither the lkey nor the rkey of a null region names memory for the peer."""
    length = 8 if kind == ADD else 64
    for key in (lkey, 0):
        assert attempt(dev, pd, kind, 8, key, length) == REFUSED
        assert reason(faults) == "key_invalid"


@pytest.mark.parametrize("length", [2, LENGTH])
def test_a_range_that_wraps_is_refused(pd, null, ends, faults, length):
    far = Side(pd, LENGTH)
    a, _ = ends
    a.post(WRITE, [null(EVERYTHING, length)], far.address, far.mr.rkey)
    assert a.poll()[0].status == LOCAL_REFUSED
    assert reason(faults) == "range"


@pytest.mark.parametrize("kind", [1, 2])
def test_no_window_can_be_bound(things, lkey, kind):
    window, pair = things.window(kind), things.pair()
    key = window.key & ~0xff | (window.key + 1) & 0xff
    pair.near.post(r.bind(window.key, key, lkey, 0, 4096, r.REMOTE_READ))
    done, = pair.near.poll()
    assert (done.status, done.reason) == ("MW_BIND_ERR", "key_invalid")


def test_the_key_cannot_be_invalidated(things, lkey):
    pair = things.pair()
    pair.near.post(r.local_inv(lkey))
    done, = pair.near.poll()
    assert (done.status, done.reason) == ("LOC_QP_OP_ERR", "key_invalid")


def test_no_page_of_it_can_be_prefetched(pd, lkey):
    with pytest.raises(PyverbsRDMAError) as failure:
        pd.advise_mr(e._IBV_ADVISE_MR_ADVICE_PREFETCH, 1, [SGE(0, 4096, lkey)])
    assert failure.value.error_code == errno.ENOENT


def test_no_region_has_its_index(dev, pd, lkey):
    buf = Buffer((4096, False))
    for _ in range(100):
        handle, key, _ = uverbs.reg_mr(dev.ctx, pd, buf.address, 4096,
                                       buf.address, LOCAL)
        assert key >> 8 != lkey >> 8
        uverbs.dereg_mr(dev.ctx, handle)


# ---- the library -------------------------------------------------------------------

def test_it_costs_nothing(dev, device):
    """The kernel does not know null regions: the domain can be deallocated, although
    they exist, as with other adapters. perftest relies on that."""
    before = resources(dev)
    with null_mr.domain(dev.name) as (lib, ctx, pd):
        base = resources(dev)
        commands = device.stats()["device"]["counters"]["commands"]
        made = [null_mr.alloc_null_mr(ctx, pd) for _ in range(10)]
        assert resources(dev) == base
        assert device.stats()["device"]["counters"]["commands"] == commands
        for mr in made:
            assert (mr.context, mr.pd, mr.addr) == (ctx.value, pd.value, None)
            assert (mr.length, mr.lkey, mr.rkey) == (EVERYTHING, 2, 0)
        for mr in made[:5]:
            assert lib.ibv_dereg_mr(ctypes.byref(mr)) == 0
    assert resources(dev) == before


def test_it_cannot_be_changed(dev):
    with null_mr.domain(dev.name) as (lib, ctx, pd):
        mr = null_mr.alloc_null_mr(ctx, pd)
        for flags in range(1, 8):
            assert lib.ibv_rereg_mr(ctypes.byref(mr), flags, pd, None,
                                    ctypes.c_size_t(4096), LOCAL) != 0
        assert (mr.length, mr.lkey, mr.rkey) == (EVERYTHING, 2, 0)
        assert lib.ibv_dereg_mr(ctypes.byref(mr)) == 0


def listens(port):
    done = subprocess.run(["ss", "-Hltn", f"sport = :{port}"],
                          capture_output=True, text=True, check=True)
    return bool(done.stdout.strip())


@pytest.mark.parametrize("program", ["ib_write_bw", "ib_read_bw"])
def test_perftest(dev, program):
    line = [program, "-d", dev.name, "-x", str(dev.gid_index), "-F", "-u", "18",
            "-s", "65536", "-n", "100", "--use-null-mr"]
    with subprocess.Popen(line, stdout=subprocess.DEVNULL) as server:
        try:
            until = time.monotonic() + 60
            while not listens(18515) and time.monotonic() < until:
                time.sleep(0.1)
            done = subprocess.run([*line, os.environ["XRDMA_ADDR"]], check=False,
                                  capture_output=True, text=True, timeout=120)
            assert done.returncode == 0 and server.wait(60) == 0, done
            assert "BW average" in done.stdout
        finally:
            server.kill()

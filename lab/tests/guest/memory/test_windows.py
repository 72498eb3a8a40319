# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Memory windows: what a bound window grants, and that it grants nothing else. The
tests write the entries of send queues by hand, so that the device gets requests
that no provider posts; test_windows_verbs.py uses the provider, and test_bind.py
has the binds that the device refuses. A refused request must show in both
completions, in the states of both queue pairs and in one fault record, and must
change no memory. Runs in a guest."""

import errno
import platform
import struct

import pytest
from pyverbs.pd import PD

from labverbs.rc import LOCAL
from lib import rawqp as r, uverbs
from lib.rawqp import CMP_SWAP, FETCH_ADD, READ, WRITE
from lib.soak import soak
from lib.windows import (PAGE, RIGHT_OF, access, check_granted, check_record,
                         check_refused, next_key)

KINDS = [1, 2]
# The debug kernel needs five times as long for each refused access, and it is the
# device that checks key bytes.
SLOW = platform.release().endswith("-debug")


# ---- rights ---------------------------------------------------------------------

@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("granted", [WRITE, READ, FETCH_ADD])
def test_window_grants_its_right_alone(things, faults, kind, granted):
    """The region itself grants the peer no access."""
    needs = 0 if granted == READ else r.LOCAL_WRITE
    local, far = things.region(), things.region(r.MW_BIND | needs)
    pair, window = things.pair(), things.window(kind)
    key = window.bind(pair.far, far, rights=RIGHT_OF[granted])
    for opcode in (WRITE, READ, FETCH_ADD, CMP_SWAP):
        if RIGHT_OF[opcode] == RIGHT_OF[granted]:
            check_granted(pair, opcode, key, far.iova + 8, local, far, 8)
        else:
            check_refused(pair, faults, "rights", opcode, key, far.iova + 8,
                          local, far)
        # the key of the region grants no access either
        check_refused(pair, faults, "rights", opcode, far.rkey, far.iova + 8,
                      local, far)
    things.close()


@pytest.mark.parametrize("kind", KINDS)
def test_window_grants_less_than_its_region(things, faults, kind):
    local, far = things.region(), things.region()
    pair, window = things.pair(), things.window(kind)
    key = window.bind(pair.far, far, rights=0)
    for opcode in (WRITE, READ, FETCH_ADD):
        check_refused(pair, faults, "rights", opcode, key, far.iova, local, far)
    check_granted(pair, WRITE, far.rkey, far.iova, local, far, 0)
    things.close()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("opcode", [WRITE, READ, FETCH_ADD])
def test_queue_pair_must_allow_it_too(things, faults, kind, opcode):
    local, far = things.region(), things.region()
    pair = things.pair(far_rights=LOCAL | r.REMOTE & ~RIGHT_OF[opcode])
    window = things.window(kind)
    key = window.bind(pair.far, far)
    far.note()
    pair.near.post(access(opcode, key, far.iova, local))
    wc, = pair.near.poll()
    assert wc.status in ("REM_ACCESS_ERR", "REM_INV_REQ_ERR")
    record = faults.one()
    assert record["reason"] == "qp_rights"
    assert far.unchanged() and local.unchanged()
    things.close()


@pytest.mark.parametrize("kind", KINDS)
def test_window_is_no_local_key(things, faults, kind):
    """A window's key is refused as lkey, also for reads and receives."""
    far = things.region()
    pair, window = things.pair(), things.window(kind)
    key = window.bind(pair.far, far)
    pair.far.post(r.access(WRITE, far.iova, far.rkey, (far.iova, 8, key)))
    assert pair.far.poll()[0].status == "LOC_PROT_ERR"
    check_record(faults, "type", key, "WRITE", pair.far.qpn, "local-read",
                 far.iova, 8)
    pair.again()
    pair.far.recv((far.iova, 64, key))
    pair.near.post(r.send(far.sge()))
    assert pair.far.poll()[0].status == "LOC_PROT_ERR"
    assert pair.near.poll()[0].status == "REM_OP_ERR"
    record = faults.one()
    assert record["reason"] == "type"
    assert far.unchanged()
    things.close()


# ---- range ----------------------------------------------------------------------

# first byte and length of a window in a region of 16384 bytes
WINDOWS = [(0, 16384), (0, 1), (16383, 1), (4096, 4096), (4095, 2), (5, 9001),
           (16384 - 4097, 4097)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("start,length", WINDOWS)
def test_edges_of_the_window(things, faults, kind, start, length):
    local, far = things.region(length=8 * PAGE), things.region()
    pair, window = things.pair(), things.window(kind)
    key = window.bind(pair.far, far, start, length)
    end = start + length
    for at, size in {(start, 1), (end - 1, 1), (start, length)}:
        check_granted(pair, WRITE, key, far.iova + at, local, far, at, size)
    for at, size in ((start - 1, 1), (end, 1), (start - 1, length + 1),
                     (start, length + 1), (end - 1, 2)):
        check_refused(pair, faults, "range", WRITE, key, far.iova + at, local,
                      far, length=size)
    check_refused(pair, faults, "range", READ, key, far.iova + end, local, far,
                  length=1)
    things.close()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("remote,length", [
    (2**64 - 32, 64), (2**64 - 1, 1), (2**63, 64), (0, 64), (2**64 - 64, 64)])
def test_addresses_that_wrap(things, faults, kind, remote, length):
    local, far = things.region(), things.region()
    pair, window = things.pair(), things.window(kind)
    key = window.bind(pair.far, far)
    check_refused(pair, faults, "range", WRITE, key, remote, local, far,
                  length=length)
    things.close()


@pytest.mark.parametrize("kind", KINDS)
def test_window_at_the_end_of_the_address_space(things, faults, kind):
    local, far = things.region(), things.region(iova=2**64 - 4 * PAGE)
    pair, window = things.pair(), things.window(kind)
    key = window.bind(pair.far, far, far.length - 64, 64)
    check_granted(pair, WRITE, key, 2**64 - 64, local, far, far.length - 64)
    check_granted(pair, READ, key, 2**64 - 1, local, far, far.length - 1, 1)
    for remote, length in ((2**64 - 63, 64), (2**64 - 1, 2), (0, 1),
                           (2**64 - 65, 1)):
        check_refused(pair, faults, "range", WRITE, key, remote, local, far,
                      length=length)
    things.close()


@pytest.mark.parametrize("kind", KINDS)
def test_access_of_no_bytes_is_not_checked(things, kind):
    """IBTA C9-88: the key of an access of no bytes is not checked."""
    local, far = things.region(), things.region()
    pair, window = things.pair(), things.window(kind)
    key = window.bind(pair.far, far, 0, 64, rights=0)
    pair.near.do(access(WRITE, key ^ 1, far.iova + 9999, local, 0))
    assert far.unchanged()
    things.close()


def test_zero_based_window(things, faults):
    local, far = things.region(), things.region()
    pair, window = things.pair(), things.window(2)
    key = window.bind(pair.far, far, 100, 5000, rights=r.REMOTE | r.ZERO_BASED)
    for at, size in ((0, 1), (4999, 1), (0, 5000), (4000, 1000)):
        check_granted(pair, WRITE, key, at, local, far, 100 + at, size)
    for remote, size in ((5000, 1), (4999, 2), (-1, 1), (-1, 2),
                         (far.iova + 100, 1)):
        check_refused(pair, faults, "range", WRITE, key, remote, local, far,
                      length=size)
    things.close()


@pytest.mark.parametrize("kind", KINDS)
def test_window_of_a_zero_based_region(things, faults, kind):
    local = things.region()
    far = things.region(r.LOCAL_WRITE | r.MW_BIND | r.ZERO_BASED, iova=0)
    pair, window = things.pair(), things.window(kind)
    key = window.bind(pair.far, far, 4000, 200)
    check_granted(pair, WRITE, key, 4000, local, far, 4000, 200)
    check_refused(pair, faults, "range", WRITE, key, 3999, local, far)
    check_refused(pair, faults, "range", WRITE, key, far.start + 4000, local,
                  far)
    things.close()


def test_windows_that_overlap(things, faults):
    """Each of the windows of the same bytes grants its own rights."""
    local, far = things.region(), things.region()
    pair = things.pair()
    grants = [(1, 0, 8192, r.REMOTE_WRITE), (2, 4096, 8192, r.REMOTE_READ),
              (2, 4096, 4096, r.REMOTE_WRITE), (1, 0, 16384, 0)]
    for kind, start, length, rights in grants:
        things.window(kind).bind(pair.far, far, start, length, rights)
    for window, (_, start, length, rights) in zip(things._windows, grants):
        for at in (0, 4096, 8192, 12288):
            inside = start <= at < start + length
            for opcode in (WRITE, READ):
                if inside and rights == RIGHT_OF[opcode]:
                    check_granted(pair, opcode, window.key, far.iova + at,
                                  local, far, at)
                else:
                    check_refused(pair, faults, "rights" if rights !=
                                  RIGHT_OF[opcode] else "range", opcode,
                                  window.key, far.iova + at, local, far)
    things.close()


# ---- binds of the same window again -------------------------------------------------

@pytest.mark.parametrize("kind", KINDS)
def test_after_a_rebind_exactly_one_key_byte_works(things, faults, kind):
    local, far = things.region(), things.region()
    pair, window = things.pair(), things.window(kind)
    first = window.bind(pair.far, far)
    if kind == 2:
        pair.far.do(r.local_inv(first))
    key = window.bind(pair.far, far, new_key=next_key(first, 0x5a))
    check_refused(pair, faults, "key_byte", WRITE, first, far.iova, local, far)
    for step in range(1, 256, 1 if kind == 1 and not SLOW else soak(4, 1)):
        pair.near.post(access(WRITE, next_key(key, step), far.iova, local))
        assert pair.near.poll()[0].status == "REM_ACCESS_ERR"
        assert faults.one()["reason"] == "key_byte"
        pair.again()
    assert far.unchanged()
    check_granted(pair, WRITE, key, far.iova, local, far, 0)
    things.close()


def test_type_1_moves_from_region_to_region(things, faults):
    local, one, two = (things.region() for _ in range(3))
    pair, window = things.pair(), things.window(1)
    old = window.bind(pair.far, one, 0, 128)
    key = window.bind(pair.far, two, 64, 128)
    check_refused(pair, faults, "key_byte", WRITE, old, one.iova, local, one)
    check_refused(pair, faults, "range", WRITE, key, one.iova, local, one, two)
    check_granted(pair, WRITE, key, two.iova + 64, local, two, 64)
    # the window is bound to the second region, which cannot be deregistered
    things.close(one)
    with pytest.raises(OSError) as failure:
        two.close()
    assert failure.value.errno == errno.EBUSY
    things.close()


def test_type_1_is_unbound(things, faults):
    local, far = things.region(), things.region()
    pair, window = things.pair(), things.window(1)
    old = window.bind(pair.far, far)
    pair.far.do(window.unbind_entry())
    window.key = next_key(window.key)
    check_refused(pair, faults, "key_byte", WRITE, old, far.iova, local, far)
    check_refused(pair, faults, "key_free", WRITE, window.key, far.iova, local,
                  far)
    # unbinding a second time is no error, and the window can be bound again
    pair.far.do(window.unbind_entry())
    window.key = next_key(window.key)
    window.bind(pair.far, far)
    check_granted(pair, WRITE, window.key, far.iova, local, far, 0)
    pair.far.do(window.unbind_entry())
    things.close(far)
    things.close()


def test_type_1_that_can_not_move_stays(things, faults):
    local, far, bare = (things.region(), things.region(), things.region(LOCAL))
    pair, window = things.pair(), things.window(1)
    key = window.bind(pair.far, far)
    pair.far.post(window.entry(bare))
    assert pair.far.poll()[0].status == "MW_BIND_ERR"
    check_record(faults, "rights", bare.lkey, "BIND_MW", pair.far.qpn,
                 "local-read", bare.iova, bare.length)
    pair.again()
    check_granted(pair, WRITE, key, far.iova, local, far, 0)
    things.close()


def test_type_2_keeps_any_key_byte_of_the_consumer(things):
    local, far = things.region(), things.region()
    pair, window = things.pair(), things.window(2)
    for step in (0, 1, 255, 0, 128):
        key = window.bind(pair.far, far, new_key=next_key(window.key, step))
        check_granted(pair, WRITE, key, far.iova, local, far, 0)
        pair.far.do(r.local_inv(key))
    things.close()


@pytest.mark.parametrize("kind", KINDS)
def test_free_window_grants_nothing(things, faults, kind):
    local, far = things.region(), things.region()
    pair, window = things.pair(), things.window(kind)
    for opcode in (WRITE, READ, FETCH_ADD):
        check_refused(pair, faults, "key_free", opcode, window.key, far.iova,
                      local, far)
    check_refused(pair, faults, "key_byte", WRITE, window.key ^ 1, far.iova,
                  local, far)
    things.close()


# ---- queue pairs and domains --------------------------------------------------------

def test_type_1_belongs_to_the_protection_domain(things):
    local, far = things.region(), things.region()
    one, two, window = things.pair(), things.pair(), things.window(1)
    key = window.bind(one.far, far)
    for pair in (one, two):
        check_granted(pair, WRITE, key, far.iova, local, far, 0)
    things.close()


def test_type_2_belongs_to_its_queue_pair(things, faults):
    local, far = things.region(), things.region()
    one, two, window = things.pair(), things.pair(), things.window(2)
    key = window.bind(one.far, far)
    for opcode in (WRITE, READ, FETCH_ADD):
        check_refused(two, faults, "qp", opcode, key, far.iova, local, far)
    check_granted(one, WRITE, key, far.iova, local, far, 0)
    things.close()


@pytest.mark.parametrize("kind", KINDS)
def test_window_and_queue_pair_of_two_domains(things, faults, kind):
    foreign = PD(things.dev.ctx)
    local, far = things.region(), things.region()
    own, other = things.pair(), things.pair(far_pd=foreign)
    key = things.window(kind).bind(own.far, far)
    for opcode in (WRITE, READ):
        check_refused(other, faults, "pd", opcode, key, far.iova, local, far)
    things.close()
    foreign.close()


# ---- objects that a bound window keeps in use ---------------------------------------

REREG = {"translation": 1, "domain": 2, "access": 4, "all": 7}


@pytest.mark.parametrize("kind", KINDS)
def test_region_with_windows_stays(things, kind):
    less = r.LOCAL_WRITE | r.REMOTE_WRITE | r.REMOTE_READ | r.MW_BIND
    local, far = things.region(), things.region(less)
    foreign = PD(things.dev.ctx)
    pair = things.pair()
    windows = [things.window(kind), things.window(kind)]
    for window in windows:
        window.bind(pair.far, far)
    for window in windows:
        with pytest.raises(OSError) as failure:
            far.close()
        assert failure.value.errno == errno.EBUSY
        for flags in REREG.values():
            with pytest.raises(OSError) as failure:
                uverbs.rereg_mr(things.dev.ctx, far.handle, flags, foreign,
                                local.start, local.length, local.start, LOCAL)
            assert failure.value.errno == errno.EBUSY
        # adding a right is allowed, since no window loses a right
        uverbs.rereg_mr(things.dev.ctx, far.handle, REREG["access"], foreign,
                        access=less | r.REMOTE_ATOMIC)
        check_granted(pair, WRITE, window.key, far.iova, local, far, 0)
        check_granted(pair, READ, far.rkey, far.iova, local, far, 0)
        things.close(window)
    things.close(far)
    things.close()
    foreign.close()


@pytest.mark.parametrize("kind", KINDS)
def test_deallocated_window_grants_nothing(things, faults, kind):
    local, far = things.region(), things.region()
    pair, window = things.pair(), things.window(kind)
    key = window.bind(pair.far, far)
    things.close(window)
    check_refused(pair, faults, "key_invalid", WRITE, key, far.iova, local, far)
    things.close()


@pytest.mark.parametrize("kind", KINDS)
def test_domain_with_a_window_is_busy(dev, kind):
    pd = PD(dev.ctx)
    handle, _ = uverbs.alloc_mw(dev.ctx, pd, kind)
    with pytest.raises(OSError) as failure:
        uverbs.plain(dev.ctx, uverbs.DEALLOC_PD, struct.pack("<I", pd.handle))
    assert failure.value.errno == errno.EBUSY
    uverbs.dealloc_mw(dev.ctx, handle)
    pd.close()


@pytest.mark.parametrize("kind", [0, 3, 255])
def test_window_of_a_type_that_does_not_exist(dev, pd, kind):
    with pytest.raises(OSError) as failure:
        uverbs.alloc_mw(dev.ctx, pd, kind)
    assert failure.value.errno in (errno.EINVAL, errno.EOPNOTSUPP)


def test_2b_queue_pair_with_a_window_can_be_reset_and_destroyed(things):
    local, far = things.region(), things.region()
    pair, window = things.pair(), things.window(2)
    key = window.bind(pair.far, far)
    pair.again()
    check_granted(pair, WRITE, key, far.iova, local, far, 0)
    things.close(pair)
    # the window is still bound, so the region cannot be deregistered
    with pytest.raises(OSError) as failure:
        far.close()
    assert failure.value.errno == errno.EBUSY
    things.close()


def test_limits_are_reported(dev):
    attr = dev.ctx.query_device()
    assert attr.max_mw > 10000
    assert attr.device_cap_flags & (1 << 17)            # MEM_WINDOW
    assert bool(attr.device_cap_flags & 1 << 23) != \
        bool(attr.device_cap_flags & 1 << 24)           # type 2A or 2B

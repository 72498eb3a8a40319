# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of windows of type 2A. Runs in a guest that host_windows.py starts, and
whose device offers that type. There no queue pair with bound windows can be reset,
so the tests of type 2B would not run."""

import errno

import pytest

from lib import rawqp as r, uverbs
from lib.machine import free_huge_pages
from lib.programs import hoard
from lib.rawqp import WRITE
from lib.rdma_tool import totals
from lib.windows import check_granted, check_refused


def busy(call, *args, **kwargs):
    with pytest.raises(OSError) as failure:
        call(*args, **kwargs)
    assert failure.value.errno == errno.EBUSY


def test_it_is_2a(dev):
    flags = dev.ctx.query_device().device_cap_flags
    assert flags & 1 << 23 and not flags & 1 << 24


def held(things, pair):
    """Checks that the queue pair can neither be destroyed nor be reset, also at a second
    attempt. A change to ERR is allowed."""
    for _ in range(2):
        busy(uverbs.destroy_qp, things.dev.ctx, pair.far.handle)
        busy(pair.far.reset)


@pytest.mark.parametrize("count", [1, 3])
def test_queue_pair_with_windows_stays(things, count):
    local, far, pair = things.region(), things.region(), things.pair()
    windows = [things.window() for _ in range(count)]
    for window in windows:
        window.bind(pair.far, far)
    for window in windows:
        held(things, pair)
        assert pair.states() == (r.RTS, r.RTS)
        check_granted(pair, WRITE, window.key, far.iova, local, far, 0)
        pair.far.do(r.local_inv(window.key))
    pair.again()
    window.bind(pair.far, far)
    held(things, pair)
    things.close(window)
    things.close()


def test_queue_pair_is_free_after_a_remote_invalidate(things):
    local, far = things.region(), things.region()
    pair, window = things.pair(), things.window()
    key = window.bind(pair.far, far)
    held(things, pair)
    pair.far.recv(local.sge())
    pair.near.do(r.send_inv(key))
    pair.far.poll()
    pair.again()
    things.close()


def test_queue_pair_in_error_stays_too(things):
    far, pair, window = things.region(), things.pair(), things.window()
    window.bind(pair.far, far)
    uverbs.modify_qp(things.dev.ctx, pair.far.handle, state=r.ERR)
    held(things, pair)
    assert pair.far.state() == r.ERR
    things.close()


def test_type_1_holds_no_queue_pair(things):
    local, far = things.region(), things.region()
    pair, window = things.pair(), things.window(1)
    key = window.bind(pair.far, far)
    pair.again()
    check_granted(pair, WRITE, key, far.iova, local, far, 0)
    things.close(pair)
    things.close()


def test_another_queue_pair_is_refused(things, faults):
    local, far = things.region(), things.region()
    one, two, window = things.pair(), things.pair(), things.window()
    key = window.bind(one.far, far)
    check_refused(two, faults, "qp", WRITE, key, far.iova, local, far)
    two.far.post(r.local_inv(key))
    assert two.far.poll()[0].status == "LOC_QP_OP_ERR"
    check_granted(one, WRITE, key, far.iova, local, far, 0)
    things.close()


def test_process_exit_is_clean(dev, device):
    knob = "/proc/sys/vm/nr_hugepages"
    with open(knob, "w") as out:
        out.write("4")
    before, pages = totals(dev), free_huge_pages()
    qps = device.stats()["device"]["qps"]
    with hoard(200, 100) as child:
        assert child.stdout.readline().startswith("ready")
        child.kill()
    assert totals(dev) == before
    assert free_huge_pages() == pages
    assert device.stats()["device"]["qps"] == qps

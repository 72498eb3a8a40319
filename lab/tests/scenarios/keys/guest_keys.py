# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of a key table that fills up. Runs in a guest that host_keys.py starts, and
whose device has 8,192 keys."""

import errno

import pytest
from pyverbs.mr import MR
from pyverbs.pd import PD

from labverbs.rc import LOCAL, Buffer
from lib import uverbs
from lib.debugfs import key_entries

KEYS = 8192
# indexes that are drawn again only when others have been freed after them
REST = 4096


def fill(ctx, pd):
    """Windows until there is no key left; the last words must be ENOSPC."""
    handles = []
    with pytest.raises(OSError) as failure:
        while True:
            handles.append(uverbs.alloc_mw(ctx, pd, 2)[0])
    assert failure.value.errno == errno.ENOSPC
    return handles


def test_a_full_table_says_so_and_recovers(dev, pd):
    attr = dev.ctx.query_device()
    assert KEYS - 8 < attr.max_mw < KEYS and attr.max_mr == attr.max_mw
    handles = fill(dev.ctx, pd)
    # nothing has been freed before but by the driver itself, and tests
    assert attr.max_mw - 64 <= len(handles) <= attr.max_mw
    assert key_entries() == KEYS
    buf = Buffer((4096, False))
    for _ in range(3):
        with pytest.raises(Exception, match="Errno: 28"):
            MR(pd, 4096, LOCAL, address=buf.address)
    assert fill(dev.ctx, pd) == []

    for handle in handles:
        uverbs.dealloc_mw(dev.ctx, handle)
    MR(pd, 4096, LOCAL, address=buf.address).close()
    # what rests is not given out, all else is
    again = fill(dev.ctx, pd)
    assert len(handles) - 2 * REST < len(again) <= len(handles) - REST
    for handle in again:
        uverbs.dealloc_mw(dev.ctx, handle)
    assert key_entries() == KEYS


def test_a_domain_that_ends_gives_its_keys_back(dev):
    """More often than there are keys."""
    for _ in range(4):
        pd = PD(dev.ctx)
        handles = [uverbs.alloc_mw(dev.ctx, pd, 1)[0] for _ in range(2500)]
        for handle in handles:
            uverbs.dealloc_mw(dev.ctx, handle)
        pd.close()

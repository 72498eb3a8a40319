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
# number of freed key indexes that the driver does not use again yet
REST = 4096


def fill(ctx, pd):
    """Allocates windows until that fails, which must be with ENOSPC."""
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
    # only the driver itself and earlier tests have freed keys before
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
    # all keys are allocated again except for those that are not used again yet
    again = fill(dev.ctx, pd)
    assert len(handles) - 2 * REST < len(again) <= len(handles) - REST
    for handle in again:
        uverbs.dealloc_mw(dev.ctx, handle)
    assert key_entries() == KEYS


def test_a_domain_that_ends_gives_its_keys_back(dev):
    """Allocates more keys in total than the device has."""
    for _ in range(4):
        pd = PD(dev.ctx)
        handles = [uverbs.alloc_mw(dev.ctx, pd, 1)[0] for _ in range(2500)]
        for handle in handles:
            uverbs.dealloc_mw(dev.ctx, handle)
        pd.close()

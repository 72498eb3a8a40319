# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tens of thousands of windows, or a million in the long form, that are allocated,
bound, invalidated and freed in turn. Memory must not grow meanwhile, and the key
table must shrink afterwards. Runs in a guest."""

import pathlib
import re
import time

from lib import rawqp as r, uverbs
from lib.debugfs import key_entries
from lib.soak import soak
from lib.windows import Window, next_key

BATCH = 16
ROUNDS = soak(20_000, 1_000_000) // BATCH
# Rounds in which caches fill, and the key table grows by the 4096 freed keys that are
# not used again yet
WARM_UP = 8_000 // BATCH
SLAB = re.compile(r"^kmalloc\S* +(\d+)", re.M)


def slab_objects():
    """The number of objects in use in the kmalloc caches."""
    return sum(int(count) for count in
               SLAB.findall(pathlib.Path("/proc/slabinfo").read_text()))


def in_use(device):
    return {"key_entries": key_entries(), "slab": slab_objects(),
            "dma": device.stats()["dma"]["live"]}


def one_round(dev, pd, kind, end, region, left_bound):
    """Allocates, binds, invalidates and frees a batch of windows. Some of them are
    freed while they are bound. Returns the keys of their allocation."""
    windows = [Window(dev, pd, kind) for _ in range(BATCH)]
    end.do(*[window.entry(region) for window in windows])
    if kind == 2:
        end.do(*[r.local_inv(next_key(window.key))
                 for window in windows[left_bound:]])
    for window in windows:
        window.close()
    return [window.key for window in windows]


def test_windows_come_and_go_without_growth(dev, pd, things, device):
    region, end = things.region(), things.pair().far
    last = {}
    for number in range(ROUNDS):
        for key in one_round(dev, pd, 1 + number % 2, end, region, number % 4):
            # a new key of an index does not have the key byte of its last bind
            assert key & 0xff != last.get(key >> 8)
            last[key >> 8] = next_key(key) & 0xff
        if number == WARM_UP:
            before = in_use(device)
    after = in_use(device)
    assert after["key_entries"] == before["key_entries"] <= 16384
    assert after["dma"] == before["dma"]
    # a leak of one object for each window would exceed this limit 20 times
    assert after["slab"] - before["slab"] < (ROUNDS - WARM_UP) * BATCH // 20


def test_the_key_table_shrinks_again(dev, pd, things):
    """A window that stays while 30,000 come and go works before and after."""
    region, end = things.region(), things.pair().far
    window = Window(dev, pd, 2)
    end.do(window.entry(region))
    handles = [uverbs.alloc_mw(dev.ctx, pd, 2)[0] for _ in range(30_000)]
    most = key_entries()
    assert most > 32_768
    for handle in handles:
        uverbs.dealloc_mw(dev.ctx, handle)
    deadline = time.monotonic() + 30
    # 4096 keys that are not used again yet and those of a few processors are three
    # eighths of 16,384
    while key_entries() > 16_384 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert key_entries() <= 16_384
    end.do(r.local_inv(next_key(window.key)))
    window.close()

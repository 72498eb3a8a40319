# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What `rdma resource` and `rdma statistic` show of regions. Runs in a guest."""

import contextlib
import os
import pathlib
import random
import subprocess

import pytest
from pyverbs.mr import MR
from pyverbs.pd import PD

from labverbs.rc import ALL, LOCAL, Buffer
from lib import binding, uioctl, uverbs
from lib.memory import address_of, huge_pages
from lib.protection import READ, REFUSED, WRITE, attempt
from lib.rdma_tool import details, rdma, statistic

ZERO_BASED = 1 << 5      # IBV_ACCESS_ZERO_BASED, which device memory needs
LAST_OF_KIND = {"user": "drv_mtt_bytes", "device_memory": "drv_dm_offset"}
REASONS = ("key_index", "key_invalid", "key_free", "key_byte", "pd", "qp",
           "rights", "range", "translation", "bound", "type", "align",
           "qp_rights", "not_free")


def number(value):
    """The number in a JSON value: some versions of `rdma` print hexadecimal strings."""
    return value if isinstance(value, int) else int(value, 16)


def blocks(row):
    return {name[len("drv_blocks_"):]: count for name, count in row.items()
            if name.startswith("drv_blocks_")}


def covered(row):
    unit = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    return sum(int(name[:-1]) * unit[name[-1]] * count
               for name, count in blocks(row).items())


def test_what_fills_many_messages_is_whole(dev, pd):
    """The kernel sends rows in messages of some KiB, and a row that does not fit is in
    the next one. The rows have different lengths, so that messages end anywhere."""
    rng, buf = random.Random(1), Buffer((4096, False))
    memory = uioctl.alloc_dm(dev.ctx, 4096)[0]
    handles, lkeys = [], set()
    for _ in range(1000):
        handle, lkey, _ = rng.choice((
            lambda: uverbs.reg_mr(dev.ctx, pd, buf.address, 4096, buf.address,
                                  ALL),
            lambda: uioctl.reg_dm(dev.ctx, pd, memory, 0, 4096, ZERO_BASED)))()
        handles.append(handle)
        lkeys.add(lkey)
    rows = {int(str(row["lkey"]), 16): row for row in rdma(
        "resource", "show", "mr", "dev", dev.name, "-dd")}
    assert lkeys <= set(rows)
    for lkey in lkeys:
        row = rows[lkey]
        assert LAST_OF_KIND[row["drv_kind"]] in row, row
    for handle in handles:
        uverbs.dereg_mr(dev.ctx, handle)
    uioctl.free_dm(dev.ctx, memory)


@pytest.mark.parametrize("parts", [
    [(4096, False)], [(1 << 20, False)], [(8 << 20, True)],
    [(2 << 20, False), (4 << 20, True)]],
    ids=["page", "pages", "huge", "mixed"])
def test_blocks_make_up_the_region(dev, pd, parts):
    buf = Buffer(*parts)
    buf.view[::4096] = bytes(len(buf.view[::4096]))
    mr = MR(pd, buf.length, ALL, address=buf.address)
    row = details(dev, mr.lkey)
    assert row["drv_kind"] == "user" and row["drv_state"] == "valid"
    assert row["mrlen"] == buf.length
    assert row["pid"] == os.getpid()
    assert covered(row) >= buf.length
    # contiguous memory has one block, aligned to its own size, which contains it
    assert not row["drv_levels"] or covered(row) <= buf.length + (4 << 20)
    entries = sum(blocks(row).values())
    assert row["drv_mtt_entries"] == (entries if row["drv_levels"] else 0)
    assert row["drv_mtt_bytes"] % 4096 == 0
    assert row["drv_mtt_bytes"] >= 8 * row["drv_mtt_entries"]
    assert (row["drv_levels"] == 0) == (row["drv_mtt_bytes"] == 0)
    mr.close()


def test_huge_pages_stay_whole(dev, pd):
    """A block may hold several huge pages, if their memory is contiguous. The first
    and the last block may begin before the region and end after it."""
    with huge_pages(4) as mapping:
        mapping[::4096] = bytes(2048)
        mr = MR(pd, 8 << 20, ALL, address=address_of(mapping))
        row = details(dev, mr.lkey)
        assert covered(row) >= 8 << 20
        assert sum(blocks(row).values()) <= 4
        assert row["drv_mtt_bytes"] <= 4096
        mr.close()


def test_it_follows_every_change(dev, pd):
    buf, other = Buffer((65536, False)), PD(dev.ctx)
    handle, lkey, _ = uverbs.reg_mr(dev.ctx, pd, buf.address, 65536,
                                    buf.address, ALL)
    old = details(dev, lkey)
    assert number(old["drv_access"]) == 0xf
    new, _ = uverbs.rereg_mr(dev.ctx, handle, 7, other, buf.address, 4096,
                             buf.address, LOCAL)
    row = details(dev, new)
    assert number(row["drv_access"]) == 1
    assert row["drv_pd"] != old["drv_pd"]
    assert row["mrlen"] == 4096
    assert covered(row) == 4096
    uverbs.dereg_mr(dev.ctx, handle)


def test_bound_windows_are_counted(dev, pd, things):
    region, pair = things.region(), things.pair()
    assert details(dev, region.lkey)["drv_windows"] == 0
    made = [things.window(kind) for kind in (1, 2, 2)]
    for count, window in enumerate(made, 1):
        window.bind(pair.near, region, 0, 4096)
        assert details(dev, region.lkey)["drv_windows"] == count
    things.close(made[0])
    assert details(dev, region.lkey)["drv_windows"] == 2
    things.close()


def test_the_last_refused_access_is_shown(dev, pd):
    buf = Buffer((4096, False))
    mr = MR(pd, 4096, ALL, address=buf.address)
    assert "drv_fault" not in details(dev, mr.lkey)
    assert attempt(dev, pd, WRITE, buf.address, mr.rkey ^ 1) == REFUSED
    assert attempt(dev, pd, READ, buf.address + 4090, mr.rkey, 20) == REFUSED
    row = details(dev, mr.lkey)
    assert row["drv_fault"] == "range"
    assert row["drv_fault_length"] == 20
    mr.close()


NOBODY = 65534


def numbers(row):
    """All values that can be read as numbers, also as hexadecimal ones."""
    for value in row.values():
        if isinstance(value, int):
            yield value
        for base in (10, 16) if isinstance(value, str) else ():
            with contextlib.suppress(ValueError):
                yield int(value, base)


def test_others_learn_neither_keys_nor_addresses(dev, pd):
    buf, length = Buffer((3 << 20, False)), (3 << 20) - 777
    mr = MR(pd, length, ALL, address=buf.address)
    secret = {mr.lkey, buf.address, buf.address + length - 1}
    assert attempt(dev, pd, READ, buf.address + length - 1, mr.rkey,
                   20) == REFUSED
    seen = rdma("resource", "show", "mr", "dev", dev.name, "-dd", user=NOBODY)
    row, = (row for row in seen if row["mrlen"] == length)
    assert row["drv_fault"] == "range" and row["drv_state"] == "valid"
    for kind, where in (("mr", "dev"), ("qp", "link"), ("cq", "dev")):
        for row in rdma("resource", "show", kind, where, dev.name, "-dd",
                        user=NOBODY):
            assert not secret & {*numbers(row)}, row
            assert not any("key" in name or "addr" in name for name in row)
    mr.close()


def test_the_raw_entry_is_for_the_administrator(dev, pd):
    buf = Buffer((4096, False))
    mr = MR(pd, 4096, ALL, address=buf.address)
    raw = rdma("resource", "show", "mr", "dev", dev.name, "-r")
    assert raw
    with pytest.raises(subprocess.CalledProcessError):
        rdma("resource", "show", "mr", "dev", dev.name, "-r", user=NOBODY)
    mr.close()


def test_each_reason_has_a_counter(dev, pd):
    before = statistic(dev)
    for reason in REASONS:
        assert f"fault_{reason}" in before
    buf = Buffer((4096, False))
    mr = MR(pd, 4096, ALL, address=buf.address)
    assert attempt(dev, pd, WRITE, buf.address, mr.rkey ^ 1) == REFUSED
    # repeated, since the values may be some milliseconds old
    after = statistic(dev)
    for _ in range(50):
        if after["fault_key_byte"] > before["fault_key_byte"]:
            break
        after = statistic(dev)
    changed = {reason for reason in REASONS if
               after[f"fault_{reason}"] != before[f"fault_{reason}"]}
    assert changed == {"key_byte"}
    mr.close()


def test_each_vector_has_a_name_of_its_own(dev):
    """The name of a completion vector ends with its number in verbs."""
    names = [line.split()[-1]
             for line in pathlib.Path("/proc/interrupts").read_text().splitlines()
             if "xrdma-" in line]
    assert sorted(names) == sorted(
        [f"xrdma-async@{binding.PCI}", f"xrdma-fault@{binding.PCI}",
         *(f"xrdma-comp{number}@{binding.PCI}"
           for number in range(dev.ctx.num_comp_vectors))])

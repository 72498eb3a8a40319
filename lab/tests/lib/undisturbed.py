# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Checks around the actions of hostile users: the actions must not change anything for
other users, and must leave nothing behind."""

import contextlib
import os
import pathlib
import time

import pyverbs.enums as e

from labverbs.rc import pair
from lib.control import stats
from lib.crew import PATIENCE
from lib.debugfs import key_entries, key_table_bytes
from lib.holdings import device_objects
from lib.machine import Log
from lib.memory import Side
from lib.rdma_tool import resources

DMA = pathlib.Path("/sys/kernel/debug/dma-api/dump")
IOMMU = pathlib.Path("/sys/bus/pci/devices", os.environ.get("XRDMA_PCI", ""),
                     "iommu_group")


def table():
    """Returns the bytes of the key table, which grows and shrinks, and the number of
    its DMA mappings: one for each 512 keys and one for each page of its tables."""
    keys, size = key_entries(), key_table_bytes()
    return size, keys // 512 + (size - 64 * keys) // 4096


def mappings():
    """Returns the DMA mappings without those of the key table: the number of bytes that
    the device sees, and the number of mappings that the kernel tracks. The first
    number is 0 without an IOMMU, where the device sees all memory; the second is 0 on
    kernels that do not track mappings."""
    before = size, num = table()
    seen = stats()["dma"]["live_bytes"] - size if IOMMU.exists() else 0
    mapped = DMA.read_text().count(os.environ["XRDMA_PCI"]) - num \
        if DMA.exists() else 0
    return (seen, mapped) if table() == before else mappings()


def holdings(dev):
    """What is held for this device: objects of the core, DMA mappings, and objects of
    the device."""
    return (resources(dev), *mappings(), device_objects())


def works(dev, pd):
    """Checks that a new connection moves its bytes."""
    a, b = pair(dev, pd)
    src, dst = Side(pd, 10000), Side(pd, 10000)
    a.post(e.IBV_WR_RDMA_WRITE, [src.sge()], dst.address, dst.mr.rkey)
    a.wait()
    assert dst.data() == src.data()
    for thing in (a.qp, b.qp, a.cq, b.cq, src.mr, dst.mr):
        thing.close()


@contextlib.contextmanager
def undisturbed(dev, pd):
    """Checks that the code inside of this context does not change the resources held
    for the device, adds nothing to the kernel log, and does not disturb the
    connections of others."""
    before, log = holdings(dev), Log()
    yield
    end = time.monotonic() + PATIENCE
    while (after := holdings(dev)) != before and time.monotonic() < end:
        time.sleep(0.2)
    print("held:", *after)
    assert after == before
    assert [text for _, text in log.lines()
            if "xrdma" in text or "WARNING" in text] == []
    works(dev, pd)

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Counts the resources that the core, the kernel and the device hold for the driver's
device, so that a test can compare the counts before and after."""

import gc
import pathlib
import time

from lib import binding
from lib.control import stats
from lib.sweep_verbs import device_index, summary

DEBUG = pathlib.Path("/sys/kernel/debug")
OBJECTS = ("eqs", "cqs", "qps", "srqs", "groups")


def mappings():
    """The number of the kernel's DMA mappings for this device; 0 for a kernel that does
    not track mappings (CONFIG_DMA_API_DEBUG)."""
    dump = DEBUG / "dma-api/dump"
    return dump.read_text().count(binding.PCI) if dump.exists() else 0


def device_objects():
    """The number of objects of each kind in the device."""
    device = stats()["device"]
    return {kind: device[kind] for kind in OBJECTS}


def core_objects(dev):
    """The number of objects of each kind that the core has for @dev, in a form that can
    be compared. The garbage collector of Python frees the objects of earlier tests
    first."""
    gc.collect()
    if not hasattr(dev, "index"):
        dev.index = device_index(dev.name)
    return summary(dev.index)


def holdings(dev):
    """The resources that the core, the kernel and the device hold for @dev."""
    return core_objects(dev), mappings(), device_objects()


def settled(dev, before):
    """Waits up to 20 seconds until holdings() equals @before. Returns holdings()."""
    end, found = time.monotonic() + 20, holdings(dev)
    while found != before and time.monotonic() < end:
        time.sleep(0.2)
        found = holdings(dev)
    return found

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Every command of every verb fails once, one at a time. The caller must get the
errno that belongs to the status, and neither driver nor device may keep anything.
Runs in a guest."""

import errno

import pytest

from lib.holdings import core_objects, device_objects
from lib.soak import soak
from lib.sweep import CommandFault, World, sweep
from lib.sweep_verbs import OTHERWISE, VERBS

# status of a command -> errno of the verb, see xrdma-hw.rst
STATUS = soak({6: errno.ENOMEM}, {6: errno.ENOMEM, 8: errno.EIO})
# verbs that send no command
SILENT = {"context", "doorbell_page", "pd", "xrcd", "reg_mr-page", "reg_mr-big",
          "reg_mr-mixed", "reg_mr_paged", "advise_mr", "reg_dmabuf_mr", "alloc_dm",
          "reg_moving_dmabuf_mr", "advise_moving_dmabuf_mr",
          "mmap_dm", "reg_dm_mr", "alloc_mw-1", "alloc_mw-2", "create_ah",
          "create_rwq_ind_table", "kernel-alloc_pd", "kernel-get_dma_mr",
          "kernel-alloc_mr", "kernel-create_ah"}


def holdings(dev):
    """The objects that the core and the device hold for @dev."""
    return core_objects(dev), device_objects()


@pytest.mark.parametrize("status", STATUS)
@pytest.mark.parametrize("name", VERBS)
def test_each_command_fails_once(dev, name, status):
    before = holdings(dev)
    world = World(dev, CommandFault(status))
    outcomes = sweep(world, VERBS[name])
    print(f"{name}: {outcomes}")
    assert bool(outcomes) == (name not in SILENT)
    assert set(outcomes.values()) <= {STATUS[status], *OTHERWISE.get(name, ())}
    assert holdings(dev) == before

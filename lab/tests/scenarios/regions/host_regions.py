# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Regions on a device that does not answer: no region may be changed by half, no
memory may be given back too early, and all of it must be given back in the end.
Runs on the host; guest_regions.py runs in the guests. They have a strict IOMMU, so
that the device notices memory that is unmapped too early."""

import errno

import pytest

from labvm import kernels as known
from lib.judge import FAILS_WITHIN, check_nothing_is_held, deaths
from lib.launch import beside, played
from lib.soak import kernels, on, soak

GUEST = beside(__file__, "guest_regions.py")

DEAD = (errno.EIO, errno.ETIMEDOUT)
# EIO if the device has recovered before the call, which has ended the region
GONE = (0, errno.EIO)
# the other kernel moves no dma-buf
moving = pytest.mark.parametrize("kernel", [on("backports")])


def scenarios(kernel):
    """The scenarios that the tests of this file judge on a kernel."""
    found = []
    if kernel == known.DEFAULT:
        found += ["changed_in_place", "taken_back_late"]
    if kernel == known.BY_ROLE["backports"]:
        found += ["moved", "moved_late", "unbound_moving"]
    if kernel == known.BY_ROLE["backports"] or soak(False, True):
        found += ["taken_back"]
    if kernel == known.BY_ROLE["stable"] or soak(False, True):
        found += ["unbound"]
    return tuple(found)


def play(scenario, kernel):
    found = played(GUEST, scenarios(kernel), "--iommu", "--kernel",
                   kernel)[scenario]
    end, after = found["end"], found["after"]
    assert after["unload"]["status"] == 0, after["unload"]["words"]
    check_nothing_is_held(after["device"], iommu=True)
    assert after["again"]["status"] == 0 and len(after["made"]) == 2
    for what, took in end.items():
        if isinstance(took, dict) and "seconds" in took:
            assert took["seconds"] < FAILS_WITHIN, what
    return end


def play_dead(scenario, kernel):
    end = play(scenario, kernel)
    dead = deaths(end)
    assert len(dead) == 1 and "was not answered in" in dead[0], end["errors"]
    return end


def test_a_failed_change_in_place_changes_nothing():
    end = play_dead("changed_in_place", known.DEFAULT)
    assert end["change"]["errno"] in DEAD
    assert end["again"]["errno"] in DEAD
    assert end["dereg"]["errno"] in GONE


@pytest.mark.parametrize("kernel", kernels("backports"))
def test_the_owner_of_a_dma_buf_gets_it_back(kernel):
    end = play_dead("taken_back", kernel)
    assert end["taken"]["errno"] == 0
    assert end["change"]["errno"] in DEAD + (errno.EINVAL,)
    assert end["dereg"]["errno"] in GONE
    assert end["again"]["errno"] == 0


def test_a_dma_buf_in_quarantine_can_be_taken_back():
    end = play_dead("taken_back_late", known.DEFAULT)
    assert end["dereg"]["errno"] == 0
    assert end["taken"]["errno"] == 0


def nothing_strayed(counts):
    """No mapping was left when the memory moved, and no old page was written to."""
    return counts["mapped"] == counts["left"] == counts["strays"] == 0


@moving
def test_a_dma_buf_moves_away_from_a_dead_device(kernel):
    end = play_dead("moved", kernel)
    assert end["taken"]["errno"] == end["again"]["errno"] == 0
    # the driver does not wait as long as for other commands
    assert end["taken"]["seconds"] < 6
    assert end["dereg"]["errno"] in GONE
    assert nothing_strayed(end["counts"])


@moving
def test_a_dma_buf_in_quarantine_can_be_moved(kernel):
    end = play_dead("moved_late", kernel)
    assert end["dereg"]["errno"] == end["taken"]["errno"] == 0
    assert nothing_strayed(end["counts"])


@moving
def test_the_driver_is_unbound_while_the_device_has_a_dma_buf(kernel):
    end = play("unbound_moving", kernel)
    assert end["took"]["errno"] == end["back"]["errno"] == 0
    assert end["moved"]["errno"] == 0
    assert nothing_strayed(end["counts"])


@pytest.mark.parametrize("kernel", kernels("stable"))
def test_the_driver_is_unbound_while_device_memory_is_mapped(kernel):
    end = play("unbound", kernel)
    assert end["took"]["errno"] == 0 and end["back"]["errno"] == 0
    assert not end["seen"], "what was the device's is still there"

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Paged memory whose mappings change on a device that does not answer: the change may
be delayed by little more than a second, and must not hang; the device is reset, and no
memory is given back too early. Also a page of 1 GiB, which only a kernel has that
reserved it when it booted, addresses that only page tables of 5 levels have, and
persistent memory. Runs on the host; guest_paging.py runs in the guests. They have a
strict IOMMU, so that the device notices memory that is unmapped too early."""

import errno

import pytest

from labvm import kernels as known
from lib.judge import check_nothing_is_held, deaths
from lib.launch import beside, played
from lib.soak import kernels, soak

GUEST = beside(__file__, "guest_paging.py")

# Seconds that the driver waits for the device
WAITS = 1
# Seconds that a reset and a busy machine may take in addition
SLACK = 4
# Seconds that a step may take which must not wait for a page, on a busy machine
SOON = 2

REFUSED = 10        # IBV_WC_REM_ACCESS_ERR

# The scenarios of the guest with a page of 1 GiB, page tables of 5 levels and persistent
# memory, and its options
LARGE = ("gigantic", "far", "dax")
LARGE_GUEST = ("--mem", "5G", "--fast-device", "--la57",
               "--append", "hugepagesz=1G hugepages=1 memmap=128M!4G")


def scenarios(kernel):
    """The scenarios on a device that does not answer which the tests of this file judge
    on a kernel."""
    found = []
    if kernel == known.BY_ROLE["backports"] or soak(False, True):
        found += ["unmapped", "forked", "held"]
    if kernel == known.DEFAULT:
        found += ["ended"]
    if kernel == known.BY_ROLE["stable"] or soak(False, True):
        found += ["answered_late"]
    return tuple(found)


def play(scenario, names, kernel, *options):
    """Plays the scenarios with these names. Returns the findings of one of them."""
    found = played(GUEST, names, "--iommu", "--kernel", kernel, *options)[scenario]
    after = found["after"]
    assert after["unload"]["status"] == 0, after["unload"]["words"]
    check_nothing_is_held(after["device"], iommu=True)
    assert after["again"]["status"] == 0 and len(after["made"]) == 2
    return found


def test_pages_of_a_device_that_cannot_be_silenced():
    """The driver gives the device up, and keeps the pages. Later changes of the mappings
    do not wait for the device, and use nothing of it or of the module."""
    found = played(GUEST, ("kept",), "--kernel", known.BY_ROLE["backports"])["kept"]
    end, after = found["end"], found["after"]
    assert end["noticed"] is not None and end["back"] is not None
    assert end["unmap"] < SOON and end["fork"] < SOON and end["zeros"]
    assert after["took"] < 60
    assert after["unload"]["status"] == 0, after["unload"]["words"]


def check_died_once(errors):
    dead, = deaths({"errors": errors})
    assert "was not answered in" in dead


@pytest.mark.parametrize("kernel", kernels("backports"))
@pytest.mark.parametrize("scenario", ["unmapped", "forked"])
def test_a_silent_device_delays_a_change_by_a_second(scenario, kernel):
    end = play(scenario, scenarios(kernel), kernel)["end"]
    check_died_once(end["errors"])
    took = end["unmap" if scenario == "unmapped" else "fork"]
    assert 0.9 * WAITS < took < WAITS + SLACK
    assert end["dereg"] < SLACK
    if scenario == "unmapped":
        assert end["zeros"]
    else:
        assert end["write"] < SLACK


@pytest.mark.parametrize("kernel", kernels("stable"))
def test_an_answer_in_time_is_only_a_delay(kernel):
    end = play("answered_late", scenarios(kernel), kernel)["end"]
    assert not deaths(end)
    assert 0.3 < end["unmap"] < WAITS + SLACK
    assert end["status"] == 0 and end["same"]


def test_a_process_ends_on_a_silent_device():
    kernel = known.DEFAULT
    check_died_once(play("ended", scenarios(kernel), kernel)["after"]["errors"])


@pytest.mark.parametrize("kernel", kernels("backports"))
def test_nobody_waits_for_pages_that_do_not_arrive(kernel):
    """The driver is unbound at once. The module stays, because a work item waits in it,
    and works when the driver is bound again."""
    end = play("held", scenarios(kernel), kernel)["end"]
    assert not deaths(end)
    assert end["unbind"] < SOON and end["unloads"] < SOON
    assert end["unload"]["status"] != 0 and "in use" in end["unload"]["words"]
    assert end["status"] == 0 and end["same"]
    assert end["killed"] < SOON


@pytest.mark.parametrize("kernel", kernels("backports"))
def test_a_page_of_1_gib(kernel):
    """The driver maps the page as blocks of 2 MiB, up to 32 MiB ahead of a stream, and
    forgets all of them with the page."""
    end = play("gigantic", LARGE, kernel, *LARGE_GUEST)["end"]
    assert not deaths(end)
    assert end["wrong"] == [] and end["unmapped"]
    assert end["mapped"] == 1 << 30 - 12
    assert end["faults"] <= 64


@pytest.mark.parametrize("kernel", kernels("backports"))
def test_addresses_that_no_table_maps(kernel):
    """The region of the whole address space ends at 2^48. Addresses behind it are
    refused, and do not change what the addresses 2^48 below them mean. A region of its
    own makes them accessible."""
    end = play("far", LARGE, kernel, *LARGE_GUEST)["end"]
    assert not deaths(end)
    assert end["advised"] == errno.EFAULT and end["prefetches"] == 0
    assert end["below"] == [0, True]
    assert end["beyond"] == [REFUSED, False]
    assert end["own"] == [0, True]


@pytest.mark.parametrize("kernel", kernels("backports"))
def test_persistent_memory(kernel):
    """Memory of a file system with DAX can only be registered on demand, because the
    kernel lets nobody pin its pages for long."""
    end = play("dax", LARGE, kernel, *LARGE_GUEST)["end"]
    assert not deaths(end)
    assert end["file"] == [] and end["device"] == []
    # other memory cannot be registered for FLUSH to persistence
    assert end["persists"] == {"file": 0, "device": 0, "pinned": -errno.EINVAL,
                               "paged": REFUSED}

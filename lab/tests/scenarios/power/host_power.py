# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Bus errors and sleep: afterwards the device must work again without help, its
users must have been informed, and nothing may stay (guest_power.py). Kernels that
start one after the other: a driver must leave the device quiet, and must take a
device in any state (guest_kernels.py). Runs on the host. The guests have a strict
IOMMU, as those of host_recovery.py."""

import pytest

from lib.judge import (check_nothing_is_left, check_users_could_leave,
                       check_works_again)
from lib.launch import beside, findings
from lib.soak import kernels, soak

GUEST = beside(__file__, "guest_power.py")
GUEST_KERNELS = beside(__file__, "guest_kernels.py")

# Event -> the reason in the driver's message that the device is dead, or None
FAILED, FATAL = "its bus has failed", "it reports a fatal error"
CAUSES = {"nonfatal": FAILED, "fatal": FAILED, "error_on_error": FAILED,
          "sleep": None, "sleep_to_idle": None, "sleep_dead": FATAL,
          "wake_badly": None}

# Name of a kernel -> how the kernel before it ended
LEFT = soak({"second": "shutdown"}, {"second": "shutdown", "third": "crash"})


@pytest.fixture(name="troubles", scope="module",
                params=kernels("stable"))
def fixture_troubles(request):
    return findings(f"{GUEST} troubles", "--sleep", "--iommu",
                    "--timeout", "600", "--kernel", request.param)


@pytest.fixture(name="kernels", scope="module",
                params=kernels("backports"))
def fixture_kernels(request):
    crash = ["--allow-splat", "sysrq triggered crash|Call Trace"]
    return findings(f"{GUEST_KERNELS} first {' '.join(LEFT)}",
                    "--timeout", "600", "--kernel", request.param,
                    *(crash if "third" in LEFT else ()))


# ---- errors and sleep ------------------------------------------------------------

@pytest.mark.parametrize("name", CAUSES)
def test_it_works_again(troubles, name):
    check_works_again(troubles[name], troubles["before"], CAUSES[name])


@pytest.mark.parametrize("name", CAUSES)
def test_its_users_get_an_event(troubles, name):
    assert "IBV_EVENT_DEVICE_FATAL" in troubles[f"{name} events"]["heard"]


@pytest.mark.parametrize("name", ["fatal", "sleep"])
def test_its_users_can_leave(troubles, name):
    check_users_could_leave(troubles[name])


def test_a_corrected_error_raises_no_event(troubles):
    found = troubles["correctable"]
    assert not found["errors"]
    assert all(status is None for status in found["busy"])


def test_doorbells_during_a_reset_of_the_bus_go_nowhere(troubles):
    """A process that writes doorbells while the bus is reset goes on. A write that
    reached the device would be a host error, and lab/vm would fail."""
    assert troubles["doorbells"]["ended"] is None


def test_no_process_gets_a_doorbell_page_during_a_reset_of_the_bus(troubles):
    found = troubles["opener"]
    assert found["taken"]
    assert found["mapped"] and found["opened"], found


def test_nothing_is_left(troubles):
    check_nothing_is_left(troubles, "after")


# ---- from kernel to kernel -------------------------------------------------------

def test_driver_takes_a_device_that_runs(kernels):
    """The device works with the driver, and no longer writes to the memory that it used
    before."""
    found = kernels["running"]
    assert found["runs"] and found["answers"]
    assert found["in_time"], "a driver that starts so slowly proves nothing"
    assert found["still"]
    assert found["works"] is not None


@pytest.mark.parametrize("kernel", LEFT)
def test_driver_works_in_the_next_kernel(kernels, kernel):
    """After a shutdown the device does not run. After a crash the device runs, but is no
    bus master any more: a driver for other functions of this vendor has probed it."""
    left, met = kernels[LEFT[kernel]], kernels[kernel]
    assert left["busy"] and left["device"]["objects"][2] > 1
    quiet = LEFT[kernel] == "shutdown"
    assert met["device"]["enabled"] is not quiet
    assert met["device"]["objects"] == \
        ([0, 0, 0] if quiet else left["device"]["objects"])
    assert not met["device"]["master"]
    assert met["works"] is not None


def test_the_last_kernel_leaves_nothing(kernels):
    assert kernels["end"]["unload"]["status"] == 0
    assert not kernels["end"]["device"]["enabled"]
    assert kernels["end"]["device"]["objects"] == [0, 0, 0]

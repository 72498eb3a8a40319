# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The PTP hardware clock, and the settings of time stamps, on a device that is reset or
fails: both stay. Runs in a guest that host_netdev.py starts."""

import errno
import pathlib
import time

import pytest

from lib import phc
from lib.control import ask
from lib.ether import frames

SECOND = 1000000000
# The clock is set to this time, which no other clock of the guest has.
EPOCH = 5000000 * SECOND
RECOVERY = 30   # seconds until the driver has replaced a device that has failed


@pytest.fixture
def clock():
    """The PTP hardware clock, and time stamps that are on."""
    one = phc.Phc()
    one.set(EPOCH)
    phc.enable()
    yield one
    one.close()


def wait_for_frames():
    """Waits until the port works."""
    until = time.monotonic() + RECOVERY
    while not frames(count=1):
        assert time.monotonic() < until


def test_a_reset_of_the_function_keeps_clock_and_settings(clock):
    before = clock.read()
    began = time.monotonic_ns()
    pathlib.Path("/sys/bus/pci/devices", phc.PCI, "reset").write_text("1")
    wait_for_frames()
    assert phc.hwtstamp() == (phc.ON, phc.ALL)
    last = clock.read()
    took = time.monotonic_ns() - began
    assert before < last < before + 2 * took + SECOND
    (_, sent), (_, received) = phc.stamps()
    assert last < sent <= received < clock.read()


def wait_for_errors(clock, failing):
    """Reads the clock until reads fail, or until they no longer fail. Returns the errors
    of the reads."""
    codes, until = set(), time.monotonic() + RECOVERY
    while time.monotonic() < until:
        try:
            clock.read()
            if not failing:
                return codes
        except OSError as failure:
            codes.add(failure.errno)
            if failing:
                return codes
        time.sleep(0.01)
    raise TimeoutError


def test_a_device_that_has_failed_has_no_time(clock):
    """Reads fail at once while the device is down. The clock goes on afterwards."""
    began = time.monotonic_ns()
    ask(cmd="fatal")
    codes = wait_for_errors(clock, True) | wait_for_errors(clock, False)
    assert codes <= {errno.EIO, errno.ENODEV}
    last = clock.read()
    assert EPOCH < last < EPOCH + 2 * (time.monotonic_ns() - began) + SECOND
    wait_for_frames()
    (_, sent), (_, received) = phc.stamps()
    assert last < sent <= received < clock.read()

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Time stamps of frames by the device, and the PTP hardware clock. Runs in a guest.
What linuxptp makes of them is tested between two nodes, and the scenario "netdev" tests
them on a device that is reset or fails."""

import errno
import os
import re
import socket
import subprocess
import time

import pytest

from lib import phc

NETDEV = os.environ.get("XRDMA_NETDEV")
SECOND = 1000000000
# The clock is set to this time, which no other clock of the guest has.
EPOCH = 5000000 * SECOND
PTP_V2_EVENT, ONESTEP_SYNC = 12, 2


@pytest.fixture(scope="module")
def at_first():
    """The settings before the first test of this file."""
    return phc.hwtstamp()


@pytest.fixture(autouse=True)
def clock(at_first):
    """The PTP hardware clock, and time stamps that are on."""
    one = phc.Phc()
    one.faster(0)
    one.set(EPOCH)
    yield one
    one.faster(0)
    one.set(time.time_ns())
    one.close()
    phc.enable(False)


def refused(action, *args):
    """The errno of a call that fails."""
    with pytest.raises(OSError) as failure:
        action(*args)
    return failure.value.errno


def test_ethtool_shows_what_there_is():
    shown = subprocess.run(["ethtool", "-T", NETDEV], check=True,
                           capture_output=True, text=True).stdout
    for word in ("hardware-transmit", "hardware-receive", "hardware-raw-clock",
                 "software-transmit", "software-receive", "\ton", "\tall"):
        assert word in shown
    number = re.search(r"(?:PTP Hardware Clock|provider index): (\d+)", shown)
    assert number and f"ptp{number[1]}" == phc.names()[0], shown


def test_stamps_are_off_by_default(at_first):
    """Without the setting frames have time stamps of the kernel."""
    assert at_first == phc.hwtstamp() == (phc.OFF, phc.NONE)
    received, until = 0, time.monotonic() + phc.PATIENCE
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sock:
        # A work item of the kernel switches its time stamps of received frames on, and
        # off after the last socket that asks for them: so a first frame may have none.
        phc.ask_for_stamps(sock)
        while not received:
            (sent, device_sent), (received, device_received) = phc.stamps()
            assert sent and not device_sent and not device_received
            assert time.monotonic() < until


def test_stamps_are_between_two_reads_of_the_clock(clock):
    phc.enable()
    last = clock.read()
    for _ in range(10):
        (software, sent), (_, received) = phc.stamps()
        now = clock.read()
        assert last < sent <= received < now
        # a frame with a time stamp of the device has none of the kernel
        assert not software
        last = now


def test_only_what_is_asked_for():
    """Frames that are sent, and frames that are received, have settings of their own."""
    phc.hwtstamp(phc.SIOCSHWTSTAMP, phc.ON, phc.NONE)
    (_, sent), (_, received) = phc.stamps()
    assert sent and not received
    phc.hwtstamp(phc.SIOCSHWTSTAMP, phc.OFF, phc.ALL)
    (software, sent), (_, received) = phc.stamps()
    assert software and received and not sent


def test_settings():
    """A filter becomes that of all frames; other settings are refused."""
    assert phc.hwtstamp(phc.SIOCSHWTSTAMP, phc.ON, PTP_V2_EVENT) == (phc.ON, phc.ALL)
    assert phc.hwtstamp() == (phc.ON, phc.ALL)
    assert refused(phc.hwtstamp, phc.SIOCSHWTSTAMP, ONESTEP_SYNC) == errno.ERANGE
    assert phc.hwtstamp() == (phc.ON, phc.ALL)


def test_the_clock_is_set_and_stepped(clock):
    phc.enable()
    assert EPOCH < clock.read() < EPOCH + 100 * SECOND
    clock.step(-1000 * SECOND + 1)
    assert EPOCH - 1000 * SECOND < clock.read() < EPOCH - 900 * SECOND
    before = clock.read()
    (_, sent), (_, received) = phc.stamps()
    assert before < sent <= received < clock.read()


def moment(clock):
    """The time of the clock and that of the guest at one moment: of ten readings, the one
    that nothing has interrupted for long."""
    readings = []
    for _ in range(10):
        begin, now, end = time.monotonic_ns(), clock.read(), time.monotonic_ns()
        readings.append((end - begin, now, (begin + end) // 2))
    return min(readings)[1:]


def rate(clock):
    """Seconds of the clock in a second of the guest."""
    (first, begin), _, (last, end) = moment(clock), time.sleep(0.4), moment(clock)
    return (last - first) / (end - begin)


def test_the_clock_becomes_faster_and_slower(clock):
    phc.enable()
    usual = rate(clock)
    for ppm in (90000, -90000):
        before = clock.read()
        clock.faster(ppm)
        # the time does not jump
        assert before < clock.read() < before + SECOND
        assert abs(rate(clock) / usual - 1 - ppm / 1e6) < 0.03
        last = clock.read()
        (_, sent), (_, received) = phc.stamps()
        assert last < sent <= received < clock.read()
    assert refused(clock.faster, 200000) == errno.ERANGE


def test_the_clock_is_compared_with_that_of_the_system(clock):
    """phc_ctl reads both clocks at the same time."""
    clock.set(time.time_ns() - 1000 * SECOND)
    shown = subprocess.run(["phc_ctl", NETDEV, "--", "cmp"], check=True,
                           capture_output=True, text=True).stdout
    offset = int(re.search(r"CLOCK_REALTIME is (-?\d+) *ns", shown)[1])
    assert 990 * SECOND < abs(offset) < 1010 * SECOND

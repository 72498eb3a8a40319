# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""linuxptp between two nodes, with the time stamps and the clocks of the devices. Runs
in node 1 of two."""

import os
import re
import time

import pytest

from lib import phc

# An emulated guest may need longer than the default of 10 ms until it reports the time
# stamp of a sent frame. Short intervals make the test short.
PTP4L = ("exec ptp4l -i $XRDMA_NETDEV -m --tx_timestamp_timeout 2000 "
         "--logAnnounceInterval -2 --logSyncInterval -4 --logMinDelayReqInterval -4 "
         "--summary_interval -1")
SERVER = "cd /src/lab/tests && exec python3 -B -m lib.phc"
FAR = 1000000       # seconds since 1970 to which the test sets the clock of node 1
EXCHANGES = 20
REPORTS = 4         # lines of a program, one in half a second, until its clock is steady
# ptp4l must be the master of node 2. phc2sys reports two adjustments in a second.
PHC2SYS = "exec phc2sys -s $XRDMA_NETDEV -c CLOCK_REALTIME -w -m -R 2"
PATIENCE = 60
# Difference of the clocks, in ns, at the end. Both devices are processes of one busy
# machine, which wakes up late: the bound is for that, not for the clocks.
BOUND = 1000000
# phc2sys reads the clock of the device over PCI, which takes some ms on a busy machine.
BOUND_OF_SYSTEM = 10 * BOUND

pytestmark = pytest.mark.xrdma_only


def until(condition):
    """Waits until a condition is true."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def difference(nodes, port):
    """How much later the clock of node 2 is, in ns, from datagrams with time stamps."""
    server = nodes.start_there(f"{SERVER} {port}")
    server.wait_for("ready")
    here = phc.exchange(os.environ["PEER_ADDR"], port, EXCHANGES)
    until(lambda: server.text().count("\n") > EXCHANGES)
    there = [tuple(map(int, line.split()))
             for line in server.text().splitlines()[1:]]
    best = min(zip(here, there),
               key=lambda at: at[0][1] - at[0][0] - (at[1][1] - at[1][0]))
    (sent, answered), (arrived, returned) = best
    return ((arrived - sent) - (answered - returned)) // 2


@pytest.fixture
def system_clock(nodes):
    """Gives CLOCK_REALTIME its rate and its time back."""
    ahead = time.time() - time.monotonic()
    yield
    nodes.here("phc_ctl CLOCK_REALTIME -q freq 0")
    time.clock_settime(time.CLOCK_REALTIME, ahead + time.monotonic())


@pytest.mark.usefixtures("system_clock")
def test_phc2sys_sets_the_system_clock(nodes):
    nodes.here(f"phc_ctl $XRDMA_NETDEV -q set {FAR}")
    nodes.start_here(PTP4L)
    client = nodes.start_here(PHC2SYS)
    offsets = re.compile(r" phc offset +(-?\d+) s2 ")
    until(lambda: len(offsets.findall(client.text())) > REPORTS)
    print(client.text())
    assert abs(int(offsets.findall(client.text())[-1])) < BOUND_OF_SYSTEM
    assert abs(time.time() - FAR) < 3600


def test_ptp4l_makes_the_clocks_agree(nodes):
    nodes.here(f"phc_ctl $XRDMA_NETDEV -q set {FAR}")
    assert abs(difference(nodes, 5400)) > 10 ** 12
    nodes.start_there(PTP4L)
    client = nodes.start_here(f"{PTP4L} -s")
    client.wait_for("to SLAVE on MASTER_CLOCK_SELECTED")
    seen = client.text().count(" rms ")
    until(lambda: client.text().count(" rms ") > seen + REPORTS)
    found = difference(nodes, 5401)
    print(client.text(), found)
    assert abs(found) < BOUND

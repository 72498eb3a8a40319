# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A transmit queue that stops: the driver must replace it. Runs in a guest that
host_netdev.py starts, where the kernel may complain of the queue."""

import concurrent.futures
import os
import pathlib
import subprocess
import time

from lib.control import ask, hang, repair, stats
from lib.ether import frames
from lib.machine import Log

NETDEV = pathlib.Path("/sys/class/net", os.environ["XRDMA_NETDEV"])
TIMEOUTS = NETDEV / "queues/tx-0/tx_timeout"
PATIENCE = 30       # seconds; the kernel checks queues every five seconds


def test_a_queue_that_stops_is_replaced():
    os.sched_setaffinity(0, {0})    # whose frames are sent by queue 0
    assert frames(patience=5, count=3) == 3
    changes = (NETDEV / "carrier_changes").read_text()
    timeouts = int(TIMEOUTS.read_text())
    ask(cmd="eth_fault", kind="stall")
    # more frames than the ring has room for
    assert frames(patience=0.001, count=300) == 0
    assert stats()["device"]["eth_fault"] == "none"
    until = time.monotonic() + PATIENCE
    while frames(count=3) < 3:
        assert time.monotonic() < until
    assert int(TIMEOUTS.read_text()) > timeouts
    assert int((NETDEV / "statistics/tx_dropped").read_text()) > 0
    assert (NETDEV / "carrier_changes").read_text() == changes


def test_a_device_that_dies_during_a_change():
    """A thread sends by the queues that are to be replaced when the device does not
    answer. Their frames are not sent, and the queues of the next device send."""
    log = Log()
    ask(**hang("MODIFY_PORT"))
    with concurrent.futures.ThreadPoolExecutor() as pool:
        sender = pool.submit(frames, patience=0.001, count=3000)
        done = subprocess.run(["ethtool", "-L", NETDEV.name, "combined", "1"],
                              check=False)
        sender.result()
    repair()
    assert done.returncode
    assert log.wait_for("works again") is not None
    until = time.monotonic() + PATIENCE
    while frames(count=3) < 3:
        assert time.monotonic() < until

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Faults of the device of the other node. guest/queues/test_faults.py has the tests of
each fault. Runs in node 1 of two."""

import subprocess
import time

import pytest

from lib.nodes.remote import There

pytestmark = pytest.mark.xrdma_only


def fault(*words):
    return subprocess.run(["xrdma-fault", *words], check=True, capture_output=True,
                          text=True).stdout


def peer_state():
    """The state of the port of the other node."""
    text = There("ibv_devinfo -d $XRDMA_DEV").succeed()
    return text.partition("PORT_")[2].split()[0]


def test_a_fault_of_the_other_node():
    assert peer_state() == "ACTIVE"
    fault("--node", "2", "link-down", "--ms", "600000")
    assert fault("--node", "2", "list").startswith("link-down --ms 5")
    assert fault("list") == ""
    time.sleep(1)
    assert peer_state() == "DOWN"
    fault("--node=2", "clear")
    time.sleep(1)
    assert peer_state() == "ACTIVE"
    assert fault("--node", "2", "list") == ""


def test_a_node_that_does_not_exist():
    out = subprocess.run(["xrdma-fault", "--node", "3", "list"], check=False,
                         capture_output=True, text=True)
    assert out.returncode == 2
    assert out.stderr == "xrdma-fault: no such node: '3'; nodes: 1, 2\n"

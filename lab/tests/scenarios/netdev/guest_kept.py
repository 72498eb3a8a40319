# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What an administrator has set of the RDMA device, and a reset of the function keeps.
Runs in a guest that host_netdev.py starts."""

import json
import os
import pathlib
import subprocess
import time

import pytest

from lib.control import ask, lie, repair
from lib.ether import frames

NETDEV, DEV = os.environ["XRDMA_NETDEV"], os.environ["XRDMA_DEV"]
RESET = pathlib.Path("/sys/bus/pci/devices", os.environ["XRDMA_PCI"], "reset")
NODE_DESC = pathlib.Path("/sys/class/infiniband", DEV, "node_desc")
PATIENCE = 30
NEEDS = (7, 2)      # the first kernel in which a driver can choose the namespace


def run(words):
    return subprocess.run(words.split(), check=True, capture_output=True,
                          text=True).stdout


def wait_for(condition):
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.1)


def devices(namespace=None):
    """The names of the RDMA devices in a network namespace."""
    prefix = f"ip netns exec {namespace} " if namespace else ""
    return [row["ifname"] for row in json.loads(run(prefix + "rdma -j dev show"))]


def test_node_description():
    """rdma-ndd writes it."""
    NODE_DESC.write_text("the host")
    assert NODE_DESC.read_text().strip() == "the host"
    RESET.write_text("1")
    wait_for(NODE_DESC.exists)
    assert NODE_DESC.read_text().strip() == "the host"


@pytest.fixture
def far():
    """A network namespace with port and RDMA device. The deletion of the namespace moves
    both back."""
    run("rdma system set netns exclusive")
    run("ip netns add far")
    try:
        run(f"rdma dev set {DEV} netns far")
        run(f"ip link set {NETDEV} netns far")
        yield "far"
    finally:
        subprocess.run(["ip", "netns", "del", "far"], check=False)
        wait_for(lambda: DEV in devices() and
                 pathlib.Path("/sys/class/net", NETDEV).exists())
        run("rdma system set netns shared")
        run(f"ip link set {NETDEV} up")
        wait_for(lambda: frames(count=1))


@pytest.mark.skipif(tuple(map(int, os.uname().release.split(".")[:2])) < NEEDS,
                    reason="each new device is in the initial namespace")
def test_network_namespace(far):
    assert devices(far) == [DEV] and not devices()
    for _ in range(2):
        RESET.write_text("1")
        assert devices(far) == [DEV] and not devices()


def test_network_namespace_that_is_deleted_meanwhile(far):
    """The RDMA device goes where those of deleted namespaces go."""
    ask(**lie("MAGIC", 0x12345678))
    try:
        RESET.write_text("1")
        run("ip netns del far")
        wait_for(pathlib.Path("/sys/class/net", NETDEV).exists)
    finally:
        repair()
        RESET.write_text("1")
    assert devices() == [DEV]

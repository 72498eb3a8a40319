# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The connection manager over the device: the programs of librdmacm, and NVMe over
Fabrics with both ends in the kernel. All connections are to the guest's own
address, IPv4 and IPv6, and each program compares the bytes that it gets. Runs in a
guest."""

import json
import os
import pathlib
import re
import subprocess
import time

import pytest

from lib import nvmet

ADDRESSES = {"IPv4": os.environ.get("XRDMA_ADDR"),
             "IPv6": os.environ.get("XRDMA_ADDR6")}
GROUP = "239.1.2.3"
PATIENCE = 20
DISK_BYTES = 16 << 20


@pytest.fixture(scope="module", autouse=True)
def modules():
    subprocess.run(["modprobe", "rdma_ucm"], check=True)


def cm_states(dev):
    """The states of the connection manager's identifiers of this device."""
    out = subprocess.run(["rdma", "resource", "show", "cm_id", "-j"],
                         check=True, capture_output=True, text=True).stdout
    return [row["state"] for row in json.loads(out)
            if row["ifname"] == dev.name]


def wait_until(true, what):
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, what
        time.sleep(0.05)


class Server:
    """A server program, which ends by itself after its client has ended."""

    def __init__(self, *command):
        self.process = subprocess.Popen(
            ["stdbuf", "-oL", *command], text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)

    def wait_for(self, text):
        for line in self.process.stdout:
            if text in line:
                return
        pytest.fail(f"{self.process.args}: never said {text!r}")

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind:
            self.process.kill()
        out, _ = self.process.communicate(timeout=PATIENCE)
        if not kind:
            assert self.process.returncode == 0, out


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True,
                          timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("family", ADDRESSES)
@pytest.mark.parametrize("server, client", [
    ("rping -s -C 20 -V -a {}", "rping -c -C 20 -V -a {}"),
    ("ucmatose -b {}", "ucmatose -s {}"),
    ("udaddy -b {}", "udaddy -s {}")], ids=["rping", "ucmatose", "udaddy"])
def test_programs_meet(dev, server, client, family):
    address = ADDRESSES[family]
    with Server(*server.format(address).split()):
        wait_until(lambda: "LISTEN" in cm_states(dev), "nobody listens")
        run(*client.format(address).split())
    wait_until(lambda: not cm_states(dev), "something is left")


def test_a_group_is_joined(dev):
    """Only IPv4 groups are tested: rdma_cm refuses IPv6 groups over RoCEv2."""
    common = ["mckey", "-m", GROUP, "-b", ADDRESSES["IPv4"]]
    with Server(*common) as receiver:
        receiver.wait_for("joined dgid")
        out = run(*common, "-s")
    assert re.search(rf"joined dgid: ::ffff:{GROUP} ", out)


def test_nobody_listens(dev):
    done = subprocess.run(["rping", "-c", "-a", ADDRESSES["IPv4"]],
                          capture_output=True, text=True, timeout=PATIENCE,
                          check=False)
    assert done.returncode
    assert "REJECTED" in done.stdout + done.stderr


# ---- both ends in the kernel ---------------------------------------------


@pytest.fixture(params=["N", "Y"], ids=["own receives", "shared receives"])
def target(request, tmp_path):
    """A disk in a file, which a target offers at this guest's address."""
    disk = tmp_path / "disk"
    with open(disk, "wb") as file:
        file.truncate(DISK_BYTES)
    run("modprobe", "nvmet-rdma", f"use_srq={request.param}")
    run("modprobe", "nvme-rdma")
    try:
        with nvmet.Target(ADDRESSES["IPv4"], [disk]):
            yield disk, request.param == "Y"
    finally:
        run("modprobe", "-r", "nvme-rdma")
        run("modprobe", "-r", "nvmet-rdma")


def block_devices():
    return set(pathlib.Path("/dev").glob("nvme*n1"))


def shared_queues(dev):
    out = run("rdma", "resource", "show", "srq", "dev", dev.name, "-j")
    return len(json.loads(out))


def test_kernel_meets_kernel(dev, target):
    """The target uses a shared receive queue if the parameter says so."""
    disk, shared = target
    run("nvme", "connect", "-t", "rdma", "-a", ADDRESSES["IPv4"], "-s", "4420",
        "-n", nvmet.NQN, "-i", "2")
    try:
        wait_until(block_devices, "no disk appears")
        path, = block_devices()
        data = os.urandom(4 << 20)
        with open(path, "r+b", buffering=0) as file:
            file.write(data)
            os.fsync(file.fileno())
        run("dd", f"if={path}", "of=/dev/null", "bs=64k", "count=64",
            "iflag=direct")
        assert bool(shared_queues(dev)) == shared
    finally:
        run("nvme", "disconnect", "-n", nvmet.NQN)
    with open(disk, "rb") as file:
        assert file.read(len(data)) == data

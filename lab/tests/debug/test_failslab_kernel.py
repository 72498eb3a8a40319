# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Allocations of the driver fail under a consumer in the kernel, which works in
threads of its own: one allocation in each of many connections. Nothing may be lost,
and the next connection must work.

Runs in a guest of `lab/vm run --kernel debug`, which has fault injection and the
checkers of DMA and of leaks.
"""

import os
import subprocess

from lib import nvmet
from lib.holdings import holdings, settled
from lib.soak import soak
from lib.sweep import AllocationFault, AnyFault

ROUNDS = soak(5, 50)


def connect():
    """Connects a host and a target in this kernel. Returns None if that succeeds."""
    done = subprocess.run(
        ["nvme", "connect", "-t", "rdma", "-a", os.environ["XRDMA_ADDR"],
         "-s", nvmet.SERVICE, "-n", nvmet.NQN, "-i", "1"],
        capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        return done.stderr
    nvmet.Host.disconnect()
    return None


def test_consumer_in_the_kernel(dev, rng, tmp_path):
    """A connection with a failed allocation may fail or work; the next one works."""
    AllocationFault()       # limits the faults of AnyFault to the driver's allocations
    disk = tmp_path / "disk"
    with open(disk, "wb") as file:
        file.truncate(16 << 20)
    nvmet.run("modprobe", "nvme-rdma")
    with nvmet.Target(os.environ["XRDMA_ADDR"], [disk]):
        assert connect() is None
        before = settled(dev, holdings(dev))
        failed = hit = 0
        for number in range(ROUNDS):
            one = AnyFault(rng.choice([*AllocationFault.KINDS]))
            one.arm(rng.randrange(30000 if "slab" in one.path.name else 200))
            failed += connect() is not None
            hit += one.disarm()
        assert connect() is None
        assert hit >= ROUNDS / 2
        print(f"{ROUNDS} connections, {hit} with a failed allocation, "
              f"{failed} refused")
        assert settled(dev, before) == before

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A process with registered memory forks under traffic, with and without
ibv_fork_init(). Kernels since 5.12 copy pinned pages for the child, so that the parent
keeps the pages that the device knows; a paged region follows the parent's mapping.
Runs in a guest."""

import subprocess
import sys

import pytest

from lib.paths import TESTS
from lib.soak import soak

SECONDS = soak(1, 120)
UNNEEDED = 2        # IBV_FORK_UNNEEDED


@pytest.mark.parametrize("init", [[], ["fork-init"]], ids=["plain", "fork-init"])
@pytest.mark.parametrize("memory", ["pinned", "paged"])
def test_fork_under_traffic(dev, memory, init):
    done = subprocess.run(
        [sys.executable, "-B", str(TESTS / "programs/forking.py"), str(SECONDS),
         memory, *init], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    number, kind = map(int, done.stdout.split())
    assert number >= 3
    if init:
        assert kind == UNNEEDED

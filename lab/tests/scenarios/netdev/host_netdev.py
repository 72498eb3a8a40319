# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A device that stops completing frames, which the kernel complains of, that fails, and
that does not come out of a reset. Runs on the host; guest_*.py run in the guest."""

import subprocess
from xml.etree import ElementTree

import pytest

from lib.launch import beside, lab_vm
from lib.soak import kernels

GUEST = [beside(__file__, f"guest_{name}.py")
         for name in ("netdev", "clock", "detached", "kept")]


@pytest.mark.parametrize("kernel", kernels("backports"))
def test_the_port_goes_on(kernel, tmp_path):
    done = subprocess.run(
        lab_vm("--kernel", kernel, "--share", tmp_path,
               "--allow-splat", "NETDEV WATCHDOG") +
        ["python3", "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider",
         "--junitxml=/mnt/results.xml", *GUEST],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    ran = list(ElementTree.parse(tmp_path / "results.xml").iter("testcase"))
    assert len(ran) == 10

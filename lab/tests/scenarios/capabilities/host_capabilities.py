# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The driver on a device that has none of the optional capabilities. Runs on the
host; guest_capabilities.py runs in the guest."""

import subprocess

import pytest

from lib.launch import beside, lab_vm
from lib.soak import kernels

GUEST = beside(__file__, "guest_capabilities.py")


@pytest.mark.parametrize("kernel", kernels("stable"))
def test_a_device_without_capabilities(kernel):
    argv = lab_vm("--kernel", kernel, "--no-driver") + [
        "python3", "-B", "-m", "pytest", "-q", "--tb=short", "-p",
        "no:cacheprovider", GUEST]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    assert " passed" in done.stdout

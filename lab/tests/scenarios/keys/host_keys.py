# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A key table that fills up, on a device that has few keys. Runs on the host;
guest_keys.py runs in the guest."""

import subprocess

import pytest

from lib.launch import beside, lab_vm
from lib.soak import kernels

GUEST = beside(__file__, "guest_keys.py")


@pytest.mark.parametrize("kernel", kernels("backports"))
def test_a_device_of_few_keys(kernel):
    done = subprocess.run(
        lab_vm("--kernel", kernel, "--device-arg", "--log-max-keys",
               "--device-arg", "13") +
        ["python3", "-B", "-m", "pytest", "-v", "--tb=short",
         "-p", "no:cacheprovider", GUEST],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    assert "2 passed" in done.stdout

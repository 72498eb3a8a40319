# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Windows of type 2A, which the device offers only if it is started so. Runs on the
host; guest_windows_2a.py and guest/memory/test_windows_verbs.py run in the guest."""

import subprocess
from xml.etree import ElementTree

import pytest

from lib.launch import lab_vm
from lib.soak import kernels

TESTS = ["scenarios/windows/guest_windows_2a.py",
         "guest/memory/test_windows_verbs.py"]


@pytest.mark.parametrize("kernel", kernels("stable"))
def test_personality_2a(kernel, tmp_path):
    done = subprocess.run(
        lab_vm("--kernel", kernel, "--device-arg", "--mw-type",
               "--device-arg", "2A", "--share", tmp_path) +
        ["python3", "-B", "-m", "pytest", "-q",
         "-p", "no:cacheprovider", "--junitxml=/mnt/results.xml",
         *(f"/src/lab/tests/{name}" for name in TESTS)],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    ran = list(ElementTree.parse(tmp_path / "results.xml").iter("testcase"))
    assert sum("2a" in case.get("classname") for case in ran) >= 8

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""rdma-core's own test suite: the names in pyverbs.txt pass, by name."""

import gzip
import os
import pathlib
import re
import shutil
import subprocess

import pytest

LIST = pathlib.Path(__file__).with_name("pyverbs.txt")
NAMES = [line for line in LIST.read_text().split("\n")
         if line and not line.startswith("#")]
RESULT = re.compile(r"^\w+ \((tests\.[\w.]+)\)(?:\n[^\n]*)? \.\.\. (.*)$", re.M)


@pytest.fixture(scope="session")
def suite(tmp_path_factory):
    """The suite, unpacked, and what it needs around it."""
    top = tmp_path_factory.mktemp("pyverbs")
    shutil.copytree("/usr/share/doc/rdma-core/tests", top / "tests")
    for packed in (top / "tests").glob("*.gz"):
        packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
    pathlib.Path("/proc/sys/vm/nr_hugepages").write_text("16")
    yield top
    pathlib.Path("/proc/sys/vm/nr_hugepages").write_text("0")


@pytest.fixture(scope="session")
def results(suite):
    """Outcome by name; a module runs once, in a process of its own."""
    found, ran = {}, set()

    def result(name):
        module = name.split(".")[1]
        if module not in ran:
            ran.add(module)
            wanted = [n for n in NAMES if n.split(".")[1] == module]
            out = subprocess.run(
                ["python3", "-B", "tests/run_tests.py", "-v", "--dev",
                 os.environ["XRDMA_DEV"], "--port", "1", "--gid",
                 os.environ["XRDMA_GID_INDEX"], *wanted],
                cwd=suite, capture_output=True, text=True, timeout=300).stderr
            found.update(RESULT.findall(out))
            found[module] = out
        return found.get(name, f"no result:\n{found[module]}")

    return result


@pytest.mark.parametrize("name", NAMES)
def test_pyverbs(results, name):
    assert results(name) == "ok"

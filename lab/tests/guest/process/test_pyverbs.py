# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The test suite of rdma-core: the tests that pyverbs.txt names must pass, and so
must all tests of the provider that are to go into that suite. Runs in a guest."""

import gzip
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from lib.paths import TOP

HERE = pathlib.Path(__file__).parent
OURS = TOP / "rdma-core/tests/test_xrdma.py"


def listed():
    """The names of tests in pyverbs.txt."""
    lines = (HERE / "pyverbs.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def ours():
    """The names of all tests of the xrdma provider."""
    found, case = [], None
    for kind, name in re.findall(r"^(class|    def) (\w+)", OURS.read_text(),
                                 re.M):
        if kind == "class":
            case = name
        elif name.startswith("test_"):
            found.append(f"tests.test_xrdma.{case}.{name}")
    return found


NAMES = listed() + ours()

# Runs the suite as its own script does, and prints only outcomes to standard output:
# messages of pyverbs while it frees objects go to standard error.
RUN = """
import multiprocessing.popen_fork, runpy, sys, unittest

# Tests with child processes take one that was killed by a signal for a success.
Popen = multiprocessing.popen_fork.Popen

def poll(self, *args, known=Popen.poll):
    code = known(self, *args)
    return 1 if code and code < 0 else code

Popen.poll = poll

class Result(unittest.TextTestResult):
    def report(self, test, outcome):
        print(f"=== {test.id()} {outcome}", flush=True)
    def addSuccess(self, test):
        self.report(test, "ok")
    def addSkip(self, test, reason):
        self.report(test, f"skipped: {reason}")
    def addError(self, test, err):
        super().addError(test, err)
        self.report(test, "failed: " + self.errors[-1][1].splitlines()[-1])
    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.report(test, "failed: " + self.failures[-1][1].splitlines()[-1])

unittest.TextTestRunner.resultclass = Result
sys.path.insert(0, "tests")
sys.argv[0] = "tests/run_tests.py"
runpy.run_path(sys.argv[0], run_name="__main__")
"""
RESULT = re.compile(r"^=== (tests\.[\w.]+) (.*)$", re.M)


@pytest.fixture(scope="session")
def suite(tmp_path_factory):
    """Unpacks the suite, and sets up the files that it needs."""
    top = tmp_path_factory.mktemp("pyverbs")
    shutil.copytree("/usr/share/doc/rdma-core/tests", top / "tests")
    for packed in (top / "tests").glob("*.gz"):
        packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
    shutil.copy(OURS, top / "tests")
    pathlib.Path("/proc/sys/vm/nr_hugepages").write_text("16")
    yield top
    pathlib.Path("/proc/sys/vm/nr_hugepages").write_text("0")


def run(suite, names):
    """Runs tests in one process, in this order. Returns the process, which has ended.
    Its exit status is 0 or 1 unless the process was killed."""
    return subprocess.run(
        ["timeout", "--signal=KILL", "900", "python3", "-c", RUN, "-v", "--dev",
         os.environ["XRDMA_DEV"], "--port", "1", "--gid",
         os.environ["XRDMA_GID_INDEX"], *names],
        cwd=suite, capture_output=True, text=True)


@pytest.fixture(scope="session")
def results(suite):
    """The outcomes of all tests: name -> outcome. One process runs the tests. If the
    process is killed in a test, that test has no result, and another process runs the
    tests after it. If it is killed after all tests, the last test has no result."""
    found, names = {}, NAMES
    while names:
        done = run(suite, names)
        # an error of the teardown comes last
        found.update(RESULT.findall(done.stdout))
        missing = [name for name in names if name not in found]
        ended = done.returncode in (0, 1)
        for name in missing if ended else (missing or names[-1:])[:1]:
            found[name] = (f"no result, exit status {done.returncode}:\n"
                           f"{done.stdout[-5000:]}{done.stderr[-5000:]}")
        names = [] if ended else missing[1:]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_pyverbs(results, name):
    assert results[name] == "ok"

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The test suite of rdma-core: the tests that pyverbs.txt names must pass, and so
must all tests of the provider that are to go into that suite. Runs in a guest, and
packages/test runs it in guests that have another release of rdma-core."""

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


def lines(path):
    """The lines of a list of tests, without comments."""
    return [line for line in path.read_text().splitlines()
            if line and not line.startswith("#")]


def installed():
    """The release of rdma-core that pyverbs belongs to, as a number."""
    version = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version}", "python3-pyverbs"],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    return int(version.split(".")[0])


def listed(release):
    """The names of tests that must pass with this release of rdma-core, and of those
    that it no longer has: the tests in pyverbs.txt, changed by what pyverbs-N.txt says
    for each release N up to this one."""
    names, gone = lines(HERE / "pyverbs.txt"), []
    changes = {int(path.stem.split("-")[1]): path
               for path in HERE.glob("pyverbs-*.txt")}
    for number in sorted(number for number in changes if number <= release):
        for line in lines(changes[number]):
            if line.startswith("-"):
                name, _reason = line[1:].split(maxsplit=1)
                names.remove(name)
                gone.append(name)
            else:
                names.append(line)
    return names, gone


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


LISTED, GONE = listed(installed())
NAMES = LISTED + ours()

# Runs the suite as its own script does, and prints only outcomes to standard output:
# messages of pyverbs while it frees objects go to standard error.
RUN = """
import multiprocessing.popen_fork, runpy, sys, unittest

# The suite expects that a child process is a copy of its parent, which Python does by
# default only before 3.14.
multiprocessing.set_start_method("fork")

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


def test_gone(suite):
    """The suite has none of the tests that are listed as gone."""
    for name in GONE:
        _, module, _, test = name.split(".")
        assert f"def {test}(" not in (suite / f"tests/{module}.py").read_text()

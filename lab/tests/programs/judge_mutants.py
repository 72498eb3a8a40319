# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Judges mutants of the driver. lab/mutants, which makes them, starts this program in a
guest, with its files in /mnt.

judge_mutants.py map    runs the tests of tests.json. Writes to reached.json which tests
                        that pass get to which mutant
judge_mutants.py judge  judges the mutants of todo.json. Adds a line to results for each
                        of them: its number, and the test that has found it, "" if none
                        has, or null as long as the mutant is being judged
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

TESTS = pathlib.Path(__file__).parents[1]
sys.path.insert(0, str(TESTS))

from lib import binding  # noqa: E402

SHARE = pathlib.Path("/mnt")
PARAMETERS = pathlib.Path("/sys/module/xrdma/parameters")
# Time limits in seconds: of the tests for a mutant, and of those without a mutant
JUDGED, ALONE = 150, 120
PYTEST = [sys.executable, "-Bu", "-m", "pytest", "-p", "no:cacheprovider", "-x", "-q",
          "--tb=no", "--no-header"]


def load():
    """Replaces the driver by the one with mutants."""
    release = os.uname().release
    place, = pathlib.Path(f"/lib/modules/{release}/updates").rglob("xrdma.ko")
    shutil.copy(SHARE / "xrdma.ko", place)
    reload()


def reload():
    """Loads the module again, so that a mutant leaves nothing for the next one."""
    for words in ("modprobe -r xrdma", "modprobe xrdma"):
        subprocess.run(words.split(), check=True, timeout=60)
    binding.ready()


def choose(number):
    (PARAMETERS / "mutant").write_text(str(number))


class Map:
    """Notes which test gets to which mutant: a plugin of pytest."""

    def __init__(self):
        self._hits = PARAMETERS / "hits"
        self._zeros = ",".join("0" for _ in self._hits.read_text().split(","))
        self.reached = {}

    def pytest_runtest_logstart(self):
        self._hits.write_text(self._zeros)
        self._began, self._passed = time.monotonic(), True

    def pytest_runtest_logreport(self, report):
        self._passed = self._passed and report.outcome == "passed"

    def pytest_runtest_logfinish(self, nodeid):
        took = time.monotonic() - self._began
        for number, hit in enumerate(self._hits.read_text().split(",")):
            if int(hit) and number and self._passed:
                self.reached.setdefault(number, []).append((took, nodeid))


def find_reached():
    import pytest
    plugin = Map()
    paths = [str(TESTS / "guest" / path)
             for path in json.loads((SHARE / "tests.json").read_text())]
    os.chdir(TESTS)
    pytest.main(["-p", "no:cacheprovider", "-q", "--tb=short", *paths],
                plugins=[plugin])
    chosen = {}
    for number, found in plugin.reached.items():
        total, names = 0, []
        for took, name in sorted(found):
            total += took
            if total < ALONE or not names:
                names.append(name)
        chosen[number] = names
    (SHARE / "reached.json").write_text(json.dumps(chosen))


def finder(names):
    """The first test that fails, "" if all of them pass."""
    try:
        done = subprocess.run([*PYTEST, *(str(TESTS / name) for name in names)],
                              capture_output=True, text=True, timeout=JUDGED,
                              cwd=TESTS, check=False)
    except subprocess.TimeoutExpired:
        return "the time limit"
    if done.returncode == 0:
        return ""
    failed = [line.split()[1] for line in done.stdout.splitlines()
              if line.startswith(("FAILED", "ERROR"))]
    return failed[0] if failed else f"pytest's exit status {done.returncode}"


def note(number, by):
    with open(SHARE / "results", "a", encoding="utf-8") as out:
        out.write(json.dumps([number, by]) + "\n")
        out.flush()
        os.fsync(out.fileno())


def judge():
    for number, names in json.loads((SHARE / "todo.json").read_text()).items():
        note(int(number), None)
        choose(number)
        by = finder(names)
        note(int(number), by)
        choose(0)
        print(number, by or "survived", flush=True)
        if by:
            reload()


def main():
    load()
    if sys.argv[1] == "map":
        find_reached()
    else:
        judge()


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Verbs that kernel code calls: the module of lab/ktest runs its cases while it
loads, and each of its cases is a test here. Runs in a guest."""

import os
import pathlib
import re
import subprocess

import pytest

from lib.paths import LAB

SOURCES = LAB / "ktest"
OUTCOME = pathlib.Path("/sys/kernel/debug/xrdma_ktest")
CASE = re.compile(r"^\tKTEST_CASE\((\w+)\)", re.M)
RESULT = re.compile(r"(not )?ok \d+ (\w+)$")

# The files of the cases, in the order in which they run
SUITES = ("ktest_verbs.c", "ktest_queues.c", "ktest_rings.c",
          "ktest_events.c", "ktest_place.c", "ktest_reg.c", "ktest_refused.c",
          "ktest_mw.c", "ktest_mw_bad.c")
CASES = [name for suite in SUITES
         for name in CASE.findall((SOURCES / suite).read_text())]


def parse(text):
    """Parses KTAP. Returns name of a case -> its messages, or None if it passed."""
    outcome, complaints = {}, []
    for line in text.splitlines():
        result = RESULT.match(line)
        if result:
            failed, name = result.groups()
            outcome[name] = "\n".join(complaints or ["?"]) if failed else None
            complaints = []
        elif line.startswith("#"):
            complaints.append(line[2:])
    return outcome


@pytest.fixture(scope="module")
def outcome(dev):
    done = subprocess.run(
        ["modprobe", "xrdma_ktest", f"device={dev.name}",
         f"gid_index={os.environ['XRDMA_GID_INDEX']}"],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    try:
        yield parse(OUTCOME.read_text())
    finally:
        subprocess.run(["modprobe", "-r", "xrdma_ktest"], check=True)


def test_every_case_has_run(outcome):
    assert list(outcome) == CASES


@pytest.mark.parametrize("case", CASES)
def test_kernel(outcome, case):
    assert outcome[case] is None, outcome[case]

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The program that runs the unit tests of the device: a test program that is ended is
named as a failed test. Runs on the host."""

import subprocess

import pytest

from lib.paths import TOP

PROGRAMS = {
    "passes": "echo 1..2; echo 'ok 1 - a'; echo 'ok 2 - b'",
    "fails": "echo 1..1; echo 'not ok 1 - a'; exit 1",
    "hangs": "exec sleep 60",
    "resists": "trap '' TERM; while :; do sleep 1; done",
    "hangs-later": "echo 1..2; echo 'ok 1 - a'; exec sleep 60",
    "crashes": "echo 1..2; echo 'ok 1 - a'; kill -SEGV $$",
    "aborts": "echo 1..2; echo 'ok 1 - a'; exit 1",
    "leaks": "echo 1..1; echo 'ok 1 - a'; exit 23",
    "says-nothing": "exit 0",
}


@pytest.fixture(name="run")
def fixture_run(tmp_path):
    for name, script in PROGRAMS.items():
        (tmp_path / name).write_text(f"#!/bin/bash\n{script}\n")
        (tmp_path / name).chmod(0o755)

    def run(*names):
        out = subprocess.run(
            [TOP / "model/tests/run-unit", "2", tmp_path, *names], check=False,
            stdout=subprocess.PIPE, text=True)
        return out.returncode, out.stdout.splitlines()

    return run


@pytest.mark.parametrize("name, status, last", [
    ("passes", 0, "ok 2 - b"), ("fails", 1, "not ok 1 - a"),
    ("hangs", 1, "not ok - hangs: ended after 2 s"),
    ("resists", 1, "not ok - resists: ended after 2 s"),
    ("hangs-later", 1, "not ok - hangs-later: ended after 2 s"),
    ("crashes", 1, "not ok - crashes: ended by signal 11"),
    ("aborts", 1, "not ok - aborts: reported 1 of 2 tests, status 1"),
    ("leaks", 1, "not ok - leaks: ended with status 23"),
    ("says-nothing", 1, "not ok - says-nothing: reported 0 of an unknown number of "
                        "tests, status 0"),
    ("no-such-program", 1, "not ok - no-such-program: reported 0 of an unknown number "
                           "of tests, status 127")])
def test_a_program_that_ends_too_early_is_a_failed_test(run, name, status, last):
    result, lines = run(name)
    assert (result, lines[-1]) == (status, last)


def test_the_next_programs_run(run):
    assert run("hangs", "fails", "passes") == (1, [
        "not ok - hangs: ended after 2 s", "1..1", "not ok 1 - a",
        "1..2", "ok 1 - a", "ok 2 - b"])

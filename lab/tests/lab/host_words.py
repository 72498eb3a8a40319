# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Programs outside of lab/vm name the word of their command line that they do not take,
and list what they take. host_lab.py has the same tests for the programs of the lab. Runs
on the host."""

import json
import subprocess
import types

import pytest

from labvm import session
from lib.paths import TOP


def fails(command):
    """Runs a command that must fail. Returns what it prints."""
    out = subprocess.run(command.split(), cwd=TOP, check=False, capture_output=True,
                         text=True)
    assert out.returncode == 2 and not out.stdout
    return out.stderr


@pytest.mark.parametrize("command, taken", [
    ("packages/test woody", "bookworm"), ("packages/deb woody", "bookworm"),
    ("packages/in woody", "trixie, sid"), ("packages/build woody", "VERSION"),
    ("packages/recipes woody", "packages/recipes"), ("image/build woody", "image/build"),
    ("image/test woody", "image/test"), ("lab/setup woody", "--print"),
    ("lab/build woody", "provider-tests"), ("lab/enter --woody true", "--bind"),
    ("lab/kernels/build woody", "debug, kcsan or gcov"),
    ("lab/kernels/build debug woody", "debug, kcsan or gcov"),
    ("scripts/check-smatch woody", "woody/smatch.c"),
    ("scripts/check-htmldocs woody", "scripts/check-htmldocs"),
    ("kunit/run --woody", "--suites"), ("scripts/overlay-linux --woody", "--source"),
    ("scripts/lint woody", "gates: spdx, "), ("others/run woody", "projects: libfabric, "),
    ("scripts/series --maintainer woody linux /", "is not like 'Jane Doe <jane@"),
    ("scripts/series --maintainer x woody /", "linux, rdma-core"),
    ("scripts/check-provider --woody", "--all")])
def test_an_error_names_the_word_and_lists_what_is_taken(command, taken):
    error = fails(command)
    assert "woody" in error and taken in error
    assert "Traceback" not in error


def test_a_node_that_does_not_exist():
    run = types.SimpleNamespace(nodes=[None, None])
    for number in (0, 3):
        assert json.loads(session.Session._ask(run, number, "{}")) == {
            "ok": False, "error": f"no such node: '{number}'; nodes: 1, 2"}
    out = subprocess.run([TOP / "lab/guest/bin/xrdma-fault", "--node", "two", "list"],
                         check=False, capture_output=True, text=True)
    assert (out.returncode, out.stderr) == (
        2, "xrdma-fault: --node: 'two' is not the number of a node\n")


@pytest.mark.parametrize("program", [
    "packages/test", "packages/in", "packages/deb", "packages/recipes", "image/build",
    "image/test", "image/docker", "lab/setup", "lab/build", "lab/enter", "lab/vm",
    "lab/check", "bench/run", "others/run", "kunit/run", "scripts/lint",
    "scripts/series", "scripts/check-series", "scripts/check-provider",
    "scripts/check-coccinelle", "scripts/check-smatch", "lab/kernels/build",
    "packages/build"])
def test_help_is_no_error(program):
    out = subprocess.run([TOP / program, "--help"], check=True, capture_output=True,
                         text=True)
    assert out.stdout.startswith(f"usage: {program}") and not out.stderr

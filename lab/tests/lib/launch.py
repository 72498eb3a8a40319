# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Guests that tests on the host start with lab/vm."""

import functools
import json
import os
import pathlib
import subprocess

from lib.paths import LAB, TESTS


def lab_vm(*options):
    """The command line of lab/vm for a guest, to which the caller appends COMMAND."""
    return [str(LAB / "vm"), "run", "--timeout", "280", *options, "--"]


def beside(path, name):
    """The path in a guest of the file @name, which is in the directory of @path."""
    where = pathlib.Path(path).resolve().parent.relative_to(TESTS)
    return f"/src/lab/tests/{where}/{name}"


def findings(words, *options):
    """Runs a program in a guest. The program prints lines of JSON. Returns the lines'
    contents: the value of "name" -> the other values of that line.

    @words: the path of the program in the guest, and its arguments
    """
    argv = lab_vm("--no-driver", *options) + [
        "env", f"XRDMA_SOAK={os.environ.get('XRDMA_SOAK', '')}",
        "python3", "-B", *words.split()]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    found = {}
    for line in done.stdout.splitlines():
        finding = json.loads(line)
        found[finding.pop("name")] = finding
    return found


@functools.cache
def _ended(*argv):
    """Runs a command once. Returns its result, also if it has failed."""
    return subprocess.run(argv, capture_output=True, text=True, check=False)


def played(program, scenarios, *options):
    """Plays scenarios one after the other in one guest, which takes less time than a
    guest for each. Later calls with the same arguments start no guest. The program
    prints lines of JSON as for findings(); the last line of each scenario has the name
    "after". Returns the findings of each scenario: scenario -> name -> values."""
    done = _ended(*lab_vm("--timeout", "480", *options), "python3", "-B", program,
                  *scenarios)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    parts = [{}]
    for line in done.stdout.splitlines():
        finding = json.loads(line)
        name = finding.pop("name")
        parts[-1][name] = finding
        if name == "after":
            parts.append({})
    return dict(zip(scenarios, parts))

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Guests that tests on the host start with lab/vm."""

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

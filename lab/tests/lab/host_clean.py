# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A checkout on a machine on which nothing has been set up: the programs of the lab make
the root image, and the commands of README.md exist. Runs on the host."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from labvm import kernels
from lib.paths import LAB, TOP
from lib.programs import load

SETUP = """#!/bin/sh
[ "${1-}" != --print ] || { echo /nowhere/root; exit; }
echo "set-up, $# words"
exit 3
"""


@pytest.fixture(name="setup")
def fixture_setup(tmp_path):
    """A program in the place of lab/setup, in a copy of a part of the lab."""
    for name in ("enter", "lib.sh", "packages", "mkroot", "pick-kernels"):
        shutil.copy(LAB / name, tmp_path)
    program = tmp_path / "setup"
    program.write_text(SETUP)
    program.chmod(0o755)
    return program


def test_lab_enter_makes_the_image(setup):
    out = subprocess.run([setup.with_name("enter"), "true"], capture_output=True, text=True,
                         env={**os.environ, "XRDMA_CACHE": "/nowhere"}, check=False)
    assert (out.returncode, out.stdout) == (3, "set-up, 0 words\n")


@pytest.mark.parametrize("program, words, status", [
    ("lab/vm", ["run", "--", "true", "--help"], 3), ("lab/vm", ["run", "--help"], False),
    ("lab/check", [], 3), ("lab/check", ["--help"], "run lab/setup")])
def test_the_first_command_makes_the_image_but_no_help_does(setup, monkeypatch, program,
                                                            words, status):
    monkeypatch.setattr(sys, "argv", [program, *words])
    if status is False:
        assert kernels._make_image(str(setup)) is False
        return
    with pytest.raises(SystemExit) as end:
        kernels._make_image(str(setup))
    assert end.value.code == status or status in end.value.code


# ---- the readers of README.md ---------------------------------------------------

README = (TOP / "README.md").read_text()
PURPOSE = re.search(r"^## What it is for\n(.*?)^## ", README, re.M | re.S)[1]
READERS = dict(re.findall(r"^\*\*(I .+?)\.\*\*.*?\n\n```\n(.*?)^```", PURPOSE,
                          re.M | re.S))


def commands():
    """The commands of all readers, without the comments."""
    return [re.sub(r" +# .*", "", line) for block in READERS.values()
            for line in block.splitlines()]


def test_there_are_four_readers_with_three_commands_each():
    assert [len(block.splitlines()) for block in READERS.values()] == [3] * 4


def test_what_the_commands_name_exists():
    targets = re.findall(r"^(\w+):", (TOP / "Makefile").read_text(), re.M)
    for command in commands():
        program, argument = command.split()[:2] if " " in command else (command, None)
        if program == "make":
            assert argument in targets
        elif program == "less":
            assert (TOP / argument).is_file()
        else:
            assert os.access(TOP / program, os.X_OK), program
        for path in re.findall(r"/src/(\S+)", command):
            assert (TOP / path).is_file()


def test_the_number_of_patches_is_right(monkeypatch):
    monkeypatch.syspath_prepend(TOP / "scripts")
    series = load("../scripts/series_linux.py")
    assert f"the driver as {len(series.PARTS)} patches" in PURPOSE

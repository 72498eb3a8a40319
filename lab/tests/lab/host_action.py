# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The command of Docker that the step of image/action.yml starts, for each input.
image/test runs the step with the image. Runs on the host."""

import os
import re
import subprocess
import textwrap

import pytest

from lib.paths import TOP

ACTION = (TOP / "image/action.yml").read_text()
STEP = textwrap.dedent(ACTION.partition("      run: |\n")[2])
INPUTS = re.findall(r"^  (\w+):$", ACTION.partition("runs:")[0], re.M)
DOCKER = """#!/bin/bash
printf '%s\\n' "$@"
"""


@pytest.fixture(name="step")
def fixture_step(tmp_path):
    """A function that runs the step with these inputs; the others have their defaults.
    Returns the lists of arguments with which it starts docker."""
    program = tmp_path / "docker"
    program.write_text(DOCKER)
    program.chmod(0o755)

    def run(**inputs):
        variables = {"IMAGE": "xrdma:latest", "KERNEL": "", "NODES": "1", "MEMORY": "",
                     "IMPAIR": "", "TIMEOUT": "1800", "RUN": "true", **inputs}
        out = subprocess.run(
            ["bash", "-e", "-c", STEP], cwd=tmp_path, check=True, capture_output=True,
            text=True, env={"PATH": f"{tmp_path}:{os.environ['PATH']}", **variables})
        return out.stdout.splitlines()
    return run


def test_each_input_has_a_variable():
    assert sorted(INPUTS) == sorted(
        ["run", "image", "kernel", "nodes", "memory", "impair", "timeout"])
    for name in INPUTS:
        assert f"{name.upper()}: ${{{{ inputs.{name} }}}}" in ACTION


def test_the_inputs_are_options(step):
    words = step(KERNEL="6.12", NODES="2", MEMORY="4G", IMPAIR="loss=1%", TIMEOUT="60",
                 RUN="a b | c")
    assert words[words.index("xrdma-vm"):] == [
        "xrdma-vm", "run", "--share", "/work", "--timeout", "60", "--nodes", "2",
        "--kernel", "6.12", "--mem", "4G", "--impair", "loss=1%",
        "--", "bash", "-eo", "pipefail", "-c", "a b | c"]


def test_inputs_without_a_value_are_left_out(step):
    words = step()
    assert not {"--kernel", "--mem", "--impair"} & set(words)
    assert ("--device" in words) == os.access("/dev/kvm", os.W_OK)
    assert words[words.index("xrdma-vm") - 1] == "xrdma:latest"


def test_an_archive_is_loaded_first(step, tmp_path):
    (tmp_path / "image.tar").touch()
    words = step(IMAGE="image.tar")
    assert words[:3] == ["load", "--input", "image.tar"]
    assert words[words.index("xrdma-vm") - 1] == "xrdma:latest"

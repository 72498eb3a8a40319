# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The KUnit suites under the checkers of the debug kernel: a module with the suites
and the driver replaces the driver, and runs the suites while it loads. Each suite
is a test here. Runs in a guest of `lab/vm run --kernel debug`."""

import os
import pathlib
import platform
import re
import subprocess
import time

import pytest

from lib import binding
from lib.paths import TOP

SOURCES = TOP / "kunit"
KERNEL = platform.release().rsplit("-", 1)[1]
MODULE = f"/src/build/{KERNEL}/kunit/xrdma_kunit.ko"
RESULTS = pathlib.Path("/sys/kernel/debug/kunit")
SUITES = sorted(name for path in SOURCES.glob("*_kunit.c") for name in
                re.findall(r'^\t\.name = "(\w+)"', path.read_text(), re.M))


def run(*argv):
    subprocess.run(argv, check=True)


def bring_back():
    """Loads the real driver, and restores the addresses of its interface."""
    net = os.environ["XRDMA_NETDEV"]
    run("modprobe", "xrdma")
    end = time.monotonic() + 60
    while not os.path.exists(f"/sys/class/net/{net}"):
        assert time.monotonic() < end, f"{net} does not come back"
        time.sleep(0.1)
    binding.few_buffers(net)
    run("ip", "link", "set", net, "mtu", "4500", "up")
    run("ip", "address", "add", os.environ["XRDMA_ADDR"] + "/24", "dev", net)
    run("ip", "address", "add", os.environ["XRDMA_ADDR6"] + "/64", "dev", net,
        "nodad")
    while subprocess.run(["rdma", "link", "show"], capture_output=True,
                         text=True).stdout.count("ACTIVE") != 1:
        assert time.monotonic() < end, "the port does not come back"
        time.sleep(0.1)


@pytest.fixture(scope="module")
def results():
    """Runs all suites. Returns suite -> KTAP text. Loads the real driver after that."""
    run("modprobe", "-r", "xrdma")
    run("modprobe", "kunit", "enable=1", "autorun=1")
    try:
        run("insmod", MODULE)
        found = {path.parent.name: path.read_text()
                 for path in RESULTS.glob("*/results")}
        run("rmmod", "xrdma_kunit")
    finally:
        bring_back()
    return found


def test_all_suites_have_run(results):
    assert sorted(results) == SUITES


@pytest.mark.parametrize("suite", SUITES)
def test_kunit(results, suite):
    text = results[suite]
    assert re.search(r"^ok \d+ ", text, re.M), text
    assert not re.search(r"^ *not ok ", text, re.M), text


def test_unload_and_load(results):
    """The driver is unloaded for the second time, since results() has unloaded and
    loaded it. scenarios/device/ has many rounds."""
    run("modprobe", "-r", "xrdma")
    bring_back()

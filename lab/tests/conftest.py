# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What the guest tests share. They run inside of a guest of `lab/vm run`."""

import os
import pathlib
import time

import pytest

pytest.register_assert_rewrite("lib")

from lib import control  # noqa: E402
from lib.soak import soak  # noqa: E402

# what runs between two nodes is a suite of its own
collect_ignore = [] if os.environ.get("PEER_ADDR") else ["nodes"]


@pytest.fixture(scope="session")
def dev():
    from labverbs.rc import Device
    return Device()


@pytest.fixture(scope="session")
def seed(request):
    """What tests that draw begin with, printed in any case: another one in each
    run of the long forms, unless XRDMA_SEED says which."""
    number = int(os.environ.get("XRDMA_SEED", soak(1, int(time.time()))))
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        print(f"\nXRDMA_SEED={number}")
    return number


@pytest.fixture
def pd(dev):
    from pyverbs.pd import PD
    pd = PD(dev.ctx)
    yield pd
    pd.close()


@pytest.fixture
def things(dev, pd):
    from lib.windows import Things
    things = Things(dev, pd)
    yield things
    things.give_up()


@pytest.fixture(scope="session")
def device():
    return control


class Faults:
    """The fault records of the driver since the fixture was made."""

    def __init__(self):
        found = list(pathlib.Path("/sys/kernel/debug/xrdma").glob("*/faults"))
        assert len(found) == 1
        self.path = found[0]
        self.last = (self._lines() or [None])[-1]

    def _lines(self):
        return self.path.read_text().splitlines()

    def new(self):
        """The records since the last call, oldest first, as dictionaries."""
        lines = self._lines()
        if self.last in lines:
            lines = lines[lines.index(self.last) + 1:]
        self.last = (lines or [self.last])[-1]
        return [dict(word.split("=") for word in line.split())
                for line in lines]

    def wait(self, count):
        """The same, but waits a while for so many."""
        records, until = self.new(), time.monotonic() + 5
        while len(records) < count and time.monotonic() < until:
            records += self.new()
        return records

    def one(self):
        """The one record that came, or comes."""
        record, = self.wait(1)
        return record


@pytest.fixture
def faults():
    return Faults()

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Fixtures of the tests in guests."""

import os
import random
import time

import pytest

pytest.register_assert_rewrite("lib")

from lib import control  # noqa: E402
from lib.debugfs import Faults  # noqa: E402
from lib.soak import soak  # noqa: E402

# Tests between two nodes need a peer.
collect_ignore = [] if os.environ.get("PEER_ADDR") else ["nodes"]


@pytest.fixture(scope="session")
def dev():
    from labverbs.rc import Device
    return Device()


@pytest.fixture(scope="session")
def seed(request):
    """The seed of tests that use random numbers, which is always printed. The short
    forms use 1, each run of the long forms another one; XRDMA_SEED overrides it."""
    number = int(os.environ.get("XRDMA_SEED", soak(1, int(time.time()))))
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        print(f"\nXRDMA_SEED={number}")
    return number


@pytest.fixture(scope="module")
def rng(seed):
    return random.Random(seed)


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


@pytest.fixture
def link(dev, pd):
    """A connection for accesses to paged regions."""
    from lib.paged import Link
    link = Link(dev, pd)
    yield link
    link.close()


@pytest.fixture
def make(dev, pd):
    """A function that registers a paged region, which the fixture deregisters."""
    from lib.paged import Regions
    regions = Regions(dev, pd)
    yield regions
    regions.close()


@pytest.fixture(scope="session")
def device():
    return control


@pytest.fixture
def faults():
    return Faults()

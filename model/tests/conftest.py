# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Fixtures of the Python tests: device processes, clients and drivers."""

import os
import shutil
import sys
import tempfile

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))

from vfu_client import DeviceProcess  # noqa: E402
from xrdma_driver import Driver  # noqa: E402


@pytest.fixture
def start_device():
    """Return a function that starts a device; its exit status is checked."""
    started = []

    def start(variable, *options, ready=True):
        binary = os.environ.get(variable)
        if not binary:
            pytest.fail(f"{variable} must name the binary to test")
        directory = tempfile.mkdtemp(prefix="xrdma-")
        process = DeviceProcess(binary, directory, *options, ready=ready)
        started.append((process, directory))
        return process

    yield start
    for process, directory in started:
        status = process.process.poll()
        if status is None:
            status = process.stop()
        stderr = process.stderr()
        shutil.rmtree(directory)
        assert status == process.expected_status, stderr


@pytest.fixture
def stub(start_device):
    """A process with the engine of lib/stub_engine.c instead of the device."""
    return start_device("XRDMA_DEVICE_STUB")


@pytest.fixture
def device(start_device):
    """The reference device."""
    return start_device("XRDMA_DEVICE")


@pytest.fixture
def client(stub):
    """A negotiated client of the stub, with memory and bus mastering on."""
    with stub.client() as connected:
        connected.enable()
        yield connected


@pytest.fixture
def shadow():
    """Do the tests use shadow doorbells? A module may define this fixture with both
    values."""
    return True


@pytest.fixture
def driver(device, shadow):
    """A driver of the device that has not enabled it; no host error at the end.

    A test that means some names their kinds in driver.expected.
    """
    new = Driver(device, shadow)
    new.expected = {}
    yield new
    errors = new.host_errors()
    new.close()
    assert errors == new.expected


@pytest.fixture
def host(driver):
    """A driver that has started the device."""
    driver.start()
    return driver

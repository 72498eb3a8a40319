# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Processes that end with regions still registered: however they end, the driver
must invalidate their keys in lists, and nothing may stay. Runs in a guest."""

import os
import signal
import struct
import time

import pytest

from labverbs.rc import LOCAL, Buffer
from lib import uverbs
from lib.context import RawContext
from lib.protection import REFUSED, WRITE, attempt
from lib.rdma_tool import resources

REGIONS = int(os.environ.get("XRDMA_REGIONS", 2000))
# maximum number of keys of an INVALIDATE command
LIST = 1024
ALL = 0xf


def counters(device):
    return device.stats()["device"]["counters"]


def fill(raw, domains, buf):
    """Registers regions in the domains in turn. Returns their rkeys."""
    return [uverbs.reg_mr(raw, domains[n % len(domains)], buf.address, 4096,
                          buf.address, ALL)[2] for n in range(REGIONS)]


def settled(dev, before):
    """Waits up to 60 s until the resources of the device are as before. Returns them."""
    deadline = time.monotonic() + 60
    while resources(dev) != before and time.monotonic() < deadline:
        time.sleep(0.1)
    return resources(dev)


class Child:
    """A child process that has registered regions, and waits."""

    def __init__(self, dev, buf, domains, end):
        ready, told = os.pipe()
        self.go, go = os.pipe()[::-1]
        self.pid = os.fork()
        if not self.pid:
            raw = RawContext(dev)
            keys = fill(raw, [raw.alloc_pd() for _ in range(domains)], buf)
            os.write(told, struct.pack("<I", keys[-1]))
            os.read(go, 1)
            end(raw)
            os._exit(0)
        self.key = struct.unpack("<I", os.read(ready, 4))[0]
        for fd in ready, told, go:
            os.close(fd)

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        return self.reap()

    def let_go(self):
        os.write(self.go, b"x")
        return self.reap()

    def reap(self):
        os.waitpid(self.pid, 0)
        os.close(self.go)


def check_cost(before, after):
    assert after["invalidated_keys"] - before["invalidated_keys"] == REGIONS
    assert after["commands"] - before["commands"] <= -(-REGIONS // LIST) + 8


@pytest.mark.parametrize("domains", [1, 40])
@pytest.mark.parametrize("way", ["SIGKILL", "exit", "close"])
def test_keys_of_all_domains_share_commands(dev, pd, device, way, domains):
    buf, before = Buffer((4096, False)), resources(dev)
    buf.view[0] = 1
    child = Child(dev, buf, domains, lambda raw: way == "close" and raw.close())
    start = counters(device)
    took = time.monotonic()
    child.kill() if way == "SIGKILL" else child.let_go()
    assert settled(dev, before) == before
    took = time.monotonic() - took
    end = counters(device)
    print(f"{way}: {REGIONS} regions in {domains} domains: "
          f"{end['commands'] - start['commands']} commands, {took:.2f} s")
    check_cost(start, end)
    assert attempt(dev, pd, WRITE, buf.address, child.key) == REFUSED


def test_a_living_process_that_closes_the_device(dev, pd, device):
    buf, before = Buffer((4096, False)), resources(dev)
    raw = RawContext(dev)
    keys = fill(raw, [raw.alloc_pd()], buf)
    start = counters(device)
    raw.close()
    assert settled(dev, before) == before
    check_cost(start, counters(device))
    assert attempt(dev, pd, WRITE, buf.address, keys[0]) == REFUSED


def test_each_deregistration_sends_an_invalidate(dev, pd, device):
    """Each deregistration by itself sends an INVALIDATE command."""
    buf, start = Buffer((4096, False)), counters(device)
    for _ in range(20):
        uverbs.dereg_mr(dev.ctx, uverbs.reg_mr(dev.ctx, pd, buf.address, 4096,
                                               0, LOCAL)[0])
    assert counters(device)["commands"] - start["commands"] == 20


def test_domains_of_others_are_left_alone(dev, pd, device):
    """The regions of another context of the same process stay valid."""
    buf = Buffer((4096, False))
    handle, _, rkey = uverbs.reg_mr(dev.ctx, pd, buf.address, 4096, 0, ALL)
    raw = RawContext(dev)
    fill(raw, [raw.alloc_pd()], buf)
    raw.close()
    assert attempt(dev, pd, WRITE, 0, rkey) == 0
    uverbs.dereg_mr(dev.ctx, handle)

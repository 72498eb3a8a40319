# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The driver's tracepoints: commands with their durations, and refused accesses.
Runs in a guest."""

import os
import pathlib
import re
import subprocess

import pytest
from pyverbs.cq import CQ
from pyverbs.mr import MR

from labverbs.rc import ALL, Buffer
from lib.protection import REFUSED, WRITE, attempt

ROOT = pathlib.Path("/sys/kernel/tracing")
COMMAND = re.compile(r"xrdma_command: \S+ (\w+) first=(0x[0-9a-f]+) status=(\d+) "
                     r"err=(-?\d+) us=(\d+)")


@pytest.fixture
def trace():
    if not os.path.ismount(ROOT):
        subprocess.run(["mount", "-t", "tracefs", "tracefs", ROOT], check=True)
    switch = ROOT / "events" / "xrdma" / "enable"
    (ROOT / "trace").write_text("")
    switch.write_text("1")
    yield lambda: (ROOT / "trace").read_text()
    switch.write_text("0")


def test_commands(dev, trace):
    CQ(dev.ctx, 16).close()
    seen = {name: rest for name, *rest in COMMAND.findall(trace())}
    for name in ("CREATE_CQ", "DESTROY_CQ"):
        _, status, err, us = seen[name]
        assert (status, err) == ("0", "0") and int(us) < 10_000_000


def test_refused_access(dev, pd, trace):
    buf = Buffer((4096, False))
    mr = MR(pd, 4096, ALL, address=buf.address)
    assert attempt(dev, pd, WRITE, buf.address, mr.rkey ^ 1) == REFUSED
    assert f"reason=key_byte key=0x{mr.rkey ^ 1:08x}" in trace()
    mr.close()

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""perftest between two nodes. It compares no data; the tests check that all of its
requests complete. The rates that it prints are 0 if it finds the clock of a busy
machine too unsteady. Runs in node 1 of two."""

import pathlib
import re

import pytest

from lib.nodes.remote import Failed

PORT = 18515
# With -R, the server tells the client that it is ready, and then begins to listen. A
# client that is faster is rejected with "invalid service ID" (8). It tries again, and
# the second attempt of perftest 25.01 ends with a segmentation fault. This happens
# between two soft-RoCE devices, too, if the server's rdma_listen() is delayed.
TOO_EARLY = "RDMA_CM_EVENT_REJECTED; error: 8."
# the number of outstanding READs; by default perftest uses the larger of both limits
READS = "-o 4"


def perftest(nodes, program, options, **ready):
    # -u: a longer timeout, since a busy machine answers late
    line = f"{program} -d $XRDMA_DEV -x $XRDMA_GID_INDEX -F -u 18 {options}"
    text, _ = nodes.talk(line, f"{line} $PEER_ADDR", **ready or {"port": PORT})
    size, count = (int(re.search(rf"-{letter} (\d+)", line)[1])
                   for letter in "sn")
    found = re.search(rf"^ *{size} +(\d+) +[\d.]+ ", text, re.M)
    assert found and int(found[1]) >= count, text


@pytest.mark.parametrize("operation, options", [
    ("write", "-s 65536 -n 100"), ("read", f"-s 65536 -n 100 {READS}"),
    ("send", "-s 65536 -n 100"), ("write", "-s 8192 -n 40 -q 16"),
    ("send", "-s 32 -n 100 -q 4 --inline_size=32")])
def test_rc_bandwidth(nodes, operation, options):
    perftest(nodes, f"ib_{operation}_bw", options)


@pytest.mark.parametrize("operation, options", [
    ("write", ""), ("read", READS), ("send", "")])
def test_rc_latency(nodes, operation, options):
    perftest(nodes, f"ib_{operation}_lat", f"-s 64 -n 300 {options}")


@pytest.mark.parametrize("kind", ["bw", "lat"])
@pytest.mark.parametrize("operation", ["CMP_AND_SWAP", "FETCH_AND_ADD"])
def test_atomics(nodes, kind, operation):
    perftest(nodes, f"ib_atomic_{kind}",
             f"-s 8 -n 300 -A {operation} {READS}")


@pytest.mark.parametrize("operation", ["write", "send"])
@pytest.mark.parametrize("kind", ["bw", "lat"])
def test_uc(nodes, kind, operation):
    perftest(nodes, f"ib_{operation}_{kind}", "-s 2048 -n 300 -c UC")


@pytest.mark.parametrize("kind", ["bw", "lat"])
def test_ud(nodes, kind):
    perftest(nodes, f"ib_send_{kind}", "-s 1024 -n 300 -c UD")


@pytest.mark.xrdma_only
@pytest.mark.parametrize("operation, options", [
    ("write", ""), ("read", READS), ("send", "")])
def test_xrc(nodes, operation, options):
    perftest(nodes, f"ib_{operation}_bw",
             f"-s 4096 -n 300 -c XRC {options}")


def test_shared_receives(nodes):
    perftest(nodes, "ib_send_bw", "-s 4096 -n 300 -q 4 --use-srq")


@pytest.fixture
def no_trace():
    """The kernel prints no line about a program that ends with a segmentation fault."""
    trace = pathlib.Path("/proc/sys/debug/exception-trace")
    before = trace.read_text("ascii")
    trace.write_text("0", "ascii")
    yield
    trace.write_text(before, "ascii")


@pytest.mark.usefixtures("no_trace")
@pytest.mark.parametrize("program, options", [
    ("ib_write_bw", "-s 4096"), ("ib_send_lat", "-s 64"),
    ("ib_send_bw", "-s 1024 -c UD")])
def test_connection_manager(nodes, program, options):
    for last in (False, False, True):
        try:
            perftest(nodes, program, f"-n 200 -R {options}", cm=True)
            return
        except Failed as err:
            if last or TOO_EARLY not in str(err):
                raise
        nodes.clean_up()

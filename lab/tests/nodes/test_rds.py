# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""RDS over RDMA between two nodes, set up as the user's guide says: messages, and
RDMA to and from memory of the peer. Runs in node 1 of two."""

import os
import re

import pytest

from lib.nodes.guide import Consumer, Port
from lib.soak import soak

ROUNDS = soak(2, 500)
PROGRAM = "python3 -B /src/lab/tests/programs/rds.py"


@pytest.fixture(name="rds", scope="module", params=[
    1, pytest.param(2, marks=pytest.mark.rxe_only)],
    ids=lambda number: f"initiator{number}")
def _rds(_nodes, request):
    rds = Consumer(_nodes, "RDS", request.param)
    rds.begin()
    try:
        yield rds
    finally:
        # Linux 7.2 leaks memory when this module is unloaded, on any device, and warns
        if os.uname().release.startswith("6.12"):
            rds.end(modules="rds_rdma rds")


def test_messages_and_memory_arrive_as_they_were(nodes, rds):
    port = Port(nodes)
    asking, answering = rds.initiator, rds.target
    server = answering.start(f"{PROGRAM} echo {answering.address}")
    server.wait_for("ready")
    text = asking.run(f"{PROGRAM} ask {asking.address} {answering.address} "
                      f"{ROUNDS}", soak(120, 3600))
    server.succeed()
    assert int(re.search(r"verified (\d+)", text)[1]) > 2500000 * ROUNDS
    port.assert_quiet()
    for side in rds.sides:
        assert re.search(r"CONNECT .*\[rds_rdma\]",
                         side.run("rdma resource show cm_id"))

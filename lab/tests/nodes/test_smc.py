# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""SMC-R of version 2 between two nodes, set up as the user's guide says; a
connection that falls back to TCP fails the test. Debian's later kernels are built
without SMC. Runs in node 1 of two."""

import os
import re

import pytest

from lib.nodes.guide import Consumer, Port
from lib.soak import soak

ROUNDS = soak(2, 500)
PROGRAM = "python3 -B /src/lab/tests/programs/smc.py"


@pytest.fixture(name="smc", scope="module", params=[
    1, pytest.param(2, marks=pytest.mark.rxe_only)],
    ids=lambda number: f"initiator{number}")
def _smc(_nodes, request):
    smc = Consumer(_nodes, "SMC-R", request.param)
    smc.begin()
    try:
        yield smc
    finally:
        smc.end(modules="smc_diag smc")


if os.uname().release.startswith("6.12"):
    def test_a_stream_arrives_as_it_was(nodes, smc):
        port = Port(nodes)
        server = smc.target.start(f"{PROGRAM} echo")
        server.wait_for("ready")
        text = smc.initiator.run(f"{PROGRAM} ask {smc.target.address} {ROUNDS}",
                                 soak(120, 3600))
        server.succeed()
        assert "SMC-R" in text and "SMC-R" in server.text()
        assert int(re.search(r"verified (\d+)", text)[1]) > 2000000 * ROUNDS
        port.assert_quiet()

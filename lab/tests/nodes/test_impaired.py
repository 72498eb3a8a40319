# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Traffic over a wire that loses, doubles and swaps packets: every byte must arrive
once and in order. The long form moves 2 GiB each way at each rate of loss. Runs in
node 1 of two."""

import json
import subprocess

import pytest

from lib.soak import soak

MIB = 1 << 20
OTHER = "dup=0.5%,reorder=2%"


def ask(node, **request):
    out = subprocess.run(
        ["xrdma-device", "--node", str(node), json.dumps(request)], check=True,
        capture_output=True, text=True).stdout
    return json.loads(out)


@pytest.fixture(name="impair")
def _impair(nodes):
    """A function that sets the impairments of the wire in both directions."""
    devices = (1,) if nodes.kind == "rxe" else (1, 2)
    direction = "both" if nodes.kind == "rxe" else "tx"

    def change(spec):
        for node in devices:
            wire = spec if spec == "none" else f"{spec},seed={node}"
            assert ask(node, cmd="fault", wire=wire, direction=direction)["ok"]
    yield change
    change("none")


def stream(nodes, size, timeout):
    line = f"python3 -B /src/lab/tests/programs/stream.py {size}"
    texts = nodes.talk(line, f"{line} $PEER_ADDR", port=4711, timeout=timeout)
    for text in texts:
        assert "verified " in text, text
        assert int(text.split()[1]) >= size


@pytest.mark.parametrize("loss", ["0.1%", "1%", "5%"])
def test_every_byte_arrives_once(nodes, impair, loss):
    size = soak(24 * MIB, 2048 * MIB)
    if nodes.kind == "rxe":
        size = soak(1 * MIB, 64 * MIB)
    impair(f"loss={loss},{OTHER}")
    stream(nodes, size, soak(120, 3 * 3600))
    wire = ask(1, cmd="stats")["wire"]["tx_impaired"]
    assert wire["loss"] and wire["dup"] and wire["reorder"], wire

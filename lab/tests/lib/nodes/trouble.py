# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What goes wrong between two nodes, and ends again: each kind has down() and
up(). Knows nothing of who suffers from it."""

import json


class Wire:
    """What lies between the nodes."""

    def __init__(self, nodes):
        self._nodes = nodes
        self._rxe = nodes.kind == "rxe"

    def impair(self, spec):
        """Says what happens to packets, both ways; "none" ends it."""
        direction = "both" if self._rxe else "tx"
        for number in (1,) if self._rxe else (1, 2):
            ask(self._nodes, number, cmd="fault", wire=spec,
                direction=direction)

    def lost(self):
        """How many packets have been, so far."""
        wires = [ask(self._nodes, number, cmd="stats")["wire"]
                 for number in ((1,) if self._rxe else (1, 2))]
        return sum(wire[way]["loss"] for wire in wires
                   for way in ("tx_impaired", "rx_impaired"))


def ask(nodes, number, **request):
    """Asks something of a node's device, which must grant it. Returns its
    answer."""
    answer = json.loads(nodes.here(
        f"xrdma-device --node {number} '{json.dumps(request)}'"))
    assert answer["ok"], answer
    return answer


class Link:
    """Of a network interface: the target's, or that of the node that is ours.
    The GSI of soft-RoCE does not survive what it cannot send: up to 6.12 its
    queue pair 1 is in error then, for good, and nobody connects any more."""

    def __init__(self, storage, _):
        sides = storage.target, storage.host
        self._side, = [side for side in sides if side.kind == "xrdma"][:1]

    def down(self):
        self._side.run("sysctl -q net.ipv6.conf.$XRDMA_NETDEV.keep_addr_on_down"
                       "=1 && ip link set $XRDMA_NETDEV down")

    def up(self):
        self._side.run("ip link set $XRDMA_NETDEV up")


class EveryPacket:
    """Is lost on the wire."""

    def __init__(self, _, wire):
        self._wire = wire

    def down(self):
        self._wire.impair("loss=100%")

    def up(self):
        self._wire.impair("none")

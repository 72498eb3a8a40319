# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Faults of the connection between two nodes. Each class has down(), which causes the
fault, and up(), which ends it. The tests choose the traffic."""

import json


class Wire:
    """The wire between the nodes."""

    def __init__(self, nodes):
        self._nodes = nodes
        self._rxe = nodes.kind == "rxe"

    def impair(self, spec):
        """Impairs packets in both directions as spec says; "none" ends that."""
        direction = "both" if self._rxe else "tx"
        for number in (1,) if self._rxe else (1, 2):
            ask(self._nodes, number, cmd="fault", wire=spec,
                direction=direction)

    def lost(self):
        """The number of packets lost so far."""
        wires = [ask(self._nodes, number, cmd="stats")["wire"]
                 for number in ((1,) if self._rxe else (1, 2))]
        return sum(wire[way]["loss"] for wire in wires
                   for way in ("tx_impaired", "rx_impaired"))


def ask(nodes, number, **request):
    """Sends a request to the control socket of a node's device. Returns the answer, in
    which "ok" must be true."""
    answer = json.loads(nodes.here(
        f"xrdma-device --node {number} '{json.dumps(request)}'"))
    assert answer["ok"], answer
    return answer


class Link:
    """The link of a network interface: the target's, or that of the node with an xrdma
    device if the target is soft-RoCE. A soft-RoCE link stays up because, up to 6.12,
    soft-RoCE's queue pair 1 stays in state ERR after a packet that could not be
    sent, and then no connection can be made any more."""

    def __init__(self, storage, _):
        sides = storage.target, storage.host
        self._side, = [side for side in sides if side.kind == "xrdma"][:1]

    def down(self):
        self._side.run("sysctl -q net.ipv6.conf.$XRDMA_NETDEV.keep_addr_on_down"
                       "=1 && ip link set $XRDMA_NETDEV down")

    def up(self):
        self._side.run("ip link set $XRDMA_NETDEV up")


class EveryPacket:
    """The loss of each packet on the wire."""

    def __init__(self, _, wire):
        self._wire = wire

    def down(self):
        self._wire.impair("loss=100%")

    def up(self):
        self._wire.impair("none")

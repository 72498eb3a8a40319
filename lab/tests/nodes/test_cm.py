# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The connection manager between two nodes, by the programs of librdmacm. Runs in
node 1 of two."""

import pytest

ADDRESSES = ["$PEER_ADDR", "$PEER_ADDR6"]
PRELOAD = "LD_PRELOAD=/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so"


@pytest.mark.parametrize("address", ADDRESSES)
def test_rping(nodes, address):
    mine = address.replace("PEER", "XRDMA")
    nodes.talk(f"rping -s -a {mine} -V -C 100",
               f"rping -c -a {address} -V -C 100", cm=True)


def test_rping_with_a_queue_pair_of_its_own(nodes):
    nodes.talk("rping -s -q -a $XRDMA_ADDR -V -C 20 -S 1000",
               "rping -c -q -a $PEER_ADDR -V -C 20 -S 1000", cm=True)


@pytest.mark.parametrize("program, options", [
    ("ucmatose", "-c 4 -C 20 -S 5000"), ("udaddy", "-c 1 -C 20 -S 1000")])
@pytest.mark.parametrize("address", ADDRESSES)
def test_simple(nodes, program, options, address):
    mine = address.replace("PEER", "XRDMA")
    for text in nodes.talk(f"{program} -b {mine} {options}",
                           f"{program} -s {address} {options}", cm=True):
        assert "return status 0" in text


def test_multicast(nodes):
    """The receiver ends after the last message. Linux joins no IPv6 group on RoCEv2."""
    receive = "mckey -m 239.7.7.7 -b $XRDMA_ADDR -C 20 -S 1000"
    nodes.talk(f"stdbuf -oL {receive}", f"{receive} -s", words="joined dgid")


@pytest.mark.parametrize("program, options", [
    ("rstream", "-S 64 -C 500"), ("rstream", "-S 100000 -C 50"),
    ("riostream", "-S 20000 -C 20")])
def test_rsockets(nodes, program, options):
    options += " -T v"
    nodes.talk(f"{program} -b $XRDMA_ADDR {options}",
               f"{program} -s $PEER_ADDR {options}", cm=True)


def tcp_bytes(nodes):
    """The number of bytes that the network interface has received."""
    return int(nodes.here(
        "cat /sys/class/net/$XRDMA_NETDEV/statistics/rx_bytes"))


def test_tcp_program_over_rsockets(nodes):
    """rsockets moves the bytes of a TCP program by RDMA, not by the network
    interface."""
    line = f"{PRELOAD} python3 -B /src/lab/tests/programs/tcp.py"
    before = tcp_bytes(nodes)
    client, _ = nodes.talk(line, f"{line} $PEER_ADDR", cm=True)
    assert "verified " in client
    assert tcp_bytes(nodes) - before < 1000000, "that was TCP"


def test_many_connections(nodes):
    nodes.talk("cmtime -b $XRDMA_ADDR -c 50",
               "cmtime -s $PEER_ADDR -c 50", cm=True)

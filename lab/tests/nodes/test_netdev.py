# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The network interface of the device between two nodes: frames that are not RoCE.
Runs in node 1 of two."""

import hashlib
import json
import os
import random
import re

import pytest

VLAN = """
ip link add link $XRDMA_NETDEV name vlan7 type vlan id 7 &&
ip address add 192.168.79.{0}/24 dev vlan7 &&
ip address add fd00:79::{0}/64 dev vlan7 nodad && ip link set vlan7 up"""


def ping(nodes, count, options):
    """Sends count pings at once, all of which must be answered. ping waits for late
    answers as long as its interval."""
    assert " 0% packet loss" in nodes.here(
        f"ping -c {count} -l {count} -i 5 {options}")


@pytest.mark.parametrize("address", ["$PEER_ADDR", "$PEER_ADDR6"])
def test_ping(nodes, address):
    nodes.here("ip neigh flush dev $XRDMA_NETDEV")
    ping(nodes, 5, address)
    ping(nodes, 2, f"-M do -s 4400 {address}")


@pytest.fixture
def mtu(nodes):
    def change(size):
        nodes.both(f"ip link set $XRDMA_NETDEV mtu {size}")
    yield change
    change(4500)


@pytest.mark.parametrize("size", [1500, 4200, 9000])
def test_mtu(nodes, mtu, size):
    mtu(size)
    fits = size - 28
    ping(nodes, 2, f"-M do -s {fits} $PEER_ADDR")
    too_long = nodes.start_here(f"ping -c 1 -W 1 -M do -s {fits + 1} $PEER_ADDR")
    assert too_long.wait() == 1
    # larger than the MTU: sent in fragments
    ping(nodes, 2, "-s 20000 $PEER_ADDR")


def test_rdma_packets_stay_small_with_a_large_mtu(nodes, mtu):
    mtu(9000)
    shown = nodes.here("ibv_devinfo -d $XRDMA_DEV")
    assert re.search(r"active_mtu:\s+4096 ", shown)
    nodes.talk("ibv_rc_pingpong -d $XRDMA_DEV -g $XRDMA_GID_INDEX -m 4096 -c -n 100",
               "ibv_rc_pingpong -d $XRDMA_DEV -g $XRDMA_GID_INDEX -m 4096 -c -n 100 "
               "$PEER_ADDR", port=18515)


@pytest.fixture
def vlan(nodes):
    nodes.here(VLAN.format(1))
    nodes.there(VLAN.format(2))
    yield
    nodes.both("ip link delete vlan7")


@pytest.mark.usefixtures("vlan")
@pytest.mark.parametrize("address", ["192.168.79.2", "fd00:79::2"])
def test_vlan_ping(nodes, address):
    ping(nodes, 3, address)


@pytest.mark.usefixtures("vlan")
def test_vlan_rc(nodes):
    # the GID appears some time after the address
    gid = "0000:0000:0000:0000:0000:ffff:c0a8:4f0{}"
    index = "until i=$(lab-gid $XRDMA_DEV {}); do sleep 0.1; done; "
    line = index + "ibv_rc_pingpong -d $XRDMA_DEV -g $i -c -n 200 {}"
    nodes.talk(line.format(gid.format(2), ""),
               line.format(gid.format(1), "$PEER_ADDR"), port=18515)


@pytest.mark.parametrize("options", ["", "-R", "-6"])
def test_tcp(nodes, options):
    address = "$PEER_ADDR6" if options == "-6" else "$PEER_ADDR"
    text, _ = nodes.talk(
        "iperf3 -s -1", f"iperf3 -J -t 1 {options} -c {address}", port=5201)
    ends = json.loads(text)["end"]
    assert ends["sum_received"]["bytes"] > 1 << 20


@pytest.fixture
def features(nodes):
    """A function that changes offloads of the devices of this kind."""
    def change(words):
        line = f"ethtool -K $XRDMA_NETDEV {words}"
        nodes.here(line)
        if nodes.kind == "xrdma":
            nodes.there(line)
    yield change
    change("tx on rx on sg on tso on gro on rxvlan on txvlan on rx-gro-hw on")


DATA = random.Random(7).randbytes(3_000_001)
ADDRESSES = "192.168.77.2", "fd00:77::2", "192.168.79.2", "fd00:79::2"
# One process at each end sends or receives all streams, since a guest needs long to
# start Python.
SEND = """python3 -c 'import random,socket
data = random.Random(7).randbytes({length})
for address in "{addresses}".split():
    with socket.create_connection((address, 5300)) as s: s.sendall(data)'"""
RECEIVE = """python3 -c 'import hashlib,socket
s = socket.create_server(("", 5300), family=socket.AF_INET6, dualstack_ipv6=True)
for _ in range({count}):
    c, h = s.accept()[0], hashlib.sha256()
    [h.update(d) for d in iter(lambda: c.recv(65536), b"")]
    print(h.hexdigest())'"""


@pytest.mark.parametrize("words", [
    "tso on", "tso off", "tx off", "rx off", "tx off rx off sg off gro off",
    "rxvlan off txvlan off", "rx-gro-hw off", "rx-gro-hw on gro off",
    "rx-gro-hw on rxvlan off"])
@pytest.mark.usefixtures("vlan")
def test_data_are_the_same_with_and_without_offloads(nodes, features, words):
    """The bytes of a TCP stream arrive, in IPv4, IPv6 and a VLAN, whatever part of the
    work the device does."""
    features(words)
    _, got = nodes.talk(
        RECEIVE.format(count=len(ADDRESSES)),
        SEND.format(length=len(DATA), addresses=" ".join(ADDRESSES)), port=5300)
    assert got.split() == [hashlib.sha256(DATA).hexdigest()] * len(ADDRESSES)


SERVICE_VLAN = """
ip link add link $XRDMA_NETDEV name vlan8 type vlan proto 802.1ad id 8 &&
ip address add 192.168.80.{0}/24 dev vlan8 &&
ip address add fd00:80::{0}/64 dev vlan8 nodad && ip link set vlan8 up"""


@pytest.mark.parametrize("words", ["tso on", "tx off rx off sg off gro off"])
def test_data_are_the_same_in_a_vlan_of_a_service_provider(nodes, features, words):
    """The same in IEEE 802.1ad, whose tag is part of the frame in memory. TCP would
    send again what a device that refuses such frames has dropped."""
    addresses = "192.168.80.2", "fd00:80::2"
    errors = "cat /sys/class/net/$XRDMA_NETDEV/statistics/tx_errors"
    before = nodes.here(errors)
    nodes.here(SERVICE_VLAN.format(1))
    nodes.there(SERVICE_VLAN.format(2))
    try:
        features(words)
        _, got = nodes.talk(
            RECEIVE.format(count=len(addresses)),
            SEND.format(length=len(DATA), addresses=" ".join(addresses)), port=5300)
    finally:
        nodes.both("ip link delete vlan8")
    assert got.split() == [hashlib.sha256(DATA).hexdigest()] * len(addresses)
    assert nodes.here(errors) == before


def counter(text, name):
    """A counter from ethtool -S."""
    return int(re.search(rf"^ *{name}: (\d+)$", text, re.M)[1])


@pytest.mark.xrdma_only
@pytest.mark.parametrize("address", ADDRESSES[:3])
@pytest.mark.usefixtures("vlan")
def test_the_device_merges_frames(nodes, features, mtu, address):
    """More than half of the frames of a TCP stream are merged, and the receiver counts
    the frames that the sender counts. With the option off no frame is merged."""
    show = "ethtool -S $XRDMA_NETDEV"
    names = ("netdev_rx_hw_gro_packets", "netdev_rx_hw_gro_wire_packets",
             "netdev_rx_packets", "netdev_rx_bytes")
    mtu(1500)
    for switch in "on", "off":
        features(f"rx-gro-hw {switch}")
        before, sent = nodes.there(show), nodes.here(show)
        nodes.talk(RECEIVE.format(count=1),
                   SEND.format(length=len(DATA), addresses=address), port=5300)
        after = nodes.there(show)
        merged, parts, frames, size = (counter(after, n) - counter(before, n)
                                       for n in names)
        out = nodes.here(show)
        assert abs(frames - counter(out, "netdev_tx_packets") +
                   counter(sent, "netdev_tx_packets")) < 50
        assert abs(size - counter(out, "netdev_tx_bytes") +
                   counter(sent, "netdev_tx_bytes")) < 5000
        if switch == "on":
            assert parts > len(DATA) / 1448 / 2 and parts > 2 * merged
        else:
            assert not merged and not parts


def unreceived(text):
    """Number of frames for which no receive entry was posted, from ethtool -S."""
    return counter(text, "out_of_buffer")


@pytest.mark.xrdma_only
@pytest.mark.parametrize("size", [1500, 9000])
def test_a_fast_sender_is_held_back(nodes, mtu, size):
    """The receiver, whose ring has 256 entries, loses no frame, although TCP sends more
    than that at a time."""
    show = "ethtool -S $XRDMA_NETDEV"
    mtu(size)
    before = unreceived(nodes.there(show))
    text, _ = nodes.talk("iperf3 -s -1", "iperf3 -J -t 3 -c $PEER_ADDR", port=5201)
    assert json.loads(text)["end"]["sum_received"]["bytes"] > 1 << 20
    assert unreceived(nodes.there(show)) == before


CHANGES = ("-L {} combined 4", "-G {} rx 128 tx 64", "-X {} equal 2",
           "-X {} weight 1 2 3 4", "-G {} rx 512 tx 512", "-X {} default",
           "-L {} combined 8", "-L {} combined 1", "-G {} rx 256 tx 256")
LONG = "iperf3 -J -P 4 -t 20 -c $PEER_ADDR"


@pytest.mark.xrdma_only
def test_queues_change_while_frames_are_sent(nodes):
    """Four streams go on while number, size and use of the queues change at both ends,
    and the port still works afterwards."""
    nodes.serve("iperf3 -s -1", port=5201)
    streams = nodes.start_here(LONG)
    try:
        for number in range(3 * len(CHANGES)):
            line = "ethtool " + CHANGES[number % len(CHANGES)].format("$XRDMA_NETDEV")
            nodes.both(line)
        ends = json.loads(streams.succeed(120))["end"]
    finally:
        nodes.both("ethtool -X $XRDMA_NETDEV default;"
                   "ethtool -L $XRDMA_NETDEV combined 1;"
                   "ethtool -G $XRDMA_NETDEV rx 256 tx 256; true")
    assert len(ends["streams"]) == 4
    assert all(stream["receiver"]["bytes"] > 1 << 20 for stream in ends["streams"])
    ping(nodes, 5, "$PEER_ADDR")


SPREAD = """
for i in 1 2 3 4 5; do
    ethtool -X $XRDMA_NETDEV equal 1
    ethtool -X $XRDMA_NETDEV weight 0 1 2 3
    ethtool -X $XRDMA_NETDEV equal 4
done"""


@pytest.mark.xrdma_only
def test_a_change_of_the_distribution_loses_no_frame(nodes):
    pings = 400
    nodes.there("ethtool -L $XRDMA_NETDEV combined 4")
    try:
        pinging = nodes.start_here(f"ping -q -W 5 -c {pings} -i 0.005 $PEER_ADDR")
        nodes.there(SPREAD)
        text = pinging.succeed(60)
    finally:
        nodes.there("ethtool -X $XRDMA_NETDEV default;"
                    "ethtool -L $XRDMA_NETDEV combined 1")
    assert f"{pings} packets transmitted, {pings} received" in text


def test_ethtool(nodes):
    words = nodes.here("ethtool -i $XRDMA_NETDEV")
    assert "driver: xrdma" in words
    assert f"bus-info: {os.environ['XRDMA_PCI']}" in words

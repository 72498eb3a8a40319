# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""RDMA between two devices whose wires are connected by the kernel: by a Linux bridge
of two TAPs, by the two ends of a pair of interfaces, by UDP."""

import socket
import zlib

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Dot1Q, Ether

import netns
import xrdma_driver as x

SIZE = 1 << 18
MAC = "02:00:00:78:72:0{}"
ROCE = 4791


@pytest.fixture(name="space")
def _space():
    space = netns.Namespace()
    yield space
    space.close()


@pytest.fixture(name="connect")
def _connect(space, start_device):
    """A function that starts two devices with these far ends, and connects a queue pair
    of one device with one of the other."""
    drivers = []

    def connect(specs, vlan=None, prepare=None):
        qps = []
        for number, spec in enumerate(specs, 1):
            with space.inside():
                device = start_device("XRDMA_DEVICE", "--wire", spec, "--mac",
                                      MAC.format(number))
            drivers.append(x.Driver(device))
        if prepare:
            prepare()
        for number, driver in enumerate(drivers, 1):
            driver.start(number, vlan)
            netns.wait_for(lambda: driver.stats()["wire"]["carrier"])
            cqs = [x.CompletionQueue(driver, 16 + i) for i in range(2)]
            qps.append(x.QueuePair(driver, 15 + number, *cqs))
        for a, b in (qps, qps[::-1]):
            a.connect(b)
            a.data = a.driver.alloc(SIZE)
            a.key = a.driver.register(a.data, SIZE)
        return qps

    yield connect
    for driver in drivers:
        errors = driver.host_errors()
        driver.close()
        assert not errors


def move_bytes(a, b):
    """WRITE from a to b and READ back; check the bytes."""
    data = bytes((i * 7 + i // 251) & 255 for i in range(SIZE))
    a.driver.put(a.data, data)
    a.send(x.WRITE, [(a.data, SIZE, a.key)], remote=b.data, rkey=b.key)
    assert a.sent()["status"] == x.WC_OK
    assert b.driver.get(b.data, SIZE) == data
    a.driver.put(a.data, bytes(SIZE))
    a.send(x.READ, [(a.data, SIZE, a.key)], remote=b.data, rkey=b.key)
    assert a.sent()["status"] == x.WC_OK
    assert a.driver.get(a.data, SIZE) == data


def icrc(frame):
    """The ICRC of a RoCEv2 packet over IPv4, computed from the specification of IBTA:
    the fields that routers change count as ones."""
    ip = bytearray(bytes(frame[IP]))
    ip[1] = ip[8] = 0xff            # type of service, time to live
    ip[10:12] = b"\xff\xff"         # checksum
    ip[26:28] = b"\xff\xff"         # UDP checksum
    ip[32] = 0xff                   # reserved byte of the BTH
    return zlib.crc32(b"\xff" * 8 + bytes(ip[:-4])).to_bytes(4, "little")


def check_frames(frames, vlan):
    """Check the checksums of RoCEv2 packets that were seen on the way."""
    assert len(frames) > 2 * SIZE // 4096
    for raw in frames:
        frame = Ether(raw)
        assert (frame[Dot1Q].vlan if Dot1Q in frame else None) == vlan
        copy = frame.copy()
        del copy[IP].chksum, copy[IP].len
        assert bytes(Ether(bytes(copy))) == raw
        assert raw[-4:] == icrc(frame)
    assert max(map(len, frames)) > 4096


@pytest.mark.parametrize("vlan", [None, 7])
def test_across_a_bridge(space, connect, vlan):
    """Two devices at TAPs of a bridge, with the path MTU 4096, without and with a VLAN
    tag. The packets that cross the bridge have correct checksums."""
    def prepare():
        space.ip("link add br0 type bridge")
        for name in ("t0", "t1"):
            space.ip(f"link set {name} mtu 4500 master br0 up")
        space.ip("link set br0 up")

    a, b = connect(["tap=t0", "tap=t1"], vlan, prepare)
    with space.listen("t1") as sock:
        sock.setsockopt(socket.SOL_SOCKET, 33, 16 << 20)    # SO_RCVBUFFORCE
        move_bytes(a, b)
        sock.setblocking(False)
        frames = []
        try:
            while True:
                frames.append(netns.receive(sock, lambda _: True))
        except BlockingIOError:
            pass
    check_frames([frame for frame in frames if UDP in Ether(frame) and
                  Ether(frame)[UDP].dport == ROCE], vlan)


def test_across_a_pair_of_interfaces(space, connect):
    """Each device has a packet socket at one end."""
    netns.veth(space, space, "v0", "v1", mtu=4500)
    move_bytes(*connect(["packet=v0", "packet=v1"]))


def test_tap_and_packet_in_a_vlan(space, connect):
    """A device at a TAP of a bridge, and one at the end of a pair of interfaces whose
    other end is a port of the bridge."""
    netns.veth(space, space, "v0", "v1", mtu=4500)

    def prepare():
        space.ip("link add br0 type bridge")
        for name in ("t0", "v0"):
            space.ip(f"link set {name} mtu 4500 master br0 up")
        space.ip("link set br0 up")

    move_bytes(*connect(["tap=t0", "packet=v1"], 9, prepare))


@pytest.mark.parametrize("address", ["127.0.0.1", "[::1]"])
def test_over_udp(space, connect, address):
    """Frames in UDP datagrams. Datagrams from another address are not received."""
    a, b = connect([f"udp={address}:4001,{address}:4002",
                    f"udp={address}:4002,{address}:4001"])
    plain = address.strip("[]")
    family = socket.AF_INET6 if ":" in plain else socket.AF_INET
    before = b.driver.stats()["wire"]["rx"]
    with space.inside(), socket.socket(family, socket.SOCK_DGRAM) as sock:
        sock.sendto(bytes(100), (plain, 4002))
    assert b.driver.stats()["wire"]["rx"] == before
    move_bytes(a, b)


def test_a_link_that_goes_down_is_an_event(space, connect):
    """The driver learns by events that the interface went down and came up, and a
    WRITE between both ends when the interface is up again."""
    netns.veth(space, space, "v0", "v1", mtu=4500)
    a, b = connect(["packet=v0", "packet=v1"])
    while a.driver.eqs[0].poll(0.1):
        pass
    space.ip("link set v1 down")
    assert a.driver.eqs[0].find(x.PORT_UP + 1)
    a.send(x.WRITE, [(a.data, 64, a.key)], remote=b.data, rkey=b.key)
    space.ip("link set v1 up")
    assert a.driver.eqs[0].find(x.PORT_UP)
    assert a.sent()["status"] == x.WC_OK

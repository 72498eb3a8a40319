# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of the far ends that are network interfaces: a TAP, and an interface with a
packet socket. test_uplink_rdma.py has the tests between two devices."""

import fcntl
import os
import stat
import struct
import subprocess
import tempfile
import time

import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1AD, Dot1Q, Ether
from scapy.packet import Raw
from scapy.utils import rdpcap

import netns

MAC = "02:00:00:78:72:01"
OTHER = "02:00:00:00:00:99"
NOBODY = 65534
# requests and flags of /dev/net/tun
TUNSETIFF, TUNSETPERSIST, TUNSETOFFLOAD = 0x400454ca, 0x400454cb, 0x400454d0
TAP, NO_PI, VNET_HDR = 0x0002, 0x1000, 0x4000
CSUM, TSO4, TSO6 = 1, 2, 4


@pytest.fixture(name="near")
def _near():
    """The namespace of the device."""
    space = netns.Namespace()
    yield space
    space.close()


@pytest.fixture(name="far")
def _far(near):
    """A namespace like one of a container: its interface v1 leads to v0 of near."""
    space = netns.Namespace()
    netns.veth(near, space, "v0", "v1", mtu=12000)
    yield space
    space.close()


@pytest.fixture(name="start")
def _start(near, start_device, tmp_path):
    """A function that starts a device in the namespace near."""
    def start(spec, ready=True):
        with near.inside():
            device = start_device("XRDMA_DEVICE", "--wire", spec, "--capture",
                                  str(tmp_path / "wire.pcap"), ready=ready)
        if ready:
            device.stats()      # the device answers when the wire is open
        return device
    return start


def wire(device):
    """The statistics of the wire."""
    return device.stats()["wire"]


def captured(device, tmp_path, count=1):
    """Wait for a number of frames, which the device drops because its port is down,
    and stop the device. Return the frames."""
    netns.wait_for(lambda: wire(device)["rx"]["port_down"] >= count)
    device.stop()
    return [Ether(bytes(packet)) for packet in rdpcap(str(tmp_path / "wire.pcap"))]


def again(packet):
    """The same packet, with checksums and lengths that scapy has computed."""
    new = packet.copy()
    for layer, fields in ((IP, ("chksum", "len")), (IPv6, ("plen",)),
                          (TCP, ("chksum",)), (UDP, ("chksum", "len"))):
        if layer in new:
            for field in fields:
                delattr(new[layer], field)
    return Ether(bytes(new))


@pytest.mark.parametrize("spec, words", [
    ("nonsense", ["unknown word 'nonsense'", "local=PATH,remote=PATH", "tap=NAME",
                  "packet=INTERFACE", "udp=ADDRESS:PORT,ADDRESS:PORT"]),
    ("tap", ["unknown word 'tap'"]),
    ("local=/tmp/x,mtu=9", ["unknown word 'mtu=9'", "local=PATH, remote=PATH"]),
    ("local=/tmp/x", ["remote=PATH are needed"]),
    ("tap=", ["no name of 1 to 15"]),
    ("tap=lo", ["an interface of this name is no TAP"]),
    ("packet=v7", ["no interface 'v7'"]),
    ("packet=lo", ["'lo' is no Ethernet interface"]),
    ("udp=127.0.0.1:4000", ["two addresses"]),
    ("udp=127.0.0.1,127.0.0.1:4000", ["'127.0.0.1' has no port"]),
    ("udp=localhost:1,127.0.0.1:4000", ["'localhost'", "numeric"]),
    ("udp=[::1]:1,127.0.0.1:4000", ["one address is IPv4"]),
    ("udp=192.0.2.1:1,192.0.2.2:4000", ["local address: Cannot assign"]),
])
def test_what_is_wrong_is_named(start, spec, words):
    """The message names what the wire does not take, and what it takes."""
    device = start(spec, ready=False)
    device.expected_status = 1
    assert device.process.wait(10) == 1
    for word in ["--wire", *words]:
        assert word in device.stderr()


def test_tap_of_another_process(near, start):
    """A TAP that is in use is refused."""
    start("tap=t0")
    device = start("tap=t0", ready=False)
    device.expected_status = 1
    assert device.process.wait(10) == 1
    assert "another process uses this TAP" in device.stderr()


@pytest.fixture(name="start_as_nobody")
def _start_as_nobody(near):
    """A function that starts a device as an ordinary user, in the namespace near. Where
    no udev has set the mode of /dev/net/tun, only root may open the file, so the device
    gets one of its own."""
    with tempfile.TemporaryDirectory(prefix="xrdma-") as directory:
        os.chmod(directory, 0o777)
        node = f"{directory}/tun"
        os.mknod(node, stat.S_IFCHR | 0o666, os.stat("/dev/net/tun").st_rdev)
        os.chmod(node, 0o666)

        def start(spec):
            with near.inside():
                return subprocess.Popen(
                    ["unshare", "--mount", "sh", "-c",
                     'mount --bind "$0" /dev/net/tun && exec "$@"', node,
                     "setpriv", f"--reuid={NOBODY}", "--clear-groups",
                     os.environ["XRDMA_DEVICE"], "--socket", f"{directory}/socket",
                     "--wire", spec], stderr=subprocess.PIPE, text=True)

        yield start


def test_tap_of_an_ordinary_user(near, start_as_nobody):
    """A user to whom a TAP belongs needs no capability."""
    near.ip(f"tuntap add mode tap name t0 user {NOBODY}")
    near.ip("link set t0 up")
    assert "NO-CARRIER" in near.ip("link show t0")
    with start_as_nobody("tap=t0") as device:
        netns.wait_for(lambda: "LOWER_UP" in near.ip("link show t0"))
        device.terminate()
        assert device.wait(10) == 0


@pytest.mark.parametrize("spec, capability", [
    ("tap=t1", "CAP_NET_ADMIN"), ("tap=t2", "CAP_NET_ADMIN"), ("packet=v0", "CAP_NET_RAW")])
def test_what_an_ordinary_user_lacks(near, far, start_as_nobody, spec, capability):
    """The message names the capability, for a TAP that does not exist, for one of another
    user, and for an interface."""
    near.ip(f"tuntap add mode tap name t2 user {NOBODY + 1}")
    with start_as_nobody(spec) as device:
        assert device.wait(10) == 1
        assert capability in device.stderr.read()


@pytest.mark.parametrize("kind", ["tap", "packet"])
def test_link_follows_the_interface(near, far, start, kind):
    """The wire has a carrier while the interface is up and exists. An interface that
    disappears neither ends the device nor keeps it busy."""
    name = {"tap": "t0", "packet": "v0"}[kind]
    device = start(f"{kind}={name}")
    if kind == "tap":
        assert wire(device)["carrier"] is False
        near.ip("link set t0 up")
    netns.wait_for(lambda: wire(device)["carrier"])
    near.ip(f"link set {name} down")
    netns.wait_for(lambda: not wire(device)["carrier"])
    near.ip(f"link set {name} up")
    netns.wait_for(lambda: wire(device)["carrier"])
    if kind == "packet":
        far.ip("link set v1 down")
        netns.wait_for(lambda: not wire(device)["carrier"])
        far.ip("link set v1 up")
        netns.wait_for(lambda: wire(device)["carrier"])
    near.ip(f"link del {name}")
    netns.wait_for(lambda: not wire(device)["carrier"])
    before = device.cpu_seconds()
    with pytest.raises(subprocess.TimeoutExpired):
        device.process.wait(1)
    assert device.cpu_seconds() - before < 0.3


def send_udp(space, target, size):
    """Send a UDP datagram from the kernel of a namespace."""
    program = ("import socket; s = socket.socket(socket.AF_INET6 if ':' in "
               f"'{target}' else socket.AF_INET, socket.SOCK_DGRAM); "
               f"s.sendto(b'x' * {size}, ('{target}', 4000))")
    space.run("python3", "-c", program)


def give_addresses(space, name):
    """Give an interface addresses, and neighbours with the MAC address of the device."""
    space.ip(f"link set {name} up")
    space.ip(f"address add 192.0.2.1/24 dev {name}")
    space.run("sysctl", "-q", f"net.ipv6.conf.{name}.disable_ipv6=0")
    space.ip(f"address add 2001:db8::1/64 dev {name} nodad")
    for address in ("192.0.2.2", "2001:db8::2"):
        space.ip(f"neigh add {address} lladdr {MAC} dev {name}")


def make_tap(space, name):
    """Make a TAP that keeps existing, and whose offloads are on, as a program that has
    ended left it."""
    with space.inside(), open("/dev/net/tun", "r+b", buffering=0) as tun:
        request = struct.pack("16sH22x", name.encode(), TAP | NO_PI | VNET_HDR)
        fcntl.ioctl(tun, TUNSETIFF, request)
        fcntl.ioctl(tun, TUNSETOFFLOAD, CSUM | TSO4 | TSO6)
        fcntl.ioctl(tun, TUNSETPERSIST, 1)


@pytest.mark.parametrize("target", ["192.0.2.2", "2001:db8::2"])
@pytest.mark.parametrize("kind", ["tap", "packet"])
def test_checksums_of_the_kernel_are_complete(near, far, start, tmp_path, kind,
                                              target):
    """Frames whose checksums the kernel may leave to the hardware arrive complete."""
    make_tap(near, "t0")
    device = start({"tap": "tap=t0", "packet": "packet=v0"}[kind])
    space, name = {"tap": (near, "t0"), "packet": (far, "v1")}[kind]
    give_addresses(space, name)
    netns.wait_for(lambda: wire(device)["carrier"])
    time.sleep(0.5)
    before = wire(device)["rx"]["port_down"]    # multicast reports of the kernel
    for size in (1, 700, 1400):
        send_udp(space, target, size)
    frames = [frame for frame in captured(device, tmp_path, before + 3)
              if UDP in frame]
    assert [len(frame[UDP]) for frame in frames] == [9, 708, 1408]
    for frame in frames:
        assert frame[UDP].chksum and bytes(frame) == bytes(again(frame))


TAGS = {"no tag": [], "802.1Q": [Dot1Q(vlan=7, prio=3)], "802.1ad": [Dot1AD(vlan=8)],
        "both": [Dot1AD(vlan=8), Dot1Q(vlan=7, prio=3)]}


def tcp_frame(ipv6, tags, size):
    """A TCP frame and the offset of its TCP header."""
    ether = Ether(src=OTHER, dst=MAC)
    for tag in TAGS[tags]:
        ether /= tag
    head = ether / (IPv6(src="2001:db8::1", dst="2001:db8::2") if ipv6 else
                    IP(src="192.0.2.1", dst="192.0.2.2", id=0xfffe))
    data = bytes(i * 7 & 255 for i in range(size))
    return head / TCP(sport=1, dport=2, seq=0xfffffff0, flags="FPAC") / Raw(data), \
        len(head)


def pseudo_sum(packet):
    """The sum of the pseudo header, which the kernel puts into the checksum field."""
    ip = packet[IPv6] if IPv6 in packet else packet[IP]
    wide = bytes(ip)[8:40] if IPv6 in packet else bytes(ip)[12:20]
    protocol, payload = (6, packet[TCP]) if TCP in packet else (17, packet[UDP])
    total = sum(struct.unpack(f">{len(wide) // 2}H", wide)) + protocol + len(payload)
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total


@pytest.mark.parametrize("ipv6", [False, True])
@pytest.mark.parametrize("tags", TAGS)
def test_merged_frames_are_segmented(far, start, tmp_path, ipv6, tags):
    """A TCP frame that the kernel would let the hardware segment arrives as segments
    with the right fields, with and without VLAN tags."""
    device = start("packet=v0")
    packet, l4 = tcp_frame(ipv6, tags, 20000)
    packet[TCP].chksum = pseudo_sum(packet)
    kind = netns.GSO_TCPV6 if ipv6 else netns.GSO_TCPV4
    with far.listen("v1", vnet_hdr=True) as sock:
        sock.send(netns.VNET.pack(netns.NEEDS_CSUM, kind, l4 + 20, 1400, l4, 16) +
                  bytes(packet))
    frames = captured(device, tmp_path, 15)
    assert len(frames) == 15
    assert b"".join(bytes(frame[Raw]) for frame in frames) == bytes(packet[Raw])
    for i, frame in enumerate(frames):
        assert bytes(frame) == bytes(again(frame))
        assert frame[TCP].seq == (0xfffffff0 + 1400 * i) & 0xffffffff
        assert ("F" in frame[TCP].flags and "P" in frame[TCP].flags) == (i == 14)
        assert ("C" in frame[TCP].flags) == (i == 0)
        assert bytes(frame)[12:l4 - (40 if ipv6 else 20)] == \
            bytes(packet)[12:l4 - (40 if ipv6 else 20)]
        assert ipv6 or frame[IP].id == (0xfffe + i) & 0xffff


def test_udp_frames_are_segmented(far, start, tmp_path):
    """The same for UDP."""
    device = start("packet=v0")
    head = Ether(src=OTHER, dst=MAC) / IP(src="192.0.2.1", dst="192.0.2.2")
    packet = head / UDP(sport=1, dport=2) / Raw(bytes(range(250)) * 10)
    packet[UDP].chksum = pseudo_sum(packet)
    with far.listen("v1", vnet_hdr=True) as sock:
        sock.send(netns.VNET.pack(netns.NEEDS_CSUM, netns.GSO_UDP_L4, 42, 1000, 34,
                                  6) + bytes(packet))
    frames = captured(device, tmp_path, 3)
    assert [len(frame[Raw]) for frame in frames] == [1000, 1000, 500]
    for frame in frames:
        assert bytes(frame) == bytes(again(frame))


def test_vlan_tag_is_put_back(far, start, tmp_path):
    """The tag that the kernel removes is in the frame."""
    device = start("packet=v0")
    sent = Ether(src=OTHER, dst=MAC) / Dot1Q(vlan=9, prio=5) / Raw(bytes(60))
    with far.listen("v1") as sock:
        sock.send(bytes(sent))
    assert [bytes(frame) for frame in captured(device, tmp_path)] == [bytes(sent)]


def test_longest_frame_arrives(near, far, start, tmp_path):
    """A frame of the largest MTU arrives. The interface is promiscuous, because the MAC
    address of the device is not its own."""
    device = start("packet=v0")
    assert "promiscuity 1" in near.ip("-d link show v0")
    sent = Ether(src=OTHER, dst=MAC, type=0x88b5) / Raw(bytes(9000))
    with far.listen("v1") as sock:
        sock.send(bytes(sent))
    assert [bytes(frame) for frame in captured(device, tmp_path)] == [bytes(sent)]


@pytest.mark.parametrize("kind", ["tap", "packet"])
def test_too_long_frames_are_reported(near, far, start, kind):
    """A frame that no port could receive is dropped, counted and reported once."""
    device = start({"tap": "tap=t0", "packet": "packet=v0"}[kind])
    space, name = {"tap": (near, "t0"), "packet": (far, "v1")}[kind]
    space.ip(f"link set {name} mtu 12000 up")
    with space.listen(name) as sock:
        for size in (9023, 9024, 12000):
            sock.send(bytes(Ether(dst=MAC, src=OTHER, type=0x88b5) /
                            Raw(bytes(size - 14))))
    netns.wait_for(lambda: wire(device)["socket_oversized"] == 3)
    assert device.stderr().count("longer than 9022 bytes") == 1


def test_what_the_host_sends_is_not_received(near, far, start, tmp_path):
    """Frames that the host of the interface sends do not arrive at the device."""
    device = start("packet=v0")
    with near.listen("v0") as sock, far.listen("v1") as other:
        for _ in range(3):
            sock.send(bytes(Ether(dst=MAC, src=OTHER, type=0x88b5) / Raw(bytes(60))))
        other.send(bytes(Ether(dst=MAC, src=OTHER, type=0x88b6) / Raw(bytes(60))))
    assert [frame.type for frame in captured(device, tmp_path)] == [0x88b6]

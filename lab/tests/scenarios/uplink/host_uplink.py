# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Guests whose device is connected to a network of this host. Runs on the host, in
network namespaces of its own; guest_uplink.sh runs in the guest."""

import re
import subprocess
import types

import pytest
from scapy.layers.inet import ICMP, IP, TCP
from scapy.layers.l2 import Dot1Q, Ether
from scapy.utils import rdpcap

from labvm import node
from labvm.device import Device
from lib.launch import beside, lab_vm
from lib.paths import TOP
from lib.soak import soak

# Runs in a new namespace: makes another namespace, which is connected by v0 and v1 and
# has the address 192.168.77.2, and runs the command that follows.
NETWORK = """
unshare --net sleep 600 >/dev/null 2>&1 & far=$!
capture= server=
trap 'kill $far $server $capture' EXIT
until [ "$(readlink /proc/$far/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do
    sleep 0.01
done
there() { nsenter --net=/proc/$far/ns/net "$@"; }
ip link add v0 mtu 4500 type veth peer name v1 mtu 4500 netns $far
ip link set v0 up
there ip link set lo up
there ip link set v1 up
there ip address add 192.168.77.2/24 dev v1
there ip address add fd00:77::2/64 dev v1 nodad
nsenter --net=/proc/$far/ns/net iperf3 -s >/dev/null 2>&1 & server=$!
nsenter --net=/proc/$far/ns/net \\
    tcpdump -Z root -Q in -i v1 -U -w "$0" >/dev/null 2>&1 & capture=$!
"""
BRIDGE = """
ip link add br0 type bridge
ip tuntap add mode tap name t0
ip link set t0 mtu 4500 master br0 up
ip link set v0 master br0
ip link set br0 up
"""


def run(setup, uplink, capture):
    """Runs the guest's part of the test, which must pass."""
    command = lab_vm("--uplink", uplink, "--number", "200") + [
        "bash", "-e", beside(__file__, "guest_uplink.sh")]
    done = subprocess.run(
        ["unshare", "--net", "bash", "-ec", NETWORK + setup + '"$@"', str(capture),
         *command], capture_output=True, text=True, check=False, timeout=290)
    assert done.returncode == 0, done.stdout + done.stderr


def again(frame):
    """The bytes of a frame whose lengths and checksums scapy has computed."""
    new = frame.copy()
    for layer in (IP, TCP, ICMP):
        if layer in new:
            del new[layer].chksum
    return bytes(new)


CASES = {"packet=v0": "", "tap=t0": BRIDGE}


@pytest.mark.parametrize("uplink", soak(["packet=v0"], [*CASES]))
def test_guest_in_a_network_of_the_host(tmp_path, uplink):
    """ping, with frames of the largest MTU, and iperf3 in both directions between a
    guest and a namespace whose interface leaves checksums and segmentation to the
    hardware. The frames of the guest are valid."""
    run(CASES[uplink], uplink, tmp_path / "frames.pcap")
    frames = [Ether(bytes(packet)) for packet in rdpcap(
        str(tmp_path / "frames.pcap"), 3000)]
    own = [frame for frame in frames if frame.src == "02:00:00:78:72:c8"]
    assert any(frame[Dot1Q].vlan == 7 for frame in own if Dot1Q in frame)
    assert max(map(len, own)) == 4514
    assert any(TCP in frame for frame in own) and any(ICMP in frame for frame in own)
    for frame in own:
        if IP in frame:
            assert bytes(frame) == again(frame)


# Runs a block of the guide in a new namespace; $CONTAINER is a process that has another
# one, with the address 192.168.77.2.
GUIDE = """
unshare --net sleep 600 >/dev/null 2>&1 & CONTAINER=$!
trap 'kill $CONTAINER' EXIT
until [ "$(readlink /proc/$CONTAINER/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do
    sleep 0.01
done
(until nsenter --net=/proc/$CONTAINER/ns/net sh -ec '
    ip link set eth1 up
    ip address add 192.168.77.2/24 dev eth1' 2>/dev/null; do
    sleep 0.1
done) &
"""
# first words of a block of the section -> what the block prints in the end
BLOCKS = {"ip link add v0 mtu": "3 packets transmitted, 3 received, 0% packet loss",
          "ip link add br0 type": "1000 iters in "}


@pytest.mark.parametrize("words", soak([*BLOCKS][:1], [*BLOCKS]))
def test_the_commands_of_the_guide(words):
    """They work as they are written."""
    text = (TOP / "Documentation/infiniband/xrdma.rst").read_text(encoding="utf-8")
    block = re.search(rf"^  {words}(?:.*\n  )*.*", text, re.M).group()
    done = subprocess.run(["unshare", "--net", "bash", "-ec", GUIDE + block], cwd=TOP,
                          capture_output=True, text=True, check=False, timeout=290)
    assert done.returncode == 0, done.stdout + done.stderr
    assert BLOCKS[words] in done.stdout


def test_what_the_device_does_not_take():
    """The message names the word."""
    done = subprocess.run(lab_vm("--uplink", "bridge=br0") + ["true"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--uplink" in done.stderr and "unknown word 'bridge'" in done.stderr


def test_device_that_ends_before_it_opens_its_sockets(tmp_path, monkeypatch):
    """The lab reports the same as for a device that ends after it has opened them."""
    fake = tmp_path / "device"
    fake.write_text("#!/bin/sh\necho 'device: --wire tap=no: no such interface'\n")
    fake.chmod(0o755)
    monkeypatch.setattr(node, "Device", lambda _binary, rundir, args:
                        Device(str(fake), rundir, args))
    opts = types.SimpleNamespace(kinds=["xrdma"], uplink="tap=no", number=1, nodes=1,
                                 fast_device=False, device_arg=[], impair="")
    mine = node.Node(opts, 1, str(tmp_path))
    with pytest.raises(node.Refused, match="--uplink: --wire tap=no: no such inter"):
        mine.start_device()
    assert mine.device is None

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What ethtool shows and sets of the Ethernet port. Runs in a guest."""

import functools
import os
import re
import subprocess
import time

import pytest
import pyverbs.enums as e
from pyverbs.mr import MR

from labverbs.rc import ALL, Buffer, pair
from lib import netdev_queues
from lib.control import ask, stats
from lib.ether import frame_returns

NETDEV = os.environ.get("XRDMA_NETDEV")
NO_RESOURCE = 6     # XRDMA_CMD_NO_RESOURCE
PORT_PAUSE, PORT_CSUM, PORT_VLAN, PORT_GRO = 8, 16, 32, 64    # XRDMA_PORT_*
# payloads of frames that end at, before and after the ends of receive pages
SIZES = (46, 1500, *range(3480, 3530), 4096, *range(7580, 7630), 8986, 9000)
OFFLOADS = ("rx-checksumming", "tx-checksumming", "scatter-gather",
            "tcp-segmentation-offload", "generic-receive-offload",
            "rx-vlan-offload", "tx-vlan-offload", "rx-gro-hw")
ABSENT = ("large-receive-offload", "ntuple-filters", "receive-hashing",
          "rx-vlan-filter", "tx-udp-segmentation", "tx-checksum-sctp",
          "l2-fwd-offload", "rx-all")


def ethtool(*args):
    out = subprocess.run(["ethtool", *args, NETDEV], check=True,
                         capture_output=True, text=True).stdout
    return dict(re.findall(r"^[ \t]*([^:\n]+):[ \t]*(.*?)[ \t]*$", out, re.M))


def test_driver():
    shown = ethtool("-i")
    assert shown["driver"] == "xrdma"
    assert re.fullmatch(r"\d+\.\d+\.\d+", shown["firmware-version"])
    link = os.readlink(f"/sys/class/net/{NETDEV}/device")
    assert shown["bus-info"] == os.path.basename(link)
    assert shown["supports-statistics"] == "yes"


def test_rings():
    out = subprocess.run(["ethtool", "-g", NETDEV], check=True,
                         capture_output=True, text=True).stdout
    assert re.findall(r"^RX:\s+(\S+)", out, re.M) == ["1024", "256"]
    assert re.findall(r"^TX:\s+(\S+)", out, re.M) == ["1024", "256"]


def pause():
    shown = ethtool("-a")
    return shown["Autonegotiate"], shown["RX"], shown["TX"]


def test_pause():
    """The port holds the far end back unless the user forbids it; the device knows."""
    assert pause() == ("off", "on", "on")
    try:
        subprocess.run(["ethtool", "-A", NETDEV, "tx", "off"], check=True)
        assert pause() == ("off", "on", "off")
        assert not stats()["device"]["port_flags"] & PORT_PAUSE
    finally:
        subprocess.run(["ethtool", "-A", NETDEV, "tx", "on"], check=True)
    assert stats()["device"]["port_flags"] & PORT_PAUSE
    for refused in "rx off", "autoneg on":
        done = subprocess.run(["ethtool", "-A", NETDEV, *refused.split()],
                              check=False, capture_output=True)
        assert done.returncode
    assert pause() == ("off", "on", "on")


def coalesce():
    shown = ethtool("-c")
    return [int(shown[name]) for name in
            ("rx-usecs", "rx-frames", "tx-usecs", "tx-frames")]


@pytest.fixture
def moderation():
    """Sets the moderation of interrupts. Returns the exit status of ethtool."""
    def change(*words):
        return subprocess.run(["ethtool", "-C", NETDEV, *words], check=False,
                              capture_output=True).returncode
    yield change
    change("rx-usecs", "0", "rx-frames", "0", "tx-usecs", "0", "tx-frames", "0")


def delays(count=15):
    """The times in which count frames came back, in seconds, in ascending order."""
    times = []
    for _ in range(count):
        start = time.monotonic()
        assert frame_returns(100)
        times.append(time.monotonic() - start)
    return sorted(times)


def test_moderation(moderation):
    """The device delays the interrupt of a frame, also of queues that are made after an
    error, and raises it at once after enough frames. A busy host delays most frames,
    but not the fastest one."""
    assert coalesce() == [0, 0, 0, 0]
    assert delays()[0] < 0.05
    assert not moderation("rx-usecs", "60000", "tx-usecs", "60000")
    assert coalesce() == [60000, 0, 60000, 0]
    assert delays()[7] > 0.05
    ask(cmd="eth_fault", kind="send")
    while not frame_returns(60) or stats()["device"]["eth_fault"] != "none":
        pass
    assert delays()[7] > 0.05
    assert not moderation("rx-frames", "1")
    assert delays()[0] < 0.05


def test_each_queue_is_moderated(moderation):
    """A frame without IP goes to the first entry of the table, which names each queue in
    turn."""
    run = functools.partial(subprocess.run, check=True)
    before = len(netdev_queues.packets(NETDEV, "rx"))
    run(["ethtool", "-L", NETDEV, "combined", "3"])
    try:
        assert not moderation("rx-usecs", "60000", "tx-usecs", "60000")
        for number in range(3):
            weights = [str(int(n == number)) for n in range(3)]
            run(["ethtool", "-X", NETDEV, "weight", *weights])
            assert delays()[7] > 0.05, number
    finally:
        run(["ethtool", "-X", NETDEV, "default"])
        run(["ethtool", "-L", NETDEV, "combined", str(before)], check=False)


@pytest.mark.parametrize("times", [1, 2])
def test_a_moderation_that_fails_changes_nothing(moderation, times):
    """The device refuses the command for the second of the queues, and in the second case
    also the command that gives the first one its former value: then new queues replace
    all."""
    ask(cmd="command_fault", kind="fail", opcode="MODIFY_CQ", skip=1, count=times,
        status=NO_RESOURCE)
    try:
        assert moderation("rx-usecs", "60000", "tx-usecs", "60000")
    finally:
        ask(cmd="command_faults_clear")
    assert coalesce() == [0, 0, 0, 0]
    time.sleep(times - 1)
    assert delays()[0] < 0.05


def test_moderation_has_limits(moderation):
    for words in (["rx-usecs", "65536"], ["tx-frames", "65536"], ["rx-frames", "2"],
                  ["tx-frames", "2"], ["adaptive-rx", "on"]):
        assert moderation(*words), words
    assert coalesce() == [0, 0, 0, 0]
    assert not moderation("tx-frames", "2", "tx-usecs", "65535")
    assert coalesce() == [0, 0, 65535, 2]


def test_largest_mtu():
    with open(f"/sys/class/net/{NETDEV}/mtu", encoding="ascii") as file:
        before = file.read().strip()
    try:
        subprocess.run(["ip", "link", "set", NETDEV, "mtu", "9000"], check=True)
        assert stats()["device"]["mtu"] == 9000
        for size in SIZES:
            assert frame_returns(size)
        done = subprocess.run(["ip", "link", "set", NETDEV, "mtu", "9001"],
                              check=False, capture_output=True)
        assert done.returncode
    finally:
        subprocess.run(["ip", "link", "set", NETDEV, "mtu", before], check=True)


def test_link():
    shown = ethtool()
    assert shown["Link detected"] == "yes" and shown["Duplex"] == "Full"
    assert re.fullmatch(r"\d+Mb/s", shown["Speed"])


@pytest.mark.parametrize("name", OFFLOADS)
def test_offload_is_on(name):
    assert ethtool("-k")[name] == "on"


@pytest.mark.parametrize("name", ABSENT)
def test_absent_offload_cannot_be_switched_on(name):
    assert ethtool("-k")[name] == "off [fixed]"


@pytest.mark.parametrize("name, flag", [("rx", PORT_CSUM), ("rxvlan", PORT_VLAN),
                                        ("rx-gro-hw", PORT_GRO)])
def test_offload_of_receives_can_be_switched_off(name, flag):
    """The device is told."""
    assert stats()["device"]["port_flags"] & flag
    try:
        subprocess.run(["ethtool", "-K", NETDEV, name, "off"], check=True)
        assert not stats()["device"]["port_flags"] & flag
    finally:
        subprocess.run(["ethtool", "-K", NETDEV, name, "on"], check=True)
    assert stats()["device"]["port_flags"] & flag


def test_frames_are_not_merged_without_checksums():
    """Neither ethtool nor the device has hardware GRO while the device checks no sums."""
    try:
        subprocess.run(["ethtool", "-K", NETDEV, "rx", "off"], check=True)
        assert ethtool("-k")["rx-gro-hw"] == "off [requested on]"
        assert not stats()["device"]["port_flags"] & (PORT_CSUM | PORT_GRO)
    finally:
        subprocess.run(["ethtool", "-K", NETDEV, "rx", "on"], check=True)
    assert ethtool("-k")["rx-gro-hw"] == "on"
    assert stats()["device"]["port_flags"] & PORT_GRO


def test_address_of_a_group_is_refused():
    path = f"/sys/class/net/{NETDEV}/address"
    before = open(path).read()
    done = subprocess.run(["ip", "link", "set", NETDEV, "address",
                           "01:00:5e:00:00:01"], check=False,
                          capture_output=True, text=True)
    assert "assign requested address" in done.stderr
    assert open(path).read() == before


def test_frames_are_counted():
    before = ethtool("-S")
    subprocess.run(["ping", "-c", "3", "-i", "0.2", "-W", "1", "-q",
                    "-I", NETDEV, "192.168.77.99"], check=False,
                   capture_output=True)
    after = ethtool("-S")
    sent = int(after["netdev_tx_packets"]) - int(before["netdev_tx_packets"])
    path = f"/sys/class/net/{NETDEV}/statistics/tx_packets"
    assert sent >= 1
    with open(path, encoding="ascii") as file:
        assert int(file.read()) >= int(after["netdev_tx_packets"])


def test_the_device_counts_too(dev, pd):
    buf = Buffer((4096, False))
    mr = MR(pd, 4096, ALL, address=buf.address)
    a, b = pair(dev, pd)
    before = ethtool("-S")
    a.post(e.IBV_WR_RDMA_WRITE, [(buf.address, 4096, mr.lkey)], buf.address,
           mr.rkey)
    a.wait()
    after = ethtool("-S")
    changed = {name for name in after if after[name] != before[name]}
    assert int(after["rx_bytes"]) - int(before["rx_bytes"]) >= 4096
    assert int(after["rx_write_requests"]) == \
        int(before["rx_write_requests"]) + 1
    assert not changed & {"rx_icrc_encapsulated", "fault_key_byte"}
    for end in (a, b):
        end.qp.close()
        end.cq.close()
    mr.close()

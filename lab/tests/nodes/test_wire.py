# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The packets on the wire: node 2 captures them with tcpdump, and scapy parses them
and computes checksums. Neither program shares code with the device. Runs in node 1
of two."""

import functools
import json
import re
import struct
import subprocess

import pytest

pytestmark = pytest.mark.rxe_only

MAC = "02:00:00:78:72:01"
PORT = 18515
# opcodes of RC
WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST = 6, 7, 8
RESPONSES = (13, 14, 15, 16, 17, 18)
ACK, NAK_SEQUENCE = 17, 0x60


class Capture:
    """A capture of RoCE packets by tcpdump in node 2, until stop(). Each packet takes
    as many bytes of tcpdump's buffer (-B, in KiB) as -s says, however short it is."""

    def __init__(self, nodes):
        self._nodes = nodes
        self._tcpdump = nodes.serve(
            "exec tcpdump -i $XRDMA_NETDEV -s 8192 -w /tmp/wire.pcap -B 16384 "
            "--immediate-mode -U udp port 4791", words="listening on")

    def stop(self):
        """Ends the capture. Returns the packets."""
        # waits until the file no longer grows
        self._nodes.there("while old=$new; new=$(stat -c %s /tmp/wire.pcap); "
                          "[ \"$new\" != \"$old\" ]; do sleep 0.3; done; "
                          "pkill -INT tcpdump")
        text = self._tcpdump.succeed()
        counts = [int(re.search(rf"^(\d+) packets {what}", text, re.M)[1])
                  for what in ("captured", "received by filter",
                               "dropped by kernel")]
        assert counts[0] == counts[1] and not counts[2], text
        dump = self._nodes.start_there("cat /tmp/wire.pcap")
        dump.succeed()
        return list(packets_of(dump.data()))


def packets_of(pcap):
    """The packets in a file of tcpdump."""
    at = 24
    while at < len(pcap):
        length, = struct.unpack_from("<I", pcap, at + 8)
        yield Packet(pcap[at + 16:at + 16 + length])
        at += 16 + length


class Packet:
    """One packet, with the fields that the tests check. scapy is slow, so it parses a
    packet only when a test asks for it."""

    def __init__(self, data):
        self._data = data
        at = 42 if data[12:14] == b"\x08\x00" else 62
        self.ours = data[6:12] == bytes.fromhex(MAC.replace(":", ""))
        self.opcode = data[at]
        self.psn = int.from_bytes(data[at + 9:at + 12])
        self.payload = data[at + 12:-4]
        self.is_response = self.opcode in RESPONSES

    @functools.cached_property
    def frame(self):
        """The whole frame, parsed by scapy."""
        # the import registers the headers of RoCE
        from scapy.contrib.roce import Ether
        return Ether(self._data)

    @property
    def bth(self):
        """The base transport header and the headers after it."""
        return self.frame["BTH"]

    def icrc_is_right(self):
        return self.bth.compute_icrc(b"") == struct.pack("!I", self.bth.icrc)

    def syndrome(self):
        """The syndrome of an ACKNOWLEDGE; None for other packets."""
        return self.payload[0] if self.opcode == ACK else None


def after(psn, other):
    """The distance from PSN other to psn, modulo 2^24, negative if psn is before."""
    return (psn - other + 0x800000) % 0x1000000 - 0x800000


@pytest.fixture
def capture(nodes):
    return Capture(nodes)


@pytest.fixture
def impair():
    """A function that sets impairments of the wire in one direction. The end of the
    test removes them."""
    def change(spec, direction="both"):
        request = {"cmd": "fault", "wire": spec, "direction": direction}
        out = subprocess.run(["xrdma-device", json.dumps(request)], check=True,
                             capture_output=True, text=True).stdout
        assert json.loads(out)["ok"]
    yield change
    change("none")


def perftest(nodes, program, options):
    line = f"{program} -d $XRDMA_DEV -F -u 18 {options} -x "
    nodes.talk(line + "$XRDMA_GID_INDEX",
               line + "$XRDMA_GID_INDEX $PEER_ADDR", port=PORT)


GID6 = "$(lab-gid $XRDMA_DEV fd00:0077:0000:0000:0000:0000:0000:000%d)"
TRAFFIC = {
    "send": "ibv_rc_pingpong -d $XRDMA_DEV -g $XRDMA_GID_INDEX -n 20 -s 3001",
    "unreliable": "ibv_uc_pingpong -d $XRDMA_DEV -g $XRDMA_GID_INDEX -n 20",
    "datagram": "ibv_ud_pingpong -d $XRDMA_DEV -g $XRDMA_GID_INDEX -n 20",
    "read": "ib_read_lat -d $XRDMA_DEV -x $XRDMA_GID_INDEX -s 5000 -n 10 -o 4 -F",
    "atomic": "ib_atomic_lat -d $XRDMA_DEV -x $XRDMA_GID_INDEX -n 10 -o 4 -F",
    "ipv6": f"ib_write_lat -d $XRDMA_DEV -x {GID6} -s 4999 -n 10 -F",
}


def check_headers(packet):
    """Checks the headers of a packet that an xrdma device sent."""
    from scapy.layers.inet import IP, UDP
    from scapy.layers.inet6 import IPv6
    udp, bth = packet.frame[UDP], packet.bth
    assert 0xc000 <= udp.sport <= 0xffff
    assert udp.chksum == 0
    assert (bth.version, bth.pkey) == (0, 0xffff)
    assert (bth.resv6, bth.resv7, bth.fecn, bth.becn) == (0, 0, 0, 0)
    assert (udp.len - 8) % 4 == 0
    if IP in packet.frame:
        ip = packet.frame[IP]
        assert (ip.ihl, ip.frag, str(ip.flags)) == (5, 0, "DF")
        assert ip.ttl > 0 and ip.len == udp.len + 20
        chksum, ip = ip.chksum, ip.copy()
        del ip.chksum
        assert IP(bytes(ip)).chksum == chksum
    else:
        ip = packet.frame[IPv6]
        assert ip.hlim > 0 and ip.plen == udp.len


@pytest.mark.parametrize("traffic", TRAFFIC)
def test_headers_and_icrc(nodes, capture, traffic):
    line = TRAFFIC[traffic]
    nodes.talk(line.replace("%d", "2"), line.replace("%d", "1") + " $PEER_ADDR",
               port=PORT)
    packets = capture.stop()
    sent = [packet for packet in packets if packet.ours]
    assert len(sent) >= 10 and len(packets) > len(sent)
    assert all(packet.icrc_is_right() for packet in packets)
    for packet in sent:
        check_headers(packet)
    # all packets of a path have the same source port
    assert len({packet.frame["UDP"].sport for packet in sent}) == 1


def test_a_message_is_cut_into_packets(nodes, capture):
    perftest(nodes, "ib_write_bw", "-s 10003 -n 5 -m 1024")
    sent = [packet for packet in capture.stop()
            if packet.ours and not packet.is_response]
    first = sent[0].psn
    assert [after(packet.psn, first) for packet in sent] == list(range(50))
    assert [packet.opcode for packet in sent] == \
        ([WRITE_FIRST] + [WRITE_MIDDLE] * 8 + [WRITE_LAST]) * 5
    for number, packet in enumerate(sent):
        reth = 16 if packet.opcode == WRITE_FIRST else 0
        last = packet.opcode == WRITE_LAST
        length = 10003 - 9 * 1024 if last else 1024
        assert packet.bth.padcount == -length % 4
        assert len(packet.payload) == reth + length + packet.bth.padcount
        if reth:
            assert struct.unpack("!I", packet.payload[12:16]) == (10003,)
        if last:
            assert packet.payload[length:] == bytes(packet.bth.padcount)
            assert packet.bth.ackreq or number < len(sent) - 1


def test_go_back_n_of_the_sender(nodes, capture, impair):
    """After a loss, the sender goes back to the packet that the receiver expects, or to
    one that the sender may take for that packet, and continues from there."""
    impair("loss=3%,seed=5", "tx")
    perftest(nodes, "ib_write_bw", "-s 32768 -n 15 -m 1024")
    packets = capture.stop()
    expected = at = next(packet.psn for packet in packets
                         if packet.ours and not packet.is_response)
    acked = at - 1
    naks = jumps = 0
    for packet in packets:
        if packet.syndrome() == NAK_SEQUENCE:
            naks += 1
            assert packet.psn == expected % 0x1000000
        elif packet.is_response:
            acked = max(acked, packet.psn, key=lambda psn: after(psn, at))
        elif packet.ours:
            if after(packet.psn, at) < 0:
                jumps += 1
                # not after the missing packet, not before the acknowledged ones
                assert after(packet.psn, expected) <= 8
                assert after(packet.psn, acked) > -128
            else:
                # only the lost packets are missing
                assert after(packet.psn, at) < 8
            at = packet.psn + 1
            if after(packet.psn, expected) == 0:
                expected = packet.psn + 1
    assert naks and jumps
    assert after(expected, acked) == 1


def test_go_back_n_of_the_receiver(nodes, capture, impair):
    """The receiver sends one NAK for each gap, with the PSN of the missing packet."""
    impair("loss=3%,seed=6", "rx")
    line = "ib_write_bw -d $XRDMA_DEV -x $XRDMA_GID_INDEX -F -u 18 " \
           "-s 32768 -n 15 -m 1024"
    server = nodes.start_here(line)
    nodes.here("until grep -q ':4853 0' /proc/net/tcp /proc/net/tcp6; do "
               "sleep 0.1; done")
    nodes.there(f"{line} $PEER_ADDR")
    server.succeed()
    packets = capture.stop()
    asked, sent = set(), set()
    for packet in packets:
        if not packet.ours and not packet.is_response:
            sent.add(packet.psn)
        elif packet.ours and packet.syndrome() == NAK_SEQUENCE:
            assert packet.psn not in asked, "a second NAK for the same gap"
            assert packet.psn in sent
            asked.add(packet.psn)
    assert asked
    assert all(packet.icrc_is_right() for packet in packets[::20])

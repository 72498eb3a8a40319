# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Paged memory on both of two nodes: data that arrives at pages which the device does
not know yet is neither lost nor sent again. Runs in node 1 of two."""

import json

import pytest

from lib.soak import soak

pytestmark = pytest.mark.xrdma_only

MIB = 1 << 20
PORT = 4711
TROUBLE = ("packet_seq_err", "local_ack_timeout_err", "page_fault_drops")
# The program stream.py sends before its peer has posted receives, with pinned memory
# too. The other programs do not.
RESENT = ("rnr_nak_retry_err", "tx_retransmitted_pkts")


def counters(run):
    """The counters of the port of a node."""
    # the core shows values that may be some milliseconds old
    row, = json.loads(run("sleep 0.1; rdma statistic show link $XRDMA_DEV/1 -j"))
    return row


@pytest.fixture(autouse=True)
def undisturbed(nodes, request):
    """Both devices have had page faults, and have lost no packet."""
    names = TROUBLE
    if request.function is not test_every_byte_arrives_once_at_cold_memory:
        names += RESENT
    before = [counters(nodes.here), counters(nodes.there)]
    yield
    after = [counters(nodes.here), counters(nodes.there)]
    for old, new in zip(before, after):
        assert {name: new[name] - old[name] for name in names} == \
            dict.fromkeys(names, 0)
        assert new["page_faults"] > old["page_faults"]


def test_every_byte_arrives_once_at_cold_memory(nodes):
    """SEND, WRITE, READ and atomics in both directions at the same time."""
    size = soak(8 * MIB, 1024 * MIB)
    line = f"XRDMA_PAGED=1 python3 -B /src/lab/tests/programs/stream.py {size}"
    for text in nodes.talk(line, f"{line} $PEER_ADDR", port=PORT,
                           timeout=soak(120, 3600)):
        assert "verified " in text, text
        assert int(text.split()[1]) >= size


def test_nothing_is_sent_again_while_fewer_packets_wait_than_can(nodes):
    """No timeout, no packet that is sent again, and no RNR NAK, although each access
    has to wait for pages, on both nodes and in both directions."""
    line = "python3 -B /src/lab/tests/programs/cold.py"
    text, _ = nodes.talk(line, f"{line} $PEER_ADDR", port=PORT)
    assert "verified " in text, text


@pytest.mark.parametrize("operation, options", [
    ("write", "-s 1048576 -n 10"), ("read", "-s 1048576 -n 10 -o 4"),
    ("send", "-s 1048576 -n 10"), ("write", "-s 65536 -n 40 -q 8")])
def test_perftest(nodes, operation, options):
    """perftest touches its memory itself; its device does not know the pages."""
    line = (f"ib_{operation}_bw -d $XRDMA_DEV -x $XRDMA_GID_INDEX -F -u 18 "
            f"{options} --odp")
    text, _ = nodes.talk(line, f"{line} $PEER_ADDR", port=18515)
    assert "BW average" in text, text


@pytest.fixture
def huge_pages(nodes):
    """Both nodes have free pages of hugetlbfs."""
    knob = "/proc/sys/vm/nr_hugepages"
    nodes.both(f"echo 8 > {knob} && [ $(cat {knob}) = 8 ]")
    yield
    nodes.both(f"echo 0 > {knob}")


def test_perftest_in_huge_pages(nodes, huge_pages):
    line = ("ib_write_bw -d $XRDMA_DEV -x $XRDMA_GID_INDEX -F -u 18 -s 1048576 -n 10 "
            "--odp --use_hugepages")
    text, _ = nodes.talk(line, f"{line} $PEER_ADDR", port=18515)
    assert "BW average" in text, text

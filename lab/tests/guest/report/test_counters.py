# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What `rdma statistic` shows: the counters of the port, and counters bound to
queue pairs; and the parameters of congestion control in debugfs. Runs in a guest."""

import pathlib
import subprocess
import time

import pytest
import pyverbs.enums as e
from pyverbs.mr import MR

from labverbs.rc import ALL, Buffer, pair
from lib.control import stats
from lib.raw_objects import DESTROY, Raw, first
from lib.rdma_tool import rdma, statistic

COUNTERS = (
    "rx_pkts", "rx_bytes", "tx_pkts", "tx_bytes", "rx_icrc_encapsulated",
    "rx_dropped", "duplicate_request", "out_of_sequence", "rnr_nak_retry_err",
    "packet_seq_err", "local_ack_timeout_err", "resp_remote_access_errors",
    "access_faults", "access_faults_lost", "commands", "invalidated_keys",
    "out_of_buffer", "rx_write_requests", "rx_read_requests",
    "rx_atomic_requests", "tx_retransmitted_pkts", "req_remote_invalid_request",
    "req_remote_access_errors", "req_cqe_error", "resp_cqe_error",
    "req_cqe_flush_error", "resp_cqe_flush_error", "np_ecn_marked_roce_packets",
    "np_cnp_sent", "rp_cnp_handled", "page_faults", "page_fault_waits",
    "page_fault_drops")
# The core and the driver show values that are up to this many seconds old
AGE = 0.05
# Counter sets of the device that can be bound
SETS = 255


class Traffic:
    """A connection, and counters of its queue pairs."""

    def __init__(self, dev, pd):
        self.dev, self.pd = dev, pd
        self.buf = Buffer((65536, False))
        self.mr = MR(pd, 65536, ALL, address=self.buf.address)
        self.link = f"{dev.name}/1"
        self.connect()

    def connect(self):
        self.a, self.b = pair(self.dev, self.pd)
        self.qpns = [end.qp.qp_num for end in (self.a, self.b)]

    def write(self, count=1, length=1000, key=0):
        for _ in range(count):
            self.a.post(e.IBV_WR_RDMA_WRITE,
                        [(self.buf.address, length, self.mr.lkey)],
                        self.buf.address, self.mr.rkey ^ key)
            self.a.poll()

    def read(self):
        self.a.post(e.IBV_WR_RDMA_READ, [(self.buf.address, 8, self.mr.lkey)],
                    self.buf.address, self.mr.rkey)
        self.a.wait()

    def stat(self, *args):
        subprocess.run(["rdma", "statistic", "qp", *args], check=True,
                       capture_output=True)

    def bind(self, qpn):
        known = set(self.counters())
        self.stat("bind", "link", self.link, "lqpn", str(qpn))
        number, = set(self.counters()) - known
        return number

    def unbind(self, number, qpn):
        self.stat("unbind", "link", self.link, "cntn", str(number), "lqpn",
                  str(qpn))

    def counters(self):
        """The number of each bound counter -> its row."""
        time.sleep(AGE)
        return {row["cntn"]: row for row in
                rdma("statistic", "qp", "show", "link", self.link)}

    def port(self):
        time.sleep(AGE)
        return statistic(self.dev)

    def disconnect(self):
        for end in (self.a, self.b):
            end.qp.close()
            end.cq.close()

    def close(self):
        self.disconnect()
        self.mr.close()


@pytest.fixture
def traffic(dev, pd):
    traffic = Traffic(dev, pd)
    yield traffic
    traffic.close()


def gained(after, before, *names):
    return tuple(after.get(name, 0) - before.get(name, 0) for name in names)


def test_the_port_has_every_counter(dev):
    assert set(COUNTERS) <= set(statistic(dev))


def test_port_counts_operations(traffic):
    before = traffic.port()
    traffic.write(3)
    traffic.read()
    after = traffic.port()
    assert gained(after, before, "rx_write_requests", "rx_read_requests",
                  "rx_atomic_requests") == (3, 1, 0)
    packets, sent, bytes_ = gained(after, before, "rx_pkts", "tx_pkts",
                                   "rx_bytes")
    assert packets == sent >= 8 and bytes_ >= 3000
    assert gained(after, before, "rx_icrc_encapsulated", "rx_dropped",
                  "packet_seq_err") == (0, 0, 0)
    assert after["commands"] > before["commands"]


def test_port_counts_what_was_refused(traffic):
    before = traffic.port()
    traffic.write(key=1)
    after = traffic.port()
    assert gained(after, before, "resp_remote_access_errors",
                  "req_remote_access_errors", "req_cqe_error",
                  "access_faults", "fault_key_byte") == (1, 1, 1, 1, 1)


def test_counter_counts_its_queue_pair_alone(dev, pd, traffic):
    other = Traffic(dev, pd)
    number = traffic.bind(traffic.qpns[1])
    traffic.write(5)
    other.write(7)
    row = traffic.counters()[number]
    assert row["lqpn"] == [traffic.qpns[1]]
    assert row["rx_write_requests"] == 5
    assert row.get("rx_read_requests", 0) == 0
    assert row["rx_pkts"] == 5
    traffic.write(1)
    assert traffic.counters()[number]["rx_write_requests"] == 6
    traffic.unbind(number, traffic.qpns[1])
    assert number not in traffic.counters()
    other.close()


def test_nothing_is_counted_twice_nor_lost(traffic):
    before = traffic.port()
    number = traffic.bind(traffic.qpns[1])
    traffic.write(4)
    assert gained(traffic.port(), before, "rx_write_requests") == (4,)
    traffic.unbind(number, traffic.qpns[1])
    # the counts of the unbound counter are in the port's counters at once
    assert gained(statistic(traffic.dev), before, "rx_write_requests") == (4,)
    traffic.write(2)
    assert gained(traffic.port(), before, "rx_write_requests") == (6,)


def test_a_reading_costs_few_commands(traffic):
    """Reading does not send a command for each value of each counter."""
    numbers = [(traffic.bind(qpn), qpn) for qpn in traffic.qpns]
    before, after = traffic.port(), traffic.port()
    assert after["commands"] - before["commands"] < len(COUNTERS)
    for number, qpn in numbers:
        traffic.unbind(number, qpn)


def test_counter_begins_at_zero_again(traffic):
    number = traffic.bind(traffic.qpns[1])
    traffic.write(3)
    traffic.unbind(number, traffic.qpns[1])
    again = traffic.bind(traffic.qpns[1])
    assert again == number
    assert traffic.counters()[again].get("rx_write_requests", 0) == 0
    traffic.write(1)
    assert traffic.counters()[again]["rx_write_requests"] == 1
    traffic.unbind(again, traffic.qpns[1])


def test_counter_ends_with_its_queue_pair(traffic):
    before = traffic.port()
    number = traffic.bind(traffic.qpns[1])
    traffic.write(3)
    traffic.disconnect()
    assert number not in traffic.counters()
    assert gained(statistic(traffic.dev), before, "rx_write_requests") == (3,)
    traffic.connect()


def test_counters_by_type(traffic):
    traffic.disconnect()
    traffic.stat("set", "link", traffic.link, "auto", "type", "on")
    try:
        traffic.connect()
        row, = traffic.counters().values()
        assert sorted(row["lqpn"]) == sorted(traffic.qpns)
        traffic.write(3)
        row, = traffic.counters().values()
        # the counter counts both queue pairs
        assert row["rx_write_requests"] == 3
        assert row["rx_pkts"] == row["tx_pkts"] >= 6
        traffic.disconnect()
        assert not traffic.counters()
    finally:
        traffic.stat("set", "link", traffic.link, "auto", "off")
    traffic.connect()


def bind_all(traffic, path, qpns):
    """Binds a counter set to each queue pair until that fails. Writes the commands to
    the file @path, and starts one process for all of them. Returns its output."""
    path.write_text("".join(
        f"statistic qp bind link {traffic.link} lqpn {qpn}\n" for qpn in qpns))
    return subprocess.run(["rdma", "-b", str(path)], capture_output=True, text=True,
                          check=False).stderr


def test_counters_run_out(traffic, tmp_path):
    """Binds each counter set of the device. The next bind fails. After all sets were
    freed, a bind succeeds."""
    pairs, path = [], tmp_path / "commands"
    try:
        for _ in range(SETS // 2 + 1):
            pairs.append(Traffic(traffic.dev, traffic.pd))
        words = bind_all(traffic, path, sum((item.qpns for item in pairs), []))
        assert f"Command failed {path}:{SETS + 1}\n" in words
        assert len(traffic.counters()) == SETS
    finally:
        for item in pairs:
            item.close()
    assert not traffic.counters()
    number = traffic.bind(traffic.qpns[0])
    traffic.unbind(number, traffic.qpns[0])


def test_queue_pair_without_queues_has_no_counter(dev, pd, traffic):
    """A queue pair that spreads frames over work queues has no counter. The core returns
    one errno for all failures, so the test checks that the driver sent no command: the
    device would have counted that command as a host error."""
    raw = Raw(dev, pd)
    made = raw.create_rss(4)
    before = stats()["host_errors"]
    with pytest.raises(subprocess.CalledProcessError):
        traffic.stat("bind", "link", traffic.link, "lqpn", str(first(made, 4)))
    assert stats()["host_errors"] == before
    assert not traffic.counters()
    DESTROY["create_rss"](raw, made)
    raw.close()


# ---- congestion control --------------------------------------------------------------

FIELDS = {"flags": (0, 3), "min_rate": (1, 50), "ai_rate": (5, 100),
          "hai_rate": (50, 200), "time_reset": (300, 1000),
          "byte_reset": (32767, 100000), "threshold": (1, 5),
          "alpha_timer": (55, 100), "alpha_g": (4, 1023),
          "initial_alpha": (0, 1024), "reduce_period": (4, 100),
          "cnp_interval": (4, 50)}


@pytest.fixture
def cc():
    found, = pathlib.Path("/sys/kernel/debug/xrdma").glob("*/cc")
    kept = {path.name: path.read_text() for path in found.iterdir()}
    yield found
    for name, text in kept.items():
        (found / name).write_text(text)


def test_every_parameter_is_a_file(cc):
    assert {path.name for path in cc.iterdir()} == set(FIELDS)
    assert int((cc / "flags").read_text()) == 3


@pytest.mark.parametrize("name", FIELDS)
def test_parameter_is_set(cc, name):
    before = {path.name: path.read_text() for path in cc.iterdir()}
    for value in FIELDS[name]:
        (cc / name).write_text(f"{value}\n")
        now = {path.name: path.read_text() for path in cc.iterdir()}
        assert now == {**before, name: f"{value}\n"}


@pytest.mark.parametrize("name,value", [
    ("flags", 4), ("min_rate", 0), ("min_rate", 1 << 32), ("time_reset", 0),
    ("byte_reset", 0), ("threshold", 0), ("threshold", 32),
    ("alpha_timer", 0), ("alpha_g", 0), ("alpha_g", 1024),
    ("alpha_g", 65536 + 4), ("initial_alpha", 1025)])
def test_parameter_out_of_range(cc, name, value):
    before = (cc / name).read_text()
    with pytest.raises(OSError) as err:
        (cc / name).write_text(f"{value}\n")
    assert err.value.errno == 22
    assert (cc / name).read_text() == before

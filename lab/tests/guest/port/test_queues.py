# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Several queues of the Ethernet port: ethtool sets their number, their sizes and the
distribution of received frames. Runs in a guest."""

import concurrent.futures
import contextlib
import errno
import os
import re
import socket
import struct
import subprocess
import threading
import time

import pytest

from lib import netdev_queues as queues
from lib.control import ask, stats
from lib.ether import ETHERTYPE, address, frame_returns
from lib.machine import Log

NETDEV = os.environ.get("XRDMA_NETDEV")
MOST = 8            # channels
NUMBERS = 65536     # of queue pairs, and of completion queues
ENTRIES = 128       # of the indirection table
CPUS = os.cpu_count()
FLOWS = 40
NO_RESOURCE = 6     # XRDMA_CMD_NO_RESOURCE
PAGES = 3           # XRDMA_RX_PAGES
SOL_PACKET, PACKET_FANOUT, FANOUT_QM = 263, 18, 5
NOBODY = bytes.fromhex("020000000001")
PACKET_QDISC_BYPASS, SO_SNDBUFFORCE = 20, 32


def ethtool(*args, netdev=NETDEV):
    return subprocess.run(["ethtool", args[0], netdev, *args[1:]], check=True,
                          capture_output=True, text=True).stdout


def refused(*args):
    done = subprocess.run(["ethtool", args[0], NETDEV, *args[1:]], check=False,
                          capture_output=True)
    return done.returncode != 0


def channels():
    return [int(n) for n in re.findall(r"^Combined:\s+(\d+)", ethtool("-l"), re.M)]


def rings():
    out = ethtool("-g")
    return [int(re.findall(rf"^{name}:\s+(\d+)", out, re.M)[1]) for name in ("RX", "TX")]


def table():
    rows = re.findall(r"^\s+\d+:\s+([\d ]+)$", ethtool("-x"), re.M)
    return [int(word) for row in rows for word in row.split()]


def key():
    text = re.search(r"^RSS hash key:\n(\S+)$", ethtool("-x"), re.M)[1]
    return bytes.fromhex(text.replace(":", ""))


@pytest.fixture(autouse=True)
def as_before():
    """Restores what a test has changed."""
    number, sizes, old_key = channels()[1], rings(), key()
    yield
    ethtool("-X", "default")
    ethtool("-X", "hkey", ":".join(f"{byte:02x}" for byte in old_key))
    if channels()[1] != number:
        ethtool("-L", "combined", str(number))
    if rings() != sizes:
        ethtool("-G", "rx", str(sizes[0]), "tx", str(sizes[1]))


def toeplitz(secret, data):
    window, result = int.from_bytes(secret, "big"), 0
    for bit in range(len(data) * 8):
        if data[bit // 8] >> (7 - bit % 8) & 1:
            result ^= window >> len(secret) * 8 - 32 - bit & 0xffffffff
    return result


def flow(number):
    """The addresses and ports of a flow, as the hash covers them."""
    return socket.inet_aton(f"10.9.{number}.1") + socket.inet_aton("10.9.0.2") + \
        struct.pack("!HH", 1000 + 7 * number, 9)


def send_flow(sock, number):
    """Sends a frame of UDP to the port itself."""
    data = flow(number)
    payload = bytes(30)
    udp = data[8:12] + struct.pack("!HH", 8 + len(payload), 0)
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 28 + len(payload), 1, 0, 64, 17, 0)
    sock.send(2 * address() + b"\x08\x00" + ip + data[:8] + udp + payload)


def received(numbers):
    """Sends a frame of each flow. Returns how many frames each queue has received."""
    before = queues.packets(NETDEV, "rx")
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sock:
        sock.bind((NETDEV, 0))
        for number in numbers:
            send_flow(sock, number)
    # later than all frames before it, as far as it is of the same queue
    assert frame_returns(100)
    for _ in range(100):
        after = queues.packets(NETDEV, "rx")
        if sum(after) - sum(before) > len(numbers):
            break
        subprocess.run(["sleep", "0.05"], check=True)
    return [new - old for new, old in zip(after, before)]


def expected(numbers):
    """How many frames each queue has to receive, by the table and the key. The frame of
    lib/ether.py has no addresses, and goes to the first entry."""
    entries, secret, wanted = table(), key(), [0] * channels()[1]
    for number in numbers:
        wanted[entries[toeplitz(secret, flow(number)) % len(entries)]] += 1
    wanted[entries[0]] += 1
    return wanted


def close_to(got, wanted):
    """The kernel sends a frame of its own now and then, which may come back."""
    return all(0 <= a - b <= 3 for a, b in zip(got, wanted))


def test_default():
    """Each processor has a channel, and each channel an interrupt and a processor."""
    assert channels() == [MOST, min(CPUS, MOST)]
    assert table() == [i % min(CPUS, MOST) for i in range(ENTRIES)]
    found = queues.interrupts(NETDEV)
    assert len(found) == 2 * min(CPUS, MOST)
    assert len(set(found.values())) == min(CPUS, MOST)
    for number in range(channels()[1]):
        assert found["rx", number] == found["tx", number]
        with open(f"/proc/irq/{found['rx', number]}/smp_affinity_list",
                  encoding="ascii") as file:
            assert file.read().strip() == str(number)


@pytest.mark.parametrize("count", [1, 2, 3, MOST])
def test_flows_arrive_where_the_table_says(count):
    ethtool("-L", "combined", str(count))
    assert channels()[1] == count
    assert table() == [i % count for i in range(ENTRIES)]
    assert close_to(received(range(FLOWS)), expected(range(FLOWS)))
    found = queues.interrupts(NETDEV)
    assert len(found) == 2 * count
    assert len(set(found.values())) == min(count, CPUS)


def test_the_table_can_be_changed():
    ethtool("-L", "combined", "4")
    for words in (["equal", "2"], ["weight", "0", "0", "0", "1"],
                  ["weight", "1", "6", "0", "1"]):
        ethtool("-X", *words)
        want = expected(range(FLOWS))
        assert close_to(received(range(FLOWS)), want), words
    ethtool("-X", "equal", "3")
    assert refused("-L", "combined", "2")
    assert channels()[1] == 4
    ethtool("-X", "default")
    ethtool("-L", "combined", "2")
    assert max(table()) == 1


def test_the_key_can_be_changed():
    ethtool("-L", "combined", "4")
    before = expected(range(FLOWS))
    ethtool("-X", "hkey", ":".join(f"{(7 * i + 3) % 256:02x}" for i in range(40)))
    assert expected(range(FLOWS)) != before
    assert close_to(received(range(FLOWS)), expected(range(FLOWS)))
    assert refused("-X", "hfunc", "xor")
    assert re.search(r"toeplitz: on", ethtool("-x"))


def all_to(number):
    """The table names one queue only."""
    ethtool("-X", "weight", *(str(int(n == number)) for n in range(channels()[1])))


def raised():
    """How often each interrupt was raised, on all processors."""
    with open("/proc/interrupts", encoding="ascii") as file:
        rows = [line.split() for line in file]
    return {int(row[0][:-1]): sum(map(int, row[1:CPUS + 1]))
            for row in rows if row[0][:-1].isdigit()}


@pytest.mark.skipif(CPUS < 2, reason="one processor has one queue")
def test_a_queue_raises_its_own_interrupt():
    ethtool("-L", "combined", str(min(CPUS, MOST)))
    found = queues.interrupts(NETDEV)
    for number in range(channels()[1]):
        all_to(number)
        os.sched_setaffinity(0, {number})
        try:
            before = raised()
            received(range(FLOWS))
            after = raised()
        finally:
            os.sched_setaffinity(0, range(CPUS))
        for other in range(channels()[1]):
            irq = found["rx", other]
            assert (after[irq] - before[irq] > 3) == (other == number), (number, other)


def test_a_frame_says_which_queue_has_received_it():
    """A packet socket gets the frames of its queue: the socket at place N gets those of
    queue N - 1, modulo the number of sockets."""
    ethtool("-L", "combined", "2")
    with contextlib.ExitStack() as stack:
        socks = [stack.enter_context(socket.socket(
            socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x800))) for _ in range(2)]
        for sock in socks:
            sock.bind((NETDEV, 0x800))
            sock.setsockopt(SOL_PACKET, PACKET_FANOUT, 77 | FANOUT_QM << 16)
            sock.setblocking(False)
        for number in range(2):
            all_to(number)
            received(range(FLOWS))
            got = []
            for sock in socks:
                got.append(0)
                with contextlib.suppress(BlockingIOError):
                    while sock.recv(2048):
                        got[-1] += 1
            assert got[1 - number] >= FLOWS and got[number] < 5, (number, got)


@pytest.mark.parametrize("kind, words", [
    ("tcp4", "IP SA|IP DA|L4 bytes 0|L4 bytes 2"), ("udp6", "IP SA|IP DA|L4"),
    ("sctp4", "")])
def test_fields_of_the_hash_are_shown(kind, words):
    shown = subprocess.run(["ethtool", "-n", NETDEV, "rx-flow-hash", kind],
                           check=True, capture_output=True, text=True).stdout
    for word in filter(None, words.split("|")):
        assert word in shown
    assert bool(words) == ("IP SA" in shown)


def test_rings():
    for wanted, got in ((64, 64), (100, 128), (1024, 1024)):
        ethtool("-G", "rx", str(wanted), "tx", str(wanted))
        assert rings() == [got, got]
        used = queues.pages(NETDEV)
        assert len(used) == channels()[1]
        assert all(0 <= pages - got * PAGES < 64 for pages in used)
        assert close_to(received(range(FLOWS)), expected(range(FLOWS)))
    assert refused("-G", "rx", "63") and refused("-G", "tx", "1025")
    assert refused("-G", "rx-mini", "64")
    assert rings() == [1024, 1024]


def frames_that_fit(most):
    """How many frames the transmit ring takes before it is full, at most @most."""
    frame = NOBODY + address() + ETHERTYPE.to_bytes(2, "big") + bytes(46)
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sock:
        sock.setsockopt(SOL_PACKET, PACKET_QDISC_BYPASS, 1)
        sock.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 1 << 23)
        sock.bind((NETDEV, 0))
        for number in range(most):
            try:
                sock.send(frame)
            except OSError as error:
                assert error.errno == errno.ENOBUFS
                return number
    return most


def test_as_many_frames_wait_as_the_ring_has_entries():
    """The driver sees that the device has sent frames only after the interrupt, which
    is 65 ms late here, or when it handles a received frame, so the test repeats."""
    ethtool("-L", "combined", "1")
    ethtool("-C", "tx-usecs", "65535", "tx-frames", "65535")
    try:
        for depth in (64, 128, 256):
            ethtool("-G", "tx", str(depth))
            found = []
            while depth not in found:
                time.sleep(0.2)     # the ring is empty then
                found.append(frames_that_fit(2 * depth))
                assert len(found) < 6, found
    finally:
        ethtool("-C", "tx-usecs", "0", "tx-frames", "0")


def test_each_transmit_queue_sends():
    """A program on each processor uses the queue of the processor."""
    for cpu in range(channels()[1]):
        os.sched_setaffinity(0, {cpu})
        try:
            before = queues.packets(NETDEV, "tx")
            received(range(FLOWS))
            after = queues.packets(NETDEV, "tx")
        finally:
            os.sched_setaffinity(0, range(CPUS))
        assert after[cpu] - before[cpu] >= FLOWS
        others = sum(after) - sum(before) - after[cpu] + before[cpu]
        assert others < 5


def test_no_frame_is_forgotten():
    """The counters of queues that end are part of the sum."""
    ethtool("-L", "combined", "4")
    received(range(FLOWS))
    path = f"/sys/class/net/{NETDEV}/statistics/rx_packets"
    before = queues.total(NETDEV, "rx")
    assert before >= sum(queues.packets(NETDEV, "rx"))
    ethtool("-L", "combined", "1")
    assert queues.total(NETDEV, "rx") >= before
    with open(path, encoding="ascii") as file:
        assert int(file.read()) >= before


def test_changes_while_the_port_is_down():
    # later tests need the addresses of the interface
    with open(f"/proc/sys/net/ipv6/conf/{NETDEV}/keep_addr_on_down", "w",
              encoding="ascii") as file:
        file.write("1")
    subprocess.run(["ip", "link", "set", NETDEV, "down"], check=True)
    try:
        ethtool("-L", "combined", "3")
        ethtool("-G", "rx", "128")
        ethtool("-X", "equal", "2")
        assert not queues.interrupts(NETDEV)
    finally:
        subprocess.run(["ip", "link", "set", NETDEV, "up"], check=True)
    assert channels()[1] == 3 and rings()[0] == 128
    while not frame_returns(100):
        pass
    assert close_to(received(range(FLOWS)), expected(range(FLOWS)))


def objects():
    """How many objects the device has."""
    found = stats()["device"]
    return [found[kind] for kind in ("qps", "cqs", "rss")]


@pytest.mark.parametrize("opcode, skip", [
    ("CREATE_CQ", 5), ("CREATE_QP", 2), ("MODIFY_QP", 7), ("CREATE_RSS", 0),
    ("MODIFY_PORT", 0)])
def test_a_change_that_fails_changes_nothing(opcode, skip):
    """The device refuses a command. The former queues go on, and no object is left."""
    number, sizes, before = channels()[1], rings(), objects()
    changes = [("-L", "combined", "5"), ("-G", "rx", "512", "tx", "128"),
               ("-X", "weight", "3", "1")]
    for change in changes[:2] if opcode.endswith(("QP", "CQ")) else changes:
        entries = table()
        if change[0] == "-G" and skip:
            ethtool("-L", "combined", "4")
            number, before = 4, objects()
        ask(cmd="command_fault", kind="fail", opcode=opcode, skip=skip,
            status=NO_RESOURCE)
        try:
            assert refused(*change)
        finally:
            ask(cmd="command_faults_clear")
        assert channels()[1] == number and rings() == sizes
        assert objects() == before
        assert change[0] == "-G" or table() == entries
        assert close_to(received(range(FLOWS)), expected(range(FLOWS)))
        assert len(queues.interrupts(NETDEV)) == 2 * number


@contextlib.contextmanager
def frames_in_flight(queue):
    """A thread sends by @queue without end, and the driver looks whether the frames have
    been sent only after 65 ms: at each moment some of them are in the ring."""
    ended = threading.Event()

    def send():
        os.sched_setaffinity(0, {queue})
        while not ended.is_set():
            frames_that_fit(10)
            time.sleep(0.001)

    ethtool("-C", "tx-usecs", "65535", "tx-frames", "65535")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        sender = pool.submit(send)
        try:
            yield
        finally:
            ended.set()
            sender.result()
            ethtool("-C", "tx-usecs", "0", "tx-frames", "0")


def read_number(path):
    with open(f"/sys/class/net/{NETDEV}/{path}", encoding="ascii") as file:
        return int(file.read())


@pytest.mark.parametrize("change", [("-G", "rx", "512", "tx", "128"),
                                    ("-L", "combined", "5"), ("-L", "combined", "1")])
def test_a_change_that_fails_under_traffic(change):
    """The former queues, whose frames have not all been sent, go on."""
    ethtool("-L", "combined", "2")
    sizes, before = rings(), read_number("statistics/tx_packets")
    with frames_in_flight(0):
        for _ in range(5):
            ask(cmd="command_fault", kind="fail", opcode="MODIFY_PORT",
                status=NO_RESOURCE)
            try:
                assert refused(*change)
            finally:
                ask(cmd="command_faults_clear")
    assert read_number("statistics/tx_packets") > before
    assert channels()[1] == 2 and rings() == sizes
    assert close_to(received(range(FLOWS)), expected(range(FLOWS)))


@pytest.mark.skipif(CPUS < 2, reason="one processor has one queue")
def test_a_queue_that_ends_under_traffic():
    """The network stack stops a queue that has too many bytes in the ring. Its watchdog,
    which looks every five seconds, does not wait for a queue that is no longer in use."""
    limit = f"/sys/class/net/{NETDEV}/queues/tx-1/byte_queue_limits/limit_max"
    ethtool("-L", "combined", "2")
    subprocess.run(["sh", "-c", f"echo 100 > {limit}"], check=True)
    try:
        with frames_in_flight(1):
            time.sleep(0.3)
            ethtool("-L", "combined", "1")
        log = Log()
        time.sleep(11)
        assert not [text for _, text in log.lines() if "WATCHDOG" in text]
    finally:
        ethtool("-L", "combined", "2")
        subprocess.run(["sh", "-c", f"echo max > {limit}"], check=True)


def test_processes_cannot_have_the_queues_of_the_port(dev):
    """What the device reports to processes leaves the port twice its largest number of
    channels, since new ones are made before the former ones end, and two RSS objects."""
    attr = dev.ctx.query_device()
    assert attr.max_qp == NUMBERS - 2 - 2 * (MOST + 1)
    assert attr.max_cq == NUMBERS - 1 - 2 * 2 * MOST


def test_nothing_leaks():
    """The device has as many objects as before."""
    before = objects()
    for count in (1, MOST, 2, 5):
        ethtool("-L", "combined", str(count))
        ethtool("-X", "equal", "1")
        ethtool("-X", "default")
    ethtool("-L", "combined", str(min(CPUS, MOST)))
    assert objects() == before

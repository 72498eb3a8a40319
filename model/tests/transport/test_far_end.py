# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Far ends that are sockets of the test. While a far end does not read, the device uses no
processor time and sends to itself; it goes on when the far end reads again."""

import os
import socket
import time

import pytest

import vfu_client as vfu
import xrdma_driver as x

QPS, WRITES = 4, 8
SIZE = 1 << 16
PACKETS = WRITES * SIZE // 4096
MAC = bytes.fromhex("02aabbccddee")
# offset of the BTH in a frame over IPv4, without a VLAN tag
BTH = 14 + 20 + 8


class FarPort:
    """The address of the far end's port."""

    gid = x.gid_of(2)

    @staticmethod
    def mac():
        """The address to which the device sends frames."""
        return MAC


class FarEnd:
    """A socket to which the device sends, and its queue pair."""

    number = 77
    driver = FarPort

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(os.fspath(path))
        self.socket.settimeout(1)

    def close(self):
        """Close the socket. Its file remains, as after a kill."""
        self.socket.close()

    def packets(self):
        """Read until nothing comes any more; yield the PSN of each packet."""
        while True:
            try:
                bth = self.socket.recv(16384)[BTH:]
            except TimeoutError:
                return
            yield int.from_bytes(bth[9:12], "big")


def processor_time(pid):
    """Seconds that a process has used."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.fixture(name="paths")
def _paths(tmp_path):
    """The path of the device's socket, and that of its far end."""
    return tmp_path / "local", tmp_path / "remote"


@pytest.fixture(name="device")
def _device(start_device, paths):
    return start_device("XRDMA_DEVICE", "--wire",
                        f"local={paths[0]},remote={paths[1]}")


@pytest.fixture(name="data")
def _data(host):
    """A buffer: (address, length, key)."""
    addr = host.alloc(SIZE)
    return addr, SIZE, host.register(addr, SIZE)


def make_qp(host, number, peer):
    """A connection that waits for an ACK for ever."""
    cq = x.CompletionQueue(host, number)
    qp = x.QueuePair(host, number, cq, cq)
    qp.connect(peer, timeout=0)
    return qp


def test_frames_reach_each_far_end(host, paths, data):
    """The far end appears, is replaced, and is connected to the device."""
    local, remote = paths
    qp = make_qp(host, 40, FarEnd)

    def write():
        qp.send(x.WRITE, [data], remote=data[0], rkey=data[2])

    write()
    deadline = time.monotonic() + vfu.TIMEOUT
    while host.stats()["wire"]["socket_lost"] < PACKETS // WRITES:
        assert time.monotonic() < deadline
    for connected in (False, False, True, False):
        remote.unlink(missing_ok=True)
        far_end = FarEnd(remote)
        if connected:
            far_end.socket.connect(os.fspath(local))
        write()
        assert len(list(far_end.packets())) == PACKETS // WRITES
        far_end.close()


def test_a_device_sleeps_while_its_far_end_does_not_read(device, host, paths, data):
    far_end = FarEnd(paths[1])
    near = x.pair(host)
    for number in range(40, 40 + QPS):
        qp = make_qp(host, number, far_end)
        for _ in range(WRITES):
            qp.put_send(x.WRITE, [data], remote=data[0], rkey=data[2])
        qp.ring()
    deadline = time.monotonic() + vfu.TIMEOUT
    while host.stats()["device"]["active_qps"]:
        assert time.monotonic() < deadline, "a queue pair is polled"
        time.sleep(0.01)
    used = processor_time(device.process.pid)
    time.sleep(1)
    assert processor_time(device.process.pid) - used < 0.1
    for _ in range(4):
        near[0].send(x.WRITE, [data], remote=data[0], rkey=data[2])
        assert near[0].sent()["status"] == x.WC_OK
    sent = {}
    for psn in far_end.packets():
        sent.setdefault(psn // 1000, []).append(psn)
    assert sent == {40 + n: [(40 + n) * 1000 + i for i in range(PACKETS)]
                    for n in range(QPS)}
    assert host.stats()["wire"]["socket_lost"] == 0
    far_end.close()

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Far ends that are sockets of the test."""

import os
import socket
import time

import pytest

import vfu_client as vfu
import xrdma_driver as x

SIZE = 1 << 16
PACKETS = SIZE // 4096
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
    while host.stats()["wire"]["socket_lost"] < PACKETS:
        assert time.monotonic() < deadline
    for connected in (False, False, True, False):
        remote.unlink(missing_ok=True)
        far_end = FarEnd(remote)
        if connected:
            far_end.socket.connect(os.fspath(local))
        write()
        assert len(list(far_end.packets())) == PACKETS
        far_end.close()

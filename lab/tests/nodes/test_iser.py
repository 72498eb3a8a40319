# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""iSCSI over RDMA: the host is open-iscsi; the target is LIO, in the kernel, or
tgt, a process. What is written to the host's disk is read back and compared, also
while links and targets come and go. The long form moves 1 GiB from each. Runs in
node 1 of two."""

import pytest

from lib.nodes.sides import (MIB, RAM, Storage, fio, lend, target_numbers,
                             wait_out)
from lib.nodes.trouble import EveryPacket, Link
from lib.soak import soak

ISCSI = "programs/iscsi.py"
SHORT = [("512", 1, "32k", 1), ("4k", 16, "512k", 1), ("64k", 32, "2m", 1),
         ("1m", 8, "10m", 1)]
LONG = [("512", 1, "1m", 1), ("4k", 16, "32m", 1), ("64k", 32, "112m", 4),
        ("1m", 8, "112m", 5)]
LEAST = soak(12 * MIB, 1024 * MIB)


class IscsiStorage(Storage):
    """A Storage over iSER. kind: type of the target, "lio" or "tgt"."""

    def __init__(self, nodes, target_number, kind):
        super().__init__(nodes, target_number)
        self.kind = kind

    def tell_target(self, what):
        self.target.python(
            f"{ISCSI} {self.kind}-{what} {self.target.address} {RAM}")

    def offer(self, _):
        self.tell_target("up")

    def take(self):
        self.host.python(f"{ISCSI} know {self.target.address}")
        disk, = self.host.python(f"{ISCSI} login {self.target.address}").split()
        return disk

    def give_back(self):
        self.host.python(f"{ISCSI} logout")

    def withdraw(self):
        self.target.python(f"{ISCSI} {self.kind}-down")


def targets():
    """Pairs of number and kind."""
    numbers = target_numbers()
    both = [(number, kind) for kind in ("lio", "tgt") for number in numbers]
    if len(numbers) == 1:
        return both
    # the short form leaves out tgt on soft-RoCE, which is slow
    return soak([pair for pair in both if pair != (2, "tgt")], both)


@pytest.fixture(name="storage", scope="module", params=targets(),
                ids=lambda param: f"{param[1]}{param[0]}")
def _storage(_nodes, request):
    yield from lend(IscsiStorage(_nodes, *request.param), 128)


def test_every_block_is_read_as_written(storage):
    total = 0
    for size, depth, amount, times in soak(SHORT, LONG):
        total += fio(storage.host, storage.disk,
                     f"--rw=randwrite --bs={size} --iodepth={depth} "
                     f"--size={amount} --loops={times}", soak(120, 3600))
    assert total >= LEAST


# ---- while things go wrong ---------------------------------------------------


def test_loss(storage, wire):
    before = wire.lost()
    wire.impair("loss=1%")
    amount = soak("2m", "96m")
    assert fio(storage.host, storage.disk,
               f"--rw=randwrite --bsrange=4k-128k --iodepth=16 --size={amount}",
               soak(200, 3600))
    assert wire.lost() > before


class Portal:
    """A fault: the target ends its connections and stops listening. tgt is killed."""

    def __init__(self, storage, _):
        self._storage = storage

    def down(self):
        self._storage.tell_target("close")

    def up(self):
        self._storage.tell_target("open")


# for iSCSI, a link that is down is the same as a wire that loses each packet
@pytest.mark.parametrize("what, seconds", soak(
    [(EveryPacket, 0), (Portal, 0)],
    [(EveryPacket, 0), (Link, 7), (Portal, 0)]))
def test_storage_continues_after_an_outage(storage, wire, what, seconds):
    wait_out(storage, what(storage, wire),
             soak([seconds], [0, 3, 7, 20, 60, 0]))

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""NVMe over Fabrics: target and host are in the kernels of two nodes. What is
written to the host's disk is read back and compared, also while links and targets
come and go: no request may fail meanwhile, it may only take longer. The long form
moves 2 GiB. Runs in node 1 of two."""

import collections

import pytest

from lib.nodes.probe import Probe
from lib.nodes.sides import MIB, Storage, fio, lend, target_numbers, wait_out
from lib.nodes.trouble import EveryPacket, Link
from lib.soak import soak

NVMET = "lib/nvmet.py"
INLINE = 16384
WITH_INVALIDATE = 1 << 2
# each of 4 jobs: size of blocks, depth of the queue, bytes of a round, rounds
SHORT = [("512", 1, "16k", 1), ("512", 64, "32k", 1), ("4k", 8, "256k", 1),
         ("64k", 32, "1m", 1), ("1m", 64, "4m", 1)]
LONG = [("512", 1, "1m", 1), ("512", 64, "4m", 1), ("4k", 8, "16m", 1),
        ("16k", 16, "48m", 1), ("64k", 32, "48m", 4), ("256k", 8, "48m", 2),
        ("1m", 64, "48m", 4)]
LEAST = soak(20 * MIB, 2048 * MIB)


class NvmeStorage(Storage):
    """A Storage over NVMe over Fabrics."""

    def offer(self, disk):
        self.target.python(f"{NVMET} up {self.target.address} {disk} "
                           f"--inline {INLINE}")

    def take(self):
        # as many queues of each kind (default, write, poll) as processors
        queues = f"-i {self.host.cpus} -W {self.host.cpus} -P {self.host.cpus}"
        disk, = self.host.python(
            f"{NVMET} connect {self.target.address} {queues} -c 1").split()
        return disk

    def give_back(self):
        self.host.python(f"{NVMET} disconnect")

    def withdraw(self):
        self.target.python(f"{NVMET} down")

    def attribute(self, name):
        """An attribute of the host's controller in sysfs."""
        return self.host.run(f"cat /sys/class/nvme/nvme*/{name}").strip()


@pytest.fixture(name="storage", params=target_numbers(), scope="module",
                ids=lambda number: f"target{number}")
def _storage(_nodes, request):
    yield from lend(NvmeStorage(_nodes, request.param), 256)


def test_every_block_is_read_as_written(storage):
    total = 0
    for size, depth, amount, times in soak(SHORT, LONG):
        total += fio(storage.host, storage.disk,
                     f"--rw=randwrite --bs={size} --iodepth={depth} "
                     f"--size={amount} --loops={times} --numjobs=4 "
                     "--offset_increment=64m", soak(120, 3600))
    assert total >= LEAST


@pytest.fixture(name="probe")
def _probe():
    """Makes a Probe that ends with the test."""
    made = []

    def make(side, **calls):
        made.append(Probe(side, **calls))
        return made[-1]
    yield make
    for probe in made:
        probe.close()


def test_each_processor_has_its_queues(storage, probe):
    """Each processor has a queue of each kind, and there is one admin queue. Reads and
    writes of a processor use its own two queues."""
    cpus = int(storage.host.cpus)
    assert int(storage.attribute("queue_count")) == 3 * cpus + 1
    seen = probe(storage.host,
                 answer="nvme_rdma_recv_done qpn=wc->qp->qp_num:u32")
    fio(storage.host, storage.disk,
        f"--rw=randwrite --bs=4k --iodepth=4 --size=256k --numjobs={cpus} "
        f"--offset_increment=4m --cpus_allowed=0-{cpus - 1} "
        "--cpus_allowed_policy=split")
    answers = collections.Counter(seen.events("answer"))
    busy = [qpn for qpn, count in answers.items() if count >= 256 // 4]
    assert len(busy) == 2 * cpus, answers


def test_the_target_invalidates_the_keys_of_the_host(storage, probe):
    """The target invalidates by SEND_WITH_INV; the host itself invalidates no key."""
    seen = probe(storage.host,
                 answer="nvme_rdma_recv_done flags=wc->wc_flags:u32",
                 invalidate="nvme_rdma_inv_rkey_done")
    fio(storage.host, storage.disk,
        "--rw=randwrite --bs=32k --iodepth=8 --size=2m")
    answers = [int(text.split("flags=")[1]) for text in seen.events("answer")]
    with_invalidate = [flags for flags in answers if flags & WITH_INVALIDATE]
    assert len(with_invalidate) >= 2 * (2 << 20) // (32 << 10)
    assert not seen.events("invalidate")


@pytest.mark.parametrize("inline, moves", [(0, 32), (INLINE, 0)])
def test_data_comes_with_the_command(storage, probe, inline, moves):
    """If inline data is allowed, the target does not read data by RDMA."""
    host, target = storage.host, storage.target
    storage.give_back()
    target.python(f"{NVMET} close")
    target.python(f"{NVMET} open {target.address} --inline {inline}")
    storage.disk = storage.take()
    seen = probe(target, move="rdma_rw_ctx_init")
    host.run(f"dd if=/dev/urandom of=/tmp/data bs=16k count=32 && "
             f"dd if=/tmp/data of={storage.disk} bs=16k oflag=direct")
    assert len(seen.events("move")) >= moves
    assert moves or not seen.events("move")
    host.run(f"cmp -n 512k /tmp/data {storage.disk}")


# ---- while things go wrong ---------------------------------------------------


def test_loss(storage, wire):
    before = wire.lost()
    wire.impair("loss=1%")
    amount = soak("1m", "32m")
    assert fio(storage.host, storage.disk,
               f"--rw=randwrite --bsrange=4k-128k --iodepth=16 --size={amount} "
               "--numjobs=4 --offset_increment=64m", soak(200, 3600))
    assert wire.lost() > before


class Port:
    """A fault: the target ends its connections and stops listening."""

    def __init__(self, storage, _):
        self._side = storage.target

    def down(self):
        self._side.python(f"{NVMET} close")

    def up(self):
        self._side.python(f"{NVMET} open {self._side.address}")


# queue pairs retry for some seconds, then the connection is lost
@pytest.mark.parametrize("what, seconds", [
    (EveryPacket, 0), (Link, 7), (Port, 0)])
def test_storage_continues_after_an_outage(storage, wire, what, seconds):
    wait_out(storage, what(storage, wire),
             soak([seconds], [0, 3, 7, 20, 60, 0]),
             back=lambda: storage.attribute("state") == "live")

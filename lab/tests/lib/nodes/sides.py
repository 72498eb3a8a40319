# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Storage between two nodes: either node can be the target, and the other one is the
host. fio writes to the host's disks, reads back and compares.

The tests implement the storage protocols, as subclasses of Storage.
"""

import itertools
import json
import time

from lib.nodes.remote import There
from lib.nvmet import wait_until

TESTS = "/src/lab/tests"
# the options of all fio jobs; fio ends at the first block that differs
FIO = ("fio --thread --ioengine=libaio --direct=1 --verify=crc32c "
       "--verify_fatal=1 --group_reporting --output-format=json ")
# each job has another seed, so that data of an earlier job does not pass the comparison
SEEDS = itertools.count(1)
MIB = 1 << 20
RAM = "/dev/ram0"


class Side:
    """One of the nodes. kind: its RDMA device, "xrdma" or "rxe"."""

    def __init__(self, nodes, number):
        self.number = number
        self._nodes = nodes
        if number == 1:
            self.run, self.start = nodes.here, nodes.start_here
        else:
            self.run, self.start = nodes.there, nodes.start_there
        self.device, self.netdev, self.address, self.cpus = self.run(
            "echo $XRDMA_DEV $XRDMA_NETDEV $XRDMA_ADDR $(nproc)").split()
        self.kind = self.device.rstrip("0123456789")

    def python(self, line, timeout=300):
        """Runs a program of the tests."""
        return self.run(f"python3 -B {TESTS}/{line}", timeout)

    def ram(self, mib):
        """Makes a disk in memory. Returns its path."""
        self.run(f"modprobe -r brd; modprobe brd rd_nr=1 rd_size={mib << 10}")
        return RAM

    def sectors(self, disk):
        """The number of sectors of a disk that were read and written."""
        fields = self.run(f"cat /sys/block/{disk.split('/')[-1]}/stat").split()
        return int(fields[2]) + int(fields[6])


def fio(side, disk, options, timeout=600):
    """Writes to a disk of that side and reads back. Returns the number of bytes that
    were compared; raises Failed if one differs."""
    return judge(side.run(f"{FIO} --name=job --randseed={next(SEEDS)} "
                          f"--filename={disk} {options}", timeout))


def judge(text):
    """The number of compared bytes in the output of one or more runs of fio."""
    total, decoder = 0, json.JSONDecoder()
    text = text[text.index("{"):]
    while text.startswith("{"):
        found, end = decoder.raw_decode(text)
        text = text[end:].lstrip()
        for job in found["jobs"]:
            assert job["error"] == 0, job
            total += job["read"]["io_bytes"]
            assert job["read"]["io_bytes"] >= job["write"]["io_bytes"] > 0, job
    assert not text, text
    return total


class Load:
    """I/O on the disk of a storage's host, in rounds until end(). Each round is read
    back. Faults during that time may delay the I/O, but must not make it fail."""

    def __init__(self, storage, options="--bs=4k --iodepth=16 --size=512k"):
        self._side, self._moved = storage.host, storage.moved
        line = (f"{FIO} --name=job --rw=randwrite --loops=4 "
                f"--filename={storage.disk} ")
        self._side.run("rm -f /tmp/enough")
        self._command = self._side.start(
            f"seed={next(SEEDS) << 20}; while [ ! -e /tmp/enough ]; do "
            f"{line} --randseed=$((seed += 1)) {options} || exit; done")
        self.moves("it does not begin")

    def moves(self, what="it does not go on", seconds=120):
        """Waits until more has been read or written."""
        before = self._moved()
        wait_until(lambda: self._command.ended() or
                   self._moved() > before + 16, what, seconds)
        assert not self._command.ended(), self._command.text()

    def stalls(self):
        """Waits until nothing was read or written for a second."""
        def still():
            before = self._moved()
            self._side.run("sleep 1")
            return self._moved() == before
        wait_until(still, "it goes on")
        assert not self._command.ended(), self._command.text()

    def end(self, timeout=120):
        """Ends the I/O, of which nothing may have failed. Returns the number of bytes
        that were compared."""
        self._side.run("touch /tmp/enough")
        return judge(self._command.succeed(timeout))


def wait_out(storage, thing, pauses, back=lambda: True):
    """Calls thing.down() under load, and thing.up() after a pause, for each of the
    pauses in seconds. I/O must stall, and must continue once back() is true."""
    load = Load(storage)
    for pause in pauses:
        thing.down()
        try:
            load.stalls()
            time.sleep(pause)
        finally:
            thing.up()
        load.moves()
        wait_until(back, "it is not as before")
    assert load.end()


class Storage:
    """A disk in the memory of the target that the host uses. A subclass implements the
    protocol: offer() and withdraw() in the target, take() (which returns the disk's
    path) and give_back() in the host."""

    def __init__(self, nodes, target_number):
        self.target = Side(nodes, target_number)
        self.host = Side(nodes, 3 - target_number)
        self.disk = None

    def moved(self):
        """The number of sectors of the host's disk that were read and written."""
        return self.host.sectors(self.disk)

    def start(self, mib):
        """Makes the disk, offers it in the target and takes it in the host."""
        self.offer(self.target.ram(mib))
        self.disk = self.take()

    def end(self):
        """Gives the disk back, withdraws and removes it."""
        try:
            if self.disk:
                self.give_back()
        finally:
            self.withdraw()
            self.target.run("modprobe -r brd")


def target_numbers():
    """The numbers of nodes that are targets: node 2, and node 1 too if node 2 has
    another kind of device."""
    rxe = There("echo $XRDMA_DEV").succeed().startswith("rxe")
    return [2, 1] if rxe else [2]


def lend(storage, mib):
    """A generator for fixtures: starts a Storage, yields it, and ends it."""
    try:
        storage.start(mib)
        yield storage
    finally:
        storage.end()

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Moves BYTES bytes in each direction at the same time, between this process and
another process of this program on the other node, over one reliable connection.

  stream.py BYTES            waits for a connection
  stream.py BYTES ADDRESS    connects to the process at ADDRESS

The messages of a direction are moved by SEND, WRITE with immediate data and READ in
turn, with a FETCH_ADD between them. Each process compares every byte, checks that
every message arrives once and in order, and checks that every FETCH_ADD of the other
process has added once. Prints one line if all checks succeed.
"""

import ctypes
import os
import pathlib
import random
import socket
import sys

sys.path[:0] = [str(path) for path in pathlib.Path(__file__).resolve().parents[1:3]]

import pyverbs.enums as e  # noqa: E402
from pyverbs.mr import MR  # noqa: E402
from pyverbs.pd import PD  # noqa: E402

from labverbs.rc import ALL, Buffer, Device, Endpoint  # noqa: E402
from lib.words import Words  # noqa: E402

PORT = 4711
LONGEST = 256 << 10
PATTERN = 4 << 20
DEPTH = 12          # number of requests in flight, and of posted receives
SLOTS = DEPTH + 1   # a slot is free again when its receive is posted again
SEND, WRITE, READ, ADD = range(4)

PAGED = e.IBV_ACCESS_ON_DEMAND if os.environ.get("XRDMA_PAGED") else 0

memcmp = ctypes.CDLL(None).memcmp


def kind(number):
    """The operation by which the message of this number is moved."""
    return number % 4


def place(side, number):
    """The offset of the message of this number in the pattern of a side, and its
    length."""
    chance = random.Random(side << 40 | number)
    length = 8 if kind(number) == ADD else chance.choice(
        (chance.randrange(1, 5000), chance.randrange(1, LONGEST), LONGEST))
    return chance.randrange(PATTERN), length


class Memory:
    """Registered memory."""

    def __init__(self, pd, size):
        self.buffer = Buffer((size, False))
        self.address, self.view = self.buffer.address, self.buffer.view
        self.mr = MR(pd, size, ALL | PAGED, address=self.address)

    def sge(self, offset, length):
        return [(self.address + offset, length, self.mr.lkey)]


class Side:
    """One side of the stream. side: 0 or 1."""

    def __init__(self, side, words, total):
        self.side, self.total = side, total
        dev = Device()
        pd = PD(dev.ctx)
        self.end = Endpoint(dev, pd, depth=2 * DEPTH)
        self.patterns = [Memory(pd, PATTERN + LONGEST) for _ in range(2)]
        for number, memory in enumerate(self.patterns):
            memory.view[:] = random.Random(number).randbytes(PATTERN + LONGEST)
        self.received = Memory(pd, SLOTS * LONGEST)
        self.written = Memory(pd, SLOTS * LONGEST)
        self.fetched = Memory(pd, DEPTH * LONGEST)
        self.counter = Memory(pd, 4096)
        self.words = words
        self.theirs = words.swap({
            **self.end.address(), "device": dev.name, "keys": [
                [memory.address, memory.mr.rkey] for memory in
                (self.patterns[side], self.written, self.counter)]})
        # There are at most seven retries. The device is a process that may not run
        # for half a second on a busy host, so that its timeout is 0.27 s. soft-RoCE
        # answers later on a busy host: 0.5 s
        # So do processes that page faults wait for.
        soft = PAGED or "rxe" in dev.name + self.theirs["device"]
        self.end.connect(self.theirs, timeout=17 if soft else 14,
                         mtu=e.IBV_MTU_4096)
        self.posted = self.done = self.moved = 0    # messages, bytes
        self.got = self.slot_posted = self.slot_got = 0
        self.adds = self.writes = 0

    def compare(self, address, owner, sender, number):
        """Compares memory with the pattern of owner, for the message of this number
        of sender."""
        at, length = place(sender, number)
        if memcmp(ctypes.c_void_p(address), ctypes.c_void_p(
                self.patterns[owner].address + at), ctypes.c_size_t(length)):
            raise AssertionError(f"message {number} of side {sender} has "
                                 f"wrong bytes")

    # what is sent

    def post(self):
        """Posts the next message."""
        number, end = self.posted, self.end
        at, length = place(self.side, number)
        mine = self.patterns[self.side].sge(at, length)
        pattern, written, counter = self.theirs["keys"]
        scratch = self.fetched.sge(number % DEPTH * LONGEST, length)
        if kind(number) == SEND:
            end.post(e.IBV_WR_SEND, mine, wr_id=number)
        elif kind(number) == WRITE:
            slot = self.writes % SLOTS * LONGEST
            self.writes += 1
            end.post(e.IBV_WR_RDMA_WRITE_WITH_IMM, mine, written[0] + slot,
                     written[1], wr_id=number, imm=number & 0xffffffff)
        elif kind(number) == READ:
            end.post(e.IBV_WR_RDMA_READ, scratch, pattern[0] + at, pattern[1],
                     wr_id=number)
        else:
            end.post(e.IBV_WR_ATOMIC_FETCH_AND_ADD, scratch, *counter,
                     wr_id=number, compare=1)
        self.posted += 1
        self.moved += length

    def sent(self, wr_id):
        """Handles the completion of a message."""
        number = self.done
        assert wr_id == number, f"{wr_id} completes instead of {number}"
        self.done += 1
        scratch = self.fetched.address + number % DEPTH * LONGEST
        if kind(number) == READ:
            self.compare(scratch, 1 - self.side, self.side, number)
        elif kind(number) == ADD:
            old = ctypes.c_uint64.from_address(scratch).value
            assert old == self.adds, f"the sum is {old}, not {self.adds}"
            self.adds += 1

    # what is received

    def post_receive(self):
        slot = self.slot_posted % SLOTS
        self.end.recv(self.received.sge(slot * LONGEST, LONGEST), wr_id=1 << 40)
        self.slot_posted += 1

    def receive(self, wc):
        """Handles a receive completion. Such messages must come in order."""
        number = self.got
        slot = self.slot_got % SLOTS
        self.got += 1 if kind(number) == SEND else 3
        self.slot_got += 1
        other = 1 - self.side
        length = place(other, number)[1]
        assert wc.byte_len == length, f"{number}: {wc.byte_len}, not {length}"
        if kind(number) == SEND:
            assert wc.opcode == e.IBV_WC_RECV
            self.compare(self.received.address + slot * LONGEST, other, other,
                         number)
        else:
            assert wc.opcode == e.IBV_WC_RECV_RDMA_WITH_IMM
            assert int(wc.imm_data) & 0xffffffff == number & 0xffffffff
            at = number // 4 % SLOTS * LONGEST
            self.compare(self.written.address + at, other, other, number)
        self.post_receive()

    def run(self):
        """Runs until all messages were moved in both directions."""
        for _ in range(DEPTH):
            self.post_receive()
        self.words.swap("ready")
        while self.moved < self.total or self.done < self.posted:
            while self.moved < self.total and self.posted - self.done < DEPTH:
                self.post()
            self.poll()
        self.words.say(self.posted)
        # the other side may still need receives
        while not self.words.has_come():
            self.poll()
        theirs = self.words.hear()
        while self.slot_got < len(range(SEND, theirs, 4)) + \
                len(range(WRITE, theirs, 4)):
            self.poll()
        self.finish(theirs)

    def poll(self):
        _, wcs = self.end.cq.poll(16)
        for wc in wcs or ():
            assert wc.status == e.IBV_WC_SUCCESS, \
                f"status {wc.status} of {wc.wr_id}"
            if wc.wr_id == 1 << 40:
                self.receive(wc)
            else:
                self.sent(wc.wr_id)

    def finish(self, theirs):
        """Checks that no message is left, and that the counter has the sum that the
        other side has added."""
        added = ctypes.c_uint64.from_address(self.counter.address).value
        should = len(range(ADD, theirs, 4))
        assert added == should, f"{added} were added, not {should}"
        self.words.swap("done")
        self.poll()
        print(f"verified {self.moved} bytes in {self.posted} messages")


def main():
    total = int(sys.argv[1])
    if len(sys.argv) > 2:
        sock = socket.create_connection((sys.argv[2], PORT))
    else:
        listener = socket.create_server((os.environ["XRDMA_ADDR"], PORT))
        sock, _ = listener.accept()
    with sock:
        Side(int(len(sys.argv) > 2), Words(sock), total).run()


if __name__ == "__main__":
    main()

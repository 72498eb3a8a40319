# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Makes single remote accesses to regions, and returns their statuses and fault
records."""

import os

import pyverbs.enums as e
from pyverbs.mr import MR

from labverbs.rc import ALL, LOCAL, Buffer, Endpoint

WRITE, READ = e.IBV_WR_RDMA_WRITE, e.IBV_WR_RDMA_READ
ADD = e.IBV_WR_ATOMIC_FETCH_AND_ADD
SIZE = 16384
REFUSED = e.IBV_WC_REM_ACCESS_ERR


class Region:
    """A registered buffer of random bytes."""

    def __init__(self, pd, access=ALL, length=SIZE):
        self.buf = Buffer((length, False))
        self.buf.view[:] = os.urandom(length)
        self.before = bytes(self.buf.view)
        self.mr = MR(pd, length, access, address=self.buf.address)
        self.address, self.length = self.buf.address, length

    def unchanged(self):
        """Whether the bytes are those that the buffer had at first."""
        return bytes(self.buf.view) == self.before


def attempt(dev, pd, opcode, remote, rkey, length=64, end_access=ALL):
    """Accesses @remote once over a new connection. Returns the completion's status.

    @end_access: the rights of the queue pair that is accessed
    """
    near = Region(pd, LOCAL)
    a, b = Endpoint(dev, pd), Endpoint(dev, pd, access=end_access)
    a.connect(b.address())
    b.connect(a.address())
    a.post(opcode, [(near.address, length, near.mr.lkey)], remote, rkey,
           compare=1)
    return a.poll()[0].status


def reason(faults):
    """The reason in the only new fault record."""
    return faults.one()["reason"]

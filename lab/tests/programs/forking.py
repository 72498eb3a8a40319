# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Forks while the device moves data between two regions of this process. Each child
ends with status 1 if the device or the parent changed the child's pages. Prints the number of children and what ibv_is_fork_initialized() returns.

  forking.py SECONDS pinned|paged [fork-init]
"""

import ctypes
import os
import pathlib
import sys
import time

sys.path[:0] = [str(path) for path in pathlib.Path(__file__).resolve().parents[1:3]]

IBVERBS = ctypes.CDLL("libibverbs.so.1", use_errno=True)
if "fork-init" in sys.argv and IBVERBS.ibv_fork_init():
    sys.exit("ibv_fork_init() has failed")

from pyverbs.mr import MR  # noqa: E402
from pyverbs.pd import PD  # noqa: E402

from labverbs.rc import ALL, Device  # noqa: E402
from lib.paged import OK, PAGED, WRITE, Link, Memory  # noqa: E402

SIZE = 64 << 10


class Region(MR):
    """A region that ibv_reg_mr() has registered, which knows of ibv_fork_init()."""

    def sge(self, address, length):
        return address, length, self.lkey


def child(mems, go):
    """The pages stay as they were at the fork(), whatever the parent and the device
    do, and then as this process has written them."""
    for step in (Memory.get, Memory.fill):
        data = [step(mem) for mem in mems]
        os.read(go, 1)
        if [mem.get() for mem in mems] != data:
            os._exit(1)
    os._exit(0)


def turn(link, ends, mems):
    """A fork() during a WRITE, and a WRITE of new bytes while the child still shares
    the pages. Returns the status of the child."""
    near, far = mems
    places = [(end, mem.address) for end, mem in zip(ends, mems)]
    data, (go, start) = near.fill(), os.pipe()
    link.start(WRITE, *places, SIZE)
    pid = os.fork()
    if not pid:
        os.close(start)
        child(mems, go)
    assert link.a.poll()[0].status == OK
    assert far.get() == data, "the device used other pages"
    for _ in range(2):
        data = near.fill()
        assert link.move(WRITE, *places, SIZE) == OK
        assert far.get() == data == near.get(), "the device used other pages"
        os.write(start, b"1")
    os.close(go)
    os.close(start)
    return os.waitpid(pid, 0)[1]


def main(seconds, access):
    dev = Device()
    pd = PD(dev.ctx)
    link, mems = Link(dev, pd), [Memory(SIZE) for _ in range(2)]
    ends = [Region(pd, SIZE, access, address=mem.address) for mem in mems]
    end, number = time.monotonic() + seconds, 0
    while number < 3 or time.monotonic() < end:
        assert turn(link, ends, mems) == 0, "the device wrote to pages of a child"
        number += 1
    print(number, IBVERBS.ibv_is_fork_initialized())


if __name__ == "__main__":
    main(float(sys.argv[1]), {"pinned": ALL, "paged": PAGED}[sys.argv[2]])

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Writes to cold memory of a paged region of the whole address space until the process
is killed: each message causes page faults on both sides. Prints one line when the
first message has arrived.

  paged_traffic.py
"""

import pathlib
import sys

sys.path[:0] = [str(path) for path in pathlib.Path(__file__).resolve().parents[1:3]]

from pyverbs.pd import PD  # noqa: E402

from labverbs.rc import HUGE, Device  # noqa: E402
from lib.paged import OK, WRITE, Link, Memory, Region  # noqa: E402


def main():
    dev = Device()
    pd = PD(dev.ctx)
    region, links = Region(dev, pd), [Link(dev, pd) for _ in range(4)]
    told = False
    while True:
        source, target = (Memory(4 * HUGE, populate=False) for _ in range(2))
        for number, link in enumerate(links):
            link.start(WRITE, (region, source.address + number * HUGE),
                       (region, target.address + number * HUGE), HUGE)
        for link in links:
            assert link.a.poll()[0].status == OK
        if not told:
            print("running", flush=True)
            told = True
        source.unmap()
        target.unmap()


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Allocations fail while threads of the driver handle page faults of paged regions:
allocations of the driver, and those of the kernel for pages of the process. An access
must wait until there is memory, and then work; nothing may be lost.

Runs in a guest of `lab/vm run --kernel debug`, which has fault injection and the
checkers of DMA and of leaks.
"""

import time

import pytest

from lib.holdings import holdings, settled
from lib.paged import OK, PAGE, READ, WRITE, Memory, Region, port
from lib.soak import soak
from lib.sweep import AllocationFault, AnyFault

ROUNDS = soak(10, 300)
LENGTH = 3 * PAGE
# What two page faults allocate: bytes for failslab, pages for fail_page_alloc
SPACE = {"failslab": 12000, "fail_page_alloc": 12}
LASTING = 1000000       # more allocations than there are
SECONDS = 0.2           # for so long, all allocations fail


class Sides:
    """Two paged regions, of whose memory the driver knows nothing yet."""

    def __init__(self, dev, pd, implicit):
        self.source, self.target = Memory(LENGTH), Memory(LENGTH, populate=False)
        self.of, self.to = (Region(dev, pd, None if implicit else mem)
                            for mem in (self.source, self.target))

    def start(self, link, kind):
        link.start(kind, (self.of, self.source.address),
                   (self.to, self.target.address), LENGTH)

    def same(self):
        return self.source.get() == self.target.get()

    def close(self):
        self.of.close()
        self.to.close()
        self.source.unmap()
        self.target.unmap()


def access(sides, link, kind, fault, space, times):
    """An access during a fault. Returns whether allocations failed."""
    fault.arm(space, times)
    sides.start(link, kind)
    if times == LASTING:
        time.sleep(SECONDS)
        failed = fault.disarm()
    assert link.a.poll()[0].status == OK
    return failed if times == LASTING else fault.disarm()


@pytest.mark.parametrize("times", [1, 3, LASTING])
@pytest.mark.parametrize("kind", [*SPACE])
def test_page_faults_wait_for_memory(dev, pd, link, rng, kind, times):
    AllocationFault()
    fault, failed = AnyFault(kind), 0
    before = settled(dev, holdings(dev))
    dropped = port(dev, "page_fault_drops")
    for number in range(ROUNDS):
        sides = Sides(dev, pd, number % 2)
        failed += access(sides, link, rng.choice([READ, WRITE]), fault,
                         rng.randrange(SPACE[kind]), times)
        assert sides.same()
        sides.close()
    print(f"{ROUNDS} accesses, {failed} with failed allocations")
    assert failed >= ROUNDS / 4
    assert port(dev, "page_fault_drops") == dropped
    assert settled(dev, before) == before

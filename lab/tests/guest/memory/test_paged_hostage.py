# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Pages that arrive late or never, because the process that has to hand them over does
not (userfaultfd(2)): nobody but their owner waits for them. Runs in a guest."""

import pathlib
import statistics
import time

import pytest

from lib.control import stats
from lib.hostage import Hostage
from lib.machine import run, settled
from lib.paged import HUGE, OK, PAGE, READ, WRITE, Link, Memory, Region, port
from lib.userfault import Userfault

TROUBLE = ("packet_seq_err", "local_ack_timeout_err")
# seconds that a step takes at most which used to wait for ever, on a busy machine
SOON = 2
VICTIMS = 30


@pytest.fixture
def hostage():
    hostage = Hostage()
    yield hostage
    hostage.close()


def test_pages_of_userfaultfd_arrive(dev, pd, link):
    """The page fault of the device waits until the process has handed the page over."""
    source, target = Memory(8 * PAGE, populate=False), Memory(8 * PAGE)
    data = Memory(8 * PAGE).get()
    fault = Userfault(source)
    of, to = Region(dev, pd, source), Region(dev, pd, target)
    fault.serve(data)
    assert link.move(WRITE, (of, source.address), (to, target.address),
                     8 * PAGE) == OK
    assert target.get() == data and fault.served == 8
    of.close()
    to.close()


class Victim:
    """A process whose accesses need pages that are not mapped yet."""

    def __init__(self, dev, pd):
        self._link = Link(dev, pd)
        self._mem, self._near = Memory(VICTIMS * HUGE), Memory(PAGE)
        self._region = Region(dev, pd, self._mem)
        self._own = Region(dev, pd, self._near)
        self._link.move(READ, (self._own, self._near.address),
                        (self._own, self._near.address + 8), 8)

    def times(self):
        """Seconds of each of VICTIMS accesses, each with a page fault."""
        took = []
        for number in range(VICTIMS):
            place = self._mem.address + number * HUGE
            began = time.monotonic()
            assert self._link.move(READ, (self._region, place),
                                   (self._own, self._near.address), 8) == OK
            took.append(time.monotonic() - began)
            assert self._near.get(0, 8) == self._mem.get(number * HUGE, 8)
        return took

    def close(self):
        self._link.close()
        self._region.close()
        self._own.close()
        self._mem.unmap()


def test_page_faults_of_others_are_served(dev, pd, hostage):
    trouble = port(dev, *TROUBLE)
    victim = Victim(dev, pd)
    took = victim.times()
    print(f"page fault beside the process: median {statistics.median(took) * 1e3:.1f} "
          f"ms, at most {max(took) * 1e3:.1f} ms")
    assert max(took) < SOON / 2
    assert port(dev, *TROUBLE) == trouble
    # the device has page faults left: those that are put off have ended
    assert settled(lambda: stats()["paging"]["page_faults"] < 64)
    victim.close()


def test_nobody_waits_for_the_address_space(hostage):
    """Programs such as ps read these files, for which the kernel locks the address
    space."""
    for name in ("cmdline", "maps", "smaps_rollup"):
        done = run("cat", f"/proc/{hostage.pid}/{name}", seconds=SOON)
        assert done["status"] == 0, name


def test_deregistration_and_end_do_not_wait(dev, pd, hostage):
    assert hostage.ask("deregister") < SOON
    mem = Memory(PAGE)
    region = Region(dev, pd, mem)
    began = time.monotonic()
    region.close()
    assert time.monotonic() - began < SOON
    assert hostage.kill() < SOON


def test_processor_is_idle(hostage):
    """Page faults that wait cost next to nothing."""
    time.sleep(3)       # for the pauses to get long

    def busy():
        rows = pathlib.Path("/proc/stat").read_text().splitlines()
        user, nice, system, _, _, irq, softirq, *_ = map(int, rows[0].split()[1:])
        return user + nice + system + irq + softirq

    began, before = time.monotonic(), busy()
    time.sleep(4)
    share = (busy() - before) / 100 / (time.monotonic() - began)
    print(f"{share:.1%} of a processor")
    assert share < 0.25

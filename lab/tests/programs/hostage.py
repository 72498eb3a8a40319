# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A process whose pages never arrive: its queue pairs, of several protection domains,
access more pages of a range of userfaultfd(2) than the driver handles page faults of one
process. Prints "stuck" when the driver has begun to put page faults off. Then executes
the commands that it reads, one in a line, and prints how many seconds each took:

  deregister   deregisters one of the regions
  prefetch     asks for pages that do not arrive
  end          ends
"""

import contextlib
import pathlib
import sys
import time

sys.path[:0] = [str(path) for path in pathlib.Path(__file__).resolve().parents[1:3]]

from pyverbs.mr import MR  # noqa: E402
from pyverbs.pd import PD  # noqa: E402
from pyverbs.pyverbs_error import PyverbsRDMAError  # noqa: E402
from pyverbs.wr import SGE  # noqa: E402

from labverbs.rc import ALL, HUGE, Buffer, Device  # noqa: E402
from lib import paged  # noqa: E402
from lib.machine import settled  # noqa: E402
from lib.userfault import Userfault  # noqa: E402

DOMAINS, LINKS = 4, 10          # 80 queue pairs
PLACES = DOMAINS * LINKS * 2
PREFETCH, FLUSH = 0, 1


class Domain:
    """A protection domain with a region of all of @mem, and queue pairs."""

    def __init__(self, dev, mem):
        self.pd = PD(dev.ctx)
        self.region = paged.Region(dev, self.pd, mem)
        self._buf = Buffer((4096, False))
        self._mr = MR(self.pd, self._buf.length, ALL, address=self._buf.address)
        self._links = [paged.Link(dev, self.pd) for _ in range(LINKS)]

    def start(self, places):
        """Each queue pair sends 8 bytes of a place that is not present."""
        ends = [end for link in self._links for end in (link.a, link.b)]
        for end, place in zip(ends, places):
            end.post(paged.WRITE, [self.region.sge(place, 8)], self._buf.address,
                     self._mr.rkey)

    def waits(self):
        return self.region.statistic()["page_waits"]


def execute(command, domains, mem):
    began = time.monotonic()
    if command == "deregister":
        domains.pop().region.close()
        return time.monotonic() - began
    domain = domains[0]
    with contextlib.suppress(PyverbsRDMAError):
        domain.pd.advise_mr(PREFETCH, FLUSH,
                            [SGE(*domain.region.sge(mem.address + 4096, 8))])
    return time.monotonic() - began


def main():
    dev = Device()
    mem = paged.Memory(PLACES * HUGE, populate=False)
    fault = Userfault(mem)
    domains = [Domain(dev, mem) for _ in range(DOMAINS)]
    places = [mem.address + number * HUGE for number in range(PLACES)]
    for number, domain in enumerate(domains):
        domain.start(places[number::DOMAINS])
    if not settled(lambda: sum(domain.waits() for domain in domains)):
        sys.exit("no page fault was put off")
    print("stuck", flush=True)
    for line in sys.stdin:
        if line.strip() == "end":
            break
        print(execute(line.strip(), domains, mem), flush=True)
    del fault


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A process of the tests of removal that makes and ends objects as fast as it
can, so that its device goes away in the middle of it. When a call fails it says
in one line of JSON how often all went well, and which error it was, and exits.

Prints "ready" when it has worked once.
"""

import json
import time

from pyverbs.mr import MR
from pyverbs.pd import PD

from labverbs.rc import ALL, Buffer, Device, pair
from lib.holder import error_of

BOUND = 900.0           # of its life
LENGTH = 1 << 20
PAUSE = 0.01            # others want the processors too


class Churn:
    """once() registers a region, connects two queue pairs with each other, and
    lets all of it go."""

    def __init__(self):
        self.dev = Device()
        self.pd = PD(self.dev.ctx)
        self.buf = Buffer((LENGTH, False))

    def once(self):
        region = MR(self.pd, LENGTH, ALL, address=self.buf.address)
        for end in pair(self.dev, self.pd):
            end.qp.close()
            end.cq.close()
        region.close()


def main():
    churn = Churn()
    churn.once()
    print("ready", flush=True)
    count, error, until = 0, "", time.monotonic() + BOUND
    while not error and time.monotonic() < until:
        error = error_of(churn.once)
        count += 1
        time.sleep(PAUSE)
    print(json.dumps({"count": count, "error": error}), flush=True)

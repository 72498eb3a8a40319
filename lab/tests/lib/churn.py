# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A process for the tests of removal that creates and destroys objects as fast as it
can, so that its device is removed during such a call. When a call fails, the process
prints one line of JSON with the number of rounds that succeeded and the error, and
exits. holder.py is a process that keeps its objects.

Prints "ready" after the first round.
"""

import json
import time

from pyverbs.mr import MR
from pyverbs.pd import PD

from labverbs.rc import ALL, Buffer, Device, pair
from lib.holder import error_of

BOUND = 900.0           # seconds after which the process ends in any case
LENGTH = 1 << 20
PAUSE = 0.01            # seconds between rounds, for other processes


class Churn:
    """A user of the device. once() registers a region, connects two queue pairs with
    each other, and destroys all these objects."""

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

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A process of the tests of removal that makes and ends objects as fast as it
can, so that its device goes away in the middle of it. When a call fails it says
in one line of JSON how often all went well, and which error it was, and exits.

Prints "ready" when it has worked once.
"""

import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))

from pyverbs.mr import MR  # noqa: E402
from pyverbs.pd import PD  # noqa: E402
from guest_holder import error_of  # noqa: E402
from labverbs.rc import ALL, Buffer, Device, pair  # noqa: E402

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

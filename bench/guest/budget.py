#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Prints what a WRITE of a program that uses libibverbs costs on PCI Express, inside of
a guest: the counters of the device, divided by the number of messages.

usage: budget.py

The device is requester and responder, since ib_write_bw sends to its own node. Each
WRITE is posted and completed by itself, 128 are in flight. Prints
"figure budget/WAY/BYTES/WHAT DEVICE UNIT VALUE", where WAY is "shadow" or "doorbell",
the way in which the driver uses the device.
"""

import os
import subprocess
import sys

sys.path.append("/src/lab/tests")
sys.dont_write_bytecode = True

from lib import control  # noqa: E402

import perf  # noqa: E402

COUNT = 20000
# name of a figure -> its unit; the uses whose counters are added (None: all uses
# except polls, and what the host writes); the counter of each use
FIGURES = {
    "reads": ("ops", None, "reads"),
    "read-bytes": ("B", None, "read_bytes"),
    "writes": ("ops", None, "writes"),
    "write-bytes": ("B", None, "write_bytes"),
    "doorbells": ("ops", ["doorbell"], "writes"),
    "polls": ("ops", ["poll"], "reads"),
}


def total(pcie, uses, field):
    """The sum of a field over these uses."""
    return sum(counts[field] for use, counts in pcie.items()
               if (use in uses if uses else use not in ("poll", "doorbell", "push")))


def main():
    """Measures both sizes."""
    env = os.environ
    subprocess.run(["ip", "link", "set", env["XRDMA_NETDEV"], "mtu", "4500"], check=True)
    link = perf.Link(env["XRDMA_DEV"], env["XRDMA_GID_INDEX"], "127.0.0.1")
    for size in (64, 4096):
        before = control.stats()
        link.run(["ib_write_bw", "-s", str(size), "-n", str(COUNT), "-Q", "1"])
        pcie, old = control.stats()["pcie"], before["pcie"]
        way = "shadow" if before["device"]["shadow_db"] else "doorbell"
        for name, (unit, uses, field) in FIGURES.items():
            value = total(pcie, uses, field) - total(old, uses, field)
            print(f"figure budget/{way}/{size}/{name} {env['XRDMA_DEV']} {unit} "
                  f"{value / COUNT:.6g}", flush=True)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The output of the program `rdma`, as Python objects."""

import gc
import json
import subprocess


def rdma(*args, **options):
    """Runs `rdma` with these arguments. Returns its JSON output as an object.

    @options: for subprocess.run()
    """
    out = subprocess.run(["rdma", *args, "-j"], check=True,
                         capture_output=True, text=True, **options).stdout
    return json.loads(out)


def details(dev, lkey):
    """The row of a region in `rdma resource show mr -dd`."""
    rows = [row for row in rdma("resource", "show", "mr", "dev", dev.name,
                                "-dd") if int(str(row["lkey"]), 16) == lkey]
    assert len(rows) == 1
    return rows[0]


def statistic(dev):
    """The row of port 1 in `rdma statistic show link`."""
    row, = rdma("statistic", "show", "link", f"{dev.name}/1")
    return row


def totals(dev):
    """The number of objects of each kind, by the names of `rdma resource`. The garbage
    collector of Python frees the objects of earlier tests first."""
    gc.collect()
    row, = rdma("resource", "show", dev.name)
    return row


def resources(dev):
    """totals() of the kinds of object that tests of regions make."""
    return {k: v for k, v in totals(dev).items()
            if k in ("pd", "cq", "qp", "mr", "ctx")}

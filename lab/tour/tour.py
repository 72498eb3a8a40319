#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Shows memory registration: the translation tables and blocks of regions, and the
status and the fault record of accesses that the registration does not grant.

Uses public verbs, `rdma resource` and the fault records of the driver.
"""

import glob
import json
import os
import subprocess
import sys
import time

import pyverbs.enums as e
from pyverbs.mr import MR
from pyverbs.pd import PD

LAB = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
sys.path.insert(0, LAB)

from labverbs.rc import (ALL, LOCAL, Buffer, Device, Status,  # noqa: E402
                         mixed_parts, pair)

PAGE = 4096
BLOCKS = "drv_blocks_"
STATUS = {getattr(e, name): name for name in dir(e) if name.startswith("IBV_WC_")
          and name.endswith("_ERR")}


def size(n):
    """A number of bytes as text with a unit."""
    for unit in ("B", "KiB", "MiB"):
        if n < 1024 or n % 1024:
            return f"{n} {unit}"
        n //= 1024
    return f"{n} GiB"


def details(dev, mr):
    """The attributes of a region in `rdma resource show mr -dd`."""
    out = subprocess.run(["rdma", "-j", "-dd", "resource", "show", "mr", "dev",
                          dev.name], check=True, capture_output=True, text=True)
    for row in json.loads(out.stdout):
        if int(str(row.get("lkey", 0)), 16) == mr.lkey:
            return row
    raise LookupError(f"no region with lkey {mr.lkey:#x} in `rdma resource`")


def show(dev, pd, title, buf):
    """Register @buf and print the attributes of the region."""
    buf.view[::PAGE] = bytes(len(buf.view[::PAGE]))
    mr = MR(pd, buf.length, ALL, address=buf.address)
    row = details(dev, mr)
    blocks = " + ".join(f"{row[name]} x {name.removeprefix(BLOCKS)}"
                        for name in row if name.startswith(BLOCKS))
    print(f"  {title:<26} key {mr.lkey >> 8:#08x}:{mr.lkey & 0xff:02x}"
          f"  levels {row['drv_levels']}  entries {row['drv_mtt_entries']:>6}"
          f"  tables {size(row['drv_mtt_bytes']):>8}\n"
          f"  {'':<26} blocks: {blocks}")
    return mr


class Faults:
    """The driver's fault records that are added after the object is made."""

    def __init__(self):
        paths = glob.glob("/sys/kernel/debug/xrdma/*/faults")
        if not paths:
            sys.exit("tour: no fault records: is debugfs mounted, and the "
                     "driver loaded?")
        self.path = paths[0]
        self.last = (self.lines() or [None])[-1]

    def lines(self):
        with open(self.path, encoding="ascii") as file:
            return file.read().splitlines()

    def next(self):
        """Waits for a new record, and returns it."""
        for _ in range(100):
            last = (self.lines() or [None])[-1]
            if last != self.last:
                self.last = last
                return last
            time.sleep(0.01)
        raise TimeoutError("no fault record came")


def refused(dev, faults, title, pd, want, opcode, local, remote, rkey):
    """Try an access that must be refused; print status and fault record."""
    a, _b = pair(dev, pd)
    a.post(opcode, [local], remote=remote, rkey=rkey)
    try:
        a.wait()
    except Status as status:
        record = faults.next()
        print(f"  {title:<26} {STATUS[status.status]}\n    {record.rsplit(' ', 1)[0]}")
        if f"reason={want} " not in record:
            sys.exit(f"tour: the record does not name {want}")
        return
    sys.exit(f"tour: {title}: was not refused")


def protection(dev, pd):
    """Try accesses that the registration does not grant."""
    faults = Faults()
    foreign = PD(dev.ctx)
    buf, mine = Buffer((4 * PAGE, False)), Buffer((4 * PAGE, False))
    local_mr = MR(pd, mine.length, LOCAL, address=mine.address)
    local = (mine.address, 64, local_mr.lkey)
    mr = MR(pd, buf.length, ALL, address=buf.address)
    other = MR(foreign, buf.length, ALL, address=buf.address)
    readonly = MR(pd, buf.length, e.IBV_ACCESS_REMOTE_READ, address=buf.address)
    write, end = e.IBV_WR_RDMA_WRITE, buf.address + buf.length

    before = bytes(buf.view)
    cases = [
        ("wrong key byte", "key_byte", buf.address, mr.rkey ^ 1),
        ("foreign protection domain", "pd", buf.address, other.rkey),
        ("one byte past the end", "range", end - 63, mr.rkey),
        ("write without the right", "rights", buf.address, readonly.rkey),
    ]
    for title, want, remote, rkey in cases:
        refused(dev, faults, title, pd, want, write, local, remote, rkey)
    rkey = mr.rkey
    mr.close()
    refused(dev, faults, "after deregistration", pd, "key_invalid", write,
            local, buf.address, rkey)
    if bytes(buf.view) != before:
        sys.exit("tour: a refused access changed memory")
    print("  and not one byte of the memory changed")


def main():
    dev = Device()
    pd = PD(dev.ctx)
    print("Registration (key is index:key byte)")
    regions = [
        show(dev, pd, "4 KiB", Buffer((PAGE, False))),
        show(dev, pd, "2 MiB, one huge page", Buffer((2 << 20, True))),
        show(dev, pd, "1 GiB, 4K and 2M pages", Buffer(*mixed_parts(1 << 30))),
    ]
    for mr in regions:
        mr.close()
    print("Protection")
    protection(dev, pd)


if __name__ == "__main__":
    main()

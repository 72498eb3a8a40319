# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A process that registers one huge page many times, binds many windows, and waits
to be killed. Tests in a guest start it by lib.programs.hoard().

Usage: hoard.py REGIONS WINDOWS
Prints "ready", how many regions `rdma resource` shows, and up to 100 keys.
"""

import ctypes
import json
import mmap
import pathlib
import subprocess
import sys
import time

sys.path[:0] = [str(path) for path in pathlib.Path(__file__).parents[1:3]]

from pyverbs.pd import PD  # noqa: E402

from labverbs.rc import Device  # noqa: E402
from lib import rawqp as r, uverbs  # noqa: E402
from lib.windows import next_key  # noqa: E402

BATCH = 16
MAP_HUGETLB = 0x40000
RIGHTS = r.LOCAL_WRITE | r.REMOTE | r.MW_BIND


def bind_all(end, windows, region):
    """Binds windows of type 2 to the region, a few of them with each post."""
    lkey, address = region
    for at in range(0, len(windows), BATCH):
        end.do(*[r.bind(key, next_key(key), lkey, address, 64, r.REMOTE)
                 for key in windows[at:at + BATCH]])


def main():
    wanted, windows = int(sys.argv[1]), int(sys.argv[2])
    dev = Device()
    pd = PD(dev.ctx)
    page = mmap.mmap(-1, 2 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
                     | MAP_HUGETLB)
    page[0:1] = b"x"
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    pair = r.Pair(dev, pd)
    regions = [uverbs.reg_mr(dev.ctx, pd, address, 4096, address, RIGHTS)[1]
               for _ in range(wanted)]
    keys = [uverbs.alloc_mw(dev.ctx, pd, 2)[1] for _ in range(windows)]
    if keys:
        bind_all(pair.far, keys, (regions[0], address))
    out = subprocess.run(["rdma", "-j", "resource", "show", dev.name],
                         check=True, capture_output=True, text=True).stdout
    shown = json.loads(out)[0]["mr"]
    print("ready", shown, *map(hex, regions[:50]),
          *(hex(next_key(key)) for key in keys[:50]), flush=True)
    time.sleep(600)


main()

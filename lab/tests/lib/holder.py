# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A process for the tests of removal that has one user object of each kind, transfers
data, and has a thread asleep in each of the two calls that wait for an event. When its
device is removed, the process prints one line of JSON with the events that it got and
with the results of calls on its objects, closes the objects, and exits.

Prints "ready" when all objects exist. The test chooses how the device is removed.
"""

import ctypes
import errno
import json
import mmap
import os
import pathlib
import struct
import threading
import time

from pyverbs.cq import CQ, CompChannel
import pyverbs.enums as e
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsError
from pyverbs.qp import QP, QPCap, QPInitAttr
from pyverbs.srq import SRQ, SrqAttr, SrqInitAttr
from pyverbs.xrcd import XRCD, XRCDInitAttr

from labverbs.rc import ALL, Buffer, Device, pair
from lib import uioctl, uverbs
from lib.windows import Things

PAGE = mmap.PAGESIZE
BOUND = 900.0           # seconds after which the process ends in any case
PAUSE = 0.01            # seconds between transfers, for other processes
CHANGE_ACCESS = 4       # IBV_REREG_MR_CHANGE_ACCESS
LIBRARY = ctypes.CDLL("libibverbs.so.1")


def error_of(call, *args):
    """The name of the error that a call raises; "" if it succeeds."""
    try:
        call(*args)
    except OSError as err:
        return errno.errorcode.get(err.errno, str(err.errno))
    except PyverbsError as err:
        return errno.errorcode.get(getattr(err, "error_code", None),
                                   f"{type(err).__name__}: {err}")
    return ""


# Destroying an object waits until all of its events are acknowledged. These functions
# call libibverbs directly, because pyverbs subtracts the events that it acknowledges
# from a count of events that it has read itself.

def acknowledge_event(data):
    """Acknowledges an asynchronous event. The kernel's structure is that of
    libibverbs."""
    LIBRARY.ibv_ack_async_event(data)


def acknowledge_completion(data):
    """Acknowledges a completion event. data is the address of the completion queue."""
    LIBRARY.ibv_ack_cq_events(ctypes.c_void_p(*struct.unpack("<Q", data)), 1)


class Reader(threading.Thread):
    """Reads events from a file by a blocking read(), and acknowledges them, until
    read() fails.

    got: the events, as bytes. error: the name of the error, None before that.
    """

    def __init__(self, fd, size, acknowledge):
        super().__init__(daemon=True)
        self._fd, self._size, self._acknowledge = fd, size, acknowledge
        self.got, self.error = [], None
        self.start()

    def run(self):
        self.error = error_of(self._read) or "end of file"

    def _read(self):
        while data := os.read(self._fd, self._size):
            self._acknowledge(data)
            self.got.append(data)


def event_files():
    """The open event files of this process."""
    found = set()
    for path in pathlib.Path("/proc/self/fd").iterdir():
        if path.is_symlink() and "infinibandevent" in os.readlink(path):
            found.add(int(path.name))
    return found


class Holder:
    """One object of each kind. events, completions: the Readers."""

    def __init__(self):
        self.dev = Device()
        ctx, known = self.dev.ctx, event_files()
        self.events = Reader(known.copy().pop(), 16, acknowledge_event)
        self.pd = PD(ctx)
        self.buf = Buffer((16 * PAGE, False))
        self.mr = MR(self.pd, self.buf.length, ALL, address=self.buf.address)
        self.ends = pair(self.dev, self.pd)
        channel = CompChannel(ctx)
        self.completions = Reader((event_files() - known).pop(), 8,
                                  acknowledge_completion)
        cq = CQ(ctx, 64, channel=channel)
        cq.req_notify()
        self._objects = [cq, channel, *self._receivers(ctx, cq)]
        self.things = Things(self.dev, self.pd)
        region, rig = self.things.region(), self.things.pair()
        self.things.window(kind=1)
        self.things.window(kind=2).bind(rig.far, region)
        _, key, size = uioctl.alloc_dm(ctx, PAGE)
        self.memory = mmap.mmap(ctx.cmd_fd, size, offset=key)

    def _receivers(self, ctx, cq):
        """The receive objects, in the order in which they can be closed."""
        srq = SRQ(self.pd, SrqInitAttr(SrqAttr(max_wr=8)))
        domain = XRCD(ctx, XRCDInitAttr(
            e.IBV_XRCD_INIT_ATTR_FD | e.IBV_XRCD_INIT_ATTR_OFLAGS,
            os.O_CREAT, -1))
        shared = QP(self.pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq,
                                        srq=srq, cap=QPCap(8, 0, 1, 0, 0)))
        return [shared, srq, domain]

    def move(self):
        """Writes one half of the buffer to the other half, and waits until the WRITE
        completes or the device is removed. Returns whether the WRITE succeeded."""
        a, half = self.ends[0], self.buf.length // 2
        a.post(e.IBV_WR_RDMA_WRITE, [(self.buf.address, half, self.mr.lkey)],
               self.buf.address + half, self.mr.rkey)
        while not self.events.got:
            count, wcs = a.cq.poll()
            if count:
                return wcs[0].status == e.IBV_WC_SUCCESS
        return False

    def work(self):
        """Transfers data until the device is removed or BOUND seconds have passed.
        Returns the number of transfers that succeeded."""
        count, until = 0, time.monotonic() + BOUND
        while not self.events.got and time.monotonic() < until and self.move():
            count += 1
            self.memory[:8] = struct.pack("<Q", count)
            time.sleep(PAUSE)
        return count

    def try_at_once(self):
        """The results of calls immediately after the event of the removal."""
        ctx = self.dev.ctx
        return {
            "register": error_of(MR, self.pd, PAGE, ALL),
            "change": error_of(uverbs.rereg_mr, ctx, self.mr.handle,
                               CHANGE_ACCESS, self.pd, 0, 0, 0, ALL),
            "window": error_of(uverbs.alloc_mw, ctx, self.pd, 1),
            "memory": error_of(uioctl.alloc_dm, ctx, PAGE),
        }

    def try_all(self):
        """The result of each call after the event files have reported their end."""
        a = self.ends[0]
        half = self.buf.length // 2
        sge = [(self.buf.address, half, self.mr.lkey)]
        return {
            "query": error_of(self.dev.ctx.query_port, 1),
            "alloc": error_of(PD, self.dev.ctx),
            "register": error_of(MR, self.pd, PAGE, ALL),
            "post": error_of(a.post, e.IBV_WR_RDMA_WRITE, sge,
                             self.buf.address, self.mr.rkey),
            "poll": error_of(a.cq.poll),
            "memory": error_of(self.memory.__setitem__, slice(0, 8), bytes(8)),
        }

    def close(self):
        """Closes all objects. Returns the errors."""
        self.memory.close()
        self.things.give_up()
        found = [error_of(thing.close) for thing in
                 (*(end.qp for end in self.ends), *self._objects, self.mr,
                  self.pd, self.dev.ctx)]
        return [error for error in found if error]


def main():
    holder = Holder()
    print("ready", flush=True)
    moved = holder.work()
    told = time.monotonic()
    at_once = holder.try_at_once()
    holder.completions.join(BOUND)
    while not holder.events.got and time.monotonic() < told + BOUND:
        time.sleep(PAUSE)
    report = {
        "moved": moved,
        "events": [struct.unpack("<QI4x", data)[1]
                   for data in holder.events.got],
        "completions": holder.completions.error,
        "seconds": time.monotonic() - told,
        "at_once": at_once,
        "tried": holder.try_all(),
        "closed": holder.close(),
    }
    print(json.dumps(report), flush=True)
    # a reader thread may still be blocked in read(), so the threads are not joined
    os._exit(0)

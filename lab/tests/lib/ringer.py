# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A process that writes to its doorbell page all the time: a doorbell of its own queue
pair that changes nothing. As a program: python3 -m lib.ringer DEVICE"""

import ctypes
import mmap
import pathlib
import subprocess
import sys

from pyverbs.cq import CQ
from pyverbs.device import Context
import pyverbs.enums as e
from pyverbs.pd import PD
from pyverbs.qp import QP, QPCap, QPInitAttr

PAGE = 4096


class Ringer:
    """The process, which runs until stop()."""

    def __init__(self, device):
        self._child = subprocess.Popen(
            [sys.executable, "-B", "-m", "lib.ringer", device],
            stdout=subprocess.PIPE, cwd=pathlib.Path(__file__).parents[1], text=True)
        assert self._child.stdout.readline() == "rings\n"

    def stop(self):
        """Ends the process. Returns its exit status if it has ended before, else None."""
        status = self._child.poll()
        self._child.kill()
        self._child.wait()
        return status


def ring(device):
    """Writes doorbells until the process ends."""
    ctx = Context(name=device)
    cq = CQ(ctx, 8)
    qp = QP(PD(ctx), QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=QPCap()))
    page = mmap.mmap(ctx.cmd_fd, PAGE, offset=0)
    doorbell = ctypes.c_uint64.from_buffer(page)
    print("rings", flush=True)
    while True:
        doorbell.value = qp.qp_num      # producer index 0


if __name__ == "__main__":
    ring(sys.argv[1])

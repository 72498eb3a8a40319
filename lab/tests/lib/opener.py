# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""An unprivileged process that has a doorbell page. When the kernel takes the page away,
the process asks for it again, and opens the device again. Both must fail until the
device works. As a program: python3 -m lib.opener DEVICE"""

import ctypes
import json
import mmap
import pathlib
import subprocess
import sys
import time

from pyverbs.device import Context
from pyverbs.pyverbs_error import PyverbsError, PyverbsRDMAError

from lib.machine import PATIENCE

PAGE = 4096
NOBODY = 65534


class Opener:
    """The process."""

    def __init__(self, device):
        self._child = subprocess.Popen(
            [sys.executable, "-B", "-m", "lib.opener", device], user=NOBODY,
            stdout=subprocess.PIPE, cwd=pathlib.Path(__file__).parents[1], text=True)
        assert self._child.stdout.readline() == "ready\n"

    def findings(self):
        """Whether the page was taken away, and the error of each attempt to get one, ""
        if it succeeded."""
        found = self._child.communicate(timeout=PATIENCE)[0]
        return json.loads(found)


def map_page(context):
    return mmap.mmap(context.cmd_fd, PAGE, offset=0)


def failure(attempt):
    """The error of an attempt, "" if there is none."""
    try:
        attempt()
    except (OSError, PyverbsError, PyverbsRDMAError) as err:
        return str(err)
    return ""


def main(device):
    context = Context(name=device)
    page = map_page(context)
    word = ctypes.c_uint64.from_buffer(page)
    print("ready", flush=True)
    until = time.monotonic() + 3 * PATIENCE
    taken = False
    # a doorbell page reads as 0; the page that replaces it is memory
    while not taken and time.monotonic() < until:
        word.value = 1 << 63
        taken = word.value != 0
        time.sleep(0.001)
    print(json.dumps({"taken": taken,
                      "mapped": failure(lambda: map_page(context)),
                      "opened": failure(lambda: Context(name=device))}))


if __name__ == "__main__":
    main(sys.argv[1])

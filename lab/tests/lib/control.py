# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The control socket of the reference device, without a process for each
request: what xrdma-device does, for tests that ask thousands of times."""

import fcntl
import itertools
import json
import os

LOCK, PORT = "/run/xrdma-device.lock", "/dev/lab/device"
_numbers = itertools.count()


def _exchange(port, ident, text):
    port.write(f"{ident} 0 {text}\n".encode())
    got = b""
    while True:
        while b"\n" not in got:
            got += port.read(65536)
        line, got = got.split(b"\n", 1)
        name, answer = line.decode().split(" ", 1)
        # another name: to a request that was interrupted
        if name == ident:
            return json.loads(answer)


def ask(**request):
    """Sends a request; returns the answer, which must be that it is granted."""
    with open(LOCK, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with open(PORT, "r+b", buffering=0) as port:
            answer = _exchange(port, f"{os.getpid()}.py{next(_numbers)}",
                               json.dumps(request))
    assert answer["ok"], (request, answer)
    return answer


def stats():
    """All that the device tells of itself."""
    return ask(cmd="stats")

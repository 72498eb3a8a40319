# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Runs child processes for a while, and fails the test if one of them makes no
progress. The caller passes the function that the processes execute.
"""

import collections
import json
import mmap
import os
import pathlib
import tempfile
import time
import traceback

import pytest

PATIENCE = 90       # time limit of one step in seconds, enough for the debug kernel
MOST = 600          # time limit for the number of steps that the caller wants


class Crew:
    """Child processes, each of which executes body(number, tick, over). body must
    return when over() is true, and call tick() after each step. Its return value is
    a Counter; run() adds up those of all processes."""

    def __init__(self, body, size=1):
        self._page = mmap.mmap(-1, 4096)
        self._words = memoryview(self._page).cast("Q")
        self._dir = tempfile.TemporaryDirectory()
        self._pids = [self._start(body, number) for number in range(size)]

    def _start(self, body, number):
        pid = os.fork()
        if pid:
            return pid
        status = 1
        try:
            found = body(number, lambda: self._tick(number),
                         lambda: self._words[511])
            path = pathlib.Path(self._dir.name) / str(number)
            path.write_text(json.dumps([[*key, n] for key, n in
                                        found.items()]))
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)

    def _tick(self, number):
        self._words[number] += 1

    def _made(self):
        return sum(self._words[:len(self._pids)])

    def _ended(self):
        """Whether a child process has ended. Leaves its status for a later wait."""
        return any(os.waitid(os.P_PID, pid,
                             os.WEXITED | os.WNOHANG | os.WNOWAIT)
                   for pid in self._pids)

    def _watch(self, seconds, steps):
        """Returns when seconds have passed and the processes have made steps steps,
        or when MOST seconds have passed, or when a process has ended. Fails the
        test if a process makes no step within PATIENCE seconds."""
        begun, seen = time.monotonic(), {}
        while not self._ended() and (
                time.monotonic() < begun + seconds or
                self._made() < steps and time.monotonic() < begun + MOST):
            time.sleep(0.2)
            for number in range(len(self._pids)):
                count = self._words[number]
                if seen.get(number, (None,))[0] != count:
                    seen[number] = count, time.monotonic()
                if time.monotonic() - seen[number][1] > PATIENCE:
                    self._complain(number)
        self._words[511] = 1

    def _complain(self, number):
        pid = self._pids[number]
        stacks = [path.read_text() for path in
                  pathlib.Path(f"/proc/{pid}/task").glob("*/stack")]
        pytest.fail(f"a call does not end: {stacks}")

    def _reap(self, number):
        end = time.monotonic() + PATIENCE
        while True:
            pid, status = os.waitpid(self._pids[number], os.WNOHANG)
            if pid:
                return status
            if time.monotonic() > end:
                self._complain(number)
            time.sleep(0.05)

    def run(self, seconds, steps=0):
        """Runs the processes for seconds, and longer, up to MOST seconds, until all
        together have made steps steps. Returns the sum of the bodies' counters."""
        self._watch(seconds, steps)
        assert [self._reap(number) for number in range(len(self._pids))] == \
            [0] * len(self._pids)
        total = collections.Counter()
        for path in pathlib.Path(self._dir.name).iterdir():
            for *key, n in json.loads(path.read_text()):
                total[tuple(key)] += n
        return total

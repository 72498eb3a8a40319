# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Processes that work for a while, and are watched: none may stand still.

Must not know: what they do.
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

PATIENCE = 90       # for one step, on a machine that checks all it does
MOST = 600          # for as many steps as are wanted


class Crew:
    """Child processes that each run body(number, tick, over) until over() says
    that the time is up; tick() tells that a step has ended. What they return
    is counted together."""

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
        """Whether one has; it can be waited for again."""
        return any(os.waitid(os.P_PID, pid,
                             os.WEXITED | os.WNOHANG | os.WNOWAIT)
                   for pid in self._pids)

    def _watch(self, seconds, steps):
        """Until the time is up and so many steps are made, or there is no more
        time for them; or until one makes none, or has ended."""
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
        """For so long, or until all together have made so many steps, whichever
        is later, but not for ever. Returns the sum of what the bodies counted."""
        self._watch(seconds, steps)
        assert [self._reap(number) for number in range(len(self._pids))] == \
            [0] * len(self._pids)
        total = collections.Counter()
        for path in pathlib.Path(self._dir.name).iterdir():
            for *key, n in json.loads(path.read_text()):
                total[tuple(key)] += n
        return total

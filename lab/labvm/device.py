# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The device process beside a guest, and its control socket.

The control socket takes one JSON object a line and answers each with one. The
lab itself uses only {"cmd": "stats"}; requests of the guest pass unread.
"""

import contextlib
import json
import os
import re
import signal
import socket
import time

from . import process

_SANITIZER = re.compile(
    r"ERROR: (Address|Leak)Sanitizer|runtime error: |UndefinedBehavior")
_START_S = 10.0
_ANSWER_S = 10.0


class Device:
    """One device process.

    binary: its path; rundir: where its sockets and its log go. killed: it has
    been, by kill(). Raises OSError when it does not come up.
    """

    def __init__(self, binary, rundir, args=()):
        self.socket = os.path.join(rundir, "device.sock")
        self.log = os.path.join(rundir, "device.log")
        self._control_path = os.path.join(rundir, "control.sock")
        self.killed = False
        for path in (self.socket, self._control_path):
            # of a process before this one
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        self.child = process.start(
            [binary, "--socket", self.socket, "--control", self._control_path,
             *args], self.log, env={
                 "ASAN_OPTIONS": "abort_on_error=0:exitcode=99",
                 "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1"})
        self._wait_for(self.socket)
        self._wait_for(self._control_path)
        self._connect()

    def _wait_for(self, path):
        deadline = time.monotonic() + _START_S
        while not os.path.exists(path):
            if self.child.poll() is not None:
                raise OSError(f"the device process ended at once with "
                              f"{self.child.returncode}:\n{self.read_log()}")
            if time.monotonic() > deadline:
                raise OSError(f"the device process did not make {path}")
            time.sleep(0.005)

    def read_log(self):
        """What the process has printed so far."""
        with open(self.log, errors="replace") as log:
            return log.read()

    def _connect(self):
        self._control = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._control.settimeout(_ANSWER_S)
        self._control.connect(self._control_path)
        self._pending = b""

    def ask(self, line):
        """Sends one line, returns the line that answers it. OSError if the
        device is gone or silent."""
        if not self._control:
            self._connect()
        try:
            return self._ask(line)
        except OSError:
            # an answer that comes too late must not meet the next question
            self._control.close()
            self._control = None
            raise

    def _ask(self, line):
        self._control.sendall(line.encode() + b"\n")
        while b"\n" not in self._pending:
            data = self._control.recv(65536)
            if not data:
                raise OSError("the device closed its control socket")
            self._pending += data
        answer, self._pending = self._pending.split(b"\n", 1)
        return answer.decode(errors="replace")

    def host_errors(self):
        """Returns (count, names) of what the driver did against the rules."""
        stats = json.loads(self.ask('{"cmd":"stats"}'))
        return stats["host_errors"], stats.get("host_error_log", [])

    def kill(self):
        """Kills the process, as its host would see the device go."""
        self.killed = True
        self.child.kill()
        self.child.wait()

    def close(self, may_die=False):
        """Ends the process. Returns what was wrong with it, or None. may_die: it
        may have ended before; what a sanitizer found is wrong in any case."""
        died = self.child.poll()
        status = process.stop(self.child)
        report = _SANITIZER.search(self.read_log())
        if report:
            return f"the device's sanitizer reports:\n{self._tail(report)}"
        if may_die or self.killed:
            return None
        if died is not None:
            return f"the device process died with {status}:\n{self._tail()}"
        if status not in (0, -signal.SIGTERM):
            return f"the device process ended with {status}:\n{self._tail()}"
        return None

    def _tail(self, match=None):
        text = self.read_log()
        start = text.rfind("\n", 0, match.start()) + 1 if match else -3000
        return text[start:][:6000]

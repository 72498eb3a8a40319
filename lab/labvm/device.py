# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The device process of a guest, and its control socket.

A request and its answer on the control socket are one JSON object on one line each.
This module itself sends only {"cmd": "stats"}; node.py sends "fault", and session.py
sends the requests of the guest that port.py admits.
"""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import time

from . import process

_SANITIZER = re.compile(
    r"ERROR: (Address|Leak)Sanitizer|runtime error: |UndefinedBehavior")
_START_S = 10.0
_ANSWER_S = 10.0


class Device:
    """One device process.

    binary: path of the program. rundir: directory for its sockets and its log.
    killed: whether kill() was called. The constructor starts the process; connect()
    comes next.
    """

    def __init__(self, binary, rundir, args=()):
        self.socket = os.path.join(rundir, "device.sock")
        self.log = os.path.join(rundir, "device.log")
        self._control_path = os.path.join(rundir, "control.sock")
        self.killed = False
        for path in (self.socket, self._control_path):
            # sockets of an earlier device process in the same directory
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        self.child = process.start(
            [binary, "--socket", self.socket, "--control", self._control_path,
             *args], self.log, env={
                 "ASAN_OPTIONS": "abort_on_error=0:exitcode=99",
                 "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1"})
        self._control, self._pending = None, b""

    def connect(self):
        """Waits until the process has opened its sockets, and connects to its control
        socket. OSError if the process does not open its sockets."""
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
        """Everything that the process has printed so far."""
        with open(self.log, errors="replace") as log:
            return log.read()

    def _connect(self):
        self._control = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._control.settimeout(_ANSWER_S)
        self._control.connect(self._control_path)
        self._pending = b""

    def ask(self, line):
        """Sends one line, returns the line that answers it. OSError if the
        device process has ended or does not answer."""
        if not self._control:
            self._connect()
        try:
            return self._ask(line)
        except OSError:
            # a late answer to this request must not be taken for the next answer
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
        """Returns (count, names) of the host errors that the device counted. A host
        error is a violation of the contract by the driver."""
        stats = json.loads(self.ask('{"cmd":"stats"}'))
        return stats["host_errors"], stats.get("host_error_log", [])

    def end_words(self, start):
        """Waits until the process ends, or ends it. Returns the line of its log that
        has the word start, from that word on, or ""."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.child.wait(_ANSWER_S)
        process.stop(self.child)
        found = re.search(re.escape(start) + ".*", self.read_log())
        return found.group() if found else ""

    def kill(self):
        """Kills the process. The guest sees a device that was taken out by surprise."""
        self.killed = True
        self.child.kill()
        self.child.wait()

    def close(self, may_die=False):
        """Ends the process. Returns a description of its failure, or None. may_die:
        it is no failure if the process has ended before, with any status. A report
        of a sanitizer is always a failure."""
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

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""One run of lab/vm: starts device and guest, passes streams, judges the end.

Everything happens in one thread, which waits for all of it at once.
"""

import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from . import splat
from .device import Device
from .machine import Machine
from .terminal import Terminal

TIME_UP, COMPLAINT, NO_BOOT = 124, 125, 126

ADDRESS = "192.168.77.1"
PEER_ADDRESS = "192.168.77.2"


def say(text):
    """A word of the lab itself, to standard error."""
    sys.stderr.write(f"lab: {text}\n")
    sys.stderr.flush()


def _write_all(fd, data):
    while data:
        data = data[os.write(fd, data):]


class Session:
    """The state of one run. finish() must follow, whatever happens."""

    def __init__(self, opts):
        self.opts = opts
        self.rundir = tempfile.mkdtemp(prefix="xrdma-vm-")
        self.device = None
        self.machine = None
        self.terminal = None
        self.status = None
        self.problems = []
        self._began = False
        self._control = b""
        self._request = b""
        self._selector = selectors.DefaultSelector()

    # start

    def start(self):
        """Starts device and guest. OSError when one of them fails."""
        opts = self.opts
        if not opts.no_device:
            build = "model-fast" if opts.fast_device else "model"
            self.device = Device(f"/src/build/{build}/xrdma-device",
                                 self.rundir, opts.device_arg)
        if opts.command is None:
            self.terminal = Terminal()
        self.machine = Machine(opts, self.rundir, self._config(),
                               self.device and self.device.socket)
        self._watch()

    def _config(self):
        opts = self.opts
        return {
            "kernel": opts.kernel,
            "share": "yes" if opts.share else "",
            "device": "" if opts.no_device else "yes",
            "driver": "" if opts.no_device or opts.no_driver else "yes",
            "address": ADDRESS,
            "peer_address": PEER_ADDRESS if opts.nodes == 2 else "",
            "tty": self.terminal.describe() if self.terminal else "",
        }

    def _watch(self):
        ports = self.machine.ports
        register = self._selector.register
        read = selectors.EVENT_READ
        register(ports["out"], read, lambda data: _write_all(1, data))
        register(ports["err"], read, lambda data: _write_all(2, data))
        register(ports["ctl"], read, self._on_control)
        register(ports["device"], read, self._on_request)
        if self.terminal:
            register(ports["tty"], read, lambda data: _write_all(1, data))
            register(0, read, ports["tty"].sendall)

    # while it runs

    def wait(self):
        """Passes everything on until COMMAND ends. Sets status."""
        deadline = None
        if self.opts.timeout:
            deadline = time.monotonic() + self.opts.timeout
        while self.status is None:
            left = 1.0
            if deadline is not None:
                left = min(left, deadline - time.monotonic())
            if left <= 0:
                self.problems.append(
                    f"not done after {self.opts.timeout:g} s, killed")
                self.status = TIME_UP
                return
            self._pass_on(left)
            if self.machine.child.poll() is not None:
                self._pass_on(0)
                break
        if self.status is None:
            self._report_lost_machine()
        self._drain()

    def _pass_on(self, timeout):
        events = self._selector.select(timeout)
        for key, _ in events:
            try:
                data = os.read(key.fd, 65536)
            except ConnectionResetError:
                data = b""
            if data:
                key.data(data)
            else:
                self._selector.unregister(key.fileobj)
        return bool(events)

    def _drain(self):
        while self._pass_on(0):
            pass

    def _on_control(self, data):
        self._control += data
        while b"\n" in self._control:
            line, self._control = self._control.split(b"\n", 1)
            word, _, value = line.decode().partition(" ")
            if word == "ready":
                self._began = True
            elif word == "exit":
                self.status = int(value)
            elif word == "failed":
                self.problems.append(value)
                self.status = NO_BOOT

    def _on_request(self, data):
        """Requests are "ID JSON", answers "ID JSON" with the same ID."""
        self._request += data
        while b"\n" in self._request:
            line, self._request = self._request.split(b"\n", 1)
            ident, _, text = line.decode(errors="replace").partition(" ")
            try:
                if not self.device:
                    raise OSError("there is no device")
                answer = self.device.ask(text)
            except OSError as err:
                answer = json.dumps({"ok": False, "error": str(err)})
            self.machine.ports["device"].sendall(f"{ident} {answer}\n".encode())

    def _report_lost_machine(self):
        with open(self.machine.log, errors="replace") as log:
            words = log.read()[-2000:]
        what = "went down" if self._began else "did not come up"
        console = self.machine.read_console()
        tail = [] if splat.find(console) else console.splitlines()[-30:]
        self.problems.append(
            f"the machine {what}\n{words}" + "\n".join(tail))
        self.status = NO_BOOT

    # end

    def finish(self):
        """Ends everything and judges it. Returns the exit status."""
        if self.terminal:
            self.terminal.restore()
        if self.device and self.status is not None:
            self._judge_host_errors()
        if self.machine:
            self.machine.child.kill()
            self.machine.child.wait()
            self._judge_console()
        if self.device:
            problem = self.device.close()
            if problem and not self.opts.device_may_die:
                self.problems.append(problem)
        return self._conclude()

    def _judge_host_errors(self):
        if self.device.child.poll() is not None:
            return
        try:
            count, names = self.device.host_errors()
        except (OSError, ValueError, KeyError) as err:
            self.problems.append(f"the device does not tell its errors: {err}")
            return
        if count and not self.opts.allow_host_errors:
            listing = "\n".join(f"  {name}" for name in names)
            self.problems.append(
                f"the device counted {count} host errors:\n{listing}")

    def _judge_console(self):
        lines = splat.find(self.machine.read_console(), self.opts.allow_splat)
        if lines:
            self.problems.append(
                "the kernel complained:\n" + "\n".join(lines))

    def _conclude(self):
        for problem in self.problems:
            say(problem)
        if self.problems and not self.status:
            self.status = COMPLAINT
        if self.opts.keep or self.problems:
            say(f"logs: {self.rundir}")
            return self.status
        shutil.rmtree(self.rundir, ignore_errors=True)
        return self.status


def _raise_exit(signum, _frame):
    raise SystemExit(128 + signum)


def _build(opts):
    """Brings build/ up to date. Returns False if that fails."""
    if opts.no_build:
        return True
    parts = [opts.kernel]
    if not opts.no_device:
        parts += ["provider",
                  "device-fast" if opts.fast_device else "device"]
    return subprocess.run(["/src/lab/build", *parts], stdout=2).returncode == 0


def run(opts):
    """Does what the options say. Returns the exit status."""
    for signum in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(signum, _raise_exit)
    if not _build(opts):
        say("error: the build failed, nothing started")
        return NO_BOOT
    session = Session(opts)
    try:
        session.start()
        session.wait()
    except OSError as err:
        session.problems.append(str(err))
        session.status = NO_BOOT
    finally:
        status = session.finish()
    return status

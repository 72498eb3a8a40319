# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""One run of lab/vm: starts the nodes, passes their streams and requests, and decides
the exit status. node.py handles one guest and its device.

One thread does all this: it waits with a selector for all sockets at once.
"""

import contextlib
import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from . import accel, port, splat, words
from .node import Node, Refused
from .terminal import Terminal

USAGE, TIME_UP, COMPLAINT, NO_BOOT = 2, 124, 125, 126
BOOTS = 3


def say(text):
    """Prints a message of lab/vm itself to standard error."""
    sys.stderr.write(f"lab: {text}\n")
    sys.stderr.flush()


def _write_all(fd, data):
    while data:
        data = data[os.write(fd, data):]


class Session:
    """The state of one run. The caller must call finish() or discard(), also after an
    exception.

    status: the exit status of lab/vm, None before it is known. problems:
    descriptions of failures.
    """

    def __init__(self, opts):
        self.opts = opts
        self.rundir = tempfile.mkdtemp(prefix="xrdma-vm-")
        self.nodes = [
            Node(opts, number + 1, os.path.join(self.rundir, str(number + 1)))
            for number in range(opts.nodes)]
        self.terminal = None
        self.status = None
        self.problems = []
        self._ports = []
        self._selector = selectors.DefaultSelector()

    # start

    def start(self):
        """Starts devices and guests. OSError if one of them does not start, Refused
        if a device refuses an option."""
        captured = False
        for node in self.nodes:
            # the first device of the run writes the capture file
            node.start_device(None if captured else self.opts.capture)
            captured |= node.kind == "xrdma"
        if self.opts.command is None:
            self.terminal = Terminal()
        tty = self.terminal.describe() if self.terminal else ""
        links = socket.socketpair() if len(self.nodes) == 2 else (None,)
        for node, link in zip(self.nodes, links):
            capture = self.opts.capture if node.number == 1 else None
            node.start_machine(tty if node.number == 1 else "", link, capture)
            self._watch(node)

    def _watch(self, node):
        ports = node.machine.ports
        register = self._selector.register
        read = selectors.EVENT_READ
        register(ports["ctl"], read, node.on_control)
        requests = port.Port(ports["device"], lambda number, text: self._ask(
            number or node.number, text))
        self._ports.append(requests)
        register(ports["device"], read, requests.take)
        if node.number != 1:
            return
        register(ports["out"], read, lambda data: _write_all(1, data))
        register(ports["err"], read, lambda data: _write_all(2, data))
        if self.terminal:
            register(ports["tty"], read, lambda data: _write_all(1, data))
            register(0, read, ports["tty"].sendall)

    # while it runs

    def wait(self):
        """Passes streams and requests on until COMMAND ends, a guest ends, or the
        time limit has passed. Sets status."""
        deadline = None
        if self.opts.timeout:
            deadline = time.monotonic() + self.opts.timeout
        while not self._ended():
            left = 1.0
            if deadline is not None:
                left = min(left, deadline - time.monotonic())
            if left <= 0:
                self.problems.append(
                    f"not done after {self.opts.timeout:g} s, killed")
                self.status = TIME_UP
                return
            self._pass_on(left)
        self._drain()

    def _ended(self):
        """Sets status if the run has ended. Returns whether it has."""
        gone = [node for node in self.nodes if node.gone()]
        if gone:
            self._pass_on(0)
        for node in self.nodes:
            if node.failed:
                node.problems.append(node.failed)
                self.status = NO_BOOT
        if self.status is None:
            self.status = self.nodes[0].status
        if self.status is None and gone:
            gone[0].report_lost_machine()
            self.status = NO_BOOT
        return self.status is not None

    def _pass_on(self, timeout):
        for each in self._ports:
            each.flush()
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

    def _ask(self, number, text):
        """Answers a request of a guest to a node: text is JSON for the device, or one of
        Node.WORDS. Returns JSON."""
        try:
            if not 0 < number <= len(self.nodes):
                raise OSError(words.no_such("node", number,
                                            map(str, range(1, len(self.nodes) + 1))))
            node = self.nodes[number - 1]
            if text in node.WORDS:
                node.do(text)
                return json.dumps({"ok": True})
            if not node.device:
                raise OSError("there is no device")
            return node.device.ask(port.request(text))
        except (OSError, Refused) as err:
            return json.dumps({"ok": False, "error": str(err)})

    # end

    def stopped_in_boot(self):
        """Whether a guest stopped during boot because of QEMU's translator, before
        COMMAND started: see splat.stale_breakpoint()."""
        return self.status == NO_BOOT and not any(
            node.began for node in self.nodes) and any(
            node.machine and splat.stale_breakpoint(node.machine.read_console())
            for node in self.nodes)

    def discard(self):
        """Ends the nodes, ignores their failures, and deletes the logs."""
        for node in self.nodes:
            node.finish(False)
        shutil.rmtree(self.rundir, ignore_errors=True)

    def finish(self):
        """Ends the nodes and prints their failures. Returns the exit status."""
        if self.terminal:
            self.terminal.restore()
        complete = self.status is not None
        for node in self.nodes:
            node.finish(complete)
            where = f"node {node.number}: " if len(self.nodes) > 1 else ""
            self.problems += [where + problem for problem in node.problems]
        return self._conclude()

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
    """Brings build/ up to date. Returns False if that fails. The system of --root has
    its own driver and provider."""
    if opts.no_build:
        return True
    parts = [] if opts.root else [opts.kernel]
    if "xrdma" in opts.kinds:
        parts += [] if opts.root else ["provider"]
        parts += ["device-fast" if opts.fast_device else "device"]
    if not parts:
        return True
    return subprocess.run(["/src/lab/build", *parts], stdout=2).returncode == 0


@contextlib.contextmanager
def _boot_files(opts):
    """Sets opts.boot, the directory of the kernel and the initrd. For the system of
    --root, lab/boot-files makes the directory, which exists as long as the context."""
    opts.boot = f"/src/build/{opts.kernel}"
    if not opts.root:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="xrdma-boot-") as opts.boot:
        subprocess.run(["/src/lab/boot-files", "--root", opts.root, opts.boot],
                       stdout=2, check=True)
        yield


def _choose_accelerator(opts):
    """Replaces "auto" in opts.accel, and prints the choice and its reason."""
    cache = os.environ.get("XRDMA_CACHE")
    opts.accel, reason = accel.choose(opts.accel, opts.boot,
                                      cache and f"{cache}/accel")
    say(f"{opts.accel.upper()}: {reason}")


def run(opts):
    """Builds, boots and runs as opts say. Returns the exit status of lab/vm."""
    for signum in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(signum, _raise_exit)
    if not _build(opts):
        say("error: the build failed, no machine was started")
        return NO_BOOT
    try:
        with _boot_files(opts):
            _choose_accelerator(opts)
            return attempts(opts)
    except subprocess.CalledProcessError:
        say("error: the system of --root has no kernel that can be booted")
        return NO_BOOT


def attempts(opts):
    """Makes at most BOOTS attempts at the run. Returns the exit status of lab/vm."""
    for boots_left in reversed(range(BOOTS)):
        status = _play(opts, boots_left)
        if status is not None:
            return status


def _play(opts, boots_left):
    """Makes one attempt at the run. Returns the exit status, or None if the guest
    stopped during boot and the attempt should be repeated."""
    session, status = Session(opts), None
    try:
        session.start()
        session.wait()
    except Refused as err:
        session.problems.append(str(err))
        session.status = USAGE
    except OSError as err:
        session.problems.append(str(err))
        session.status = NO_BOOT
    finally:
        if boots_left and session.stopped_in_boot():
            say("the kernel stopped at a breakpoint that it had already replaced, "
                f"a fault of QEMU's translator; booting again ({boots_left} "
                "attempts left)")
            session.discard()
        else:
            status = session.finish()
    return status

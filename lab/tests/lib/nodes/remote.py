# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Runs commands in both nodes, for example a server in node 2 and a client in node 1.

A command is a line for the shell, so that each node expands its own variables, such as
$XRDMA_DEV. Commands that still run at the end of a test are killed.
"""

import glob
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, "/src/lab/guest")

import peer  # noqa: E402

PATIENCE = 60.0
TICKS = os.sysconf("SC_CLK_TCK")
# A command that prints another command, which kills all processes that do not exist yet
SWEEP_FOR = r"""
echo 'for dir in /proc/[0-9]*; do case ${dir#/proc/} in'
cd /proc && printf '%s|' [0-9]*
echo '$$) ;; *) [ -z "$(cat $dir/cmdline)" ] || kill -9 ${dir#/proc/} ;; esac'
echo 'done 2>/dev/null; true'
"""


class Failed(Exception):
    """A command failed, did not end in time, or did not print the expected words."""


class Command:
    """A command that was started. text(): its output, of both streams."""

    def __init__(self, line):
        self.line = line
        self.status = None
        self._text = bytearray()
        read, self._write = os.pipe()
        self._reader = threading.Thread(target=self._collect, args=(read,),
                                        daemon=True)
        self._start(["sh", "-c", line])
        os.close(self._write)
        self._reader.start()

    def _collect(self, fd):
        with open(fd, "rb", buffering=0) as pipe:
            while data := pipe.read(65536):
                self._text += data

    def text(self):
        return self._text.decode(errors="replace")

    def data(self):
        return bytes(self._text)

    def wait(self, timeout=PATIENCE):
        """Returns the exit status. Raises Failed if the command does not end in
        time."""
        if self.status is None:
            self.status = self._wait(timeout)
        if self.status is None:
            running = self.running()
            self.kill()
            raise Failed(f"not done after {timeout:g} s ({running}): "
                         f"{self.line}\n{self.text()}")
        self._reader.join(5)
        return self.status

    def running(self):
        """What the processes of the command do: names, states, seconds of processor
        time in user and kernel mode, and the kernel function in which each waits."""
        return "in node 2"

    def succeed(self, timeout=PATIENCE):
        """Waits for the end of the command. Returns its output; raises Failed unless
        the exit status is 0."""
        status = self.wait(timeout)
        if status:
            raise Failed(f"ended with {status}: {self.line}\n{self.text()}")
        return self.text()

    def wait_for(self, words, timeout=PATIENCE):
        """Waits until the command has printed these words."""
        until = time.monotonic() + timeout
        while words not in self.text():
            if time.monotonic() > until or self.ended():
                raise Failed(f"never said '{words}': {self.line}\n"
                             f"{self.text()}")
            time.sleep(0.02)


def _group(number):
    """Name, state, ticks in user and kernel mode, and waiting place of each process
    of a process group."""
    for path in glob.glob("/proc/[0-9]*"):
        try:
            with open(f"{path}/stat", encoding="utf-8") as stat:
                name, rest = stat.read().rsplit(")", 1)
            with open(f"{path}/wchan", encoding="utf-8") as wchan:
                where = wchan.read()
        except OSError:
            continue
        fields = rest.split()
        if int(fields[2]) == number:
            yield name.split("(", 1)[1], fields[0], fields[11], fields[12], where


class Here(Command):
    """A command in node 1."""

    def _start(self, argv):
        self._child = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=self._write,
            stderr=self._write, start_new_session=True)

    def _wait(self, timeout):
        try:
            status = self._child.wait(timeout)
        except subprocess.TimeoutExpired:
            return None
        return status if status >= 0 else 128 - status

    def ended(self):
        """Has it?"""
        return self._child.poll() is not None

    def running(self):
        return ", ".join(
            f"{name} {state}, {int(user) / TICKS:g} s user, "
            f"{int(system) / TICKS:g} s system, in {where}"
            for name, state, user, system, where in _group(self._child.pid))

    def kill(self):
        """Kills the command and its children. Raises Failed if it does not end."""
        try:
            os.killpg(self._child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        try:
            self._child.wait(PATIENCE)
        except subprocess.TimeoutExpired as err:
            raise Failed(f"cannot be killed: {self.line}\n"
                         f"{self.text()}") from err


class There(Command):
    """A command in node 2."""

    def _start(self, argv):
        with open("/dev/null", "rb") as null:
            self._sock = peer.request(argv, null.fileno(), self._write,
                                      self._write)

    def _wait(self, timeout):
        self._sock.settimeout(timeout)
        try:
            status = self._sock.recv(16)
        except socket.timeout:
            return None
        except OSError as err:
            raise Failed(f"node 2 is gone: {err}") from err
        self._sock.close()
        return int(status)

    def ended(self):
        """Has it?"""
        return self._sock.fileno() < 0 or \
            bool(select.select([self._sock], [], [], 0)[0])

    def kill(self):
        """Kills the command and its children."""
        self._sock.close()


class Nodes:
    """Both nodes. kind: the RDMA device of node 2, "xrdma" or "rxe"."""

    def __init__(self):
        self._running = []
        # the command that kills all processes of node 2 that do not exist now
        self._sweep = There(SWEEP_FOR).succeed()
        self.peer_env = dict(
            line.split("=", 1)
            for line in self.there("env").splitlines() if "=" in line)
        self.kind = self.peer_env["XRDMA_DEV"].rstrip("0123456789")

    def _keep(self, command):
        self._running.append(command)
        return command

    def start_here(self, line):
        return self._keep(Here(line))

    def start_there(self, line):
        return self._keep(There(line))

    def here(self, line, timeout=PATIENCE):
        """Runs a command in node 1, which must succeed. Returns its output."""
        return self.start_here(line).succeed(timeout)

    def there(self, line, timeout=PATIENCE):
        """Runs a command in node 2, which must succeed. Returns its output."""
        return self.start_there(line).succeed(timeout)

    def both(self, line):
        """Runs a command in both nodes, which must succeed."""
        self.there(line)
        self.here(line)

    def listens(self, port):
        """Whether a program in node 2 listens on a TCP port."""
        lines = self.there("cat /proc/net/tcp /proc/net/tcp6").splitlines()
        return any(f":{port:04X} 0" in line and line.split()[3] == "0A"
                   for line in lines)

    def listeners_cm(self):
        """The programs in node 2 that listen at the RDMA connection manager."""
        return {line for line in
                self.there("rdma resource show cm_id").splitlines()
                if "state LISTEN" in line}

    def serve(self, line, port=None, cm=False, words=None):
        """Starts a server in node 2, and waits until it listens on a TCP port or at
        the connection manager, or has printed the given words."""
        before = self.listeners_cm() if cm else set()
        server = self.start_there(line)
        until = time.monotonic() + PATIENCE
        while (port and not self.listens(port)) or \
                (cm and not self.listeners_cm() - before):
            if time.monotonic() > until or server.ended():
                raise Failed(f"does not listen: {line}\n{server.text()}")
            time.sleep(0.05)
        if words:
            server.wait_for(words)
        return server

    def talk(self, server, client, timeout=PATIENCE, **ready):
        """Runs a server in node 2 and its client in node 1, both of which must
        succeed. Returns the output of the client and of the server."""
        serving = self.serve(server, **ready)
        asking = self.start_here(client)
        try:
            text = asking.succeed(timeout)
            return text, serving.succeed(timeout)
        except Failed as err:
            raise Failed(f"{err}\n--- server: {server}\n{serving.text()}"
                         f"\n--- client:\n{asking.text()}") from None

    def clean_up(self):
        """Kills all commands that still run, also those in other process groups."""
        left = [command for command in self._running if command.status != 0]
        self._running = []
        try:
            for command in left:
                command.kill()
        finally:
            if left:
                There(self._sweep).wait()

#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Passes commands from node 1 to node 2, and their streams in both directions, for
on-peer (lab/guest/bin/on-peer).

peer.py agent   in node 2: runs the commands
peer.py relay   in node 1: listens on the socket SOCKET, which exists as soon as the
                agent runs

The two exchange messages on the serial port lab.peer. A message is a header (channel,
kind, length) and length bytes of data. Each command has a channel of its own. A client
of the relay sends the arguments of its command as JSON and passes its three standard
streams; it gets the exit status as a decimal number. If the client closes its socket,
the process group of its command is killed.
"""

import json
import os
import selectors
import signal
import socket
import struct
import subprocess
import sys

SOCKET = "/run/on-peer"
PORT = "/dev/lab/peer"
NO_COMMAND = 127

_HEADER = struct.Struct("<IBI")
# kinds of messages; IN, OUT or ERR without data is the end of that stream
HELLO, RUN, IN, KILL, OUT, ERR, EXIT = range(7)
_CHUNK = 65536
_PIPE_BUF = 4096        # bytes that a writable pipe has room for
_ENOUGH = 1 << 18       # bytes waiting to be sent above which streams are not read


class Loop:
    """An event loop: waits for files, and calls a function for each ready file."""

    def __init__(self):
        self._selector = selectors.DefaultSelector()

    def want(self, file, on_read=None, on_write=None):
        """Sets the functions that are called when file is readable or writable.
        Without functions, the loop no longer waits for file."""
        events = (selectors.EVENT_READ if on_read else 0) | \
                 (selectors.EVENT_WRITE if on_write else 0)
        known = file in self._selector.get_map()
        if not events:
            if known:
                self._selector.unregister(file)
        elif known:
            self._selector.modify(file, events, (on_read, on_write))
        else:
            self._selector.register(file, events, (on_read, on_write))

    def run(self):
        """Runs the loop. Does not return."""
        while True:
            for key, events in self._selector.select():
                if self._selector.get_map().get(key.fileobj) != key:
                    continue
                on_read, on_write = key.data
                if events & selectors.EVENT_WRITE and on_write:
                    on_write()
                elif on_read:
                    on_read()


class Link:
    """The serial port lab.peer, as a stream of messages in both directions."""

    def __init__(self, loop, on_message):
        self._loop, self._on_message = loop, on_message
        self._fd = os.open(PORT, os.O_RDWR | os.O_NONBLOCK)
        self._in = b""
        self._out = bytearray()
        self._waiting = []      # functions to call once there is room
        self._wait()

    def _wait(self):
        self._loop.want(self._fd, self._read, self._write if self._out else None)

    def _read(self):
        self._in += os.read(self._fd, _CHUNK)
        while len(self._in) >= _HEADER.size:
            channel, kind, length = _HEADER.unpack_from(self._in)
            end = _HEADER.size + length
            if len(self._in) < end:
                return
            data, self._in = self._in[_HEADER.size:end], self._in[end:]
            self._on_message(channel, kind, data)

    def _write(self):
        sent = os.write(self._fd, self._out[:_CHUNK // 2])
        del self._out[:sent]
        self._wait()
        if len(self._out) < _ENOUGH:
            waiting, self._waiting = self._waiting, []
            for resume in waiting:
                resume()

    def send(self, channel, kind, data=b""):
        """Queues a message. The loop sends it."""
        self._out += _HEADER.pack(channel, kind, len(data)) + data
        self._wait()

    def full(self, resume):
        """Whether too many bytes wait to be sent. If so, resume() is called later,
        when there is room again."""
        if len(self._out) < _ENOUGH:
            return False
        self._waiting.append(resume)
        return True


class Source:
    """A file whose data is sent to a channel until the end of the file."""

    def __init__(self, loop, link, file, channel, kind):
        self._loop, self._link, self.file = loop, link, file
        self._channel, self._kind = channel, kind
        self._muted = self._closed = False
        self._resume()

    def _resume(self):
        if not self._closed:
            self._loop.want(self.file, self._read)

    def _read(self):
        if not self._muted and self._link.full(self._resume):
            self._loop.want(self.file)
            return
        try:
            data = os.read(self.file, _CHUNK)
        except OSError:
            data = b""
        if not self._muted:
            self._link.send(self._channel, self._kind, data)
        if not data:
            self.close()

    def finish(self):
        """Sends the data that the file has now. Data that comes later is read and
        discarded."""
        if self._closed:
            return
        os.set_blocking(self.file, False)
        while not self._closed and not self._muted:
            try:
                data = os.read(self.file, _CHUNK)
            except OSError:
                break
            if not data:
                self.close()
                return
            self._link.send(self._channel, self._kind, data)
        self._muted = True
        self._resume()

    def close(self):
        """Stops reading and closes the file."""
        if not self._closed:
            self._closed = True
            self._loop.want(self.file)
            os.close(self.file)


class Sink:
    """A file to which data is written without blocking: data waits in this object."""

    def __init__(self, loop, file):
        self._loop, self._file = loop, file
        self._data = bytearray()
        self._ending = self._closed = False
        self._on_end = None

    def write(self, data):
        """Queues data. Empty data closes the file after all queued data is
        written."""
        if self._closed:
            return
        self._data += data
        self._ending |= not data
        self._go_on()

    def end(self, on_end):
        """Closes the file after all queued data is written, then calls on_end."""
        if self._closed:
            on_end()
            return
        self._on_end = on_end
        self._ending = True
        self._go_on()

    def _go_on(self):
        if not self._data and self._ending:
            self.close()
            return
        try:
            self._loop.want(self._file, None,
                            self._write if self._data else None)
        except PermissionError:     # a regular file is always ready
            while self._data:
                self._write()

    def _write(self):
        try:
            sent = os.write(self._file, self._data[:_PIPE_BUF])
        except OSError:             # no reader: discard the data
            sent = len(self._data)
        del self._data[:sent]
        if not self._data:
            self._go_on()

    def close(self):
        """Discards queued data and closes the file."""
        if self._closed:
            return
        self._closed = True
        self._loop.want(self._file)
        os.close(self._file)
        if self._on_end:
            self._on_end()


class Command:
    """One command that runs in node 2."""

    def __init__(self, loop, link, channel, argv, on_end):
        self._loop, self._link, self._channel = loop, link, channel
        self._on_end = on_end
        self._child = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True, cwd="/root")
        self._stdin = Sink(loop, os.dup(self._child.stdin.fileno()))
        self._child.stdin.close()
        self._sources = [
            Source(loop, link, self._take(self._child.stdout), channel, OUT),
            Source(loop, link, self._take(self._child.stderr), channel, ERR)]
        self._pidfd = os.pidfd_open(self._child.pid)
        loop.want(self._pidfd, self._ended)

    @staticmethod
    def _take(file):
        fd = os.dup(file.fileno())
        file.close()
        return fd

    def write(self, data):
        """Writes data to the standard input of the command."""
        self._stdin.write(data)

    def kill(self):
        """Kills the process group of the command."""
        try:
            os.killpg(self._child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def _ended(self):
        self._loop.want(self._pidfd)
        os.close(self._pidfd)
        status = self._child.wait()
        for source in self._sources:
            source.finish()
        self._stdin.close()
        self._link.send(self._channel, EXIT,
                        b"%d" % (status if status >= 0 else 128 - status))
        self._on_end(self._channel)


class Agent:
    """The program in node 2, which runs the commands."""

    def __init__(self):
        self._loop = Loop()
        self._commands = {}
        self._link = Link(self._loop, self._on_message)

    def run(self):
        """Runs commands. Does not return."""
        self._link.send(0, HELLO)
        self._loop.run()

    def _on_message(self, channel, kind, data):
        command = self._commands.get(channel)
        if kind == RUN:
            self._start(channel, json.loads(data))
        elif kind == IN and command:
            command.write(data)
        elif kind == KILL and command:
            command.kill()

    def _start(self, channel, argv):
        try:
            self._commands[channel] = Command(
                self._loop, self._link, channel, argv, self._commands.pop)
        except (OSError, ValueError) as err:
            words = f"on-peer: {argv[0]}: {err}\n"
            self._link.send(channel, ERR, words.encode())
            self._link.send(channel, EXIT, b"%d" % NO_COMMAND)


class Client:
    """The relay's state for one on-peer process."""

    def __init__(self, loop, link, channel, sock, on_end):
        self._loop, self._link, self._channel = loop, link, channel
        self._sock, self._on_end = sock, on_end
        self._sinks = {}
        self._stdin = None
        loop.want(sock, self._accept)

    def _accept(self):
        data, fds, _, _ = socket.recv_fds(self._sock, 1 << 20, 3)
        if len(fds) != 3:
            for fd in fds:
                os.close(fd)
            self._hang_up()
            return
        self._link.send(self._channel, RUN, data)
        self._sinks = {OUT: Sink(self._loop, fds[1]),
                       ERR: Sink(self._loop, fds[2])}
        self._loop.want(self._sock, self._leave)
        self._open_stdin(fds[0])

    def _open_stdin(self, fd):
        try:
            self._stdin = Source(self._loop, self._link, fd, self._channel, IN)
        except PermissionError:     # a regular file, or /dev/null
            while data := os.read(fd, _CHUNK):
                self._link.send(self._channel, IN, data)
            self._link.send(self._channel, IN)
            os.close(fd)

    def _leave(self):
        """Kills the command: the client has closed its socket. (A client sends one
        message only, so the socket is readable only when it was closed.)"""
        self._link.send(self._channel, KILL)
        for sink in self._sinks.values():
            sink.close()
        self._hang_up()

    def _hang_up(self):
        self._loop.want(self._sock)
        self._sock.close()
        if self._stdin:
            self._stdin.close()
        self._on_end(self._channel)

    def on_message(self, kind, data):
        """Takes a message of the agent for this client."""
        if kind == EXIT:
            self._sinks[OUT].end(lambda: self._sinks[ERR].end(
                lambda: self._answer(data)))
        elif data:
            self._sinks[kind].write(data)

    def _answer(self, status):
        try:
            self._sock.sendall(status)
        except OSError:
            pass
        self._hang_up()


class Relay:
    """The program in node 1, which passes on the commands of clients."""

    def __init__(self):
        self._loop = Loop()
        self._clients = {}
        self._next = 1
        self._listener = None
        self._link = Link(self._loop, self._on_message)

    def run(self):
        """Serves clients. Does not return."""
        self._loop.run()

    def _on_message(self, channel, kind, data):
        if kind == HELLO:
            self._listen()
        elif channel in self._clients:
            self._clients[channel].on_message(kind, data)

    def _listen(self):
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.bind(SOCKET + ".new")
        self._listener.listen(16)
        os.rename(SOCKET + ".new", SOCKET)
        self._loop.want(self._listener, self._connect)

    def _connect(self):
        sock, _ = self._listener.accept()
        self._clients[self._next] = Client(self._loop, self._link, self._next,
                                           sock, self._clients.pop)
        self._next += 1


def request(argv, stdin=0, stdout=1, stderr=2):
    """Starts argv in node 2 with these streams. Returns a socket from which the exit
    status can be read; closing the socket kills the command. OSError: there is no
    node 2."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        sock.connect(SOCKET)
        socket.send_fds(sock, [json.dumps(argv).encode()],
                        [stdin, stdout, stderr])
    except OSError:
        sock.close()
        raise
    return sock


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    {"agent": Agent, "relay": Relay}[sys.argv[1]]().run()

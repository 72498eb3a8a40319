# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The ports on which a guest sends lines to lab/vm: cuts lines, checks the requests of a
guest, and keeps the answers until the guest reads them.

The root user of a guest can write any bytes to any port, and the device process runs as
root of the host. Therefore the device gets only commands of ADMITTED, and never the text
of the guest: request() parses the text, and writes it again.

session.py asks the device; the device itself checks the arguments of a command.
"""

import json
import re
import socket

from . import words

# All commands of the device except "quit", which would end a process of the host. "capture"
# writes a file of which the guest chooses the name only: see model/wire/capture.c.
ADMITTED = (
    "cable", "capture", "chaos", "command_fault", "command_faults_clear", "deaf",
    "eth_fault", "fatal", "fault", "gone", "hold", "inject", "inject_clear",
    "inject_list", "paging_fault", "pending", "register_lie", "register_lie_clear",
    "release", "stats")

_REQUEST = re.compile(r"(\S+) ([0-9]{1,3}) (.+)")
_LONGEST = 1 << 16      # bytes of a line, as many as the device takes
_UNREAD = 1 << 20       # bytes of answers that are kept for a guest that reads none


class Lines:
    """The lines of a stream of bytes."""

    def __init__(self):
        self._part = b""
        self._skips = False     # the present line is too long

    def take(self, data):
        """The lines that end in data, as text. A line that is too long is left out."""
        *ended, self._part = (self._part + data).split(b"\n")
        lines = [line.decode(errors="replace") for line in ended[self._skips:]
                 if len(line) <= _LONGEST]
        self._skips &= not ended
        if len(self._part) > _LONGEST:
            self._skips = True
        if self._skips:
            self._part = b""
        return lines


def request(text):
    """The request that the device gets for the JSON text of a guest. OSError if the text
    is no JSON object, or its command is not in ADMITTED."""
    content = again = None
    try:
        content = json.loads(text)
        again = json.dumps(content)
    except (ValueError, RecursionError):
        pass
    if not again or not isinstance(content, dict) or \
            not isinstance(content.get("cmd"), str):
        raise OSError("not an object with a word 'cmd'")
    if content["cmd"] not in ADMITTED:
        raise OSError(words.no_such("cmd", content["cmd"], ADMITTED))
    return again


class Port:
    """The port lab.device of a guest, on which a request is a line "ID NODE TEXT". The
    answer is "ID JSON" with the same ID. A line of another form gets no answer.

    sock: lab/vm's end of the port. ask: a function from NODE, a number, and TEXT to
    the answer.
    """

    def __init__(self, sock, ask):
        self._sock, self._ask = sock, ask
        self._lines, self._unread = Lines(), b""

    def take(self, data):
        """Takes data from the port, and answers the requests in it. Requests of a guest
        that does not read its answers are dropped."""
        for line in self._lines.take(data):
            found = _REQUEST.fullmatch(line)
            if found and len(self._unread) < _UNREAD:
                ident, number, text = found.groups()
                answer = f"{ident} {self._ask(int(number), text)}\n"
                self._unread += answer.encode(errors="replace")
                self.flush()

    def flush(self):
        """Sends what the port takes now of the answers, since lab/vm must not wait for a
        guest."""
        try:
            while self._unread:
                sent = self._sock.send(self._unread, socket.MSG_DONTWAIT)
                self._unread = self._unread[sent:]
        except BlockingIOError:
            pass        # the next call sends the rest
        except OSError:
            self._unread = b""      # QEMU has ended

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A conversation in lines of JSON between the two processes of a program that runs on
both nodes."""

import json
import select


class Words:
    """Messages between the two sides over TCP."""

    def __init__(self, sock):
        self._sock = sock
        self._file = sock.makefile("rw")

    def say(self, what):
        self._file.write(json.dumps(what) + "\n")
        self._file.flush()

    def has_come(self):
        return bool(select.select([self._sock], [], [], 0)[0])

    def hear(self):
        return json.loads(self._file.readline())

    def swap(self, what):
        self.say(what)
        return self.hear()

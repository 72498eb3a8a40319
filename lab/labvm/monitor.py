# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A client of QEMU's monitor, which changes a machine while it runs. The protocol is
QMP, one JSON object on each line. machine.py chooses the commands."""

import json

_ANSWER_S = 20.0


class Monitor:
    """One end of a socket whose other end is a QMP monitor.

    command() raises OSError if QEMU refuses the command, has ended, or does not
    answer.
    """

    def __init__(self, sock):
        sock.settimeout(_ANSWER_S)
        self._file = sock.makefile("rw", encoding="utf-8")
        self._ready = False

    def command(self, name, **arguments):
        """Executes a command. Returns its result."""
        if not self._ready:
            self._ready = True
            self.command("qmp_capabilities")
        print(json.dumps({"execute": name, "arguments": arguments}),
              file=self._file, flush=True)
        # events and the greeting may come before the answer
        for line in self._file:
            message = json.loads(line)
            if "error" in message:
                raise OSError(f"QEMU: {message['error']['desc']}")
            if "return" in message:
                return message["return"]
        raise OSError("QEMU closed its monitor")

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A process whose pages never arrive: programs/hostage.py."""

import pathlib
import subprocess
import sys
import time

PROGRAM = pathlib.Path(__file__).parents[1] / "programs/hostage.py"
# seconds that the kernel may take to end the process
ENDS = 60


class Hostage:
    """Returns from the constructor when page faults of the process wait."""

    def __init__(self):
        self._process = subprocess.Popen([sys.executable, "-B", str(PROGRAM)],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         text=True)
        self.pid = self._process.pid
        line = self._process.stdout.readline()
        if line != "stuck\n":
            raise RuntimeError(f"hostage.py: {line!r}")

    def tell(self, command):
        print(command, file=self._process.stdin, flush=True)

    def ask(self, command):
        """Executes a command, and returns the seconds that it took."""
        self.tell(command)
        return float(self._process.stdout.readline())

    def kill(self):
        """Kills the process. Returns the seconds that its end took."""
        began = time.monotonic()
        self._process.kill()
        self._process.wait(timeout=ENDS)
        return time.monotonic() - began

    def close(self):
        if self._process.poll() is None:
            self.kill()
        self._process.stdin.close()
        self._process.stdout.close()

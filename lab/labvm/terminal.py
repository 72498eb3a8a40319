# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The user's terminal, for lab/vm shell. session.py passes its data."""

import os
import sys
import termios
import tty


class Terminal:
    """Standard input in raw mode, until restore()."""

    def __init__(self):
        self._saved = None
        if os.isatty(0):
            self._saved = termios.tcgetattr(0)
            tty.setraw(0)

    @staticmethod
    def describe():
        """TERM and the size, for the guest: "xterm 24 80"."""
        try:
            columns, rows = os.get_terminal_size(0)
        except OSError:
            columns, rows = 80, 24
        return f"{os.environ.get('TERM', 'dumb')} {rows} {columns}"

    def restore(self):
        """Restores the terminal's settings from before this object was made."""
        if self._saved:
            termios.tcsetattr(0, termios.TCSADRAIN, self._saved)
            self._saved = None
            sys.stdout.write("\r\n")

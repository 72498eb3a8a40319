# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Reads the driver's files in debugfs: the number of entries and bytes of the key
table, and the records of refused accesses."""

import pathlib
import time

ROOT = pathlib.Path("/sys/kernel/debug/xrdma")


def key_entries():
    """The number of entries of the driver's key table."""
    path, = ROOT.glob("*/key_entries")
    return int(path.read_text())


def key_table_bytes():
    """The size in bytes of the driver's key table, with the tables that point to its
    pages."""
    path, = ROOT.glob("*/key_table_bytes")
    return int(path.read_text())


class Faults:
    """The fault records that the driver adds after the object is made."""

    def __init__(self):
        found = list(ROOT.glob("*/faults"))
        assert len(found) == 1
        self.path = found[0]
        self.last = (self._lines() or [None])[-1]

    def _lines(self):
        return self.path.read_text().splitlines()

    def new(self):
        """The records since the last call, oldest first, as dictionaries."""
        lines = self._lines()
        if self.last in lines:
            lines = lines[lines.index(self.last) + 1:]
        self.last = (lines or [self.last])[-1]
        return [dict(word.split("=") for word in line.split())
                for line in lines]

    def wait(self, count):
        """Waits up to 5 seconds for @count records. Returns the new records."""
        records, until = self.new(), time.monotonic() + 5
        while len(records) < count and time.monotonic() < until:
            records += self.new()
        return records

    def one(self):
        """The only new record; waits for it up to 5 seconds."""
        record, = self.wait(1)
        return record

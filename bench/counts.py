# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Combines the counts of counter.c with the names of figures that the guest printed,
and maps addresses to functions and to parts: user space, the driver, ib_core and so
on. measure.py runs the guests, and targets.py lists the figures.
"""

import bisect
import statistics

USER = "user"
KERNEL = "kernel"
CHECK = "check/"        # prefix of figures whose name ends in the expected count
KERNEL_START = 1 << 63


class Symbols:
    """The functions of a kernel and its modules, from /proc/kallsyms."""

    def __init__(self, path):
        rows = []
        with open(path, encoding="ascii", errors="replace") as lines:
            for line in lines:
                address, kind, name, *module = line.split()
                if kind in "tTwW":
                    rows.append((int(address, 16), name,
                                 module[0].strip("[]") if module else KERNEL))
        rows.sort()
        self._starts = [row[0] for row in rows]
        self._rows = rows

    def find(self, address):
        """(function, module) of the code at an address; ("?", KERNEL) if unknown."""
        if address < KERNEL_START:
            return ("", USER)
        # an address stands for 16 bytes of code, in which a function may begin
        at = bisect.bisect_right(self._starts, address + 15) - 1
        return self._rows[at][1:] if at >= 0 else ("?", KERNEL)


def _intervals(path):
    """Yields each interval of a file of counter.c, as a list of (address, count)."""
    interval = None
    with open(path, encoding="ascii") as lines:
        for line in lines:
            if line == "interval\n":
                if interval is not None:
                    yield interval
                interval = []
            else:
                address, count = line.split()
                interval.append((int(address, 16), int(count)))
    if interval is not None:
        yield interval


class Counts:
    """The counts of all intervals of one figure on one device."""

    def __init__(self):
        self.totals = []
        self.parts = []         # one dict for each interval: module -> count
        self.functions = {}     # (function, module) -> sum of all intervals

    def add(self, interval, symbols):
        """Adds one interval."""
        parts = {}
        for address, count in interval:
            where = symbols.find(address)
            parts[where[1]] = parts.get(where[1], 0) + count
            self.functions[where] = self.functions.get(where, 0) + count
        self.parts.append(parts)
        self.totals.append(sum(parts.values()))

    def part(self, module):
        """The number of instructions of one module, for each interval."""
        return [parts.get(module, 0) for parts in self.parts]

    def modules(self):
        """All modules of which instructions were executed."""
        return sorted({name for parts in self.parts for name in parts})

    def profile(self, most=25):
        """(mean count, function, module) of the functions with the most
        instructions."""
        rows = sorted(((count / len(self.totals), *where)
                       for where, count in self.functions.items()),
                      reverse=True)
        return rows[:most]


def load(counts, symbols, labels):
    """(figure, device) -> Counts. labels: the (figure, device) of each interval, in
    order."""
    table = Symbols(symbols)
    result = {}
    number = 0
    for number, interval in enumerate(_intervals(counts), 1):
        if number > len(labels):
            break
        result.setdefault(labels[number - 1], Counts()).add(interval, table)
    if number != len(labels):
        raise ValueError(f"the guest names {len(labels)} intervals, the "
                         f"plugin counted {number}, or more")
    _check(result)
    return result


def _check(table):
    for (figure, _), counts in table.items():
        if figure.startswith(CHECK) and \
                median(counts.totals) != int(figure[len(CHECK):]):
            raise ValueError(f"the plugin counts {counts.totals} "
                             f"instructions, not {figure}")


def median(values):
    """The median of a list, 0 for an empty list."""
    return statistics.median(values) if values else 0


def write_profile(path, table):
    """Writes a text with the parts of each figure, and its functions with the most
    instructions."""
    with open(path, "w", encoding="utf-8") as out:
        for (figure, device), counts in sorted(table.items()):
            out.write(f"\n{figure} on {device}: median "
                      f"{median(counts.totals):.0f} instructions, "
                      f"{len(counts.totals)} intervals\n")
            parts = sorted(((median(counts.part(name)), name)
                            for name in counts.modules()), reverse=True)
            words = [f"{name} {count:.0f}" for count, name in parts if count]
            out.write(f"  medians: {', '.join(words)}\n")
            for mean, function, module in counts.profile():
                out.write(f"  {mean:12.1f}  {module}:{function}\n")

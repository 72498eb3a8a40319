#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Prints a table of perftest's figures for the device and for soft-RoCE, in the same
guest. bench/guest/perf.py runs perftest.

Each figure is the median of samples that take at least a second each, of both
devices in turn. The spread is (largest - smallest) / median.
"""

import os
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.realpath(__file__))))
sys.path[:0] = [f"{TOP}/bench", f"{TOP}/bench/guest"]
sys.dont_write_bytecode = True

import perf  # noqa: E402
from figure import Figure  # noqa: E402

SAMPLES = 3
# label, unit, number of iterations that is tried first, command
ROWS = [
    ("ib_send_bw 64 KiB", "MiB/s", 1000, ["ib_send_bw", "-s", "65536"]),
    ("ib_write_bw 64 KiB", "MiB/s", 1000, ["ib_write_bw", "-s", "65536"]),
    ("ib_read_bw 64 KiB", "MiB/s", 1000, ["ib_read_bw", "-s", "65536"]),
    ("ib_write_lat 2 B, typical", "us", 1000, ["ib_write_lat", "-s", "2"]),
]
FORM = "  {:26} {:>10} {:>10}  {:5} {:>8}  {:>11}  {}"


def measure(unit, count, command, links):
    """Measures one row. Returns device -> Figure, and a list of failures."""
    samplers = [perf.Sampler(link, unit, count, command) for link in links]
    values = {link.device: [] for link in links}
    seconds, failed = [], []
    for device, sample in perf.samples(samplers, SAMPLES):
        if isinstance(sample, perf.Failed):
            failed.append(f"{device}: {sample}")
        else:
            values[device].append(sample[0])
            seconds.append(sample[1])
    return {device: Figure(unit, some, min(seconds))
            for device, some in values.items() if some}, failed


def row(label, unit, figures, notes):
    """A line of the table. figures: the Figure of each device, None without one."""
    ours, theirs = figures
    if any(figure and figure.unsteady() for figure in figures):
        notes = ["unsteady", *notes]
    ratio = f"{ours.median / theirs.median:.2f} x" if all(figures) else "-"
    return FORM.format(
        label, *(f"{figure.median:.1f}" if figure else "-"
                 for figure in figures), unit, ratio,
        " / ".join(f"{figure.spread:.0%}" if figure else "-"
                   for figure in figures), "; ".join(notes)).rstrip()


def main():
    """Prints the table. Returns the exit status: 0 if the device has all figures."""
    links = perf.links(peer=False)
    ours, theirs = (link.device for link in links)
    whole = True
    print(FORM.format("", ours, theirs, "", "ratio", "spread", "").rstrip())
    for label, unit, count, command in ROWS:
        figures, failed = measure(unit, count, command, links)
        print(row(label, unit, (figures.get(ours), figures.get(theirs)),
                  failed), flush=True)
        whole = whole and not any(line.startswith(f"{ours}:")
                                  for line in failed)
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Samples of one figure on one device, and their statistics. Targets are in
targets.py."""

import statistics

SECONDS = 1.0           # shortest allowed duration of a sample by the clock
STEADY = 0.2            # a figure by the clock with a larger spread is marked


class Figure:
    """Samples of one figure on one device.

    seconds: duration of the shortest sample; None for a figure that was counted.
    median: of the samples. spread: (largest - smallest) / median.
    """

    def __init__(self, unit, samples, seconds=None):
        self.unit = unit
        self.samples = samples
        self.seconds = seconds
        self.median = statistics.median(samples)
        extent = max(samples) - min(samples)
        self.spread = extent / abs(self.median) if self.median else 0.0

    def unsteady(self):
        """Whether the figure was measured by a clock and its spread is above STEADY."""
        return self.seconds is not None and self.spread > STEADY

    def record(self):
        """The figure's entry in a file of results."""
        record = {"unit": self.unit, "n": len(self.samples),
                  "median": self.median, "min": min(self.samples),
                  "max": max(self.samples)}
        if self.seconds is not None:
            record.update(spread=self.spread, seconds=self.seconds)
        return record

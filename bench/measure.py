# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Boots the guests, takes their figures, and writes down what they say.

Runs in the lab's root image, in the checkout.
"""

import contextlib
import json
import os
import statistics
import subprocess
import sys
import time

import counts
import groups
import picture
import targets

TOP = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
OUT = "build/bench"


class Figure:
    """Samples of one figure on one device."""

    def __init__(self, unit, samples):
        self.unit = unit
        self.samples = samples
        self.median = statistics.median(samples)

    def record(self):
        """What goes into a file of results."""
        return {"unit": self.unit, "n": len(self.samples),
                "median": self.median, "min": min(self.samples),
                "max": max(self.samples)}


def kind_of(device):
    """xrdma0 -> xrdma"""
    return device.rstrip("0123456789")


def boot(name, kernel, options):
    """Runs a group's script in one guest. Returns what it printed, or None."""
    seconds, _, script = groups.ALL[name]
    raw = f"{TOP}/{OUT}/raw"
    os.makedirs(raw, exist_ok=True)
    command = ["lab/vm", "run", "--kernel", kernel, "--fast-device",
               "--timeout", str(seconds), "--share", raw, *options, "--",
               f"/src/bench/guest/{script[0]}", *script[1:]]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                            check=False)
    if result.returncode:
        print(f"bench: {name}: the guest's script ended with "
              f"{result.returncode}", file=sys.stderr)
        return None
    lines = (line.split() for line in result.stdout.splitlines())
    return [words for words in lines if words]


def boot_all(name, kernel):
    """Each of a group's guests in turn: the lines of all, or None."""
    lines = []
    for options in groups.ALL[name][1]:
        more = boot(name, kernel, options)
        if more is None:
            return None
        lines += more
    return lines


def printed(lines):
    """The figures that a guest printed as such."""
    units, samples = {}, {}
    for words in lines:
        if words[0] == "figure":
            _, name, device, unit, value = words
            key = (name, kind_of(device))
            units[key] = unit
            samples.setdefault(key, []).append(float(value))
    return {key: Figure(units[key], samples[key]) for key in samples}


def counted(lines):
    """The figures that the plugin counted."""
    labels = [(words[1], words[2]) for words in lines
              if words[0] == "interval"]
    raw = f"{OUT}/raw"
    table = counts.load(f"{raw}/counts", f"{raw}/kallsyms", labels)
    os.remove(f"{raw}/counts")
    counts.write_profile(f"{OUT}/profile.txt", table)
    figures = {}
    for (name, device), count in table.items():
        kind = kind_of(device)
        driver = {"xrdma": "xrdma", "rxe": "rdma_rxe"}.get(kind)
        figures[name, kind] = Figure("insns", count.totals)
        if driver:
            figures[name + ":driver", kind] = Figure("insns",
                                                     count.part(driver))
            figures[name + ":user", kind] = Figure("insns",
                                                   count.part("user"))
    return figures


# figure -> what it is the ratio of, and by what of their samples: for threads, by
# the round that other work on the host disturbed least
RATIOS = {
    "live/growth": ("reg/live/65536", "reg/live/64", statistics.median),
    "qp/growth": ("qp/create/16000", "qp/create/64", statistics.median),
    "threads/gain": ("threads/2", "threads/1", max),
}
# figure -> of how many it is the sum
LISTS = {
    "post/list": 16, "poll/list": 16, "kernel/poll-send": 16,
    "kernel/poll-recv": 16, "kernel/poll-srq": 16, "kernel/events": 32,
}


def derive(figures):
    """Adds what follows from other figures, if they are there."""
    for kind in ("xrdma", "rxe"):
        for name, (above, below, one_of) in RATIOS.items():
            if (above, kind) in figures and (below, kind) in figures:
                figures[name, kind] = Figure("x", [
                    one_of(figures[above, kind].samples) /
                    one_of(figures[below, kind].samples)])
        for name, num in LISTS.items():
            if (name, kind) in figures:
                figures[name + "-each", kind] = Figure("insns", [
                    value / num for value in figures[name, kind].samples])


def save(name, figures, facts):
    """Writes a group's results, with the targets beside them."""
    metrics = {metric.figure: metric for metric in targets.METRICS}
    rows = []
    for (figure, kind), value in sorted(figures.items()):
        row = {"figure": figure, "device": kind, **value.record()}
        metric = metrics.get(figure)
        if metric and metric.bound and kind == "xrdma":
            other = figures.get((figure, "rxe"))
            row["target"] = targets.describe(metric)
            row["meets"] = targets.meets(metric, value.median,
                                         other and other.median)
        rows.append(row)
    with open(f"{OUT}/{name}.json", "w", encoding="utf-8") as out:
        json.dump({"group": name, **facts, "figures": rows}, out, indent=1)
        out.write("\n")


def measure(names, facts):
    """Runs groups. Returns (all figures, names of groups that failed)."""
    all_figures, failed = {}, []
    for name in names:
        print(f"bench: {name}", file=sys.stderr, flush=True)
        with contextlib.suppress(FileNotFoundError):
            os.remove(f"{OUT}/{name}.json")
        lines = boot_all(name, facts["kernel"])
        if lines is None:
            failed.append(name)
            continue
        figures = printed(lines)
        try:
            if any(words[0] == "interval" for words in lines):
                figures.update(counted(lines))
        except ValueError as err:
            print(f"bench: {name}: {err}", file=sys.stderr)
            failed.append(name)
            continue
        derive(figures)
        save(name, figures, {**facts, "load": os.getloadavg()[0]})
        all_figures.update(figures)
        lacking = list(targets.missing(name, figures))
        for line in lacking:
            print(f"bench: {name}: {line}", file=sys.stderr)
        if lacking:
            failed.append(name)
    return all_figures, failed


def run(kernel, commit, names):
    """Measures groups and reports. Returns the exit status."""
    os.chdir(TOP)
    if subprocess.run(["make", "-s", "-C", "bench", f"O={TOP}/{OUT}",
                       "CC=ccache gcc"], check=False).returncode:
        return 1
    facts = {"kernel": kernel, "commit": commit, "cpus": os.cpu_count(),
             "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    figures, failed = measure(names, facts)
    print(f"\nkernel {kernel}, commit {commit}, {facts['date']}")
    print("\n".join(targets.table(figures)))
    if picture.draw(f"{OUT}/registration.svg", figures,
                    f"xrdma and soft-RoCE, Linux {kernel}"):
        print(f"picture: {OUT}/registration.svg, profile: {OUT}/profile.txt")
    if failed:
        print(f"bench: could not be run, or not whole: {', '.join(failed)}",
              file=sys.stderr)
    return 1 if failed else 0

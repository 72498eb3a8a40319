# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Boots the guests, reads the figures that they print or count, and writes the files of
results. groups.py has the guests, counts.py evaluates counted intervals, targets.py
prints the table.

Runs in the lab's root image, in the checkout.
"""

import contextlib
import json
import os
import subprocess
import sys
import time

import counts
import groups
import picture
import picture_paging
import targets
from figure import SECONDS, Figure

TOP = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
OUT = "build/bench"


def kind_of(device):
    """The kind of a device: "xrdma" for "xrdma0"."""
    return device.rstrip("0123456789")


def boot(name, facts, options):
    """Runs a group's script in one guest. Returns the words of each line that it
    printed; a guest that failed adds "ended KIND REASON"."""
    seconds, _, script = groups.ALL[name]
    device = () if name in groups.BOTH_DOORBELLS else facts.get("device", ())
    raw = f"{TOP}/{OUT}/raw"
    os.makedirs(raw, exist_ok=True)
    command = ["lab/vm", "run", "--kernel", facts["kernel"], "--fast-device",
               *(f"--device-arg={arg}" for arg in device),
               "--timeout", str(seconds), "--share", raw, *options, "--",
               f"/src/bench/guest/{script[0]}", *script[1:]]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                            check=False)
    lines = [line.split() for line in result.stdout.splitlines() if line.strip()]
    if result.returncode:
        kind = "rxe" if options[:2] == ["--both", "rxe"] else "xrdma"
        lines.append(["ended", kind, "the guest ended with",
                      str(result.returncode)])
    return lines


def boot_all(name, facts):
    """Runs a group's guests one after the other. Returns the lines of all of them."""
    return [words for options in groups.ALL[name][1]
            for words in boot(name, facts, options)]


def failures_of(name, lines, figures):
    """(figure, device kind) -> the reason why its guest has taken no samples of it, or
    fewer than required."""
    failures = {(words[1], kind_of(words[2])): " ".join(words[3:])
                for words in lines if words[0] == "failed"}
    for _, kind, *reason in (words for words in lines if words[0] == "ended"):
        for metric in targets.GROUPS[name]:
            if (metric.figure, kind) not in figures:
                failures.setdefault((metric.figure, kind), " ".join(reason))
    return failures


def printed(name, lines):
    """The figures of the lines "figure" that the guests of a group printed.

    Raises ValueError if a sample of a group in TIMED is too short, or has no
    duration.
    """
    units, samples, seconds = {}, {}, {}
    for words in lines:
        if words[0] == "figure":
            _, figure, device, unit, value, *took = words
            key = (figure, kind_of(device))
            if name in groups.TIMED and (not took or float(took[0]) < SECONDS):
                raise ValueError(f"{figure} of {device}: a sample by the clock "
                                 f"took {(took or ['?'])[0]} s, not {SECONDS} s")
            units[key] = unit
            samples.setdefault(key, []).append(float(value))
            seconds.setdefault(key, []).extend(map(float, took))
    return {key: Figure(units[key], samples[key],
                        min(seconds[key], default=None)) for key in samples}


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


def of_medians(above, below):
    """The ratio of the medians of two counted figures, as a figure of one sample."""
    return Figure("x", [above.median / below.median])


def of_rounds(above, below):
    """The ratio of two figures whose samples were taken in turn, for each round."""
    return Figure("x", [a / b for a, b in zip(above.samples, below.samples)],
                  min(above.seconds, below.seconds))


def difference(one, other):
    """The difference of two figures whose samples were taken in turn, for each
    round."""
    return Figure(one.unit, [a - b for a, b in zip(one.samples, other.samples)],
                  min(one.seconds, other.seconds))


# figure -> (a figure, another figure, function that computes the figure from both)
PAIRS = {
    "live/growth": ("reg/live/65536", "reg/live/64", of_medians),
    "qp/growth": ("qp/create/16000", "qp/create/64", of_medians),
    "threads/gain": ("threads/2", "threads/1", of_rounds),
    "paged/growth": (f"reg/paged/{1 << 40}", "reg/paged/4096", of_medians),
    "paged/growth-all": ("reg/paged/all", "reg/paged/4096", of_medians),
    "paging/fault": ("paging/write-cold", "paging/write-warm", difference),
    "paging/warm-ratio": ("paging/warm/demand", "paging/warm/pinned",
                          of_rounds),
    "paging/cold-ratio": ("paging/last/demand", "paging/last/pinned",
                          of_rounds),
    "port/channels-gain": ("port/channels-8", "port/channels-1", of_rounds),
    "paging/cold-4k-ratio": ("paging/last-4k/demand", "paging/last-4k/pinned",
                             of_rounds),
}
# figure -> number of operations whose cost it is the sum of
LISTS = {
    "post/list": 16, "poll/list": 16, "kernel/poll-send": 16,
    "kernel/poll-recv": 16, "kernel/poll-srq": 16, "kernel/events": 32,
}


def derive(figures):
    """Adds the figures that are computed from other figures, if those exist."""
    for kind in ("xrdma", "rxe"):
        for name, (one, other, combine) in PAIRS.items():
            if (one, kind) in figures and (other, kind) in figures:
                figures[name, kind] = combine(figures[one, kind],
                                              figures[other, kind])
        for name, num in LISTS.items():
            if (name, kind) in figures:
                figures[name + "-each", kind] = Figure("insns", [
                    value / num for value in figures[name, kind].samples])


def save(name, figures, failures, facts):
    """Writes a group's results and targets to a file."""
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
    rows += [{"figure": figure, "device": kind, "failed": reason}
             for (figure, kind), reason in failures.items()]
    with open(f"{OUT}/{name}.json", "w", encoding="utf-8") as out:
        json.dump({"group": name, **facts, "figures": rows}, out, indent=1)
        out.write("\n")


def take(name, facts):
    """Runs the guests of a group. Returns (figures, failures, whether a guest with an
    xrdma device failed). Raises ValueError."""
    lines = boot_all(name, facts)
    ended = ["ended", "xrdma"] in [words[:2] for words in lines]
    figures = printed(name, lines)
    if not ended and any(words[0] == "interval" for words in lines):
        figures.update(counted(lines))
    derive(figures)
    return figures, failures_of(name, lines, figures), ended


def measure(names, facts):
    """Runs groups. Returns (all figures, names of groups that failed, failures as
    failures_of() returns them)."""
    all_figures, failed, all_failures = {}, [], {}
    for name in names:
        print(f"bench: {name}", file=sys.stderr, flush=True)
        with contextlib.suppress(FileNotFoundError):
            os.remove(f"{OUT}/{name}.json")
        try:
            figures, failures, ended = take(name, facts)
        except ValueError as err:
            print(f"bench: {name}: {err}", file=sys.stderr)
            failed.append(name)
            continue
        save(name, figures, failures, {**facts, "load": os.getloadavg()[0]})
        all_figures.update(figures)
        all_failures.update(failures)
        lacking = list(targets.missing(name, figures, failures))
        if ended:
            lacking.append("a guest with an xrdma device failed")
        for line in lacking:
            print(f"bench: {name}: {line}", file=sys.stderr)
        if lacking:
            failed.append(name)
    return all_figures, failed, all_failures


def run(kernel, commit, names, device=()):
    """Measures groups and reports. device: options of the device. Returns the exit
    status."""
    os.chdir(TOP)
    if subprocess.run(["make", "-s", "-C", "bench", f"O={TOP}/{OUT}",
                       "CC=ccache gcc"], check=False).returncode:
        return 1
    facts = {"kernel": kernel, "commit": commit, "cpus": os.cpu_count(),
             "device": list(device),
             "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    figures, failed, failures = measure(names, facts)
    print("\n" + ", ".join([f"kernel {kernel}, commit {commit}", facts["date"],
                            *(f"device {option}" for option in device)]))
    print("\n".join(targets.table(figures, failures)))
    if picture.draw(f"{OUT}/registration.svg", figures,
                    f"xrdma and soft-RoCE, Linux {kernel}"):
        print(f"picture: {OUT}/registration.svg, profile: {OUT}/profile.txt")
    if picture_paging.draw(f"{OUT}/paging.svg", figures, f"Linux {kernel}"):
        print(f"picture: {OUT}/paging.svg")
    if failed:
        print(f"bench: failed or incomplete: {', '.join(failed)}",
              file=sys.stderr)
    return 1 if failed else 0

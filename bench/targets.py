# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The targets of the figures, and the table that shows whether they are met.

A target is a bound on a figure, or on its ratio to soft-RoCE's figure. A missed target
is shown, and fails nothing; a missing figure fails its group. measure.py takes the
figures.
"""

from collections import namedtuple

from figure import STEADY

# figure: name of the figure; bound: "max", "min", or None for a figure without a
# target; of: "value" or "ratio"
Metric = namedtuple("Metric", "label figure bound of limit")


def _most(label, figure, limit):
    return Metric(label, figure, "max", "value", limit)


def _ratio(label, figure, limit, bound="max"):
    return Metric(label, figure, bound, "ratio", limit)


def _record(label, figure):
    return Metric(label, figure, None, None, None)


GIB = 1 << 30
CONSUMERS = [("NVMe-oF, read 4 KiB", "nvme-read-4k"),
             ("NVMe-oF, write 4 KiB", "nvme-write-4k"),
             ("NVMe-oF, read 128 KiB", "nvme-read-128k"),
             ("NVMe-oF, write 128 KiB", "nvme-write-128k"),
             ("NFS, file read", "nfs-read"),
             ("NFS, file written", "nfs-write")]
TRANSFERS = [("first", "first 4 KiB of 1 GiB, huge pages"),
             ("last", "1 GiB, new huge pages"),
             ("last-4k", "1 GiB, new 4K pages")]
WAYS = [("pinned", "pinned"), ("demand", "on demand"),
        ("prefetched", "prefetched")]
SIZES = [("4k", "4 KiB"), ("1m", "1 MiB"), ("1g", "1 GiB"), ("64g", "64 GiB"),
         ("1t", "1 TiB")]
# (way of registration, size, label); the benchmark pins at most 1 GiB
REGISTRATIONS = [("pinned", size, f"{label}, pinned") for size, label in SIZES[:3]] + \
    [("demand", size, f"{label}, on demand") for size, label in SIZES]
BUDGET = [("reads", "reads"), ("read-bytes", "bytes read"), ("writes", "writes"),
          ("write-bytes", "bytes written"), ("doorbells", "doorbells"),
          ("polls", "polls")]
# group, as in groups.py -> metrics for which each run of the group must give a figure
GROUPS = {
    "instructions": [
        _most("reg 4 KiB, xrdma.ko alone", "reg/4k/4096:driver", 2000),
        _ratio("reg 4 KiB", "reg/4k/4096", 1.10),
        _record("dereg 4 KiB", "dereg/4k/4096"),
        _record("reg 1 MiB, 4K pages", f"reg/4k/{1 << 20}"),
        _record("dereg 1 MiB, 4K pages", f"dereg/4k/{1 << 20}"),
        _ratio("reg 1 GiB, 4K pages", f"reg/4k/{GIB}", 1.05),
        _ratio("dereg 1 GiB, 4K pages", f"dereg/4k/{GIB}", 1.05),
        _record("reg 1 GiB, 4K pages, scattered", f"reg/scattered/{GIB}"),
        _record("dereg 1 GiB, 4K pages, scattered", f"dereg/scattered/{GIB}"),
        _ratio("reg 1 GiB, THP", f"reg/thp/{GIB}", 0.62),
        _ratio("dereg 1 GiB, THP", f"dereg/thp/{GIB}", 1.3),
        _record("reg 1 GiB, THP, scattered", f"reg/thp-scattered/{GIB}"),
        _record("dereg 1 GiB, THP, scattered", f"dereg/thp-scattered/{GIB}"),
        _most("reg 4 KiB, 64k regions against 64", "live/growth", 1.10),
        _most("post WRITE", "post/one", 165),
        _most("post WRITE, each in a list of 16", "post/list-each", 110),
        _record("post WRITE of 32 B inline", "post/inline"),
        _most("poll, empty", "poll/empty", 90),
        _most("poll, one CQE", "poll/one", 190),
        _most("poll, each of 16 CQEs", "poll/list-each", 110),
        _record("create RC QP, 64 live", "qp/create/64"),
        _record("create RC QP, 16,000 live", "qp/create/16000"),
        _most("create RC QP, 16,000 live against 64", "qp/growth", 1.10),
        _most("window type 2, post of bind", "window/bind2", 400),
        _most("window type 2, post of invalidate", "window/invalidate", 300),
        _record("window type 1, ibv_bind_mw", "window/bind1"),
        _record("window, alloc", "window/alloc"),
        _record("window, dealloc", "window/dealloc"),
        _record("reg 4 KiB, on demand", "reg/paged/4096"),
        _record("reg 64 MiB, on demand", f"reg/paged/{64 << 20}"),
        _record("dereg 64 MiB, on demand", f"dereg/paged/{64 << 20}"),
        _record("reg 1 TiB, on demand", f"reg/paged/{GIB << 10}"),
        _most("reg 1 TiB against 4 KiB, on demand", "paged/growth", 1.10),
        _most("reg all addresses against 4 KiB, on demand", "paged/growth-all",
              1.10),
        _record("page fault, everything", "fault/cold"),
        _record("page fault, xrdma.ko alone", "fault/cold:driver"),
        _record("the same WRITE without a page fault", "fault/warm"),
    ],
    "kernel": [
        _record("kernel: poll, each of 16 sends", "kernel/poll-send-each"),
        _record("kernel: poll, each of 16 receives", "kernel/poll-recv-each"),
        _record("kernel: poll, each of 16 from an SRQ", "kernel/poll-srq-each"),
        _record("kernel: each of 32 completion events", "kernel/events-each"),
        _record("kernel: 128 QPs destroyed with CQs", "kernel/destroy-qps"),
    ],
    "memory": [
        _most("tables for a GiB of 4K pages", "memory/tables-4k",
              (2 << 20) + 4096),
        _most("tables for a GiB of 2M pages", "memory/tables-2m", 4096),
        _most("tables for a GiB of 1G pages", "memory/tables-1g", 0),
        _most("key entry", "memory/key", 64),
        _most("kernel memory of a 4 KiB region", "memory/region", 1228),
        _most("kernel memory of a paged region of 1 TiB",
              "memory/paged-region", 8192),
        _most("tables of a paged region of 1 TiB", "memory/paged-tables", 4096),
        *(_record(f"kernel memory of a region of {label}",
                  f"memory/size/{way}/{size}")
          for way, size, label in REGISTRATIONS),
        _most("commands of 100,000 registrations",
              "memory/registration-commands", 100),
        _most("commands of 100,000 at exit", "memory/exit-commands", 100),
    ],
    "budget": [
        _record(f"PCIe, WRITE {size} B, {way}: {label}",
                f"budget/{way}/{size}/{figure}")
        for way in ("doorbell", "shadow") for size in (64, 4096)
        for figure, label in BUDGET
    ],
    "wall": [
        _ratio("RC WRITE 64 KiB", "wall/write-64k", 20, "min"),
        _ratio("RC WRITE 64 B", "wall/write-64", 5, "min"),
        _ratio("RC WRITE 2 B, latency", "wall/write-2-latency", 0.5),
        Metric("2 threads registering, against 1", "threads/gain", "min",
               "value", 1.7),
    ],
    "paging": [
        _record("WRITE 4 KiB to a page that is missing", "paging/write-cold"),
        _record("WRITE 4 KiB to a page that is present", "paging/write-warm"),
        _record("page fault of the device: the difference", "paging/fault"),
        _record("64 MiB of new 4K pages, pinned", "paging/pinned-64m"),
        _record("64 MiB of new 4K pages, on demand", "paging/cold-64m"),
        _record("WRITE 64 KiB, pinned", "paging/warm/pinned"),
        _record("WRITE 64 KiB, on demand, pages present", "paging/warm/demand"),
        Metric("WRITE 64 KiB, on demand against pinned", "paging/warm-ratio",
               "min", "value", 0.95),
        *(_record(f"{label}, {name}", f"paging/{figure}/{way}")
          for figure, label in TRANSFERS for way, name in WAYS),
        _most("1 GiB, new huge pages, against pinned", "paging/cold-ratio",
              1.5),
        _record("1 GiB, new 4K pages, against pinned", "paging/cold-4k-ratio"),
        _most("1 GiB, new huge pages, page faults", "paging/records/demand",
              520),
        *(_record(f"registration of {label}", f"paging/reg/{way}/{size}")
          for way, size, label in REGISTRATIONS),
    ],
    "nodes": [
        _ratio("between nodes, RC WRITE 64 KiB", "nodes/write-64k", 20, "min"),
        _ratio("between nodes, RC WRITE 64 B", "nodes/write-64", 20, "min"),
        _ratio("between nodes, RC WRITE 2 B, latency", "nodes/write-2-latency",
               0.2),
        _record("between nodes, 1,000 RC QPs, WRITE 4 KiB", "nodes/qps-1000"),
    ],
    "port": [
        _ratio("TCP, MTU 1500, xrdma against virtio-net", "port/tcp", 3, "min"),
        _most("TCP, segments sent again", "port/tcp-resent", 0),
    ],
    "channels": [
        _record("TCP, 8 streams, 4 processors, 1 channel", "port/channels-1"),
        _record("TCP, 8 streams, 4 processors, 8 channels", "port/channels-8"),
        _record("TCP, 8 streams, 8 channels against 1", "port/channels-gain"),
    ],
    "consumers": [
        *(_record(f"{label}{over}", f"consumers/{figure}{tail}")
          for label, figure in CONSUMERS
          for over, tail in (("", ""), (", TCP", "-tcp"))),
    ],
    "scale-regions": [
        _record("4 million regions, registration", "hold/reg"),
        Metric("4 million regions, live", "scale/regions-live", "min", "value",
               4000000),
        _most("4 million regions, kernel memory each", "scale/regions-memory",
              1228),
        _record("4 million regions, process exit", "scale/regions-exit"),
    ],
    "scale-tebibyte": [
        _most("1 TiB of one 1G page, registration", "scale/tebibyte/reg", 120),
        _record("1 TiB of one 1G page, deregistration", "scale/tebibyte/dereg"),
        _record("1 TiB of one 1G page, tables", "scale/tebibyte-tables"),
    ],
    "scale-pages": [
        _record("64 GiB of 4K pages, registration", "scale/pages/reg"),
        _record("64 GiB of 4K pages, deregistration", "scale/pages/dereg"),
        _record("64 GiB of 4K pages, tables", "scale/pages-tables"),
    ],
}
METRICS = [metric for metrics in GROUPS.values() for metric in metrics]


def describe(metric):
    """The target of a metric as text, or "" if there is none."""
    if not metric.bound:
        return ""
    sign = "<=" if metric.bound == "max" else ">="
    return f"{sign} {metric.limit:,}{' x' if metric.of == 'ratio' else ''}"


def meets(metric, ours, theirs):
    """Whether the target is met; None if there is no target or no figure."""
    if not metric.bound or ours is None:
        return None
    value = ours
    if metric.of == "ratio":
        if not theirs:
            return None
        value = ours / theirs
    return value <= metric.limit if metric.bound == "max" \
        else value >= metric.limit


def _number(value):
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.4g}"


def missing(group, figures, failures=()):
    """The metrics of a group that lack a figure of the xrdma device, or a figure of
    soft-RoCE that a ratio needs. failures: (figure, device kind) that failed in a
    guest. A failure of soft-RoCE is not returned here, but noted in the table. A
    failure of the xrdma device is returned even if some samples were taken."""
    for metric in GROUPS[group]:
        ours = (metric.figure, "xrdma")
        theirs = (metric.figure, "rxe")
        if ours in failures or ours not in figures:
            yield f"{metric.label}: no figure of xrdma"
        if metric.of == "ratio" and theirs not in figures and \
           theirs not in failures:
            yield f"{metric.label}: no figure of rxe"


def _notes(metric, figures, failures):
    """The notes of a row: the spread of its times, and the reasons why a figure or
    some of its samples are missing."""
    notes = []
    both = [(kind, figures.get((metric.figure, kind)))
            for kind in ("xrdma", "rxe")]
    timed = [figure for _, figure in both if figure and figure.seconds]
    if timed:
        notes.append("spread " + " / ".join(
            f"{figure.spread:.0%}" for figure in timed))
    for kind, figure in both:
        if figure and figure.unsteady():
            notes.append(f"{kind} is unsteady (above {STEADY:.0%})")
        reason = failures.get((metric.figure, kind))
        if reason:
            what = f"only {len(figure.samples)} samples" if figure else \
                "no figure"
            notes.append(f"{kind}: {what}: {reason}")
    return "; ".join(notes)


def table(figures, failures=None):
    """The lines of the table. figures: (figure, device kind) -> Figure; failures:
    (figure, device kind) -> the reason why the figure or samples are missing."""
    failures = failures or {}
    width = max(len(metric.label) for metric in METRICS)
    form = "{:" + str(width) + "} {:>13} {:>13} {:6} {:>7}  {:13} {:6} {}"
    lines = [form.format("metric", "xrdma", "rxe", "unit", "ratio", "target",
                         "meets?", "").rstrip()]
    for metric in METRICS:
        ours = figures.get((metric.figure, "xrdma"))
        theirs = figures.get((metric.figure, "rxe"))
        notes = _notes(metric, figures, failures)
        if not ours and not theirs and not notes:
            continue
        mine = ours.median if ours else None
        other = theirs.median if theirs else None
        ratio = f"{mine / other:.3f}" if mine is not None and other else ""
        verdict = {True: "yes", False: "NO", None: ""}[
            meets(metric, mine, other)]
        lines.append(form.format(
            metric.label, _number(mine), _number(other),
            (ours or theirs).unit if ours or theirs else "", ratio,
            describe(metric), verdict, notes).rstrip())
    return lines

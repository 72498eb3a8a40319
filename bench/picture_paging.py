# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Draws the times to the first and to the last byte of a transfer to memory that is
pinned, on demand, or on demand and prefetched, as SVG. measure.py passes the
figures."""

from picture import svg, text

WIDTH, HEIGHT = 760, 300
LEFT, TOP, BAR, GAP, ROOM = 150, 60, 18, 14, 500
WAYS = [("pinned", "pinned"), ("demand", "on demand"),
        ("prefetched", "on demand, prefetched")]
BARS = [("first", "first 4 KiB", "#2c6fbb"), ("last", "all of 1 GiB", "#c0392b")]


def _rows(figures):
    """(name of the way, [(label, colour, seconds)]) of each way."""
    for way, name in WAYS:
        yield name, [(label, colour,
                      figures[f"paging/{part}/{way}", "xrdma"].median)
                     for part, label, colour in BARS]


def draw(path, figures, subtitle):
    """Writes the picture. figures: (figure, device kind) -> Figure. Returns whether
    there were figures."""
    if any((f"paging/{part}/{way}", "xrdma") not in figures
           for part, _, _ in BARS for way, _ in WAYS):
        return False
    rows = list(_rows(figures))
    longest = max(took for _, bars in rows for _, _, took in bars)
    out = [text(WIDTH / 2, 24, "Time from an empty mapping to data, 1 GiB of huge "
                "pages: " + subtitle, size=15)]
    y = TOP
    for name, bars in rows:
        out.append(text(LEFT - 10, y + BAR + 5, name, "end"))
        for label, colour, took in bars:
            width = max(ROOM * took / longest, 1)
            out.append(f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" '
                       f'height="{BAR}" fill="{colour}"/>')
            out.append(text(LEFT + width + 6, y + BAR - 4,
                            f"{label}: {took:.3g} s", "start", 11))
            y += BAR + 2
        y += GAP
    svg(path, WIDTH, HEIGHT, out)
    return True

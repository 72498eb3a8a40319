# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Draws the cost of registration over the size of the region, as SVG. measure.py
passes the figures."""

import math
from html import escape

WIDTH, HEIGHT = 1060, 520
PANELS = [("4k", "4 KiB pages", 80), ("thp", "transparent huge pages", 590)]
PANEL_W, PANEL_H, TOP = 430, 370, 70
SIZES = (12, 30)                # log2 of the bytes, first and last
LINES = [                       # operation, device kind, colour, dashes
    ("reg", "xrdma", "#c0392b", ""),
    ("reg", "rxe", "#2c6fbb", ""),
    ("dereg", "xrdma", "#c0392b", "6 4"),
    ("dereg", "rxe", "#2c6fbb", "6 4"),
]
NAMES = {"reg": "registration", "dereg": "deregistration"}


def text(x, y, words, anchor="middle", size=13):
    """The SVG element of a text."""
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" '
            f'text-anchor="{anchor}">{escape(words)}</text>')


def svg(path, width, height, elements):
    """Writes a picture with a white background."""
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
            f'height="{height}" font-family="sans-serif">',
            '<rect width="100%" height="100%" fill="white"/>']
    with open(path, "w", encoding="utf-8") as out:
        out.write("\n".join(head + elements + ["</svg>"]) + "\n")


def _line(x1, y1, x2, y2, style):
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'{style}/>')


def _bytes(log):
    return f"{1 << log % 10} {('B', 'KiB', 'MiB', 'GiB')[log // 10]}"


def _count(decade):
    return f"{10 ** (decade % 3)}{('', ' k', ' M', ' G')[decade // 3]}"


class _Panel:
    """One pair of logarithmic axes. decades: the first and last decade of the vertical
    axis."""

    def __init__(self, left, decades):
        self.left = left
        self.decades = decades

    def x(self, size):
        """The horizontal position of a size in bytes."""
        first, last = SIZES
        return self.left + PANEL_W * (math.log2(size) - first) / (last - first)

    def y(self, cost):
        """The vertical position of a number of instructions."""
        first, last = self.decades
        part = (math.log10(cost) - first) / (last - first)
        return TOP + PANEL_H * (1 - part)

    def axes(self, title):
        """The SVG elements of title, grid and numbers."""
        grid = 'stroke="#ddd"'
        out = [text(self.left + PANEL_W / 2, TOP - 12, title, size=15)]
        for decade in range(self.decades[0], self.decades[1] + 1):
            y = self.y(10 ** decade)
            out.append(_line(self.left, y, self.left + PANEL_W, y, grid))
            out.append(text(self.left - 8, y + 4, _count(decade), "end", 11))
        for log in range(SIZES[0], SIZES[1] + 1, 3):
            x = self.x(1 << log)
            out.append(_line(x, TOP, x, TOP + PANEL_H, grid))
            out.append(text(x, TOP + PANEL_H + 18, _bytes(log), size=11))
        return out

    def curve(self, points, colour, dashes):
        """The SVG elements of a line through the points (size, cost)."""
        path = " ".join(f"{self.x(size):.1f},{self.y(cost):.1f}"
                        for size, cost in points)
        out = [f'<polyline points="{path}" fill="none" stroke="{colour}" '
               f'stroke-width="2" stroke-dasharray="{dashes}"/>']
        out += [f'<circle cx="{self.x(size):.1f}" cy="{self.y(cost):.1f}" '
                f'r="3" fill="{colour}"/>' for size, cost in points]
        return out


def _points(figures, operation, kind, pages):
    """The points of one curve: a list of (size, cost)."""
    head = f"{operation}/{pages}/"
    return sorted((int(name[len(head):]), figure.median)
                  for (name, device), figure in figures.items()
                  if device == kind and name.startswith(head)
                  and name[len(head):].isdigit())


def _legend():
    out = []
    for number, (operation, kind, colour, dashes) in enumerate(LINES):
        x = 110 + 240 * number
        style = f'stroke="{colour}" stroke-width="2" ' \
                f'stroke-dasharray="{dashes}"'
        out.append(_line(x, HEIGHT - 22, x + 36, HEIGHT - 22, style))
        out.append(text(x + 44, HEIGHT - 18, f"{NAMES[operation]}, {kind}",
                        "start"))
    return out


def draw(path, figures, subtitle):
    """Writes the picture. figures: (figure, device kind) -> Figure."""
    curves = {(pages, *line): _points(figures, *line[:2], pages)
              for pages, _, _ in PANELS for line in LINES}
    costs = [cost for points in curves.values() for _, cost in points]
    if not costs:
        return False
    decades = (math.floor(math.log10(min(costs))),
               math.ceil(math.log10(max(costs))))
    out = [text(WIDTH / 2, 24, "Guest instructions of one registration and "
                "deregistration, by size: " + subtitle, size=15)]
    for pages, title, left in PANELS:
        panel = _Panel(left, decades)
        out += panel.axes(title)
        for line in LINES:
            out += panel.curve(curves[(pages, *line)], *line[2:])
    svg(path, WIDTH, HEIGHT, out + _legend())
    return True

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The kernels that a guest can boot: Debian's kernels, which lab/pick-kernels chose
for the root image, and the lab's own kernels, which lab/kernels/build builds from
Linux's source.

A Debian kernel is named by its series, for example "6.12". If the archive had no
kernel of a range, BY_ROLE has the range (for example "7.2..7.3") instead of a
series, and missing() returns why no guest can boot it.
"""

import itertools
import os
import subprocess
import sys

OWN = ("debug", "kcsan", "gcov")

_LAB = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
_CHOSEN = "/etc/lab-kernels"


def _asked_for_help():
    """Whether the program that imports this module shall print its help."""
    words = itertools.takewhile(lambda word: word != "--", sys.argv)
    return not {"-h", "--help"}.isdisjoint(words)


def _make_image(setup):
    """Makes the root image by the program setup, but not for a help text: lab/vm then
    lists no kernels, and the others exit. Returns whether there is an image now."""
    if _asked_for_help():
        if os.path.basename(sys.argv[0]) == "vm":
            return False
        sys.exit("lab: error: the options depend on the root image: run lab/setup first")
    status = subprocess.run([setup], check=False).returncode
    if status:
        sys.exit(status)
    return True


def _chosen():
    """The lines that lab/pick-kernels printed, each as a list of words; none if there is
    no root image."""
    path = _CHOSEN
    if not os.path.exists(path):        # this program runs on the host
        setup = os.path.join(_LAB, "setup")
        root = subprocess.run([setup, "--print"], check=True, capture_output=True,
                              text=True).stdout.strip()
        if not os.path.isdir(root) and not _make_image(setup):
            return []
        path = root + _CHOSEN
    with open(path, encoding="ascii") as file:
        return [line.split() for line in file]


_LINES = _chosen()
_KERNELS = [line for line in _LINES if line[0] != "source"]

# series -> release of each Debian kernel in the image, newest first
DEBIAN = {series: release for _, series, release in _KERNELS
          if release != "missing"}
# "stable", "backports" -> series of that kernel, or the range if there is no kernel
BY_ROLE = {role: name for role, name, _ in _KERNELS if role != "older"}
OLDER = [series for role, series, _ in _KERNELS if role == "older"]
# the series in DEBIAN, and the ranges of which there is no kernel
ALL = [name for _, name, _ in _KERNELS]
DEFAULT = next(iter(DEBIAN), None)


def no_source():
    """The reason why the image has no source of Linux; None if it has one."""
    return next((f"the archive had no source of Linux {name}"
                 for role, name, release in _LINES
                 if role == "source" and release == "missing"), None)


def missing(name):
    """The reason why no guest can boot the kernel with this name; None if guests can
    boot it."""
    if name in OWN:
        return no_source()
    return None if name in DEBIAN else f"the archive had no Linux {name}"

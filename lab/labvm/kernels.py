# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The kernels that a guest can boot: Debian's kernels, which lab/pick-kernels chose
for the root image, and the lab's own kernels, which lab/kernels/build builds from
Linux's source.

A Debian kernel is named by its series, for example "6.12". If the archive had no
kernel of a range, BY_ROLE has the range (for example "7.2..7.3") instead of a
series, and missing() returns why no guest can boot it.
"""

import os
import subprocess
import sys

OWN = ("debug", "kcsan", "gcov")

_LAB = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
_CHOSEN = "/etc/lab-kernels"


def _chosen():
    """The lines that lab/pick-kernels printed, each as a list of words. Exits if
    there is no root image."""
    path = _CHOSEN
    if not os.path.exists(path):        # this program runs on the host
        root = subprocess.run([os.path.join(_LAB, "setup"), "--print"],
                              check=True, capture_output=True, text=True)
        path = root.stdout.strip() + _CHOSEN
    try:
        with open(path, encoding="ascii") as file:
            return [line.split() for line in file]
    except FileNotFoundError:
        sys.exit("lab: error: there is no root image yet: run lab/setup")


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

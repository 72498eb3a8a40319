# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Which kernels a machine of the lab can boot: Debian's, which lab/pick-kernels
chose for the root image, and the lab's own, which are built from Linux's source.

A kernel of Debian is named by its series. A range of which the archive had no
kernel stands for that kernel: BY_ROLE has its name, and missing() tells why
nothing can run on it.
"""

import os
import subprocess
import sys

OWN = ("debug", "kcsan", "gcov")

_LAB = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
_CHOSEN = "/etc/lab-kernels"


def _chosen():
    """The lines of lab/pick-kernels, as words. Without an image that is the end."""
    path = _CHOSEN
    if not os.path.exists(path):        # outside of the image, and of a guest
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

# series -> release of what is in the image, the newest first
DEBIAN = {series: release for _, series, release in _KERNELS
          if release != "missing"}
# "stable", "backports" -> series, or the range of which there is no kernel
BY_ROLE = {role: name for role, name, _ in _KERNELS if role != "older"}
OLDER = [series for role, series, _ in _KERNELS if role == "older"]
# these, and the ranges of which there is no kernel
ALL = [name for _, name, _ in _KERNELS]
DEFAULT = next(iter(DEBIAN), None)


def no_source():
    """Why there is no source of Linux in the image; None if there is one."""
    return next((f"the archive had no source of Linux {name}"
                 for role, name, release in _LINES
                 if role == "source" and release == "missing"), None)


def missing(name):
    """Why no machine can boot the kernel of this name; None if one can."""
    if name in OWN:
        return no_source()
    return None if name in DEBIAN else f"the archive had no Linux {name}"

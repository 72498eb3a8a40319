# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Programs that tests start, and programs of the lab as modules."""

import importlib.machinery
import importlib.util
import subprocess
import sys

from lib.paths import LAB, TESTS


def hoard(regions, windows):
    """Starts hoard.py: a process that registers this number of regions of one huge
    page, binds this number of windows, prints a line, and waits to be killed."""
    return subprocess.Popen(
        [sys.executable, "-B", str(TESTS / "programs/hoard.py"), str(regions),
         str(windows)], stdout=subprocess.PIPE, text=True)


def load(name):
    """Imports a program of the directory lab/ as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(LAB / name))
    spec = importlib.util.spec_from_loader(name, loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module

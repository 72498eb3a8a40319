# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Directories of this checkout."""

import pathlib

TESTS = pathlib.Path(__file__).resolve().parents[1]
LAB = TESTS.parent
TOP = LAB.parent

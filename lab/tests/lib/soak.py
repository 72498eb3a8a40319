# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Chooses the short or long form of a test: `make check` runs the short forms, and
`make soak`, which sets XRDMA_SOAK, the long forms."""

import os


def soak(short, long):
    """@long in `make soak`, else @short."""
    return long if os.environ.get("XRDMA_SOAK") else short


def on(kernel, *values):
    """A parameter set (pytest.param) for a test that runs on @kernel, which is the name
    of a kernel, or "backports" or "stable" as in lab/packages. The test is skipped
    if the image has no such kernel."""
    import pytest
    from labvm import kernels as known
    name = known.BY_ROLE.get(kernel, kernel)
    reason = known.missing(name)
    return pytest.param(name, *values, marks=[
        pytest.mark.skip(reason=reason)] if reason else [])


def kernels(short):
    """Parameters for both of Debian's kernels in `make soak`, otherwise for the kernel
    @short."""
    return [on(kernel) for kernel in soak([short], ["stable", "backports"])]

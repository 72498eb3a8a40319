# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""How long tests run: `make check` takes their short forms, `make soak`, which
sets XRDMA_SOAK, the long ones."""

import os


def soak(short, long):
    """@long in `make soak`, else @short."""
    return long if os.environ.get("XRDMA_SOAK") else short


def on(kernel, *values):
    """What a test takes that runs on @kernel, which is the name of one, or
    "backports" or "stable" as in lab/packages. Skips it where there is none."""
    import pytest
    from labvm import kernels as known
    name = known.BY_ROLE.get(kernel, kernel)
    reason = known.missing(name)
    return pytest.param(name, *values, marks=[
        pytest.mark.skip(reason=reason)] if reason else [])


def kernels(short):
    """Both kernels of the distributions in `make soak`, else the one named."""
    return [on(kernel) for kernel in soak([short], ["stable", "backports"])]

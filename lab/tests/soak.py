# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""How long tests run: `make check` takes their short forms, `make soak`, which
sets XRDMA_SOAK, the long ones."""

import os


def soak(short, long):
    """@long in `make soak`, else @short."""
    return long if os.environ.get("XRDMA_SOAK") else short


def kernels(short):
    """Both kernels of the distributions in `make soak`, else the one named."""
    return soak([short], ["6.12", "7.2"])

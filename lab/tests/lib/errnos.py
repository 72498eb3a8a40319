# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Calls that must fail with an errno."""

import pytest


def errno_of(call, *args, **kwargs):
    """Calls call(), which must raise OSError. Returns its errno."""
    with pytest.raises(OSError) as failure:
        call(*args, **kwargs)
    return failure.value.errno


def fails(code, call, *args):
    """Calls call(), which must raise OSError with the errno @code."""
    with pytest.raises(OSError) as failure:
        call(*args)
    assert failure.value.errno == code, failure.value

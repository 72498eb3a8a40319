# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A device without any of its optional capabilities, as far as the driver can
tell: what needs one is not supported, and the rest works."""

import errno
import os

import pytest

from control import ask
from guest_faults import interfaces
from guest_recovery import gid_index, pingpong_once, rdma_name, set_up
from sweep import MOST, World
from sweep_verbs import FENCES, OTHERWISE, VERBS

ALL = {**VERBS, **FENCES}
ALWAYS = {"context", "doorbell_page", "pd", "reg_mr", "reg_dmabuf_mr", "rereg_mr",
          "create_cq", "create_deep_cq", "resize_cq", "modify_cq",
          "create_qp-RC", "modify_qp_rc", "query_qp", "hw_counters",
          "ethtool_statistics", "debugfs", "set_mtu"}


class NoFault:
    """All steps of a verb go well."""

    def arm(self, number):
        """Nothing will fail."""

    @staticmethod
    def disarm():
        """As that of the others."""
        return MOST


@pytest.fixture(scope="module")
def dev():
    ask(cmd="register_lie", register="CAPS", value=0)
    set_up()
    name = rdma_name()
    os.environ.update(XRDMA_DEV=name, XRDMA_GID_INDEX=gid_index(name),
                      XRDMA_NETDEV=interfaces()[0])
    from rc import Device
    return Device()


@pytest.mark.parametrize("name", ALL)
def test_what_needs_a_capability_is_not_supported(dev, name):
    _, code = World(dev, NoFault()).attempt(ALL[name], MOST)
    if name in ALWAYS or name.split("-")[0] in ALWAYS:
        assert code is None
    else:
        assert code in {errno.EOPNOTSUPP, *OTHERWISE.get(name, ())}


def test_data_comes_through(dev):
    assert pingpong_once()

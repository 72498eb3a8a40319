# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of a driver whose device reports no optional capability: a verb that needs
one is not supported, and all others work. Runs in a guest that host_capabilities.py
starts."""

import errno
import os
import subprocess

import pytest
from pyverbs.device import Context
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsRDMAError

from lib import binding, null_mr, phc, uverbs
from lib.control import ask
from lib.function import gid_index, pingpong_once, rdma_name, set_up
from lib.machine import PCI, interfaces
from lib.sweep import MOST, World
from lib.sweep_verbs import FENCES, VERBS

ALL = {**VERBS, **FENCES}
ALWAYS = {"context", "doorbell_page", "pd", "reg_mr", "reg_dmabuf_mr", "rereg_mr",
          "reg_moving_dmabuf_mr",
          "create_cq", "create_deep_cq", "resize_cq", "modify_cq",
          "create_qp-RC", "modify_qp_rc", "query_qp", "hw_counters",
          "ethtool_statistics", "debugfs", "set_mtu", "kernel-alloc_pd",
          "kernel-get_dma_mr", "kernel-create_cq", "kernel-create_qp_rc"}
# verbs whose setup needs a capability, so that the setup fails and not the verb
BEHIND = {"advise_mr", "mmap_dm", "reg_dm_mr", "create_xrc_srq", "modify_srq-1",
          "modify_srq-2", "query_srq", "create_qp_xrc_recv", "modify_qp_ud",
          "attach_mcast", "modify_wq", "create_rwq_ind_table", "create_qp_rss",
          "create_flow", "kernel-modify_qp"}
# verb -> the only errno that the core returns for it
NO_MEMORY = {"bind_counter": errno.ENOMEM}


class NoFault:
    """No fault: all steps of a verb succeed."""

    def arm(self, number):
        """Does nothing."""

    @staticmethod
    def disarm():
        """See disarm() in lib/sweep.py."""
        return MOST


@pytest.fixture(scope="module")
def dev():
    ask(cmd="register_lie", register="CAPS", value=0)
    set_up()
    name = rdma_name()
    os.environ.update(XRDMA_DEV=name, XRDMA_GID_INDEX=gid_index(name),
                      XRDMA_NETDEV=interfaces()[0])
    from labverbs.rc import Device
    return Device()


@pytest.mark.parametrize("name", sorted({*ALL} - BEHIND))
def test_what_needs_a_capability_is_not_supported(dev, name):
    world = World(dev, NoFault())
    _, code = world.attempt(ALL[name], MOST)
    assert world.left is not None, "the call itself was not reached"
    if name in ALWAYS or name.split("-")[0] in ALWAYS:
        assert code is None
    else:
        assert code == NO_MEMORY.get(name, errno.EOPNOTSUPP)


def test_null_regions_are_not_offered(dev):
    with null_mr.domain(dev.name) as (_, ctx, pd), \
            pytest.raises(OSError) as failure:
        null_mr.alloc_null_mr(ctx, pd)
    assert failure.value.errno == errno.EOPNOTSUPP


def test_frames_are_left_to_the_kernel(dev):
    """The device does no work for frames, and pause, which it does not have, stays off."""
    net = interfaces()[0]
    shown = subprocess.run(["ethtool", "-k", net], check=True, capture_output=True,
                           text=True).stdout
    for name in "rx-checksumming", "rx-vlan-offload", "rx-gro-hw":
        assert f"{name}: off [fixed]\n" in shown
    for line, code in ("-A {} tx on", 1), ("-A {} tx off", 0):
        done = subprocess.run(["ethtool", *line.format(net).split()], check=False,
                              capture_output=True)
        assert bool(done.returncode) == bool(code), done.stderr


def test_frames_have_time_stamps_of_the_kernel_only(dev):
    """There is no PTP hardware clock, and the settings of time stamps are refused."""
    net = interfaces()[0]
    shown = subprocess.run(["ethtool", "-T", net], check=True, capture_output=True,
                           text=True).stdout
    assert "software-transmit" in shown and "hardware-" not in shown
    assert not list((PCI / "ptp").glob("*"))
    phc.NETDEV = net
    for request in (phc.SIOCGHWTSTAMP, phc.SIOCSHWTSTAMP):
        with pytest.raises(OSError) as failure:
            phc.hwtstamp(request)
        assert failure.value.errno == errno.EOPNOTSUPP


def test_the_clock_of_completions_cannot_be_read(dev):
    with pytest.raises(PyverbsRDMAError) as failure:
        dev.ctx.query_rt_values_ex()
    assert failure.value.error_code == errno.EOPNOTSUPP


def test_data_comes_through(dev):
    assert pingpong_once()


def test_a_dma_buf_that_could_move_is_pinned(dev):
    """Without on-demand paging, the memory is mapped by registration, and does not
    move."""
    from lib.dmabuf import Exporter, Moving, Region
    pd, exporter = PD(dev.ctx), Exporter()
    buf = Moving(exporter, 16 * 4096)
    region = Region(dev, pd, buf)
    assert region.details()["drv_kind"] == "dmabuf"
    assert buf.counts().pinned and not buf.can_move()
    region.close()
    assert not buf.counts().pinned and buf.can_move()
    for thing in (pd, buf, exporter):
        thing.close()


MW_TYPE_1, MW_TYPE_2A, MW_TYPE_2B = 2, 4, 8
WINDOWS = 1 << 17 | 1 << 23 | 1 << 24     # of ibv_device_cap_flags: 1, 2A, 2B


@pytest.mark.parametrize("type_2", [MW_TYPE_2A, MW_TYPE_2B])
def test_windows_of_type_2_need_fast_registration(dev, type_2):
    """The driver offers type 2 windows only together with fast registration, which
    includes LOCAL_INV."""
    ask(cmd="register_lie_clear")
    ask(cmd="register_lie", register="CAPS", value=MW_TYPE_1 | type_2)
    for file in "unbind", "bind":
        binding.write(binding.DRIVER / file, PCI.name)
    ctx = Context(name=rdma_name())
    flags = ctx.query_device().device_cap_flags
    assert flags & WINDOWS == 1 << 17
    pd = PD(ctx)
    uverbs.dealloc_mw(ctx, uverbs.alloc_mw(ctx, pd, 1)[0])
    with pytest.raises(OSError) as failure:
        uverbs.alloc_mw(ctx, pd, 2)
    assert failure.value.errno == errno.EOPNOTSUPP
    pd.close()
    ctx.close()

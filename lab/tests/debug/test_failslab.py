# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Every allocation of the driver fails once, one at a time, alone or with all that
follow: those of each verb of processes and of the kernel, of the end of each
object, of the network device and of probe. The caller must get an error, nothing
may be lost, and the next call must work.

Runs in a guest of `lab/vm run --kernel debug`, which has fault injection and the
checkers of DMA and of leaks. The short form lets some verbs of each kind fail, and
only some of the allocations of a verb that has many.
"""

import errno
import os
import pathlib

import pytest

from lib import binding, sweep_ops
from lib.control import ask
from lib.holdings import (DEBUG, OBJECTS, device_objects, holdings, mappings,
                          settled)
from lib.soak import soak
from lib.sweep import AllocationFault, Fragmented, World, sweep
from lib.sweep_verbs import FENCES, KVERBS, OTHERWISE, VERBS, load_kverbs

ALL = {**VERBS, **FENCES}
UP = 1              # IFF_UP
NO_RESOURCE = 6     # XRDMA_CMD_NO_RESOURCE
OK = {None, errno.ENOMEM}
# limit of failing allocations for a verb, and for calls with thousands of them
MOST, FEW = soak(20, 200), soak(6, 200)
# verbs of the short form; their regions are small, since this kernel checks each mapping
SOME = ("context", "reg_mr-page", "reg_mr_paged", "advise_mr", "resize_cq",
        "create_qp-RC", "create_flow", "kernel-alloc_mr", "kernel-create_qp_rc")
FEWER = ("reg_mr-page", "create_qp-RC", "kernel-create_qp_rc")
# verbs that may succeed in each call: the driver allocates nothing, or only a table
# that it then keeps, or the caller ignores the failure
FRUGAL = {"pd", "xrcd", "alloc_mw-1", "alloc_mw-2", "modify_cq", "modify_srq-2",
          "query_srq", "create_qp_xrc_recv", "modify_qp_rc", "modify_qp_ud",
          "query_qp", "attach_mcast", "create_ah", "modify_wq",
          "create_rwq_ind_table", "ethtool_statistics", "set_mtu", "rereg_mr-2",
          "rereg_mr-4", "kernel-alloc_pd", "kernel-modify_qp",
          "kernel-create_ah"}


@pytest.fixture(scope="module", autouse=True)
def few_buffers():
    """holdings() has fewer mappings to count, and more of the failing allocations of
    test_opening_the_network_device() are others than those of pages."""
    binding.few_buffers(os.environ["XRDMA_NETDEV"])


@pytest.fixture(scope="module")
def fault():
    return AllocationFault()


@pytest.fixture(scope="module")
def lasting():
    return AllocationFault(lasting=True)


def check(dev, world, name, allowed, rng):
    """Sweeps a verb, and checks that nothing is held afterwards. Repeats the sweep,
    since key tables may grow in the first sweep, while a leak happens each time."""
    for _ in range(3):
        before = holdings(dev)
        outcomes = sweep(world, ALL[name], MOST, rng)
        after = holdings(dev)
        if after == before:
            break
    print(f"{name}: {len(outcomes)} of {max(outcomes, default=0)} failed, "
          f"{sorted(map(str, set(outcomes.values())))}")
    assert set(outcomes.values()) <= allowed
    assert after == before or settled(dev, before) == before
    return outcomes


def check_verb(dev, world, name, rng):
    outcomes = check(dev, world, name, {*OK, *OTHERWISE.get(name, ())}, rng)
    assert errno.ENOMEM in outcomes.values() or name in FRUGAL


def test_each_operation_of_the_driver_is_swept_or_needs_no_memory():
    assert sweep_ops.operations() == sweep_ops.accounted()
    assert {verb for verb, _ in sweep_ops.SWEPT.values()} <= set(ALL)


@pytest.mark.parametrize("name", soak(SOME, ALL))
def test_each_allocation_of_a_verb_fails_once(dev, fault, rng, name):
    check_verb(dev, World(dev, fault), name, rng)


@pytest.mark.parametrize("name", soak(FEWER, ALL))
def test_each_allocation_of_a_verb_fails_with_all_that_follow(
        dev, lasting, rng, name):
    check_verb(dev, World(dev, lasting), name, rng)


@pytest.mark.parametrize("name", soak(FEWER, ALL))
def test_what_ends_does_not_depend_on_memory(dev, fault, rng, name):
    check(dev, World(dev, fault, ending=True), name, {None}, rng)


# ---- fragmented memory --------------------------------------------------------------

def test_the_largest_kernel_queues_need_single_pages_only(dev):
    """Allocations of more than one page fail in this test."""
    load_kverbs(dev)
    fragmented = Fragmented()
    before = holdings(dev)
    fragmented.arm()
    try:
        for verb in ("alloc_pd", "create_cq_largest", "create_srq_largest",
                     "create_qp_largest"):
            KVERBS.write_text(verb)
    finally:
        refused = fragmented.disarm()
        KVERBS.write_text("end")
    assert refused
    assert settled(dev, before) == before


# ---- the network device, probe ------------------------------------------------------

class Step:
    """A verb for a World that consists of a call and of another call that undoes
    it."""

    def __init__(self, call, undo):
        self.call, self.undo = call, undo

    def __call__(self, world):
        with world.fault:
            self.call()
        self.undo()


def test_opening_the_network_device(dev, fault, rng):
    flags = pathlib.Path(f"/sys/class/net/{os.environ['XRDMA_NETDEV']}/flags")
    up = int(flags.read_text(), 0) | UP

    def close():
        binding.write(flags, hex(up & ~UP))

    close()
    before = holdings(dev)
    outcomes = sweep(World(dev, fault),
                     Step(lambda: binding.write(flags, hex(up)), close), MOST,
                     rng)
    print(f"open: {len(outcomes)} of {max(outcomes)} failed")
    assert set(outcomes.values()) <= OK and errno.ENOMEM in outcomes.values()
    assert settled(dev, before) == before
    binding.write(flags, hex(up))


def nothing_held():
    return mappings(), device_objects(), os.listdir(DEBUG / "xrdma")


@pytest.fixture
def unbound():
    """Unbinds the driver from the device, and binds it again after the test."""
    binding.unbind()
    yield
    binding.again()


@pytest.mark.parametrize("lasting", soak([False], [False, True]))
def test_each_allocation_of_probe_fails_once(dev, rng, unbound, lasting):
    """Clients of the core allocate in probe too, and probe need not return their
    errors. Only allocations of the driver itself fail: when the core's own
    allocations fail, ib_cache_setup_one() leaks GIDs, and the kernel warns about an
    interrupt that has no directory in /proc."""
    fault = AllocationFault(direct=True, lasting=lasting)
    before = nothing_held()
    assert before == (0, dict.fromkeys(OBJECTS, 0), [])
    probe = Step(binding.bind, binding.unbind)
    seen = []

    def step(world):
        probe(world)
        seen.append(nothing_held())

    outcomes = sweep(World(dev, fault), step, FEW, rng)
    print(f"probe: {len(outcomes)} of {max(outcomes)} failed, "
          f"{sorted(map(str, set(outcomes.values())))}")
    # the PCI core returns EBUSY for each failure to request a BAR
    assert set(outcomes.values()) <= {*OK, errno.EBUSY}
    assert errno.ENOMEM in outcomes.values()
    assert nothing_held() == before
    assert seen == [before] * len(seen)


def test_a_probe_that_fails_late_leaves_nothing(unbound):
    """The netdev exists and is not registered when its first command fails. kmemleak
    finds at the end of the run what remains."""
    before = nothing_held()
    ask(cmd="command_fault", kind="fail", opcode="QUERY_PORT", status=NO_RESOURCE)
    try:
        with pytest.raises(OSError):
            binding.bind()
    finally:
        ask(cmd="command_faults_clear")
    assert nothing_held() == before

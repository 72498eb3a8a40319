# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Sweeps of failures: calls a verb once for each of its steps, and makes that step
fail. A step is an allocation of the driver, or a command to the device.

The verbs are in sweep_verbs.py. sweep_ops.py checks that none is missing.
"""

import contextlib
import functools
import os
import pathlib

from pyverbs.pyverbs_error import PyverbsRDMAError

from lib.control import ask

MOST = 10000        # more steps than any verb has


class CommandFault:
    """A fault: the device refuses the nth command with a status."""

    def __init__(self, status):
        self.status = status

    def arm(self, number):
        ask(cmd="command_fault", kind="fail", opcode="any", skip=number - 1,
            status=self.status)

    @staticmethod
    def disarm():
        """The number of steps that were missing for the fault; 0: the fault
        happened."""
        return ask(cmd="command_faults_clear")["left"]


@functools.cache
def symbols():
    """Yields (address, name, module in brackets or "") for each symbol of the kernel's
    code."""
    rows = (line.split() for line in open("/proc/kallsyms"))
    return [(int(row[0], 16), row[2], "".join(row[3:]))
            for row in rows if row[1] in "tT"]


def module(name):
    """The address range of a module's code: the first address, and the one after the
    last."""
    code = [address for address, _, where in symbols() if where == f"[{name}]"]
    return min(code), max(code) + 16


def function(name):
    """The address range of a function; 0, 0 if there is no such function."""
    first = next((address for address, other, _ in symbols() if other == name),
                 None)
    if first is None:
        return 0, 0
    return first, min(address for address, *_ in symbols() if address > first)


class AllocationFault:
    """A fault: the nth allocation of the driver in this thread fails. Allocations of
    DMA-API debugging never fail, since it would then switch itself off.

    @direct: only allocations that the driver itself makes fail: the driver is within
    a few frames of the call stack, and no function of the RDMA core is between
    @lasting: the allocations after the nth fail too, such as the second attempt of
    kvmalloc()"""

    DEBUG = pathlib.Path("/sys/kernel/debug")
    # kind of fault injection -> the largest stack depth for @direct
    KINDS = {"failslab": 8, "fail_page_alloc": 12}

    def __init__(self, direct=False, lasting=False):
        for kind in self.KINDS:
            self._confine(self.DEBUG / kind, direct)
        self._nth = os.open("/proc/thread-self/fail-nth", os.O_RDWR)
        self._lasting = lasting
        pathlib.Path("/proc/thread-self/make-it-fail").write_text("1")

    def _confine(self, path, direct):
        first, end = module("xrdma")
        spared = module("ib_core") if direct else function("add_dma_entry")
        for name, value in (("probability", 0), ("times", -1), ("verbose", 0),
                            ("ignore-gfp-wait", "N"), ("task-filter", "Y"),
                            ("stacktrace-depth",
                             self.KINDS[path.name] if direct else 32),
                            ("min-order", 0),
                            ("ignore-gfp-highmem", "N"),
                            ("require-start", hex(first)),
                            ("require-end", hex(end)),
                            ("reject-start", hex(spared[0])),
                            ("reject-end", hex(spared[1]))):
            knob = path / name
            if knob.exists() or name.startswith(("require", "reject")):
                knob.write_text(f"{value}\n")

    def _afterwards(self, probability):
        """Sets the probability in percent that an allocation after the nth fails."""
        for kind in self.KINDS if self._lasting else ():
            (self.DEBUG / kind / "probability").write_text(f"{probability}\n")

    def arm(self, number):
        os.pwrite(self._nth, b"%d" % number, 0)
        self._afterwards(100)

    def disarm(self):
        """See CommandFault.disarm()."""
        self._afterwards(0)
        left = int(os.pread(self._nth, 20, 0))
        os.pwrite(self._nth, b"0", 0)
        return left


class AnyFault:
    """A fault: allocations of the driver fail, in any thread, after a number of bytes
    (of pages for fail_page_alloc) was allocated. An AllocationFault must exist, which
    limits the fault to the driver."""

    def __init__(self, kind):
        self.path, self._times = AllocationFault.DEBUG / kind, 0

    def _set(self, **values):
        for name, value in values.items():
            (self.path / name).write_text(f"{value}\n")

    def arm(self, space, times=1, probability=100):
        self._times = times
        self._set(**{"task-filter": "N"}, space=space, times=times,
                  interval=1, probability=probability)

    def disarm(self):
        """Ends the fault. Returns whether an allocation failed."""
        left = int((self.path / "times").read_text())
        self._set(probability=0, times=-1, space=0)
        return left < self._times


class Fragmented(AllocationFault):
    """A fault: from arm() to disarm(), the driver's allocations of more than one page
    in this thread fail."""

    PAGES = AllocationFault.DEBUG / "fail_page_alloc"

    def _set(self, probability, min_order, times):
        for name, value in (("probability", probability), ("times", times),
                            ("min-order", min_order)):
            (self.PAGES / name).write_text(f"{value}\n")

    def arm(self, _number=0):
        self._set(100, 1, MOST)

    def disarm(self):
        """The number of allocations that failed."""
        left = int((self.PAGES / "times").read_text())
        self._set(0, 0, -1)
        return MOST - left


class World:
    """The environment of a verb: .dev, .ctx, and .fault, a context manager for the
    call that may fail. Objects that the verb passes to keep() are closed after it, in
    reverse order.

    @ending: the faults are in the calls that close kept objects, not in the verb"""

    def __init__(self, dev, fault, ending=False):
        self.dev, self.ctx, self._fault = dev, dev.ctx, fault
        self.stack, self.number, self.left = None, None, None
        self._ending = ending

    def keep(self, thing):
        self.stack.callback(thing.close)
        return thing

    def later(self, call, *args):
        self.stack.callback(call, *args)

    def _arm(self):
        self._fault.arm(self.number)

    def _disarm(self):
        self.left = self._fault.disarm()

    @property
    @contextlib.contextmanager
    def fault(self):
        """Arms the fault for the code inside of this context or, if @ending, for the
        calls that close kept objects."""
        if self._ending:
            self.later(self._disarm)
            yield
            self.later(self._arm)
            return
        self._arm()
        try:
            yield
        finally:
            self._disarm()

    def attempt(self, verb, number):
        """Calls the verb while its step of this number fails. Returns whether the
        verb has that many steps, and the errno of the call, or None."""
        self.number, self.left = number, None
        code = None
        with contextlib.ExitStack() as self.stack:
            try:
                verb(self)
            except OSError as err:
                code = err.errno
            except PyverbsRDMAError as err:
                code = err.error_code
        return self.left == 0, code


def sweep(world, verb, most=MOST, rng=None):
    """Calls the verb once for each step, which fails, and once more without a failure.
    If the verb has more than @most steps, only @most of them fail: half of these
    are the first steps, and @rng chooses the others. Returns the outcomes by step:
    errno or None."""
    total = count(world, verb)
    steps = range(1, total + 1)
    if total > most:
        steps = [*range(1, most // 2 + 1),
                 *rng.sample(range(most // 2 + 1, total + 1), most // 2)]
    outcomes = {}
    for number in steps:
        hit, code = world.attempt(verb, number)
        if hit:
            outcomes[number] = code
    hit, code = world.attempt(verb, MOST)
    assert not hit and code is None, code and os.strerror(code)
    return outcomes


def count(world, verb):
    """The number of steps of a verb."""
    hit, code = world.attempt(verb, MOST)
    assert world.left, "the call itself was not reached"
    assert not hit and code is None, code and os.strerror(code)
    return MOST - world.left

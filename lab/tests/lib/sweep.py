# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Sweeps of failures: a verb is called again and again, and each time the next
of its steps fails, until a call has none left that did. A step is an allocation
of the driver, or a command to the device.

Must not know: which verbs there are (sweep_verbs.py).
"""

import contextlib
import functools
import os
import pathlib

from pyverbs.pyverbs_error import PyverbsRDMAError

from lib.control import ask

MOST = 10000        # more steps than any verb has


class CommandFault:
    """The device refuses the nth command from now on with a status."""

    def __init__(self, status):
        self.status = status

    def arm(self, number):
        ask(cmd="command_fault", kind="fail", opcode="any", skip=number - 1,
            status=self.status)

    @staticmethod
    def disarm():
        """How many steps it would have taken more; 0: it came to that."""
        return ask(cmd="command_faults_clear")["left"]


@functools.cache
def symbols():
    """Of all code of the kernel: (address, name, module in brackets or "")."""
    rows = (line.split() for line in open("/proc/kallsyms"))
    return [(int(row[0], 16), row[2], "".join(row[3:]))
            for row in rows if row[1] in "tT"]


def module(name):
    """Where its code is: the first address, and one behind."""
    code = [address for address, _, where in symbols() if where == f"[{name}]"]
    return min(code), max(code) + 16


def function(name):
    """The same of a function; 0, 0: there is none."""
    first = next((address for address, other, _ in symbols() if other == name),
                 None)
    if first is None:
        return 0, 0
    return first, min(address for address, *_ in symbols() if address > first)


class AllocationFault:
    """The nth allocation of the driver in this thread fails; but not those of the
    checker of DMA, which switches itself off then.

    @direct: it is the driver's own: few calls away, and none of the RDMA core in
    between
    @lasting: those that follow fail too, such as the second try of kvmalloc()"""

    DEBUG = pathlib.Path("/sys/kernel/debug")
    # each with how many calls away is few
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
        """Of a failure once the nth has failed, in percent."""
        for kind in self.KINDS if self._lasting else ():
            (self.DEBUG / kind / "probability").write_text(f"{probability}\n")

    def arm(self, number):
        os.pwrite(self._nth, b"%d" % number, 0)
        self._afterwards(100)

    def disarm(self):
        """As that of CommandFault."""
        self._afterwards(0)
        left = int(os.pread(self._nth, 20, 0))
        os.pwrite(self._nth, b"0", 0)
        return left


class Fragmented(AllocationFault):
    """From arm() to disarm() the driver gets no memory in this thread in pieces
    of more than one page."""

    PAGES = AllocationFault.DEBUG / "fail_page_alloc"

    def _set(self, probability, min_order, times):
        for name, value in (("probability", probability), ("times", times),
                            ("min-order", min_order)):
            (self.PAGES / name).write_text(f"{value}\n")

    def arm(self, _number=0):
        self._set(100, 1, MOST)

    def disarm(self):
        """How many pieces it did not get."""
        left = int((self.PAGES / "times").read_text())
        self._set(0, 0, -1)
        return MOST - left


class World:
    """What a verb finds: .dev, .ctx, and .fault, which is to surround the call
    that may fail. What it keeps is closed behind it, last things first.

    @ending: not the call may fail, but what closes things that it kept."""

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
        """What is done or, if @ending, what closes it, may fail."""
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
        """Calls the verb while its step of this number fails. Returns whether
        it has so many, and the errno that came of it, or None."""
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
    """Lets each step of the verb fail once, and calls it once more. Of a verb
    with more than @most steps only so many fail: the first half of them, and
    others that @rng draws. Returns the outcomes, errno or None, by step."""
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
    """How many steps a verb has."""
    hit, code = world.attempt(verb, MOST)
    assert world.left, "the call itself was not reached"
    assert not hit and code is None, code and os.strerror(code)
    return MOST - world.left

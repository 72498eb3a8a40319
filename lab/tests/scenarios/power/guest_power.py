# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Errors of PCI Express, which the port above the device reports to the kernel, and
sleep through all of its phases but the last, in which the machine would lose power.
Prints its findings as lines of JSON, which host_power.py judges. Runs in guests
that host_power.py starts.

Usage: guest_power.py SCENARIO
"""

import pathlib
import subprocess
import sys
import time

sys.path[:0] = [str(path) for path in pathlib.Path(__file__).parents[2:4]]

from lib.control import ask, fail  # noqa: E402
from lib.function import rdma_name  # noqa: E402
from lib.machine import PATIENCE, Log, report, run  # noqa: E402
from lib.opener import Opener  # noqa: E402
from lib.outage import Traffic, finish, start, trouble  # noqa: E402
from lib.ringer import Ringer  # noqa: E402

POWER = pathlib.Path("/sys/power")
DELAY = pathlib.Path("/sys/module/suspend/parameters/pm_test_delay")
# Messages of the kernel after it has handled an error
CORRECTED, RECOVERED = "Correctable error", "device recovery successful"


class Watch:
    """A process that waits for events of the device."""

    def __init__(self):
        self._child = subprocess.Popen(
            ["stdbuf", "-oL", "ibv_asyncwatch", "-d", rdma_name()],
            stdout=subprocess.PIPE, text=True)
        self._head = self._child.stdout.readline()

    def heard(self):
        """Ends the process if it has not ended by itself. Returns its output."""
        if self._child.poll() is None:
            time.sleep(0.2)
            self._child.kill()
        words = self._child.stdout.read()
        self._child.wait(PATIENCE)
        return words


# ---- events of the device --------------------------------------------------------

def bus_error(severity, end=RECOVERED):
    """Returns a function that causes a bus error of this severity and waits until the
    kernel has handled it."""
    def happen():
        log = Log()
        done = run("lab-device", severity)
        if done["status"] or log.wait_for(end) is None:
            sys.exit(f"no {severity} error: {done} {log.lines()}")
    return happen


def sleep(state, phase):
    """Returns a function that suspends the machine, which wakes up immediately after
    this phase of the suspension."""
    def happen():
        (POWER / "pm_test").write_text(phase)
        (POWER / "state").write_text(state)
    return happen


def sleep_dead():
    """The device reports a fatal error, then the machine is suspended."""
    ask(cmd="fatal")
    sleep("mem", "core")()


def wake_badly():
    """A command to the device fails when the machine resumes."""
    ask(**fail("CREATE_EQ"))
    sleep("mem", "core")()


def error_on_error():
    """The recovery from a bus error fails until there is a second bus error."""
    ask(**fail("CREATE_EQ"), count=3)
    bus_error("fatal")()
    bus_error("fatal")()


def correctable_and_fatal(traffic, opener):
    """A correctable error, of which users get no event, and then a fatal one."""
    log = Log()
    bus_error("correctable", CORRECTED)()
    time.sleep(1)
    report(name="correctable", errors=log.errors(),
           busy=[child.poll() for child in traffic.children])
    ringer = Ringer(rdma_name())
    bus_error("fatal")()
    report(name="doorbells", ended=ringer.stop())
    report(name="opener", **opener.findings())


def watched(name, happen, traffic=None):
    """Causes the event, and reports whether a process that waits for events got one."""
    watch = Watch()
    trouble(name, happen, traffic)
    report(name=f"{name} events", heard=watch.heard())


def troubles():
    """Runs all these scenarios without unloading the module in between."""
    DELAY.write_text("0")
    target = start()
    traffic = Traffic()
    watched("nonfatal", bus_error("nonfatal"))
    # before the traffic, beside which a process takes up to a minute to start
    opener = Opener(rdma_name())
    watched("fatal", lambda: correctable_and_fatal(traffic, opener), traffic)
    watched("error_on_error", error_on_error)
    watched("sleep", sleep("mem", "core"), traffic)
    watched("sleep_to_idle", sleep("freeze", "platform"))
    watched("sleep_dead", sleep_dead)
    watched("wake_badly", wake_badly)
    finish(target)


SCENARIOS = {function.__name__: function for function in (troubles,)}

if __name__ == "__main__":
    SCENARIOS[sys.argv[1]]()

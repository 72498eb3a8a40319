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
from lib.outage import Traffic, finish, start, trouble  # noqa: E402

POWER = pathlib.Path("/sys/power")
DELAY = pathlib.Path("/sys/module/suspend/parameters/pm_test_delay")
# What the kernel says when it has dealt with an error
CORRECTED, RECOVERED = "Correctable error", "device recovery successful"


class Watch:
    """A process that waits for events of the device."""

    def __init__(self):
        self._child = subprocess.Popen(
            ["stdbuf", "-oL", "ibv_asyncwatch", "-d", rdma_name()],
            stdout=subprocess.PIPE, text=True)
        self._head = self._child.stdout.readline()

    def heard(self):
        """Ends it, if it has not ended by itself. Returns its words."""
        if self._child.poll() is None:
            time.sleep(0.2)
            self._child.kill()
        words = self._child.stdout.read()
        self._child.wait(PATIENCE)
        return words


# ---- what happens to it ----------------------------------------------------------

def bus_error(severity, end=RECOVERED):
    """Returns what makes such an error, and waits until the kernel has dealt
    with it."""
    def happen():
        log = Log()
        done = run("lab-device", severity)
        if done["status"] or log.wait_for(end) is None:
            sys.exit(f"no {severity} error: {done} {log.lines()}")
    return happen


def sleep(state, phase):
    """Returns what makes the machine sleep, and wake up at once after this phase
    of falling asleep."""
    def happen():
        (POWER / "pm_test").write_text(phase)
        (POWER / "state").write_text(state)
    return happen


def sleep_dead():
    """It dies just before."""
    ask(cmd="fatal")
    sleep("mem", "core")()


def wake_badly():
    """A command fails when it wakes up."""
    ask(**fail("CREATE_EQ"))
    sleep("mem", "core")()


def error_on_error():
    """It does not come up after the first error until there was another one."""
    ask(**fail("CREATE_EQ"), count=3)
    bus_error("fatal")()
    bus_error("fatal")()


def correctable_and_fatal(traffic):
    """Nobody has to hear of the first one."""
    log = Log()
    bus_error("correctable", CORRECTED)()
    time.sleep(1)
    report(name="correctable", errors=log.errors(),
           busy=[child.poll() for child in traffic.children])
    bus_error("fatal")()


def watched(name, happen, traffic=None):
    """It happens, and all that listen for it hear of it."""
    watch = Watch()
    trouble(name, happen, traffic)
    report(name=f"{name} events", heard=watch.heard())


def troubles():
    """All in one life of the module."""
    DELAY.write_text("0")
    target = start()
    traffic = Traffic()
    watched("nonfatal", bus_error("nonfatal"))
    watched("fatal", lambda: correctable_and_fatal(traffic), traffic)
    watched("error_on_error", error_on_error)
    watched("sleep", sleep("mem", "core"), traffic)
    watched("sleep_to_idle", sleep("freeze", "platform"))
    watched("sleep_dead", sleep_dead)
    watched("wake_badly", wake_badly)
    finish(target)


SCENARIOS = {function.__name__: function for function in (troubles,)}

if __name__ == "__main__":
    SCENARIOS[sys.argv[1]]()

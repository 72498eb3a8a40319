# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A device that dies, is reset or loses its bus, and works again without help.
Prints its findings as lines of JSON, which host_recovery.py judges. Runs in guests
that host_recovery.py starts.

Usage: guest_recovery.py SCENARIO
"""

import pathlib
import random
import subprocess
import sys
import time

sys.path[:0] = [str(path) for path in pathlib.Path(__file__).parents[2:4]]

from lib.binding import DRIVER  # noqa: E402
from lib.control import ask, device_state, fail, hang, late, lie, repair  # noqa: E402
from lib.function import identity, pingpong, rdma_name, resources, set_up  # noqa: E402
from lib.machine import PATIENCE, PCI, Log, interfaces, report, run, settled  # noqa: E402
from lib.outage import (BACK, DEAD, GIVEN_UP, Traffic, finish, is_idle, start,  # noqa: E402
                        trouble)
from lib.soak import soak  # noqa: E402


# ---- the function, as its users see it -----------------------------------------


# ---- users of the device ---------------------------------------------------------


# ---- events of the device ----------------------------------------------------------

def reset():
    (PCI / "reset").write_text("1")


def touch():
    """Sends a command to the device, which triggers a fault that was requested."""
    run(*touch_args())


TOUCHES = 6         # least number of device commands of touch()


def touch_args():
    return ["ibv_rc_pingpong", "-d", rdma_name(), "-g", "0", "-n", "1",
            "nowhere"]


def provoke(request):
    def happen():
        ask(**request)
        touch()
    return happen


TROUBLES = {
    "fatal": lambda: run("xrdma-fault", "event", "--type", "device-fatal"),
    "wrong": provoke({"cmd": "command_fault", "kind": "wrong",
                      "opcode": "CREATE_CQ"}),
    "hang": provoke(hang("CREATE_QP")),
    "late": provoke(late("CREATE_CQ")),
    "reset": reset,
}


def blink():
    """One read of a register returns all ones."""
    log = Log()
    ask(**lie("STATUS", 0xffffffff), count=1)
    time.sleep(3)
    report(name="blink", errors=log.errors(), works=pingpong(time.monotonic()))


def gone():
    """The device reads as all ones until it is reset."""
    log = Log()
    ask(cmd="gone", on=True)
    noticed = log.wait_for(DEAD)
    time.sleep(2)
    left_alone = not any(BACK in text for _, text in log.lines())
    ask(cmd="gone", on=False)
    began = time.monotonic()
    reset()
    report(name="gone", noticed=noticed, left_alone=left_alone,
           errors=log.errors(), works=pingpong(began), identity=identity())


def again_and_again():
    """The device fails after each recovery, until the driver gives up. A reset on
    request must make it work again."""
    reset()
    pauses = []
    for _ in range(10):
        log = Log()
        ask(cmd="fatal")
        began = time.monotonic()
        settled(lambda log=log: any(BACK in text or GIVEN_UP in text
                                    for _, text in log.lines()), PATIENCE)
        if not any(BACK in text for _, text in log.lines()):
            break
        pauses.append(time.monotonic() - began)
    given_up, names = log.errors(), interfaces()
    began = time.monotonic()
    reset()
    report(name="given_up", pauses=pauses, errors=given_up, names=names,
           works=pingpong(began), identity=identity())


def bring_up(kind, fault, numbers):
    """For each command of the driver's start: the command fails or is not answered."""
    for number in numbers:
        log = Log()
        ask(**fault, skip=number)
        began = time.monotonic()
        reset()
        works = pingpong(began)
        left = ask(cmd="command_faults_clear")["left"]
        if left:
            report(name=f"{kind} end", commands=number)
            return
        report(name=f"{kind} {number}", works=works, identity=identity(),
               errors=log.errors())
    report(name=f"{kind} end", commands=None)


def hang_often(count):
    """Again and again, one random command of a process is not answered. The device is
    reset before each, since the driver would otherwise give up."""
    rng = random.Random(count)
    for number in range(count):
        reset()
        log = Log()
        ask(**hang("any"), skip=rng.randrange(TOUCHES))
        began = time.monotonic()
        with subprocess.Popen(touch_args(), stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL):
            noticed = log.wait_for(DEAD)
        works = pingpong(began)
        settled(is_idle)
        report(name=f"hung {number}", noticed=noticed, works=works,
               resources=resources(), errors=log.errors())


def unbound():
    """The driver is unbound while it recovers from a command that was not answered."""
    log = Log()
    ask(**hang("QUERY_DEVICE"))
    ask(cmd="fatal")
    log.wait_for(DEAD)
    time.sleep(1)
    began = time.monotonic()
    (DRIVER / "unbind").write_text(PCI.name)
    seconds = time.monotonic() - began
    left = interfaces()
    repair()
    (DRIVER / "bind").write_text(PCI.name)
    time.sleep(1)
    report(name="unbound", seconds=seconds, left=left, made=interfaces(),
           errors=log.errors())


def troubles():
    """Runs the scenarios without unloading the module in between."""
    target = start()
    traffic = Traffic()
    for name, happen in TROUBLES.items():
        trouble(name, happen, traffic)
    trouble("reset_idle", reset)
    blink()
    gone()
    finish(target)


def lives():
    target = start()
    again_and_again()
    bring_up("fail", fail("any", 6), soak(range(0, 1000, 5), range(1000)))
    bring_up("hang", hang("any"), soak([0, 5, 12], range(1000)))
    hang_often(2)
    finish(target)
    set_up()
    unbound()
    report(name="last", unload=run("modprobe", "-r", "xrdma"),
           device=device_state())


def hangs():
    target = start()
    hang_often(100)
    finish(target)


SCENARIOS = {function.__name__: function
             for function in (troubles, lives, hangs)}

if __name__ == "__main__":
    SCENARIOS[sys.argv[1]]()

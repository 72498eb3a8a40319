# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Disturbs a device that is in use, and collects findings: how the users of the device
ended, and whether the device works again. judge.py checks the findings."""

import subprocess
import sys
import time

from lib import nvmet
from lib.control import device_state
from lib.function import (ADDRESS, identity, pingpong, pingpong_args, resources,
                          set_up)
from lib.machine import PATIENCE, PORT, Log, listens, report, run, settled

DEAD, BACK, GIVEN_UP = "the device is dead", "works again", "is given up"
# the result of resources() while the device is not in use, set by start()
IDLE = None


class Traffic:
    """Processes and a disk of NVMe over Fabrics that use the device. A device that
    goes away ends the connections. The target listens on all addresses, and listens
    again without help when the device returns. A host that closed its connections
    before the device went away connects again without help."""

    def __init__(self):
        self.children = []
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._start = lambda *argv: self.children.append(
            subprocess.Popen(argv, **quiet))

    def begin(self):
        """Starts the disk's host and the processes. Returns the exit statuses of the
        processes, None for one that runs."""
        host = nvmet.Host(ADDRESS, "-i", "2", "-c", "1")
        self._start("sh", "-c", "while dd if=$0 of=/dev/null iflag=direct "
                    "bs=64k; do :; done", host.disks[0])
        endless = pingpong_args() + ["-n", "100000000", "-s", "65536"]
        rping = ["rping", "-a", ADDRESS, "-S", "4096"]
        self._start(*endless)
        self._start(*rping, "-s")
        if not settled(lambda: listens(PORT)):
            sys.exit("no pingpong")
        time.sleep(1)
        self._start(*endless, "localhost")
        self._start(*rping, "-c")
        time.sleep(2)
        return [child.poll() for child in self.children]

    def _disk(self):
        """The state of the host's disk: "read", "given up", or None if it is not known
        yet."""
        ended, controller = self.children[0].poll(), nvmet.controller()
        if ended is not None and not controller:
            return "given up"
        if ended is None and controller and \
                (controller / "state").read_text().strip() == "live":
            return "read"
        return None

    def end(self):
        """Ends the host and the processes. Returns the state of the disk, the exit
        statuses of the processes that get an error when the device fails (the reader
        of the disk and rping), and the seconds that it took to kill the other
        processes."""
        settled(self._disk, 30)
        disk = self._disk()
        if nvmet.controller():
            nvmet.Host.disconnect()
        notified = [child for child in self.children
                    if child.args[0] in ("sh", "rping")]
        settled(lambda: all(child.poll() is not None for child in notified), 30)
        statuses = [child.poll() for child in notified]
        began = time.monotonic()
        for child in self.children:
            child.kill()
        for child in self.children:
            child.wait(PATIENCE)
        self.children = []
        return {"disk": disk, "notified": statuses,
                "killed": time.monotonic() - began}


def disk_works():
    """Whether a new host finds the target and reads from its disk; a string if it
    fails."""
    try:
        with nvmet.Host(ADDRESS, "-i", "2") as host:
            return run("dd", f"if={host.disks[0]}", "of=/dev/null",
                       "iflag=direct", "bs=64k", "count=16")["status"] == 0
    except (OSError, TimeoutError) as err:
        return str(err)


def is_idle():
    """Whether ib_core knows of the same objects as when nobody used the device."""
    return resources() == IDLE


def trouble(name, happen, traffic=None):
    """Calls happen(), which disturbs the device, and waits until the device works
    again. Reports what was seen meanwhile as @name."""
    log = Log()
    findings = {"busy": traffic.begin()} if traffic else {}
    began = time.monotonic()
    happen()
    findings["noticed"] = log.wait_for(DEAD, 0.5)
    findings["works"] = pingpong(began)
    if traffic:
        findings["ended"] = traffic.end()
        findings["disk"] = disk_works()
    findings["idle"] = settled(is_idle)
    report(name=name, identity=identity(), resources=resources(),
           device=device_state(), errors=log.errors(),
           said=[text for _, text in log.lines() if "xrdma" in text],
           **findings)


def start():
    """Sets up the function and a target, and reports the state that each trouble()
    must return to. Returns the target."""
    global IDLE
    before = device_state()
    set_up()
    run("modprobe", "brd", "rd_nr=1", "rd_size=16384")
    target = nvmet.Target("0.0.0.0", ["/dev/ram0"])
    target.up()
    works = pingpong(time.monotonic())
    disk = disk_works()
    settled(lambda: nvmet.controller() is None)
    time.sleep(1)
    IDLE = resources()
    report(name="before", works=works, disk=disk, identity=identity(),
           resources=IDLE, device=before)
    return target


def finish(target):
    """Ends the target, unloads the module, and reports what the device holds then."""
    nvmet.Host.disconnect()
    target.down()
    for name in ("nvme-rdma", "nvmet-rdma"):
        run("modprobe", "-r", name)
    unload = run("modprobe", "-r", "xrdma")
    report(name="after", unload=unload, device=device_state())

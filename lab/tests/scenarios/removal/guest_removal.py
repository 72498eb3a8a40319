# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The device is removed under load, in each way that there is, and returns. Prints
one line of JSON for each removal, which host_removal.py judges. Runs in guests that
host_removal.py starts.

Usage: guest_removal.py SEED WAY...
"""

import glob
import json
import os
import pathlib
import random
import subprocess
import sys
import time

sys.path[:0] = [str(path) for path in pathlib.Path(__file__).parents[2:4]]

from lib.control import stats  # noqa: E402
from lib.loads import Loads, offer_disk  # noqa: E402
from lib.machine import Log, run  # noqa: E402

PATIENCE = 240.0        # time limit of each step in seconds
DRIVER = pathlib.Path("/sys/bus/pci/drivers/xrdma")
DEVICES = pathlib.Path("/sys/bus/pci/devices")


def wait_for(true, seconds=PATIENCE):
    """Waits until true() is true. Returns the seconds that it took, or None."""
    began = time.monotonic()
    while not true():
        if time.monotonic() - began > seconds:
            return None
        time.sleep(0.02)
    return time.monotonic() - began


def write(path, text):
    """Writes text to a file, with a time limit. Returns the error, "" if none."""
    done = run("sh", "-c", f"echo {text} >{path}", seconds=PATIENCE)
    return "" if done["status"] == 0 else done["words"] or str(done["status"])


def lab(word):
    done = run("lab-device", word, seconds=PATIENCE)
    return "" if done["status"] == 0 else done["words"]


# ---- the device ----------------------------------------------------------------

def function():
    """The PCI address of the device to which the driver is bound, "" if none."""
    return "".join(path.name for path in DRIVER.glob("*:*"))


def interfaces():
    """The names of the driver's network interface and RDMA device that exist."""
    found = glob.glob("/sys/bus/pci/drivers/xrdma/*/net/*") + \
        glob.glob("/sys/bus/pci/drivers/xrdma/*/infiniband/*")
    return [os.path.basename(path) for path in found]


def vectors():
    """The number of interrupts of the driver."""
    return sum("xrdma" in line for line in open("/proc/interrupts"))


def pinned():
    """The number of pages that are pinned."""
    # adds up the counters of all processors, which otherwise happens once a second
    pathlib.Path("/proc/sys/vm/stat_refresh").write_text("1")
    fields = dict(line.split() for line in open("/proc/vmstat"))
    return int(fields["nr_foll_pin_acquired"]) - \
        int(fields["nr_foll_pin_released"])


def device_holds():
    """The resources of the host that the device has. All numbers must be 0 when no
    driver is bound to the device."""
    found = stats()
    objects = [found["device"][kind] for kind in ("eqs", "cqs", "qps", "srqs")]
    return [found["dma"]["live"], found["msix"]["vectors_enabled"], *objects,
            int(found["device"]["enabled"])]


def resources():
    out = subprocess.run(["rdma", "-j", "resource", "show"], check=True,
                         capture_output=True, text=True).stdout
    row, = json.loads(out)
    return {kind: row[kind] for kind in ("pd", "cq", "qp", "mr", "srq", "ctx")}


def set_up():
    """Sets the addresses of the device and the environment, as lab/guest/init does.
    Returns whether the device has its interfaces and its GID."""
    names = os.environ
    names["XRDMA_PCI"] = function()
    made = interfaces()
    if len(made) != 2:
        return False
    names["XRDMA_NETDEV"], names["XRDMA_DEV"] = made
    here = ["dev", made[0]]
    run("ip", "link", "set", made[0], "mtu", "4500", "up")
    run("ip", "address", "replace", names["XRDMA_ADDR"] + "/24", *here)
    run("ip", "address", "replace", names["XRDMA_ADDR6"] + "/64", *here,
        "nodad")
    numbers = "{:02x}{:02x}:{:02x}{:02x}".format(
        *map(int, names["XRDMA_ADDR"].split(".")))
    done = run("lab-gid", made[1], f"0000:0000:0000:0000:0000:ffff:{numbers}")
    names["XRDMA_GID_INDEX"] = done["words"].strip()
    return done["status"] == 0


def pingpong():
    """Runs a ping-pong. Returns the output of the client if it fails, otherwise ""."""
    argv = ["ibv_rc_pingpong", "-d", os.environ["XRDMA_DEV"], "-g",
            os.environ["XRDMA_GID_INDEX"], "-c", "-n", "20"]
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL) as server:
        client = {"status": 1}
        until = time.monotonic() + PATIENCE
        while client["status"] and time.monotonic() < until and \
                server.poll() is None:
            client = run(*argv, "localhost")
        server.kill()
    return client["words"] if client["status"] else ""


# ---- ways of removal -------------------------------------------------------------

class Unbind:
    """The driver is unbound from the device."""

    leaves = True       # the device still exists, without a driver
    spares = ()         # names of loads that continue to run

    def take(self):
        """Starts the removal. Returns the error, or ""."""
        return write(DRIVER / "unbind", os.environ["XRDMA_PCI"])

    def gone(self):
        """Whether the removal has ended."""
        return not interfaces() and not vectors() and not function()

    def give(self):
        """Brings the device back. Returns the error, or ""."""
        return write(DRIVER / "bind", os.environ["XRDMA_PCI"])


class Remove(Unbind):
    """The device is removed by its file "remove" in sysfs."""

    def take(self):
        return write(DEVICES / os.environ["XRDMA_PCI"] / "remove", 1)

    def gone(self):
        return super().gone() and \
            not (DEVICES / os.environ["XRDMA_PCI"]).exists()

    def give(self):
        return write("/sys/bus/pci/rescan", 1)


class Unplug(Remove):
    """The button of the device's slot is pressed."""

    def take(self):
        return lab("unplug")

    def give(self):
        return lab("plug")


class Kill(Unplug):
    """The device process is killed, and later the button of the slot is pressed."""

    leaves = False

    def take(self):
        log = Log()
        return lab("kill") or \
            ("" if log.wait_for("the device is dead") else "nobody notices") or \
            lab("unplug")


class Unload(Unbind):
    """The module is unloaded."""

    def take(self):
        done = run("modprobe", "-r", "xrdma", seconds=PATIENCE)
        return "" if done["status"] == 0 else done["words"] or "it hangs"

    def gone(self):
        return not os.path.exists("/sys/module/xrdma") and not vectors()

    def give(self):
        done = run("modprobe", "-a", "xrdma", "ib_uverbs", "rdma_ucm")
        return "" if done["status"] == 0 else done["words"]


class Reset(Unbind):
    """The PCI function is reset. The driver stops and starts the device; the network
    interface stays."""

    leaves = False
    spares = ("frames",)

    def take(self):
        path = DEVICES / os.environ["XRDMA_PCI"]
        return write(path / "reset_method", "flr") or write(path / "reset", 1)

    def gone(self):
        return True     # the device is back when the reset has ended

    def give(self):
        return ""


WAYS = {"unbind": Unbind, "remove": Remove, "unplug": Unplug, "kill": Kill,
        "unload": Unload, "reset": Reset}


# ---- a round ----------------------------------------------------------------------

class Round:
    """One removal. before: the result of baseline()."""

    def __init__(self, name, before):
        self._way, self._before = WAYS[name](), before
        self._loads = Loads(PATIENCE)
        self.findings = {"name": name}

    def _freed(self):
        """Whether all resources of the loads are freed, while their processes run."""
        return pinned() == self._before["pinned"] and (
            not self._way.leaves or device_holds() == self._before["without"])

    def _note(self, **findings):
        self.findings.update(findings)

    def run(self, delay):
        """Removes the device after this many seconds of load, and brings it back."""
        log, began = Log(), time.monotonic()
        self._loads.start()
        self._note(started=time.monotonic() - began)
        time.sleep(delay)
        self._go_away()
        self._note(loads=self._loads.results(PATIENCE, self._way.spares))
        began = time.monotonic()
        self._note(stuck=self._loads.end(PATIENCE),
                   ended=time.monotonic() - began)
        self._come_back()
        self._note(idle=wait_for(lambda: is_idle(self._before["idle"]), 30),
                   before=self._before["idle"], left=idle(), errors=log.errors())

    def _go_away(self):
        began = time.monotonic()
        refused = self._way.take()
        self._note(refused=refused, taken=time.monotonic() - began)
        gone = wait_for(self._way.gone)
        freed = None if gone is None else wait_for(self._freed)
        self._note(gone=gone, freed=freed, all=time.monotonic() - began)
        if freed is None:
            self._note(pinned=pinned(), holds=device_holds())

    def _come_back(self):
        began = time.monotonic()
        self._note(denied=self._way.give(), there=wait_for(set_up))
        self._note(fails=pingpong(), works=time.monotonic() - began)


def idle():
    """The resources in use with a driver and without load."""
    return {"pinned": pinned(), "resources": resources(),
            "holds": device_holds()}


def is_idle(before):
    """Whether the resources in use are those of an earlier idle(). The number of DMA
    mappings may differ by one for each queue: a ring whose addresses behind the IOMMU are
    not contiguous needs a page with a table. A leak of fewer mappings is found when the
    driver is unbound, since none may be left then."""
    found, before = idle(), {**before}
    mappings, *objects = found.pop("holds")
    expected, *wanted = before.pop("holds")
    return (found, objects) == (before, wanted) and \
        abs(mappings - expected) <= sum(objects[1:-1])


def baseline():
    """The resources in use without load, with and without the driver."""
    before = {"pinned": pinned()}
    way = Unbind()
    way.take()
    wait_for(way.gone)
    before["without"] = device_holds()
    way.give()
    wait_for(set_up)
    pingpong()
    wait_for(lambda: pinned() == before["pinned"])
    before["idle"] = idle()
    return before


def main():
    rng = random.Random(int(sys.argv[1]))
    offer_disk()
    before = baseline()
    print(json.dumps({"name": "before", **before}), flush=True)
    for number, name in enumerate(sys.argv[2:]):
        one = Round(name, before)
        try:
            one.run(rng.uniform(0, 2))
        except (TimeoutError, RuntimeError, OSError) as err:
            one.findings["trouble"] = str(err)
        print(json.dumps({"number": number, **one.findings}), flush=True)
        if "trouble" in one.findings or one.findings.get("there") is None:
            break


if __name__ == "__main__":
    main()

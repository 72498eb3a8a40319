# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What host_recovery.py runs inside of its guests: a device that dies, is reset
or loses its bus or its power, and works again without anybody's help. Prints
lines of JSON, its findings by name; host_recovery.py judges.

Usage: guest_recovery.py SCENARIO
"""

import contextlib
import json
import pathlib
import random
import subprocess
import sys
import time

from guest_faults import (PATIENCE, PCI, PORT, Log, device_state, fail, hang,
                          interfaces, late, lie, listens, repair, report, run,
                          settled)

from lib import nvmet
from lib.control import ask
from lib.soak import soak

ADDRESS, ADDRESS6 = "192.168.77.1", "fd00:77::1"
MAC, MTU = "02:00:00:aa:bb:cc", 2000
DRIVER = pathlib.Path("/sys/bus/pci/drivers/xrdma")
DEAD, BACK, GIVEN_UP = "the device is dead", "works again", "is given up"


# ---- the function, as its users see it -----------------------------------------

def set_up():
    """Loads the module and sets what an administrator sets."""
    run("modprobe", "-a", "xrdma", "ib_uverbs", "rdma_ucm")
    net = interfaces()[0]
    for words in (f"link set {net} address {MAC}", f"link set {net} mtu {MTU}",
                  f"link set {net} up", f"addr add {ADDRESS}/24 dev {net}",
                  f"addr add {ADDRESS6}/64 dev {net} nodad"):
        done = run("ip", *words.split())
        if done["status"]:
            sys.exit(f"ip {words}: {done}")


def identity():
    """What must not change: the network device and what was set there, and the
    name of the RDMA device."""
    links = json.loads(subprocess.run(["ip", "-j", "addr"], check=True,
                                      capture_output=True, text=True).stdout)
    found = [path.name for path in (PCI / "net").glob("*")]
    link = next(link for link in links if link["ifname"] in found)
    return {"names": interfaces(), "index": link["ifindex"],
            "mac": link["address"], "mtu": link["mtu"],
            "up": "UP" in link["flags"],
            "addresses": sorted(addr["local"] for addr in link["addr_info"]
                                if addr["scope"] == "global")}


def rdma_name():
    found = list((PCI / "infiniband").glob("*"))
    return found[0].name if found else None


def gid_index(name):
    """Index of the GID of one of our addresses; None: there is none now."""
    want = ("0000:0000:0000:0000:0000:ffff:c0a8:4d01",
            "fd00:0077:0000:0000:0000:0000:0000:0001")
    gids = PCI / "infiniband" / name / "ports/1/gids"
    for number in range(16):
        with contextlib.suppress(OSError):
            if (gids / str(number)).read_text().strip() in want:
                return str(number)
    return None


def pingpong_args():
    """None: there is no device now."""
    name = rdma_name()
    index = name and gid_index(name)
    return index and ["ibv_rc_pingpong", "-d", name, "-g", index]


def pingpong_once():
    """Whether data goes from a process to another and back."""
    args = pingpong_args()
    if not args:
        return False
    args += ["-n", "10", "-c"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(args, **quiet) as server:
        try:
            while server.poll() is None and not listens(PORT):
                time.sleep(0.01)
            if server.poll() is not None:
                return False
            client = subprocess.run(args + ["localhost"], check=False,
                                    timeout=PATIENCE, **quiet)
            return client.returncode == 0 and server.wait(PATIENCE) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            server.kill()


def pingpong(began):
    """Seconds from then until data goes through; None: it never did."""
    while time.monotonic() < began + PATIENCE:
        if pingpong_once():
            return time.monotonic() - began
        time.sleep(0.05)
    return None


def resources():
    """What ib_core knows of, when nobody uses the device. A pool of it keeps
    completion queues for the next disk."""
    out = subprocess.run(["rdma", "resource", "show", "-j"], check=True,
                         capture_output=True, text=True).stdout
    return [{kind: row[kind] for kind in ("pd", "qp", "cm_id", "mr", "ctx",
                                          "srq")} for row in json.loads(out)]


# ---- those who use it ------------------------------------------------------------

class Traffic:
    """Processes and a disk behind NVMe over Fabrics, all of it in use. A device
    that goes away ends the connections; the target listens on all addresses,
    and does so again by itself on the device that comes. A host that has let go
    of its connections before the device goes, connects again by itself."""

    def __init__(self):
        self.children = []
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._start = lambda *argv: self.children.append(
            subprocess.Popen(argv, **quiet))

    def begin(self):
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
        """Whether it is read or given up; None: neither yet."""
        ended, controller = self.children[0].poll(), nvmet.controller()
        if ended is not None and not controller:
            return "given up"
        if ended is None and controller and \
                (controller / "state").read_text().strip() == "live":
            return "read"
        return None

    def end(self):
        """What became of the disk; how those ended who could hear of it, the
        reader of the disk and rping; and the seconds that it takes to kill the
        others."""
        settled(self._disk, 30)
        disk = self._disk()
        if nvmet.controller():
            nvmet.Host.disconnect()
        told = [child for child in self.children
                if child.args[0] in ("sh", "rping")]
        settled(lambda: all(child.poll() is not None for child in told), 30)
        statuses = [child.poll() for child in told]
        began = time.monotonic()
        for child in self.children:
            child.kill()
        for child in self.children:
            child.wait(PATIENCE)
        self.children = []
        return {"disk": disk, "told": statuses,
                "killed": time.monotonic() - began}


def disk_works():
    """Whether a host finds the target again, and reads."""
    try:
        with nvmet.Host(ADDRESS, "-i", "2") as host:
            return run("dd", f"if={host.disks[0]}", "of=/dev/null",
                       "iflag=direct", "bs=64k", "count=16")["status"] == 0
    except (OSError, TimeoutError) as err:
        return str(err)


# ---- what happens to it ------------------------------------------------------------

def reset():
    (PCI / "reset").write_text("1")


def touch():
    """A command that meets what waits for it."""
    run(*touch_args())


TOUCHES = 6         # commands that this takes at least


def touch_args():
    return ["ibv_rc_pingpong", "-d", rdma_name(), "-g", "0", "-n", "1",
            "nowhere"]


def provoke(request):
    def happen():
        ask(**request)
        touch()
    return happen


TROUBLES = {
    "fatal": lambda: ask(cmd="fatal"),
    "wrong": provoke({"cmd": "command_fault", "kind": "wrong",
                      "opcode": "CREATE_CQ"}),
    "hang": provoke(hang("CREATE_QP")),
    "late": provoke(late("CREATE_CQ")),
    "reset": reset,
}


def trouble(name, happen, traffic=None):
    """It happens, and is over without anybody's help."""
    log = Log()
    findings = {"busy": traffic.begin()} if traffic else {}
    began = time.monotonic()
    happen()
    findings["noticed"] = log.wait_for(DEAD, 0.5)
    findings["works"] = pingpong(began)
    if traffic:
        findings["ended"] = traffic.end()
        findings["disk"] = disk_works()
    findings["idle"] = settled(lambda: resources() == IDLE)
    report(name=name, identity=identity(), resources=resources(),
           device=device_state(), errors=log.errors(),
           said=[text for _, text in log.lines() if "xrdma" in text],
           **findings)


IDLE = None


def start():
    """Everything is as it shall be again after each trouble."""
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
    """The module is unloaded for the first time."""
    nvmet.Host.disconnect()
    target.down()
    for name in ("nvme-rdma", "nvmet-rdma"):
        run("modprobe", "-r", name)
    unload = run("modprobe", "-r", "xrdma")
    report(name="after", unload=unload, device=device_state())


def blink():
    """One read of a register is lost."""
    log = Log()
    ask(**lie("STATUS", 0xffffffff), count=1)
    time.sleep(3)
    report(name="blink", errors=log.errors(), works=pingpong(time.monotonic()))


def gone():
    """It is gone, and comes back when it is reset."""
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
    """It dies in each of its lives, until it is given up; but not by us."""
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
    """Each command of a start fails, or is never answered."""
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
    """Each time another command of a process is not answered. A reset before
    each, or the device would be given up."""
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
        settled(lambda: resources() == IDLE)
        report(name=f"hung {number}", noticed=noticed, works=works,
               resources=resources(), errors=log.errors())


def unbound():
    """The driver goes while it recovers from a command that hangs."""
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
    """All in one life of the module, but for the end."""
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

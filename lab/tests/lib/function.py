# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The PCI function as its users see it: how an administrator sets it up, which
properties must be the same after a recovery, and whether a ping-pong works. binding.py
binds and unbinds the driver."""

import contextlib
import json
import subprocess
import sys
import time

from lib.machine import PATIENCE, PCI, PORT, interfaces, listens, run

ADDRESS, ADDRESS6 = "192.168.77.1", "fd00:77::1"
MAC, MTU = "02:00:00:aa:bb:cc", 2000


def set_up():
    """Loads the module, and gives the network interface its addresses and MTU."""
    run("modprobe", "-a", "xrdma", "ib_uverbs", "rdma_ucm")
    net = interfaces()[0]
    for words in (f"link set {net} address {MAC}", f"link set {net} mtu {MTU}",
                  f"link set {net} up", f"addr add {ADDRESS}/24 dev {net}",
                  f"addr add {ADDRESS6}/64 dev {net} nodad"):
        done = run("ip", *words.split())
        if done["status"]:
            sys.exit(f"ip {words}: {done}")


def identity():
    """The properties that a recovery must not change: the network interface, its
    settings, and the name of the RDMA device."""
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
    """The name of the RDMA device; None if there is none now."""
    found = list((PCI / "infiniband").glob("*"))
    return found[0].name if found else None


def gid_index(name):
    """The index of the GID of one of the addresses of set_up(); None if there is none
    now."""
    want = ("0000:0000:0000:0000:0000:ffff:c0a8:4d01",
            "fd00:0077:0000:0000:0000:0000:0000:0001")
    gids = PCI / "infiniband" / name / "ports/1/gids"
    for number in range(16):
        with contextlib.suppress(OSError):
            if (gids / str(number)).read_text().strip() in want:
                return str(number)
    return None


def pingpong_args():
    """The command line of a ping-pong; None if there is no device now."""
    name = rdma_name()
    index = name and gid_index(name)
    return index and ["ibv_rc_pingpong", "-d", name, "-g", index]


def pingpong_once():
    """Runs a ping-pong of two processes. Returns whether both succeed."""
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
    """Repeats pingpong_once() until it succeeds. Returns the seconds since @began, or
    None if it never succeeds."""
    while time.monotonic() < began + PATIENCE:
        if pingpong_once():
            return time.monotonic() - began
        time.sleep(0.05)
    return None


def resources():
    """The number of objects of each kind in ib_core. Completion queues are left out,
    because ib_core keeps unused ones in a pool."""
    out = subprocess.run(["rdma", "resource", "show", "-j"], check=True,
                         capture_output=True, text=True).stdout
    return [{kind: row[kind] for kind in ("pd", "qp", "cm_id", "mr", "ctx",
                                          "srq")} for row in json.loads(out)]

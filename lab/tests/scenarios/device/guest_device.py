# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Scenarios with a broken device. Each prints its findings as one line of JSON,
which host_device.py judges. Runs in guests that host_device.py starts.

Usage: guest_device.py SCENARIO...

Of several scenarios, each but the first loads the module, and each reports "after" when
its faults have been ended.
"""

import contextlib
import glob
import mmap
import os
import pathlib
import re
import struct
import subprocess
import sys
import time

sys.path[:0] = [str(path) for path in pathlib.Path(__file__).parents[2:4]]

from lib import binding  # noqa: E402
from lib.control import (LATE, ask, device_state, fail, hang,  # noqa: E402
                         late, lie, repair)
from lib.machine import (PATIENCE, PCI, PORT, Log,  # noqa: E402
                         free_huge_pages, interfaces, listens, report, run,
                         settled)
from lib.programs import hoard  # noqa: E402
from lib.ringer import Ringer  # noqa: E402
from lib.soak import soak  # noqa: E402

ROUNDS = soak(50, 1000)


# ---- while the driver starts -------------------------------------------------


# faults while the module is loaded, when ib_core creates the queues of the GSI
PROBES = {
    "fine": [],
    "other-major": [lie("VERSION", 0x20000)],
    "newer-minor": [lie("VERSION", 0x30007)],
    "other-magic": [lie("MAGIC", 0x12345678)],
    "gone": [{"cmd": "gone", "on": True}],
    "no-reset": [lie("STATUS", 0)],
    "no-enable": [lie("STATUS", 1)],
    "fatal-at-once": [lie("STATUS", 0x105)],
    "silent": [{**hang("any"), "count": 1000}],
    "query-device-fails": [fail("QUERY_DEVICE")],
    "create-eq-hangs": [hang("CREATE_EQ")],
    "create-eq-fails": [fail("CREATE_EQ")],
    "query-port-fails": [fail("QUERY_PORT")],
    "gsi-create-cq-hangs": [hang("CREATE_CQ")],
    "gsi-create-qp-hangs": [hang("CREATE_QP")],
    "gsi-modify-qp-hangs": [hang("MODIFY_QP")],
    "gsi-create-cq-fails": [fail("CREATE_CQ", 6)],
    "gsi-create-qp-fails": [fail("CREATE_QP", 6)],
    "gsi-modify-qp-fails": [fail("MODIFY_QP")],
    "gsi-create-qp-late": [late("CREATE_QP", 3)],
}
# faults while the port is set up
PORTS = {
    "create-cq-hangs": [hang("CREATE_CQ")],
    "create-qp-hangs": [hang("CREATE_QP")],
    "modify-port-hangs": [hang("MODIFY_PORT")],
    "create-cq-fails": [fail("CREATE_CQ", 6)],
    "create-qp-fails": [fail("CREATE_QP", 6)],
    "modify-qp-fails": [fail("MODIFY_QP")],
    "create-qp-late": [late("CREATE_QP", 3)],
}
# faults for which the driver declares the device dead, and then recovers it
DYING = [name for name in PROBES if name.startswith("gsi") and
         name.endswith("hangs")]
DYING_LATER = [name for name in PORTS if name.endswith("hangs")]


def probes():
    """Loads the module, sets the port up and unloads the module, with each fault."""
    report(name="before", device=device_state())
    for name in (*PROBES, *PORTS):
        log = Log()
        for request in PROBES.get(name, ()):
            ask(**request)
        load = run("modprobe", "xrdma")
        if name in DYING:
            log.wait_for("works again")
        made = interfaces()
        bound = (PCI / "driver").exists()
        for request in PORTS.get(name, ()):
            ask(**request)
        port = run("ip", "link", "set", made[0], "up") if made else None
        if name in DYING_LATER:
            log.wait_for("works again")
            again = run("ip", "link", "set", made[0], "up")
        else:
            again = None
        unload = run("modprobe", "-r", "xrdma")
        repair()
        report(name=name, load=load, made=made, bound=bound, up=port,
               again=again,
               unload=unload, errors=log.errors(), device=device_state())


def rounds():
    """Loads and unloads the module, many times."""
    for number in range(1, ROUNDS + 1):
        for argv in (("modprobe", "xrdma"), ("modprobe", "-r", "xrdma")):
            done = run(*argv)
            if done["status"] != 0:
                sys.exit(f"round {number}: {argv}: {done}")
            if number == ROUNDS and argv[1] == "xrdma":
                report(name="loaded", made=interfaces(), **device_state())
        if number % (ROUNDS // 5) == 0:
            report(name=f"round {number}", memory=memory(), irqs=irqs(),
                   **device_state())


TRACING = pathlib.Path("/sys/kernel/tracing")
TRACED = ("kmalloc", "kmem_cache_alloc", "kfree", "kmem_cache_free")
EVENT = re.compile(r": (\w+): call_site=(.*?) ptr=(\S+)")


def trace(on):
    """Starts or stops the trace of allocations."""
    for event in TRACED:
        (TRACING / f"events/kmem/{event}/enable").write_text(str(int(on)))


def read_trace(text, size):
    """Evaluates a trace of the module, which was unloaded: returns the number of its
    allocations, and the call sites of those that were not freed. An address in an
    unloaded module has no symbol in the trace."""
    count, live = 0, {}
    for line in (TRACING / "trace").open(errors="replace"):
        found = EVENT.search(line)
        if not found:
            continue
        event, site, pointer = found.groups()
        if "free" in event:
            live.pop(pointer, None)
        elif site.startswith("0x") and 0 <= int(site, 16) - text < size:
            live[pointer] = hex(int(site, 16) - text)
            count += 1
    return count, list(live.values())


def lost_events():
    """The number of events that did not fit into the trace buffers."""
    return sum(int(line.split(":")[1])
               for path in TRACING.glob("per_cpu/cpu*/stats")
               for line in path.read_text().splitlines()
               if line.startswith(("overrun", "dropped events")))


def allocations():
    """Records the allocations of the module from load to unload."""
    subprocess.run(["mount", "-t", "tracefs", "none", str(TRACING)], check=False)
    (TRACING / "buffer_size_kb").write_text("100000")
    trace(True)
    load = run("modprobe", "xrdma")
    module = next(line.split() for line in open("/proc/modules")
                  if line.startswith("xrdma "))
    net, name = interfaces()
    run("modprobe", "-a", "ib_uverbs")
    run("ip", "link", "set", net, "up")
    use = run("ibv_rc_pingpong", "-d", name, "-g", "0", "-n", "1", "nowhere")
    unload = run("modprobe", "-r", "xrdma")
    # objects that are freed after an RCU grace period
    time.sleep(2)
    trace(False)
    count, left = read_trace(int(module[5], 16), int(module[1]))
    report(name="end", load=load, use=use, unload=unload, traced=count,
           unfreed=left, lost=lost_events())


def irqs():
    return len(os.listdir("/proc/irq"))


def memory():
    """Counts that grow with a leak: objects of each slab cache, vmalloc areas, per-CPU
    memory. Returns name -> count."""
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("3")
    time.sleep(1)
    for path in glob.glob("/sys/kernel/slab/*/shrink"):
        with contextlib.suppress(OSError):
            pathlib.Path(path).write_text("1")
    slabs = pathlib.Path("/proc/slabinfo").read_text().splitlines()[2:]
    found = {}
    for line in slabs:
        name, used = line.split()[:2]
        found[name] = int(used)
    found["areas"] = len(pathlib.Path("/proc/vmallocinfo").read_text()
                         .splitlines())
    for line in pathlib.Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("Percpu:"):
            found["percpu KiB"] = int(line.split()[1])
    return found


# ---- while it runs -----------------------------------------------------------

def wait_for_cm(state):
    """Waits until an id of the connection manager is in this state."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        ids = subprocess.run(["rdma", "resource", "show", "cm_id"], check=True,
                             capture_output=True, text=True).stdout
        if f"state {state} " in ids:
            return
        time.sleep(0.1)
    sys.exit(f"no id of the connection manager came to {state}")


def start_traffic():
    """Starts two pairs of processes that do not end by themselves, and waits until all
    of them run. The connection manager connects one of the pairs."""
    plain = ["ibv_rc_pingpong", "-d", os.environ["XRDMA_DEV"], "-g",
             os.environ["XRDMA_GID_INDEX"], "-n", "100000000", "-s", "65536"]
    managed = ["rping", "-a", os.environ["XRDMA_ADDR"], "-S", "4096"]

    def start(*argv):
        return subprocess.Popen(argv, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)

    children = [start(*plain), start(*managed, "-s")]
    wait_for_cm("LISTEN")
    if not settled(lambda: listens(PORT), PATIENCE):
        sys.exit("no server of the ping-pong listens")
    children += [start(*plain, "localhost"), start(*managed, "-c")]
    wait_for_cm("CONNECT")
    time.sleep(3)
    if any(status is not None for status in busy(children)):
        sys.exit(f"some traffic has ended: {busy(children)}")
    return children


def busy(children):
    """The exit statuses of processes that should run; None for one that runs."""
    return [child.poll() for child in children]


def end_traffic(children):
    """Kills the processes. Returns the seconds until all of them had ended, or None."""
    began = time.monotonic()
    for child in children:
        child.kill()
    try:
        for child in children:
            child.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        return None
    return time.monotonic() - began


def after_death(log, words, children=()):
    """Waits for the driver's message, then tries to use the dead device, ends its
    users, and unloads the module. Returns the findings."""
    noticed = log.wait_for(words)
    findings = {"noticed": noticed, "states": states()}
    findings["use"] = run("ibv_devinfo", "-v")
    findings["pingpong"] = run("ibv_rc_pingpong", "-d", os.environ["XRDMA_DEV"],
                               "-g", os.environ["XRDMA_GID_INDEX"])
    findings["down"] = run("ip", "link", "set", os.environ["XRDMA_NETDEV"],
                           "down")
    findings["killed"] = end_traffic(children)
    findings["unload"] = run("modprobe", "-r", "xrdma")
    findings["errors"] = log.errors()
    return findings


def pingpong_pair():
    """Runs the two processes of a ping-pong over the device."""
    args = ["ibv_rc_pingpong", "-d", os.environ["XRDMA_DEV"], "-g",
            os.environ["XRDMA_GID_INDEX"], "-c"]
    server = subprocess.Popen(args, stdout=subprocess.DEVNULL)
    settled(lambda: listens(PORT) or server.poll() is not None, PATIENCE)
    client = run(*args, "localhost")
    try:
        server.wait(PATIENCE if client["status"] == 0 else 0)
    except subprocess.TimeoutExpired:
        server.kill()
    return client


def after_recovery(log, children=()):
    """Waits until the device has died and recovered, and uses it again. Returns the
    findings."""
    findings = {"noticed": log.wait_for("the device is dead"),
                "back": log.wait_for("works again")}
    time.sleep(1)
    findings["works"] = pingpong_pair()
    findings["killed"] = end_traffic(children)
    findings["unload"] = run("modprobe", "-r", "xrdma")
    findings["errors"] = log.errors()
    findings["device"] = device_state()
    return findings


def states():
    """The state of the RDMA port, as sysfs shows it."""
    path = f"/sys/class/infiniband/{os.environ['XRDMA_DEV']}/ports/1/state"
    try:
        return pathlib.Path(path).read_text().strip()
    except OSError as err:
        return str(err)


def killed_idle():
    """The device is killed while it is not in use. host_device.py kills it when it reads
    the first line."""
    log = Log()
    report(name="kill")
    report(name="end", **after_death(log, "the device is dead"))


def dies():
    """The device process ends while no driver uses it. host_device.py kills it."""
    report(name="kill")
    with contextlib.suppress(AssertionError):
        while True:
            ask(cmd="stats")
            time.sleep(0.1)


def killed_busy():
    """The device is killed under traffic."""
    log = Log()
    children = start_traffic()
    ran = busy(children)
    report(name="kill")
    report(name="end", busy=ran,
           **after_death(log, "the device is dead", children))


def killed_in_command():
    """The device is killed while a command waits for its reply."""
    log = Log()
    ask(**hang("CREATE_CQ"))
    began = time.monotonic()
    with subprocess.Popen(["ibv_rc_pingpong", "-d", os.environ["XRDMA_DEV"],
                           "-g", os.environ["XRDMA_GID_INDEX"]],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True) as child:
        time.sleep(2)
        waits = child.poll() is None
        report(name="kill")
        words = child.communicate(timeout=PATIENCE)[0]
    command = {"status": child.returncode, "words": words, "waits": waits,
               "seconds": time.monotonic() - began}
    report(name="end", command=command,
           **after_death(log, "the device is dead"))


def command_hangs():
    """The device does not answer one command of an application."""
    log = Log()
    ask(**hang("CREATE_QP"))
    command = run("ibv_rc_pingpong", "-d", os.environ["XRDMA_DEV"], "-g",
                  os.environ["XRDMA_GID_INDEX"])
    report(name="end", command=command, **after_recovery(log))


def invalidate_hangs():
    """The device does not answer the INVALIDATE of a deregistration: the pages must
    stay pinned."""
    log = Log()
    children = start_traffic()
    ask(**hang("INVALIDATE"))
    ran = busy(children)
    killed = end_traffic(children)
    report(name="end", busy=ran, exit=killed, **{**after_recovery(log),
                                       "killed": killed})


BUS_MASTER = 4              # bit of the function's Command register
ENABLED_NOT_READY = 2       # value of STATUS with which a reset by register never ends


def pci_command():
    """The Command register of the function."""
    command, = struct.unpack_from("<H", (PCI / "config").read_bytes(), 4)
    return command


def windows_hang():
    """The device does not answer the INVALIDATE for regions of a huge page and windows
    bound to them, and a reset by its register never ends. The driver must use
    another kind of reset after the time limit of the first. The exit of the process
    waits for that."""
    log = Log()
    pathlib.Path("/proc/sys/vm/nr_hugepages").write_text("4")
    pages = [free_huge_pages()]
    child = hoard(200, 50)
    ready = child.stdout.readline().split()[0]
    ask(**hang("INVALIDATE"))
    ask(**lie("STATUS", ENABLED_NOT_READY))
    child.kill()
    noticed = log.wait_for("the device is dead")
    pages.append(free_huge_pages())
    killed = end_traffic([child])
    until = time.monotonic() + PATIENCE
    while free_huge_pages() < pages[0] and time.monotonic() < until:
        time.sleep(0.1)
    pages.append(free_huge_pages())
    repair()
    report(name="end", ready=ready, pages=pages,
           **{**after_recovery(log), "killed": killed, "noticed": noticed})


def command_late():
    """A reply comes after the driver's time limit."""
    log, answered = Log(), time.monotonic() + LATE
    ask(**late("CREATE_CQ"))
    command = run("ibv_rc_pingpong", "-d", os.environ["XRDMA_DEV"], "-g",
                  os.environ["XRDMA_GID_INDEX"])
    time.sleep(max(0, answered + 2 - time.monotonic()))
    report(name="end", command=command, **after_recovery(log))


def command_fails():
    """Commands fail with statuses that the driver returns to the caller. The device
    must continue to work."""
    log = Log()
    found = []
    for opcode in ("CREATE_CQ", "CREATE_QP", "MODIFY_QP"):
        ask(**fail(opcode, 6))
        found.append(run("ibv_rc_pingpong", "-d", os.environ["XRDMA_DEV"],
                         "-g", os.environ["XRDMA_GID_INDEX"], seconds=20))
    report(name="end", failed=found, works=pingpong_pair(),
           unload=run("modprobe", "-r", "xrdma"), errors=log.errors())


def fatal_status():
    """The device reports a fatal error."""
    log = Log()
    ask(**lie("STATUS", 0x304), count=1)
    report(name="end", **after_recovery(log))


def gone_idle():
    """All registers read as all ones, while the device is not in use."""
    log = Log()
    ask(cmd="gone", on=True)
    findings = after_death(log, "the device is dead")
    repair()
    report(name="end", again=run("modprobe", "xrdma"), made=interfaces(),
           **findings)


def gone_busy():
    """All registers read as all ones, under traffic. Another process writes doorbells
    all the time, also while the driver ends the DMA of the device."""
    log = Log()
    ringer = Ringer(os.environ["XRDMA_DEV"])
    children = start_traffic()
    ran = busy(children)
    ask(cmd="gone", on=True)
    log.wait_for("the device is dead")
    time.sleep(1)
    ringer_ended = ringer.stop()
    report(name="end", busy=ran, ringer_ended=ringer_ended,
           **after_death(log, "the device is dead", children))


def reset_hangs():
    """STATUS reads as 0, so a reset by the register seems not to end, until the driver has
    made a function level reset. A process writes doorbells all the time."""
    log = Log()
    ringer = Ringer(os.environ["XRDMA_DEV"])
    resets = ask(cmd="stats")["vfu"]["resets"]
    ask(**lie("STATUS", 0))
    log.wait_for("the device is dead")
    reset = settled(lambda: ask(cmd="stats")["vfu"]["resets"] > resets, PATIENCE)
    repair()
    report(name="end", function_reset=reset, ringer_ended=ringer.stop(),
           **after_recovery(log))


def registers_deaf():
    """Writes to registers have no effect, and the device works on, until a function level
    reset. STATUS says once that the device has failed."""
    log = Log()
    children = start_traffic()
    resets = ask(cmd="stats")["vfu"]["resets"]
    ask(cmd="deaf", on=True)
    ask(**lie("STATUS", 0x304), count=1)
    log.wait_for("the device is dead")
    # before the function level reset, the driver takes the Bus Master bit away
    silent = settled(lambda: not pci_command() & BUS_MASTER, PATIENCE)
    kept = ask(cmd="stats")["vfu"]["resets"] == resets
    back = log.wait_for("works again")
    resets = ask(cmd="stats")["vfu"]["resets"] - resets
    repair()
    report(name="end", silent=silent and kept, resets=resets,
           **{**after_recovery(log, children), "back": back})


def silence_fails():
    """The device cannot be reset, and its DMA does not end: STATUS reads as 0, and the
    bit Transactions Pending stays set. A process with many regions ends."""
    log = Log()
    pathlib.Path("/proc/sys/vm/nr_hugepages").write_text("4")
    child = hoard(200, 50)
    child.stdout.readline()
    ask(cmd="pending", on=True)
    ask(**lie("STATUS", 0))
    log.wait_for("the device is dead")
    killed = end_traffic([child])
    abandoned = log.wait_for("are never freed")
    repair()
    report(name="end", abandoned=abandoned,
           **{**after_recovery(log), "killed": killed})


def unbound_busy():
    """The driver is unbound from a working device under traffic."""
    log = Log()
    children = start_traffic()
    ran, began = busy(children), time.monotonic()
    pathlib.Path("/sys/bus/pci/drivers/xrdma/unbind").write_text(PCI.name)
    seconds = time.monotonic() - began
    report(name="end", busy=ran, seconds=seconds, made=interfaces(),
           killed=end_traffic(children), errors=log.errors(),
           unload=run("modprobe", "-r", "xrdma"), device=device_state())


def host_error():
    """Reads a register that does not exist, which the device counts as a host error."""
    (PCI / "enable").write_text("1")
    with open(PCI / "resource0", "r+b") as bar:
        with mmap.mmap(bar.fileno(), 0x10000) as registers:
            registers[0x7000:0x7004]
    report(name="end", host_errors=ask(cmd="stats")["host_errors"])


SCENARIOS = {function.__name__: function for function in (
    probes, rounds, allocations, dies, killed_idle, killed_busy, killed_in_command,
    command_hangs, invalidate_hangs, windows_hang, command_late, command_fails,
    fatal_status, gone_idle, gone_busy, reset_hangs, registers_deaf, silence_fails,
    unbound_busy, host_error)}


def main():
    names = sys.argv[1:]
    for number, name in enumerate(names):
        if number:
            run("modprobe", "xrdma")
            binding.ready()
        SCENARIOS[name]()
        if len(names) > 1:
            repair()
            report(name="after")


if __name__ == "__main__":
    main()

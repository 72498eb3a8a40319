# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The loads that run on a device while a test of removal removes it: programs of users,
and users in the kernel. The methods of a load are called in this order: start(), meet()
until it returns True, works() until it returns True, result(), end().

The test chooses how the device is removed, and checks the results.
"""

import json
import multiprocessing
import os
import pathlib
import signal
import socket
import subprocess
import time

from lib import churn, holder, nvmet

DISK = "/dev/ram0"
# Time limit of the NVMe host for an admin command in seconds, 60 by default. When the
# target is removed first, the host may wait this long for its last command.
ADMIN_TIMEOUT = 20


def queues():
    """Process id of a user that has queue pairs -> state of its last queue pair."""
    out = subprocess.run(["rdma", "-j", "resource", "show", "qp"],
                         capture_output=True, text=True, check=True).stdout
    return {row.get("pid"): row.get("state") for row in json.loads(out or "[]")}


class Program:
    """A process, its output, and the time of its end.

    pid: the process id.
    """

    def __init__(self, *argv):
        read_end, write_end = os.pipe()
        self._start(argv, write_end)
        os.close(write_end)
        os.set_blocking(read_end, False)
        self._output = open(read_end, "rb")
        self._words = b""
        self.pid = self._child.pid

    def _start(self, argv, output):
        self._child = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            start_new_session=True)

    def status(self):
        """The exit status; None if the process still runs."""
        return self._child.poll()

    def words(self):
        """The output so far."""
        self._words += self._output.read() or b""
        return self._words.decode(errors="replace")

    def result(self, until):
        """Waits for the end of the process until this time. Returns its result, with
        a status of None if it still runs."""
        while self.status() is None and time.monotonic() < until:
            time.sleep(0.05)
        return {"status": self.status(), "words": self.words()[-2000:]}

    def end(self, seconds):
        """Kills the process and its children. Returns False if it has not ended
        within seconds."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.result(time.monotonic() + seconds)
        self._output.close()
        return self.status() is not None


class Branch(Program):
    """A forked process that calls a function, without importing modules again."""

    def _start(self, argv, output):
        self._child = multiprocessing.get_context("fork").Process(
            target=self._run, args=(output, *argv))
        self._child.start()

    @staticmethod
    def _run(output, function, *args):
        os.setsid()
        for number in (1, 2):
            os.dup2(output, number)
        function(*args)

    def status(self):
        return self._child.exitcode


class Load:
    """A load of several programs. notified: whether the programs get an event when the
    device is removed, and then end by themselves."""

    notified = True

    def __init__(self):
        self.programs = {}

    def start(self):
        """Starts the programs that need no other program."""

    def meet(self):
        """Starts the programs that need those of start(). Returns False if that is
        not possible yet."""
        return True

    def works(self):
        """Whether the load uses the device now."""
        found = queues()
        return all(found.get(program.pid) == "RTS"
                   for program in self.programs.values())

    def result(self, until):
        """Waits for the end of the programs until this time. Returns the results."""
        return {name: program.result(until)
                for name, program in self.programs.items()}

    def end(self, seconds):
        """Ends the programs that still run. Returns False if one does not end."""
        return all([program.end(seconds)
                    for program in self.programs.values()])


class Idle(Load):
    """A process that waits for a peer that never connects. It gets no event when the
    device is removed."""

    notified = False

    def start(self):
        self.programs["it"] = Program(
            "ibv_rc_pingpong", "-d", os.environ["XRDMA_DEV"], "-g",
            os.environ["XRDMA_GID_INDEX"])

    def works(self):
        return self.programs["it"].pid in queues()


def rping(port, *options):
    return ["rping", "-a", os.environ["XRDMA_ADDR"], "-p", str(port), *options]


class Managed(Load):
    """Two processes, connected by the connection manager, that sleep until a
    completion event comes."""

    port = 7174

    def start(self):
        self.programs["server"] = Program(*rping(self.port, "-s", "-S", "4096"))

    def meet(self):
        listeners = json.loads(subprocess.run(
            ["rdma", "-j", "resource", "show", "cm_id"], check=True,
            capture_output=True, text=True).stdout or "[]")
        if not any(row.get("pid") == self.programs["server"].pid and
                   row.get("state") == "LISTEN" for row in listeners):
            return False
        self.meet_server()
        return True

    def meet_server(self):
        self.programs["client"] = Program(*rping(self.port, "-c", "-S", "4096"))


class Connects(Managed):
    """Processes that open and close one connection after the other."""

    port = 7175

    def start(self):
        self.programs["server"] = Program(*rping(self.port, "-s", "-P"))

    def meet_server(self):
        again = " ".join(rping(self.port, "-c", "-C", "1"))
        self.programs["client"] = Program(
            "sh", "-c", f"while {again}; do sleep 0.2; done")

    def works(self):
        return True


class Says(Load):
    """A function in a process of its own, which works when it has printed "ready"."""

    def __init__(self, function):
        super().__init__()
        self._function = function

    def start(self):
        self.programs["it"] = Branch(self._function)

    def works(self):
        return self.programs["it"].words().startswith("ready")


def send_frames(to):
    """Sends frames in bursts, so that the device always has some. The socket is bound
    to the interface's address, which is removed with the interface."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind((os.environ["XRDMA_ADDR"], 0))
        while True:
            for _ in range(8):
                sock.sendto(bytes(1400), (to, 9))
            time.sleep(0.005)


class Frames(Load):
    """A process that sends frames through the network interface, to a neighbour that
    does not exist."""

    neighbour, mac = "192.168.77.99", "02:00:00:78:72:99"

    def start(self):
        name = os.environ["XRDMA_NETDEV"]
        subprocess.run(["ip", "neighbour", "replace", self.neighbour, "lladdr",
                        self.mac, "dev", name], check=True)
        self._sent = pathlib.Path(f"/sys/class/net/{name}/statistics/tx_packets")
        self._before = int(self._sent.read_text())
        self.programs["it"] = Branch(send_frames, self.neighbour)

    def works(self):
        return int(self._sent.read_text()) > self._before + 20


class Fabrics(Load):
    """A disk of NVMe over Fabrics under fio, with host and target in this kernel. The
    host does not reconnect after a lost connection. The target's timeout is long
    enough for a slow machine."""

    options = ["--nr-io-queues=2", "--queue-size=16", "--ctrl-loss-tmo=0",
               "--keep-alive-tmo=60"]

    def start(self):
        disk, = nvmet.Host(os.environ["XRDMA_ADDR"], *self.options).disks
        nvmet.wait_until(pathlib.Path(disk).is_block_device, f"no {disk}")
        self._stat = pathlib.Path("/sys/block") / disk.split("/")[-1] / "stat"
        self.programs["fio"] = Program(
            "fio", "--name=it", f"--filename={disk}", "--rw=randrw",
            "--direct=1", "--ioengine=libaio", "--iodepth=8", "--bs=16k",
            "--thinktime=20ms", "--time_based", "--runtime=600")

    def works(self):
        # the kernel's scan for partitions only reads, so writes are those of fio
        return int(self._stat.read_text().split()[4]) > 2

    def end(self, seconds):
        ended = super().end(seconds)
        until = time.monotonic() + seconds
        while nvmet.controller() and time.monotonic() < until:
            time.sleep(0.05)
        return ended and nvmet.controller() is None


# the loads that use little processor time are started first
GENTLE = {"fabrics": Fabrics, "holds": lambda: Says(holder.main),
          "churns": lambda: Says(churn.main), "frames": Frames,
          "idle": Idle}
GREEDY = {"managed": Managed, "connects": Connects}


def offer_disk():
    """Makes the disk and the target for Fabrics. The target listens on all addresses,
    so that it does not depend on the device."""
    for module in (("brd", "rd_nr=1", "rd_size=65536"),
                   ("nvme-core", f"admin_timeout={ADMIN_TIMEOUT}")):
        subprocess.run(["modprobe", *module], check=True)
    nvmet.Target("0.0.0.0", [DISK]).up()


class Loads:
    """All loads, which run at the same time."""

    def __init__(self, patience):
        self._loads = {}
        self._patience = patience

    def _all(self, names, true, what):
        waiting = set(names)
        until = time.monotonic() + self._patience
        while waiting := {name for name in waiting
                          if not true(self._loads[name])}:
            if time.monotonic() > until:
                raise TimeoutError(f"{what}: {waiting}: " + " ".join(
                    program.words() for name in waiting
                    for program in self._loads[name].programs.values()))
            time.sleep(0.1)

    def start(self):
        """Starts all loads, and waits until each of them works."""
        for kinds in (GENTLE, GREEDY):
            for name, kind in kinds.items():
                self._loads[name] = kind()
                self._loads[name].start()
            self._all(kinds, lambda load: load.meet(), "does not meet")
            self._all(kinds, lambda load: load.works(), "does not work")

    def results(self, seconds, spared):
        """The result of each load after up to this many seconds. Loads that get no
        event, and those named in spared, are not waited for."""
        until = time.monotonic() + seconds
        return {name: load.result(
                    until if load.notified and name not in spared else 0)
                for name, load in self._loads.items()}

    def end(self, seconds):
        """Ends all loads. Returns the names of those that do not end."""
        return [name for name, load in self._loads.items()
                if not load.end(seconds)]

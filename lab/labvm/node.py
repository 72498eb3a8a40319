# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""One node of a run: a guest, and the device process if it has one.

Owns both, reads what the guest says about itself, and judges both at the end.
Knows nothing of the other node, nor of COMMAND's streams.
"""

import json
import os

from . import splat
from .device import Device
from .machine import Machine

NET4 = "192.168.77."
NET6 = "fd00:77::"
MAC = "02:00:00:78:72:0"


class Refused(Exception):
    """The device does not take an option's value."""


class Node:
    """Node number 1 or 2 of a run with options opts, with its files in rundir.

    status: the exit status of COMMAND, once there is one. failed: why the
    machine cannot be used, if it says so. problems: what the end brought to
    light.
    """

    def __init__(self, opts, number, rundir):
        self.opts, self.number = opts, number
        self.kind = opts.kinds[number - 1]
        self.began = False
        self.status = self.failed = None
        self.problems = []
        self.device = self.machine = None
        self._slot = 0              # where the device is
        self._host_errors = [0, []]     # how many, and which
        self._rundir = rundir
        self._control = b""

    def _wire(self, number):
        return os.path.join(os.path.dirname(self._rundir), f"wire{number}")

    def start_device(self, capture=None):
        """Starts the device process, if there is to be one. OSError if that
        fails, Refused if it does not take an option. capture: file for the
        frames on its wire."""
        os.makedirs(self._rundir, exist_ok=True)
        if self.kind != "xrdma":
            return
        opts = self.opts
        args = ["--mac", f"{MAC}{self.number}", "--seed", str(self.number)]
        if opts.nodes == 2:
            args += ["--wire", f"local={self._wire(self.number)},"
                     f"remote={self._wire(3 - self.number)}"]
        if capture:
            args += ["--capture", capture]
        build = "model-fast" if opts.fast_device else "model"
        self.device = Device(f"/src/build/{build}/xrdma-device", self._rundir,
                             args + opts.device_arg)
        if opts.impair:
            self._impair()

    def _impair(self):
        """Each device impairs what it sends; one whose peer cannot do so also
        what it receives."""
        direction = "both" if "rxe" in self.opts.kinds else "tx"
        answer = json.loads(self.device.ask(json.dumps({
            "cmd": "fault", "wire": self.opts.impair,
            "direction": direction})))
        if not answer["ok"]:
            raise Refused(f"--impair: the device does not take "
                          f"'{self.opts.impair}'")

    def start_machine(self, tty, link=None, capture=None):
        """Starts the guest. tty: of a shell. link: socket to the other node.
        capture: file for the frames of a node without a device."""
        nic = []
        if self.kind == "rxe":
            nic = self._nic(capture)
        self.machine = Machine(self.opts, self._rundir, self._config(tty),
                               self._ports(), self.device and
                               self.device.socket, nic, link)

    def _ports(self):
        if self.number == 2:
            return ("ctl", "device")
        return ("out", "err", "ctl", "device") + \
            (("tty",) if self.opts.command is None else ())

    def _nic(self, capture):
        """A network interface whose wire is that of the other node."""
        args = ["-netdev", "dgram,id=wire,local.type=unix,local.path="
                f"{self._wire(self.number)},remote.type=unix,remote.path="
                f"{self._wire(3 - self.number)}", "-device",
                f"virtio-net-pci,netdev=wire,mac={MAC}{self.number}"]
        if capture:
            args += ["-object", f"filter-dump,id=dump,netdev=wire,file={capture}"]
        return args

    def _config(self, tty):
        opts, other = self.opts, 3 - self.number
        return {
            "number": self.number,
            "nodes": opts.nodes,
            "kernel": opts.kernel,
            "share": "yes" if opts.share else "",
            "kind": self.kind or "",
            "driver": "yes" if self.kind and not opts.no_driver else "",
            "address": f"{NET4}{self.number}",
            "address6": f"{NET6}{self.number}",
            "peer_address": f"{NET4}{other}" if opts.nodes == 2 else "",
            "peer_address6": f"{NET6}{other}" if opts.nodes == 2 else "",
            "tty": tty,
        }

    # while it runs

    def on_control(self, data):
        """What the guest says: "ready", "exit N", "failed WHY"."""
        self._control += data
        while b"\n" in self._control:
            line, self._control = self._control.split(b"\n", 1)
            word, _, value = line.decode().partition(" ")
            if word == "ready":
                self.began = True
            elif word == "exit":
                self.status = int(value)
            elif word == "failed":
                self.failed = value

    def gone(self):
        """Has the guest ended?"""
        return self.machine.child.poll() is not None

    def report_lost_machine(self):
        """The guest ended, which it never should."""
        with open(self.machine.log, errors="replace") as log:
            words = log.read()[-2000:]
        what = "went down" if self.began else "did not come up"
        console = self.machine.read_console()
        tail = [] if splat.find(console) else console.splitlines()[-30:]
        self.problems.append(
            f"the machine {what}\n{words}" + "\n".join(tail))

    ERRORS = ("correctable", "nonfatal", "fatal")
    WORDS = ("plug", "unplug", "kill", *ERRORS)

    def do(self, word):
        """Does with the device what the guest asks for; see EPILOG of
        options.py. OSError when that fails."""
        if not self.device:
            raise OSError("there is no device")
        if word == "kill":
            self._remember_host_errors()
            self.machine.between_instants(self.device.kill)
        elif word in self.ERRORS:
            self.machine.inject(self._slot, word)
        elif word == "unplug" or self.device.child.poll() is None:
            self.machine.press(self._slot)
        elif self._slot + 1 == self.opts.slots:
            raise OSError("no slot is free, add --slots")
        else:
            self._slot += 1
            self.start_device()
            self.machine.plug(self._slot, self.device.socket)

    # end

    def finish(self, complete):
        """Ends and judges everything. complete: the run came to its end."""
        if self.device and complete:
            self._judge_host_errors()
        if self.machine:
            self.machine.child.kill()
            self.machine.child.wait()
            self._judge_console()
        if self.device:
            problem = self.device.close(self.opts.device_may_die)
            if problem:
                self.problems.append(problem)

    def _remember_host_errors(self):
        """Adds those that the device process has counted so far."""
        if self.device.child.poll() is not None:
            return
        try:
            count, names = self.device.host_errors()
        except (OSError, ValueError, KeyError) as err:
            self.problems.append(f"the device does not tell its errors: {err}")
            return
        self._host_errors[0] += count
        self._host_errors[1].extend(names)

    def _judge_host_errors(self):
        self._remember_host_errors()
        count, names = self._host_errors
        if count and not self.opts.allow_host_errors:
            listing = "\n".join(f"  {name}" for name in names)
            self.problems.append(
                f"the device counted {count} host errors:\n{listing}")

    def _judge_console(self):
        lines = splat.find(self.machine.read_console(), self.opts.allow_splat)
        if lines:
            self.problems.append(
                "the kernel complained:\n" + "\n".join(lines))

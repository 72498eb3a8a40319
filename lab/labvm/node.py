# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""One node of a run: a guest, and its device process if it has one.

A Node starts both, reads the status messages of the guest, and checks both for
failures at the end. session.py connects the nodes and passes COMMAND's streams.
"""

import json
import os
import re

from . import splat, uplink
from .device import Device
from .machine import Machine
from .port import Lines

NET4 = "192.168.77."
NET6 = "fd00:77::"
MAC = "02:00:00:78:72:"


class Refused(Exception):
    """The device refused the value of an option."""


class Node:
    """Node number 1 or 2 of a run with options opts. Its files are in rundir.

    began: whether the guest has reported "ready". status: the exit status of
    COMMAND, None before it has ended. failed: the reason why the guest cannot run
    COMMAND, None unless the guest reported one. problems: descriptions of the
    failures that were found.
    """

    def __init__(self, opts, number, rundir):
        self.opts, self.number = opts, number
        self.kind = opts.kinds[number - 1]
        self.began = False
        self.status = self.failed = None
        self.problems = []
        self.device = self.machine = None
        self._slot = 0              # number of the slot that has the device
        self._host_errors = [0, []]     # their number, and their names
        self._rundir = rundir
        self._control = Lines()
        self._mtu = 4500

    def _wire(self, number):
        return os.path.join(os.path.dirname(self._rundir), f"wire{number}")

    def start_device(self, capture=None):
        """Starts the device process if the node has an xrdma device. OSError if that
        fails, Refused if the device refuses an option. capture: file for the frames
        on its wire."""
        os.makedirs(self._rundir, exist_ok=True)
        if self.kind != "xrdma":
            return
        opts = self.opts
        # QEMU's threads keep the processors busy. The device must not wait for one of
        # them to be preempted when a doorbell arrives.
        args = ["--mac", self._mac(), "--seed", str(self._host()), "--realtime"]
        if opts.uplink:
            args += ["--wire", opts.uplink]
        if opts.nodes == 2:
            args += ["--wire", f"local={self._wire(self.number)},"
                     f"remote={self._wire(3 - self.number)}"]
        if capture:
            args += ["--capture", capture]
        build = "model-fast" if opts.fast_device else "model"
        self.device = Device(f"/src/build/{build}/xrdma-device", self._rundir,
                             args + opts.device_arg)
        self._connect_device()
        if opts.impair:
            self._impair()

    def _host(self):
        """The number of this node in its network."""
        return self.opts.number or self.number

    def _mac(self):
        return f"{MAC}{self._host():02x}"

    def _connect_device(self):
        """Waits until the device has opened its sockets and the uplink, and reads the
        MTU of the uplink. Refused if the device does not take the uplink: its process
        then ends, before or after it has opened its sockets."""
        try:
            self.device.connect()
            if self.opts.uplink:
                self.device.ask('{"cmd":"stats"}')
        except OSError as err:
            device, self.device = self.device, None
            words = self.opts.uplink and device.end_words("--wire ")
            if not words:
                raise
            raise Refused(f"--uplink: {words}") from err
        if self.opts.uplink:
            self._mtu = uplink.mtu(self.opts.uplink)

    def _impair(self):
        """Makes the device impair the frames that it sends. If a node is rxe, which
        cannot impair frames, the device also impairs those that it receives."""
        direction = "both" if "rxe" in self.opts.kinds else "tx"
        answer = json.loads(self.device.ask(json.dumps({
            "cmd": "fault", "wire": self.opts.impair,
            "direction": direction})))
        if not answer["ok"]:
            raise Refused(f"--impair {self.opts.impair}: {answer['error']}")

    def start_machine(self, tty, link=None, capture=None):
        """Starts the guest. tty: Terminal.describe() for a shell, "" otherwise. link:
        socket to the other node, or None. capture: file for the frames of an rxe
        node."""
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
        """QEMU's arguments for a network interface whose wire ends at the other
        node."""
        args = ["-netdev", "dgram,id=wire,local.type=unix,local.path="
                f"{self._wire(self.number)},remote.type=unix,remote.path="
                f"{self._wire(3 - self.number)}", "-device",
                f"virtio-net-pci,netdev=wire,mac={self._mac()}"]
        if capture:
            args += ["-object", f"filter-dump,id=dump,netdev=wire,file={capture}"]
        return args

    def _config(self, tty):
        opts, other = self.opts, 3 - self.number
        return {
            "number": self.number,
            "nodes": opts.nodes,
            "kernel": "" if opts.root else opts.kernel,
            "share": "yes" if opts.share else "",
            "kind": self.kind or "",
            "driver": "yes" if self.kind and not opts.no_driver else "",
            "address": f"{NET4}{self._host()}",
            "address6": f"{NET6}{self._host():x}",
            "mtu": self._mtu,
            "peer_address": f"{NET4}{other}" if opts.nodes == 2 else "",
            "peer_address6": f"{NET6}{other}" if opts.nodes == 2 else "",
            "tty": tty,
        }

    # while it runs

    def on_control(self, data):
        """Takes data from the port lab.ctl: the lines "ready", "exit N", "failed
        WHY". Any other line of the guest is left out."""
        for line in self._control.take(data):
            word, _, value = line.partition(" ")
            if word == "ready":
                self.began = True
            elif word == "exit" and re.fullmatch("[0-9]{1,3}", value):
                self.status = int(value)
            elif word == "failed":
                self.failed = value

    def gone(self):
        """Whether QEMU has ended."""
        return self.machine.child.poll() is not None

    def report_lost_machine(self):
        """Adds the problem that QEMU ended before the run did."""
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
        """Executes a request of lab-device, one of WORDS; EPILOG in options.py
        describes them. OSError if that fails."""
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
        """Ends the guest and the device, and checks both for failures. complete: the
        run was not interrupted, so the device's host errors are checked too."""
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
        """Adds the host errors that the device process has counted so far."""
        if self.device.child.poll() is not None:
            return
        try:
            count, names = self.device.host_errors()
        except (OSError, ValueError, KeyError) as err:
            self.problems.append(f"cannot read the device's host errors: {err}")
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

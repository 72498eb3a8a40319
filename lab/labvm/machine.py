# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""One guest: the QEMU command line that makes it.

Always emulated, never virtualised: what the lab finds must not depend on the
machine that it runs on.
"""

import itertools
import json
import os
import socket
import time

from . import job, process
from .monitor import Monitor

# virtio-serial ports: name in the guest -> what flows there
#   lab.out, lab.err  output of COMMAND
#   lab.ctl           "ready" when COMMAND starts, "exit N" after it
#   lab.device        requests to the device's control socket, and the answers
#   lab.peer          to the other node, for on-peer
#   lab.tty           a shell
# Node 2 has only lab.ctl, lab.device and lab.peer.

KERNEL_ARGS = (
    "console=ttyS0 loglevel=5 panic=-1 oops=panic audit=0 "
    "no_timer_check tsc=reliable random.trust_cpu=on "
    "rcupdate.rcu_cpu_stall_timeout=60")

_NOTICE_S = 0.2

# No PIT: a busy host may hold QEMU up while the kernel compares the TSC with it;
# then its clock runs up to 30 times too fast. With the HPET it tries until it has
# the figure.
_CHIPSET = "q35,memory-backend=mem,vmport=off,i8042=off,pit=off"

# Hot-plug slots, by PCI Express and not by ACPI. QEMU 11.1 aborts when it takes a
# vfio-user function with MSI-X out (vfio_user_instance_finalize() removes the
# PBA from a BAR that is no more), so it never does: a slot without a power
# controller cannot be switched off, which would be the end of the function. Its
# button still makes the guest let the device go, or take it again. What replaces
# a device whose process has died goes into a slot of its own; the dead one reads
# as all ones.
_SLOT = "pcie-root-port,id=slot{0},chassis={1},slot={1}," \
        "power_controller_present=off"
_ROOM = ",mem-reserve=32M"      # for the BARs of what will be plugged in

# The lab's own devices in a machine that sleeps: functions of a slot, because
# only what is on PCI Express can keep its state in D3hot.
_KEEPS_STATE = ["-global", "virtio-pci.x-pcie-pm-no-soft-reset=on",
                "-device", "pcie-root-port,id=lab,chassis=100,slot=100"]

# Errors that the root port of a slot can find, by what the kernel makes of them
_ERRORS = {"correctable": "BAD_TLP", "nonfatal": "COMP_TIME", "fatal": "DLP"}


def _function(slot, path):
    """What QEMU wants to know of the device whose socket is at path."""
    return {"driver": "vfio-user-pci", "id": f"xrdma{slot}",
            "bus": f"slot{slot}", "socket": {"type": "unix", "path": path}}


class Machine:
    """A guest's QEMU.

    names: of the ports that are ours. nic: arguments of QEMU for a network
    interface. link: becomes the port lab.peer.
    ports: name -> our end of that port, a socket. console: path of the log.
    """

    def __init__(self, opts, rundir, config, names, device_socket=None,
                 nic=(), link=None):
        self.console = os.path.join(rundir, "console.log")
        self.log = os.path.join(rundir, "qemu.log")
        self.ports = {}
        self._remote = {}
        for name in names:
            self.ports[name], self._remote[name] = socket.socketpair()
        monitor, self._qmp = socket.socketpair()
        self._monitor = Monitor(monitor)
        self._places = self._make_places(opts.sleep)
        if link:
            self._remote["peer"] = link
        initrd = self._make_initrd(opts, rundir, config)
        argv = self._argv(opts, initrd, device_socket) + [*nic, *opts.qemu_arg]
        ends = [*self._remote.values(), self._qmp]
        self.child = process.start(argv, self.log,
                                   pass_fds=[end.fileno() for end in ends])
        for end in ends:
            end.close()

    @staticmethod
    def _make_initrd(opts, rundir, config):
        path = os.path.join(rundir, "initrd")
        with open(f"/src/build/{opts.kernel}/initrd", "rb") as base:
            data = base.read()
        with open(path, "wb") as out:
            out.write(data + bytes(-len(data) % 512))
            out.write(job.archive(config, opts.command or []))
        return path

    def _argv(self, opts, initrd, device_socket):
        args = KERNEL_ARGS.split()
        if opts.iommu:
            args += ["intel_iommu=on", "iommu.strict=1"]
        return [
            "qemu-system-x86_64", "-nodefaults", "-no-user-config",
            "-display", "none", "-no-reboot", "-accel", "tcg",
            "-machine", _CHIPSET,
            "-object", f"memory-backend-memfd,id=mem,size={opts.mem},share=on",
            "-m", opts.mem, "-smp", str(opts.smp), "-cpu", "max,la57=off",
            "-kernel", f"/src/build/{opts.kernel}/vmlinux", "-initrd", initrd,
            "-append", " ".join(args + opts.append),
            "-serial", f"file:{self.console}",
            *(_KEEPS_STATE if opts.sleep else ()),
            *self._share("image", "/image", readonly=True),
            *self._share("src", "/src", readonly=True),
            *(self._share("mnt", opts.share) if opts.share else ()),
            *self._counts(opts.kernel),
            *self._serial_ports(),
            "-chardev", f"socket,id=qmp,fd={self._qmp.fileno()}",
            "-mon", "chardev=qmp,mode=control",
            *(["-device", "intel-iommu,caching-mode=on"] if opts.iommu else ()),
            *(self._slots(opts.slots, device_socket) if device_socket else ())]

    @staticmethod
    def _make_places(sleep):
        """Yields where the next device of the lab's own goes."""
        for number in itertools.count():
            yield f",bus=lab,addr=0.{number},multifunction=on" if sleep else ""

    def _share(self, tag, path, readonly=False):
        kind = f"local,id={tag},path={path},security_model=none"
        if readonly:
            kind += ",readonly=on"
        return ["-fsdev", kind, "-device",
                f"virtio-9p-pci,fsdev={tag},mount_tag={tag}" + next(self._places)]

    def _counts(self, kernel):
        """Where the kernel that counts what runs leaves its counts."""
        if kernel != "gcov":
            return []
        path = "/src/build/gcov/counts"
        os.makedirs(path, exist_ok=True)
        return self._share("counts", path)

    def _serial_ports(self):
        args = ["-device", "virtio-serial-pci" + next(self._places)]
        for name, end in self._remote.items():
            kind = "virtconsole" if name == "tty" else "virtserialport"
            args += ["-chardev", f"socket,id={name},fd={end.fileno()}",
                     "-device", f"{kind},chardev={name},name=lab.{name}"]
        return args

    @staticmethod
    def _slots(count, path):
        """The device sits in the first one."""
        args = ["-global", "ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off",
                "-device", _SLOT.format(0, 1),
                "-device", json.dumps(_function(0, path))]
        for slot in range(1, count):
            args += ["-device", _SLOT.format(slot, slot + 1) + _ROOM]
        return args

    def plug(self, slot, path):
        """Plugs a device whose socket is at path into an empty slot. OSError
        when that fails."""
        self._monitor.command("device_add", **_function(slot, path))

    def press(self, slot):
        """Presses the button of a slot: some seconds later the guest lets the
        device go, or takes it if it had let it go. OSError when that fails, as
        it does 5 s after the last time."""
        self._monitor.command("device_del", id=f"xrdma{slot}")

    def inject(self, slot, severity):
        """The root port of a slot reports an error of its link: "correctable",
        "nonfatal" or "fatal". OSError when that fails."""
        words = self._monitor.command("human-monitor-command", **{
            "command-line": f"pcie_aer_inject_error slot{slot} "
                            f"{_ERRORS[severity]}"})
        if not words.startswith("OK"):
            raise OSError(f"QEMU: {words.strip()}")

    def between_instants(self, act):
        """Calls act() while no processor runs. QEMU 11.1 aborts if its
        vfio-user server dies while a request is under way; so none is, and it
        has time to see that the server is gone. OSError when it fails."""
        self._monitor.command("stop")
        act()
        time.sleep(_NOTICE_S)
        self._monitor.command("cont")

    def read_console(self):
        """The kernel's log so far."""
        try:
            with open(self.console, errors="replace") as log:
                return log.read()
        except FileNotFoundError:
            return ""

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""One guest: the QEMU command line, and changes to the running machine (hot-plug,
PCI Express errors). monitor.py speaks QEMU's protocol, process.py starts QEMU, and
node.py decides which devices the guest has.

accel.py chooses between KVM and TCG.
"""

import itertools
import json
import os
import socket
import time

from . import accel, job, process, tsc
from .monitor import Monitor

# virtio-serial ports: name in the guest, contents
#   lab.out, lab.err  output of COMMAND
#   lab.ctl           "ready" when COMMAND starts, "exit N" after it
#   lab.device        requests to the device's control socket, and the answers
#   lab.peer          messages to and from the other node, see lab/guest/peer.py
#   lab.tty           the terminal of lab/vm shell
# Node 2 has only lab.ctl, lab.device and lab.peer.

KERNEL_ARGS = (
    "console=ttyS0 loglevel=5 panic=-1 oops=panic audit=0 "
    "no_timer_check tsc=reliable random.trust_cpu=on "
    "rcupdate.rcu_cpu_stall_timeout=60")

_NOTICE_S = 30.0        # time limit for QEMU to see that the server's socket is closed

# No PIT: if the host is busy, QEMU may be delayed while the guest's kernel calibrates
# the TSC against the PIT, and the guest's clock then runs up to 30 times too fast.
# Without a PIT the kernel uses the HPET, and repeats the calibration until it succeeds.
_CHIPSET = "q35,memory-backend=mem,vmport=off,i8042=off,pit=off"

# Without the flags of fast string instructions the kernel copies and clears memory in
# units of 8 bytes. With them it uses REP MOVSB and REP STOSB, which QEMU executes byte
# by byte; clearing device memory then takes a message to the device for each byte.
_PROCESSOR = "max,erms=off,fsrm=off,fzrm=off,fsrs=off,fsrc=off"

# QEMU executes an instruction with a LOCK prefix as two accesses, without a barrier, in
# a machine that can only ever have one processor (mttcg_start_vcpu_thread() sets
# CF_PARALLEL if smp.max_cpus exceeds 1). The device is another processor: it would
# then lose additions to a word that both change, and doorbells, since the provider
# orders a store before a load by such an instruction. So every machine has room for a
# second processor, which the kernel does not count.
MIN_PROCESSORS = 2

# Hot-plug slots, by PCI Express and not by ACPI. QEMU 11.1 aborts when it removes a
# vfio-user function with MSI-X (vfio_user_instance_finalize() removes the PBA from a
# BAR that no longer exists). Therefore QEMU must never remove a function: a slot
# without a power controller cannot be switched off, so QEMU keeps the function. The
# button of the slot still makes the guest unbind the device, or bind it again. The
# replacement of a device whose process has died is put into the next slot; reads of
# the dead device return all ones.
_SLOT = "pcie-root-port,id=slot{0},chassis={1},slot={1}," \
        "power_controller_present=off"
_ROOM = ",mem-reserve=32M"      # for the BARs of the device that is plugged in later

# Options for --sleep: the virtio devices of the lab are functions of a PCI Express
# slot, because only a PCI Express device can keep its state in D3hot.
_KEEPS_STATE = ["-global", "virtio-pci.x-pcie-pm-no-soft-reset=on",
                "-device", "pcie-root-port,id=lab,chassis=100,slot=100"]

# Errors that the root port of a slot can report: the kernel's severity -> QEMU's name
_ERRORS = {"correctable": "BAD_TLP", "nonfatal": "COMP_TIME", "fatal": "DLP"}


def _function(slot, path):
    """The properties of QEMU's vfio-user device whose server is the socket at path."""
    return {"driver": "vfio-user-pci", "id": f"xrdma{slot}",
            "bus": f"slot{slot}", "socket": {"type": "unix", "path": path}}


class Machine:
    """A guest's QEMU.

    names: names of the serial ports that lab/vm reads and writes. nic: arguments of
    QEMU for a network interface. link: socket that becomes the port lab.peer.
    ports: name -> lab/vm's end of that port, a socket. console: path of the kernel's
    log.
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
        job.append(os.path.join(opts.boot, "initrd"), path, config,
                   opts.command or [])
        return path

    @staticmethod
    def _clock(opts):
        """Arguments of the kernel that give the frequency of the TSC. With -icount the
        TSC counts the instructions of the guest."""
        hosts = opts.accel == "tcg" and "-icount" not in opts.qemu_arg
        khz = tsc.khz() if hosts else None
        return [f"tsc_early_khz={khz}"] if khz else []

    @staticmethod
    def _paging(opts):
        """The kernel that QEMU boots, and the processor. Only the code that unpacks a
        compressed kernel can switch to page tables of 5 levels."""
        if opts.la57:
            return os.path.join(opts.boot, "vmlinuz"), f"{_PROCESSOR},la57=on"
        return os.path.join(opts.boot, "vmlinux"), f"{_PROCESSOR},la57=off"

    def _argv(self, opts, initrd, device_socket):
        kernel, processor = self._paging(opts)
        args = [*KERNEL_ARGS.split(), *self._clock(opts), f"nr_cpus={opts.smp}"]
        if opts.iommu:
            args += ["intel_iommu=on", "iommu.strict=1"]
        return [
            accel.QEMU, "-nodefaults", "-no-user-config",
            "-display", "none", "-no-reboot", "-accel", opts.accel,
            "-machine", _CHIPSET,
            "-object", f"memory-backend-memfd,id=mem,size={opts.mem},share=on",
            "-m", opts.mem, "-cpu", processor,
            "-smp", f"{opts.smp},maxcpus={max(opts.smp, MIN_PROCESSORS)}",
            "-kernel", kernel, "-initrd", initrd,
            "-append", " ".join(args + opts.append),
            "-serial", f"file:{self.console}",
            *(_KEEPS_STATE if opts.sleep else ()),
            *self._share("image", opts.root or "/image", readonly=True),
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
        """Yields the PCI address for each virtio device of the lab, as the end of
        QEMU's -device argument: "" without --sleep."""
        for number in itertools.count():
            yield f",bus=lab,addr=0.{number},multifunction=on" if sleep else ""

    def _share(self, tag, path, readonly=False):
        kind = f"local,id={tag},path={path},security_model=none"
        if readonly:
            kind += ",readonly=on"
        return ["-fsdev", kind, "-device",
                f"virtio-9p-pci,fsdev={tag},mount_tag={tag}" + next(self._places)]

    def _counts(self, kernel):
        """The share into which a guest with the gcov kernel writes its line counts."""
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
        """count hot-plug slots. The first slot has the device."""
        args = ["-global", "ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off",
                "-device", _SLOT.format(0, 1),
                "-device", json.dumps(_function(0, path))]
        for slot in range(1, count):
            args += ["-device", _SLOT.format(slot, slot + 1) + _ROOM]
        return args

    def plug(self, slot, path):
        """Plugs the device whose socket is at path into an empty slot. OSError if
        that fails."""
        self._monitor.command("device_add", **_function(slot, path))

    def press(self, slot):
        """Presses the button of a slot. After 5 s the guest unbinds the device, or
        binds the device if it is unbound. OSError if that fails, for example within
        5 s of the last press."""
        self._monitor.command("device_del", id=f"xrdma{slot}")

    def inject(self, slot, severity):
        """Makes the root port of a slot report an error of its link: "correctable",
        "nonfatal" or "fatal". OSError if that fails."""
        words = self._monitor.command("human-monitor-command", **{
            "command-line": f"pcie_aer_inject_error slot{slot} "
                            f"{_ERRORS[severity]}"})
        if not words.startswith("OK"):
            raise OSError(f"QEMU: {words.strip()}")

    def between_instants(self, act):
        """Calls act(), which kills the vfio-user server, while the guest's
        processors are stopped. QEMU 11.1 aborts if the server dies while a request
        is in progress. Stopped processors start no request, and they continue when
        QEMU has logged that the server's socket is closed. OSError if QEMU refuses,
        or logs nothing within _NOTICE_S."""
        self._monitor.command("stop")
        before, until = os.path.getsize(self.log), time.monotonic() + _NOTICE_S
        act()
        while os.path.getsize(self.log) == before:
            if time.monotonic() > until:
                raise OSError("QEMU has not seen within "
                              f"{_NOTICE_S:g} s that the device process is dead")
            time.sleep(0.01)
        self._monitor.command("cont")

    def read_console(self):
        """The text that the kernel has logged so far."""
        try:
            with open(self.console, errors="replace") as log:
                return log.read()
        except FileNotFoundError:
            return ""

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""One guest: the QEMU command line that makes it.

Always emulated, never virtualised: what the lab finds must not depend on the
machine that it runs on.
"""

import json
import os
import socket

from . import job, process

# virtio-serial ports: name in the guest -> what flows there
#   lab.out, lab.err  output of COMMAND
#   lab.ctl           "ready" when COMMAND starts, "exit N" after it
#   lab.device        requests to the device's control socket, and the answers
PORTS = ("out", "err", "ctl", "device")

KERNEL_ARGS = (
    "console=ttyS0 loglevel=5 panic=-1 oops=panic audit=0 "
    "no_timer_check tsc=reliable random.trust_cpu=on "
    "rcupdate.rcu_cpu_stall_timeout=60")


class Machine:
    """A guest's QEMU.

    ports: name -> our end of that port, a socket. console: path of the log.
    """

    def __init__(self, opts, rundir, config, device_socket=None):
        self.console = os.path.join(rundir, "console.log")
        self.log = os.path.join(rundir, "qemu.log")
        self.ports = {}
        self._remote = {}
        names = PORTS + (("tty",) if opts.command is None else ())
        for name in names:
            self.ports[name], self._remote[name] = socket.socketpair()
        initrd = self._make_initrd(opts, rundir, config)
        argv = self._argv(opts, initrd, device_socket)
        fds = [end.fileno() for end in self._remote.values()]
        self.child = process.start(argv, self.log, pass_fds=fds)
        for end in self._remote.values():
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
            "-machine", "q35,memory-backend=mem,vmport=off,i8042=off",
            "-object", f"memory-backend-memfd,id=mem,size={opts.mem},share=on",
            "-m", opts.mem, "-smp", str(opts.smp), "-cpu", "max,la57=off",
            "-kernel", f"/src/build/{opts.kernel}/vmlinux", "-initrd", initrd,
            "-append", " ".join(args + opts.append),
            "-serial", f"file:{self.console}",
            *self._share("image", "/image", readonly=True),
            *self._share("src", "/src", readonly=True),
            *(self._share("mnt", opts.share) if opts.share else ()),
            *self._serial_ports(),
            *(["-device", "intel-iommu,caching-mode=on"] if opts.iommu else ()),
            *(self._device(device_socket) if device_socket else ()),
            *opts.qemu_arg]

    @staticmethod
    def _share(tag, path, readonly=False):
        kind = f"local,id={tag},path={path},security_model=none"
        if readonly:
            kind += ",readonly=on"
        return ["-fsdev", kind, "-device",
                f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]

    def _serial_ports(self):
        args = ["-device", "virtio-serial-pci"]
        for name, end in self._remote.items():
            kind = "virtconsole" if name == "tty" else "virtserialport"
            args += ["-chardev", f"socket,id={name},fd={end.fileno()}",
                     "-device", f"{kind},chardev={name},name=lab.{name}"]
        return args

    @staticmethod
    def _device(path):
        """The device sits behind a root port: on a hot-plug slot."""
        return ["-device", "pcie-root-port,id=slot0,chassis=1,slot=1",
                "-device", json.dumps({
                    "driver": "vfio-user-pci", "id": "xrdma0", "bus": "slot0",
                    "socket": {"type": "unix", "path": path}})]

    def read_console(self):
        """The kernel's log so far."""
        try:
            with open(self.console, errors="replace") as log:
                return log.read()
        except FileNotFoundError:
            return ""

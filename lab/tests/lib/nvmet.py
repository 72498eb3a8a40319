# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""NVMe over Fabrics by RDMA: Target offers disks, Host connects to them. Both configure
the machine in which they run, so that one guest can be target and host.

This file is also a program, for use in another machine:
  nvmet.py up ADDRESS DISK... [--inline BYTES]    offers block devices or files
  nvmet.py down                                   removes the target
  nvmet.py close                                  ends all connections
  nvmet.py open ADDRESS [--inline BYTES]          listens again
  nvmet.py connect ADDRESS [NVME_OPTION...]       prints the path of each disk
  nvmet.py disconnect

The I/O on the disks is in nodes/sides.py and in the tests.
"""

import contextlib
import pathlib
import re
import subprocess
import sys
import time

NVMET = pathlib.Path("/sys/kernel/config/nvmet")
CLASS = pathlib.Path("/sys/class/nvme")
NQN = "xrdma-test"
PORT = NVMET / "ports" / "1"
SERVICE = "4420"
PATIENCE = 120.0


def run(*command):
    """Runs a command, which must succeed. Returns its output."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return done.stdout


def wait_until(true, what, seconds=PATIENCE):
    """Waits until true() returns a true value, and returns that. TimeoutError if it
    does not within seconds."""
    end = time.monotonic() + seconds
    while not (found := true()):
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.05)
    return found


def _set(path, **values):
    path.mkdir()
    for name, value in values.items():
        (path / name).write_text(str(value))


class Target:
    """A subsystem whose namespaces 1, 2, ... are the disks. inline: maximum number of
    bytes of inline data in a command; None: the kernel's default."""

    def __init__(self, address, disks, inline=None):
        self._address, self._disks, self._inline = address, disks, inline
        self._subsystem = NVMET / "subsystems" / NQN
        self._link = PORT / "subsystems" / NQN

    def up(self):
        """Offers the disks. OSError if the kernel refuses a setting."""
        run("modprobe", "nvmet-rdma")
        if not NVMET.exists():
            run("mount", "-t", "configfs", "none", "/sys/kernel/config")
        _set(self._subsystem, attr_allow_any_host=1)
        for number, disk in enumerate(self._disks, 1):
            _set(self._subsystem / "namespaces" / str(number),
                 device_path=disk, enable=1)
        self.open()

    def open(self):
        """Makes the target listen."""
        _set(PORT, addr_trtype="rdma", addr_traddr=self._address,
             addr_adrfam="ipv6" if ":" in self._address else "ipv4",
             addr_trsvcid=SERVICE)
        if self._inline is not None:
            (PORT / "param_inline_data_size").write_text(str(self._inline))
        self._link.symlink_to(self._subsystem)

    def close(self):
        """Stops listening, and ends all connections. Does nothing if the target does
        not listen."""
        with contextlib.suppress(FileNotFoundError):
            self._link.unlink()
        with contextlib.suppress(FileNotFoundError):
            PORT.rmdir()

    def down(self):
        """Removes the port, the subsystem and the namespaces that exist."""
        self.close()
        for path in self._subsystem.glob("namespaces/*"):
            path.rmdir()
        with contextlib.suppress(FileNotFoundError):
            self._subsystem.rmdir()

    def __enter__(self):
        try:
            self.up()
        except BaseException:
            self.down()
            raise
        return self

    def __exit__(self, *_):
        self.down()


class Host:
    """A connection to a target. disks: paths of the target's disks in this machine."""

    def __init__(self, address, *options):
        run("modprobe", "nvme-rdma")
        run("nvme", "connect", "-t", "rdma", "-a", address, "-s", SERVICE,
            "-n", NQN, *options)
        try:
            self.disks = wait_until(_disks, "no disk appears")
        except TimeoutError:
            self.disconnect()
            raise

    @staticmethod
    def disconnect():
        """Disconnects from the target, which removes its disks here."""
        run("nvme", "disconnect", "-n", NQN)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.disconnect()


def controller():
    """The directory of the controller, None if there is none."""
    for path in CLASS.glob("nvme*"):
        with contextlib.suppress(OSError):
            if (path / "subsysnqn").read_text().strip() == NQN:
                return path
    return None


def _disks():
    here = controller()
    # with multipath a namespace is named nvme0c1n2, without it nvme0n2
    return here and sorted("/dev/" + re.sub(r"c\d+", "", path.name)
                           for path in here.glob("nvme*n*"))


def main(action, *args):
    """Runs the program; the first comment of this file has its usage."""
    inline = None
    if "--inline" in args:
        at = args.index("--inline")
        inline, args = args[at + 1], args[:at] + args[at + 2:]
    if action == "connect":
        print(*Host(*args).disks, sep="\n")
    elif action == "disconnect":
        Host.disconnect()
    elif action in ("close", "down"):
        getattr(Target("", []), action)()
    else:
        address, *disks = args
        getattr(Target(address, disks, inline), action)()


if __name__ == "__main__":
    main(*sys.argv[1:])

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Takes the driver off its device, and lets it have it again, ready for use.

Must not know: what is tested with that.
"""

import glob
import os
import pathlib
import subprocess
import time

DRIVER = pathlib.Path("/sys/bus/pci/drivers/xrdma")
PCI = os.environ.get("XRDMA_PCI", "none")
DEVICE = pathlib.Path("/sys/bus/pci/devices") / PCI
PATIENCE = 60


def bound():
    """Whether the driver has the device."""
    return (DRIVER / PCI).exists()


def write(path, text):
    """Once: a buffered file tries again, when it is closed, what has failed."""
    with open(path, "wb", buffering=0) as file:
        file.write(text.encode())


def unbind():
    """OSError if the driver does not let go."""
    write(DRIVER / "unbind", PCI)


def bind():
    """OSError if the driver does not take it."""
    write(DRIVER / "bind", PCI)


def _wait(look):
    end = time.monotonic() + PATIENCE
    while not (found := look()):
        if time.monotonic() > end:
            raise TimeoutError(look.__name__)
        time.sleep(0.05)
    return found


def _made(kind):
    return [os.path.basename(path) for path in glob.glob(f"{DEVICE}/{kind}/*")]


def _netdev():
    return _made("net")


def _ibdev():
    return _made("infiniband")


def _gid_index():
    address = bytes(map(int, os.environ["XRDMA_ADDR"].split("."))).hex()
    gid = f"0000:0000:0000:0000:0000:ffff:{address[:4]}:{address[4:]}"
    done = subprocess.run(["lab-gid", os.environ["XRDMA_DEV"], gid],
                          capture_output=True, text=True, check=False)
    return done.stdout.split() if done.returncode == 0 else None


def ready():
    """Gives a device that was bound its addresses; the environment tells the
    names, as at the start of the machine."""
    os.environ["XRDMA_NETDEV"], = _wait(_netdev)
    net = os.environ["XRDMA_NETDEV"]
    for words in (f"link set {net} mtu 4500 up",
                  f"address add {os.environ['XRDMA_ADDR']}/24 dev {net}",
                  f"address add {os.environ['XRDMA_ADDR6']}/64 dev {net} nodad"):
        subprocess.run(["ip", *words.split()], check=True)
    os.environ["XRDMA_DEV"], = _wait(_ibdev)
    os.environ["XRDMA_GID_INDEX"], = _wait(_gid_index)


def again():
    """A fresh start."""
    if bound():
        unbind()
    bind()
    ready()

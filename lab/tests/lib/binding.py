# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Unbinds the driver from its device, binds it again, and sets up the device for use.
The whole set-up after a boot is in function.py."""

import glob
import os
import pathlib
import subprocess
import time

DRIVER = pathlib.Path("/sys/bus/pci/drivers/xrdma")
PCI = os.environ.get("XRDMA_PCI", "none")
DEVICE = pathlib.Path("/sys/bus/pci/devices") / PCI
PATIENCE = 60
DEPTH = "64"        # entries of the smallest ring


def bound():
    """Whether the driver is bound to the device."""
    return (DRIVER / PCI).exists()


def write(path, text):
    """Writes text to a file by one unbuffered write(). A buffered file would repeat a
    failed write when it is closed."""
    with open(path, "wb", buffering=0) as file:
        file.write(text.encode())


def unbind():
    """Unbinds the driver from the device. OSError if that fails."""
    write(DRIVER / "unbind", PCI)


def bind():
    """Binds the driver to the device. OSError if that fails."""
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


def few_buffers(net):
    """Makes the rings of the network interface as small as possible, until the driver is
    bound again. The kernel then allocates and maps a quarter of the pages when the
    interface is set up, which saves the debug kernel seconds."""
    subprocess.run(["ethtool", "-G", net, "rx", DEPTH, "tx", DEPTH], check=True)


def ready(small=False):
    """Sets the addresses of a device that was bound again, and the environment
    variables with its names, as lab/guest/init does. @small: few_buffers() first"""
    os.environ["XRDMA_NETDEV"], = _wait(_netdev)
    net = os.environ["XRDMA_NETDEV"]
    if small:
        few_buffers(net)
    for words in (f"link set {net} mtu 4500 up",
                  f"address add {os.environ['XRDMA_ADDR']}/24 dev {net}",
                  f"address add {os.environ['XRDMA_ADDR6']}/64 dev {net} nodad"):
        subprocess.run(["ip", *words.split()], check=True)
    os.environ["XRDMA_DEV"], = _wait(_ibdev)
    os.environ["XRDMA_GID_INDEX"], = _wait(_gid_index)


def again():
    """Unbinds the driver if it is bound, binds it again, and calls ready()."""
    if bound():
        unbind()
    bind()
    ready()

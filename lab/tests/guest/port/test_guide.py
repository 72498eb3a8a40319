# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The commands of the user's guide for the Ethernet port work as they are written. Runs
in a guest, whose interface may have another name than that of the guide."""

import os
import pathlib
import re
import subprocess

import pytest

from lib.paths import TOP

GUIDE = TOP / "Documentation/infiniband/xrdma.rst"
NETDEV = os.environ.get("XRDMA_NETDEV")
ADDRESS = "192.168.77.1/24"
# option of ethtool -> what the command of the guide sets, as another command shows it
SHOWN = {"-K": ("-k", "tcp-segmentation-offload", "off"), "-A": ("-a", "TX", "off"),
         "-C": ("-c", "rx-usecs", "50"), "-L": ("-l", "Combined", "4"),
         "-G": ("-g", "RX", "512")}


def commands(tool):
    """The commands of the guide that run a tool for eth0: those in the text, and those
    in blocks, which may have comments."""
    text = GUIDE.read_text(encoding="utf-8")
    inline = re.findall(rf"``({tool}\s[^`]*)``", text)
    lines = [" ".join(command.split()) for command in
             inline + re.findall(rf"^ +({tool} .*)$", text, re.M)]
    return [line for line in dict.fromkeys(lines) if re.search(r"\beth0\b", line)]


def sh(command):
    """The output of a command, which must succeed."""
    done = subprocess.run(["sh", "-ec", re.sub(r"\beth0\b", NETDEV, command)],
                          check=False, capture_output=True, text=True)
    assert not done.returncode, done.stderr
    return done.stdout


def shown(option, name):
    """The last value that ethtool shows for a name: the present one."""
    return re.findall(rf"^{name}:\s+(\S+)", sh(f"ethtool {option} eth0"), re.M)[-1]


@pytest.fixture
def settings():
    """Gives the interface its settings back."""
    channels = shown("-l", "Combined")
    yield
    for words in ("-K eth0 tso on", "-A eth0 tx on", "-C eth0 rx-usecs 0 rx-frames 0",
                  "-X eth0 default", f"-L eth0 combined {channels}",
                  "-G eth0 rx 256 tx 256"):
        sh(f"ethtool {words}")


def test_ethtool(settings):
    done = set()
    for command in commands("ethtool"):
        output, option = sh(command), command.split()[1]
        done.add(option)
        if option in SHOWN:
            show, name, value = SHOWN[option]
            assert shown(show, name) == value, command
        elif option != "-X":
            assert output.strip()
    assert done == {"-i", "-a", "-k", "-S", "-T", "-l", "-X", "-n", *SHOWN}


def test_time_stamps_of_all_frames():
    """The guide's command switches time stamps of all sent and received frames on."""
    found = commands("hwstamp_ctl")
    assert len(found) == 1
    try:
        sh(found[0])
        settings = sh("hwstamp_ctl -i eth0")
    finally:
        sh("hwstamp_ctl -i eth0 -t 0 -r 0")
    assert re.findall(r"^(\w+) (\d+)$", settings, re.M) == \
        [("tx_type", "1"), ("rx_filter", "1")]


def gids():
    """The GID table of the port in sysfs: index -> GID."""
    where = next(pathlib.Path(f"/sys/class/net/{NETDEV}/device/infiniband").iterdir())
    return {path.name: path.read_text() for path in
            (where / "ports/1/gids").iterdir()}


def test_address():
    """The guide's commands add the address of the interface, which adds its GID."""
    before = gids()
    sh(f"ip address del {ADDRESS} dev eth0")
    assert len(set(gids().values())) < len(set(before.values()))
    found = commands("ip")
    assert found == [f"ip address add {ADDRESS} dev eth0", "ip link set eth0 up"]
    for command in found:
        sh(command)
    assert gids() == before

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The manual pages of the packages name what the programs take, and nothing else; the
help of xrdma-vm needs neither root nor a root image. Runs on the host, without a guest."""

import re
import subprocess

import pytest

from labvm import options
from lib.paths import TOP

MANUAL = TOP / "packages/man"
DRIVER = TOP / "drivers/infiniband/hw/xrdma"
OPTION = r"--[a-z][a-z-]*"


def manual(name):
    """The text of a manual page, with its dashes as dashes."""
    return (MANUAL / name).read_text(encoding="utf-8").replace("\\-", "-")


def section(text, name):
    """A section of a manual page."""
    return re.search(rf"^\.SH {name}\n(.*?)(?=^\.SH |\Z)", text, re.M | re.S).group(1)


def test_xrdma_device_has_the_options_of_its_help_and_its_manual():
    text = (TOP / "model/main.c").read_text(encoding="utf-8")
    parsed = {f"--{name}" for name in re.findall(r'^\t\{ "([a-z-]+)", \w+_arg', text, re.M)}
    shown = set(re.findall(rf'^\t +"  ({OPTION})', text, re.M))
    assert len(parsed) > 10
    assert parsed == shown
    assert parsed == set(re.findall(OPTION, section(manual("xrdma-device.1"), "OPTIONS")))


def test_xrdma_fault_has_the_kinds_and_options_of_its_manual():
    shown = subprocess.run([TOP / "lab/guest/bin/xrdma-fault", "--help"], check=True,
                           capture_output=True, text=True).stdout
    text = re.sub(r"\\f.", "", manual("xrdma-fault.1"))
    kinds, own = section(text, "KINDS"), section(text, "SYNOPSIS")
    assert set(re.findall(r"^  ([a-z-]+) --", shown, re.M)) == \
        set(re.findall(r'^\.BI "([a-z-]+) --', kinds, re.M))
    assert set(re.findall(OPTION, shown)) == set(re.findall(OPTION, kinds + own))
    for word in re.findall(r"[a-z]+(?:-[a-z]+)*-err\b|\b[a-z]+-(?:fatal|limit|est)\b", shown):
        assert re.search(rf"\b{word}\b", kinds), word


def machine_options():
    """The options of xrdma-vm run that are not for tests, as its help shows them, and
    the help."""
    text = options._build_parser()[1]["run"].format_help()
    ours = text.split("for tests of the lab and the driver:")[0]
    return set(re.findall(rf"^  ({OPTION})", ours, re.M)), text


def test_xrdma_vm_has_the_options_of_its_manual():
    found, text = machine_options()
    assert len(found) > 10
    assert set(re.findall(OPTION, section(manual("xrdma-vm.1"), "OPTIONS"))) == \
        found | {"--help"}
    for variable in re.findall(r"^  ((?:XRDMA|PEER)_\w+) ", text, re.M):
        assert re.search(rf"\b{variable}\b", section(manual("xrdma-vm.1"), "ENVIRONMENT"))


def test_the_manual_of_the_driver_has_its_largest_mtu():
    header = (DRIVER / "xrdma_eth.h").read_text(encoding="utf-8")
    largest = re.search(r"XRDMA_ETH_MAX_MTU\s+(\d+)", header).group(1)
    assert f"The largest MTU of the interface is {largest};" in manual("xrdma.4")


# Runs the command as an ordinary user of a machine on which the package xrdma-vm is
# installed, and whose root image does not exist yet.
INSTALLED = """
mount -t tmpfs none /etc
mount -t tmpfs none /usr/share
mkdir /usr/share/xrdma-vm
mount --bind /src /usr/share/xrdma-vm
cd /
XRDMA_CACHE=/nowhere exec setpriv --reuid 65534 --clear-groups "$@"
"""


def installed(*arguments):
    return subprocess.run(
        ["unshare", "--mount", "sh", "-ec", INSTALLED, "sh", "sh",
         "/src/packages/xrdma-vm", *arguments],
        capture_output=True, text=True, check=False)


@pytest.mark.parametrize("action", ["run", "shell"])
def test_everybody_may_read_the_help_of_xrdma_vm(action):
    out = installed(action, "--iommu", "--help")
    assert out.returncode == 0 and not out.stderr
    assert f"usage: xrdma-vm {action} " in out.stdout
    assert machine_options()[0] <= set(re.findall(OPTION, out.stdout))


def test_xrdma_vm_without_root_is_refused():
    out = installed("run", "--", "cat", "--help")
    assert out.returncode == 2 and not out.stdout
    assert "needs root" in out.stderr


def test_xrdma_vm_names_a_command_that_it_does_not_know():
    out = installed("start")
    assert out.returncode == 2 and not out.stdout
    assert "no such command: 'start'; commands: run, shell" in out.stderr


def test_no_page_names_a_file_in_tmp():
    """Another user of the machine can make a file of that name first."""
    pages = [TOP / "README.md", *MANUAL.iterdir(), *(TOP / "Documentation").rglob("*.rst")]
    assert len(pages) > 8
    assert not [page.name for page in pages
                if re.search(r"/tmp\b", page.read_text(encoding="utf-8"))]

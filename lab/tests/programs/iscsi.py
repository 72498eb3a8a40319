# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""iSCSI over RDMA (iSER): offers a disk by a target in the kernel (LIO) or in a process
(tgt), or connects to a target by open-iscsi, in the machine that runs this program.

  iscsi.py lio-up | tgt-up ADDRESS DISK     offers a block device
  iscsi.py lio-down | tgt-down              ends the target
  iscsi.py lio-close | tgt-close ADDRESS DISK
                                            ends all connections, and
                                            stops listening
  iscsi.py lio-open | tgt-open ADDRESS DISK listens again
  iscsi.py know ADDRESS                     adds the target to the database of
                                            open-iscsi
  iscsi.py login ADDRESS                    prints the path of the disk
  iscsi.py logout                           removes the target from the database

The tests that start this program read and write the disk.
"""

import contextlib
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from lib.nvmet import run, wait_until  # noqa: E402

CONFIG = pathlib.Path("/sys/kernel/config/target")
NAME = "iqn.2026-01.test.xrdma:disk"
HOST = "iqn.2026-01.test.xrdma:host"
CORE = CONFIG / "core" / "iblock_0"
GROUP = CONFIG / "iscsi" / NAME / "tpgt_1"
SESSIONS = pathlib.Path("/sys/class/iscsi_session")
RECORDS = pathlib.Path("/etc/iscsi")
LOCKS = pathlib.Path("/run/lock/iscsi")


def _portal(address):
    return GROUP / "np" / f"{address}:3260"


# ---- LIO ---------------------------------------------------------------------


def lio_up(address, disk):
    """Offers the disk to all initiators."""
    run("modprobe", "-a", "target_core_iblock", "iscsi_target_mod", "ib_isert")
    if not CONFIG.exists():
        run("mount", "-t", "configfs", "none", "/sys/kernel/config")
    (CORE / "disk").mkdir(parents=True)
    (CORE / "disk" / "control").write_text(f"udev_path={disk}")
    (CORE / "disk" / "enable").write_text("1")
    GROUP.mkdir(parents=True)
    for name, value in (("authentication", 0), ("generate_node_acls", 1),
                        ("demo_mode_write_protect", 0)):
        (GROUP / "attrib" / name).write_text(str(value))
    lun = GROUP / "lun" / "lun_0"
    lun.mkdir()
    (lun / "disk").symlink_to(CORE / "disk")
    lio_open(address)


def lio_open(address, _=None):
    """Makes the target listen, over RDMA only."""
    portal = _portal(address)
    portal.mkdir()
    (portal / "iser").write_text("1")
    (GROUP / "enable").write_text("1")


def lio_close(address, _):
    """Ends all connections, and stops listening."""
    (GROUP / "enable").write_text("0")
    _portal(address).rmdir()


def lio_down():
    """Removes the objects of the target that exist."""
    if GROUP.exists():
        (GROUP / "enable").write_text("0")
    for path in GROUP.glob("lun/lun_0/disk"):
        path.unlink()
    for path in (*GROUP.glob("np/*"), *GROUP.glob("lun/*_0"), GROUP,
                 GROUP.parent, GROUP.parent.parent, CORE / "disk", CORE):
        with contextlib.suppress(FileNotFoundError):
            path.rmdir()


# ---- tgt ---------------------------------------------------------------------


def _tgtadm(*args):
    return run("tgtadm", "--lld", "iser", *args)


def tgt_up(_, disk):
    """Offers the disk to HOST on all addresses. The iSER code of tgtd needs the name of
    the host in addition to its address, and allocates 1 GiB of buffers by default."""
    run("tgtd", "--iser", "pool_sz_mb=64")
    wait_until(lambda: not _fails(run, "tgtadm", "--op", "show", "--mode",
                                  "target"), "tgtd does not listen")
    one = "--mode", "target", "--tid", "1"
    _tgtadm("--op", "new", *one, "-T", NAME)
    _tgtadm("--op", "new", "--mode", "logicalunit", "--tid", "1", "--lun", "1",
            "-b", disk)
    _tgtadm("--op", "bind", *one, "-I", "ALL")
    _tgtadm("--op", "bind", *one, "-Q", HOST)


def tgt_down():
    """Kills tgtd."""
    subprocess.run(["pkill", "-9", "-x", "tgtd"], check=False)
    wait_until(lambda: _fails(run, "pidof", "tgtd"), "tgtd does not end")


def tgt_close(_, _disk):
    """Kills tgtd, which ends its connections."""
    tgt_down()


tgt_open = tgt_up


# ---- open-iscsi --------------------------------------------------------------


def _fails(call, *args):
    try:
        call(*args)
    except OSError:
        return True
    return False


def _find_disk():
    found = list(SESSIONS.glob("session*/device/target*/*/block/*"))
    return found and "/dev/" + found[0].name


def _start():
    """Loads the modules, and starts iscsid with this initiator's name."""
    run("modprobe", "-a", "iscsi_tcp", "ib_iser", "sd_mod")
    LOCKS.mkdir(parents=True, exist_ok=True)
    name = RECORDS / "initiatorname.iscsi"
    words = f"InitiatorName={HOST}\n"
    if not name.exists() or name.read_text() != words:
        name.write_text(words)
        subprocess.run(["pkill", "-x", "iscsid"], check=False)
        wait_until(lambda: _fails(run, "pidof", "iscsid"), "iscsid does not end")
    if _fails(run, "pidof", "iscsid"):
        run("iscsid")


def know(address):
    """Adds the target to open-iscsi's database. There is no discovery by iSER:
    iscsiadm 2.1 sometimes crashes after the answer of LIO, and rejects that of tgt."""
    _start()
    run("iscsiadm", "-m", "node", "-o", "new", "-T", NAME, "-p", address, "-I",
        "iser")


def login(address):
    """Logs in, and prints the path of the disk."""
    run("iscsiadm", "-m", "node", "-T", NAME, "-p", address, "--login")
    print(wait_until(_find_disk, "no disk appears"))


def logout():
    """Logs out, and removes the target from open-iscsi's database."""
    run("iscsiadm", "-m", "node", "-T", NAME, "--logout")
    for name in ("nodes", "send_targets"):
        shutil.rmtree(RECORDS / name, ignore_errors=True)


def main(action, *args):
    """Runs the program; the first comment of this file has its usage."""
    globals()[action.replace("-", "_")](*args)


if __name__ == "__main__":
    main(*sys.argv[1:])

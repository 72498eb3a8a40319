# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Which accelerator QEMU uses: KVM or TCG (emulation of the processor).

That /dev/kvm opens and makes virtual machines is no proof that KVM works: some hosts
are virtual machines themselves, and stop the guest at an instruction of an ordinary
kernel. So probe() boots the kernel of the lab by KVM, and choose() caches the result.
machine.py uses the choice; this module knows neither devices nor nodes.
"""

import hashlib
import json
import os
import platform
import shutil
import tempfile
import time

from . import job, process

KINDS = ("auto", "kvm", "tcg")
QEMU = "qemu-system-x86_64"
DEVICE = "/dev/kvm"

_LIMIT_S = 20.0         # a kernel needs 1 s by KVM; the host may be busy
# The initrd prints this in user space if the machine has no 9p share.
_REACHED = b"lab: cannot mount image"
_BROKEN = b"KVM internal error"


def probe(boot, limit=_LIMIT_S, qemu=QEMU):
    """Boots the kernel in the directory boot by KVM, without any device. Returns None
    if the kernel reaches user space, and otherwise the reason why KVM does not work."""
    with tempfile.TemporaryDirectory(prefix="xrdma-kvm-") as work:
        initrd, log = os.path.join(work, "initrd"), os.path.join(work, "log")
        job.append(os.path.join(boot, "initrd"), initrd, {}, [])
        child = process.start(
            [qemu, "-nodefaults", "-no-user-config", "-display", "none",
             "-no-reboot", "-accel", "kvm", "-machine", "q35", "-cpu", "max",
             "-m", "512M", "-kernel", os.path.join(boot, "vmlinux"),
             "-initrd", initrd, "-append", "console=ttyS0 panic=-1",
             "-serial", "stdio"], log)
        try:
            return _judge(child, log, limit)
        finally:
            child.kill()
            child.wait()


def _judge(child, log, limit):
    """Reads what QEMU and the kernel print until the result is known."""
    deadline = time.monotonic() + limit
    while True:
        ended = child.poll() is not None
        with open(log, "rb") as file:
            text = file.read()
        if _REACHED in text:
            return None
        if _BROKEN in text:
            return "KVM stopped a kernel with an internal error"
        if ended:
            last = text.decode(errors="replace").strip().rpartition("\n")[2]
            return f"QEMU ended when it booted a kernel by KVM: {last}"
        if time.monotonic() > deadline:
            return f"by KVM, a kernel did not reach user space within {limit:g} s"
        time.sleep(0.02)


def _identity():
    """A hash of what the result of the probe depends on: the host's kernel and
    processor, and QEMU."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            processor = file.read().partition("\n\n")[0]
    except OSError:
        processor = ""
    # the frequency changes all the time
    lines = [line for line in processor.splitlines() if "MHz" not in line]
    facts = [platform.release(), platform.version(), *lines]
    qemu = shutil.which(QEMU)
    if qemu:
        found = os.stat(qemu)
        facts.append(f"{found.st_mtime_ns} {found.st_size}")
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()


def _cached(path, find):
    """The result that the file at path has for this host. If it has none, the result of
    find(), which is written to the file if that is possible."""
    identity = _identity()
    try:
        with open(path, encoding="utf-8") as file:
            known = json.load(file)
        if known["identity"] == identity:
            return known["reason"]
    except (OSError, ValueError, KeyError, TypeError):
        pass
    reason = find()
    try:
        with open(f"{path}.{os.getpid()}", "w", encoding="utf-8") as file:
            json.dump({"identity": identity, "reason": reason}, file)
        os.replace(f"{path}.{os.getpid()}", path)
    except OSError:
        pass
    return reason


def choose(wanted, boot, cache, find=probe, device=DEVICE):
    """Returns ("kvm" or "tcg", the reason).

    wanted: one of KINDS. boot: the directory with kernel and initrd. cache: the file
    for the result of find(boot), or None to find it each time.
    """
    if wanted != "auto":
        return wanted, f"--accel {wanted}"
    try:
        os.close(os.open(device, os.O_RDWR))
    except OSError as err:
        return "tcg", f"{device}: {err.strerror}"
    reason = _cached(cache, lambda: find(boot)) if cache else find(boot)
    return ("tcg", reason) if reason else ("kvm", "a kernel booted by KVM")

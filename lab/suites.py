# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The test suites of lab/check: what each of them runs, and for how long at most.
lab/check starts the suites and counts their results."""

import os
import shlex

from labvm import kernels

LAB = os.path.dirname(os.path.realpath(__file__))
PYTEST = ["python3", "-Bu", "-m", "pytest", "-p", "no:cacheprovider", "-v",
          "--color=no", "--tb=short"]

# Suites: NAME -> (format of the report, time limit in seconds, command). Suites start
# in the order of the tables, but a suite whose kernel is being built starts after the
# build. The format is "tap", "junit" (a file results.xml) or "status" (the exit status
# is the result of one test). In the command, {dir} stands for a directory that is
# shared with the suite; a junit suite writes results.xml there.


def _guest(kernel, *options, limit=1800, tests=("guest",), env=()):
    return ("junit", limit, [
        "lab/vm", "run", "--kernel", kernel, *options, "--mem", "3G",
        "--share", "{dir}", "--timeout", str(limit - 30), "--",
        "env", "-C", "/root", *env,
        *PYTEST, "--junitxml=/mnt/results.xml",
        *(f"/src/lab/tests/{path}" for path in tests)])


# rdma_rxe takes an acknowledgment of an earlier message, which answers a duplicate, for
# the end of a READ of which it has received a part: check_psn() in rxe_comp.c passes the
# acknowledgment on, and rxe_completer() sets comp.opcode to -1. The next part of the READ
# then ends the connection, with this warning. IBTA has the responder acknowledge each
# duplicate. On a wire that loses 1%, 3 of 3 runs of NVMe-oF had the warning, and none of
# 24 rounds in an experiment with a device that left these acknowledgments out.
RXE = ["--allow-splat", r"WARNING: .* rxe_completer\+|Call Trace:"]


def _nodes(kernel, peer, *options, limit=1800):
    """A suite that runs all tests between two nodes in one pair of guests."""
    options += tuple(RXE) if peer == "rxe" else ()
    return _guest(kernel, "--peer", peer, *options, limit=limit, tests=("nodes",))


def _host(pattern, limit, *options, before="true"):
    return ("junit", limit, [
        "sh", "-c", f'{before} && exec "$@" {pattern}', "sh",
        *PYTEST, *options, "--junitxml={dir}/results.xml"])


def _scenarios(*names, limit):
    return _host(" ".join(f"lab/tests/scenarios/{name}/host_{name}.py"
                          for name in names), limit)


def _soak_guest(kernel, *options, tests=None):
    return _guest(kernel, *options, limit=4 * HOUR, tests=tests or _long(),
                  env=["XRDMA_SOAK=1"])


def _soak_nodes(kernel, peer):
    options = RXE if peer == "rxe" else ()
    return _soak_guest(kernel, "--peer", peer, "--fast-device", *options,
                       tests=_long("nodes"))


HOUR = 3600
# tests with a long form that run in a suite of their own ("killed")
ALONE = ["guest/process/test_killed.py"]


def _long(where="guest"):
    """The paths of tests below lab/tests/WHERE that have a long form. Such a test
    imports lib/soak.py."""
    top = os.path.join(LAB, "tests")
    paths = sorted(os.path.relpath(os.path.join(directory, name), top)
                   for directory, _, names in os.walk(os.path.join(top, where))
                   for name in names if name.startswith("test_"))
    return [path for path in paths if path not in ALONE and
            "from lib.soak import" in open(os.path.join(top, path)).read()]


# The device of a suite has shadow doorbells, unless the suite has these options.
# `make check` runs each way with one of the two Debian kernels.
PLAIN = ["--device-arg=--no-shadow-db"]
# The device of a suite with these options has push pages, which the provider uses if the
# device has no shadow doorbells.
PUSH = [*PLAIN, "--device-arg=--push=use"]
NEWEST, STABLE = kernels.BY_ROLE["backports"], kernels.BY_ROLE["stable"]
DEVICE = ["make", "-s", "-C", "model", "O=/src/build/model", "CC=ccache gcc"]
# lab/build locks the same file, because a suite that runs at the same time may build
# the device too.
BUILD_DEVICE = ("mkdir -p build && flock build/.lock " +
                shlex.join(DEVICE + ["SANITIZE=1", "all", "stub"]))
PROTOCOL = (BUILD_DEVICE +
            " && export XRDMA_DEVICE=/src/build/model/xrdma-device"
            " XRDMA_DEVICE_STUB=/src/build/model/xrdma-device-stub")

# Each test program of the provider runs, even if an earlier one has failed.
PROVIDER = """
lab/build provider-tests && status=0
for test in create domain doorbell post push queue resize shared types; do
    build/rdma-core/out/bin/xrdma_${test}_test || status=1
done
exit ${status-1}"""

# Both run, also if the first fails.
PROOF = "proof/run; status=$?; proof/spin/run && exit $status"
KERNELS = ("lab/kernels/compile --selftest; status=$?; "
           "lab/kernels/compile && exit $status")
PLATFORMS = ("lab/kernels/platforms --selftest; status=$?; "
             "lab/kernels/platforms && exit $status")

TAP_DEVICE = ["env", "CMOCKA_MESSAGE_OUTPUT=TAP", *DEVICE]
UNIT = f"{BUILD_DEVICE} && exec {shlex.join([*TAP_DEVICE, 'check-unit'])}"

# The tests that `make check` runs on the debug kernel, among them the KUnit suites.
# The list is short because an emulated processor needs several times as long for a
# test on the debug kernel.
DEBUG = ["debug/test_kunit.py", "guest/memory/test_bind.py",
         "guest/memory/test_register.py", "guest/memory/test_windows.py",
         "debug/test_fuzz_abi.py", "debug/test_failslab_paged.py",
         "debug/test_failslab.py", "guest/port/test_timestamps.py"]
DEBUG_KERNEL = ["guest/kernel/test_kernel.py",
                "guest/kernel/test_cm_kernel.py"]
DEBUG_NODES = [
    f"nodes/test_{name}.py::test_every_block_is_read_as_written"
    for name in ("nvmeof", "iser")]
# Tests that make allocations fail need this option: the kernel prints a warning and
# the call trace for each vmalloc() that failed.
FAILING_VMALLOC = ["--allow-splat", "vmalloc error|Call Trace:"]
# The device of this test sends false data, which makes the driver violate rules of
# the contract: the suite needs --allow-host-errors.
HOSTILE = ["debug/test_hostile_device.py"]

# An emulated guest keeps one processor busy, so two suites at a time keep two processors
# busy. The order is such that both end at about the same time, the longest suites
# first, and that the suites between two nodes do not run at the same time as each
# other. "guest-debug" starts later if the debug kernel has to be built.
SUITES = {
    # First, because the other suites, whose output is then printed, are shorter. Some
    # tests of this suite boot a guest with --no-build.
    "host": _host("lab/tests/lab/host_*.py lab/tests/scenarios/*/host_*.py",
                  HOUR, before=f"lab/build {NEWEST}"),
    "guest-debug": _guest("debug", "--allow-host-errors", *FAILING_VMALLOC,
                          limit=HOUR, tests=DEBUG + HOSTILE),
    f"nodes-rxe-{STABLE}": _nodes(STABLE, "rxe", *PLAIN),
    f"guest-{STABLE}-iommu": _guest(STABLE, "--iommu", *PLAIN),
    f"guest-{NEWEST}": _guest(NEWEST),
    f"nodes-xrdma-{NEWEST}": _nodes(NEWEST, "xrdma"),
    "proof": ("tap", 1200, ["sh", "-c", PROOF]),
    "lint": ("tap", 1200, ["scripts/lint"]),
    "packages": ("tap", 1200, ["packages/test"]),
    "kernels": ("tap", 1200, ["lab/kernels/compile", "--oldest"]),
    "platforms": ("tap", 1200, ["lab/kernels/platforms", "arm64-64k"]),
    "unit": ("tap", 1200, ["sh", "-c", UNIT]),
    "series": ("tap", 600, ["scripts/check-series"]),
    "protocol": _host("model/tests", 600, before=PROTOCOL),
    "guest-push": _guest(NEWEST, *PUSH, limit=600,
                         tests=["guest/queues/test_push.py"]),
    "provider": ("tap", 300, ["sh", "-c", PROVIDER]),
}

# The suites of --soak: the long form of each test that reads XRDMA_SOAK, and the
# combinations of kernel, address translation (IOMMU or not) and peer that
# `make check` leaves out. `make check` runs each value once, not each combination.
SOAK = {
    "proof-mutants": ("status", HOUR, ["proof/spin/run", "--mutants"]),
    "proof-long": ("tap", HOUR, ["proof/run", "--long"]),
    "header-mutants": ("tap", 4 * HOUR, ["proof/mutants"]),
    "gates": ("tap", HOUR, ["scripts/lint", "--selftest"]),
    "series": ("tap", HOUR, ["scripts/check-series", "--build"]),
    "htmldocs": ("tap", HOUR, ["scripts/check-htmldocs"]),
    "provider": ("tap", HOUR, ["scripts/check-provider", "--all"]),
    "coccinelle": ("tap", HOUR, ["scripts/check-coccinelle"]),
    "smatch": ("tap", HOUR, ["scripts/check-smatch"]),
    "kernels": ("tap", 4 * HOUR, ["sh", "-c", KERNELS]),
    "platforms": ("tap", 2 * HOUR, ["sh", "-c", PLATFORMS]),
    "kunit": ("tap", 900, ["kunit/run"]),
    "hostile": ("tap", 4 * HOUR, [*TAP_DEVICE, "soak"]),
    "fuzz": ("status", 3 * HOUR, [*DEVICE, "fuzz", "FUZZ_SECONDS=3600"]),
    f"guest-{NEWEST}": _soak_guest(NEWEST),
    f"guest-{NEWEST}-iommu": _soak_guest(NEWEST, "--iommu"),
    f"guest-{STABLE}": _soak_guest(STABLE),
    f"guest-{STABLE}-iommu": _soak_guest(STABLE, "--iommu"),
    f"nodes-xrdma-{NEWEST}": _soak_nodes(NEWEST, "xrdma"),
    f"nodes-rxe-{NEWEST}": _soak_nodes(NEWEST, "rxe"),
    f"nodes-xrdma-{STABLE}": _soak_nodes(STABLE, "xrdma"),
    f"nodes-rxe-{STABLE}": _soak_nodes(STABLE, "rxe"),
    # the gcov kernel has kmemleak; the IOMMU faults on DMA without a mapping
    "killed": _soak_guest("gcov", "--iommu", "--fast-device", tests=ALONE),
    f"guest-{NEWEST}-iommu-short": _guest(NEWEST, "--iommu"),
    f"guest-{STABLE}-short": _guest(STABLE),
    f"guest-{NEWEST}-plain": _guest(NEWEST, *PLAIN),
    f"guest-{NEWEST}-push": _guest(NEWEST, *PUSH),
    f"guest-{STABLE}-iommu-push": _guest(STABLE, "--iommu", *PUSH),
    f"nodes-xrdma-{NEWEST}-plain": _nodes(NEWEST, "xrdma", *PLAIN),
    "guest-debug-plain": _guest("debug", "--allow-host-errors", *PLAIN,
                                *FAILING_VMALLOC, limit=HOUR,
                                tests=DEBUG + HOSTILE),
    **{f"guest-{series}-short": _guest(series) for series in kernels.OLDER},
    "guest-debug-short": _guest("debug", limit=HOUR, tests=DEBUG_KERNEL),
    "guest-debug": _soak_guest("debug", tests=["debug/test_fuzz_abi.py"]),
    "guest-debug-failslab": _soak_guest(
        "debug", *FAILING_VMALLOC,
        tests=[f"debug/test_failslab{of}.py" for of in ("_paged", "", "_kernel")]),
    "guest-debug-hostile": _soak_guest("debug", "--allow-host-errors",
                                       tests=HOSTILE),
    "guest-debug-all": _guest("debug", limit=2 * HOUR),
    "guest-debug-iommu": _guest("debug", "--iommu", limit=2 * HOUR),
    "guest-kcsan": _guest("kcsan", limit=2 * HOUR),
    # --allow-splat: isert syncs the header of each response (76 bytes) before it
    # maps the header, and DMA-API debugging complains
    "nodes-xrdma-debug": _guest(
        "debug", "--peer", "xrdma", "--allow-splat",
        r"address=0x0{16}\] \[size=76 bytes\]|at check_sync|Call Trace:",
        limit=2 * HOUR, tests=DEBUG_NODES),
    # four queues need four processors
    f"nodes-storage-{STABLE}": _guest(
        STABLE, "--peer", "xrdma", "--fast-device", "--smp", "4",
        limit=4 * HOUR, tests=["nodes/test_nvmeof.py", "nodes/test_iser.py"],
        env=["XRDMA_SOAK=1"]),
    f"nodes-xrdma-{STABLE}-short": _nodes(STABLE, "xrdma"),
    f"nodes-rxe-{NEWEST}-short": _nodes(NEWEST, "rxe"),
    **{f"nodes-xrdma-{series}-short": _nodes(series, "xrdma")
       for series in kernels.OLDER},
    "bench": ("status", 2 * HOUR, ["bench/run"]),
    "scale": ("status", 2 * HOUR, ["bench/run", "--scale"]),
    "debug-kernels": _host("lab/tests/lab/debug_kernels.py", 2 * HOUR),
    "host": _scenarios("device", "capabilities", "kernel", "keys", "paging",
                       "regions", "uplink", "windows", limit=2 * HOUR),
    "recovery": _scenarios("recovery", limit=2 * HOUR),
    "power": _scenarios("power", limit=2 * HOUR),
    "removal": _scenarios("removal", limit=8 * HOUR),
    "coverage": ("status", 4 * HOUR, ["lab/coverage", "--missed"]),
    "image": ("tap", HOUR, ["image/test"]),
    "recipes": ("tap", HOUR, ["packages/recipes"]),
    "others": ("tap", 2 * HOUR, ["others/run"]),
    "others-image": ("tap", 2 * HOUR, ["others/run", "--image"]),
    **{f"packages-{system}": ("tap", HOUR, ["packages/test", system])
       for system in ("bookworm", "trixie", "sid")},
}

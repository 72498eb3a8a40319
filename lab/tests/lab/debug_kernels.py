# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A bug of each kind must fail a run on the kernel that is there to find it, and a
run without a bug must pass. Runs on the host, in the suite debug-kernels of `make
soak`."""

import subprocess

import pytest

from lib.launch import lab_vm
from lib.soak import on

# kernel, bug of xrdma_planted, expected words of the kernel
BUGS = [
    ("debug", "freed", "KASAN: slab-use-after-free"),
    ("debug", "beyond", "KASAN: slab-out-of-bounds"),
    ("debug", "leak", "unreferenced object"),
    ("debug", "sleep", "sleeping function called|scheduling while atomic"),
    ("debug", "inversion", "possible circular locking"),
    ("debug", "mapping", "device driver has pending DMA allocations"),
    ("debug", "shift", "UBSAN: shift-out-of-bounds"),
    ("debug", "object", "ODEBUG: free active"),
    ("debug", "list", "list_del corruption"),
    ("kcsan", "race", "KCSAN: data-race in planted_counter"),
]


def boot(kernel, *command):
    return subprocess.run(
        lab_vm("--kernel", kernel) + [*command], capture_output=True, text=True,
        timeout=900)


@pytest.mark.parametrize("kernel", [on("debug"), on("kcsan")])
def test_nothing_is_said_of_a_run_without_a_bug(kernel):
    out = boot(kernel, "sh", "-c", "ibv_rc_pingpong -d $XRDMA_DEV -g "
               "$XRDMA_GID_INDEX & sleep 2; ibv_rc_pingpong -d $XRDMA_DEV -g "
               "$XRDMA_GID_INDEX $XRDMA_ADDR && wait $! && rmmod xrdma")
    assert out.returncode == 0, out.stdout + out.stderr


@pytest.mark.parametrize("kernel,bug,words", [on(*bug) for bug in BUGS])
def test_a_bug_fails_the_run(kernel, bug, words):
    out = boot(kernel, "modprobe", "xrdma_planted", f"bug={bug}")
    assert out.returncode in (125, 126), out.stdout + out.stderr
    assert any(word in out.stderr for word in words.split("|")), out.stderr

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Verbs of the kernel on devices that the tests in guest/ do not have: a device
whose windows are of type 2A, a device that is shut down, and a device that dies.
Runs on the host; the module of lab/ktest runs in the guest."""

import subprocess

import pytest

from lib.launch import lab_vm
from lib.soak import kernels

RUN = """
run() { modprobe xrdma_ktest gid_index=$XRDMA_GID_INDEX only=$1; }
show() { cat /sys/kernel/debug/xrdma_ktest && modprobe -r xrdma_ktest; }
run queue_pair_with_windows_ends_by_its_type && show || exit
run shutdown_ends_all_work && show || exit
(cd /src/lab/tests && python3 -Bc "
from lib import binding
binding.unbind()
binding.bind()
binding.ready()") || exit
run dead_device_ends_all_work &
until dmesg | grep -q "xrdma_ktest: the device may die now"; do
    kill -0 $! || exit
    sleep 0.1
done
net=$(echo /sys/class/infiniband/*/device/net/*)
xrdma-device '{"cmd": "register_lie", "register": "STATUS", "value": 772}'
until dmesg | grep -q "the device is dead"; do sleep 0.05; done
# The network loses its link at once, although it takes seconds to silence the device.
sleep 1
echo "carrier $(cat $net/carrier)"
wait
show
"""


@pytest.mark.parametrize("kernel", kernels("stable"))
def test_2a_and_death(kernel):
    done = subprocess.run(
        lab_vm("--kernel", kernel, "--iommu", "--device-arg", "--mw-type",
               "--device-arg", "2A") + ["bash", "-c", RUN],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("queue_pair_with_windows_ends_by_its_type",
                 "shutdown_ends_all_work", "dead_device_ends_all_work"):
        assert f"\nok 1 {name}\n" in done.stdout, done.stdout
    assert "\ncarrier 0\n" in done.stdout, done.stdout

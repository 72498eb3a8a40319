# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""SRP: a target (LIO, ib_srpt) and an initiator (ib_srp) in the kernels of two
nodes, set up as the user's guide says. Runs in node 1 of two."""

import pytest

from lib.nodes.guide import Consumer, Lent
from lib.nodes.sides import MIB, fio, wait_out
from lib.nodes.trouble import EveryPacket, Link
from lib.nvmet import wait_until
from lib.soak import soak

# size of blocks, depth of the queue, bytes, times
VERIFIED = soak([("512", 16, "256k", 1), ("4k", 32, "1m", 1),
                 ("1m", 16, "16m", 1)],
                [("512", 64, "4m", 1), ("4k", 32, "32m", 1),
                 ("64k", 16, "48m", 8), ("1m", 64, "48m", 8)])
# commands that the guide leaves out: remove the target's objects, in reverse order
TEAR_DOWN = """
cd /sys/kernel/config/target
echo 0 >srpt/discovery_auth/rdma_cm_port
for port in srpt/0x*; do
    tpg=$port/${port#*/}
    echo 0 >$tpg/enable
    rm $tpg/acls/*/lun_0/lun_0 && rmdir $tpg/acls/*/lun_0 $tpg/acls/*
    rm $tpg/lun/lun_0/disk && rmdir $tpg/lun/lun_0 $tpg $port
done
rmdir srpt core/iblock_0/disk core/iblock_0
modprobe -r brd"""


@pytest.fixture(name="srp", scope="module", params=[
    1, pytest.param(2, marks=pytest.mark.rxe_only)],
    ids=lambda number: f"initiator{number}")
def _srp(_nodes, request):
    srp = Consumer(_nodes, "SRP", request.param)
    srp.begin()
    try:
        yield srp
    finally:
        srp.end(TEAR_DOWN, "ib_srp ib_srpt")


@pytest.fixture(name="disk")
def _disk(srp):
    find = "cd /sys/block && ls -d sd* 2>/dev/null || true"
    wait_until(lambda: srp.initiator.run(find), "no disk appears")
    return "/dev/" + srp.initiator.run(find).split()[0]


@pytest.mark.parametrize("size, depth, amount, times", VERIFIED)
def test_every_block_is_read_as_written(srp, disk, size, depth, amount, times):
    done = fio(srp.initiator, disk,
               f"--rw=randwrite --bs={size} --iodepth={depth} "
               f"--size={amount} --loops={times}", soak(120, 3600))
    number, unit = int(amount[:-1]), {"k": 1024, "m": MIB}[amount[-1]]
    assert done == number * unit * times


# the initiator reconnects 10 s after a lost connection; I/O waits for up to 15 s
@pytest.mark.parametrize("what, seconds", soak(
    [(EveryPacket, 0)], [(EveryPacket, 0), (Link, 7)]))
def test_storage_continues_after_an_outage(srp, disk, wire, what, seconds):
    lent = Lent(srp, disk)
    wait_out(lent, what(lent, wire), [seconds])

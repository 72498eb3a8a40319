# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The consumers in the user's guide that no other test sets up by it: the commands
of the guide must do what it says, and must leave nothing behind. Runs in node 1 of
two."""

import pathlib
import re

import pytest

from lib.nodes import guide

CHAPTER = "Consumers in the kernel"
ELSEWHERE = {"NFS over RDMA": "test_nfs.py", "SRP": "test_srp.py",
             "RDS": "test_rds.py", "SMC-R": "test_smc.py"}
# consumer -> (commands in the target at the end that the guide leaves out, modules)
REST = {
    "NVMe over Fabrics": ("modprobe -r brd", "nvme_rdma nvmet_rdma"),
    "iSER": ("""
cd /sys/kernel/config/target
tpg=iscsi/iqn.2026-01.test.xrdma:disk/tpgt_1
echo 0 >$tpg/enable
rmdir $tpg/np/*
rm $tpg/lun/lun_0/disk
rmdir $tpg/lun/lun_0 $tpg ${tpg%/*} iscsi core/iblock_0/disk core/iblock_0
modprobe -r brd""", "ib_isert"),
    "iSER from a process": ("modprobe -r brd", ""),
}


def consumers():
    """The titles of the guide's sections on consumers."""
    lines = pathlib.Path(guide.GUIDE).read_text(encoding="utf-8").splitlines()
    lines = lines[lines.index(CHAPTER) + 2:]
    titles = []
    for title, line in zip(lines, lines[1:]):
        if title and re.fullmatch("={3,}", line):
            break
        if title and re.fullmatch("-{3,}", line):
            titles.append(title)
    return titles


@pytest.mark.parametrize("title", [title for title in consumers()
                                   if title not in ELSEWHERE])
def test_the_commands_work(nodes, title):
    consumer = guide.Consumer(nodes, title, 1)
    try:
        consumer.begin()
    finally:
        consumer.end(*REST.get(title, ()))


def test_the_other_consumers_have_tests():
    here = pathlib.Path(__file__).parent
    for title, name in ELSEWHERE.items():
        assert title in consumers()
        assert f'Consumer(_nodes, "{title}"' in (here / name).read_text()

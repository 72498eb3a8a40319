# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""NFS 4.2 over RDMA: server and client are in the kernels of two nodes, set up as
the user's guide says. Runs in node 1 of two."""

import pytest

from lib.nodes.guide import Consumer, Lent, Port
from lib.nodes.sides import MIB, fio, wait_out
from lib.nodes.trouble import EveryPacket, Link
from lib.soak import soak

SHARE = "/media/share"
TREE = soak("/usr/include/rdma", "/usr/include")
SUM = "find . -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum"
# size of blocks, depth of the queue, bytes
VERIFIED = soak([("4k", 16, "1m"), ("1m", 4, "8m")],
                [("512", 4, "8m"), ("4k", 16, "64m"), ("64k", 16, "256m"),
                 ("1m", 8, "512m")])


@pytest.fixture(name="nfs", scope="module", params=[
    1, pytest.param(2, marks=pytest.mark.rxe_only)],
    ids=lambda number: f"initiator{number}")
def _nfs(_nodes, request):
    nfs = Consumer(_nodes, "NFS over RDMA", request.param)
    nfs.target.run("mkdir -p /srv/share && "
                   "mount -t tmpfs -o size=1500m share /srv/share")
    nfs.begin()
    try:
        # ends the grace period, if there is one: no client has state to reclaim
        nfs.target.run("echo Y >/proc/fs/nfsd/v4_end_grace || true")
        yield nfs
    finally:
        nfs.end("pkill rpc.mountd; pkill nfsdcld; "
                "umount /srv/share /proc/fs/nfsd /run/rpc_pipefs")


@pytest.fixture(name="port")
def _port(nodes):
    """Checks after each test that the data was moved by RDMA."""
    port = Port(nodes)
    yield port
    port.assert_quiet()


def test_a_tree_arrives_as_it_was(nfs, port):
    """The tree is compared in the server, and in the client after a new mount, so that
    its page cache is empty."""
    client, server = nfs.initiator, nfs.target
    want = client.run(f"cd {TREE} && {SUM}")
    client.run(f"cp -r {TREE} {SHARE}/tree && umount {SHARE}", 600)
    assert server.run(f"cd /srv/share/tree && {SUM}") == want
    client.run("mount -t nfs -o vers=4.2,proto=rdma,port=20049 "
               f"{server.address}:/ {SHARE}")
    assert client.run(f"cd {SHARE}/tree && {SUM}", 600) == want


@pytest.mark.parametrize("size, depth, amount", VERIFIED)
def test_every_block_is_read_as_written(nfs, port, size, depth, amount):
    done = fio(nfs.initiator, f"{SHARE}/file",
               f"--rw=randwrite --bs={size} --iodepth={depth} --size={amount}",
               soak(120, 3600))
    assert done == int(amount[:-1]) * MIB


def test_processes_at_once(nfs, port):
    """Processes write to separate parts of a file through the page cache, in blocks that
    are not aligned to pages."""
    fio(nfs.initiator, f"{SHARE}/many",
        "--numjobs=4 --offset_increment=32m --rw=randwrite --direct=0 "
        f"--ioengine=psync --bs=5003 --size={soak('300k', '32m')}",
        soak(120, 3600))


def bytes_moved(client):
    """The number of bytes read and written on the share."""
    text = client.run("cat /proc/self/mountstats")
    share = text.split(f" mounted on {SHARE} ")[1]
    words = share.split("\tbytes:")[1].split()
    return int(words[4]) + int(words[5])


@pytest.mark.parametrize("what, seconds", soak(
    [(EveryPacket, 0)], [(EveryPacket, 0), (Link, 7)]))
def test_storage_continues_after_an_outage(nfs, port, wire, what, seconds):
    lent = Lent(nfs, f"{SHARE}/waits", lambda: bytes_moved(nfs.initiator))
    wait_out(lent, what(lent, wire), [seconds])

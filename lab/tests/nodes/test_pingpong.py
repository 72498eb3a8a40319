# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The ping-pongs of libibverbs between two nodes; they check every byte. Runs in
node 1 of two."""

import pytest

PORT = 18515


def pingpong(nodes, program, options="", gids=("$XRDMA_GID_INDEX",) * 2):
    here, there = (f"ibv_{program}_pingpong -d $XRDMA_DEV -g {gid} {options}"
                   for gid in gids)
    if nodes.kind == "rxe":
        # soft-RoCE needs the processor time that a polling program would use
        there += " -e"
    for text in nodes.talk(there, f"{here} $PEER_ADDR", port=PORT):
        assert program == "xsrq" or "iters in" in text


# No message has more than 64 packets. With longer messages, soft-RoCE may miss that it
# can continue to send (need_req_skb in rxe_req.c). It does not check again if the
# missed event was during a retransmission of packets that were acknowledged meanwhile
# (COMPST_ERROR_RETRY in rxe_comp.c).
@pytest.mark.parametrize("options", [
    "-c", "-e -c", "-s 1 -c", "-m 256 -s 16000 -c", "-s 64000 -r 50 -c"])
def test_rc(nodes, options):
    # soft-RoCE needs a core of its own for 1,000 packets in a second
    rounds = 100 if nodes.kind == "rxe" else 300
    pingpong(nodes, "rc", f"-n {rounds} {options}")


def test_rc_ipv6(nodes):
    find = "until lab-gid $XRDMA_DEV " \
           "fd00:0077:0000:0000:0000:0000:0000:000{}; do sleep 0.1; done"
    pingpong(nodes, "rc", "-n 300 -c", gids=(
        nodes.here(find.format(1)).strip(), nodes.there(find.format(2)).strip()))


@pytest.mark.parametrize("size", [1, 1024, 4000])
def test_uc(nodes, size):
    pingpong(nodes, "uc", f"-n 300 -s {size} -c")


@pytest.mark.parametrize("size", [1, 1024, 4000])
def test_ud(nodes, size):
    pingpong(nodes, "ud", f"-n 300 -s {size} -c")


@pytest.mark.parametrize("options", ["-q 1", "-q 16", "-q 4 -e"])
def test_srq(nodes, options):
    pingpong(nodes, "srq", f"-n 300 -c {options}")


@pytest.mark.xrdma_only
@pytest.mark.parametrize("options", ["", "-e"])
def test_xsrq(nodes, options):
    pingpong(nodes, "xsrq", f"-n 100 -c 1 {options}")


@pytest.mark.xrdma_only
@pytest.mark.parametrize("options", ["-N", "-t", "-j", "-N -t"])
def test_rc_variants(nodes, options):
    """The new post interface, timestamps, device memory."""
    pingpong(nodes, "rc", f"-n 300 {options}")

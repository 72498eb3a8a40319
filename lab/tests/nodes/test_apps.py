# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Programs and libraries of others that use verbs. Runs in node 1 of two."""

import re

import pytest

from lib.nodes.guide import Port

# the UC and UD tests of qperf use address handles without a GRH, which RoCE needs
QPERF = ["rc_bw", "rc_rdma_read_bw", "rc_rdma_write_bw", "ver_rc_compare_swap",
         "ver_rc_fetch_add"]


@pytest.mark.parametrize("test", QPERF)
def test_qperf(nodes, test):
    """Up to 0.4.11, the server of qperf sends its port before it listens there, and
    rejects a client that is faster."""
    nodes.serve("qperf", port=19765)
    for _ in range(5):
        client = nodes.start_here(f"qperf -t 1 -vu $PEER_ADDR -cm 1 {test}")
        if not client.wait() or "Event rejected" not in client.text():
            break
    assert re.search(rf"^{test}:", client.succeed(), re.M)


@pytest.mark.parametrize("sizes", ["all", "17"])
def test_libfabric(nodes, sizes):
    line = f"fi_pingpong -p verbs -e msg -c -S {sizes} -I 2"
    text, _ = nodes.talk(line, f"{line} $PEER_ADDR", port=47592)
    assert re.search(r"^(4m|17) +2 +=2", text, re.M)


def ucx_env(nodes, form="{}={}"):
    """The environment that UCX needs: up to 1.18 it drops datagrams that soft-RoCE
    receives over IPv4, whose wc.sl is 0, unless this variable is set."""
    return form.format("UCX_UD_VERBS_ETH_DGID_CHECK", "n") \
        if nodes.kind == "rxe" else ""


@pytest.mark.parametrize("transport, test", [
    ("rc_v,ud_v", "tag_bw -s 100000"), ("rc_v,ud_v", "ucp_put_bw -s 8192"),
    ("rc_v,ud_v", "ucp_get -s 8192"), ("rc_v,ud_v", "ucp_fadd -s 8"),
    ("ud_v", "tag_bw -s 10000"), ("ud_v", "tag_lat -s 64")])
def test_ucx(nodes, transport, test):
    """Uses one of the verbs transports of UCX. UCX chooses the device and the GID."""
    line = f"UCX_TLS={transport},self {ucx_env(nodes)} " \
           "ucx_perftest -P 0 -n 200 -w 10"
    nodes.talk(line, f"{line} -t {test} $PEER_ADDR", port=13337)


def test_mpi(nodes):
    """UCX chooses transport, device and GID. It must choose RDMA, not TCP."""
    port = Port(nodes)
    text = nodes.here(
        "printf '%s slots=1\\n' $XRDMA_ADDR $PEER_ADDR >/tmp/hosts && "
        "mpirun --allow-run-as-root -np 2 --hostfile /tmp/hosts --map-by node"
        " --prtemca plm_ssh_agent /src/lab/tests/programs/rsh"
        f" --mca pml ucx --mca osc ucx {ucx_env(nodes, '-x {}={}')}"
        " python3 /src/lab/tests/programs/mpi_check.py", timeout=90)
    assert "all is right" in text
    port.assert_quiet()


@pytest.mark.parametrize("verb", ["write", "read", "send"])
def test_fio(nodes, verb):
    # fio's queue pairs have no RNR retries, so each message needs a posted receive:
    # there are as many receives as messages, and the client starts half a second later
    blocks, depth = 32, 1 if verb == "send" else 8
    common = ("cd /tmp && fio --name=job --ioengine=rdma --port=8888 --thread "
              f"--bs=64k --size={64 * blocks}k ")
    text, _ = nodes.talk(
        common + f"--iodepth={blocks} --rw=read",
        # for fio the client is the side that writes, with each verb
        common + f"--iodepth={depth} --hostname=$PEER_ADDR --verb={verb} "
        "--rw=write", cm=True)
    assert "err= 0" in text

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A device with the smallest limits that the specification permits (--smallest)."""

import struct

import pytest

import xrdma_driver as x
from spec_tables import constants

SEND, LOC_LEN_ERR, LOC_QP_OP_ERR = 1, 1, 2


@pytest.fixture
def device(start_device):
    return start_device("XRDMA_DEVICE", "--smallest")


@pytest.fixture
def host(driver):
    driver.start(mtu=1500)
    return driver


def test_the_limits_are_the_least_of_the_specification(host):
    reply = host.command(x.QUERY_DEVICE)
    log_qp_wr, log_cqe, sge, rd_atomic = reply[52:56]
    mtu, inlined = struct.unpack_from("<HH", reply, 58)
    least = constants("LEAST_")
    assert (log_qp_wr, log_cqe, sge, mtu) == (
        least["LEAST_LOG_QP_WR"], least["LEAST_LOG_CQE"], least["LEAST_SGE"],
        least["LEAST_MTU"])
    assert (rd_atomic, inlined) == (1, 0)


def test_deeper_queues_are_refused(host):
    x.CompletionQueue(host, 1, log=10)
    with pytest.raises(x.CommandFailed) as failure:
        x.CompletionQueue(host, 2, log=11)
    assert failure.value.status == x.BAD_PARAM
    host.expected = {"CMD_PARAM": 1}


@pytest.mark.parametrize("count, status", [(4, 0), (5, LOC_QP_OP_ERR)])
def test_a_send_of_more_pieces_fails(host, count, status):
    a, b = x.pair(host, mtu=3, rd_atomic=1)
    addr = host.alloc(4096)
    key = host.register(addr, 4096)
    b.receive([(addr + 2048, 1024, key)])
    a.send(SEND, [(addr + 16 * i, 16, key) for i in range(count)])
    assert a.sent()["status"] == status


def test_a_send_of_inline_bytes_fails(host):
    a, _ = x.pair(host, mtu=3, rd_atomic=1)
    a.send(SEND, inline=b"x")
    assert a.sent()["status"] == LOC_LEN_ERR

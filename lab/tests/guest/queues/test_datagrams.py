# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Datagrams of processes: what a completion says about the headers, and address
handles. Runs in a guest."""

import errno
import subprocess
import time

import pytest
from pyverbs.addr import AH, GID, AHAttr, GlobalRoute
from pyverbs.cq import CQ, CQEX, CqInitAttrEx, PollCqAttr, WC
import pyverbs.enums as e
from pyverbs.mr import MR
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.wr import SGE, RecvWR, SendWR

from labverbs.rc import LOCAL, Buffer, Endpoint

GRH = 40
QKEY = 0x11111111
TEXT = b"a datagram"
# wc.sl of a datagram: RoCEv2, over IPv6 or IPv4
SL_IPV6, SL_IPV4 = 9, 10
VLAN = """
ip link add link $XRDMA_NETDEV name vlan9 type vlan id 9 &&
ip address add 192.168.80.1/24 dev vlan9 &&
ip address add fd00:80::1/64 dev vlan9 nodad && ip link set vlan9 up"""
ADDRESSES = {
    "ipv4": ("0000:0000:0000:0000:0000:ffff:c0a8:4d01", SL_IPV4),
    "ipv6": ("fd00:0077:0000:0000:0000:0000:0000:0001", SL_IPV6),
    "ipv4-vlan": ("0000:0000:0000:0000:0000:ffff:c0a8:5001", SL_IPV4),
    "ipv6-vlan": ("fd00:0080:0000:0000:0000:0000:0000:0001", SL_IPV6),
}


class End:
    """A datagram queue pair with one buffer: it sends the first half, and receives into
    the second half."""

    HALF = 2048

    def __init__(self, dev, pd):
        self.pd, self.cq = pd, self.make_cq(dev.ctx)
        self.qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_UD, scq=self.cq,
                                    rcq=self.cq, cap=QPCap(8, 8, 1, 1),
                                    sq_sig_all=1), self.attr())
        self.buf = Buffer((2 * self.HALF, False))
        self.mr = MR(pd, 2 * self.HALF, LOCAL, address=self.buf.address)

    @staticmethod
    def attr():
        attr = QPAttr(port_num=1)
        attr.qkey = QKEY
        return attr

    @staticmethod
    def make_cq(ctx):
        return CQ(ctx, 16)

    def grh(self):
        """The address of the GRH, which is before the received data."""
        return self.buf.address + self.HALF

    def recv(self):
        self.qp.post_recv(RecvWR(num_sge=1, sg=[
            SGE(self.grh(), self.HALF, self.mr.lkey)]))

    def send(self, ah, to):
        self.buf.view[:len(TEXT)] = TEXT
        wr = SendWR(num_sge=1, sg=[SGE(self.buf.address, len(TEXT),
                                       self.mr.lkey)])
        wr.set_wr_ud(ah, to.qp.qp_num, QKEY)
        self.qp.post_send(wr)

    def poll(self):
        """Returns the next completion, or None."""
        n, wcs = self.cq.poll(1)
        return wcs[0] if n else None

    def wait(self):
        """Waits for the next completion, which must be a success. Returns it."""
        until = time.monotonic() + 20
        while not (wc := self.poll()):
            assert time.monotonic() < until
        assert wc.status == e.IBV_WC_SUCCESS
        return wc

    def got(self):
        """The received data, which is then erased."""
        start = self.HALF + GRH
        text = bytes(self.buf.view[start:start + len(TEXT)])
        self.buf.view[start:start + len(TEXT)] = bytes(len(TEXT))
        return text


class ExtendedEnd(End):
    """An End that polls by the extended interface."""

    @staticmethod
    def make_cq(ctx):
        return CQEX(ctx, CqInitAttrEx(cqe=16))

    def poll(self):
        if self.cq.start_poll(PollCqAttr()):
            return None
        wc = WC(status=self.cq.status, sl=self.cq.read_sl(),
                wc_flags=self.cq.read_wc_flags())
        self.cq.end_poll()
        return wc


@pytest.fixture(scope="module")
def vlan():
    subprocess.run(VLAN, shell=True, check=True)
    yield
    subprocess.run("ip link delete vlan9", shell=True, check=True)


def gid_index(dev, name):
    """The index of a GID. Waits, since the GID appears some time after its address."""
    until = time.monotonic() + 20
    while True:
        for index in range(16):
            if str(dev.ctx.query_gid(1, index)) == name:
                return index
        assert time.monotonic() < until
        time.sleep(0.05)


def handle(pd, index, dgid, sl=0):
    route = GlobalRoute(dgid=GID(dgid), sgid_index=index)
    route.hop_limit = 64
    return AH(pd, attr=AHAttr(port_num=1, is_global=1, sl=sl, gr=route))


def refused(call, *args):
    """Whether a call fails with EINVAL. Other errors are raised."""
    try:
        call(*args)
    except PyverbsRDMAError as err:
        if err.error_code != errno.EINVAL:
            raise
        return True
    return False


@pytest.mark.usefixtures("vlan")
@pytest.mark.parametrize("kind", [End, ExtendedEnd])
@pytest.mark.parametrize("name", ADDRESSES)
def test_a_completion_tells_the_headers_and_leads_back(dev, pd, kind, name):
    """The second datagram is sent back by an address handle that
    ibv_create_ah_from_wc() makes from the first one, with its service level."""
    gid, sl = ADDRESSES[name]
    near, far = kind(dev, pd), kind(dev, pd)
    near.recv()
    far.recv()
    near.send(handle(pd, gid_index(dev, gid), gid), far)
    assert near.wait().sl == 0
    wc = far.wait()
    assert (wc.sl, far.got()) == (sl, TEXT)
    far.send(AH(pd, wc=wc, grh=far.grh(), port_num=1), near)
    assert far.wait().sl == 0
    assert (near.wait().sl, near.got()) == (sl, TEXT)


@pytest.mark.parametrize("sl", [0, 7, 8, 15])
def test_service_levels_have_four_bits(dev, pd, sl):
    handle(pd, dev.gid_index, str(dev.gid), sl).close()
    assert refused(handle, pd, dev.gid_index, str(dev.gid), sl + 16)


GROUP_IPV4 = "0000:0000:0000:0000:0000:ffff:ef01:0203"
GROUP_IPV6 = "ff0e:0000:0000:0000:0000:0001:0002:0003"
# a GID that contains an IPv4 address, but is not IPv4-mapped
GROUP_EMBEDDED = "ff0e:0000:0000:0000:0000:ffff:ef01:0203"


def connect(dev, pd, index, dgid):
    """Changes an RC queue pair to RTR, with any GID as destination."""
    end = Endpoint(dev, pd)
    attr = end.to_init()
    attr.path_mtu, attr.min_rnr_timer = e.IBV_MTU_1024, 12
    route = GlobalRoute(dgid=GID(dgid), sgid_index=index)
    attr.ah_attr = AHAttr(port_num=1, is_global=1, gr=route)
    end.qp.to_rtr(attr)


@pytest.mark.parametrize("make", [
    lambda _, pd, *route: handle(pd, *route), connect], ids=["ah", "rtr"])
@pytest.mark.parametrize("name, group, wrong", [
    ("ipv4", GROUP_IPV4, False), ("ipv6", GROUP_IPV6, False),
    ("ipv4", GROUP_IPV6, True), ("ipv6", GROUP_IPV4, True),
    ("ipv4", GROUP_EMBEDDED, True), ("ipv6", GROUP_EMBEDDED, False)])
def test_source_and_group_are_of_one_family(dev, pd, make, name, group, wrong):
    index = gid_index(dev, ADDRESSES[name][0])
    assert refused(make, dev, pd, index, group) == wrong

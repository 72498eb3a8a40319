# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The verbs that sweeps of failures call. Each verb creates the objects that it needs.

A verb is a function with a sweep.World as argument. The call that may fail is inside of
`with w.fault`. The verb passes its object to w.keep(), or closes it at once. sweep.py
injects the failures.
"""

import errno
import fcntl
import glob
import json
import mmap
import os
import pathlib
import socket
import struct
import subprocess

import pyverbs.enums as e
from pyverbs.addr import AH, AHAttr, GlobalRoute
from pyverbs.cq import CQ, CompChannel
from pyverbs.device import Context
from pyverbs.flow import Flow, FlowAttr
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPEx, QPInitAttr, QPInitAttrEx
from pyverbs.spec import EthSpec
from pyverbs.srq import SRQ, SrqAttr, SrqInitAttr, SrqInitAttrEx
from pyverbs.wq import (WQ, RwqIndTable, RwqIndTableInitAttr, RxHashConf,
                        WQAttr, WQInitAttr)
from pyverbs.wr import SGE
from pyverbs.xrcd import XRCD, XRCDInitAttr

from labverbs.rc import ALL, Buffer, Endpoint
from lib import binding, uioctl, uverbs
from lib.dmabuf import MOVES, movable_dmabuf, prefetch_dmabuf, udmabuf

PAGE = 4096
BIG = 8 << 20           # bytes of small pages for which one table does not suffice
RIGHTS = ALL | e.IBV_ACCESS_MW_BIND
TRANS, DOMAIN, ACCESS = 1, 2, 4

VERBS = {}
# verbs that invalidate a key in the device: if the device refuses, the driver declares
# it dead
FENCES = {}
# verb -> other outcomes of a driver's error, for verbs where the caller does not get the
# driver's errno: ethtool statistics have no errors, the core ignores a failed query of
# the queue pair's state, and returns fixed errnos for counters and for mappings of
# registers
OTHERWISE = {"ethtool_statistics": {None}, "attach_mcast": {None},
             "bind_counter": {errno.ENOMEM}, "context": {errno.EAGAIN},
             "doorbell_page": {errno.EAGAIN}, "mmap_dm": {errno.EAGAIN}}


def verb(function):
    """A decorator that adds a function to VERBS."""
    VERBS[function.__name__] = function
    return function


def verbs_of(name, function, *args, table=VERBS):
    """Adds a verb to the table for each of the arguments."""
    for arg in args:
        table[f"{name}-{arg}"] = lambda w, arg=arg: function(w, arg)


# ---- contexts, domains ---------------------------------------------------------

@verb
def context(w):
    with w.fault:
        w.keep(Context(name=w.dev.name))


@verb
def doorbell_page(w):
    ctx = w.keep(Context(name=w.dev.name))
    with w.fault:
        w.keep(mmap.mmap(ctx.cmd_fd, PAGE, offset=0))


@verb
def pd(w):
    with w.fault:
        w.keep(PD(w.ctx))


def domain(w):
    return w.keep(PD(w.ctx))


@verb
def xrcd(w):
    with w.fault:
        shared(w)


def shared(w):
    return w.keep(XRCD(w.ctx, XRCDInitAttr(
        e.IBV_XRCD_INIT_ATTR_FD | e.IBV_XRCD_INIT_ATTR_OFLAGS, os.O_CREAT, -1)))


# ---- regions, windows -------------------------------------------------------------

# parts of (length, huge)
MEMORY = {"page": [(PAGE, False)], "big": [(BIG, False)],
          "mixed": [(4 << 20, True), (2 << 20, False), (2 << 20, True)]}


def memory(shape):
    """A buffer of the parts MEMORY[shape], to each page of which was written."""
    buf = Buffer(*MEMORY[shape])
    buf.view[::PAGE] = bytes(len(buf.view[::PAGE]))
    return buf


def reg_mr(w, shape):
    domain_, buf = domain(w), memory(shape)
    with w.fault:
        w.keep(MR(domain_, buf.length, RIGHTS, address=buf.address))


verbs_of("reg_mr", reg_mr, *MEMORY)


def paged_region(domain_, buf):
    return MR(domain_, buf.length, RIGHTS | e.IBV_ACCESS_ON_DEMAND,
              address=buf.address)


@verb
def reg_mr_paged(w):
    domain_, buf = domain(w), memory("page")
    with w.fault:
        w.keep(paged_region(domain_, buf))


@verb
def advise_mr(w):
    domain_, buf = domain(w), memory("page")
    mr = paged_region(domain_, buf)
    w.keep(mr)
    with w.fault:
        domain_.advise_mr(e._IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
                          e._IBV_ADVISE_MR_FLAG_FLUSH,
                          [SGE(buf.address, buf.length, mr.lkey)])


def region(w, domain_, buf):
    """A region by its handle."""
    handle = uverbs.reg_mr(w.ctx, domain_, buf.address, PAGE, buf.address,
                           RIGHTS)[0]
    w.later(uverbs.dereg_mr, w.ctx, handle)
    return handle


def rereg_mr(w, flags):
    old, buf = domain(w), memory("page")
    new, other = domain(w), memory("big")
    handle = region(w, old, buf)
    with w.fault:
        uverbs.rereg_mr(w.ctx, handle, flags, new, other.address,
                        other.length, other.address, ALL)


verbs_of("rereg_mr", rereg_mr, TRANS, DOMAIN, ACCESS, TRANS | DOMAIN | ACCESS,
         table=FENCES)


@verb
def reg_dmabuf_mr(w, make=udmabuf):
    domain_, fd = domain(w), make(PAGE)
    w.later(os.close, fd)
    with w.fault:
        handle = uioctl.reg_dmabuf(w.ctx, domain_, 0, PAGE, 0, fd, ALL)[0]
        w.later(uverbs.dereg_mr, w.ctx, handle)


if MOVES:
    VERBS["reg_moving_dmabuf_mr"] = lambda w: reg_dmabuf_mr(w, movable_dmabuf)
    VERBS["advise_moving_dmabuf_mr"] = lambda w: prefetch_dmabuf(w, domain(w))


def device_memory(w):
    handle, key, size = uioctl.alloc_dm(w.ctx, 4 * PAGE)
    w.later(uioctl.free_dm, w.ctx, handle)
    return handle, key, size


@verb
def alloc_dm(w):
    with w.fault:
        device_memory(w)


@verb
def mmap_dm(w):
    _, key, size = device_memory(w)
    with w.fault:
        w.keep(mmap.mmap(w.ctx.cmd_fd, size, offset=key))


@verb
def reg_dm_mr(w):
    domain_, dm = domain(w), device_memory(w)[0]
    with w.fault:
        handle = uioctl.reg_dm(w.ctx, domain_, dm, 0, PAGE,
                               ALL | e.IBV_ACCESS_ZERO_BASED)[0]
        w.later(uverbs.dereg_mr, w.ctx, handle)


def alloc_mw(w, kind):
    domain_ = domain(w)
    with w.fault:
        handle = uverbs.alloc_mw(w.ctx, domain_, kind)[0]
        w.later(uverbs.dealloc_mw, w.ctx, handle)


verbs_of("alloc_mw", alloc_mw, 1, 2)


# ---- completion queues ----------------------------------------------------------

def queue(w, depth=64, channel=None):
    return w.keep(CQ(w.ctx, depth, channel=channel))


@verb
def create_cq(w):
    with w.fault:
        queue(w)


@verb
def create_deep_cq(w):
    channel = w.keep(CompChannel(w.ctx))
    with w.fault:
        queue(w, 65536, channel)


@verb
def resize_cq(w):
    cq = queue(w)
    with w.fault:
        cq.resize(4096)


@verb
def modify_cq(w):
    ring = Buffer((64 << 6, False), (PAGE, False))
    handle, _, _ = uverbs.create_cq(w.ctx, 64, struct.pack(
        "<QII", ring.address, 6, 0))
    w.later(uverbs.destroy_cq, w.ctx, handle)
    with w.fault:
        uverbs.modify_cq(w.ctx, handle, 8, 100)


# ---- shared receive queues ---------------------------------------------------------

def shared_receives(w, domain_):
    return w.keep(SRQ(domain_, SrqInitAttr(SrqAttr(max_wr=64, max_sge=2))))


@verb
def create_srq(w):
    domain_ = domain(w)
    with w.fault:
        shared_receives(w, domain_)


@verb
def create_xrc_srq(w):
    init = SrqInitAttrEx(max_wr=64, max_sge=2)
    init.srq_type, init.pd = e.IBV_SRQT_XRC, domain(w)
    init.xrcd, init.cq = shared(w), queue(w)
    init.comp_mask = (e.IBV_SRQ_INIT_ATTR_TYPE | e.IBV_SRQ_INIT_ATTR_PD |
                      e.IBV_SRQ_INIT_ATTR_CQ | e.IBV_SRQ_INIT_ATTR_XRCD)
    with w.fault:
        w.keep(SRQ(w.ctx, init))


def modify_srq(w, mask):
    srq = shared_receives(w, domain(w))
    attr = SrqAttr(max_wr=1024, max_sge=2, srq_limit=3)
    with w.fault:
        srq.modify(attr, mask)


verbs_of("modify_srq", modify_srq, e.IBV_SRQ_MAX_WR, e.IBV_SRQ_LIMIT)


@verb
def query_srq(w):
    srq = shared_receives(w, domain(w))
    with w.fault:
        srq.query()


# ---- queue pairs ---------------------------------------------------------------

TYPES = {"RC": e.IBV_QPT_RC, "UC": e.IBV_QPT_UC, "UD": e.IBV_QPT_UD,
         "RAW": e.IBV_QPT_RAW_PACKET}
GROUP = bytes.fromhex("ff0e0000000000000000ffffef010203")
CAP = (64, 64, 2, 2, 64)


def pair_of(w, domain_, cq, kind):
    return w.keep(QP(domain_, QPInitAttr(qp_type=TYPES[kind], scq=cq, rcq=cq,
                                         cap=QPCap(*CAP))))


def create_qp(w, kind):
    domain_, cq = domain(w), queue(w)
    with w.fault:
        pair_of(w, domain_, cq, kind)


verbs_of("create_qp", create_qp, *TYPES)


@verb
def create_qp_xrc_send(w):
    init = QPInitAttrEx(qp_type=e.IBV_QPT_XRC_SEND, pd=domain(w), scq=queue(w),
                        cap=QPCap(64, 0, 2, 0), comp_mask=e.IBV_QP_INIT_ATTR_PD)
    with w.fault:
        w.keep(QPEx(w.ctx, init))


@verb
def create_qp_xrc_recv(w):
    init = QPInitAttrEx(qp_type=e.IBV_QPT_XRC_RECV, xrcd=shared(w),
                        comp_mask=e.IBV_QP_INIT_ATTR_XRCD)
    with w.fault:
        w.keep(QP(w.ctx, init))


def closing(end):
    """Gives an Endpoint a close() for World.keep(), which closes both its objects."""
    end.close = lambda: (end.qp.close(), end.cq.close())
    return end


@verb
def modify_qp_rc(w):
    a, b = (w.keep(closing(Endpoint(w.dev, domain(w)))) for _ in range(2))
    with w.fault:
        a.connect(b.address())


def datagram_pair(w):
    qp = pair_of(w, domain(w), queue(w), "UD")
    return qp, QPAttr(port_num=1)


@verb
def modify_qp_ud(w):
    qp, attr = datagram_pair(w)
    attr.qkey = 0x11111111
    with w.fault:
        qp.to_init(attr)
        qp.to_rtr(attr)
        qp.to_rts(attr)


@verb
def query_qp(w):
    end = w.keep(closing(Endpoint(w.dev, domain(w))))
    with w.fault:
        end.qp.query(0x1fffff)


@verb
def attach_mcast(w):
    """Attaches a queue pair that was created by uverbs, since pyverbs has no call to
    attach one."""
    rings, cq = Buffer((1 << 16, False)), Buffer((1 << 16, False))
    cq_handle = uverbs.create_cq(w.ctx, 64, struct.pack(
        "<QII", cq.address, 6, 0))[0]
    w.later(uverbs.destroy_cq, w.ctx, cq_handle)
    qp = uverbs.create_qp(w.ctx, domain(w), cq_handle, struct.pack(
        "<QBBBBI", rings.address, 4, 2, 4, 5, 0), kind=TYPES["UD"])
    w.later(uverbs.destroy_qp, w.ctx, qp)
    with w.fault:
        uverbs.attach_mcast(w.ctx, qp, GROUP)
        w.later(uverbs.detach_mcast, w.ctx, qp, GROUP)


@verb
def create_ah(w):
    route = GlobalRoute(dgid=w.dev.gid, sgid_index=w.dev.gid_index)
    attr, domain_ = AHAttr(port_num=1, is_global=1, gr=route), domain(w)
    with w.fault:
        w.keep(AH(domain_, attr=attr))


# ---- raw packets -------------------------------------------------------------------

def receives(w, domain_, cq):
    return w.keep(WQ(w.ctx, WQInitAttr(
        wq_context=None, wq_pd=domain_, wq_cq=cq, wq_type=e.IBV_WQT_RQ,
        comp_mask=0, max_wr=64, max_sge=1)))


@verb
def create_wq(w):
    domain_, cq = domain(w), queue(w)
    with w.fault:
        receives(w, domain_, cq)


@verb
def modify_wq(w):
    wq = receives(w, domain(w), queue(w))
    with w.fault:
        wq.modify(WQAttr(attr_mask=e.IBV_WQ_ATTR_STATE,
                         wq_state=e.IBV_WQS_RDY))


def table_of(w, domain_):
    cq = queue(w)
    queues = [receives(w, domain_, cq) for _ in range(4)]
    return queues, RwqIndTableInitAttr(2, queues)


@verb
def create_rwq_ind_table(w):
    _queues, init = table_of(w, domain(w))
    with w.fault:
        w.keep(RwqIndTable(w.ctx, init))


@verb
def create_qp_rss(w):
    domain_ = domain(w)
    _queues, init = table_of(w, domain_)
    table = w.keep(RwqIndTable(w.ctx, init))
    conf = RxHashConf(rx_hash_function=e.IBV_RX_HASH_FUNC_TOEPLITZ,
                      rx_hash_key_len=40, rx_hash_key=list(range(40)),
                      rx_hash_fields_mask=e.IBV_RX_HASH_SRC_IPV4)
    mask = (e.IBV_QP_INIT_ATTR_PD | e.IBV_QP_INIT_ATTR_RX_HASH |
            e.IBV_QP_INIT_ATTR_IND_TABLE)
    with w.fault:
        w.keep(QPEx(w.ctx, QPInitAttrEx(
            qp_type=e.IBV_QPT_RAW_PACKET, comp_mask=mask, pd=domain_,
            hash_conf=conf, ind_table=table)))


@verb
def create_flow(w):
    qp = pair_of(w, domain(w), queue(w), "RAW")
    attr = QPAttr(port_num=1)
    qp.to_init(attr)
    qp.to_rtr(attr)
    flow = FlowAttr(num_of_specs=1)
    flow.specs.append(EthSpec(dst_mac="02:aa:00:00:00:77"))
    with w.fault:
        w.keep(Flow(qp, flow))


# ---- statistics ------------------------------------------------------------------

NETLINK_RDMA, RES_GET, STAT_SET = 20, 5 << 10 | 9, 5 << 10 | 16
DEV_INDEX, PORT_INDEX, RES_QP, RES_LQPN, STAT_MODE, STAT_RES = \
    1, 3, 19, 21, 74, 75
MANUAL = 2


def _netlink(kind, *attrs):
    """Sends a request of `rdma resource`. OSError if the kernel returns an error."""
    body = b"".join(struct.pack("<HHI", 8, *attr) for attr in attrs)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW,
                       NETLINK_RDMA) as sock:
        sock.send(struct.pack("<IHHII", 16 + len(body), kind, 5, 1, 0) + body)
        while True:
            answer = sock.recv(65536)
            if struct.unpack_from("<H", answer, 4)[0] == 2:
                break
    code = struct.unpack_from("<i", answer, 16)[0]
    if code:
        raise OSError(-code, os.strerror(-code))


def summary(index):
    """The kernel's answer for `rdma resource show` of a device, as bytes that can be
    compared. Starts no process."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW,
                       NETLINK_RDMA) as sock:
        sock.send(struct.pack("<IHHIIHHI", 24, RES_GET, 1, 1, 0, 8, DEV_INDEX,
                              index))
        return sock.recv(65536)[16:]


def device_index(name):
    out = subprocess.run(["rdma", "-j", "dev", "show", name], check=True,
                         capture_output=True, text=True).stdout
    return json.loads(out)[0]["ifindex"]


@verb
def bind_counter(w):
    end = w.keep(closing(Endpoint(w.dev, domain(w))))
    end.to_init()
    index = device_index(w.dev.name)
    with w.fault:
        _netlink(STAT_SET, (DEV_INDEX, index),
                 (PORT_INDEX, 1), (STAT_MODE, MANUAL), (STAT_RES, RES_QP),
                 (RES_LQPN, end.qp.qp_num))


@verb
def hw_counters(w):
    path = glob.glob(f"/sys/class/infiniband/{w.dev.name}/ports/1/"
                     "hw_counters/rx_pkts")[0]
    life = pathlib.Path(path).parent / "lifespan"
    old = life.read_text()
    life.write_text("0")
    w.later(life.write_text, old)
    with w.fault:
        pathlib.Path(path).read_text()


SIOCETHTOOL, GSTATS = 0x8946, 0x1d


@verb
def ethtool_statistics(w):
    buf = bytearray(struct.pack("<II", GSTATS, 0)) + bytes(8 * 256)
    keep = Buffer((PAGE, False))
    keep.view[:len(buf)] = bytes(buf)
    request = struct.pack("<16sQ", os.environ["XRDMA_NETDEV"].encode(),
                          keep.address)
    with socket.socket() as sock, w.fault:
        fcntl.ioctl(sock, SIOCETHTOOL, request.ljust(40, b"\0"))


# ---- the port, files -----------------------------------------------------------------

@verb
def debugfs(w):
    """Reads all readable files of the driver in debugfs."""
    files = [path for path in glob.glob("/sys/kernel/debug/xrdma/**",
                                        recursive=True)
             if os.path.isfile(path) and os.stat(path).st_mode & 0o400]
    assert files
    with w.fault:
        for path in files:
            pathlib.Path(path).read_bytes()


@verb
def set_mtu(w):
    path = pathlib.Path(f"/sys/class/net/{os.environ['XRDMA_NETDEV']}/mtu")
    old = path.read_text()
    w.later(path.write_text, old)
    with w.fault:
        binding.write(path, "1400")


# ---- consumers in the kernel ----------------------------------------------------------

KVERBS = pathlib.Path("/sys/kernel/debug/xrdma_kverbs")
# kernel verb -> verbs that have to be called before it
KERNEL = {"alloc_pd": (),
          "get_dma_mr": ("alloc_pd",),
          "alloc_mr": ("alloc_pd",),
          "create_cq": (),
          "create_srq": ("alloc_pd",),
          "create_qp_rc": ("alloc_pd", "create_cq"),
          "create_qp_ud": ("alloc_pd", "create_cq"),
          "modify_qp": ("alloc_pd", "create_cq", "create_qp_ud"),
          "create_ah": ("alloc_pd",)}


def load_kverbs(dev):
    """Loads the module xrdma_kverbs of lab/ktest, which keeps the objects that it
    creates."""
    if not KVERBS.exists():
        subprocess.run(["modprobe", "xrdma_kverbs", f"device={dev.name}",
                        f"gid_index={dev.gid_index}"], check=True)


def kernel(w, name):
    """Calls a kernel verb in the module xrdma_kverbs."""
    load_kverbs(w.dev)
    w.later(KVERBS.write_text, "end")
    for before in KERNEL[name]:
        KVERBS.write_text(before)
    with w.fault:
        KVERBS.write_text(name)
        w.later(KVERBS.write_text, "end")


verbs_of("kernel", kernel, *KERNEL)

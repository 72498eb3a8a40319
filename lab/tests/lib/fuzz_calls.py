# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Random calls of uverbs: plausible requests, many of which are then corrupted.

A Caller has the layouts of the commands (include/uapi/rdma/ib_user_verbs.h,
xrdma-abi.h), chooses the values in a request at random, and keeps the handles of
objects that it created. It counts the errnos, and does not check whether an errno is
correct: debug/test_fuzz_abi.py checks that the kernel survives.
"""

import collections
import ctypes
import fcntl
import ipaddress
import os
import struct

from labverbs.rc import Buffer
from lib import paged

VERBS_IOCTL, DRIVER_XRDMA = 0xc0181b01, 0x10f0
EXTENDED = 0x80000000
ARENA = 1 << 20         # bytes of memory whose addresses requests contain
OUT = 4096              # bytes of room for a reply
INVOKE_WRITE, CORE_IN, CORE_OUT, WRITE_CMD = 0, 0, 1, 2
UHW_IN, UHW_OUT = 0x1000, 0x1001
OBJECT_MR, ADVISE_MR = 7, 2
ON_DEMAND = 1 << 6      # IB_ACCESS_ON_DEMAND

# name: number, kind of the handle that it creates, size of the reply in bytes, size of
# the reply's driver data in bytes
Command = collections.namedtuple("Command", "number makes reply driver",
                                 defaults=(None, 0, 0))
X = EXTENDED
COMMANDS = {
    "query_device": Command(1, None, 176), "query_port": Command(2, None, 48),
    "query_device_ex": Command(X | 1, None, 304),
    "alloc_pd": Command(3, "pd", 4, 8), "dealloc_pd": Command(4),
    "create_ah": Command(5, "ah", 4, 32), "destroy_ah": Command(8),
    "reg_mr": Command(9, "mr", 12), "rereg_mr": Command(11, None, 8),
    "dereg_mr": Command(13), "alloc_mw": Command(14, "mw", 8),
    "dealloc_mw": Command(16), "create_cq": Command(18, "cq", 8, 8),
    "resize_cq": Command(19, None, 8, 8), "destroy_cq": Command(20, None, 8),
    "poll_cq": Command(21, None, 8), "req_notify_cq": Command(23),
    "create_cq_ex": Command(X | 18, "cq", 16, 8),
    "create_qp": Command(24, "qp", 32, 8),
    "create_qp_ex": Command(X | 24, "qp", 40, 8),
    "query_qp": Command(25, None, 128), "modify_qp": Command(26),
    "destroy_qp": Command(27, None, 4), "post_send": Command(28, None, 4),
    "post_recv": Command(29, None, 4), "attach_mcast": Command(30),
    "detach_mcast": Command(31), "create_srq": Command(32, "srq", 16, 8),
    "modify_srq": Command(33), "query_srq": Command(34, None, 16),
    "destroy_srq": Command(35, None, 4),
    "post_srq_recv": Command(36, None, 4),
    "open_xrcd": Command(37, "xrcd", 4), "close_xrcd": Command(38),
    "create_xsrq": Command(39, "srq", 16, 8),
    "open_qp": Command(40, "qp", 32, 8),
    "create_flow": Command(X | 50, "flow", 8),
    "destroy_flow": Command(X | 51), "create_wq": Command(X | 52, "wq", 24, 8),
    "modify_wq": Command(X | 53), "destroy_wq": Command(X | 54, None, 16),
    "create_table": Command(X | 55, "table", 16),
    "destroy_table": Command(X | 56), "modify_cq": Command(X | 57),
}
# offset of the handle in the reply, if it is not 0
HANDLE_AT = {"create_flow": 4, "create_wq": 8, "create_table": 8}
# requests that are not corrupted: when ib_core of 7.2 refuses an invalid state of a work
# queue, it leaks a reference to the queue, and warns when the device is closed
LEFT_WHOLE = {"modify_wq"}
# commands that one Caller must not mix: ib_core of 7.2 does not initialise the lock for
# multicast groups of a queue pair that was opened by its number (ib_uverbs_open_qp()),
# and attaching a group takes that lock
OPENING, GROUPS = {"open_qp"}, {"attach_mcast", "detach_mcast"}
# UVERBS_METHOD_GET_CONTEXT of UVERBS_OBJECT_DEVICE. If a file has a context, ib_core of
# 7.2 refuses a second one and leaks a reference to the task
GET_CONTEXT = 0, 3
FURNITURE = ("alloc_pd", "open_xrcd", "create_cq", "create_cq", "create_qp",
             "create_qp", "create_srq", "reg_mr", "alloc_mw", "create_wq",
             "create_wq", "create_table", "create_ah")
MODELS = {"dealloc_pd": "pd", "destroy_ah": "ah", "dereg_mr": "mr",
          "dealloc_mw": "mw", "close_xrcd": "xrcd"}


def arena(size=ARENA):
    """Memory whose addresses requests contain."""
    buf = Buffer((size, False))
    buf.view[:] = bytes(size)
    return buf


def gid_of(dev):
    """The GID of the port, as 16 bytes."""
    return ipaddress.ip_address(str(dev.gid)).packed


class Caller:
    """Calls of one process, on any of a list of open devices. opens: the calls open
    queue pairs by number; otherwise they use multicast groups. inherited: the parent of
    the process has opened the devices. The kernel then refuses each write(), and the
    calls are made by ioctl()."""

    def __init__(self, fds, rng, gid, arena, opens=False, inherited=False):
        self.fds, self.rng, self.gid = fds, rng, gid
        self.names = [name for name in COMMANDS
                      if name not in (GROUPS if opens else OPENING)]
        self.memory, self.arena, self.size = arena, arena.address, arena.length
        self.out = ctypes.create_string_buffer(OUT)
        self.alive = collections.defaultdict(list)
        self.dead = collections.defaultdict(list)
        # numbers of queue pairs that can be opened by number
        self.shared = []
        self.keys = []          # keys of regions, also of deregistered ones
        self.counts = collections.Counter()
        self._ways = [self._invoke] if inherited else [self._write, self._invoke]

    # values in requests

    def handle(self, kind):
        """A handle: mostly of an existing object of this kind, otherwise of a
        destroyed object, of another kind, or a random number."""
        rng, fate = self.rng, self.rng.random()
        if fate < 0.85 and self.alive[kind]:
            return rng.choice(self.alive[kind])
        if fate < 0.92 and self.dead[kind]:
            return rng.choice(self.dead[kind])
        if fate < 0.97:
            return rng.randrange(64)
        return rng.getrandbits(32)

    def number(self, *usual):
        """A number: one of the usual ones, a boundary value, or a random one."""
        rng, fate = self.rng, self.rng.random()
        if fate < 0.9:
            return rng.choice(usual)
        if fate < 0.95:
            return rng.choice((0, 1, 2**31 - 1, 2**31, 2**32 - 1, 4097))
        return rng.getrandbits(rng.randint(1, 32))

    def place(self):
        """An address, mostly in the arena."""
        rng, fate = self.rng, self.rng.random()
        if fate < 0.9:
            return self.arena + 4096 * rng.randrange(self.size // 4096 // 2)
        if fate < 0.95:
            return self.arena + rng.randrange(self.size)
        return rng.choice((0, 4096, 2**64 - 4096, 2**47 - 4096,
                           rng.getrandbits(64)))

    def ring(self, kinds="<QII"):
        """Driver data of a queue."""
        rng, small = self.rng, self.rng.choice((4, 4, 5, 6))
        if kinds == "<QII":
            data = (self.place(), self.number(small, 6, 7), self.number(0))
        else:
            data = (self.place(), small, rng.choice((5, 6, 0)))
        return struct.pack(kinds, *data)

    def rings(self, receives):
        """Driver data of a queue pair."""
        rng, send = self.rng, self.rng.choice((2, 2, 3, 1, 16, 17, 0))
        recv = rng.choice((6, 6, 5, 8, 0)) if receives else 0
        depths = [rng.choice((4, 4, 5)) if size or rng.random() < 0.1 else 0
                  for size in (send, recv)]
        return struct.pack("<QBBBBI", self.place(), depths[0], send, depths[1],
                           recv, rng.choice((*[0] * 20, 1)))

    def path(self):
        """struct ib_uverbs_qp_dest."""
        rng = self.rng
        gid = self.gid if rng.random() < 0.9 else rng.randbytes(16)
        return gid + struct.pack("<IHH", rng.getrandbits(20), 0, 0) + \
            bytes((rng.randrange(6), 64, 0, 0, 0, 0, rng.choice((1, 1, 0)),
                   rng.choice((1, 1, 1, 0, 2))))

    # requests: core data, driver data

    def make(self, name):
        """The request of a command."""
        if name in MODELS:
            return struct.pack("<I", self.handle(MODELS[name])), b""
        build = getattr(self, "_" + name, None)
        made = build() if build else b""
        return made if isinstance(made, tuple) else (made, b"")

    def _query_port(self):
        return struct.pack("<B7x", self.rng.randrange(3))

    def _query_device_ex(self):
        return struct.pack("<II", 0, 0)

    def _create_ah(self):
        rng = self.rng
        return struct.pack("<QII", 0, self.handle("pd"), 0) + self.gid + \
            struct.pack("<I4BH6B", rng.getrandbits(20), rng.randrange(6), 64, 0,
                        0, 0, 0, 0, 0, 1, rng.choice((1, 1, 2)), 0)

    def _reg_mr(self):
        rng, start = self.rng, self.place()
        length = self.number(4096, 65536, 100)
        rights = self.number(15, 31, 47, 1, 0, 1 << 8)
        if rng.random() < 0.4:
            rights |= ON_DEMAND
            if rng.random() < 0.3:
                start, length = 0, paged.EVERYTHING
        return struct.pack("<QQQII", start, length, start, self.handle("pd"),
                           rights)

    def _rereg_mr(self):
        start = self.place()
        return struct.pack("<IIQQQII", self.handle("mr"),
                           self.number(1, 2, 3, 4, 5, 6, 7), start,
                           self.number(4096, 20000), start, self.handle("pd"),
                           self.number(15, 31, 1))

    def _alloc_mw(self):
        return struct.pack("<IB3x", self.handle("pd"),
                           self.rng.choice((1, 2, 2, 0, 3)))

    def _create_cq(self):
        return struct.pack("<QIIiI", 0, self.number(8, 16), self.number(0, 1),
                           -1, 0), self.ring()

    def _create_cq_ex(self):
        return struct.pack("<QIIiIII", 0, self.number(8, 16),
                           self.number(0, 1), -1, 0, self.number(0, 0, 1),
                           0), self.ring()

    def _resize_cq(self):
        return struct.pack("<II", self.handle("cq"),
                           self.number(8, 16, 32)), self.ring()

    def _destroy_cq(self):
        return struct.pack("<II", self.handle("cq"), 0)

    def _poll_cq(self):
        return struct.pack("<II", self.handle("cq"), self.number(1, 4))

    _req_notify_cq = _poll_cq

    def _sizes(self):
        """Valid sizes of rings, of which sometimes one is replaced."""
        rng = self.rng
        sizes = [*rng.choices((1, 4, 8, 16), k=2), *rng.choices((1, 1, 2), k=2),
                 rng.choice((0, 16, 64))]
        if rng.random() < 0.15:
            sizes[rng.randrange(5)] = self.number(0, 1 << 15)
        return sizes

    def _create_qp(self):
        rng = self.rng
        kind = rng.choice((2, 2, 2, 3, 4, 4, 8, 9, 10, 10, 1,
                           rng.randrange(256)))
        shared = rng.random() < 0.3
        return struct.pack(
            "<QIIII5IBBBx", 0, self.handle("xrcd" if kind == 10 else "pd"),
            self.handle("cq"), self.handle("cq"), self.handle("srq"),
            *self._sizes(), 1, kind, shared), \
            self.rings(kind != 9 and not shared)

    def _create_qp_ex(self):
        core, driver = self._create_qp()
        table = self.rng.random() < 0.3
        if table:
            driver = struct.pack("<QBB6x40s", 3, 1, 40, self.rng.randbytes(40))
        return core + struct.pack("<IIII", int(table), self.number(0, 0, 1 << 8),
                                  self.handle("table") if table else 0,
                                  0), driver

    def _query_qp(self):
        return struct.pack("<II", self.handle("qp"), self.number(0x1fffff))

    def _modify_qp(self):
        rng = self.rng
        # (attribute mask, state): RESET, INIT (RC, UD), RTR, RTS, ERR, or random
        mask, state = rng.choice((
            (1, 0), (0x39, 1), (0x39, 1), (0x71, 1), (0x31, 1), (0x121181, 2),
            (1, 2), (0x12e01, 3), (0x10001, 3), (1, 6),
            (rng.getrandbits(21), rng.randrange(256))))
        return self.path() + bytes(32) + struct.pack(
            "<IIIIIIIHHBBBBBBBBBBBBBBxx", self.handle("qp"), mask, 0x11111111,
            rng.getrandbits(24), rng.getrandbits(24), self.number(2, 3, 4),
            self.number(0, 14, 15), 0, 0, state, self.number(0, 1) % 256,
            rng.choice((3, 3, 1, 0, 9)), 0, 0, 16, 16, 12, rng.choice((1, 1, 0)),
            14, 7, 7, 0, 0)

    def _destroy_qp(self):
        return struct.pack("<II", self.handle("qp"), 0)

    def _post_send(self):
        return struct.pack("<IIII", self.handle("qp"), self.number(1), 1,
                           self.number(128)) + self.rng.randbytes(144)

    _post_recv = _post_send

    def _post_srq_recv(self):
        return struct.pack("<I", self.handle("srq")) + self._post_send()[4:]

    def _attach_mcast(self):
        return bytes.fromhex("ff0e0000000000000000ffffef0102") + \
            bytes((self.rng.randrange(4),)) + struct.pack("<IHH", self.handle("qp"), 0, 0)

    _detach_mcast = _attach_mcast

    def _create_srq(self):
        return struct.pack("<QIIII", 0, self.handle("pd"), self.number(4, 8),
                           self.number(1, 2), self.number(0, 2)), \
            self.ring("<QBB6x")

    def _create_xsrq(self):
        return struct.pack("<QIIIIIIII", 0, self.number(0, 1),
                           self.handle("pd"), self.number(4, 8), 1, 0, 0,
                           self.handle("xrcd"), self.handle("cq")), \
            self.ring("<QBB6x")

    def _modify_srq(self):
        return struct.pack("<IIII", self.handle("srq"), self.number(1, 2, 3),
                           self.number(8, 16, 32), self.number(1, 3)), \
            self.ring("<QBB6x")

    def _query_srq(self):
        return struct.pack("<II", self.handle("srq"), 0)

    _destroy_srq = _query_srq

    def _open_xrcd(self):
        return struct.pack("<II", 2**32 - 1, self.number(0o100, 0))

    def _open_qp(self):
        """Opens a queue pair by a number, mostly that of an existing one."""
        return struct.pack("<QIIB7x", 0, self.handle("xrcd"), self.number(
            *self.shared or (2, 3)), self.rng.choice((10, 10, 10, 2)))

    def _create_flow(self):
        rng = self.rng
        number = rng.choice((1, 1, 2, 0))
        specs = b"".join(self._spec() for _ in range(number))
        return struct.pack("<IIIHHBHBI", 0,
                           self.handle(rng.choice(("qp", "raw"))),
                           rng.choice((0, 0, 0, 1, 2, 3)), len(specs),
                           rng.choice((0, 0, 1)),
                           self.number(number) % 256, 0,
                           rng.choice((1, 1, 0)), 0) + specs

    def _spec(self):
        rng, half = self.rng, self.rng.choice((16, 12, 40, 4))
        kind = {16: 0x20, 12: 0x30, 40: 0x31, 4: 0x41}[half]
        value, mask = rng.randbytes(half), bytes(rng.choices(b"\0\xff", k=half))
        return struct.pack("<IHH", self.number(kind), 8 + 2 * half, 0) + \
            value + mask

    def _destroy_flow(self):
        return struct.pack("<II", 0, self.handle("flow"))

    def _create_wq(self):
        return struct.pack("<IIQIIIIII", 0, 0, 0, self.handle("pd"),
                           self.handle("cq"), self.number(8, 16),
                           self.number(1), self.number(0, 0, 1), 0), \
            self.ring("<QBB6x")

    def _modify_wq(self):
        rng = self.rng
        return struct.pack("<IIIIII", rng.randrange(4), self.handle("wq"),
                           rng.randrange(3), rng.randrange(3), 0, 0)

    def _destroy_wq(self):
        return struct.pack("<II", 0, self.handle("wq"))

    def _create_table(self):
        log = self.rng.choice((0, 1, 2, 3, self.rng.randrange(40)))
        row = [self.handle("wq") for _ in range(min(1 << log, 8))]
        return struct.pack(f"<II{len(row) + len(row) % 2}I", 0, log, *row,
                           *[0] * (len(row) % 2))

    def _destroy_table(self):
        return struct.pack("<II", 0, self.handle("table"))

    def _modify_cq(self):
        return struct.pack("<IIHHI", self.handle("cq"), 1, self.number(1, 8)
                           % 2**16, self.rng.getrandbits(16), 0)

    # corrupting requests

    def spoil(self, data):
        """Changes bytes of data, or makes data longer or shorter."""
        rng, fate = self.rng, self.rng.random()
        if fate < 0.4 and data:
            data = bytearray(data)
            for _ in range(rng.randint(1, 4)):
                data[rng.randrange(len(data))] = rng.choice(
                    (0, 1, 255, rng.randrange(256)))
            return bytes(data)
        if fate < 0.6:
            return data[:rng.randrange(len(data) + 1)]
        if fate < 0.8:
            return data + bytes(rng.randrange(65))
        return rng.randbytes(rng.randrange(len(data) + 65))

    # the two system calls

    def _write(self, fd, command, core, driver, reply, more):
        address = ctypes.addressof(self.out)
        if command.number & EXTENDED:
            data = (core + driver).ljust((len(core + driver) + 7) & ~7, b"\0")
            head = struct.pack("<IHHQHHI", command.number,
                               (len(core) + 7) // 8, reply // 8,
                               address if reply + more else 0,
                               (len(data) - len(core)) // 8, more // 8, 0)
            return os.write(fd, head + data)
        body = core + driver
        if command.reply:
            body = struct.pack("<Q", address) + body
        body = body.ljust((len(body) + 3) & ~3, b"\0")
        return os.write(fd, struct.pack(
            "<IHH", command.number, (8 + len(body)) // 4,
            (reply + more) // 4) + body)

    def _invoke(self, fd, command, core, driver, reply, more):
        """Calls a command by ioctl(), which passes exact lengths."""
        if command.reply and not command.number & EXTENDED:
            core = bytes(8) + core
        keep = [ctypes.create_string_buffer(data, max(len(data), 1))
                for data in (core, driver)]
        place = ctypes.addressof(self.out)
        rows = [(CORE_IN, len(core), core, ctypes.addressof(keep[0])),
                (WRITE_CMD, 8, b"", command.number),
                (UHW_IN, len(driver), driver, ctypes.addressof(keep[1])),
                (CORE_OUT, reply, b"", place),
                (UHW_OUT, more, b"", place + 1024)]
        raw = b""
        for number, length, data, address in rows:
            if not length:
                continue
            if length <= 8 and number in (CORE_IN, UHW_IN):
                address, = struct.unpack("<Q", data.ljust(8, b"\0"))
            raw += struct.pack("<HHHHQ", number, length, 1, 0, address)
        return self.ioctl(fd, 0, INVOKE_WRITE, raw)

    @staticmethod
    def ioctl(fd, kind, method, raw, driver_id=DRIVER_XRDMA):
        """Calls ioctl() with raw attributes of 16 bytes each. Returns the request as
        the kernel has changed it."""
        request = bytearray(struct.pack(
            "<HHHHQII", 24 + len(raw), kind, method, len(raw) // 16, 0,
            driver_id, 0) + raw)
        fcntl.ioctl(fd, VERBS_IOCTL, request, True)
        return request

    # calls

    def furnish(self):
        """Creates an object of each kind, so that most calls find one."""
        for name in FURNITURE:
            for _ in range(5):
                if self.call(name) == 0:
                    break

    def call(self, name=None):
        """One random call. Returns its errno, or 0."""
        rng = self.rng
        name = name or rng.choice(self.names)
        command = COMMANDS[name]
        core, driver = self.make(name)
        reply, more = command.reply, command.driver
        fate = rng.random()
        if fate < 0.15 and name not in LEFT_WHOLE:
            core = self.spoil(core)
        if 0.1 < fate < 0.35:
            driver = self.spoil(driver)
        if 0.3 < fate < 0.4:
            reply, more = rng.randrange(400), rng.randrange(100)
        way = rng.choice(self._ways)
        code = 0
        try:
            way(rng.choice(self.fds), command, core, driver, reply, more)
        except OSError as err:
            code = err.errno
        self.note(name, code, core)
        return code

    def note(self, name, code, core=b""):
        """Counts the errno, and updates the lists of existing and destroyed
        handles."""
        self.counts[name, code] += 1
        command = COMMANDS.get(name)
        if code or not command:
            return
        if name == "reg_mr":
            self.keys = self.keys[-20:] + list(struct.unpack_from(
                "<I", self.out, 4))
        if command.makes:
            handle = struct.unpack_from("<I", self.out,
                                        HANDLE_AT.get(name, 0))[0]
            self.alive[command.makes].append(handle)
            if command.makes == "qp":
                self.note_qp(handle, core[45:46])
            return
        kind = MODELS.get(name, name.removeprefix("destroy_"))
        at = 4 if command.number & EXTENDED else 0
        if kind in self.alive and len(core) >= at + 4 and \
                name.startswith(("de", "close")):
            gone = struct.unpack_from("<I", core, at)[0]
            if gone in self.alive[kind]:
                self.alive[kind].remove(gone)
            self.dead[kind] = self.dead[kind][-20:] + [gone]

    def note_qp(self, handle, kind):
        """Notes the number of a queue pair that can be opened, and the handle of one
        that can have flows."""
        if kind == b"\n":
            self.shared.append(struct.unpack_from("<I", self.out, 4)[0])
        if kind == b"\x08":
            self.alive["raw"].append(handle)

    def advise(self):
        """One ibv_advise_mr() for some places of the arena."""
        rng = self.rng
        ranges = b"".join(
            struct.pack("<QII", self.place(), self.number(4096, 65536, 1, 0),
                        rng.choice(self.keys or [0]))
            for _ in range(rng.choice((1, 1, 2, 20))))
        keep = ctypes.create_string_buffer(ranges, len(ranges))
        raw = b"".join(struct.pack("<HHHHQ", *row) for row in (
            (0, 0, 1, 0, self.handle("pd")), (1, 8, 1, 0, self.number(0, 1, 2)),
            (2, 4, 1, 0, self.number(0, 1)),
            (3, len(ranges), 1, 0, ctypes.addressof(keep))))
        code = 0
        try:
            self.ioctl(rng.choice(self.fds), OBJECT_MR, ADVISE_MR, raw)
        except OSError as err:
            code = err.errno
        self.counts["advise_mr", code] += 1

    def change_memory(self):
        """Takes pages from the arena, or changes their rights."""
        rng = self.rng
        at = self.arena + 4096 * rng.randrange(self.size // 4096)
        length = min(4096 * rng.choice((1, 2, 16, 256)),
                     self.arena + self.size - at)
        if rng.random() < 0.3:
            paged.LIBC.mprotect(at, length, rng.choice(
                (paged.READABLE, paged.WRITABLE, paged.WRITABLE)))
        else:
            paged.LIBC.madvise(at, length, rng.choice(
                (paged.DONTNEED, paged.PAGEOUT, paged.HUGEPAGE, paged.COLLAPSE)))

    def attributes(self):
        """One ioctl() of random attributes."""
        rng, raw = self.rng, b""
        for number in range(rng.randrange(1, 10)):
            if rng.random() < 0.2:
                number = rng.choice((0x1000, 0x1001, rng.getrandbits(13)))
            length = rng.choice((0, 0, 4, 4, 8, 8, 16, 24, rng.randrange(200)))
            data = rng.choice((self.handle(rng.choice(KINDS)), self.place(),
                               self.number(1, 2, 4096),
                               ctypes.addressof(self.out)))
            raw += struct.pack("<HHHHQ", number, length, rng.choice((1, 1, 0)),
                               0, data)
        kind, method = GET_CONTEXT
        while (kind, method) == GET_CONTEXT:
            kind = rng.randrange(18)
            method = rng.choice((0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0x1000))
        code = 0
        try:
            self.ioctl(rng.choice(self.fds), kind, method, raw)
        except OSError as err:
            code = err.errno
        self.counts[f"ioctl-{kind}", code] += 1
        return code


KINDS = ("pd", "mr", "mw", "cq", "qp", "srq", "wq", "xrcd", "flow", "ah",
         "table")
# errnos that must stay in the kernel: ERESTARTSYS to ENOIOCTLCMD, ENOTSUPP and others
WRONG = {*range(512, 518), *range(521, 532)}

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A small driver for the device, over a vfio-user client.

Layouts are defined here a second time, from the specification and not from the
headers, so that tests find an error in a header. Memory of the host is one DMA
mapping at IOVA; addresses are bus addresses. The vfio-user protocol is in
vfu_client.py.
"""

import struct
import time

import vfu_client as vfu

IOVA = 0x40000000
MEMORY = 64 << 20
TIMEOUT = 10

# registers
MAGIC, VERSION, CAPS = 0x00, 0x04, 0x08
CTRL, STATUS = 0x10, 0x14
CMD_BASE, RSP_BASE, CMD_LOG, CMD_DB = 0x18, 0x20, 0x28, 0x2C
MPT_ROOT, MAC_LO, MAC_HI = 0x30, 0x38, 0x3C
ENABLE, RESET, SHADOW_DB = 1, 2, 4
READY, ENABLED, FATAL = 1, 2, 4

# doorbells, offsets in a page of BAR 2; offset of the push pages
DB_SQ, DB_CQ, DB_EQ = 0x00, 0x08, 0x10
PUSH_PAGES = 16 << 20

# commands
NOP, QUERY_DEVICE, QUERY_PORT, MODIFY_PORT, SET_GID, QUERY_STATS = range(6)
CREATE_EQ, DESTROY_EQ = 0x10, 0x11
BIND_COUNTER = 0x06
CREATE_CQ, DESTROY_CQ, RESIZE_CQ, MODIFY_CQ = 0x20, 0x21, 0x22, 0x23
CREATE_QP, MODIFY_QP, QUERY_QP, DESTROY_QP = 0x30, 0x31, 0x32, 0x33
CREATE_FLOW, DESTROY_FLOW, CREATE_RSS, DESTROY_RSS = 0x52, 0x53, 0x54, 0x55
INVALIDATE = 0x60

# statuses of commands
(OK, BAD_OPCODE, BAD_PARAM, BAD_NUMBER, BAD_STATE, BUSY, NO_RESOURCE,
 BAD_DMA, INTERNAL) = range(9)

# flags of an entry of the GID table
GID_VALID, GID_VLAN, GID_IPV4 = 1, 2, 4

# states of queue pairs
Q_RESET, Q_INIT, Q_RTR, Q_RTS, Q_SQD, Q_SQE, Q_ERR = range(7)
RC, RAW = 0, 6

# rights
LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC = 1, 2, 4, 8
ALL_RIGHTS = 15
FLUSH_GLOBAL, FLUSH_PERSISTENT = 0x100, 0x200

# operations, statuses and flags of completions
SEND, SEND_IMM, SEND_INV, WRITE, WRITE_IMM, READ = 1, 2, 3, 4, 5, 6
CMP_SWAP, FETCH_ADD = 7, 8
FLUSH, ATOMIC_WRITE = 12, 13
RECV, RECV_WRITE_IMM = 128, 129
WC_OK, WC_LOC_LEN, WC_LOC_OP, WC_LOC_PROT, WC_FLUSH = 0, 1, 2, 4, 5
WC_REM_INV, WC_REM_ACCESS, WC_REM_OP = 9, 10, 11
WC_RETRY, WC_RNR_RETRY = 12, 13
SIGNALED, FENCE, SOLICITED, INLINE = 1, 2, 4, 8
C_SEND, C_IMM = 1, 2

# reasons of refused accesses
KEY_INDEX, KEY_INVALID, KEY_FREE, KEY_BYTE, F_PD = 1, 2, 3, 4, 5
F_RIGHTS, F_RANGE = 7, 8

# events
CQ_COMP, CQ_ERR, QP_FATAL, PORT_UP, DEVICE_FATAL, FAULT = (
    0x01, 0x02, 0x10, 0x30, 0x32, 0x40)

CMD = struct.Struct("<HHI120s")
RSP = struct.Struct("<HHB3s112sII")
CQE = struct.Struct("<QIIIIBBHHHQ6sHHBB8sI")
EQE = struct.Struct("<BBBBIIIQQQI16sI")
MPT = struct.Struct("<QQQQIIIIQQ")
SGE = struct.Struct("<QII")
SQ_WQE = struct.Struct("<BBHIQIIQ")
RQ_WQE = struct.Struct("<H6sQ")
ATTR = struct.Struct("<8BIIIIHHB3s32s")
AV = struct.Struct("<16s6sHIBBBB")

CMD_DEPTH_LOG = 5
EQ_LOG, CQ_LOG, WQ_LOG, STRIDE_LOG = 6, 6, 4, 7
# bytes of a unit of send entries; units of the longest one, with 30 scatter-gather
# entries and an address vector
UNIT, SQ_UNITS = 64, 9
SQ_BYTES = ((SQ_UNITS << WQ_LOG) + SQ_UNITS - 1) * UNIT
RQ_BYTES = 1 << (WQ_LOG + STRIDE_LOG)


def root(addr, level=0, leaf=12):
    """Return a translation root."""
    return addr | leaf << 3 | level


def size_log(size):
    """Return log2 of the smallest leaf that holds this number of bytes."""
    return max(12, (size - 1).bit_length())


def gid_of(last):
    """Return an IPv4-mapped GID."""
    return bytes(10) + b"\xff\xff" + bytes([192, 168, 77, last])


class CommandFailed(Exception):
    """A command was answered with an error status."""

    def __init__(self, opcode, status):
        super().__init__(f"command {opcode:#x}: status {status}")
        self.status = status


class Driver:
    """A device and the memory of its host. shadow: use shadow doorbells."""

    def __init__(self, process, shadow=True):
        self.process = process
        self.shadow = shadow
        self.client = process.client()
        self.memory = vfu.GuestMemory(MEMORY)
        self.client.enable()
        self.client.dma_map(self.memory, IOVA)
        self.irqs = self.client.irq_enable(4)
        self.forget()

    def forget(self):
        """Clear the state of rings and memory, as after a reset."""
        self.next = IOVA
        self.commands = 0
        self.replies = 0
        self.next_key = 1
        self.mpt = 0

    def close(self):
        """Close the connection and free the memory."""
        self.client.close()
        self.memory.close()

    # memory

    def alloc(self, size, align=4096):
        """Allocate zeroed memory; return its bus address."""
        addr = (self.next + align - 1) & ~(align - 1)
        self.next = addr + size
        assert self.next <= IOVA + MEMORY
        self.put(addr, bytes(size))
        return addr

    def get(self, addr, size):
        """Read memory."""
        return self.memory[addr - IOVA:addr - IOVA + size]

    def put(self, addr, data):
        """Write memory."""
        self.memory[addr - IOVA:addr - IOVA + len(data)] = data

    def get32(self, addr):
        """Read a word."""
        return int.from_bytes(self.get(addr, 4), "little")

    def put32(self, addr, value):
        """Write a word."""
        self.put(addr, (value & 0xFFFFFFFF).to_bytes(4, "little"))

    def put64(self, addr, value):
        """Write two words."""
        self.put(addr, value.to_bytes(8, "little"))

    # registers

    def read(self, reg, size=4):
        """Read a register."""
        return self.client.read(vfu.BAR_REGS, reg, size)

    def write(self, reg, value, size=4):
        """Write a register."""
        self.client.write(vfu.BAR_REGS, reg, value, size)

    def set_up(self):
        """Write the registers that enabling requires."""
        self.ring = self.alloc(128 << CMD_DEPTH_LOG)
        self.replies_at = self.alloc(128 << CMD_DEPTH_LOG)
        self.mpt = self.alloc(0x40000, 0x40000)
        self.write(CMD_BASE, self.ring, 8)
        self.write(RSP_BASE, self.replies_at, 8)
        self.write(CMD_LOG, CMD_DEPTH_LOG)
        self.write(MPT_ROOT, root(self.mpt, 0, 18), 8)

    def enable(self):
        """Enable the device; this must succeed."""
        self.set_up()
        self.write(CTRL, ENABLE | (SHADOW_DB if self.shadow else 0))
        assert self.read(STATUS) == READY | ENABLED

    def start(self, address=1, vlan=None):
        """Enable the device; create event queues 0 and 1, set port up and GID 0, which
        is gid_of(address), in a VLAN or in none."""
        self.enable()
        self.eqs = [EventQueue(self, 0, 0), EventQueue(self, 1, 1)]
        mac = self.mac()
        body = struct.pack("<III6s2s", 1, 4500, 0, mac, bytes(2))
        self.command(MODIFY_PORT, body)
        self.gid = gid_of(address)
        flags = GID_VALID | GID_IPV4 | (GID_VLAN if vlan else 0)
        self.command(SET_GID, struct.pack("<II16s6sH", 0, flags, self.gid, mac,
                                          vlan or 0))

    def mac(self):
        """Return the permanent MAC address."""
        return (self.read(MAC_LO).to_bytes(4, "little") +
                self.read(MAC_HI).to_bytes(2, "little"))

    def doorbell(self, number, index, page=0, at=DB_SQ, kind=0):
        """Write a doorbell: of a send queue, or one that arms a queue."""
        self.client.write(vfu.BAR_DB, page * 4096 + at,
                          index % 2**32 << 32 | kind << 24 | number, 8)

    # commands

    def post(self, opcode, body=b"", reserved=0):
        """Post a command without waiting for its reply."""
        slot = self.commands % (1 << CMD_DEPTH_LOG)
        entry = CMD.pack(opcode, self.commands & 0xFFFF, reserved, body)
        self.put(self.ring + slot * 128, entry)
        self.commands += 1
        self.write(CMD_DB, self.commands)

    def reply(self, timeout=TIMEOUT):
        """Return the next reply (opcode, id, status, body); None after a timeout."""
        slot = self.replies % (1 << CMD_DEPTH_LOG)
        phase = ~(self.replies >> CMD_DEPTH_LOG) & 1
        deadline = time.monotonic() + timeout
        at = self.replies_at + slot * 128
        # The device writes the last word of a reply after the other words, so it has to
        # be read before them.
        while self.get32(at + 124) & 1 != phase:
            if time.monotonic() > deadline:
                return None
            self.irqs[0].wait(0.001)
        fields = RSP.unpack(self.get(at, 128))
        assert fields[3] == bytes(3) and fields[5] == 0
        self.replies += 1
        return fields[0], fields[1], fields[2], fields[4]

    def try_command(self, opcode, body=b"", reserved=0):
        """Run a command; return its status and the body of the reply."""
        self.post(opcode, body, reserved)
        reply = self.reply()
        assert reply, "no reply"
        assert reply[0] == opcode
        assert reply[1] == (self.commands - 1) & 0xFFFF
        if reply[2]:
            assert reply[3] == bytes(112)
        return reply[2], reply[3]

    def command(self, opcode, body=b""):
        """Run a command that must succeed; return the body of the reply."""
        status, reply = self.try_command(opcode, body)
        if status:
            raise CommandFailed(opcode, status)
        return reply

    def object_command(self, opcode, number):
        """Run a command whose only parameter is an object; return the reply's body."""
        return self.command(opcode, struct.pack("<I", number))

    # keys

    def register(self, addr, length, access=ALL_RIGHTS, pd=1, iova=None):
        """Publish a region; return its key."""
        index = self.next_key
        self.next_key += 1
        leaf = size_log((addr & 0xFFF) + length)
        while addr >> leaf != (addr + length - 1) >> leaf:
            leaf += 1
        base = addr >> leaf << leaf
        entry = MPT.pack(0, addr if iova is None else iova, length,
                         root(base, 0, leaf), addr - base, 0, 0, 0, 0, 0)
        at = self.mpt + index * 64
        self.put(at, entry)
        byte = index * 37 & 0xFF
        self.put64(at, byte | 2 << 8 | access << 16 | pd << 32)
        return index << 8 | byte

    def register_device_memory(self, offset, length, access=ALL_RIGHTS, pd=1):
        """Publish a zero-based region of device memory; return its key."""
        index = self.next_key
        self.next_key += 1
        at = self.mpt + index * 64
        self.put(at, MPT.pack(0, 0, length, 0, offset, 0, 0, 0, 0, 0))
        self.put64(at, 2 << 8 | access << 16 | pd << 32 | 1 << 57)
        return index << 8

    def invalidate(self, *keys):
        """Invalidate keys; return the outcome of each."""
        array = self.alloc(4 * len(keys), 8)
        for i, key in enumerate(keys):
            self.put32(array + 4 * i, key >> 8)
        self.command(INVALIDATE, struct.pack("<QII", array, len(keys), 0))
        words = [self.get32(array + 4 * i) for i in range(len(keys))]
        assert [word & 0xFFFFFF for word in words] == [k >> 8 for k in keys]
        return [word >> 24 for word in words]

    # what is to be seen from outside

    def stats(self):
        """Return the statistics of the process."""
        return self.process.stats()

    def host_errors(self):
        """Return the numbers of host errors by kind."""
        return self.stats()["host_error_kinds"]


class Ring:
    """A ring that the device writes, and its record."""

    def __init__(self, driver, log, entry):
        self.driver = driver
        self.log = log
        self.entry = entry
        size = (64 << log) + 128
        self.leaf = size_log(size)
        self.addr = driver.alloc(1 << self.leaf, 1 << self.leaf)
        self.record = self.addr + (64 << log)
        self.ci = 0
        self.arms = 0

    def root(self):
        """Return the translation root of the ring."""
        return root(self.addr, 0, self.leaf)

    def _at(self, index):
        """Return the address of an entry."""
        return self.addr + (index & ((1 << self.log) - 1)) * 64

    def _written(self, index):
        """Has the device written this entry?"""
        own = self.driver.get32(self._at(index) + 60)
        return own & 1 != index >> self.log & 1

    def peek(self):
        """Return the next entry, or None."""
        # The device writes the last word of an entry after the other words, so it has
        # to be read before them.
        if not self._written(self.ci):
            return None
        return self.entry.unpack(self.driver.get(self._at(self.ci), 64))

    def poll(self, timeout=TIMEOUT):
        """Take the next entry; None after a timeout."""
        deadline = time.monotonic() + timeout
        while True:
            fields = self.peek()
            if fields or time.monotonic() > deadline:
                break
            time.sleep(0.0005)
        if fields:
            self.ci += 1
            self.driver.put32(self.record, self.ci)
        return fields

    def arm(self, kind=1):
        """Arm: 1 for the next entry, 2 for a solicited one. Entries that are in the
        ring are not new."""
        if self.driver.shadow:
            self.arms += 1
            self.driver.put32(self.record + 4, self.arms << 2 | kind)
            return
        index = self.ci
        while index < self.ci + (1 << self.log) and self._written(index):
            index += 1
        self.driver.doorbell(self.number, index, self.page, self.doorbell, kind)


class EventQueue(Ring):
    """An event queue."""

    page, doorbell = 0, DB_EQ

    def __init__(self, driver, number, vector, log=EQ_LOG):
        super().__init__(driver, log, EQE)
        self.number = number
        driver.command(CREATE_EQ, struct.pack("<QIHBB", self.root(), number,
                                              vector, log, 0))

    def find(self, event, timeout=TIMEOUT):
        """Return the next event of a kind; None after a timeout."""
        while True:
            fields = self.poll(timeout)
            if not fields or fields[0] == event:
                return fields


class CompletionQueue(Ring):
    """A completion queue of a user process, with doorbell page 1."""

    page, doorbell = 1, DB_CQ

    def __init__(self, driver, number, eqn=1, log=CQ_LOG):
        super().__init__(driver, log, CQE)
        self.number = number
        driver.command(CREATE_CQ, struct.pack("<QIIIB3s", self.root(), number,
                                              eqn, self.page, log, bytes(3)))

    def completion(self, timeout=TIMEOUT):
        """Return the next completion as a dictionary, or None."""
        fields = self.poll(timeout)
        if not fields:
            return None
        names = ("wr_id", "byte_len", "imm", "qpn", "src_qpn", "opcode",
                 "status", "flags", "vendor_err", "wqe_index", "timestamp")
        return dict(zip(names, fields))


class QueuePair:
    """A queue pair of a user process, with doorbell page 1."""

    page = 1
    place = 0       # place of the next send entry, unless sq_pi is 0

    def __init__(self, driver, number, send_cq, recv_cq, pd=1, kind=RC):
        self.driver = driver
        self.number = number
        self.send_cq = send_cq
        self.recv_cq = recv_cq
        leaf = size_log(RQ_BYTES + SQ_BYTES + 128)
        self.rq = driver.alloc(1 << leaf, 1 << leaf)
        self.sq = self.rq + RQ_BYTES
        self.record = self.sq + SQ_BYTES
        self.sq_pi = 0
        self.rq_pi = 0
        driver.command(CREATE_QP, struct.pack(
            "<QIIIIIII6B6s", root(self.rq, 0, leaf), number, pd,
            send_cq.number, recv_cq.number, 0, 0, self.page, kind, 0, WQ_LOG,
            SQ_UNITS, WQ_LOG, STRIDE_LOG, bytes(6)))

    def modify(self, mask, **values):
        """Run MODIFY_QP."""
        names = ("state", "path_mtu", "retry_cnt", "rnr_retry", "timeout",
                 "min_rnr_timer", "max_rd_atomic", "max_dest_rd_atomic",
                 "qkey", "rq_psn", "sq_psn", "dest_qpn", "access",
                 "pkey_index", "flags")
        fields = [values.pop(name, 0) for name in names]
        av = values.pop("av", bytes(32))
        assert not values
        attr = ATTR.pack(*fields, bytes(3), av)
        self.driver.command(MODIFY_QP, struct.pack("<II", self.number, mask) +
                            attr)

    def connect(self, peer, mtu=5, **values):
        """Move from RESET to RTS, connected to a queue pair of any device."""
        av = AV.pack(peer.driver.gid, peer.driver.mac(), 0, 0, 0, 64, 0, 0)
        self.modify(0x3001, state=Q_INIT,
                    access=values.get("access", REMOTE_WRITE | REMOTE_READ |
                                      REMOTE_ATOMIC))
        self.modify(0x8AA3, state=Q_RTR, path_mtu=mtu, dest_qpn=peer.number,
                    rq_psn=peer.number * 1000, max_dest_rd_atomic=16,
                    min_rnr_timer=values.get("min_rnr_timer", 1), av=av)
        self.modify(0x045D, state=Q_RTS, timeout=values.get("timeout", 10),
                    retry_cnt=values.get("retry_cnt", 7),
                    rnr_retry=values.get("rnr_retry", 7),
                    sq_psn=self.number * 1000, max_rd_atomic=16)

    def query(self):
        """Return the state, send entries completed, receive entries consumed."""
        reply = self.driver.object_command(QUERY_QP, self.number)
        return (reply[0],) + struct.unpack_from("<II", reply, 64)

    def put_send(self, opcode, sges=(), flags=SIGNALED, wr_id=0, remote=0,
                 rkey=0, imm=0, extra=b"", inline=None, ext=0):
        """Write a send entry; the index is not published. Return its address."""
        count = len(sges) if inline is None else len(inline)
        extra += inline or b"".join(SGE.pack(*sge) for sge in sges)
        units = -(-(SQ_WQE.size + len(extra)) // UNIT)
        assert units <= SQ_UNITS
        flags |= (INLINE if inline else 0) | (units - 1) << 4
        place = self.place if self.sq_pi else 0
        entry = self.sq + place * UNIT
        self.driver.put(entry, SQ_WQE.pack(opcode, flags, count, imm, remote,
                                           rkey, ext, wr_id) + extra)
        self.place = (place + units) % (SQ_UNITS << WQ_LOG)
        self.sq_pi += 1
        return entry

    def ring(self):
        """Publish the producer index of the send queue and ring the doorbell."""
        self.driver.put32(self.record, self.sq_pi)
        self.driver.doorbell(self.number, self.sq_pi, self.page)

    def send(self, *args, **kwargs):
        """Post one send and ring the doorbell."""
        self.put_send(*args, **kwargs)
        self.ring()

    def push(self, *args, size=128, at=0, **kwargs):
        """Post one send, and write its first bytes to a slot of this size."""
        entry = self.put_send(*args, **kwargs)
        self.driver.put32(self.record, self.sq_pi)
        slot = PUSH_PAGES + self.page * 4096 + at
        for i in reversed(range(0, size, 8)):
            word = int.from_bytes(self.driver.get(entry + i, 8), "little")
            self.driver.client.write(vfu.BAR_DB, slot + i, word, 8)
        kind = size.bit_length() - 6 | at // 64 << 2
        self.driver.doorbell(self.number, self.sq_pi, self.page, kind=kind)

    def receive(self, sges=(), wr_id=0):
        """Post one receive."""
        slot = self.rq_pi & ((1 << WQ_LOG) - 1)
        data = RQ_WQE.pack(len(sges), bytes(6), wr_id)
        data += b"".join(SGE.pack(*sge) for sge in sges)
        self.driver.put(self.rq + (slot << STRIDE_LOG), data)
        self.rq_pi += 1
        self.driver.put32(self.record + 4, self.rq_pi)

    def sent(self, timeout=TIMEOUT):
        """Return the next completion of the send CQ."""
        return self.send_cq.completion(timeout)

    def received(self, timeout=TIMEOUT):
        """Return the next completion of the receive CQ."""
        return self.recv_cq.completion(timeout)


def pair(driver, **values):
    """Return two connected queue pairs, each with two CQs of its own."""
    base = values.pop("first", 16)
    qps = []
    for i in range(2):
        cqs = [CompletionQueue(driver, base + 2 * i + j) for j in range(2)]
        qps.append(QueuePair(driver, base + i, *cqs))
    qps[0].connect(qps[1], **values)
    qps[1].connect(qps[0], **values)
    return qps

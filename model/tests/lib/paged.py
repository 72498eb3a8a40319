# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""On-demand paging, as a driver does it: paged regions with tables of their own, and
answers to page faults. Layouts are defined from the specification, as in
xrdma_driver.py."""

import struct
import time

import xrdma_driver as x

ENABLE_ODP, INVALIDATE_RANGE = 0x61, 0x62
RESUME_DB = 0x40
AGAIN, REFUSE, LATER = 0, 1, 2
PAGE_FAULT = 0x41
FAULT_REMOTE, FAULT_WRITE = 1, 2
RING_LOG, EQ_LOG = 9, 9
PAGED = 1 << 58
PAGE = 4096
HUGE = 2 << 20

PAGE_FAULT_EQE = struct.Struct("<BBBBIIIQQQIIQII")


class Fault:
    """A PAGE_FAULT event."""

    def __init__(self, fields):
        (self.event, _, self.opcode, self.flags, self.qpn, self.key, self.pd,
         self.pos, self.length, _, _, self.token, self.expected, reserved,
         _) = fields
        assert self.event == PAGE_FAULT and reserved == 0

    @property
    def write(self):
        """Whether the access is a write."""
        return bool(self.flags & FAULT_WRITE)

    @property
    def remote(self):
        """Whether the peer requests the access."""
        return bool(self.flags & FAULT_REMOTE)


class Pager:
    """The driver's side of page faults: event queue 2 and the resume ring."""

    def __init__(self, host):
        self.host = host
        self.regions = {}
        self.eq = x.EventQueue(host, 2, 2, EQ_LOG)
        self.eq.entry = PAGE_FAULT_EQE
        self.ring = host.alloc(8 << RING_LOG)
        self.answers = 0
        host.command(ENABLE_ODP, enable_body(self.ring))

    def fault(self, timeout=x.TIMEOUT):
        """Return the next page fault; None after a timeout."""
        fields = self.eq.poll(timeout)
        return Fault(fields) if fields else None

    def pending(self):
        """Return the page faults that were raised, until none is for some time."""
        faults = []
        while fault := self.fault(0.05):
            faults.append(fault)
        return faults

    def quiet(self, seconds=0.05):
        """Assert that no page fault is raised for some time."""
        assert self.fault(seconds) is None

    def put_answer(self, token, outcome=AGAIN):
        """Write an answer; the index is not published."""
        slot = self.answers % (1 << RING_LOG)
        self.host.put(self.ring + 8 * slot, struct.pack("<II", token, outcome))
        self.answers += 1

    def announce(self):
        """Write the producer index."""
        self.host.write(RESUME_DB, self.answers)

    def answer(self, token, outcome=AGAIN):
        """Answer a page fault."""
        self.put_answer(token, outcome)
        self.announce()

    def region(self, size, backing=None, **values):
        """Register a paged region in which nothing is mapped."""
        region = Region(self.host, size, backing, **values)
        self.regions[region.key >> 8] = region
        return region

    def serve(self, fault, outcome=AGAIN):
        """Map the page that a fault needs, and answer."""
        self.regions[fault.key].map(fault.pos, write=fault.write)
        self.answer(fault.token, outcome)

    def serve_until(self, done, timeout=x.TIMEOUT):
        """Serve page faults until a function returns a true value; return the value
        and the page faults."""
        deadline = time.monotonic() + timeout
        faults = []
        while time.monotonic() < deadline:
            result = done()
            if result:
                return result, faults
            fault = self.fault(0.002)
            if fault:
                faults.append(fault)
                self.serve(fault)
        raise AssertionError(f"not done after {len(faults)} page faults")


def enable_body(ring, eqn=2, log=RING_LOG):
    """Return the body of ENABLE_ODP."""
    return struct.pack("<QIB3s", ring, eqn, log, bytes(3))


class Region:
    """A paged region: a root of 2 levels, and memory behind each of its pages. Address
    and position of its first byte are @start."""

    def __init__(self, host, size, backing=None, start=0, iova=None,
                 access=x.ALL_RIGHTS, pd=1, length=None):
        self.host = host
        self.size = size
        self.start = start
        self.iova = start if iova is None else iova
        self.backing = host.alloc(size, HUGE if size >= HUGE else PAGE) \
            if backing is None else backing
        self.top = host.alloc(PAGE)
        self.tables = {}
        index = host.next_key
        host.next_key += 1
        at = host.mpt + index * 64
        host.put(at, x.MPT.pack(0, self.iova, length or size,
                                x.root(self.top, 2, 12), start, 0, 0, 0, 0, 0))
        byte = index * 37 & 0xFF
        host.put64(at, byte | 2 << 8 | access << 16 | pd << 32 | PAGED)
        self.key = index << 8 | byte

    def entry_at(self, pos):
        """Return the address of the entry of level 1 for a position, whose table is
        made if there is none."""
        i = pos >> 21
        if i not in self.tables:
            self.tables[i] = self.host.alloc(PAGE)
            self.host.put64(self.top + 8 * i, self.tables[i] | 1)
        return self.tables[i] + 8 * (pos >> 12 & 511)

    def page(self, pos):
        """Return the bus address of the memory behind the page of a position."""
        return self.backing + ((pos - self.start) & ~0xFFF)

    def map(self, pos, size=1, write=True):
        """Map the pages of a range of positions."""
        for at in range(pos & ~0xFFF, pos + size, PAGE):
            self.host.put64(self.entry_at(at),
                            self.page(at) | (7 if write else 3))

    def map_all(self, write=True):
        """Map all pages."""
        self.map(self.start, self.size, write)

    def unmap(self, pos, size=1, fence=True):
        """Unmap the pages of a range of positions, and wait for the fence."""
        for at in range(pos & ~0xFFF, pos + size, PAGE):
            self.host.put64(self.entry_at(at), 0)
        if fence:
            first = pos & ~0xFFF
            self.fence(first, (pos + size - first + 0xFFF) & ~0xFFF)

    def fence(self, pos, size):
        """Wait until the device uses no old entry of a range of positions."""
        self.host.command(INVALIDATE_RANGE,
                          range_body((self.key >> 8, pos, size)))

    def put(self, offset, data):
        """Write to the memory behind the region."""
        self.host.put(self.backing + offset, data)

    def get(self, offset, size):
        """Read the memory behind the region."""
        return self.host.get(self.backing + offset, size)


def range_body(*ranges, count=None):
    """Return the body of INVALIDATE_RANGE, for ranges (key index, pos, bytes)."""
    body = struct.pack("<II", len(ranges) if count is None else count, 0)
    for index, pos, size in ranges:
        body += struct.pack("<IIQQ", index, 0, pos, size)
    return body

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A vfio-user client, a control client and a device process, for tests.

Client sends the messages that QEMU sends, with a method for each, and also
malformed messages. GuestMemory is memory that is shared with the device.
xrdma_driver.py has a driver that uses these classes.
"""

import array
import contextlib
import ctypes
import errno
import json
import mmap
import os
import select
import socket
import struct
import subprocess
import time

# commands
VERSION = 1
DMA_MAP = 2
DMA_UNMAP = 3
DEVICE_GET_INFO = 4
DEVICE_GET_REGION_INFO = 5
DEVICE_GET_IRQ_INFO = 7
DEVICE_SET_IRQS = 8
REGION_READ = 9
REGION_WRITE = 10
DEVICE_RESET = 13
REGION_WRITE_MULTI = 15

# header flags
REPLY = 0x1
NO_REPLY = 0x10
ERROR = 0x20

# regions and interrupt types of a PCI function
BAR_REGS = 0
BAR_DB = 2
BAR_DM = 4
MSIX_TABLE = 0x8000
MSIX_PBA = 0x9000
CONFIG = 7
IRQ_MSIX = 2

# interrupt flags
DATA_NONE = 0x01
DATA_BOOL = 0x02
DATA_EVENTFD = 0x04
ACTION_MASK = 0x08
ACTION_UNMASK = 0x10
ACTION_TRIGGER = 0x20

# mapping rights
READ = 1
WRITE = 2
UNMAP_ALL = 2

# configuration space
PCI_COMMAND = 0x04
PCI_COMMAND_MEMORY = 0x2
PCI_COMMAND_MASTER = 0x4
PCI_BASE_ADDRESS_0 = 0x10
PCI_CAPABILITY_LIST = 0x34
PCI_CAP_ID_PM = 0x01
PCI_CAP_ID_EXP = 0x10
PCI_CAP_ID_MSIX = 0x11
PCI_EXP_DEVCTL = 0x08
PCI_EXP_DEVCTL_BCR_FLR = 0x8000
PCI_MSIX_FLAGS = 0x02
PCI_MSIX_ENABLE = 0x8000
PCI_MSIX_MASKALL = 0x4000
PCI_PM_CTRL = 0x04

CAPABILITIES = {
    "max_msg_fds": 16,
    "max_data_xfer_size": 1048576,
    "max_dma_maps": 65535,
    "pgsizes": 4096,
    "migration": {"pgsize": 4096, "max_bitmap_size": 268435456},
    "write_multiple": True,
}

HEADER = struct.Struct("=HHIII")
REGION_IO = struct.Struct("=QII")
WRITE_ONE = struct.Struct("=QII8s")

PAGE = 4096
TIMEOUT = 10


class Disconnected(Exception):
    """The server closed the connection."""


class GuestMemory:
    """A memfd of the guest, mapped here as well."""

    def __init__(self, size):
        self.size = size
        self.fd = os.memfd_create("guest", os.MFD_CLOEXEC)
        os.ftruncate(self.fd, size)
        self.map = mmap.mmap(self.fd, size)

    def __getitem__(self, key):
        return self.map[key]

    def __setitem__(self, key, value):
        self.map[key] = value

    def close(self):
        """Close and unmap the memory here; the device may still have it mapped."""
        self.map.close()
        os.close(self.fd)


class Irq:
    """An eventfd that the device signals."""

    def __init__(self):
        self.fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    def wait(self, timeout=TIMEOUT):
        """Wait for a signal; return the number of signals, 0 after the timeout."""
        if not select.select([self.fd], [], [], timeout)[0]:
            return 0
        return os.eventfd_read(self.fd)

    def close(self):
        """Close the eventfd."""
        os.close(self.fd)


class Client:
    """A connection to the device."""

    def __init__(self, path, negotiate=True):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(TIMEOUT)
        self.sock.connect(path)
        self.next_id = 0
        self.irqs = []
        self.capabilities = self.version() if negotiate else None

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def close(self):
        """Hang up."""
        self.sock.close()
        for irq in self.irqs:
            irq.close()
        self.irqs = []

    # messages

    def send_raw(self, data, fds=()):
        """Send bytes and descriptors without a header."""
        if fds:
            control = array.array("i", fds)
            ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, control)]
            sent = self.sock.sendmsg([data], ancillary)
            data = data[sent:]
        if data:
            self.sock.sendall(data)

    def send(self, command, body=b"", fds=(), flags=0):
        """Send a message and return its id."""
        self.next_id = (self.next_id + 1) & 0xFFFF
        size = HEADER.size + len(body)
        header = HEADER.pack(self.next_id, command, size, flags, 0)
        self.send_raw(header + body, fds)
        return self.next_id

    def _receive_exactly(self, size):
        data = b""
        while len(data) < size:
            try:
                part = self.sock.recv(size - len(data))
            except ConnectionResetError:
                part = b""
            if not part:
                raise Disconnected()
            data += part
        return data

    def receive(self):
        """Receive a message: its header fields, body and descriptors."""
        try:
            head, fds, _, _ = socket.recv_fds(self.sock, HEADER.size, 16)
        except ConnectionResetError:
            head = b""
        if not head:
            raise Disconnected()
        head += self._receive_exactly(HEADER.size - len(head))
        header = HEADER.unpack(head)
        return header, self._receive_exactly(header[2] - HEADER.size), fds

    def receive_reply(self, ident, command):
        """Receive the reply to a message; raise OSError if it is an error."""
        (got_id, got_command, _, flags, error), body, fds = self.receive()
        assert (got_id, got_command) == (ident, command)
        assert flags & 0xF == REPLY
        if flags & ERROR:
            assert not body
            raise OSError(error, os.strerror(error))
        return body, fds

    def call(self, command, body=b"", fds=()):
        """Send a message and return the body of its reply."""
        body, got = self.receive_reply(self.send(command, body, fds), command)
        for fd in got:
            os.close(fd)
        return body

    # negotiation and information

    def version(self, major=0, minor=0, capabilities=None):
        """Negotiate; return the server's capabilities."""
        wanted = CAPABILITIES if capabilities is None else capabilities
        text = json.dumps({"capabilities": wanted}).encode() + b"\0"
        body = self.call(VERSION, struct.pack("=HH", major, minor) + text)
        assert struct.unpack_from("=HH", body) == (0, 0)
        assert body[-1] == 0
        return json.loads(body[4:-1])["capabilities"]

    def device_info(self):
        """Return flags, number of regions, number of interrupt types."""
        body = self.call(DEVICE_GET_INFO, struct.pack("=IIII", 16, 0, 0, 0))
        argsz, flags, regions, irqs = struct.unpack("=IIII", body)
        assert argsz == 16
        return flags, regions, irqs

    def region_info(self, index, argsz=32):
        """Return flags, size, offset and descriptors of a region."""
        body = struct.pack("=IIIIQQ", argsz, 0, index, 0, 0, 0)
        ident = self.send(DEVICE_GET_REGION_INFO, body)
        body, fds = self.receive_reply(ident, DEVICE_GET_REGION_INFO)
        argsz, flags, got, cap, size, offset = struct.unpack("=IIIIQQ", body)
        assert (argsz, got, cap) == (32, index, 0)
        return flags, size, offset, fds

    def irq_info(self, index):
        """Return flags and count of an interrupt type."""
        body = struct.pack("=IIII", 16, 0, index, 0)
        reply = self.call(DEVICE_GET_IRQ_INFO, body)
        argsz, flags, got, count = struct.unpack("=IIII", reply)
        assert (argsz, got) == (16, index)
        return flags, count

    def reset(self):
        """Send DEVICE_RESET."""
        assert self.call(DEVICE_RESET) == b""

    # regions

    def read_bytes(self, region, offset, count):
        """Read bytes of a region."""
        io = REGION_IO.pack(offset, region, count)
        reply = self.call(REGION_READ, io)
        assert reply[: REGION_IO.size] == io
        assert len(reply) == REGION_IO.size + count
        return reply[REGION_IO.size:]

    def write_bytes(self, region, offset, data, posted=False):
        """Write bytes to a region; a posted write has no reply."""
        io = REGION_IO.pack(offset, region, len(data))
        if posted:
            self.send(REGION_WRITE, io + data, flags=NO_REPLY)
        else:
            assert self.call(REGION_WRITE, io + data) == io

    def write_multi(self, writes, posted=True):
        """Write several (region, offset, data) in one message."""
        body = struct.pack("=Q", len(writes))
        for region, offset, data in writes:
            body += WRITE_ONE.pack(offset, region, len(data), data)
        if posted:
            self.send(REGION_WRITE_MULTI, body, flags=NO_REPLY)
        else:
            reply = self.call(REGION_WRITE_MULTI, body)
            assert reply == struct.pack("=Q", len(writes))

    def read(self, bar, offset, size=4):
        """Read a register."""
        return int.from_bytes(self.read_bytes(bar, offset, size), "little")

    def write(self, bar, offset, value, size=4, posted=False):
        """Write a register."""
        data = value.to_bytes(size, "little")
        self.write_bytes(bar, offset, data, posted)

    def config_read(self, offset, size=4):
        """Read configuration space."""
        return self.read(CONFIG, offset, size)

    def config_write(self, offset, value, size=4):
        """Write configuration space."""
        self.write(CONFIG, offset, value, size)

    # the PCI function

    def capability(self, ident):
        """Return the offset of a PCI capability, or None."""
        offset = self.config_read(PCI_CAPABILITY_LIST, 1)
        while offset:
            if self.config_read(offset, 1) == ident:
                return offset
            offset = self.config_read(offset + 1, 1)
        return None

    def enable(self, memory=True, master=True):
        """Set the memory and bus master bits of the command register."""
        command = self.config_read(PCI_COMMAND, 2)
        command &= ~(PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER)
        command |= PCI_COMMAND_MEMORY if memory else 0
        command |= PCI_COMMAND_MASTER if master else 0
        self.config_write(PCI_COMMAND, command, 2)

    def flr(self):
        """Reset the function by its function level reset bit."""
        devctl = self.capability(PCI_CAP_ID_EXP) + PCI_EXP_DEVCTL
        value = self.config_read(devctl, 2)
        self.config_write(devctl, value | PCI_EXP_DEVCTL_BCR_FLR, 2)

    # interrupts

    def set_irqs(self, flags, index, start, count, data=b"", fds=()):
        """Send a SET_IRQS message."""
        argsz = 20 + len(data)
        body = struct.pack("=IIIII", argsz, flags, index, start, count)
        assert self.call(DEVICE_SET_IRQS, body + data, fds) == b""

    def msix_control(self, enable=True, mask=False):
        """Write the MSI-X enable and function mask bits."""
        value = PCI_MSIX_ENABLE if enable else 0
        value |= PCI_MSIX_MASKALL if mask else 0
        offset = self.capability(PCI_CAP_ID_MSIX) + PCI_MSIX_FLAGS
        self.config_write(offset, value, 2)

    def irq_enable(self, count, start=0):
        """Enable MSI-X with an eventfd per vector; return the Irqs."""
        irqs = [Irq() for _ in range(count)]
        self.irqs += irqs
        for first in range(0, count, 16):
            part = irqs[first:first + 16]
            self.set_irqs(DATA_EVENTFD | ACTION_TRIGGER, IRQ_MSIX,
                          start + first, len(part),
                          fds=[irq.fd for irq in part])
        self.msix_control()
        return irqs

    def irq_disable(self):
        """Remove all eventfds, as QEMU does, and disable MSI-X."""
        self.set_irqs(DATA_NONE | ACTION_TRIGGER, IRQ_MSIX, 0, 0)
        self.msix_control(enable=False)

    # memory

    def dma_map(self, memory, iova, size=None, offset=0, rights=READ | WRITE):
        """Map guest memory; if memory is None, send no descriptor."""
        if size is None:
            size = memory.size - offset
        body = struct.pack("=IIQQQ", 32, rights, offset, iova, size)
        fds = [memory.fd] if memory else []
        assert self.call(DMA_MAP, body, fds) == b""

    def dma_unmap(self, iova, size, flags=0):
        """Unmap a range, or everything with UNMAP_ALL."""
        body = struct.pack("=IIQQ", 24, flags, iova, size)
        assert self.call(DMA_UNMAP, body) == body


class Control:
    """A client of the control socket."""

    def __init__(self, path):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(TIMEOUT)
        self.sock.connect(path)
        self.file = self.sock.makefile("rwb")

    def request(self, **request):
        """Send a request and return the reply."""
        self.file.write(json.dumps(request).encode() + b"\n")
        self.file.flush()
        return json.loads(self.file.readline())

    def stats(self):
        """Return all statistics."""
        reply = self.request(cmd="stats")
        assert reply["ok"]
        return reply

    def close(self):
        """Hang up."""
        self.file.close()
        self.sock.close()


def _die_with_parent():
    ctypes.CDLL(None).prctl(1, 9)


def _inode(path):
    try:
        return os.stat(path).st_ino
    except FileNotFoundError:
        return None


class DeviceProcess:
    """A running device, with its sockets in a directory.

    expected_status is the exit status that the fixtures check. If ready is
    false, the constructor does not wait for the sockets.
    """

    def __init__(self, binary, directory, *options, ready=True):
        self.path = os.path.join(directory, "vfu.sock")
        self.control_path = os.path.join(directory, "control.sock")
        self.stderr_path = os.path.join(directory, "stderr")
        self.expected_status = 0
        stale = [_inode(self.control_path), _inode(self.path)]
        with open(self.stderr_path, "wb") as stderr:
            self.process = subprocess.Popen(
                [binary, "--socket", self.path,
                 "--control", self.control_path, *options],
                stderr=stderr, preexec_fn=_die_with_parent)
        if ready:
            self._wait_for(self.control_path, stale[0])
            self._wait_for(self.path, stale[1])

    def _wait_for(self, path, stale):
        deadline = time.monotonic() + TIMEOUT
        while _inode(path) in (None, stale):
            assert self.process.poll() is None, self.stderr()
            assert time.monotonic() < deadline, "no socket"
            time.sleep(0.005)

    def client(self, negotiate=True):
        """Connect a vfio-user client."""
        return Client(self.path, negotiate)

    def control(self):
        """Connect a control client."""
        return Control(self.control_path)

    def stats(self):
        """Return all statistics over a connection of its own."""
        with contextlib.closing(self.control()) as control:
            return control.stats()

    def stderr(self):
        """Return the text that the device has printed to standard error."""
        with open(self.stderr_path, encoding="utf-8") as file:
            return file.read()

    def open_fds(self):
        """Return the number of open descriptors of the process."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def wait_for_fds(self, count, timeout=TIMEOUT):
        """Wait until the process has this number of open descriptors."""
        deadline = time.monotonic() + timeout
        while self.open_fds() != count:
            assert time.monotonic() < deadline, (self.open_fds(), count)
            time.sleep(0.005)

    def cpu_seconds(self):
        """Return the processor time used so far."""
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        ticks = int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def wait_until_reset(self, count, timeout=TIMEOUT):
        """Wait until the device has been reset this number of times."""
        deadline = time.monotonic() + timeout
        while self.stats()["vfu"]["resets"] < count:
            assert time.monotonic() < deadline, "no reset"
            time.sleep(0.005)

    def stop(self):
        """End the process with SIGTERM; return its exit status."""
        self.process.terminate()
        try:
            return self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise


@contextlib.contextmanager
def refused(number=errno.EINVAL):
    """Check that the body of the with statement fails with this errno."""
    try:
        yield
    except OSError as error:
        assert error.errno == number, error
    else:
        raise AssertionError(f"not refused with {errno.errorcode[number]}")

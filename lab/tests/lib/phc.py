# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The PTP hardware clock of the Ethernet port, and sockets whose frames have time
stamps of the device. As a program it answers datagrams, and prints their time stamps:
python3 -m lib.phc PORT"""

import ctypes
import fcntl
import os
import pathlib
import select
import socket
import struct
import sys
import time

from lib import ether

NETDEV, PCI = os.environ.get("XRDMA_NETDEV"), os.environ.get("XRDMA_PCI", "none")
SIOCSHWTSTAMP, SIOCGHWTSTAMP = 0x89b0, 0x89b1
OFF, ON = 0, 1                      # hwtstamp_config.tx_type
NONE, ALL = 0, 1                    # hwtstamp_config.rx_filter
SO_TIMESTAMPING = 37
SOFTWARE = 1 << 1 | 1 << 3 | 1 << 4     # TX, RX, report
HARDWARE = 1 << 0 | 1 << 2 | 1 << 6     # TX, RX, report
TSONLY = 1 << 11                        # a report of a sent frame has no data
ADJ_OFFSET, ADJ_FREQUENCY, ADJ_NANO = 0x0100, 0x0002, 0x2000
PATIENCE = 10
libc = ctypes.CDLL(None, use_errno=True)


def hwtstamp(request=SIOCGHWTSTAMP, tx_type=OFF, rx_filter=NONE):
    """Reads the settings of time stamps of frames, or sets them. Returns tx_type and
    rx_filter."""
    config = ctypes.create_string_buffer(struct.pack("3i", 0, tx_type, rx_filter))
    words = struct.pack("16sQ16x", NETDEV.encode(), ctypes.addressof(config))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        fcntl.ioctl(sock, request, words)
    return struct.unpack("3i", config.raw[:12])[1:]


def enable(on=True):
    """Switches the time stamps of the device on or off."""
    return hwtstamp(SIOCSHWTSTAMP, *((ON, ALL) if on else (OFF, NONE)))


def names():
    """The names of the PTP hardware clocks of the function."""
    return [path.name for path in pathlib.Path("/sys/bus/pci/devices", PCI,
                                               "ptp").glob("*")]


class Phc:
    """The PTP hardware clock. Times are in ns."""

    def __init__(self):
        self._file = os.open(f"/dev/{names()[0]}", os.O_RDWR)
        self._clock = (~self._file) << 3 | 3

    def close(self):
        """Closes the file of the clock."""
        os.close(self._file)

    def read(self):
        """The time."""
        return time.clock_gettime_ns(self._clock)

    def set(self, now):
        """Sets the time."""
        time.clock_settime_ns(self._clock, now)

    def adjust(self, modes, frequency=0, offset=0):
        """Calls clock_adjtime(): frequency in 2^-16 ppm, offset in ns."""
        words = bytearray(208)
        struct.pack_into("Iqq", words, 0, modes, 0, frequency)
        struct.pack_into("qq", words, 72, *divmod(offset, 1000000000))
        timex = (ctypes.c_char * len(words)).from_buffer(words)
        if libc.clock_adjtime(self._clock, timex) < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))

    def faster(self, ppm):
        """Sets how much faster the clock is than that of the device."""
        self.adjust(ADJ_FREQUENCY, int(ppm * 65536))

    def step(self, offset):
        """Adds offset to the time."""
        self.adjust(ADJ_OFFSET | ADJ_NANO, offset=offset)


def ask_for_stamps(sock, flags=SOFTWARE | HARDWARE | TSONLY):
    """Makes a socket report time stamps."""
    sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPING, flags)
    return sock


def _stamps(ancillary):
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPING):
            words = struct.unpack("6q", data[:48])
            return tuple(words[at] * 1000000000 + words[at + 1] for at in (0, 4))
    return (0, 0)


def received(sock):
    """Waits for a frame. Returns its bytes and the sender, and its time stamps: that of
    the kernel and that of the device, in ns; 0: there is none."""
    sock.settimeout(PATIENCE)
    data, ancillary, _, sender = sock.recvmsg(2048, 512)
    return data, sender, _stamps(ancillary)


def sent(sock):
    """Waits for a report about a frame that was sent. Returns its time stamps, like
    received()."""
    poll = select.poll()
    poll.register(sock, select.POLLERR)
    assert poll.poll(1000 * PATIENCE), "there is no report about a sent frame"
    return _stamps(sock.recvmsg(2048, 512, socket.MSG_ERRQUEUE)[1])


def stamps():
    """Sends a frame to the port itself. Returns the time stamps of the sent and of the
    received frame: each that of the kernel, and that of the device."""
    kind = ether.ETHERTYPE.to_bytes(2, "big")
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                       socket.htons(ether.ETHERTYPE)) as sock:
        sock.bind((NETDEV, ether.ETHERTYPE))
        ask_for_stamps(sock)
        sock.send(2 * ether.address() + kind + bytes(100))
        return sent(sock), received(sock)[2]


def serve(port):
    """Answers each datagram, and prints the times at which the device has received it
    and sent the answer."""
    enable()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        ask_for_stamps(sock, HARDWARE | TSONLY).bind(("", port))
        print("ready", flush=True)
        while True:
            data, ancillary, _, sender = sock.recvmsg(2048, 512)
            sock.sendto(data, sender)
            print(_stamps(ancillary)[1], sent(sock)[1], flush=True)


def exchange(address, port, count):
    """Sends datagrams to serve() one after the other. Returns for each of them the times
    at which the device has sent it and received the answer."""
    enable()
    times = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        ask_for_stamps(sock, HARDWARE | TSONLY)
        for number in range(count):
            sock.sendto(bytes([number]), (address, port))
            times.append((sent(sock)[1], received(sock)[2][1]))
    return times


if __name__ == "__main__":
    serve(int(sys.argv[1]))

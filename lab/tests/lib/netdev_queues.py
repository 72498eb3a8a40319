# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What the kernel reports of the queues of a network interface, by the generic netlink
family "netdev": their counters, their NAPIs and their pages. No tool of the image shows
these."""

import os
import socket
import struct

GENERIC, CONTROL = 16, 16           # NETLINK_GENERIC, GENL_ID_CTRL
GET_FAMILY, FAMILY_ID, FAMILY_NAME = 3, 1, 2
REQUEST, DUMP = 1, 0x300            # NLM_F_REQUEST, NLM_F_DUMP
ERROR, DONE = 2, 3                  # types of messages
PAGE_POOL_GET, QUEUE_GET, NAPI_GET, QSTATS_GET = 5, 10, 11, 12
RX, TX = 0, 1
KINDS = {"rx": RX, "tx": TX}


def attribute(kind, payload):
    head = struct.pack("=HH", len(payload) + 4, kind)
    return head + payload + bytes(-len(payload) % 4)


def attributes(data):
    """The attributes in data: {type: payload}."""
    found = {}
    while len(data) >= 4:
        size, kind = struct.unpack_from("=HH", data)
        found[kind & 0x3fff] = data[4:size]
        data = data[(size + 3) & ~3:]
    return found


def messages(sock):
    """The messages of an answer: (type, bytes after the generic header)."""
    while True:
        data = sock.recv(1 << 17)
        while len(data) >= 16:
            size, kind = struct.unpack_from("=IH", data)
            if kind == ERROR:
                number = -struct.unpack_from("=i", data, 16)[0]
                if number:
                    raise OSError(number, os.strerror(number))
                return
            if kind == DONE:
                return
            yield kind, data[20:size]
            data = data[(size + 3) & ~3:]


def call(sock, family, command, flags, payload):
    body = struct.pack("=BBH", command, 1, 0) + payload
    sock.send(struct.pack("=IHHII", 16 + len(body), family, REQUEST | flags, 1, 0) +
              body)
    return [attributes(rest) for _, rest in messages(sock)]


def dump(command, payload):
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, GENERIC) as sock:
        sock.bind((0, 0))
        name = attribute(FAMILY_NAME, b"netdev\0")
        family = call(sock, CONTROL, GET_FAMILY, 4, name)[0][FAMILY_ID]
        return call(sock, struct.unpack("=H", family)[0], command, DUMP, payload)


def number(payload):
    """The value of an attribute with an unsigned integer."""
    return int.from_bytes(payload, "little")


def index_of(netdev):
    return struct.pack("=I", socket.if_nametoindex(netdev))


def packets(netdev, direction):
    """The number of frames that each queue has received (direction "rx") or sent."""
    found = {}
    for row in dump(QSTATS_GET, attribute(1, index_of(netdev)) +
                    attribute(4, struct.pack("=I", 1))):
        if number(row[2]) == KINDS[direction]:
            found[number(row[3])] = number(row[8 if direction == "rx" else 10])
    return [found[queue] for queue in sorted(found)]


def gro(netdev):
    """Counters of each receive queue: merged frames, their bytes, the frames of which
    they were made, and the bytes of these."""
    found = {number(row[3]): [number(row[kind]) for kind in range(19, 23)]
             for row in dump(QSTATS_GET, attribute(1, index_of(netdev)) +
                             attribute(4, struct.pack("=I", 1)))
             if number(row[2]) == RX}
    return [found[queue] for queue in sorted(found)]


def total(netdev, direction):
    """The number of frames that all queues have received or sent, also former ones."""
    row, = dump(QSTATS_GET, attribute(1, index_of(netdev)))
    return number(row[8 if direction == "rx" else 10])


def interrupts(netdev):
    """The interrupt of each queue: {("rx" or "tx", number of the queue): interrupt}."""
    napis = {number(row[2]): number(row[3]) for row in
             dump(NAPI_GET, attribute(1, index_of(netdev))) if 3 in row}
    names = {value: name for name, value in KINDS.items()}
    return {(names[number(row[3])], number(row[1])): napis[number(row[4])]
            for row in dump(QUEUE_GET, attribute(2, index_of(netdev))) if 4 in row}


def pages(netdev):
    """The number of pages that each receive queue uses: those that are posted, and those
    of frames that the network stack has not freed."""
    index = socket.if_nametoindex(netdev)
    return [number(row[4]) for row in dump(PAGE_POOL_GET, b"")
            if 2 in row and number(row[2]) == index and 6 not in row]

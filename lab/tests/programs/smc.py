# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""One end of a test of SMC-R sockets.

  smc.py echo                  sends back what it receives from one connection
  smc.py ask ADDRESS ROUNDS    connects, and compares what comes back
  smc.py ueid NAME             sets the name of the network, which version 2 needs

Both ends ask the kernel for the transport of the connection, and print "SMC-R" only
if the connection has not fallen back to TCP.
"""

import random
import socket
import struct
import sys
import threading

IPPROTO_SMC = 256
NETLINK_SOCK_DIAG, NETLINK_GENERIC = 4, 16
NLMSG_ERROR, NLMSG_DONE = 2, 3
REQUEST, ACK, DUMP = 1, 4, 0x300
SOCK_DIAG_BY_FAMILY, AF_SMC, ALL = 20, 43, 0xff
MODES = {0: "SMC-R", 1: "TCP", 2: "SMC-D"}
PORT = 5555
SIZES = [1, 100, 4096, 65536, 65537, 1000000]

_HEADER = struct.Struct("=IHHII")


def _ask_kernel(protocol, kind, flags, body):
    """Sends a netlink request. Yields (kind, body) of each message of the answer."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol) as sock:
        sock.bind((0, 0))
        sock.send(_HEADER.pack(_HEADER.size + len(body), kind,
                               REQUEST | flags, 1, 0) + body)
        while True:
            data = sock.recv(1 << 16)
            while data:
                length, kind, *_ = _HEADER.unpack_from(data)
                if kind == NLMSG_DONE:
                    return
                yield kind, data[_HEADER.size:length]
                data = data[length + 3 & ~3:]
            if not flags & DUMP:
                return


def _attribute(kind, data):
    size = 4 + len(data)
    return struct.pack("=HH", size, kind) + data + bytes(-size % 4)


def _generic(family, command, attributes, flags=0):
    body = struct.pack("=BBH", command, 1, 0) + attributes
    return next(_ask_kernel(NETLINK_GENERIC, family, flags, body))


def _family(name):
    """The number of a generic netlink family."""
    _, body = _generic(16, 3, _attribute(2, name.encode() + b"\0"))
    body = body[4:]
    while body:
        size, kind = struct.unpack_from("=HH", body)
        if kind == 1:
            return struct.unpack_from("=H", body, 4)[0]
        body = body[size + 3 & ~3:]
    raise OSError(f"no netlink family {name}")


def add_ueid(name):
    """Adds a UEID, the name of the network. EEXIST is no error."""
    kind, body = _generic(_family("SMC_GEN_NETLINK"), 10, _attribute(
        1, name.ljust(32).encode() + b"\0"), ACK)
    error = -struct.unpack_from("=i", body)[0]
    if kind == NLMSG_ERROR and error not in (0, 17):
        raise OSError(error, "no EID")


def mode(sock):
    """The transport of the connection: "SMC-R" or another word."""
    mine = struct.pack("!HH", sock.getsockname()[1], sock.getpeername()[1])
    body = struct.pack("=BHB", AF_SMC, 0, ALL) + bytes(48)
    for kind, message in _ask_kernel(NETLINK_SOCK_DIAG, SOCK_DIAG_BY_FAMILY,
                                     DUMP, body):
        if kind == SOCK_DIAG_BY_FAMILY and message[4:8] == mine:
            return MODES[message[2]]
    return "unknown"


def _receive(sock, size):
    data = bytearray()
    while len(data) < size:
        more = sock.recv(size - len(data))
        if not more:
            raise EOFError(f"{len(data)} of {size} bytes came")
        data += more
    return bytes(data)


def echo():
    """Accepts one connection, and sends back the bytes that it receives."""
    with socket.socket(proto=IPPROTO_SMC) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("", PORT))
        listener.listen()
        print("ready", flush=True)
        sock, _ = listener.accept()
    with sock:
        print(mode(sock), flush=True)
        while data := sock.recv(1 << 17):
            sock.sendall(data)


def ask(address, rounds):
    """Sends and receives at the same time, and compares the bytes."""
    rng, total = random.Random(7), 0
    with socket.socket(proto=IPPROTO_SMC) as sock:
        sock.settimeout(60)
        sock.connect((address, PORT))
        print(mode(sock), flush=True)
        for _ in range(rounds):
            for size in SIZES:
                data = rng.randbytes(size)
                sender = threading.Thread(target=sock.sendall, args=(data,))
                sender.start()
                assert _receive(sock, size) == data, f"{size} bytes are wrong"
                sender.join()
                total += 2 * size
    print(f"verified {total}")


def main(role, name="", rounds="1"):
    if role == "ueid":
        add_ueid(name)
    elif role == "echo":
        echo()
    else:
        ask(name, int(rounds))


if __name__ == "__main__":
    main(*sys.argv[1:])

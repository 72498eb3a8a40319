# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""One end of a test of RDS over RDMA.

  rds.py echo ADDRESS               does what the messages of the other end request
  rds.py ask ADDRESS PEER ROUNDS    sends the requests to PEER

"ask" sends messages of many sizes, which "echo" returns with their bytes reversed, and
makes "echo" read and write the memory of "ask" by RDMA. Both ends refuse every
transport but RDMA. The head of a message has the kind of the request (ECHO, READ,
WRITE or END) and, for READ and WRITE, the number of bytes. The kernel adds the cookie
of the memory to which the sender grants access.
"""

import ctypes
import random
import socket
import struct
import sys

SOL_RDS = 276
FREE_MR, SO_RDS_TRANSPORT = 3, 8
CMSG_RDMA_ARGS, CMSG_RDMA_DEST, CMSG_RDMA_MAP, CMSG_RDMA_STATUS = 1, 2, 3, 4
TRANS_IB = 0
READWRITE, FENCE, INVALIDATE, NOTIFY_ME = 1, 2, 4, 32
PORT = 4000
ECHO, READ, WRITE, END = range(4)
HEAD = struct.Struct("<BQ")
SIZES = [0, 1, 100, 4095, 4096, 4097, 20000, 65536, 100000]
AREAS = [8, 4096, 5000, 65536, 1000000]
MOST = 1 << 20


def rds_socket(address):
    """A bound socket that uses only the RDMA transport."""
    sock = socket.socket(socket.AF_RDS, socket.SOCK_SEQPACKET)
    sock.setsockopt(SOL_RDS, SO_RDS_TRANSPORT, struct.pack("i", TRANS_IB))
    for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
        sock.setsockopt(socket.SOL_SOCKET, option, MOST)
    sock.bind((address, PORT))
    sock.settimeout(60)
    return sock


class Area:
    """Memory that is the remote or the local side of an RDMA operation."""

    def __init__(self, data):
        self._buffer = ctypes.create_string_buffer(data, len(data))
        self.vec = struct.pack("QQ", ctypes.addressof(self._buffer), len(data))

    def data(self):
        return self._buffer.raw

    def lend(self, sock, peer, message):
        """Sends a message that grants the peer access to this memory. Returns the
        cookie, by which take_back() ends the access."""
        cookie = ctypes.c_uint64()
        args = self.vec + struct.pack("QQ", ctypes.addressof(cookie), READWRITE)
        sock.sendmsg([message], [(SOL_RDS, CMSG_RDMA_MAP, args)], 0, peer)
        return cookie.value


def take_back(sock, cookie):
    """Ends the access of the peer to the memory with this cookie."""
    sock.setsockopt(SOL_RDS, FREE_MR, struct.pack("QQ", cookie, INVALIDATE))


def rdma(sock, peer, cookie, area, write):
    """Moves an area to or from the peer's area, then sends a message, after which the
    peer may call take_back()."""
    vec = ctypes.create_string_buffer(area.vec, len(area.vec))
    args = struct.pack(
        "QQQQQQQ", cookie, 0, len(area.data()), ctypes.addressof(vec), 1,
        NOTIFY_ME | FENCE | (READWRITE if write else 0), 7)
    sock.sendmsg([b"moved"], [(SOL_RDS, CMSG_RDMA_ARGS, args)], 0, peer)
    while True:
        _, control, _, _ = sock.recvmsg(0, 1024)
        for _, kind, data in control:
            if kind == CMSG_RDMA_STATUS:
                token, status = struct.unpack_from("Qi", data)
                assert (token, status) == (7, 0), f"RDMA failed: {status}"
                return


def echo(sock):
    """Receives messages, and does what they request."""
    area = None
    while True:
        data, control, _, peer = sock.recvmsg(MOST, 1024)
        what, size = HEAD.unpack_from(data)
        if what == ECHO:
            sock.sendto(data[::-1], peer)
        elif what == END:
            sock.sendto(b"end", peer)
            return
        else:
            if what == READ:
                area = Area(bytes(size))
            cookie, = (struct.unpack("Q", granted)[0]
                       for _, kind, granted in control
                       if kind == CMSG_RDMA_DEST)
            rdma(sock, peer, cookie, area, what == WRITE)


def ask_for_echo(sock, peer, size, rng):
    """Sends one message and compares the echo. Returns the number of compared bytes."""
    data = HEAD.pack(ECHO, 0) + rng.randbytes(size)
    sock.sendto(data, peer)
    assert sock.recv(MOST) == data[::-1], f"{size} bytes came back wrong"
    return 2 * len(data)


def ask_for_rdma(sock, peer, size, rng):
    """Makes the peer read an area and write the bytes into another one."""
    data = rng.randbytes(size)
    source, sink = Area(data), Area(bytes(size))
    for what, area in ((READ, source), (WRITE, sink)):
        cookie = area.lend(sock, peer, HEAD.pack(what, size))
        assert sock.recv(MOST) == b"moved"
        take_back(sock, cookie)
    assert source.data() == data and sink.data() == data, f"area of {size}"
    return 2 * size


def ask(sock, peer, rounds):
    """Makes all requests, in this number of rounds."""
    rng, total = random.Random(7), 0
    for _ in range(rounds):
        total += sum(ask_for_echo(sock, peer, size, rng) for size in SIZES)
        total += sum(ask_for_rdma(sock, peer, size, rng) for size in AREAS)
    print(f"verified {total}")


def main(role, address, peer=None, rounds="1"):
    with rds_socket(address) as sock:
        if role == "echo":
            print("ready", flush=True)
            echo(sock)
        else:
            ask(sock, (peer, PORT), int(rounds))
            sock.sendto(HEAD.pack(END, 0), (peer, PORT))
            sock.recv(MOST)


if __name__ == "__main__":
    main(*sys.argv[1:])

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A program for TCP that does not use RDMA itself; rsockets replace its sockets.

  tcp.py            the server, which sends back the bytes that it receives
  tcp.py ADDRESS    the client, which compares the bytes that come back

The program calls the C library, since Python creates sockets with a flag that
rsockets do not support.
"""

import ctypes
import os
import random
import socket
import struct
import sys

PORT = 8000
SIZE = 2000000
LONGEST = 100000

libc = ctypes.CDLL(None, use_errno=True)


def call(name, *args):
    """Calls a function of the C library. OSError if it returns -1."""
    result = getattr(libc, name)(*args)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def ipv4(address):
    """A struct sockaddr_in, and its size."""
    packed = struct.pack("=H", socket.AF_INET) + struct.pack(">H", PORT) + \
        socket.inet_aton(address) + bytes(8)
    return packed, len(packed)


def receive(sock, length):
    """Receives at most length bytes. Empty if the peer has closed its socket."""
    buffer = ctypes.create_string_buffer(length)
    length = call("recv", sock, buffer, length, 0)
    return buffer.raw[:length]


def send(sock, data):
    while data:
        data = data[call("send", sock, data, len(data), 0):]


def serve(sock):
    call("bind", sock, *ipv4(os.environ["XRDMA_ADDR"]))
    call("listen", sock, 1)
    peer = call("accept", sock, None, None)
    while data := receive(peer, LONGEST):
        send(peer, data)
    call("close", peer)


def ask(sock, address):
    call("connect", sock, *ipv4(address))
    chance = random.Random(1)
    moved = 0
    while moved < SIZE:
        data = chance.randbytes(chance.randrange(1, LONGEST))
        send(sock, data)
        back = b""
        while len(back) < len(data):
            more = receive(sock, LONGEST)
            assert more, "it ended"
            back += more
        assert back == data
        moved += len(data)
    print(f"verified {moved} bytes")


def main():
    sock = call("socket", socket.AF_INET, socket.SOCK_STREAM, 0)
    if len(sys.argv) > 1:
        ask(sock, sys.argv[1])
    else:
        serve(sock)
    call("close", sock)


main()

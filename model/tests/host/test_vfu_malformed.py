# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of malformed messages: an errno or a disconnect, never a crash."""

import os
import random
import struct
import time

import pytest

import vfu_client as vfu

KNOWN = [vfu.VERSION, vfu.DMA_MAP, vfu.DMA_UNMAP, vfu.DEVICE_GET_INFO,
         vfu.DEVICE_GET_REGION_INFO, vfu.DEVICE_GET_IRQ_INFO,
         vfu.DEVICE_SET_IRQS, vfu.REGION_READ, vfu.REGION_WRITE,
         vfu.DEVICE_RESET, vfu.REGION_WRITE_MULTI]


def still_works(stub):
    """Check that a new client is served."""
    with stub.client() as client:
        client.enable()
        client.write(0, 0, 0x77)
        assert client.read(0, 0) == 0x77


@pytest.mark.parametrize("command", [0, 6, 11, 12, 14, 16, 17, 18, 255, 65535])
def test_unknown_command(client, command):
    """Unknown, unimplemented and server-to-client commands are refused."""
    with vfu.refused(95):
        client.call(command, bytes(64))
    client.device_info()


@pytest.mark.parametrize("command", [c for c in KNOWN
                                     if c != vfu.DEVICE_RESET])
def test_short_message(client, command):
    """A message body is refused at each length below the required one."""
    sizes = {vfu.VERSION: 4, vfu.DMA_MAP: 32, vfu.DMA_UNMAP: 24,
             vfu.DEVICE_GET_INFO: 16, vfu.DEVICE_GET_REGION_INFO: 32,
             vfu.DEVICE_GET_IRQ_INFO: 16, vfu.DEVICE_SET_IRQS: 20,
             vfu.REGION_READ: 16, vfu.REGION_WRITE: 16,
             vfu.REGION_WRITE_MULTI: 8}
    for size in range(sizes[command]):
        with vfu.refused():
            client.call(command, bytes(size))
    client.device_info()


@pytest.mark.parametrize("command", [c for c in KNOWN
                                     if c not in (vfu.DMA_MAP,
                                                  vfu.DEVICE_SET_IRQS)])
def test_descriptor_where_none_belongs(stub, client, command):
    """A descriptor with a message that allows none is refused and closed."""
    before = stub.open_fds()
    with open(os.devnull, "rb") as file:
        with vfu.refused():
            client.call(command, bytes(64), [file.fileno()])
    stub.wait_for_fds(before)
    client.device_info()


@pytest.mark.parametrize("size, flags", [
    (0, 0), (15, 0), (0xFFFFFFFF, 0), (1 << 20, 0),
    (16, vfu.REPLY), (16, 2), (16, 15),
])
def test_bad_header_ends_the_connection(stub, size, flags):
    """After an invalid header the position in the stream is lost: disconnect."""
    with stub.client() as client:
        client.send_raw(vfu.HEADER.pack(1, vfu.DEVICE_RESET, size, flags, 0))
        with pytest.raises(vfu.Disconnected):
            client.receive()
    still_works(stub)


def test_too_many_descriptors_end_the_connection(stub):
    """Too many descriptors: disconnect, and all of them are closed."""
    before = stub.open_fds()
    with stub.client() as client:
        with open(os.devnull, "rb") as file:
            client.send(vfu.DEVICE_RESET, b"", [file.fileno()] * 40)
        with pytest.raises(vfu.Disconnected):
            client.receive()
    stub.wait_for_fds(before)
    still_works(stub)


def test_message_in_single_bytes(client):
    """A message that arrives in single bytes is handled."""
    body = vfu.REGION_IO.pack(0, 0, 4) + b"abcd"
    for _ in range(3):
        client.next_id += 1
        header = vfu.HEADER.pack(client.next_id, vfu.REGION_WRITE,
                                 16 + len(body), 0, 0)
        for byte in header + body:
            client.send_raw(bytes([byte]))
        client.receive_reply(client.next_id, vfu.REGION_WRITE)
    assert client.read_bytes(0, 0, 4) == b"abcd"


def test_descriptor_with_a_message_in_pieces(client):
    """A descriptor belongs to its message, with any piece of it."""
    memory = vfu.GuestMemory(2 * vfu.PAGE)
    body = struct.pack("=IIQQQ", 32, 3, 0, 0, 2 * vfu.PAGE)
    for cut in (1, 15, 16, 20, 47):
        client.next_id += 1
        message = vfu.HEADER.pack(client.next_id, vfu.DMA_MAP, 48, 0,
                                  0) + body
        client.send_raw(message[:cut], [memory.fd])
        client.send_raw(message[cut:])
        client.receive_reply(client.next_id, vfu.DMA_MAP)
        client.dma_unmap(0, 2 * vfu.PAGE)
    memory.close()


def test_many_messages_at_once(client):
    """Replies to many queued commands arrive in order."""
    io = vfu.REGION_IO.pack(0, 0, 4)
    messages = b"".join(
        vfu.HEADER.pack(i, vfu.REGION_READ, 32, 0, 0) + io
        for i in range(5000))
    client.send_raw(messages)
    for i in range(5000):
        client.receive_reply(i, vfu.REGION_READ)


def test_client_that_does_not_read_its_replies(stub):
    """Its commands are delayed; the control socket and later clients are served."""
    with stub.client() as client:
        io = vfu.REGION_IO.pack(0, vfu.CONFIG, 4096)
        message = vfu.HEADER.pack(1, vfu.REGION_READ, 32, 0, 0) + io
        client.sock.settimeout(0.3)
        with pytest.raises(TimeoutError):
            client.send_raw(message * 100000)
        assert stub.stats()["vfu"]["bus_master"] is False
        client.sock.settimeout(vfu.TIMEOUT)
        for _ in range(100):
            client.receive_reply(1, vfu.REGION_READ)
    still_works(stub)


def test_descriptor_behind_replies_that_wait(client):
    """A descriptor stays with its message if the server stops reading before it."""
    memory = vfu.GuestMemory(2 * vfu.PAGE)
    memory[0:1] = b"x"
    read = vfu.HEADER.pack(1, vfu.REGION_READ, 32, 0, 0)
    read += vfu.REGION_IO.pack(0, vfu.CONFIG, 4096)
    dma_map = vfu.HEADER.pack(2, vfu.DMA_MAP, 48, 0, 0)
    dma_map += struct.pack("=IIQQQ", 32, 3, 0, 0, 2 * vfu.PAGE)
    client.send_raw(read * 500 + dma_map, [memory.fd])
    time.sleep(0.1)
    for _ in range(500):
        client.receive_reply(1, vfu.REGION_READ)
    client.receive_reply(2, vfu.DMA_MAP)
    client.write(0, 0x28, 1)
    assert client.read(0, 0x38) == 0
    assert memory[vfu.PAGE] == ord("x")
    memory.close()


def test_hang_up_in_the_middle(stub):
    """The client disconnects after each byte of a message with a descriptor."""
    before = stub.open_fds()
    with open(os.devnull, "rb") as file:
        for cut in range(1, 48):
            with stub.client() as client:
                client.send_raw(bytes(
                    vfu.HEADER.pack(1, vfu.DMA_MAP, 48, 0, 0)
                    + bytes(32))[:cut], [file.fileno()])
    still_works(stub)
    stub.wait_until_reset(48)
    stub.wait_for_fds(before)


def test_random_messages(stub):
    """Random bodies, sizes and descriptors, with a fixed seed."""
    rng = random.Random(1)
    memory = vfu.GuestMemory(4 * vfu.PAGE)
    before = stub.open_fds()
    client = stub.client()
    for _ in range(3000):
        command = rng.choice(KNOWN[1:] + [rng.randrange(65536)])
        words = [rng.choice([0, 1, 2, 3, 4, 7, 8, 16, 32, 48, 4096, 65536,
                             0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
                             rng.getrandbits(32)])
                 for _ in range(rng.randrange(16))]
        body = struct.pack(f"={len(words)}I", *words)
        body += rng.randbytes(rng.randrange(4))
        fds = [memory.fd] * rng.choice([0, 0, 0, 1, 1, 2, 16])
        try:
            client.call(command, body, fds)
        except OSError:
            pass
        except vfu.Disconnected:
            client.close()
            client = stub.client()
    client.close()
    still_works(stub)
    stub.wait_until_reset(stub.stats()["vfu"]["connects"])
    stub.wait_for_fds(before)
    memory.close()

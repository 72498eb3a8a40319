# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of device memory (BAR 4): trapped access, mapping, access by key."""

import fcntl
import mmap
import os

import pytest

import vfu_client as vfu
import xrdma_driver as x

SIZE = 1 << 20


@pytest.fixture
def mapped(start_device):
    """A driver of a device whose memory the client may map."""
    process = start_device("XRDMA_DEVICE", "--map-device-memory")
    driver = x.Driver(process)
    driver.start()
    yield driver
    assert not driver.host_errors()
    driver.close()


def test_the_bar_is_trapped(host):
    """The BAR is trapped, and has the size that QUERY_DEVICE reports."""
    flags, size, offset, fds = host.client.region_info(vfu.BAR_DM)
    assert (flags, size, offset, fds) == (3, SIZE, 0, [])
    assert host.read(x.CAPS, 8) >> 12 & 1
    reply = host.command(x.QUERY_DEVICE)
    assert int.from_bytes(reply[64:72], "little") == SIZE
    assert host.client.config_read(0x20, 4) & 0xF == 0xC


def test_the_bar_can_be_mapped(mapped):
    flags, size, offset, fds = mapped.client.region_info(vfu.BAR_DM)
    assert (flags, size, offset) == (7, SIZE, 0)
    assert len(fds) == 1
    os.close(fds[0])


def test_the_client_cannot_take_it_away(mapped):
    """The file that the client gets is sealed: it cannot shrink or grow, and the client
    cannot add a seal, such as one against writes."""
    fds = mapped.client.region_info(vfu.BAR_DM)[3]
    for size in (0, SIZE // 2, 2 * SIZE):
        with pytest.raises(PermissionError):
            os.ftruncate(fds[0], size)
    with pytest.raises(PermissionError):
        fcntl.fcntl(fds[0], fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE)
    os.close(fds[0])
    mapped.client.write(vfu.BAR_DM, SIZE - 8, 41, 8)
    assert mapped.client.read(vfu.BAR_DM, SIZE - 8, 8) == 41


def test_three_ways_to_the_same_bytes(mapped):
    """A peer's WRITE and atomic, a mapping and trapped access agree."""
    host = mapped
    fds = host.client.region_info(vfu.BAR_DM)[3]
    with mmap.mmap(fds[0], SIZE) as memory:
        os.close(fds[0])
        a, b = x.pair(host)
        data = host.alloc(0x2000)
        host.put(data, bytes(range(256)) * 32)
        local = host.register(data, 0x2000)
        remote = host.register_device_memory(SIZE - 0x2000, 0x2000)
        a.send(x.WRITE, [(data, 0x2000, local)], remote=0, rkey=remote)
        assert a.sent()["status"] == x.WC_OK
        assert memory[-0x2000:] == bytes(range(256)) * 32
        assert host.client.read(vfu.BAR_DM, SIZE - 8, 8) == int.from_bytes(
            bytes(range(248, 256)), "little")
        host.client.write(vfu.BAR_DM, SIZE - 8, 41, 8)
        assert memory[-8] == 41
        a.send(x.FETCH_ADD, [(data, 8, local)], remote=0x1FF8, rkey=remote,
               extra=(1).to_bytes(16, "little"))
        assert a.sent()["status"] == x.WC_OK
        assert memory[-8] == 42
        # the last byte of device memory
        a.send(x.WRITE, [(data, 2, local)], remote=0x1FFF, rkey=remote)
        assert a.sent()["status"] == x.WC_REM_ACCESS
        assert b.query()[0] == x.Q_ERR


@pytest.mark.parametrize("how", ["flr", "reset"])
def test_reset_zeroes_what_the_client_has_mapped(mapped, how):
    """A reset keeps the client's mapping and zeroes its bytes."""
    host = mapped
    fds = host.client.region_info(vfu.BAR_DM)[3]
    with mmap.mmap(fds[0], SIZE) as memory:
        os.close(fds[0])
        memory[0:8] = b"remember"
        memory[-1] = 1
        getattr(host.client, how)()
        assert memory[0:8] == bytes(8)
        assert memory[-1] == 0
    host.client.enable()


def test_a_device_without_it(start_device):
    """Without device memory there is no BAR and no capability; its size is 0."""
    process = start_device("XRDMA_DEVICE", "--device-memory", "0")
    driver = x.Driver(process)
    driver.start()
    assert driver.client.region_info(vfu.BAR_DM)[1] == 0
    assert not driver.read(x.CAPS, 8) >> 12 & 1
    reply = driver.command(x.QUERY_DEVICE)
    assert int.from_bytes(reply[64:72], "little") == 0
    assert not driver.host_errors()
    driver.close()

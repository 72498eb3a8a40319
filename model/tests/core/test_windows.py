# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of memory windows and invalidation through the device's sockets."""

import struct
import time

import pytest

import xrdma_driver as x

BIND_MW = 9
C_INV = 4
MW_BIND = 16
SIZE = 64 << 10


@pytest.fixture(name="control")
def _control(device):
    control = device.control()
    yield control
    control.close()


def publish_window(host, kind, pd=1):
    """Publish a free window; return its key."""
    index = host.next_key
    host.next_key += 1
    at = host.mpt + index * 64
    host.put(at, bytes(64))
    host.put64(at, 0x10 | 1 << 8 | kind << 12 | pd << 32)
    return index << 8 | 0x10


def bind(qp, window, new_key, region, addr, length, access):
    """Post a bind; return the status of its completion."""
    qp.send(BIND_MW, imm=window,
            extra=struct.pack("<QQIIII", addr, length, region, new_key, access,
                              0))
    return qp.sent()["status"]


def state_of(host, key):
    """Return state and key byte of an entry of the key table."""
    ctrl = host.get32(host.mpt + (key >> 8) * 64)
    return ctrl >> 8 & 15, ctrl & 255


def test_a_window_of_type_2_lives_and_ends(host):
    """A window is bound, used, invalidated by the peer and bound again."""
    a, b = x.pair(host)
    data = host.alloc(SIZE)
    region = host.register(data, SIZE, x.ALL_RIGHTS | MW_BIND)
    source = host.alloc(4096)
    local = host.register(source, 4096)
    host.put(source, b"abcd")
    window = publish_window(host, 3)
    for byte in (0x20, 0x30):
        key = window & ~255 | byte
        assert bind(b, window, key, region, data + 64, 4,
                    x.REMOTE_WRITE) == x.WC_OK
        host.put(data, bytes(128))
        a.send(x.WRITE, [(source, 4, local)], remote=data + 64, rkey=key)
        assert a.sent()["status"] == x.WC_OK
        assert host.get(data + 60, 12) == bytes(4) + b"abcd" + bytes(4)
        b.receive(wr_id=7)
        a.send(x.SEND_INV, imm=key)
        assert a.sent()["status"] == x.WC_OK
        done = b.received()
        assert done["status"] == x.WC_OK
        assert done["flags"] & C_INV and done["imm"] == key
        assert state_of(host, key) == (1, byte)
        window = key
    a.send(x.WRITE, [(source, 4, local)], remote=data + 64, rkey=window)
    assert a.sent()["status"] == x.WC_REM_ACCESS


def test_the_command_keeps_key_bytes(host):
    """INVALIDATE refuses a bound region, unless its window is before it."""
    _, b = x.pair(host)
    data = host.alloc(SIZE)
    region = host.register(data, SIZE, x.ALL_RIGHTS | MW_BIND)
    window = publish_window(host, 3)
    assert bind(b, window, window, region, data, 4, x.REMOTE_READ) == x.WC_OK
    assert host.invalidate(region, window, region) == [1, 0, 0]
    assert state_of(host, region) == (0, region & 255)
    assert state_of(host, window) == (0, window & 255)


@pytest.mark.parametrize("after", [0, 5])
def test_no_byte_lands_once_invalidate_has_answered(host, control, after):
    """After INVALIDATE of its region, held packets of a WRITE are refused."""
    a, b = x.pair(host, timeout=20)
    data, source = host.alloc(SIZE), host.alloc(SIZE)
    host.put(source, b"\xee" * SIZE)
    key = host.register(data, SIZE)
    local = host.register(source, SIZE)
    assert control.request(cmd="hold", qpn=b.number, after=after)["ok"]
    a.send(x.WRITE, [(source, SIZE, local)], remote=data, rkey=key)
    packets = SIZE // 4096 - after
    while control.stats()["wire"]["held"] < packets:
        time.sleep(0.001)
    assert host.invalidate(key) == [0]
    landed = host.get(data, SIZE)
    assert landed == b"\xee" * 4096 * after + bytes(4096 * packets)
    assert control.request(cmd="release")["released"] == packets
    assert a.sent()["status"] == x.WC_REM_ACCESS
    assert host.get(data, SIZE) == landed


@pytest.mark.parametrize("request_", [
    {"cmd": "hold", "qpn": -1}, {"cmd": "hold", "qpn": 1 << 24},
    {"cmd": "hold", "qpn": "all"}, {"cmd": "hold", "after": -1},
    {"cmd": "release", "qpn": "all"},
])
def test_bad_requests_are_refused(control, request_):
    """Invalid hold requests are refused and hold no packet."""
    assert not control.request(**request_)["ok"]
    assert control.request(cmd="release")["released"] == 0


@pytest.mark.parametrize("mw_type, bit, status", [
    ("2A", 2, x.BUSY), ("2B", 3, x.OK)])
def test_personalities(start_device, mw_type, bit, status):
    """CAPS has the type; only a bound 2A window keeps its queue pair busy."""
    process = start_device("XRDMA_DEVICE", "--mw-type", mw_type)
    host = x.Driver(process)
    host.start()
    assert host.read(x.CAPS, 8) & 0xC == 1 << bit
    _, b = x.pair(host)
    data = host.alloc(SIZE)
    region = host.register(data, SIZE, x.ALL_RIGHTS | MW_BIND)
    window = publish_window(host, 3)
    assert bind(b, window, window, region, data, 4, x.REMOTE_READ) == x.WC_OK
    number = struct.pack("<I", b.number)
    assert host.try_command(x.DESTROY_QP, number)[0] == status
    if status:
        assert host.invalidate(window) == [0]
        host.command(x.DESTROY_QP, number)
    assert not host.host_errors()
    host.close()

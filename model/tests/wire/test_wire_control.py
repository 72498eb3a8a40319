# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of the control requests and command-line options of the wire."""

import os
import socket
import struct
import time

import pytest


@pytest.fixture(name="control")
def _control(device):
    control = device.control()
    yield control
    control.close()


def test_stats_have_a_wire_section(control):
    """The statistics have a counter for each verdict on a frame."""
    wire = control.stats()["wire"]
    assert wire["plugged"] is True
    assert wire["far_end"] is False
    assert wire["rx"]["icrc"] == 0
    assert wire["tx_impaired"]["loss"] == 0


@pytest.mark.parametrize("request_", [
    {"wire": "loss=1%,dup=0.5%,reorder=2%,seed=7"},
    {"wire": "delay=1ms", "direction": "rx"},
    {"wire": "corrupt=1%", "direction": "both"},
    {"wire": "none"},
])
def test_impairments_are_accepted(control, request_):
    """Impairments are accepted for each direction."""
    assert control.request(cmd="fault", **request_)["ok"]


@pytest.mark.parametrize("request_", [
    {}, {"wire": 5}, {"wire": "loss"}, {"wire": "loss=2"},
    {"wire": "none", "direction": "up"}, {"wire": "none", "direction": 1},
])
def test_bad_impairments_are_refused(control, request_):
    """Invalid impairments are refused and change nothing."""
    reply = control.request(cmd="fault", **request_)
    assert reply == {"ok": False, "error": "Invalid argument"}


def test_cable(control):
    """The cable can be unplugged and plugged in."""
    assert control.request(cmd="cable", plugged=False)["ok"]
    assert control.stats()["wire"]["plugged"] is False
    assert control.request(cmd="cable", plugged=True)["ok"]
    assert control.stats()["wire"]["plugged"] is True
    assert not control.request(cmd="cable")["ok"]


def test_far_end_is_a_datagram_socket(start_device, tmp_path):
    """Each datagram of the far end's socket is a frame."""
    local, remote = tmp_path / "local", tmp_path / "remote"
    device = start_device("XRDMA_DEVICE", "--wire",
                          f"local={local},remote={remote}",
                          "--impair", "loss=1%")
    control = device.control()
    assert control.stats()["wire"]["far_end"] is True
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as far_end:
        far_end.bind(os.fspath(remote))
        for size in (0, 13, 60, 4518, 4519):
            far_end.sendto(b"\xff" * size, os.fspath(local))
    deadline = time.monotonic() + 10
    while True:
        wire = control.stats()["wire"]
        # the port is down: frames are dropped, the longest because of its size
        if wire["rx"]["port_down"] == 3 and wire["socket_oversized"] == 1:
            break
        assert time.monotonic() < deadline
    control.close()


@pytest.mark.parametrize("options", [
    ("--wire", "local=/tmp/x"),
    ("--impair", "loss=many"),
])
def test_bad_options_end_the_process(start_device, options):
    """Invalid options end the process with a message."""
    device = start_device("XRDMA_DEVICE", *options, ready=False)
    device.expected_status = 1
    assert device.process.wait(10) == 1
    assert "Invalid argument" in device.stderr()


def test_capture_begins_and_ends(start_device, tmp_path):
    """Received and sent frames are written to a pcap file."""
    local, remote = tmp_path / "local", tmp_path / "remote"
    path = tmp_path / "wire.pcap"
    device = start_device("XRDMA_DEVICE", "--wire",
                          f"local={local},remote={remote}")
    control = device.control()
    assert not control.request(cmd="capture", file="/nowhere/file")["ok"]
    assert not control.request(cmd="capture", file=5)["ok"]
    assert control.request(cmd="capture", file=str(path))["ok"]
    frame = bytes(range(60))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as far_end:
        far_end.sendto(frame, os.fspath(local))
    deadline = time.monotonic() + 10
    while not control.stats()["wire"]["rx"]["port_down"]:
        assert time.monotonic() < deadline
    assert control.request(cmd="capture") == {"ok": True, "frames": 1}
    assert control.request(cmd="capture") == {"ok": True, "frames": 0}
    data = path.read_bytes()
    magic, length = struct.unpack_from("<I28xI", data)
    assert (magic, length) == (0xa1b23c4d, 60)
    assert data[24 + 16:] == frame
    control.close()


def test_capture_from_the_start(start_device, tmp_path):
    """The capture option: the file is complete when the device has ended."""
    path = tmp_path / "wire.pcap"
    start_device("XRDMA_DEVICE", "--capture", str(path)).stop()
    assert len(path.read_bytes()) == 24

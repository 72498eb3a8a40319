# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of the control requests and command-line options of the wire."""

import os
import pathlib
import socket
import struct
import time

import pytest


def directory_of(device):
    """The directory of the control socket of a device."""
    return pathlib.Path(device.control_path).parent


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


@pytest.mark.parametrize("cmd, request_, error", [
    ("fault", {}, "'wire' is missing"),
    ("fault", {"wire": 5}, "wire: 5 is not a string"),
    ("fault", {"wire": "loss"}, "'loss' has no value, like loss=1%"),
    ("fault", {"wire": "loss=2"},
     "loss: '2' is not a probability, like 1% or 0.01"),
    ("fault", {"wire": "duplicate=1%"},
     "no such word: 'duplicate'; words: delay, seed, loss, corrupt, "
     "corrupt-icrc-ok, ecn, dup, reorder"),
    ("fault", {"wire": "none", "direction": "up"},
     "direction: no such word: 'up'; words: tx, rx, both"),
    ("fault", {"wire": "none", "direction": 1}, "direction: 1 is not a string"),
    ("fault", {"wire": "none", "way": "tx"},
     "no such option: 'way'; options: wire direction"),
    ("cable", {}, "'plugged' is missing"),
    ("cable", {"plugged": 0}, "plugged: 0 is not true or false"),
    ("hold", {"qpn": -1}, "qpn: -1 is not a number from 0 to 16777215"),
    ("hold", {"after": "x"}, 'after: "x" is not a number from 0 to 2147483647'),
    ("capture", {"file": True}, "file: true is not a string"),
])
def test_a_bad_request_is_refused(control, cmd, request_, error):
    """The error names the word, and says what is taken."""
    reply = control.request(cmd=cmd, **request_)
    assert reply == {"ok": False, "error": error}


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
        for size in (0, 13, 60, 9022, 9023):
            far_end.sendto(b"\xff" * size, os.fspath(local))
    deadline = time.monotonic() + 10
    while True:
        wire = control.stats()["wire"]
        # the port is down: frames are dropped, the longest because of its size
        if wire["rx"]["port_down"] == 3 and wire["socket_oversized"] == 1:
            break
        assert time.monotonic() < deadline
    control.close()


@pytest.mark.parametrize("options, error", [
    (("--wire", "local=/tmp/x"), "--wire local=/tmp/x: "),
    (("--impair", "loss=many"), "--impair loss=many: loss: 'many' is not a "
     "probability, like 1% or 0.01"),
    (("--mac", "01:00:00:00:00:01"), "--mac: '01:00:00:00:00:01' is not a MAC "
     "address that is not multicast, like 02:00:00:78:72:01"),
    (("--mw-type", "3"), "--mw-type: '3' is not 2A or 2B"),
    (("--log", "all"), "--log: 'all' is not error, warn, info or debug"),
    (("--spin-us", "-1"), "--spin-us: '-1' is not a number from 0 to 1000000"),
    (("--msix-vectors", "65"), "--msix-vectors: '65' is not a number from 1 to 64"),
    (("--log-max-keys", "12"), "--log-max-keys: '12' is not a number from 13 to 24"),
    (("--seed", "x"), "--seed: 'x' is not a number"),
    (("--device-memory", "3"), "--device-memory: '3' is not 0, or a power of two"),
    (("now",), "'now' is not an option"),
])
def test_bad_options_end_the_process(start_device, options, error):
    """The message names the option and the word, and says what is taken."""
    device = start_device("XRDMA_DEVICE", *options, ready=False)
    device.expected_status = 1
    assert device.process.wait(10) == 1
    assert error in device.stderr()


def test_capture_begins_and_ends(start_device, tmp_path):
    """Received and sent frames are written to a pcap file."""
    local, remote = tmp_path / "local", tmp_path / "remote"
    device = start_device("XRDMA_DEVICE", "--wire",
                          f"local={local},remote={remote}")
    path = directory_of(device) / "wire.pcap"
    control = device.control()
    assert not control.request(cmd="capture", file=5)["ok"]
    assert control.request(cmd="capture", file="wire.pcap")["ok"]
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
    assert path.stat().st_mode & 0o777 == 0o600
    control.close()


@pytest.mark.parametrize("name", [
    "/tmp/wire.pcap", "../wire.pcap", "sub/wire.pcap", ".wire.pcap", "-wire.pcap",
    ".pcap", "wire", "control.sock", "wire.pcap ", "wire.pcap\n", "w\u00e4.pcap",
    "%s.pcap", "x" * 60 + ".pcap"])
def test_a_capture_has_a_plain_name(device, control, name):
    """A name that could lead out of the directory of the socket is refused."""
    (directory_of(device) / "sub").mkdir()
    before = sorted(directory_of(device).rglob("*"))
    assert control.request(cmd="capture", file=name) == {
        "ok": False,
        "error": f"file: '{name}' is not a plain name, like wire.pcap"}
    assert sorted(directory_of(device).rglob("*")) == before


def test_a_capture_opens_no_file_that_exists(device, control, tmp_path):
    """Files, and files that links name, are neither overwritten nor made."""
    secret, absent = tmp_path / "secret", tmp_path / "absent"
    secret.write_text("kept")
    directory = directory_of(device)
    (directory / "file.pcap").write_text("kept")
    os.link(secret, directory / "hard.pcap")
    (directory / "soft.pcap").symlink_to(secret)
    (directory / "dangling.pcap").symlink_to(absent)
    for name in ("file", "hard", "soft", "dangling"):
        assert control.request(cmd="capture", file=f"{name}.pcap") == {
            "ok": False, "frames": 0, "error": "File exists"}
    assert (directory / "file.pcap").read_text() == secret.read_text() == "kept"
    assert not absent.exists()


def test_capture_from_the_start(start_device, tmp_path):
    """The capture option: the file is complete when the device has ended."""
    path = tmp_path / "wire.pcap"
    start_device("XRDMA_DEVICE", "--capture", str(path)).stop()
    assert len(path.read_bytes()) == 24


def test_a_reader_that_closes_its_pipe_does_not_end_the_device(start_device, tmp_path):
    """The write to a pipe without a reader fails, and the device goes on."""
    path = tmp_path / "wire.pcap"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    device = start_device("XRDMA_DEVICE", "--capture", str(path))
    control = device.control()
    assert control.stats()["ok"]        # the device has opened the pipe
    os.close(reader)
    answer = control.request(cmd="capture")
    assert answer == {"ok": False, "frames": 0, "error": "Broken pipe"}
    assert control.stats()["ok"]
    control.close()

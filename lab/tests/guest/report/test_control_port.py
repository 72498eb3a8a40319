# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The port on which a guest sends requests to the control socket of the device: the root
user of the guest can write anything, and reaches no file and no process of the host.
Runs in a guest; lab/host_port.py has the tests of the program on the host."""

import fcntl
import json
import os

import pytest

from lib.control import LOCK, PORT, ask

LINES = [b"", b" ", b"x", b"x 0", b"x y z", b"x -1 {}", b"\xff\xfe\0", b"x" * 200000,
         b"x 99999999999999999999 {}"]
REFUSED = [
    '{"cmd":"quit"}', '{"cmd":"\\u0071uit"}', '{"cmd":"stats","cmd":"quit"}', "quit",
    "{", "[" * 20000, '{"cmd":"dance"}',
    *(json.dumps({"cmd": "capture", "file": name}) for name in (
        "/tmp/xrdma-no-such-file.pcap", "../xrdma-no-such-file.pcap", "/dev/null",
        ".x.pcap", "x.pcap/y.pcap", "device.log"))]


def send(lines):
    """Writes lines to the port, and then a request for the statistics. Returns the
    answers, name -> answer, up to that to the last request."""
    with open(LOCK, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with open(PORT, "r+b", buffering=0) as port:
            for line in [*lines, b'end 0 {"cmd":"stats"}']:
                data = line + b"\n"
                while data:
                    data = data[port.write(data):]
            got = b""
            while b"\nend " not in b"\n" + got or not got.endswith(b"\n"):
                got += port.read(65536)
    pairs = [line.split(" ", 1) for line in got.decode().splitlines()]
    return {name: json.loads(answer) for name, answer in pairs}


def test_lines_of_another_form_are_left_out():
    answers = send(LINES)
    assert list(answers) == ["end"] and answers["end"]["ok"]


@pytest.mark.parametrize("text", REFUSED, ids=range(len(REFUSED)))
def test_a_request_is_refused(text):
    answers = send([b"bad 0 " + text.encode()])
    assert not answers["bad"]["ok"] and answers["bad"]["error"]
    assert answers["end"]["ok"]


def test_a_capture_is_a_new_file():
    """The second capture of the same name would overwrite the first."""
    name = f"guest-{os.getpid()}.pcap"
    assert ask(cmd="capture", file=name)["ok"]
    assert ask(cmd="capture")["ok"]
    answer = send([b"again 0 " + json.dumps({"cmd": "capture", "file": name}).encode()])
    assert answer["again"]["error"] == "File exists"

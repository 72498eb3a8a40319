# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The ports on which a guest sends lines to lab/vm: whatever the guest sends, lab/vm goes
on, and the device gets admitted commands only. guest/report/test_control_port.py has the
tests in a guest. Runs on the host."""

import json
import re
import socket
import subprocess
import types

import pytest

from labvm import port, session
from labvm.device import Device
from labvm.node import Node
from lib.paths import TOP

STATS = '{"cmd":"stats"}'


def test_lines_are_cut():
    lines = port.Lines()
    assert lines.take(b"a\nb") == ["a"]
    assert lines.take(b"c\n\n\xff\n") == ["bc", "", "\ufffd"]
    assert lines.take(b"") == []


def test_a_line_without_end_takes_no_memory():
    lines = port.Lines()
    for _ in range(100):
        assert lines.take(b"x" * 4096) == []
        assert len(lines._part) <= port._LONGEST
    assert lines.take(b"y\nnext\n") == ["next"]
    assert lines.take(b"x" * (port._LONGEST + 1) + b"\nnext\n") == ["next"]


@pytest.mark.parametrize("text", [
    "", "{", "[]", "5", "null", "{}", '{"cmd":5}', '{"cmd":null}', "\ufffd", "quit",
    "[" * 60000, '{"cmd":' * 10000, "9" * 60000, '{"cmd":"stats"} x',
    '{"cmd":"stats"}{"cmd":"quit"}'], ids=lambda text: text[:20])
def test_what_is_no_request_is_refused(text):
    with pytest.raises(OSError, match="not an object with a word 'cmd'"):
        port.request(text)


@pytest.mark.parametrize("text", [
    '{"cmd":"quit"}', '{"cmd":"stats", "cmd":"quit"}', '{"cmd":"\\u0071uit"}',
    '{"cmd":"quit\\u0000"}', '{"cmd":"stats\\u0000"}', '{"cmd":"Stats"}',
    '{"cmd":"\\ud800"}', '{"cmd":""}'])
def test_a_command_that_is_not_admitted_is_refused(text):
    with pytest.raises(OSError, match="^no such cmd: .*; cmds: cable, "):
        port.request(text)


def test_the_device_gets_what_was_parsed():
    """A parser that takes the first of two members with the same name must not see both.
    """
    assert port.request('{ "cmd":"quit", "x":"\ud800", "cmd":"stats" }') == (
        '{"cmd": "stats", "x": "\\ud800"}')


@pytest.fixture(name="ends")
def fixture_ends():
    """Both ends of a port lab.device, that of lab/vm with an echo."""
    ours, guest = socket.socketpair()
    guest.settimeout(10)
    asked = []

    def ask(number, text):
        asked.append((number, text))
        return json.dumps({"text": text})

    yield types.SimpleNamespace(port=port.Port(ours, ask), guest=guest, asked=asked)
    ours.close()
    guest.close()


def test_a_request_is_answered(ends):
    ends.port.take(b"me.1 0 {}\nme.2 2 plug now\n")
    assert ends.asked == [(0, "{}"), (2, "plug now")]
    assert ends.guest.recv(4096) == b'me.1 {"text": "{}"}\nme.2 {"text": "plug now"}\n'


@pytest.mark.parametrize("line", [
    b"", b" ", b"x", b"x 0", b"x 0 ", b"x one {}", b"x -1 {}", b"x 1.0 {}", b" 0 {}",
    b"x " + b"9" * 5000 + b" {}", "x \u0663 {}".encode(), b"\xff\xfe\0"],
    ids=lambda line: repr(line[:20]))
def test_a_line_of_another_form_is_left_out(ends, line):
    ends.port.take(line + b"\nnext 0 {}\n")
    assert ends.asked == [(0, "{}")]
    assert ends.guest.recv(4096) == b'next {"text": "{}"}\n'


def test_a_guest_that_reads_no_answers_stops_nobody(ends):
    """The answers that the guest has not read are bounded; it can read them later."""
    line = b"x 0 " + b"y" * 60000 + b"\n"
    for _ in range(200):
        ends.port.take(line)
    assert len(ends.asked) < 100
    assert len(ends.port._unread) < port._UNREAD + 2 * len(line)
    got = b""
    while ends.port._unread:
        ends.port.flush()
        got += ends.guest.recv(1 << 20)
    while got.count(b"\n") < len(ends.asked):
        got += ends.guest.recv(1 << 20)
    assert got == (b'x {"text": "' + line[4:-1] + b'"}\n') * len(ends.asked)


def test_the_end_of_the_machine_stops_nobody(ends):
    ends.guest.close()
    ends.port.take(b"x 0 {}\nx 0 {}\n")
    ends.port.flush()


def test_status_lines_of_another_form_are_left_out(tmp_path):
    node = Node(types.SimpleNamespace(kinds=["xrdma"]), 1, str(tmp_path))
    for line in (b"exit", b"exit ", b"exit x", b"exit -1", b"exit 1 2", b"exit 0x10",
                 b"exit " + b"9" * 5000, "exit \u0663".encode(), b"\xff\xfe", b"",
                 b"x" * 100000):
        node.on_control(line + b"\n")
    assert (node.began, node.status, node.failed) == (False, None, None)
    node.on_control(b"ready\nexit 7\n")
    assert (node.began, node.status) == (True, 7)


def test_all_commands_of_the_device_are_admitted_but_quit(tmp_path):
    """A new command needs a decision: may a guest send it?"""
    subprocess.run([TOP / "lab/build", "device"], check=True)
    device = Device(str(TOP / "build/model/xrdma-device"), str(tmp_path))
    try:
        device.connect()
        node = types.SimpleNamespace(number=1, device=device, WORDS=Node.WORDS)
        run = types.SimpleNamespace(nodes=[node])
        answer = json.loads(device.ask('{"cmd":"dance"}'))
        known = re.search("; words: (.*)", answer["error"]).group(1).split(", ")
        assert sorted(known) == sorted([*port.ADMITTED, "quit"])
        # the way of a guest's request
        assert json.loads(session.Session._ask(run, 1, STATS))["ok"]
        assert not json.loads(session.Session._ask(run, 1, '{"cmd":"quit"}'))["ok"]
        assert json.loads(session.Session._ask(run, 1, STATS))["ok"]
    finally:
        assert device.close() is None

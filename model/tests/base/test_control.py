# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of the control socket: requests, clients, statistics of the process."""

import json

import pytest

import vfu_client as vfu


@pytest.fixture(name="control")
def _control(stub):
    control = stub.control()
    yield control
    control.close()


def test_stats_have_all_sections(control):
    """The statistics have a section for each part of the process."""
    stats = control.stats()
    assert stats["host_errors"] == 0
    assert stats["host_error_log"] == []
    for section in ("dma", "msix", "vfu", "loop"):
        assert isinstance(stats[section], dict)


@pytest.mark.parametrize("line", [
    b"", b"{", b"[]", b"5", b"null", b"{}", b'{"cmd":5}', b'{"cmd":null}',
    b"\xff\xfe", b'{"cmd":"' + b"x" * 60000 + b'"}',
])
def test_bad_request_is_answered(control, line):
    """Each invalid line is answered with one line."""
    control.file.write(line + b"\n")
    control.file.flush()
    reply = json.loads(control.file.readline())
    assert reply["ok"] is False
    assert reply["error"]
    assert control.stats()["ok"]


def test_unknown_command(control):
    """The answer names the word, and lists the commands that exist."""
    reply = control.request(cmd="dance")
    assert not reply["ok"]
    start, words = reply["error"].split("; words: ")
    assert start == "cmd: no such word: 'dance'"
    assert "stats" in words.split(", ")


def test_several_requests_in_one_write(control):
    """Replies arrive in the order of requests."""
    control.file.write(b'{"cmd":"stats"}\n{"cmd":"dance"}\n{"cmd":"stats"}\n')
    control.file.flush()
    replies = [json.loads(control.file.readline()) for _ in range(3)]
    assert [reply["ok"] for reply in replies] == [True, False, True]


def test_several_clients(stub):
    """Several clients are served at once; further ones are disconnected."""
    controls = [stub.control() for _ in range(16)]
    for control in controls:
        assert control.stats()["ok"]
    extra = stub.control()
    assert extra.sock.recv(1) == b""
    extra.close()
    controls.pop().close()
    for control in controls:
        assert control.stats()["ok"]
        control.close()
    assert "refused" in stub.stderr()


def test_endless_line_ends_the_connection(stub, control):
    """The server ends a connection whose line is longer than 64 KiB."""
    with pytest.raises((BrokenPipeError, ConnectionResetError)):
        for _ in range(100):
            control.sock.sendall(b"x" * 65536)
    assert stub.stats()["ok"]


def test_client_that_does_not_read(stub, control):
    """Its requests are delayed; other clients are served."""
    control.sock.settimeout(0.3)
    with pytest.raises(TimeoutError):
        while True:
            control.sock.sendall(b'{"cmd":"stats"}\n' * 1000)
    assert stub.stats()["ok"]
    control.sock.settimeout(vfu.TIMEOUT)
    for _ in range(1000):
        assert json.loads(control.file.readline())["ok"]


def test_quit_ends_the_process(stub, control):
    """The process ends with status 0 after the reply."""
    assert control.request(cmd="quit") == {"ok": True}
    assert stub.process.wait(vfu.TIMEOUT) == 0

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The choice between KVM and TCG (lab/labvm/accel.py), with probes and programs that
the tests make. Runs on the host; no guest is booted."""

import json

import pytest

from labvm import accel

WORKS, FAILS = None, "KVM does not work here"


class Probe:
    """A probe whose result the test gives. calls: how often it was used."""

    def __init__(self, result):
        self.result, self.calls = result, 0

    def __call__(self, boot):
        self.calls += 1
        return self.result


def choose(find, cache, wanted="auto", device="/dev/null"):
    return accel.choose(wanted, "/nowhere", cache, find, device)


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "accel"


@pytest.mark.parametrize("result, kind, word", [
    (WORKS, "kvm", "booted"), (FAILS, "tcg", FAILS)])
def test_the_probe_decides_once(result, kind, word, cache):
    find = Probe(result)
    for _ in range(2):
        chosen, reason = choose(find, cache)
        assert chosen == kind and word in reason
    assert find.calls == 1


def test_without_the_device_nothing_is_probed(cache):
    find = Probe(WORKS)
    chosen, reason = choose(find, cache, device="/nowhere/kvm")
    assert chosen == "tcg" and reason == "/nowhere/kvm: No such file or directory"
    assert find.calls == 0 and not cache.exists()


@pytest.mark.parametrize("wanted", ["kvm", "tcg"])
def test_an_option_is_obeyed_without_a_probe(wanted, cache):
    find = Probe(FAILS)
    assert choose(find, cache, wanted) == (wanted, f"--accel {wanted}")
    assert find.calls == 0


def test_the_result_of_another_host_does_not_count(cache):
    choose(Probe(FAILS), cache)
    known = json.loads(cache.read_text())
    cache.write_text(json.dumps({**known, "identity": "other"}))
    assert choose(Probe(WORKS), cache)[0] == "kvm"
    assert choose(Probe(FAILS), cache)[0] == "kvm"


@pytest.mark.parametrize("text", ["", "{", "[]", "{}"])
def test_a_broken_cache_does_not_count(text, cache):
    cache.write_text(text)
    assert choose(Probe(WORKS), cache)[0] == "kvm"


def test_a_cache_that_cannot_be_written_does_no_harm():
    find = Probe(WORKS)
    for path in ("/nowhere/accel", None):
        assert choose(find, path)[0] == "kvm"
    assert find.calls == 2


@pytest.mark.parametrize("script, words", [
    ("echo 'lab: cannot mount image'; exec sleep 100", None),
    ("echo 'KVM internal error. Suberror: 1'; exec sleep 100", "internal error"),
    ("echo first; echo no permission >&2; exit 1", "KVM: no permission"),
    ("exec sleep 100", "did not reach user space within 0.5 s")])
def test_the_probe_reads_what_qemu_prints(script, words, tmp_path):
    """A script in place of QEMU."""
    for name, text in (("qemu", f"#!/bin/sh\n{script}\n"), ("initrd", "initrd")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    limit = 0.5 if words and "0.5" in words else 60
    reason = accel.probe(tmp_path, limit, str(tmp_path / "qemu"))
    assert reason is None if words is None else words in reason

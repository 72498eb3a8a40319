# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The order in which lab/check starts suites while a kernel is being built. Tests of its
other interfaces are in host_lab.py."""

import pytest

from lib.programs import load


@pytest.fixture(name="check")
def fixture_check(monkeypatch, tmp_path):
    check = load("check")
    monkeypatch.setattr(check, "LOGS", str(tmp_path / "logs"))
    return check


class Build:
    """Replaces the class Kernels of lab/check. The file built exists when the kernel of
    commands with the word "own" has been built."""

    def __init__(self, built):
        self._built = built

    def ready(self, command):
        return "own" not in command or self._built.exists()

    def wait(self, command):
        if not self.ready(command):
            self._built.touch()

    def stop(self):
        pass


def started(check, monkeypatch, built, suites, at_a_time):
    """Runs suites, each of which is a shell script. Returns their names in the order in
    which the suites started."""
    build, names = Build(built), []
    monkeypatch.setattr(check, "Kernels", lambda _: build)
    run = check.run_suite
    monkeypatch.setattr(check, "run_suite", lambda name, *args, **more: (
        names.append(name), run(name, *args, **more))[1])
    assert check._run({
        name: ("status", 20, ["sh", "-c", script, "own" if "own" in name else ""])
        for name, script in suites.items()}, at_a_time) == 0
    return names


def test_suite_starts_after_the_build_of_its_kernel(check, monkeypatch, tmp_path):
    built = tmp_path / "built"
    assert started(check, monkeypatch, built, {
        "own": f"test -e {built}", "a": "true", "b": f"touch {built}", "c": "true"},
        1) == ["a", "b", "own", "c"]


def test_suite_waits_for_its_kernel_if_no_other_suite_is_left(
        check, monkeypatch, tmp_path):
    built = tmp_path / "built"
    assert started(check, monkeypatch, built, {
        "own": f"test -e {built}", "a": "true", "own too": "true"},
        1) == ["a", "own", "own too"]


def test_suites_start_in_order_if_all_kernels_are_built(check, monkeypatch, tmp_path):
    names = ["own", "a", "own too", "b"]
    assert started(check, monkeypatch, tmp_path, dict.fromkeys(names, "true"),
                   1) == names
    assert sorted(started(check, monkeypatch, tmp_path, dict.fromkeys(names, "true"),
                          2)) == sorted(names)

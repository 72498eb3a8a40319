# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What bench/run makes of what its guests print; no guest is booted."""

import pathlib
import sys

import pytest

BENCH = pathlib.Path(__file__).parent.parent.parent / "bench"
sys.path.insert(0, str(BENCH))

import groups  # noqa: E402
import measure  # noqa: E402
import targets  # noqa: E402


def printed(group):
    """What the guests of a group print: (figure, kind) -> line."""
    return {(metric.figure, kind): f"figure {metric.figure} {kind}0 x 1"
            for metric in targets.GROUPS[group] for kind in ("xrdma", "rxe")}


@pytest.fixture(name="measured")
def _measured(monkeypatch, tmp_path):
    """Runs a group whose guests print these lines; is it among what failed?"""
    def run(group, lines):
        monkeypatch.setattr(measure, "OUT", str(tmp_path))
        monkeypatch.setattr(measure, "counted", lambda _: {})
        monkeypatch.setattr(measure, "derive", lambda _: None)
        monkeypatch.setattr(measure, "boot_all",
                            lambda *_: [line.split() for line in lines])
        return measure.measure([group], {"kernel": "any"})[1] != [group]
    return run


@pytest.mark.parametrize("group", groups.ALL)
def test_each_metric_must_have_a_figure(measured, group):
    lines = printed(group)
    assert measured(group, lines.values())
    for metric in targets.GROUPS[group]:
        # a ratio has two
        for kind in ("xrdma", "rxe"):
            rest = {**lines}
            del rest[metric.figure, kind]
            wanted = kind == "xrdma" or metric.of == "ratio"
            assert measured(group, rest.values()) != wanted, (metric, kind)


def test_what_follows_from_others_needs_all_of_them():
    figures = {("qp/create/64", "xrdma"): measure.Figure("insns", [2])}
    measure.derive(figures)
    assert len(figures) == 1
    figures["qp/create/16000", "xrdma"] = measure.Figure("insns", [3])
    measure.derive(figures)
    assert figures["qp/growth", "xrdma"].median == 1.5


def test_a_target_that_is_missed_fails_nothing(measured):
    lines = [line.replace(" x 1", " x 999999") for line in
             printed("scale-tebibyte").values()]
    assert measured("scale-tebibyte", lines)

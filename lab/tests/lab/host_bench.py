# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What bench/run makes of the output of its guests, and that QEMU takes its plugin. Runs
on the host; the tests start no guest."""

import os
import stat
import subprocess
import sys
import types

import pytest

from labvm import machine, node
from lib.paths import TOP

BENCH = TOP / "bench"
sys.path.insert(0, str(BENCH))

import groups  # noqa: E402
import measure  # noqa: E402
import targets  # noqa: E402
from figure import Figure  # noqa: E402


def printed(group):
    """The output of a group's guests: (figure, kind) -> line."""
    return {(metric.figure, kind): f"figure {metric.figure} {kind}0 x 1 1.2"
            for metric in targets.GROUPS[group] for kind in ("xrdma", "rxe")}


@pytest.fixture(name="measured")
def _measured(monkeypatch, tmp_path):
    """A function that runs a group whose guests print these lines, and returns whether
    the group succeeded."""
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
        # a ratio needs a figure of both devices
        for kind in ("xrdma", "rxe"):
            rest = {**lines}
            del rest[metric.figure, kind]
            wanted = kind == "xrdma" or metric.of == "ratio"
            assert measured(group, rest.values()) != wanted, (metric, kind)


def test_a_baseline_that_failed_is_said_and_leaves_the_other_figures(
        monkeypatch, tmp_path):
    metric = targets.GROUPS["wall"][0]
    lines = printed("wall")
    del lines[metric.figure, "rxe"]
    lines = [*lines.values(), f"failed {metric.figure} rxe0 ib_write_bw: retries"]
    monkeypatch.setattr(measure, "OUT", str(tmp_path))
    monkeypatch.setattr(measure, "boot_all",
                        lambda *_: [line.split() for line in lines])
    figures, failed, failures = measure.measure(["wall"], {"kernel": "7.2"})
    assert not failed
    table = "\n".join(targets.table(figures, failures))
    assert "rxe: no figure: ib_write_bw: retries" in table
    assert len(figures) == 2 * len(targets.GROUPS["wall"]) - 1


def test_a_guest_that_failed_leaves_what_it_printed_and_the_other_guest(
        monkeypatch, tmp_path):
    def run(command, **_):
        kind = "rxe" if "rxe" in command else "xrdma"
        lines = [line for (figure, of), line in printed("nodes").items()
                 if of == kind and not (kind == "rxe" and "64" in figure)]
        return subprocess.CompletedProcess(
            command, 125 if kind in failing else 0, "\n".join(lines))

    monkeypatch.setattr(measure, "OUT", str(tmp_path))
    monkeypatch.setattr(measure.subprocess, "run", run)
    failing = ["rxe"]
    figures, failed, failures = measure.measure(["nodes"], {"kernel": "7.2"})
    assert not failed
    assert ("nodes/write-64", "xrdma") in figures
    assert ("nodes/qps-1000", "rxe") in figures
    assert failures["nodes/write-64", "rxe"] == "the guest ended with 125"
    # a kernel complaint in a guest with the device fails the group
    failing = ["rxe", "xrdma"]
    assert measure.measure(["nodes"], {"kernel": "7.2"})[1] == ["nodes"]


def test_options_of_the_device_reach_the_guest(monkeypatch, tmp_path):
    seen = []

    def run(command, **_):
        seen.append(command[:command.index("--")])
        return subprocess.CompletedProcess(command, 0, "")

    monkeypatch.setattr(measure, "OUT", str(tmp_path))
    monkeypatch.setattr(measure.subprocess, "run", run)
    measure.boot("wall", {"kernel": "7.2"}, [])
    measure.boot("wall", {"kernel": "7.2", "device": ["--no-shadow-db"]}, [])
    assert ["--device-arg=--no-shadow-db" in command for command in seen] == \
        [False, True]
    # this group measures a device with shadow doorbells and one without
    del seen[:]
    measure.boot("budget", {"kernel": "7.2", "device": ["--push=use"]}, [])
    assert "--device-arg=--push=use" not in seen[0]


def test_a_failure_of_the_device_fails_the_group(measured):
    lines = list(printed("wall").values())
    assert measured("wall", lines)
    assert not measured("wall", [*lines, "failed wall/write-64 xrdma0 retries"])


@pytest.mark.parametrize("took", ["0.003", "0.999", ""])
def test_a_sample_shorter_than_a_second_is_refused(measured, took):
    lines = printed("wall")
    key = ("wall/write-64", "rxe")
    assert measured("wall", lines.values())
    lines[key] = f"figure {key[0]} rxe0 x 1 {took}"
    assert not measured("wall", lines.values())


def test_spread_is_the_extent_of_the_samples_over_their_median():
    figure = Figure("us", [30, 31, 29, 40, 32], 1.2)
    assert figure.median == 31
    assert figure.spread == pytest.approx(11 / 31)
    assert figure.record()["spread"] == figure.spread
    assert Figure("us", [100, 90, 110], 1.2).spread == pytest.approx(0.2)
    assert "spread" not in Figure("insns", [1, 2]).record()


@pytest.mark.parametrize("samples, marked", [
    ([100, 90, 110], False), ([100, 89, 110], True)])
def test_a_row_whose_spread_is_above_a_fifth_says_so(samples, marked):
    name = targets.GROUPS["wall"][0].figure
    figures = {(name, "xrdma"): Figure("us", samples, 1.2),
               (name, "rxe"): Figure("us", [1], 1.2)}
    row = targets.table(figures)[1]
    assert ("xrdma is unsteady" in row) == marked
    assert "rxe is unsteady" not in row


# A fake perftest: prints the figures of 1,000 messages per second without waiting; on
# soft-RoCE it fails with more than a few messages. The first $ZEROS clients print a rate
# of 0.
PERFTEST = """#!/bin/sh
client= device= num=
while [ $# -gt 0 ]; do
    case $1 in
    -d) device=$2 ;;
    -n) num=$2 ;;
    127.0.0.1) client=1 ;;
    esac
    shift
done
[ -n "$client" ] || exit 0
if [ $device = rxe0 ] && [ $num -gt 100 ]; then
    echo "Completion with error: retries"
    exit 1
fi
echo >>"$0.clients"
rate=0.001000
[ $(wc -l <"$0.clients") -gt $ZEROS ] || rate=0.000000
echo " #bytes  #iterations  BW peak[MiB/sec]  BW average[MiB/sec]  MsgRate[Mpps]"
echo " 64      $num          0.00              0.06                 $rate"
"""


def perf(tmp_path, zeros=0):
    """Runs perf.py with the fake perftest. Returns the lines that it prints."""
    program = tmp_path / "ib_write_bw"
    program.write_text(PERFTEST, encoding="ascii")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return subprocess.run(
        [str(BENCH / "guest/perf.py"), "wall/write-64", "M/s", "10",
         "ib_write_bw", "-s", "64"], stdout=subprocess.PIPE, text=True,
        check=True, timeout=60, env={
            "PATH": f"{tmp_path}:{os.environ['PATH']}", "ZEROS": str(zeros),
            "XRDMA_DEV": "xrdma0", "XRDMA_GID_INDEX": "1",
            "RXE_DEV": "rxe0", "RXE_GID_INDEX": "1"}).stdout.splitlines()


def test_samples_take_a_second_and_a_failing_baseline_costs_only_its_own(
        tmp_path):
    lines = perf(tmp_path)
    ours = [line.split() for line in lines
            if line.startswith("figure wall/write-64 xrdma0 M/s 0.001 ")]
    assert len(ours) == 5
    assert all(float(words[5]) >= 1 for words in ours)
    theirs = [line for line in lines if "rxe0" in line]
    assert theirs == ["failed wall/write-64 rxe0 ib_write_bw: "
                      "Completion with error: retries"]


def test_a_rate_of_0_is_no_sample(tmp_path):
    lines = [line for line in perf(tmp_path, zeros=2) if "xrdma0" in line]
    assert len(lines) == 5
    assert all("xrdma0 M/s 0.001 " in line for line in lines)


def test_a_rate_that_stays_0_fails(tmp_path):
    assert "failed wall/write-64 xrdma0 the client printed a rate of 0" in \
        perf(tmp_path, zeros=1000)


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


@pytest.mark.parametrize("processors, taken", [(1, True), (2, False)])
def test_the_plugin_counts_one_processor_of_a_machine_of_the_lab(
        tmp_path, processors, taken):
    subprocess.run(["make", "-s", "-C", BENCH, f"O={tmp_path}",
                    f"{tmp_path}/counter.so"], check=True)
    done = subprocess.run(
        ["qemu-system-x86_64", "-accel", "tcg", "-display", "none", "-S", "-smp",
         f"{processors},maxcpus={machine.MIN_PROCESSORS}", "-plugin",
         f"{tmp_path}/counter.so,out={tmp_path}/counts", "-monitor", "stdio"],
        input="quit\n", check=False, capture_output=True, text=True, timeout=60)
    assert (done.returncode == 0) == taken, done.stderr
    assert ("counter: wants" in done.stderr) != taken, done.stderr


def test_the_device_has_a_real_time_priority(tmp_path, monkeypatch):
    """Without it, the measured latencies depend on other threads of the host."""
    started = []

    def start(_binary, _rundir, args):
        started.extend(args)
        return types.SimpleNamespace(connect=lambda: None)

    monkeypatch.setattr(node, "Device", start)
    opts = types.SimpleNamespace(kinds=["xrdma"], uplink=None, nodes=1, number=None,
                                 fast_device=True, device_arg=[], impair=None)
    node.Node(opts, 1, str(tmp_path)).start_device()
    assert "--realtime" in started

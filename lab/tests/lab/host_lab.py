# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Interfaces of the lab that others rely on: lab/vm, the sums of lab/check, and the
choice of kernels. Runs on the host."""

import os
import pathlib
import re
import signal
import subprocess
import time
import types

import pytest

from labvm import kernels, session, splat
from labvm.device import Device
from labvm.node import Node
from lib.paths import LAB
from lib.programs import load


def run(*args, command=(), **kwargs):
    argv = [str(LAB / "vm"), "run", *args]
    if command:
        argv += ["--", *command]
    return subprocess.run(argv, capture_output=True, timeout=300, check=False,
                          **kwargs)


def boot(*command, options=()):
    """Runs a command in a guest without a device."""
    return run("--no-device", "--no-build", *options, command=command)


def test_arguments_arrive_as_typed():
    args = ["a b", "", "it's", "new\nline", "*", "$HOME", "\\", "--timeout",
            "--", "\u00fc"]
    out = boot("printf", "<%s>", *args)
    assert out.returncode == 0
    assert out.stdout.decode() == "".join(f"<{arg}>" for arg in args)


def test_streams_are_whole_and_apart():
    out = boot("bash", "-c", "head -c 9000000 /dev/zero; echo words >&2; "
               "echo end >/dev/stdout; exit 3")
    assert out.returncode == 3
    assert len(out.stdout) == 9000004
    choice, words = out.stderr.splitlines()
    assert choice.startswith((b"lab: KVM: ", b"lab: TCG: ")) and words == b"words"


def test_output_streams_while_it_runs():
    argv = [str(LAB / "vm"), "run", "--no-device", "--no-build", "--",
            "bash", "-c", "echo first; sleep 3; echo second"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as child:
        assert child.stdout.readline() == b"first\n"
        began = time.monotonic()
        assert child.stdout.readline() == b"second\n"
        assert time.monotonic() - began > 2
    assert child.returncode == 0


def test_signal_and_missing_command():
    assert boot("bash", "-c", "kill -9 $$").returncode == 137
    assert boot("no-such-command").returncode == 127


def test_command_starts_in_the_share_which_is_writable(tmp_path):
    (tmp_path / "in").write_text("to the guest")
    out = boot("bash", "-c", "cat /mnt/in; echo from the guest >out",
               options=("--share", str(tmp_path)))
    assert out.stdout == b"to the guest"
    assert (tmp_path / "out").read_text() == "from the guest\n"


def test_time_limit():
    began = time.monotonic()
    out = boot("sleep", "200", options=("--timeout", "9"))
    assert out.returncode == 124
    assert time.monotonic() - began < 20


def test_kernel_complaint_fails():
    out = boot("bash", "-c", "echo WARNING: x at y >/dev/kmsg")
    assert out.returncode == 125
    assert "WARNING: x at y" in out.stderr.decode()


@pytest.mark.parametrize("line", [
    "[    1.0] BUG: KASAN: slab-out-of-bounds in x",
    "[    1.0] INFO: task bash:1 blocked for more than 120 seconds.",
    "[    1.0] WARNING: possible circular locking dependency detected",
    "[    1.0] UBSAN: array-index-out-of-bounds in x.c:1:2",
    "[    1.0] DMAR: [DMA Write NO_PASID] Request device [01:00.0] fault addr",
    "[    1.0] Oops: Oops: 0000 [#1] SMP",
    "[    1.0] kmemleak: Cannot allocate a kmemleak_object structure"])
def test_complaints_are_known(line):
    text = f"[    0.5] before\n{line}\n[    1.1] after\n"
    assert splat.find(text) == text.splitlines()
    assert not splat.find(text, allowed=re.escape(line))


def test_normal_messages_are_no_complaints():
    assert not splat.find("[ 1.0] xrdma 0000:01:00.0 xrdma0: link is up\n"
                          "[ 1.0] mtrr: your CPUs had inconsistent settings\n"
                          "[ 1.0] kmemleak: Cannot allocate a scan area, scanning "
                          "the full object\n")


def test_kernel_complaint_can_be_expected():
    out = boot("bash", "-c", "echo 'WARNING: expected' >/dev/kmsg",
               options=("--allow-splat", "WARNING: expected"))
    assert out.returncode == 0


def test_panic_fails_at_once():
    began = time.monotonic()
    out = boot("bash", "-c", "echo c >/proc/sysrq-trigger; sleep 100")
    assert out.returncode == 126
    assert "sysrq triggered crash" in out.stderr.decode()
    assert time.monotonic() - began < 60


@pytest.mark.parametrize("options", [
    ("--nodes", "3"), ("--peer", "mlx5"),
    ("--nodes", "1", "--peer", "rxe"), ("--both", "rxe", "--peer", "rxe"),
    ("--impair", "loss=1%", "--both", "rxe"), ("--kernel", "2.4"),
    ("--capture", "/nowhere/file"), ("--capture", "/tmp/file", "--no-device"),
    ("--mem", "lots"), ("--share", "/nowhere"), ("--root", "/nowhere"),
    ("--smp", "0"), ("--accel", "xen")])
def test_what_does_not_exist_is_refused(options):
    out = run(*options, command=("true",))
    assert out.returncode == 2
    assert options[0] in out.stderr.decode()


@pytest.mark.parametrize("command, error", [
    ("lab/vm run --impare x -- true",
     "no such option: '--impare'; options: --help, --kernel, "),
    ("lab/vm shell --foo=1", "no such option: '--foo'; options: --help, --kernel, "),
    ("lab/vm run ibv_devinfo", "'ibv_devinfo' is not an option; COMMAND follows --"),
    ("lab/vm run --timeout soon -- true",
     "'soon' is not a number of seconds, like 90 or 0.5"),
    ("lab/vm run --number 255 --uplink tap=x -- true",
     "'255' is not a number from 1 to 254"),
    ("lab/vm run --mem 5 -- true", "'5' is not like 512M or 4G"),
    ("env XRDMA_KERNEL=2.4 lab/vm run -- true",
     "XRDMA_KERNEL: no such kernel: '2.4'; kernels: "),
    ("lab/check hosts", "no such suite: 'hosts'; suites: host, "),
    ("lab/check --fast",
     "no such option: '--fast'; options: --help, --list, --soak, --kernel, --accel\n"),
    ("bench/run wal", "no such group: 'wal'; groups: instructions, "),
    ("bench/run --slow", "no such option: '--slow'; options: --help, "),
    ("lab/guest/bin/lab-device pull", "no such word: 'pull'"),
])
def test_an_error_names_the_word_and_lists_what_is_taken(command, error):
    out = subprocess.run(command.split(), cwd=LAB.parent, check=False,
                         capture_output=True, text=True)
    assert out.returncode == 2 and not out.stdout
    assert error in out.stderr


def test_no_command_is_refused():
    assert run().returncode == 2


def processes_naming(text):
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if text.encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            pass
    return found


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_is_left_running(signum, tmp_path):
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    argv = [str(LAB / "vm"), "run", "--no-device", "--no-build", "--",
            "bash", "-c", "echo up; sleep 100"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, env=env) as child:
        assert child.stdout.readline() == b"up\n"
        assert processes_naming(str(tmp_path))
        child.send_signal(signum)
        child.wait(20)
        time.sleep(0.5)
        assert not processes_naming(str(tmp_path))


def test_instruction_counting_boots():
    out = boot("cat", "/proc/cmdline",
               options=("--accel", "tcg", "--smp", "1", "--qemu-arg", "-icount",
                        "--qemu-arg", "shift=0,sleep=off"))
    assert out.returncode == 0
    assert b"tsc_early_khz" not in out.stdout


# ---- the device process ---------------------------------------------------------

# a fake device process, whose output and end the test chooses
FAKE = """#!/usr/bin/env python3
import os, signal, socket, sys
print(sys.argv[5], flush=True)
places = [socket.socket(socket.AF_UNIX) for _ in range(2)]
for place, path in zip(places, (sys.argv[2], sys.argv[4])):
    place.bind(path + "~")
    place.listen()
    os.rename(path + "~", path)
places[1].accept()
if sys.argv[6] != "stays":
    sys.exit(int(sys.argv[6]))
signal.pause()
"""


@pytest.mark.parametrize("words, end, may_die, wrong", [
    ("all is well", "stays", False, None),
    ("all is well", "3", False, "died with 3"),
    ("all is well", "0", True, None),
    ("all is well", "3", True, None),
    ("a.c:1: runtime error: x", "99", False, "sanitizer reports"),
    ("a.c:1: runtime error: x", "99", True, "sanitizer reports"),
    ("==1==ERROR: AddressSanitizer: x", "stays", True, "sanitizer reports"),
    ("==1==ERROR: LeakSanitizer: x", "0", True, "sanitizer reports")])
def test_what_a_device_may_do(tmp_path, words, end, may_die, wrong):
    fake = tmp_path / "device"
    fake.write_text(FAKE)
    fake.chmod(0o755)
    opts = types.SimpleNamespace(kinds=["xrdma"], device_may_die=may_die)
    node = Node(opts, 1, str(tmp_path))
    node.device = Device(str(fake), str(tmp_path), [words, end])
    node.device.connect()
    if end != "stays":
        node.device.child.wait(20)
    node.finish(complete=False)
    assert [wrong in problem for problem in node.problems] == [True] * bool(wrong)


# ---- lab/check, lab/coverage ----------------------------------------------------


@pytest.fixture(name="check", scope="module")
def fixture_check():
    return load("check")


@pytest.fixture(name="coverage", scope="module")
def fixture_coverage():
    return load("coverage")


TAP = """TAP version 13
1..3
ok 1 - a
not ok 2 - b
ok 3 - c # SKIP no reason
"""

KTAP = """KTAP version 1
1..1
    KTAP version 1
    # Subtest: suite
    1..3
    ok 1 a
        KTAP version 1
        # Subtest: b
        ok 1 x
        not ok 2 y
    not ok 2 b
    ok 3 c # SKIP
not ok 1 suite
"""


def test_tap(check):
    count = check.count_tap(TAP)
    assert (count.passed, count.failed, count.skipped) == (1, ["b"], 1)


def test_nested_tap_counts_leaves(check):
    count = check.count_tap(KTAP)
    assert (count.passed, count.failed, count.skipped) == (2, ["y"], 1)


def test_a_suite_that_fails_by_itself_counts(check):
    count = check.count_tap("1..1\n    ok 1 a\nnot ok 1 suite\n")
    assert (count.passed, count.failed) == (1, ["suite"])


def test_tests_that_never_ended_count(check):
    count = check.count_tap("1..4\nok 1 - a\nok 2 - b\n")
    assert count.passed == 2
    assert count.failed == ["2 of 4 tests never ended"]


@pytest.mark.parametrize("kind, script, failed", [
    ("tap", "echo ok 1 - a", 0),
    ("tap", "true", 1),
    ("tap", "echo ok 1 - a; exit 3", 1),
    ("tap", "echo not ok 1 - a; exit 1", 1),
    ("tap", "echo not ok 1 - a; kill -9 $$", 2),
    ("tap", "echo ok 1 - a; sleep 60", 1),
    ("junit", "true", 1),
    ("status", "true", 0),
    ("status", "exit 3", 1)])
def test_a_suite_that_ends_badly_fails(check, monkeypatch, tmp_path, kind,
                                       script, failed):
    monkeypatch.setattr(check, "LOGS", str(tmp_path))
    count = check.run_suite("try", kind, 5, ["sh", "-c", script])
    assert len(count.failed) == failed


BAD_END = """
echo '======= 1 passed in 0.01s ======='
echo 'lab: the kernel complained:'
echo ' [ 1.0] WARNING: CPU: 0 PID: 1 at nowhere'
exit 125
"""


def test_reason_of_a_bad_end_is_printed(check, monkeypatch, tmp_path, capsys):
    """If all tests pass, but the suite ends with a bad exit status, lab/check prints what
    the log says behind the summary of pytest."""
    monkeypatch.setattr(check, "LOGS", str(tmp_path))
    assert check._run({"try": ("tap", 5, ["sh", "-c", f"echo ok 1; {BAD_END}"])}) == 1
    out = capsys.readouterr().out.split("\n" + "-" * 72)[1]
    assert ("FAILED try: ended with status 125: lab: the kernel complained: | "
            "[ 1.0] WARNING: CPU: 0 PID: 1 at nowhere") in out
    assert "1 passed in" not in out and out.count("WARNING: CPU") == 2


FAILS = """
def test_fails():
    raise ValueError("x" * 9000 + "the reason")
"""


def test_report_of_a_failed_test_is_printed(check, monkeypatch, tmp_path, capsys):
    """lab/check prints what a failed test of pytest reported, shortened, after the
    table of suites, and its first line with the name of the test."""
    monkeypatch.setattr(check, "LOGS", str(tmp_path / "logs"))
    (tmp_path / "test_it.py").write_text(FAILS)
    assert check._run({"try": ("junit", 60, [
        "python3", "-Bm", "pytest", "-p", "no:cacheprovider", "--tb=short",
        "--junitxml={dir}/results.xml", str(tmp_path)])}) == 1
    out = capsys.readouterr().out
    table, reports = out.split("\n" + "-" * 72)[1].split("\n===== ")
    assert table.split()[0] == "try"
    name = reports.splitlines()[0].removesuffix(" reported:")
    assert name.endswith("test_it.test_fails") and \
        f"\nFAILED {name}: ValueError: xxx" in reports
    assert "the reason" in reports and "xxx ... xxx" in reports
    assert max(map(len, reports.splitlines())) < 2 * check.MOST_CHARS


@pytest.mark.parametrize("at_a_time", [1, 2])
def test_suites_run_together(check, monkeypatch, tmp_path, capsys, at_a_time):
    """With two suites at a time, each of two suites sees that the other one runs. With
    one at a time, neither does. The results of both count."""
    monkeypatch.setattr(check, "LOGS", str(tmp_path / "logs"))
    script = ("touch {0}; for i in $(seq 20); do [ ! -e {1} ] || break; sleep 0.1; done;"
              "[ -e {1} ] && echo ok 1 - a || echo not ok 1 - a; sleep 0.5; rm {0}")
    here, there = tmp_path / "here", tmp_path / "there"
    assert check._run({
        "here": ("tap", 20, ["sh", "-c", script.format(here, there) + "; sleep 1"]),
        "there": ("tap", 20, ["sh", "-c", script.format(there, here)])},
        at_a_time) == (at_a_time == 1)
    lines = capsys.readouterr().out.splitlines()
    assert "===== here" in lines and "===== there" in lines
    assert sum(line in ("ok 1 - a", "not ok 1 - a") for line in lines) == 2
    passed = 2 if at_a_time == 2 else 0
    assert lines[-1] == f"{passed} passed, {2 - passed} failed, 0 skipped"
    assert ("FAILED here: a" in lines) == (at_a_time == 1)


@pytest.mark.parametrize("names", [("quick", "late"), ("late", "quick")])
def test_both_logs_are_printed(check, monkeypatch, tmp_path, capsys, names):
    """The log of each suite is printed, whichever is printed while it runs, and
    whichever ends first."""
    monkeypatch.setattr(check, "LOGS", str(tmp_path))
    scripts = {"quick": "sleep 1; echo ok 1 - b",
               "late": "sleep 2; echo not ok 1 - a; exit 1"}
    assert check._run({name: ("tap", 20, ["sh", "-c", scripts[name]])
                       for name in names}) == 1
    lines = capsys.readouterr().out.splitlines()
    for line in ("===== quick", "===== late", "ok 1 - b", "not ok 1 - a",
                 "FAILED late: a"):
        assert lines.count(line) == 1
    assert lines[-1] == "1 passed, 1 failed, 0 skipped"


def test_coverage_disturbs_no_soak(check, coverage, monkeypatch):
    """lab/coverage runs the short form of suites that are not in LONG, and does not
    write to the log directory of lab/check."""
    calls = []
    monkeypatch.setenv("XRDMA_SOAK", "1")
    monkeypatch.setattr(coverage.shutil, "rmtree", lambda *_, **_more: None)
    monkeypatch.setattr(coverage.subprocess, "run",
                        lambda argv, env: calls.append((argv[1:], env)))
    coverage.run(["host", *coverage.LONG])
    assert [argv for argv, _ in calls] == [
        ["--kernel", "gcov", "host"],
        ["--kernel", "gcov", "--soak", *coverage.LONG]]
    for _, env in calls:
        assert "XRDMA_SOAK" not in env
        monkeypatch.setenv("XRDMA_LOGS", env["XRDMA_LOGS"])
        logs = pathlib.PurePath(load("check").LOGS)
        # the log directory of the suite "coverage" of lab/check
        assert logs == pathlib.PurePath(check.LOGS, "coverage")


def test_coverage_misses_no_file(coverage):
    """lab/coverage reports a file of the driver that is missing in the module, and one
    of which no line ran."""
    results = {}
    for path in coverage.SOURCES.glob("*.c"):
        if path.name not in coverage.CODELESS:
            results[path.name] = coverage.Reached()
            results[path.name].lines.update({1: 0, 2: 5})
    assert not list(coverage.never_ran(results))
    results["xrdma_mr.c"].lines[2] = 0
    del results["xrdma_cq.c"]
    assert list(coverage.never_ran(results)) == [
        "xrdma_cq.c: not in the module that ran", "xrdma_mr.c: no line ran"]


# ---- the kernels of the root image ----------------------------------------------

PACKAGES = """# a comment
kernel backports 7.2..7.3
kernel stable 6.12
qemu-system-x86 backports
"""


def pick(tmp_path, *releases, kinds=("image", "headers"), sources=()):
    """Runs lab/pick-kernels for an archive with these releases."""
    (tmp_path / "packages").write_text(PACKAGES)
    names = [f"linux-{kind}-{release}" for release in releases for kind in kinds]
    names += [f"linux-source-{series}" for series in sources]
    return subprocess.run(
        [LAB / "pick-kernels", tmp_path / "packages"], capture_output=True,
        input="".join(f"{name} - Linux\n" for name in names), text=True, check=False)


def lines(done):
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_newest_kernel_of_each_range_is_picked(tmp_path):
    assert lines(pick(
        tmp_path, "7.2.9+deb13-amd64", "7.2.12+deb13-amd64", "7.3.4+deb13-amd64",
        "7.3.4+deb13-rt-amd64", "7.3.5+deb13-cloud-amd64", "6.12.9+deb13-amd64",
        "6.12.117+deb13-amd64", sources=["6.12", "7.2", "7.3"])) == [
            "backports 7.3 7.3.4+deb13-amd64", "older 7.2 7.2.12+deb13-amd64",
            "stable 6.12 6.12.117+deb13-amd64", "source 7.3 7.3"]


def test_kernel_outside_of_the_range_is_not_picked(tmp_path):
    assert lines(pick(tmp_path, "7.4.1+deb13-amd64", "7.10.1+deb13-amd64",
                      "7.1.8+deb13-amd64", "6.13.1+deb13-amd64",
                      "7.2.6+deb13-amd64", sources=["7.1", "7.4"])) == [
        "backports 7.2 7.2.6+deb13-amd64", "stable 6.12 missing",
        "source 7.2..7.3 missing"]


def test_kernel_without_headers_is_not_picked(tmp_path):
    done = pick(tmp_path, "7.3.4+deb13-amd64", kinds=["image"])
    assert done.returncode == 1
    assert "no kernel that is supported" in done.stderr
    assert "7.2..7.3" in done.stderr and "6.12" in done.stderr


def test_one_of_two_ranges_is_enough(tmp_path):
    assert lines(pick(tmp_path, "6.12.117+deb13-amd64", sources=["7.3"])) == [
        "backports 7.2..7.3 missing", "stable 6.12 6.12.117+deb13-amd64",
        "source 7.3 7.3"]


ONE_KERNEL = """backports 7.2..7.3 missing
stable {} {}
source 7.2..7.3 missing
"""
# runs suites of lab/check whose commands are only printed, and one that passes
SOME = """
import sys
sys.path[:0] = "/src/lab", "/src/lab/tests"
from lib.programs import load
check = load("check")
check.LOGS = sys.argv[1]
names = ["guest-7.2..7.3", "nodes-xrdma-7.2..7.3", "guest-debug"]
suites = {name: check.SUITES[name] for name in names}
suites["kunit"] = check.SOAK["kunit"]
commands = {name: ["echo", *suite[2]] for name, suite in suites.items()}
commands["quick"] = ["echo", "ok 1 - a"]
check.own_kernels = lambda _: []        # none is built
sys.exit(check._run({name: ("status", 20, command)
                     for name, command in commands.items()}))
"""


def with_one_kernel(tmp_path, *command):
    """Runs command with an image that has only the stable kernel."""
    facts = tmp_path / "kernels"
    series = kernels.BY_ROLE["stable"]
    facts.write_text(ONE_KERNEL.format(series, kernels.DEBIAN.get(series)))
    return subprocess.run(
        ["unshare", "--mount", "sh", "-ec",
         'mount --bind "$0" /etc/lab-kernels && exec "$@"', facts, *command],
        capture_output=True, text=True, cwd="/src", check=False)


def test_suite_without_its_kernel_is_skipped(tmp_path):
    out = with_one_kernel(tmp_path, "python3", "-Bc", SOME, str(tmp_path))
    assert out.returncode == 0, out.stdout + out.stderr
    printed = out.stdout.splitlines()
    for name in ("guest-7.2..7.3", "nodes-xrdma-7.2..7.3"):
        assert f"SKIPPED {name}: the archive had no Linux 7.2..7.3" in printed
    for name in ("guest-debug", "kunit"):
        assert f"SKIPPED {name}: the archive had no source of Linux " \
            "7.2..7.3" in printed
    assert printed[-1] == "1 passed, 0 failed, 4 skipped"


def test_gate_without_its_kernel_is_skipped(tmp_path):
    out = with_one_kernel(tmp_path, "scripts/lint", "checkpatch", "module-7.2..7.3")
    assert out.stdout.splitlines() == [
        "1..2",
        "ok 1 - checkpatch # SKIP the archive had no source of Linux 7.2..7.3",
        "ok 2 - module-7.2..7.3 # SKIP the archive had no Linux 7.2..7.3"]


def test_test_without_its_kernel_is_skipped(tmp_path):
    out = with_one_kernel(
        tmp_path, "python3", "-Bm", "pytest", "-p", "no:cacheprovider", "-rs",
        "--setup-only", "/src/lab/tests/scenarios/keys/host_keys.py",
        "/src/lab/tests/lab/debug_kernels.py")
    assert out.returncode == 0, out.stdout + out.stderr
    assert "the archive had no Linux 7.2..7.3" in out.stdout
    assert "the archive had no source of Linux 7.2..7.3" in out.stdout
    assert "SETUP" not in out.stdout


def test_default_kernel_is_one_that_is_there(tmp_path):
    if "6.12" not in kernels.DEBIAN:
        pytest.skip(kernels.missing("6.12"))
    out = with_one_kernel(tmp_path, "lab/vm", "run", "--help")
    assert "default: the newest, 6.12)" in " ".join(out.stdout.split())
    out = with_one_kernel(tmp_path, "lab/vm", "run", "--kernel", "7.3", "--", "true")
    assert out.returncode == 2 and "--kernel" in out.stderr


INT3 = "[    1.840027] Oops: int3: 0000 [#1] SMP NOPTI\n"


@pytest.mark.parametrize("console, began, status, again", [
    (INT3, False, session.NO_BOOT, True),
    (INT3, True, session.NO_BOOT, False),
    (INT3, False, 0, False),
    ("Oops: 0000 [#1] SMP NOPTI\n", False, session.NO_BOOT, False)])
def test_only_a_breakpoint_before_the_job_is_worth_another_boot(
        console, began, status, again):
    machine = types.SimpleNamespace(read_console=lambda: console)
    run_of = types.SimpleNamespace(
        status=status, nodes=[types.SimpleNamespace(began=began, machine=machine)])
    assert session.Session.stopped_in_boot(run_of) is again


@pytest.mark.parametrize("bad, status", [
    (0, 7), (1, 7), (session.BOOTS - 1, 7), (session.BOOTS, session.NO_BOOT)])
def test_boots_are_tried_again_and_the_last_is_judged(monkeypatch, bad, status):
    seen = []

    class Fake:
        problems, status = [], None

        def __init__(self, _opts):
            seen.append(self)
            self.bad, self.ended = len(seen) <= bad, None
            self.status = session.NO_BOOT if self.bad else 7

        start = wait = lambda self: None
        stopped_in_boot = lambda self: self.bad

        def discard(self):
            self.ended = "discarded"

        def finish(self):
            self.ended = "finished"
            return self.status

    monkeypatch.setattr(session, "Session", Fake)
    assert session.attempts(None) == status
    assert [one.ended for one in seen] == (
        ["discarded"] * (len(seen) - 1) + ["finished"])
    assert len(seen) == min(bad + 1, session.BOOTS)

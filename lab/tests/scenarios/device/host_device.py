# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The driver and devices that are missing, broken, silent or gone: the driver must
say so, calls must fail in time, and nothing may stay. Runs on the host;
guest_device.py runs in the guests."""

import itertools
import json
import os
import pathlib
import signal
import statistics
import subprocess

import pytest

from lib.judge import FAILS_WITHIN, check_nothing_is_held, deaths
from lib.launch import beside, lab_vm, played
from lib.soak import kernels, soak

GUEST = beside(__file__, "guest_device.py")


def kill_device(tmp):
    """Kills the device process whose sockets are in tmp."""
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            argv = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if argv[0].endswith(b"/xrdma-device") and \
                any(arg.startswith(os.fsencode(tmp)) for arg in argv):
            os.kill(int(path.parent.name), signal.SIGKILL)
            return
    raise AssertionError("no device process")


def play(scenario, tmp, *options):
    """Runs a scenario. Returns the exit status, its findings by name, and the messages
    of lab/vm."""
    argv = lab_vm(*options) + [
        "env", f"XRDMA_SOAK={os.environ.get('XRDMA_SOAK', '')}",
        "python3", "-B", GUEST, scenario]
    found = {}
    with open(tmp / "stderr", "w+", encoding="utf-8") as err, \
            subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=err, text=True,
                             env={**os.environ, "TMPDIR": str(tmp)}) as child:
        for line in child.stdout:
            findings = json.loads(line)
            name = findings.pop("name")
            if name == "kill":
                kill_device(tmp)
            else:
                found[name] = findings
        status = child.wait(3600)
        err.seek(0)
        return status, found, err.read()


# The message of QEMU 11.1 when it aborts. That happens sometimes when its vfio-user
# server dies while requests are in progress; the run is then repeated. On a busy machine
# three runs in a row have ended like this.
QEMU_ABORTS = "error_setv: Assertion `*errp == NULL' failed"
MOST_RUNS = 10


def play_to_end(scenario, tmp, *options):
    """Runs a scenario in which nothing may fail except for the faults that it causes."""
    for _ in range(MOST_RUNS):
        status, found, err = play(scenario, tmp, *options)
        if QEMU_ABORTS not in err:
            break
    assert status == 0, err
    return found


# ---- lab/vm and its device -----------------------------------------------------

def test_module_loads_without_a_device():
    argv = lab_vm("--no-device", "--no-build") + [
        "sh", "-ec", "modprobe xrdma; rmmod xrdma; "
        "dmesg --level emerg,alert,crit,err | grep xrdma || exit 0"]
    out = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (out.returncode, out.stdout) == (0, ""), out.stderr


def test_host_error_fails(tmp_path):
    status, found, err = play("host_error", tmp_path, "--no-driver")
    assert status == 125
    assert found["end"]["host_errors"] > 0
    assert "REG_RESERVED" in err and "0x7000" in err


def test_host_error_can_be_allowed(tmp_path):
    found = play_to_end("host_error", tmp_path, "--no-driver",
                        "--allow-host-errors")["end"]
    assert found["host_errors"] > 0


@pytest.mark.parametrize("options, status", [
    ((), 125), (("--device-may-die",), 0)])
def test_death_of_the_device_fails(options, status, tmp_path):
    assert play("dies", tmp_path, "--no-driver", *options)[0] == status


@pytest.mark.parametrize("number", range(soak(1, 20)))
def test_boots_and_works_each_time(number):
    del number
    argv = lab_vm("--iommu") + ["bash", "-ec", """
        listens() { until [ "$(ss -Hltn sport = :18515)" ]; do sleep 0.1; done }
        args="-d $XRDMA_DEV -g $XRDMA_GID_INDEX -c -n 200"
        ibv_rc_pingpong $args >/dev/null & listens
        ibv_rc_pingpong $args localhost; wait $!
        args="-d $XRDMA_DEV -x $XRDMA_GID_INDEX -F -n 200"
        for tool in ib_write_bw ib_read_bw ib_send_lat; do
            $tool $args >/dev/null & listens
            $tool $args localhost >/dev/null; wait $!
        done"""]
    out = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert out.returncode == 0, out.stdout + out.stderr


# ---- while the driver starts ---------------------------------------------------

# fault -> the driver's only error message about a device that it refuses
REFUSED = {
    "other-major": "implements version 2 of the specification, this driver "
                   "version 3",
    "other-magic": "not an XRDMA device: its first register is 0x12345678",
    "gone": "its registers read as all ones",
    "no-reset": "does not come out of reset",
    "no-enable": "does not start",
    "fatal-at-once": "does not come out of reset",
    "silent": "does not say what it is",
    "query-device-fails": "does not say what it is",
    "create-eq-hangs": "cannot set up event queue 0 of",
    "create-eq-fails": "cannot set up event queue 0 of",
    "query-port-fails": "cannot register the Ethernet port",
}
TAKEN = ["fine", "newer-minor", "gsi-create-qp-late", "create-qp-late"]
# faults while ib_core creates the GSI, which does not exist then
GSI_DIES = ["gsi-create-cq-hangs", "gsi-create-qp-hangs", "gsi-modify-qp-hangs"]
GSI_FAILS = ["gsi-create-cq-fails", "gsi-create-qp-fails",
             "gsi-modify-qp-fails"]
# faults while the port is set up
PORT_DIES = ["create-cq-hangs", "create-qp-hangs", "modify-port-hangs"]
PORT_FAILS = ["create-cq-fails", "create-qp-fails", "modify-qp-fails"]


@pytest.fixture(name="probes", scope="module")
def fixture_probes(tmp_path_factory):
    return play_to_end("probes", tmp_path_factory.mktemp("probes"),
                       "--no-driver", "--iommu", "--timeout", "480")


@pytest.mark.parametrize("fault", REFUSED)
def test_device_is_refused(probes, fault):
    found = probes[fault]
    assert found["load"]["status"] == 0
    assert found["load"]["seconds"] < FAILS_WITHIN
    assert not found["bound"] and not found["made"]
    assert len(found["errors"]) == 1, found["errors"]
    assert REFUSED[fault] in found["errors"][0]


@pytest.mark.parametrize("fault", TAKEN)
def test_device_is_accepted(probes, fault):
    found = probes[fault]
    assert found["load"]["status"] == 0
    assert found["bound"] and len(found["made"]) == 2
    assert found["up"]["status"] == 0
    assert not found["errors"]


def check_dead_once(found):
    dead = deaths(found)
    assert len(dead) == 1, found["errors"]
    assert "was not answered in" in dead[0]


@pytest.mark.parametrize("fault", GSI_DIES)
def test_device_dies_during_probe(probes, fault):
    found = probes[fault]
    assert found["load"]["status"] == 0
    assert found["load"]["seconds"] < FAILS_WITHIN
    assert found["bound"] and len(found["made"]) == 2
    # the device works after it has recovered
    assert found["up"]["status"] == 0
    check_dead_once(found)


@pytest.mark.parametrize("fault", GSI_FAILS)
def test_device_without_a_gsi_works(probes, fault):
    found = probes[fault]
    assert found["load"]["status"] == 0
    assert found["bound"] and len(found["made"]) == 2
    assert any("Couldn't open port 1" in line for line in found["errors"])
    assert not any("dead" in line for line in found["errors"])
    assert found["up"]["status"] == 0


@pytest.mark.parametrize("fault", PORT_DIES)
def test_port_does_not_come_up_on_a_device_that_hangs(probes, fault):
    found = probes[fault]
    assert found["bound"]
    assert found["up"]["status"] not in (0, None)
    assert found["up"]["seconds"] < FAILS_WITHIN
    check_dead_once(found)
    # the port can be set up after the device has recovered
    assert found["again"]["status"] == 0


@pytest.mark.parametrize("fault", PORT_FAILS)
def test_port_does_not_come_up_without_its_queues(probes, fault):
    found = probes[fault]
    assert found["bound"]
    assert found["up"]["status"] not in (0, None)
    assert found["up"]["seconds"] < 5
    assert not any("dead" in line for line in found["errors"])


@pytest.mark.parametrize("fault", [
    *REFUSED, *TAKEN, *GSI_DIES, *GSI_FAILS, *PORT_DIES, *PORT_FAILS])
def test_nothing_is_left_behind(probes, fault):
    found = probes[fault]
    assert found["unload"]["status"] == 0
    assert found["unload"]["seconds"] < FAILS_WITHIN
    assert found["device"] == probes["before"]["device"]


def test_device_holds_nothing_before(probes):
    assert probes["before"]["device"] == {
        "dma": 0, "vectors": 0, "objects": [0, 0, 0], "enabled": False,
        "host_errors": 0}


# ---- load and unload -----------------------------------------------------------

@pytest.mark.parametrize("kernel", kernels("stable"))
def test_many_rounds_leave_nothing(kernel, tmp_path):
    # without slab_nomerge, caches of the same size would be counted as one; without
    # slab_debug, free objects on the lists of a processor would count as used
    exact = "slab_nomerge slab_debug=F"
    found = play_to_end("rounds", tmp_path, "--kernel", kernel, "--iommu",
                        "--no-driver", "--append", exact,
                        "--timeout", str(soak(480, 3600)))
    # the first rounds fill caches
    rounds = soak(50, 1000)
    loaded = found["loaded"]
    marks = [found[f"round {rounds * n // 5}"] for n in range(1, 6)]
    # the counts are not zero while the module is loaded
    assert loaded["vectors"] > 1 and loaded["dma"] > marks[0]["dma"]
    assert len(loaded["made"]) == 2
    for mark in marks:
        assert mark["vectors"] == 0 and mark["objects"] == [0, 0, 0]
        assert mark["dma"] == marks[0]["dma"]
        assert mark["irqs"] == marks[0]["irqs"]
        assert mark["host_errors"] == 0
    assert not leaks([mark["memory"] for mark in marks], rounds // 5)


@pytest.mark.parametrize("kernel", kernels("backports"))
def test_every_allocation_is_freed(kernel, tmp_path):
    found = play_to_end("allocations", tmp_path, "--kernel", kernel,
                        "--no-driver")["end"]
    assert found["load"]["status"] == found["unload"]["status"] == 0
    # the use of the device included a queue pair
    assert "QPN" in found["use"]["words"]
    assert found["traced"] >= 5 and found["lost"] == 0
    assert not found["unfreed"]


def leaks(counts, rounds):
    """The counts that grow in more than half of the rounds: name -> counts, each after
    this number of rounds. A count that grows once, as the kernel fills a cache of its
    own, is no leak. test_every_allocation_is_freed checks single allocations."""
    found = {}
    for name in set.intersection(*map(set, counts)):
        series = [count[name] for count in counts]
        growth = statistics.median(b - a for a, b in itertools.pairwise(series))
        # freed IOVAs stay in per-CPU caches
        if name != "iommu_iova" and growth > rounds // 2:
            found[name] = series
    return found


# ---- while it runs -------------------------------------------------------------

def check_death(found, words):
    """Checks that the driver logged one message in time, that calls on the dead device
    fail, and that the module can be unloaded."""
    assert found["noticed"] is not None and found["noticed"] < FAILS_WITHIN
    dead = deaths(found)
    assert len(dead) == 1, found["errors"]
    assert words in dead[0]
    assert found["use"]["status"] is not None
    for step in ("use", "pingpong", "down", "unload"):
        assert found[step]["status"] is not None, step
        assert found[step]["seconds"] < FAILS_WITHIN, step
    assert found["pingpong"]["status"] != 0
    assert found["killed"] is not None and found["killed"] < FAILS_WITHIN
    assert found["unload"]["status"] == 0, found["unload"]["words"]


def check_busy(found):
    """Checks that all traffic still ran when the device failed."""
    assert found["busy"] == [None] * 4


def check_revival(found):
    """Checks that the same device works after a reset."""
    assert found["again"]["status"] == 0
    assert len(found["made"]) == 2


def check_recovery(found, words, iommu=False):
    """Checks that the driver logged one message in time, that the device works again,
    and that it has no resources of the host after the end."""
    assert found["noticed"] is not None and found["noticed"] < FAILS_WITHIN
    dead = deaths(found)
    assert len(dead) == 1, found["errors"]
    assert words in dead[0]
    assert found["back"] is not None and found["back"] < FAILS_WITHIN
    assert found["works"]["status"] == 0, found["works"]["words"]
    assert found["killed"] is not None and found["killed"] < FAILS_WITHIN
    assert found["unload"]["status"] == 0, found["unload"]["words"]
    assert found["unload"]["seconds"] < FAILS_WITHIN
    check_nothing_is_held(found["device"], iommu)


# scenarios that end with a device that can be used again, and without the module
LIVING = ("command_hangs", "command_late", "command_fails", "fatal_status",
          "gone_idle", "gone_busy", "reset_hangs", "silence_fails")
LIVING_WITH_IOMMU = ("invalidate_hangs", "registers_deaf", "unbound_busy")


def living(scenario):
    """The findings of a scenario of one of the two guests for all these scenarios."""
    if scenario in LIVING:
        return played(GUEST, LIVING)[scenario]["end"]
    return played(GUEST, LIVING_WITH_IOMMU, "--iommu")[scenario]["end"]


@pytest.mark.parametrize("scenario", ["killed_idle", "killed_busy"])
def test_device_is_killed(scenario, tmp_path):
    found = play_to_end(scenario, tmp_path, "--device-may-die")["end"]
    if scenario == "killed_busy":
        check_busy(found)
    check_death(found, "it is gone")


def test_device_is_killed_while_a_command_waits(tmp_path):
    found = play_to_end("killed_in_command", tmp_path, "--device-may-die")["end"]
    assert found["command"]["waits"]
    assert found["command"]["status"] != 0
    assert found["command"]["seconds"] < FAILS_WITHIN
    check_death(found, "it is gone")


def test_command_is_not_answered():
    found = living("command_hangs")
    assert found["command"]["status"] not in (0, None)
    assert found["command"]["seconds"] < FAILS_WITHIN
    check_recovery(found, "was not answered in")


def test_invalidate_is_not_answered():
    found = living("invalidate_hangs")
    check_busy(found)
    assert found["exit"] is not None and found["exit"] < FAILS_WITHIN
    check_recovery(found, "was not answered in", iommu=True)


@pytest.mark.parametrize("kernel", kernels("backports"))
def test_pages_stay_pinned_until_the_device_is_reset(kernel, tmp_path):
    found = play_to_end("windows_hang", tmp_path, "--kernel", kernel)["end"]
    assert found["ready"] == "ready"
    before, dead, after = found["pages"]
    assert dead == before - 1 and after == before
    # the exit of the process waits for the reset, before which nothing is freed
    assert found["killed"] > 2
    check_recovery(found, "was not answered in")


def test_reply_comes_too_late():
    found = living("command_late")
    assert found["command"]["status"] not in (0, None)
    check_recovery(found, "was not answered in")


def test_failed_command_fails_its_caller_only():
    found = living("command_fails")
    for failed in found["failed"]:
        assert failed["status"] not in (0, None)
        assert failed["seconds"] < 5
    assert found["works"]["status"] == 0, found["works"]["words"]
    assert not found["errors"]
    assert found["unload"]["status"] == 0


def test_device_says_that_it_failed():
    found = living("fatal_status")
    check_recovery(found, "internal failure")


def test_device_is_gone():
    found = living("gone_idle")
    check_death(found, "it is gone")
    check_revival(found)


def test_device_is_gone_under_traffic():
    found = living("gone_busy")
    check_busy(found)
    assert found["ringer_ended"] is None
    check_death(found, "it is gone")


def test_reset_by_the_register_does_not_help():
    found = living("reset_hangs")
    assert found["function_reset"]
    assert found["ringer_ended"] is None
    check_recovery(found, "somebody else has reset it, register STATUS is 0x0")


def test_registers_answer_but_do_not_act():
    """The device never leaves READY and ENABLED. It must lose the Bus Master bit, and
    the function level reset must be made when the device is brought up."""
    found = living("registers_deaf")
    assert found["silent"] and found["resets"] == 1
    check_recovery(found, "internal failure", iommu=True)


def test_a_failed_silence_is_not_waited_for_again():
    """The driver waits for the end of DMA once, and not for each of 200 regions."""
    found = living("silence_fails")
    assert found["abandoned"] is not None
    check_recovery(found, "somebody else has reset it, register STATUS is 0x0")


def test_driver_is_unbound_under_traffic():
    found = living("unbound_busy")
    check_busy(found)
    assert found["seconds"] < FAILS_WITHIN
    assert found["killed"] is not None and found["killed"] < FAILS_WITHIN
    assert not found["made"] and not found["errors"]
    assert found["unload"]["status"] == 0
    check_nothing_is_held(found["device"], iommu=True)

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The device is removed under load, in each way that there is, and returns: its
users must be informed, nothing may hang, all that they had must be freed while
their processes still live, and then the device must work again. Runs on the host;
guest_removal.py runs in the guests."""

import json
import random
import statistics
import subprocess

import pytest

from lib.launch import beside, lab_vm
from lib.soak import on, soak

GUEST = beside(__file__, "guest_removal.py")

# Time limit of a removal, and of a return, in seconds: each command that the device
# does not answer takes up to 10 s. SLOWER: kernel -> factor for its checkers.
BOUND = 90
SLOWER = {"debug": 3}

WAYS = ["unbind", "reset", "unplug", "remove", "unload", "kill"]
# Kernel -> ways that are not tested there: in 7.2 pciehp, the driver of the slots,
# takes two locks in different orders, which lockdep reports.
NOT_ON = {"debug": ["unplug", "kill"]}
GONE = "the device is dead: it is gone, register STATUS reads as 0xffffffff"
# message about regions that were deregistered during the removal; their list follows
PINNED = "memory in use stays pinned until the device has been reset: "
IBV_EVENT_DEVICE_FATAL = 8

# kernel, seed, removals
SHORT = [on("backports", 0, 6)]
# the gcov kernel has kmemleak
LONG = [on("gcov", 1, 50), on("gcov", 2, 50), on("gcov", 3, 50),
        on("gcov", 4, 50), on("stable", 5, 50), on("debug", 6, 12)]


def plan(kernel, seed, count):
    """All ways, each equally often, in random order."""
    possible = [way for way in WAYS if way not in NOT_ON.get(kernel, [])]
    ways = (possible * count)[:count]
    random.Random(seed).shuffle(ways)
    return ways


def play(kernel, seed, ways):
    """Removes the device in these ways. Returns the findings of each removal."""
    # the device after a killed one needs another slot
    limit = (600 + 240 * len(ways)) * SLOWER.get(kernel, 1)
    done = subprocess.run(
        lab_vm("--kernel", kernel, "--iommu", "--slots",
               str(ways.count("kill") + 1), "--timeout", str(limit)) +
        ["python3", "-B", GUEST, str(seed), *ways],
        capture_output=True, text=True, check=False)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr
    assert len(found) == len(ways) + 1, done.stdout[-4000:] + done.stderr
    assert not any(found[0]["without"]), found[0]
    return found[1:]


# ---- one removal -----------------------------------------------------------------

def check_programs(way, loads):
    """Checks the exit statuses and findings of the loads' processes."""
    statuses = {name: [program["status"] for program in load.values()]
                for name, load in loads.items()}
    # the idle process gets no event, so it runs until it is killed
    assert statuses.pop("idle") == [None], statuses
    # a reset keeps the network interface, so its users continue to run
    if way == "reset":
        assert statuses.pop("frames") == [None], statuses
    assert all(None not in load for load in statuses.values()), statuses
    for name in statuses.keys() & {"fabrics", "managed", "frames"}:
        assert 0 not in statuses[name], statuses
    assert statuses["holds"] == statuses["churns"] == [0], loads
    assert last_words(loads["churns"])["error"], loads["churns"]
    check_holder(last_words(loads["holds"]), way)


def last_words(load):
    return json.loads(load["it"]["words"].splitlines()[-1])


def check_holder(found, way):
    """Checks the findings of the process that has one object of each kind."""
    assert found["moved"] > 0
    # a device that dies gives an event before it is removed
    if way == "kill":
        assert set(found["at_once"].values()) == {"EIO"}, found["at_once"]
    assert IBV_EVENT_DEVICE_FATAL in found["events"]
    assert found["completions"] == "EIO"
    for call in ("query", "alloc", "register"):
        assert found["tried"][call], found["tried"]
    # calls that only access memory succeed
    for call in ("post", "poll", "memory"):
        assert not found["tried"][call], found["tried"]
    assert not found["closed"], found["closed"]


def check_errors(way, errors):
    """Checks that the driver logged the expected errors once each, and no others. The
    order is not checked, since the messages come from different processors."""
    found = sorted(error.split(": ", 1)[1] for error in errors)
    if way == "kill":
        pinned = [words for words in found if words.startswith(PINNED)]
        assert len(pinned) < 2, errors
        assert [words for words in found if words not in pinned] == [GONE], errors
    else:
        assert not found, errors


def check(found, bound=BOUND):
    """Checks the findings of one removal."""
    # pytest shortens a message that is no string
    text = json.dumps(found)
    assert "trouble" not in found, text
    assert not found["refused"] and found["gone"] is not None, text
    assert found["freed"] is not None and found["all"] < bound, text
    check_programs(found["name"], found["loads"])
    assert not found["stuck"] and found["ended"] < bound, text
    assert not found["denied"] and found["there"] is not None, text
    assert not found["fails"] and found["works"] < bound, text
    assert found["idle"] is not None, text
    check_errors(found["name"], found["errors"])


def figures(founds):
    """A table of durations in seconds, for each way."""
    lines = []
    for what, text in (("all", "until all is freed"), ("works", "until it works")):
        for way in [*WAYS, ""]:
            series = [found[what] for found in founds
                      if found["name"].startswith(way)]
            if len(series) > 1:
                cuts = statistics.quantiles(series, n=100, method="inclusive")
                lines.append(f"{way or 'all ways':9}{text:20}{len(series):4} "
                             f"p50 {cuts[49]:5.1f} s  p99 {cuts[98]:5.1f} s")
    return "\n".join(lines)


@pytest.mark.parametrize("kernel, seed, count", soak(SHORT, LONG))
def test_device_is_removed_and_returns(kernel, seed, count, capsys):
    founds = play(kernel, seed, plan(kernel, seed, count))
    for found in founds:
        check(found, BOUND * SLOWER.get(kernel, 1))
    with capsys.disabled():
        print(f"\n{kernel}: {len(founds)} removals\n{figures(founds)}")

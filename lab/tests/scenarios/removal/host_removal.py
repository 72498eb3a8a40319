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

# Seconds in which a removal, and a return, shall have come to their ends: each
# command that a device leaves without an answer costs up to 10 of them. And how
# much slower a kernel is that watches itself.
BOUND = 90
SLOWER = {"debug": 3}

WAYS = ["unbind", "reset", "unplug", "remove", "unload", "kill"]
# Those not on a kernel: in 7.2 the driver of the slots, pciehp, takes two locks in
# either order, which lockdep tells.
NOT_ON = {"debug": ["unplug", "kill"]}
GONE = "the device is dead: it is gone, register STATUS reads as 0xffffffff"
# of regions that somebody let go while it was on its way out; then which ones
PINNED = "memory in use stays pinned until the device has been reset: "
IBV_EVENT_DEVICE_FATAL = 8

# kernel, seed, removals
SHORT = [on("backports", 0, 6)]
# on that for coverage leaks are seen
LONG = [on("gcov", 1, 50), on("gcov", 2, 50), on("gcov", 3, 50),
        on("gcov", 4, 50), on("stable", 5, 50), on("debug", 6, 12)]


def plan(kernel, seed, count):
    """All ways as often as each other, in any order."""
    possible = [way for way in WAYS if way not in NOT_ON.get(kernel, [])]
    ways = (possible * count)[:count]
    random.Random(seed).shuffle(ways)
    return ways


def play(kernel, seed, ways):
    """Removes the device in these ways. Returns the findings, one each."""
    # each device whose process is killed uses up a slot
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
    """What became of the processes."""
    statuses = {name: [program["status"] for program in load.values()]
                for name, load in loads.items()}
    # nothing tells it
    assert statuses.pop("idle") == [None], statuses
    # a reset leaves the network interface, and those who use it
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


def check_holder(told, way):
    """The process that has one of each object."""
    assert told["moved"] > 0
    # it is told of a device that died before that is taken away
    if way == "kill":
        assert set(told["at_once"].values()) == {"EIO"}, told["at_once"]
    assert IBV_EVENT_DEVICE_FATAL in told["events"]
    assert told["completions"] == "EIO"
    for call in ("query", "alloc", "register"):
        assert told["tried"][call], told["tried"]
    # what is only memory does no harm
    for call in ("post", "poll", "memory"):
        assert not told["tried"][call], told["tried"]
    assert not told["closed"], told["closed"]


def check_errors(way, errors):
    """The driver says what has to be said, once, and nothing else; processors of
    their own say it in any order."""
    found = sorted(error.split(": ", 1)[1] for error in errors)
    if way == "kill":
        pinned = [words for words in found if words.startswith(PINNED)]
        assert len(pinned) < 2, errors
        assert [words for words in found if words not in pinned] == [GONE], errors
    else:
        assert not found, errors


def check(found, bound=BOUND):
    """A removal."""
    assert "trouble" not in found, found
    assert not found["refused"] and found["gone"] is not None, found
    assert found["freed"] is not None and found["all"] < bound, found
    check_programs(found["name"], found["loads"])
    assert not found["stuck"] and found["ended"] < bound, found
    assert not found["denied"] and found["there"] is not None, found
    assert not found["fails"] and found["works"] < bound, found
    assert found["idle"] is not None, found
    check_errors(found["name"], found["errors"])


def figures(founds):
    """A table of seconds, way by way."""
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
def test_device_goes_away_and_comes_back(kernel, seed, count, capsys):
    founds = play(kernel, seed, plan(kernel, seed, count))
    for found in founds:
        check(found, BOUND * SLOWER.get(kernel, 1))
    with capsys.disabled():
        print(f"\n{kernel}: {len(founds)} removals\n{figures(founds)}")

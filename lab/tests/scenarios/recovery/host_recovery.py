# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A device that dies, is reset or is gone for a while must work again without help
and without unloading the module: with the same network device, addresses and names,
and with nothing left over. Runs on the host; guest_recovery.py runs in the guests.
They have a strict IOMMU, so that the device notices memory that is unmapped too
early, and counts what is mapped."""

import statistics

import pytest

from lib.judge import (ENDS_WITHIN, WORKS_WITHIN, check_nothing_is_left,
                       check_users_could_leave, check_works_again, deaths)
from lib.launch import beside, findings
from lib.soak import kernels, soak

GUEST = beside(__file__, "guest_recovery.py")

# Seconds after which the driver must have declared a device dead that does not answer
NOTICED = 20
WORDS = {"fatal": "it reports a fatal error",
         "wrong": "names opcode",
         "hang": "was not answered in",
         "late": "was not answered in"}


def play(scenario, *options):
    return findings(f"{GUEST} {scenario}", "--iommu", *options)


@pytest.fixture(name="troubles", scope="module",
                params=kernels("backports"))
def fixture_troubles(request):
    return play("troubles", "--kernel", request.param, "--timeout", "900")


@pytest.fixture(name="lives", scope="module")
def fixture_lives():
    return play("lives", "--timeout", soak("900", "10800"))


@pytest.fixture(name="hangs", scope="module")
def fixture_hangs(request):
    if not soak(False, True):
        return request.getfixturevalue("lives")
    # the gcov kernel has kmemleak
    return play("hangs", "--kernel", "gcov", "--timeout", "10800")


@pytest.mark.parametrize("name", [*WORDS, "reset", "reset_idle"])
def test_it_works_again(troubles, name):
    assert troubles["before"]["disk"] is True
    check_works_again(troubles[name], troubles["before"], WORDS.get(name))


@pytest.mark.parametrize("name", [*WORDS, "reset"])
def test_its_users_can_leave(troubles, name):
    check_users_could_leave(troubles[name])


def test_a_read_that_is_lost_is_no_death(troubles):
    assert not troubles["blink"]["errors"]
    assert troubles["blink"]["works"] is not None


def test_a_device_that_is_gone_comes_back_by_a_reset(troubles):
    found = troubles["gone"]
    assert found["noticed"] is not None and found["left_alone"]
    assert "it is gone" in deaths(found)[0]
    assert found["works"] is not None
    assert found["identity"] == troubles["before"]["identity"]


def test_nothing_is_left_of_troubles(troubles):
    check_nothing_is_left(troubles, "after")


@pytest.mark.parametrize("end", ["after", "last"])
def test_nothing_is_left_of_lives(lives, end):
    check_nothing_is_left(lives, end)


def test_it_is_given_up_after_five_tries(lives):
    found = lives["given_up"]
    # the pause before a recovery grows with each death
    assert len(found["pauses"]) == 5
    assert found["pauses"][4] > 8 > found["pauses"][0]
    assert any("given up" in text for text in found["errors"])
    assert len(found["names"]) == 1
    # a reset on request starts the device again
    assert found["works"] is not None
    assert found["identity"] == lives["before"]["identity"]


@pytest.mark.parametrize("kind", ["fail", "hang"])
def test_a_start_that_fails_is_tried_again(lives, kind):
    steps = {name: found for name, found in lives.items()
             if name.startswith(kind) and not name.endswith("end")}
    assert len(steps) >= (soak(8, 40) if kind == "fail" else 3)
    for name, found in steps.items():
        assert found["works"] is not None, name
        assert found["works"] < WORKS_WITHIN, name
        assert found["identity"]["addresses"] == \
            lives["before"]["identity"]["addresses"], name
        assert len(deaths(found)) <= 1, (name, found["errors"])


def show(text, series):
    cuts = statistics.quantiles(series, n=100, method="inclusive")
    print(f"{text}: p50 {cuts[49]:.1f} s, p99 {cuts[98]:.1f} s, "
          f"{len(series)} times")


def test_it_recovers_from_each_hang(hangs, capsys):
    rounds = [found for name, found in hangs.items() if name.startswith("hung")]
    assert len(rounds) == soak(2, 100)
    for found in rounds:
        died, = deaths(found)
        assert WORDS["hang"] in died
        assert found["noticed"] < NOTICED
        assert found["works"] is not None and found["works"] < WORKS_WITHIN
        assert found["resources"] == hangs["before"]["resources"]
    check_nothing_is_left(hangs, "after")
    with capsys.disabled():
        print()
        show("from command to death", [found["noticed"] for found in rounds])
        show("from death to ping-pong",
             [found["works"] - found["noticed"] for found in rounds])


def test_the_driver_is_unbound_while_it_recovers(lives):
    found = lives["unbound"]
    assert found["seconds"] < ENDS_WITHIN
    assert not found["left"] and len(found["made"]) == 2

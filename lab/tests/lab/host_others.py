# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""How others/run judges what the tests of other projects print. Runs on the host."""

import pytest

from lib.programs import load

RUN = load("../others/run")


class Page:
    """A page with a list of tests that fail."""

    name = "x"

    def __init__(self, **failures):
        self.failures = lambda: dict(failures)


def judge(project, lines, status=0, **failures):
    """Returns the lines of TAP that report a failure."""
    tap = RUN.Tap()
    bad = []
    tap.line = lambda name, good, skip=None: good or bad.append(name)
    parser = RUN.PROJECTS[project]()
    for line in lines.splitlines():
        parser.feed(line)
    RUN.report(tap, Page(**failures), parser, status)
    return bad


def fabtests(result):
    total = {"Pass": 0, "Notrun": 0, "Fail": 0, result: 1}
    return "".join(f"""# fabtests of {provider}
- name:   fi_msg_bw -p "{provider}"
  result: {result}
# Total Pass      {total["Pass"]}
# Total Notrun/Excluded {total["Notrun"]}
# Total Fail      {total["Fail"]}
""" for provider in ("verbs", "verbs;ofi_rxm")) + "exit 0\n"


def gtest(*endings):
    groups = ("rc_verbs", "ud_verbs", "ib", "rc", "ud")
    return "".join(f"[ RUN      ] {group}/test_x.y/0\n{ending}".replace("@", group)
                   for group, ending in zip(groups, endings)) + \
        f"[==========] {len(endings)} tests from 5 test cases ran. (9 ms total)\n"


GOOD = "[       OK ] @/test_x.y/0 (3 ms)\n"
SKIPPED = "[     SKIP ] (no device)\n" + GOOD
FAILED = "[  FAILED  ] @/test_x.y/0 (3 ms)\n"


@pytest.mark.parametrize("project, lines", [
    ("libfabric", fabtests("Pass")), ("ucx", gtest(*[GOOD] * 5))],
    ids=["libfabric", "ucx"])
def test_all_pass(project, lines):
    assert not judge(project, lines)


@pytest.mark.parametrize("project, lines, groups", [
    ("libfabric", fabtests("Notrun"), ["verbs", "verbs;ofi_rxm"]),
    ("ucx", gtest(GOOD, GOOD, GOOD, SKIPPED, GOOD), ["rc/"])],
    ids=["libfabric", "ucx"])
def test_a_group_that_is_skipped_fails(project, lines, groups):
    assert judge(project, lines) == [
        f"x: at least one test {group} passed" for group in groups]


def test_a_complaint_of_the_machine_fails():
    assert judge("libfabric", fabtests("Pass"), status=125) == [
        "x: no complaint of the machine, status 125"]


def test_a_failure_that_the_page_lists_is_none():
    lines = gtest(GOOD + "[ RUN      ] rc_verbs/test_z.y/0\n" + FAILED,
                  *[GOOD] * 4).replace("5 tests", "6 tests")
    assert judge("ucx", lines) == ["x: rc_verbs/test_z.y/0"]
    assert not judge("ucx", lines, **{"rc_verbs/test_z.y/0": "a reason"})
    assert judge("ucx", gtest(*[GOOD] * 5), **{"rc_verbs/test_x.y/0": "a reason"}) == [
        "x: rc_verbs/test_x.y/0, which fails according to the page"]


def test_tests_that_do_not_end_fail():
    lines = gtest(*[GOOD] * 5)
    assert "x: all tests ended" in judge("ucx", lines.rpartition("[====")[0])
    assert "x: all tests ended" in judge("libfabric", fabtests("Pass").replace(
        "# Total Fail", "# Total"))
    assert len(judge("valkey", "# one machine\nexit 1\n", 1)) == 7 + 2 + 1

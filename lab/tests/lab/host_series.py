# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What scripts/series takes from its arguments: results of tests, copyright, maintainer.
scripts/check-series checks the patches. Runs on the host."""

import types

import pytest

from lib.programs import load

CHECK = """ok 1 - a
12 passed in 3.21s
host                     1234 s   100 passed, 0 failed, 2 skipped
guest-7.3                 987 s   1424 passed, 1 failed, 0 skipped
FAILED guest-7.3: a test
1524 passed, 1 failed, 2 skipped
"""
C_FILE = """// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the file is for.
 */
"""


@pytest.fixture(name="series")
def fixture_series(monkeypatch):
    program = load("../scripts/series")
    monkeypatch.syspath_prepend(f"{program.TOP}/scripts")
    return program


def results(series, tmp_path, text):
    (tmp_path / "results").write_text(text)
    return series.results(types.SimpleNamespace(results=tmp_path / "results"))


def test_the_letter_has_the_results_of_make_check(series, tmp_path):
    lines = results(series, tmp_path, CHECK).splitlines()
    assert [line.split() for line in lines[-3:]] == [
        "host 1234 s 100 passed, 0 failed, 2 skipped".split(),
        "guest-7.3 987 s 1424 passed, 1 failed, 0 skipped".split(),
        "1524 passed, 1 failed, 2 skipped".split()]


@pytest.mark.parametrize("text", ["", "12 passed in 3.21s\n",
                                  CHECK.rpartition("1524")[0]])
def test_another_file_is_refused(series, tmp_path, text):
    with pytest.raises(series.Failed, match="is not the output of `make check`"):
        results(series, tmp_path, text)


def test_copyright_is_above_the_first_comment(series):
    options = types.SimpleNamespace(year="2026", copyright="Jane Doe")
    assert series.copyright_line(C_FILE, options) == C_FILE.replace(
        "/*\n", "/*\n * Copyright (c) 2026, Jane Doe\n *\n")


def test_the_maintainer_is_author_and_committer(series):
    names = series.identity("Jane van Doe <jane@example.org>")
    assert names == {
        "GIT_AUTHOR_NAME": "Jane van Doe", "GIT_AUTHOR_EMAIL": "jane@example.org",
        "GIT_COMMITTER_NAME": "Jane van Doe", "GIT_COMMITTER_EMAIL": "jane@example.org"}

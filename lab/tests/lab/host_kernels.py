# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Which kernels lab/kernels/compile finds in the lists of an archive. Compiles
nothing; `lab/kernels/compile --selftest` shows that the test itself can fail."""

import pytest

from lib.programs import load


@pytest.fixture(name="compiler", scope="module")
def fixture_compiler():
    return load("kernels/compile")


HEADERS = """Package: linux-headers-{release}
Version: {version}
Depends: linux-base, linux-headers-{common} (= {version}), linux-image-{release} \
(= {version}) | linux-image-{release}-unsigned, linux-kbuild-{kbuild}, gcc-14
"""
META = """Package: linux-headers-amd64
Version: 6.12.118-1
Depends: linux-headers-6.12.118+deb13-amd64 (= 6.12.118-1)
"""


def headers(release, version):
    kbuild = release.removesuffix("-amd64").removesuffix("-rt")
    common = kbuild + ("-common-rt" if "-rt-" in release else "-common")
    return HEADERS.format(release=release, version=version, common=common,
                          kbuild=kbuild)


def test_oldest_kernel_is_first_with_what_it_needs(compiler):
    found = compiler.kernels_of("\n".join([
        headers("7.2.12+deb13-amd64", "7.2.12-1~bpo13+1"), META,
        headers("6.12.118+deb13-rt-amd64", "6.12.118-1"),
        headers("6.12.107+deb13-amd64", "6.12.107-1")]))
    assert [release for release, _ in found] == [
        "6.12.107+deb13-amd64", "6.12.118+deb13-rt-amd64", "7.2.12+deb13-amd64"]
    assert found[1][1] == [
        "linux-headers-6.12.118+deb13-rt-amd64=6.12.118-1",
        "linux-headers-6.12.118+deb13-common-rt=6.12.118-1",
        "linux-kbuild-6.12.118+deb13=6.12.118-1"]


def test_older_kernel_is_not_supported(compiler):
    assert not compiler.kernels_of(headers("6.1.0-56-amd64", "6.1.192-2"))


LIST = """deb [signed-by=/a.gpg] https://debian.test/debian/ trixie main
deb https://debian.test/debian-security trixie-security main
deb-src https://debian.test/debian/ trixie main
"""


def test_other_suites_are_in_the_same_archives(compiler):
    lines = compiler.suite_lines(LIST, "trixie")
    assert compiler.suites_of(lines) == [
        "trixie", "trixie-security", "sid", "experimental", "bookworm-security"]
    assert lines[2] == "deb [signed-by=/a.gpg] https://debian.test/debian/ sid main"
    assert lines[4].split()[1] == lines[1].split()[1]
    assert compiler.archive(lines, "trixie") == "https://debian.test/debian"


def test_reason_is_that_of_the_suite(compiler):
    text = ("Err:1 https://debian.test/debian sid Release\n"
            "E: The repository 'https://debian.test/debian sid Release' has no file.\n"
            "E: The repository 'https://debian.test/debian x Release' is bad.\n")
    assert compiler.reason_in(text, "sid").endswith("sid Release' has no file.")
    assert compiler.reason_in("", "sid") == "apt-get update printed no reason"


def test_kernel_that_cannot_be_had_is_skipped(compiler, capsys):
    def fail():
        raise compiler.Unavailable("no linux-kbuild-7.9 7.9-1: not found")

    assert not compiler.report(3, "7.9-amd64", fail)
    assert capsys.readouterr().out == \
        "ok 3 - 7.9-amd64 # SKIP no linux-kbuild-7.9 7.9-1: not found\n"

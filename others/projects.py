# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The outside projects, and how their tests report results. Each parser has results,
name -> "pass", "fail" or "skip"; feed() takes a line; ended() is whether the tests ran to
their end. GROUPS are the beginnings of names of which at least one test must pass: without
an RDMA device, some projects skip their tests."""

import re


class Fabtests:
    """The tests of libfabric: runfabtests.sh -v prints a name, then the result, for each
    test, and the numbers of results at the end. The provider is part of each name."""

    GROUPS = ("verbs: ", "verbs;ofi_rxm: ")
    STATES = {"Pass": "pass", "Fail": "fail", "Notrun": "skip", "Excluded": "skip"}

    def __init__(self):
        self.results = {}
        self._name = None
        self._provider = ""
        self._started = 0
        self._ended = 0
        self._announced = 0

    def feed(self, line):
        found = re.match(r"# fabtests of (.*)", line)
        if found:
            self._provider = found.group(1)
            self._started += 1
        found = re.match(r"- name: +(.*)", line)
        if found:
            self._name = re.sub(r' -p "[^"]*"', "", found.group(1)).strip()
        found = re.match(r"  result: (\w+)", line)
        if found:
            self.results[f"{self._provider}: {self._name}"] = self.STATES[found.group(1)]
        found = re.match(r"# Total (Pass|Fail|Notrun/Excluded) +(\d+)", line)
        if found:
            self._announced += int(found.group(2))
            self._ended += found.group(1) == "Fail"

    def ended(self):
        return (0 < self._ended == self._started and
                self._announced == len(self.results))


class Valkey:
    """The test of Valkey over RDMA: each client is a thread, whose number is that of the
    process, and prints a line for each step. The numbers of keys are random."""

    GROUPS = ("one machine: ", "two machines: ")
    STEPS = ("PING/PONG", "SET", "GET")

    def __init__(self):
        self.results = {}
        self._section = ""
        self._clients = {}
        self._status = None

    def feed(self, line):
        found = re.match(r"# (one machine|two machines)$", line)
        if found:
            self._section = found.group(1)
            self._clients = {}
            self.results.update({f"{self._section}: {step} of client {client}": "fail"
                                 for client in (1, 2) for step in self.STEPS})
            self.results[f"{self._section}: BGSAVE"] = "fail"
        found = re.match(r"Valkey Over RDMA test thread\[(\d+)\] (\S+).* \[OK\]", line)
        if found:
            thread, step = found.groups()
            client = self._clients.setdefault(thread, len(self._clients) + 1)
            name = f"{self._section}: {step} of client {client}"
            if step == "BGSAVE":
                name = f"{self._section}: BGSAVE"
            if name in self.results:
                self.results[name] = "pass"
        found = re.match(r"exit (\d+)$", line)
        if found:
            self._status = int(found.group(1))

    def ended(self):
        return self._section == "two machines" and self._status == 0


class Gtest:
    """The tests of UCX: googletest prints a line when a test begins and one when it ends,
    and the number of tests that ran at the end. A test of UCX that does not apply prints
    "SKIP", and googletest reports it as passed. A test during which the program ends is
    one that failed."""

    GROUPS = ("rc_verbs/", "ud_verbs/", "ib/", "rc/", "ud/")

    def __init__(self):
        self.results = {}
        self._name = None
        self._skips = False
        self._ran = None

    def feed(self, line):
        found = re.match(r"\[ RUN      \] (\S+)", line)
        if found:
            self._name = found.group(1)
            self._skips = False
            self.results[self._name] = "fail"
        self._skips |= "[     SKIP ]" in line
        found = re.search(r"\[       OK \] (\S+) \(\d+ ms\)$", line)
        if found and found.group(1) == self._name:
            self.results[self._name] = "skip" if self._skips else "pass"
        found = re.match(r"\[==========\] (\d+) tests? from .* ran\.", line)
        if found:
            self._ran = int(found.group(1))

    def ended(self):
        return self._ran == len(self.results) > 0


PROJECTS = {"libfabric": Fabtests, "ucx": Gtest, "valkey": Valkey}

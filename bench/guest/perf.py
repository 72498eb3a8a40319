#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Takes samples of a figure with a program of perftest, inside of a guest.

usage: perf.py [--peer] FIGURE UNIT COUNT PROGRAM [ARGUMENT]...

Prints "figure FIGURE DEVICE UNIT VALUE SECONDS" for each sample of each device,
the devices in turn: xrdma and soft-RoCE (see lab-rxe) from this node to itself,
or, with --peer, the only device of this node to the other node. A sample takes at
least a second; COUNT is the number of iterations that is tried first. UNIT selects
the figure: MiB/s, M/s (messages), us (the median of one-way latencies).
If PROGRAM fails on a device, "failed FIGURE DEVICE REASON" is printed instead of
further samples of that device. The other device is still measured.
"""

import contextlib
import os
import re
import subprocess
import sys
import time

SECONDS = 1.0           # shortest duration of a sample
AIM_S = 1.5
SAMPLES = 5
GROWTH = 1000           # largest factor by which the count grows between two tries
LIMIT_S = 120
CONNECT_S = 10
TRIES = 3               # runs until one of them has a figure

# columns of perftest's table; unit -> column of the value
ITERATIONS, RATE, AVERAGE = 1, 4, 5
VALUE = {"MiB/s": 3, "M/s": RATE, "us": 4}
ROW = re.compile(r"^\s*\d+\s+\d+\s+\d[\d.]*\s.*", re.M)


class Failed(Exception):
    """A program of perftest printed no figure; the text is the reason."""


class Unmeasured(Failed):
    """A client of perftest exited with 0 and printed no figure, or a rate of 0. A client
    prints a rate of 0 if get_cpu_mhz() of perftest could not measure the frequency of the
    processor."""


def parse(text, unit):
    """(value, seconds) from the output of a client of perftest. Raises Unmeasured."""
    row = ROW.search(text)
    if not row:
        raise Unmeasured("no figure in what the client printed")
    fields = [float(field) for field in row.group().split()]
    if unit == "us":
        return fields[VALUE[unit]], 2 * fields[ITERATIONS] * fields[AVERAGE] / 1e6
    if not fields[RATE]:
        raise Unmeasured("the client printed a rate of 0")
    return fields[VALUE[unit]], fields[ITERATIONS] / (1e6 * fields[RATE])


def reason(text):
    """The end of the output of a program that failed."""
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line.strip("-")]
    return lines[-1] if lines else "no output"


class Link:
    """A device, and the address and the command prefix with which its server is
    reached."""

    def __init__(self, device, gid_index, address, server=()):
        self.device = device
        self._options = ["-d", device, "-x", gid_index, "-F"]
        self._address = address
        self._server = server

    def _client(self, command):
        """Runs the client, again and again until its server accepts the connection.
        Returns (status, output)."""
        deadline = time.monotonic() + CONNECT_S
        while True:
            try:
                client = subprocess.run(
                    [*command, self._address], stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT, text=True, check=False,
                    timeout=LIMIT_S)
            except subprocess.TimeoutExpired:
                return 1, f"not done after {LIMIT_S} s"
            if not client.returncode or time.monotonic() > deadline or \
               "Couldn't connect" not in client.stdout:
                return client.returncode, client.stdout
            time.sleep(0.1)

    def run(self, program):
        """Runs a server and its client. Returns the output of the client. Raises
        Failed."""
        command = [*program, *self._options]
        with subprocess.Popen(
                [*self._server, *command], stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL) as server:
            status, output = self._client(command)
            try:
                server.wait(timeout=0 if status else CONNECT_S)
            except subprocess.TimeoutExpired:
                server.kill()
        if status:
            print(output, file=sys.stderr)
            raise Failed(f"{program[0]}: {reason(output)}")
        if server.returncode:
            raise Failed(f"{program[0]}: the server ended with "
                         f"{server.returncode}")
        return output


class Sampler:
    """Takes samples of one figure on one link.

    count: number of iterations of the next sample.
    """

    def __init__(self, link, unit, count, program):
        self.link = link
        self.count = count
        self._unit = unit
        self._program = program

    def _measure(self):
        """(value, seconds) of a run with @count iterations. Raises Failed."""
        command = [*self._program, "-n", str(self.count)]
        for _ in range(TRIES - 1):
            with contextlib.suppress(Unmeasured):
                return parse(self.link.run(command), self._unit)
        return parse(self.link.run(command), self._unit)

    def take(self):
        """(value, seconds) of one sample. Raises Failed."""
        while True:
            value, seconds = self._measure()
            growth = min(AIM_S / max(seconds, 1e-9), GROWTH)
            self.count = max(1, int(self.count * growth + 0.5))
            if seconds >= SECONDS:
                return value, seconds


def links(peer):
    """The links to measure, from the environment."""
    env = os.environ
    if peer:
        return [Link(env["XRDMA_DEV"], env["XRDMA_GID_INDEX"],
                     env["PEER_ADDR"], ["on-peer"])]
    return [Link(env[f"{name}_DEV"], env[f"{name}_GID_INDEX"], "127.0.0.1")
            for name in ("XRDMA", "RXE")]


def samples(samplers, number):
    """Takes number samples with each sampler, in turn. Yields (device, sample); for a
    device that fails, yields (device, Failed) and takes no further samples."""
    samplers = list(samplers)
    for _ in range(number):
        for sampler in samplers[:]:
            try:
                yield sampler.link.device, sampler.take()
            except Failed as failed:
                samplers.remove(sampler)
                yield sampler.link.device, failed


def main(args):
    """The exit status."""
    peer = args[:1] == ["--peer"]
    args = args[peer:]
    if len(args) < 4 or args[1] not in VALUE or not args[2].isdigit():
        print(__doc__, file=sys.stderr)
        return 2
    figure, unit, count, *program = args
    every = [Sampler(link, unit, int(count), program) for link in links(peer)]
    for device, sample in samples(every, SAMPLES):
        if isinstance(sample, Failed):
            print(f"failed {figure} {device} {sample}", flush=True)
        else:
            value, seconds = sample
            print(f"figure {figure} {device} {unit} {value:.9g} {seconds:.3f}",
                  flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The state of the guest in which a scenario or test runs: the kernel log, processes,
TCP ports, and the devices that the driver has made."""

import glob
import json
import os
import pathlib
import subprocess
import time

PCI = pathlib.Path("/sys/bus/pci/devices") / os.environ.get("XRDMA_PCI", "none")
PATIENCE = 60.0
PORT = 18515        # the TCP port at which an ibv_rc_pingpong waits for its peer


class Log:
    """The messages that the kernel logs after this object was made."""

    def __init__(self):
        self._fd = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
        os.lseek(self._fd, 0, os.SEEK_END)
        self._lines = []

    def lines(self):
        """All messages so far, as (level, text)."""
        while True:
            try:
                record = os.read(self._fd, 8192).decode(errors="replace")
            except BlockingIOError:
                return self._lines
            head, text = record.split(";", 1)
            self._lines.append((int(head.split(",")[0]) & 7,
                                text.split("\n")[0]))

    def errors(self):
        """The error messages of the driver. The line that the driver core adds
        when a probe fails is left out."""
        return [text for level, text in self.lines() if level <= 3 and
                "xrdma" in text and "probe with driver" not in text]

    def wait_for(self, words, seconds=PATIENCE):
        """Waits for a message with these words. Returns the seconds that it took, or
        None if no such message came."""
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            if any(words in text for _, text in self.lines()):
                return time.monotonic() - began
            time.sleep(0.05)
        return None


def run(*argv, seconds=PATIENCE):
    """Runs a command. Returns its status, its duration and the end of its output.
    The status is None if the command did not end in time."""
    began = time.monotonic()
    try:
        done = subprocess.run(argv, capture_output=True, text=True,
                              timeout=seconds, check=False)
        status, words = done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        status, words = None, "timeout"
    return {"status": status, "seconds": time.monotonic() - began,
            "words": words[-500:]}


def settled(true, seconds=10):
    """Waits until true() returns a true value. Returns False if that takes longer than
    seconds."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def listens(port):
    """Whether a process waits at a TCP port."""
    rows = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
    rows += pathlib.Path("/proc/net/tcp6").read_text().splitlines()[1:]
    return any(row.split()[1].endswith(f":{port:04X}") and
               row.split()[3] == "0A" for row in rows)


def interfaces():
    """The names of the network and RDMA devices that the driver made."""
    return sorted(os.path.basename(path) for kind in ("net", "infiniband")
                  for path in glob.glob(f"{PCI}/{kind}/*"))


def free_huge_pages():
    """The number of free huge pages."""
    for line in pathlib.Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("HugePages_Free"):
            return int(line.split()[1])
    raise AssertionError("no huge pages")


def report(**findings):
    """Prints one line of JSON for the test on the host that runs this scenario."""
    print(json.dumps(findings), flush=True)

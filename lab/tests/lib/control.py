# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Requests to the control socket of the reference device. The program xrdma-device
sends such requests too; this module starts no process for a request, since some tests
send thousands."""

import fcntl
import itertools
import json
import os

LOCK, PORT = "/run/xrdma-device.lock", "/dev/lab/device"
LATE = 20           # seconds; the driver's time limit is 10 s of the guest's slower clock
_numbers = itertools.count()


def _exchange(port, ident, text):
    port.write(f"{ident} 0 {text}\n".encode())
    got = b""
    while True:
        while b"\n" not in got:
            got += port.read(65536)
        line, got = got.split(b"\n", 1)
        name, answer = line.decode().split(" ", 1)
        # an answer with another name is for a request that was interrupted
        if name == ident:
            return json.loads(answer)


def ask(**request):
    """Sends a request. Returns the answer, in which "ok" must be true."""
    with open(LOCK, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with open(PORT, "r+b", buffering=0) as port:
            answer = _exchange(port, f"{os.getpid()}.py{next(_numbers)}",
                               json.dumps(request))
    assert answer["ok"], (request, answer)
    return answer


def stats():
    """The statistics of the device."""
    return ask(cmd="stats")


def device_state():
    """The resources of the host that the device has: mappings, vectors, objects."""
    stats = ask(cmd="stats")
    return {"dma": stats["dma"]["live"],
            "vectors": stats["msix"]["vectors_enabled"],
            "objects": [stats["device"][kind] for kind in ("eqs", "cqs", "qps")],
            "enabled": stats["device"]["enabled"],
            "host_errors": stats["host_errors"]}


# ---- requests for faults: each function returns arguments of ask() ------------

def hang(opcode):
    """The device never answers the next command of this opcode."""
    return {"cmd": "command_fault", "kind": "hang", "opcode": opcode}


def fail(opcode, status=8):
    """The next command of this opcode fails with this status."""
    return {"cmd": "command_fault", "kind": "fail", "opcode": opcode,
            "status": status}


def late(opcode, seconds=LATE):
    """The device answers the next command of this opcode after this many seconds."""
    return {"cmd": "command_fault", "kind": "late", "opcode": opcode,
            "ms": int(seconds * 1000)}


def late_fault(count, ms):
    """The device reports each of the next page faults after this many milliseconds."""
    return {"cmd": "paging_fault", "kind": "late", "count": count, "ms": ms}


def fault(kind, count):
    """"lost" or "twice": the device never reports the next page faults, or reports
    each of them twice. "answer_lost": it does not read the next answers."""
    return {"cmd": "paging_fault", "kind": kind, "count": count}


def lie(register, value):
    """A read of the register returns this value."""
    return {"cmd": "register_lie", "register": register, "value": value}


def repair():
    """Ends all faults that were requested. A device that did not respond is reset and
    responds again."""
    ask(cmd="command_faults_clear")
    ask(cmd="register_lie_clear")
    for kind in ("late", "lost", "twice", "answer_lost"):
        ask(**fault(kind, 0))
    ask(cmd="deaf", on=False)
    ask(cmd="pending", on=False)
    if ask(cmd="stats")["device"]["gone"]:
        ask(cmd="gone", on=False)

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The consumers of the user's guide, set up by its own commands, as they are
written there.

The words before a literal block say where it runs: they end with "the
target::", "the initiator::" or "both::". What begins with "At the end" ends the
consumer. All other blocks are only to be read. The commands find TARGET and
INITIATOR, addresses, and TGUID and IGUID, GUIDs of the two; IQN, the initiator's
name; DEV and NETDEV, the devices of the node that they run in.
"""

import contextlib
import re
from collections import namedtuple

from lib.nodes.remote import Failed
from lib.nodes.sides import Side
from lib.nvmet import wait_until

GUIDE = "/src/Documentation/infiniband/xrdma.rst"
TOOLS = "/src/lab/tests/programs"

Block = namedtuple("Block", "where at_end script")


def section(title):
    """The lines of the subsection of that title."""
    with open(GUIDE, encoding="utf-8") as guide:
        lines = guide.read().splitlines()
    first = next(i for i, line in enumerate(lines)
                 if line == title and lines[i + 1] == "-" * len(title)) + 2
    ends = [i for i in range(first, len(lines))
            if re.fullmatch(r"-{3,}|={3,}", lines[i])]
    return lines[first:ends[0] - 1 if ends else None]


def blocks(lines):
    """What runs of them, in their order."""
    found, words = [], []
    script = None       # of the block that is read, or None
    for line in [*lines, "."]:
        if script is not None:
            if not line or line.startswith("  "):
                script.append(line)
                continue
            where = re.search(r"\b(target|initiator|both)::$", words[-1])
            if where:
                found.append(Block(where[1], words[0].startswith("At the end"),
                                   "\n".join(script)))
            script, words = None, []
        if not line:
            words = words if words and words[-1].endswith("::") else []
            script = [] if words else None
        else:
            words.append(line)
    return found


def objects(side):
    """How many RDMA objects of each kind that node has, but for the completion
    queues that ib_core keeps for whoever comes next."""
    counts = {}
    for kind in ("pd", "cq", "qp", "cm_id", "mr", "srq"):
        lines = side.run(f"rdma resource show {kind}").splitlines()
        counts[kind] = sum(kind != "cq" or "[ib_core]" not in line
                           for line in lines)
    return counts


class Consumer:
    """A consumer between two nodes; initiator: the number of its node."""

    def __init__(self, nodes, title, initiator):
        self.initiator = Side(nodes, initiator)
        self.target = Side(nodes, 3 - initiator)
        self.sides = (self.initiator, self.target)
        self.blocks = blocks(section(title))
        guids = {name: side.run(f"cat /sys/class/infiniband/{side.device}/"
                                "node_guid").strip().replace(":", "")
                 for name, side in (("TGUID", self.target),
                                    ("IGUID", self.initiator))}
        name = self.initiator.run("sed -n 's/^InitiatorName=//p' "
                                  "/etc/iscsi/initiatorname.iscsi").strip()
        self._env = {"TARGET": self.target.address,
                     "INITIATOR": self.initiator.address, "IQN": name,
                     **guids}
        self._before = [objects(side) for side in self.sides]

    def _steps(self, at_end):
        """What runs where: pairs of a side and a script."""
        sides = {"target": [self.target], "initiator": [self.initiator],
                 "both": [self.target, self.initiator]}
        return [(side, block.script) for block in self.blocks
                if block.at_end == at_end for side in sides[block.where]]

    def _run(self, side, script):
        env = {**self._env, "DEV": side.device, "NETDEV": side.netdev,
               "PATH": f"$PATH:{TOOLS}"}
        exports = " ".join(f"{name}={value}" for name, value in env.items())
        side.run(f"export {exports}\nset -e\n{script}", 60)

    def begin(self):
        """Sets it up, and checks what the guide checks."""
        steps = self._steps(False)
        assert steps
        for side, script in steps:
            self._run(side, script)

    def end(self, target="true", modules=""):
        """Ends it, also by a command at the target that the guide leaves out,
        and unloads modules that keep objects as long as they are loaded.
        Nothing of it may be left in the devices. What fails does not keep the
        rest from being tried."""
        with contextlib.ExitStack() as rest:
            rest.callback(self._check_that_nothing_is_left)
            for side in self.sides:
                rest.callback(self._unload, side, modules)
            rest.callback(self.target.run, target)
            for side, script in reversed(self._steps(True)):
                rest.callback(self._run, side, script)

    def _check_that_nothing_is_left(self):
        for side, before in zip(self.sides, self._before):
            wait_until(lambda: objects(side) == before,
                       f"{objects(side)} is left of {before}")

    def _unload(self, side, modules):
        """Modules end what they have begun before they can be unloaded."""
        for module in modules.split():
            line = f"[ ! -d /sys/module/{module} ] || modprobe -r {module}"

            def unloaded():
                try:
                    side.run(line)
                except Failed:
                    return False
                return True
            wait_until(unloaded, f"{module} cannot be unloaded")


class Lent:
    """A disk or file of a consumer's initiator, as wait_out() wants it. moved:
    returns how much has been written and read."""

    def __init__(self, consumer, path, moved=None):
        self.target, self.host = consumer.target, consumer.initiator
        self.disk = path
        self.moved = moved or (lambda: self.host.sectors(path))


class Port:
    """What the network interface of node 1 has carried, which RDMA does not
    count for: xrdma's is apart from it."""

    def __init__(self, nodes):
        self._nodes = nodes
        self._before = self._bytes()

    def _bytes(self):
        return sum(int(line) for line in self._nodes.here(
            "cat /sys/class/net/$XRDMA_NETDEV/statistics/?x_bytes").split())

    def assert_quiet(self, most=1000000):
        """Less than that since it was made."""
        assert self._bytes() - self._before < most, "that was TCP"

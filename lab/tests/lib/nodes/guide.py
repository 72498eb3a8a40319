# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Sets up the consumers of the user's guide by the commands in the guide, unchanged.

The text before a literal block says where the block runs: it ends with "the target::",
"the initiator::" or "both::". Blocks whose text begins with "At the end" end the
consumer. All other blocks are not executed. Commands can use these variables: TARGET
and INITIATOR (addresses), TGUID and IGUID (GUIDs), IQN (name of the initiator), DEV and
NETDEV (devices of the node in which the command runs).
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
    """The lines of the guide's subsection with this title."""
    with open(GUIDE, encoding="utf-8") as guide:
        lines = guide.read().splitlines()
    first = next(i for i, line in enumerate(lines)
                 if line == title and lines[i + 1] == "-" * len(title)) + 2
    ends = [i for i in range(first, len(lines))
            if re.fullmatch(r"-{3,}|={3,}", lines[i])]
    return lines[first:ends[0] - 1 if ends else None]


def blocks(lines):
    """The blocks in these lines that are executed, in order."""
    found, words = [], []
    script = None       # lines of the block that is being read, or None
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
    """The number of RDMA objects of each kind in that node. Completion queues are left
    out, because ib_core keeps unused ones in a pool."""
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
        """The scripts that set up or end the consumer: pairs (side, script)."""
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
        """Sets up the consumer, and runs the checks of the guide."""
        steps = self._steps(False)
        assert steps
        for side, script in steps:
            self._run(side, script)

    def end(self, target="true", modules=""):
        """Ends the consumer by the commands of the guide and the command target in
        the target node, and unloads modules, which keep objects as long as they are
        loaded. Checks that no object is left in the devices. After a failure the
        other steps are still done."""
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
        """Unloads modules. Repeats that, since a module may still have work to do."""
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
    """A disk or file of a consumer's initiator, with the interface of sides.Storage
    that sides.wait_out() uses. moved: function that returns the amount of data that
    was written and read."""

    def __init__(self, consumer, path, moved=None):
        self.target, self.host = consumer.target, consumer.initiator
        self.disk = path
        self.moved = moved or (lambda: self.host.sectors(path))


class Port:
    """The byte counters of node 1's network interface. RDMA traffic of an xrdma device
    is not in them."""

    def __init__(self, nodes):
        self._nodes = nodes
        self._before = self._bytes()

    def _bytes(self):
        return sum(int(line) for line in self._nodes.here(
            "cat /sys/class/net/$XRDMA_NETDEV/statistics/?x_bytes").split())

    def assert_quiet(self, most=1000000):
        """Checks that fewer than most bytes were transferred since this object was
        made."""
        assert self._bytes() - self._before < most, "that was TCP"

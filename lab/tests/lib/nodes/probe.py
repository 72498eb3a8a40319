# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Records calls of kernel functions in a node, by tracefs."""


class Probe:
    """Records calls of functions of a side's kernel. calls: name of an event -> its
    definition in dynamic_events after "f:NAME"."""

    ROOT = "/sys/kernel/tracing"

    def __init__(self, side, **calls):
        self._side = side
        side.run(f"mountpoint -q {self.ROOT} || mount -t tracefs t {self.ROOT}")
        lines = "".join(f"f:{name} {what}\n" for name, what in calls.items())
        side.run(f"cd {self.ROOT} && echo >trace && "
                 f"printf '{lines}' >dynamic_events && "
                 "echo 1 >events/fprobes/enable")

    def events(self, name):
        """The recorded events of that name, as texts, oldest first."""
        text = self._side.run(f"cat {self.ROOT}/trace")
        return [line.split(f" {name}: ")[1] for line in text.splitlines()
                if f" {name}: " in line]

    def close(self):
        """Stops recording."""
        self._side.run(f"cd {self.ROOT} && echo 0 >events/fprobes/enable && "
                       "echo >dynamic_events")

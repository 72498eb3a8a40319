# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A page of Documentation/recipes/ about an outside project: its commands and files, and
the tests that fail. others/run runs them."""

import re


class Page:
    """The page at @path. A section has a title that is underlined by "="."""

    def __init__(self, name, path):
        self.name = name
        with open(path, encoding="utf-8") as file:
            text = file.read()
        parts = re.split(r"^(\w[^\n]*)\n=+$", text, flags=re.MULTILINE)
        self._sections = dict(zip(parts[1::2], parts[2::2]))

    @staticmethod
    def _blocks(text):
        """Each literal block of a text: (the paragraph before the block, the block)."""
        return [(before, re.sub("^  ", "", block, flags=re.MULTILINE).strip("\n") + "\n")
                for before, block in re.findall(
                    r"((?:[^\n]+\n)*[^\n]+)::\n\n((?:(?:  [^\n]*)?\n)+)", text)]

    def block(self, section, index=0):
        """A literal block of a section."""
        return self._blocks(self._sections[section])[index][1]

    def file(self, name):
        """The file whose name is in the paragraph before its literal block."""
        block, = [block for text in self._sections.values()
                  for before, block in self._blocks(text) if f"``{name}``" in before]
        return block

    def failures(self):
        """The tests that fail: name -> reason."""
        return {name: " ".join(reason.split()) for name, reason in re.findall(
            r"^``(.+)``\n((?:  [^\n]*\n)+)", self._sections.get("Failures", ""),
            flags=re.MULTILINE)}

    def workflow_is_consistent(self):
        """Does the workflow build and test by the same scripts, and with the same
        machines, as the commands of the page?"""
        workflow, command = self.file("rdma.yml"), self.block("Run")
        machines = (("nodes", "nodes"), ("memory", "mem"), ("timeout", "timeout"))
        return ("bash -e build.sh" in workflow and
                "run: bash -e test.sh" in workflow and
                "-- bash -e test.sh" in command and
                all(re.findall(rf" {name}: (\S+)", workflow) ==
                    re.findall(rf" --{option} (\S+)", command)
                    for name, option in machines))

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tables and sizes of structures in the documents of the device, for tests that compare
them with the device."""

import os
import re

DOCUMENTS = os.path.join(os.path.dirname(os.path.realpath(__file__)),
                         "../../../Documentation/infiniband")


def _text(document):
    with open(os.path.join(DOCUMENTS, document), encoding="utf-8") as file:
        return file.read()


def _cells(line, columns):
    return [line[begin:end].strip() for begin, end in columns]


def _number(word):
    try:
        return int(word)
    except ValueError:
        return float(word) if re.fullmatch(r"\d+\.\d+", word) else word


def rows(document, name):
    """The rows of the table after ".. budget: NAME": dictionaries by the words of the
    head, with numbers as numbers."""
    lines = iter(_text(document).partition(f"\n.. budget: {name}\n\n")[2].split("\n"))
    rule = next(lines)
    columns = [match.span() for match in re.finditer("=+", rule)]
    columns[-1] = (columns[-1][0], None)
    head = _cells(next(lines), columns)
    assert next(lines) == rule
    found = []
    for line in lines:
        if line == rule:
            return found
        found.append(dict(zip(head, map(_number, _cells(line, columns)))))
    raise AssertionError(f"table {name} of {document} has no end")


def size_of(structure):
    """Bytes of a structure, as xrdma-hw.rst has them."""
    found = re.search(rf"^``struct {structure}``\n-+\n\n(\d+) bytes|"
                      rf"``struct {structure}``, (\d+) bytes", _text("xrdma-hw.rst"),
                      re.M)
    return int(found.group(1) or found.group(2))

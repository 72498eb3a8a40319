# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What a patch of a series consists of, and the changes of existing files from which the
tables in series_linux.py and series_rdma_core.py are made. A change is a function from
(text of the file, options of scripts/series) to the new text. scripts/series applies
the changes."""

import re
import textwrap


class Part:
    """One patch: its subject and body, the files of this repository that it adds
    (name in the tree -> path in this repository), and its changes of existing files
    (name in the tree -> functions). generated: name in the tree -> command whose output
    is the new file."""

    def __init__(self, subject, body, files=(), changes=(), generated=()):
        self.subject = subject
        self.body = textwrap.fill(" ".join(body.split()), 72)
        self.files = dict(files)
        self.changes = dict(changes)
        self.generated = dict(generated)


def in_place(names, directory=""):
    """The files with these names, which have the same path in the tree and here."""
    paths = [f"{directory}/{name}" if directory else name for name in names.split()]
    return {path: path for path in paths}


class NoAnchor(Exception):
    """The text that a change looks for is not in the file."""


def _find(text, pattern):
    match = re.search(pattern, text, re.M)
    if not match:
        raise NoAnchor(pattern)
    return match


def after(pattern, new):
    """Adds new after the first match of pattern."""
    def change(text, options):
        end = _find(text, pattern).end()
        return text[:end] + _fill(new, options) + text[end:]
    return change


def before(pattern, new):
    """Adds new before the first match of pattern."""
    def change(text, options):
        start = _find(text, pattern).start()
        return text[:start] + _fill(new, options) + text[start:]
    return change


def at_end(new):
    """Adds new at the end of the file."""
    return lambda text, _options: text + new


def cut(pattern, until, new=""):
    """Replaces the text from a match of pattern to the following match of until."""
    def change(text, _options):
        match = _find(text, pattern)
        end = match.end() + _find(text[match.end():], until).start()
        return text[:match.start()] + new + text[end:]
    return change


def replace(old, new):
    """Replaces a text, which may be divided into lines in another way."""
    return lambda text, _options: _replace(text, r"\s+".join(
        re.escape(word) for word in old.split()), new)


def _replace(text, pattern, new):
    match = _find(text, pattern)
    return text[:match.start()] + new + text[match.end():]


def _fill(new, options):
    return new.replace("@MAINTAINER@", options.maintainer) \
        .replace("@HOLDER@", options.copyright).replace("@YEAR@", options.year)


def maintainers_entry(title, *lines):
    """Adds an entry to the kernel's MAINTAINERS, whose titles are sorted."""
    def change(text, options):
        new = _fill("\n".join((title, *lines)), options)
        for match in re.finditer(r"(?<=\n\n)(.+)\n[A-Z]:\t", text):
            if match.group(1).upper() > title:
                return f"{text[:match.start()]}{new}\n\n{text[match.start():]}"
        raise NoAnchor("an entry of MAINTAINERS after " + title)
    return change


ENUM = r"(?<=^enum rdma_driver_id \{\n)[^}]*(?=^\};)"
NUMBER = "\tRDMA_DRIVER_XRDMA,\n"


def next_driver_id(text, _options):
    """Adds the driver's number to the kernel's list, after the last one."""
    return _replace(text, ENUM, _find(text, ENUM).group() + NUMBER)


def kernel_driver_ids(text, options):
    """Makes the list of numbers that of the kernel with the driver's number."""
    path = f"{options.linux}/include/uapi/rdma/ib_user_ioctl_verbs.h"
    with open(path, encoding="utf-8") as f:
        return _replace(text, ENUM, _find(f.read(), ENUM).group() + NUMBER)


# ---- lists of files that grow with each patch -------------------------------

def object_list(text, present):
    """The driver's Makefile for a series whose patches have added the C files in
    present so far: the other objects are left out of its lists."""
    lines = []
    for line in text.splitlines():
        name = re.fullmatch(r"\t(\w+)\.o(?: \\)?|CFLAGS_(\w+)\.o.*", line)
        if name and (name[1] or name[2]) + ".c" not in present:
            if not line.endswith("\\"):
                _end_list(lines)
            continue
        lines.append(line)
    if not any(line.startswith("CFLAGS_") for line in lines):
        lines = [line for line in lines if "define_trace.h" not in line]
    return "\n".join(lines).rstrip("\n") + "\n"


def _end_list(lines):
    """Ends the list of objects whose last lines were left out."""
    if lines[-1].endswith("= \\"):
        lines.pop()
    lines[-1] = lines[-1].removesuffix(" \\")


def source_list(text, present):
    """The provider's CMakeLists.txt, likewise."""
    return "".join(line for line in text.splitlines(True)
                   if not re.fullmatch(r"  \w+\.c\n", line) or line.strip() in present)

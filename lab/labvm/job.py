# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The job of a guest: the files in /lab/job, which lab/guest/init reads.

The files are in a small cpio archive that machine.py appends to the initrd. The guest
gets each argument of COMMAND unchanged, byte by byte:
  config  variables for the shell
  argv    COMMAND, each argument ended by a NUL
"""

import shlex


def _entry(name, mode, data=b""):
    """One member of a cpio archive in the "newc" format."""
    path = name.encode() + b"\0"
    fields = (0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(path), 0)
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + path
    return head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4)


def archive(config, argv):
    """config: name -> value; argv: list of str. Returns the archive."""
    lines = "".join(f"{name}={shlex.quote(str(value))}\n"
                    for name, value in config.items())
    args = b"".join(arg.encode("utf-8", "surrogateescape") + b"\0"
                    for arg in argv)
    return b"".join((
        _entry("job", 0o040755),
        _entry("job/config", 0o100644, lines.encode()),
        _entry("job/argv", 0o100644, args),
        _entry("TRAILER!!!", 0)))


def append(base, path, config, argv):
    """Writes the initrd for one guest to path: the file base and the archive."""
    with open(base, "rb") as file:
        data = file.read()
    with open(path, "wb") as out:
        out.write(data + bytes(-len(data) % 512))
        out.write(archive(config, argv))

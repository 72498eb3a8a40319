# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Errors of command lines: each names the word that is not taken, and lists what is
taken instead."""

import re


def no_such(what, word, words):
    """The error for a word that is not one of words. what: what the words are, in the
    singular."""
    return f"no such {what}: '{word}'; {what}s: {', '.join(words)}"


def parse(parser, argv, described=None):
    """The options in argv. Exits with status 2 and a message if argv has a word that
    parser does not take. described: a function from the options to the parser that
    describes them; default: parser."""
    opts, rest = parser.parse_known_args(argv)
    if not rest:
        return opts
    if described:
        parser = described(opts)
    if not rest[0].startswith("-"):
        parser.error(f"'{rest[0]}' is not an option; COMMAND follows --")
    name = rest[0].partition("=")[0]
    parser.error(no_such("option", name, re.findall(
        r"^  (?:-h, )?(--[a-z-]+)", parser.format_help(), re.M)))

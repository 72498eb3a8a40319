# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Makes mutants of C headers: copies of which each has one small mistake.

A mutant exchanges an operator, changes a constant by one, drops or negates a
condition, or drops a statement or the initializer of a field. The mutants depend
only on the text of the header. proof/mutants runs theorems and tests on them.
"""
import re
from collections import Counter

EXCHANGES = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "&&": "||", "||": "&&", "+": "-", "-": "+", "*": "/", "/": "*", "%": "/",
    "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "|",
    "+=": "-=", "-=": "+=", "|=": "&=", "&=": "|=", "++": "--", "--": "++",
}
UNARY = {"-", "~", "!"}
OPEN, CLOSE = set("([{"), set(")]}")
# what ends an operand of && and ||
ENDS = {"&&", "||", "?", ":", "=", "return", ",", ";"}
KEYWORDS = {"if", "else", "while", "for", "return", "do", "break", "sizeof"}

TOKEN = re.compile(r"\w+|->|\+\+|--|<<|>>|[-+*/%&|^<>=!]=|&&|\|\||[^\s\w]")
NUMBER = re.compile(r"(0x[0-9a-fA-F]+|\d+)([uUlL]*)$")
NAMED = re.compile(r"XRDMA_[A-Z0-9_]+$")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
DEFINE = re.compile(r"^#define[ \t]+(\w+)[ \t]+((?:[^\n]|\\\n)*\S)[ \t]*$", re.M)
FUNCTION = re.compile(r"\b(\w+)\([^;{}]*\)\n\{\n(.*?)^\}", re.M | re.S)


def blank(match):
    """The text of a match as spaces, so that positions in the file stay."""
    return re.sub(r"[^\n]", " ", match.group(0))


def definitions(text):
    """Yields name, begin and end of each body of a function or constant."""
    text = COMMENT.sub(blank, text)
    for match in DEFINE.finditer(text):
        yield match.group(1), match.start(2), match.end(2)
    for match in FUNCTION.finditer(text):
        yield f"{match.group(1)}()", match.start(2), match.end(2)


def plain(text):
    """A piece of C on one line, without comments."""
    return " ".join(COMMENT.sub(" ", text).replace("\\\n", " ").split())


# ---- mutants ----------------------------------------------------------------

class Mutant:
    """A change of one place of a header, named by what it says, not by line."""

    def __init__(self, header, operator, function, source, replacement, text):
        self.header = header
        self.operator = operator
        self.function = function
        self.source = source
        self.replacement = replacement
        self.text = text

    def place(self):
        """The name of the function or constant, as C has it."""
        return re.match(r"\w+", self.function).group(0)

    def key(self):
        return (self.header, self.function, self.source, self.replacement)

    def name(self):
        return (f"{self.header} {self.function}: {self.source} -> "
                f"{self.replacement or 'nothing'}")


class Body:
    """The tokens of a body. An edit is (begin, end, replacement), in positions
    of the file."""

    def __init__(self, text, begin, end):
        clean = COMMENT.sub(blank, text)
        found = [m for m in TOKEN.finditer(clean, begin, end)
                 if m.group(0) != "\\"]
        self.words = [m.group(0) for m in found]
        self.begins = [m.start() for m in found]
        self.ends = [m.end() for m in found]

    def edit(self, first, last, replacement):
        return self.begins[first], self.ends[last], replacement

    def partner(self, i):
        """The index of the bracket that closes the one at i."""
        depth = 0
        for j in range(i, len(self.words)):
            depth += (self.words[j] in OPEN) - (self.words[j] in CLOSE)
            if not depth:
                return j
        raise ValueError("brackets do not match")

    def is_binary(self, i):
        """Whether the operator at i has an operand on its left."""
        before = self.words[i - 1] if i else ";"
        if self.words[i] == "*" and "struct" in self.words[max(i - 2, 0):i]:
            return False
        if before == ")":
            return not self.ends_condition(i - 1)
        return before == "]" or (re.match(r"\w", before) is not None and
                                 before not in KEYWORDS)

    def ends_condition(self, i):
        """Whether the bracket at i ends the condition of an if or a loop."""
        return any(self.words[j] in ("if", "while", "for") and
                   self.partner(j + 1) == i for j in range(i))

    def depths(self):
        depth = 0
        for word in self.words:
            depth -= word in CLOSE
            yield depth
            depth += word in OPEN


def operators(body):
    for i, word in enumerate(body.words):
        # prefix or postfix: both have a name beside them
        if word in ("++", "--") or (word in EXCHANGES and body.is_binary(i)):
            yield body.edit(i, i, EXCHANGES[word])
        elif word in UNARY:
            yield body.edit(i, i, "")


def constants(body):
    for i, word in enumerate(body.words):
        number = NUMBER.match(word)
        if number:
            value, suffix = int(number.group(1), 0), number.group(2)
            for other in (value + 1, value - 1)[:1 + bool(value)]:
                digits = hex(other) if word.startswith("0x") else str(other)
                yield body.edit(i, i, digits + suffix)
        elif NAMED.match(word) and body.words[i + 1:i + 2] != ["("]:
            yield body.edit(i, i, f"({word} - 1)")


def conditions(body):
    """Yields the edits that drop or negate a whole condition."""
    for i, word in enumerate(body.words):
        if word not in ("if", "while"):
            continue
        end = body.partner(i + 1)
        yield body.edit(i + 2, end - 1, "0")
        yield body.begins[i + 2], body.begins[i + 2], "!("
        if word == "if":
            yield body.edit(i + 2, end - 1, "1")


def limit(body, depths, i, step):
    """The last token of the operand that begins beside the operator at i."""
    j = i + step
    while 0 <= j < len(body.words) and depths[j] >= depths[i]:
        if depths[j] == depths[i] and body.words[j] in ENDS:
            break
        if depths[j] == depths[i] and step < 0 and \
           body.words[j] == ")" and body.ends_condition(j):
            break
        j += step
    return j - step


def operands(body):
    """Yields the edits that drop one operand of && or ||."""
    depths = list(body.depths())
    pieces = {}
    for i, word in enumerate(body.words):
        if word not in ("&&", "||"):
            continue
        for piece in ((limit(body, depths, i, -1), i - 1),
                      (i + 1, limit(body, depths, i, 1))):
            # && binds tighter, so an operand of both is one of &&
            if pieces.get(piece) != "1":
                pieces[piece] = "1" if word == "&&" else "0"
    for (first, last), neutral in sorted(pieces.items()):
        yield body.edit(first, last, neutral)


def begins_statement(body, i):
    before = body.words[i - 1] if i else ";"
    return before in (";", "{", "}", "else") or \
        (before == ")" and body.ends_condition(i - 1))


def is_declaration(words):
    """Returns True if a statement declares a variable: its first word is a keyword
    of declarations, or its first two words are names."""
    return words[0] in ("struct", "const", "enum", "static") or \
        (len(words) > 1 and re.match(r"[a-z_]\w*$", words[0]) is not None and
         re.match(r"[a-z*]", words[1]) is not None)


def statements(body):
    for i, word in enumerate(body.words):
        if ";" not in body.words[i + 1:] or word in ".;,([{}])" or \
           not begins_statement(body, i):
            continue
        end = body.words.index(";", i)
        words = body.words[i:end]
        if words[0] in KEYWORDS - {"return", "break"} or is_declaration(words):
            continue
        if words.count("(") != words.count(")"):    # the last part of a for
            continue
        if words[0] != "return" or len(words) == 1:
            yield body.edit(i, end - 1, "")


def initializers(body):
    for i, word in enumerate(body.words):
        if word != "." or body.words[i - 1] not in "{,":
            continue
        depth, j = 0, i
        while depth or body.words[j] not in (",", "}"):
            depth += (body.words[j] in OPEN) - (body.words[j] in CLOSE)
            j += 1
        yield body.edit(i, j if body.words[j] == "," else j - 1, "")


def close_negation(body, edit):
    """An edit "!(" of a condition as the edit of the whole condition."""
    begin, _, _ = edit
    i = body.begins.index(begin)
    return begin, body.ends[body.partner(i - 1) - 1]


def unit(body, edit):
    """The text around an edit, from which it is named: a statement, with its
    condition, or an initializer."""
    inside = [i for i, at in enumerate(body.begins) if edit[0] <= at < edit[1]]
    first, last = inside[0], inside[-1]
    splits = [i for i, word in enumerate(body.words) if word in ";{}" or
              (word == "," and round_depth(body, i) == 0)]
    before = [i for i in splits if i < first]
    behind = [i for i in splits if i >= last]
    begin = body.begins[before[-1] + 1] if before else body.begins[0]
    end = body.begins[behind[0]] if behind else body.ends[-1]
    return min(begin, edit[0]), max(end, edit[1])


def round_depth(body, i):
    """The number of round brackets that are open at i."""
    words = body.words[:i]
    return words.count("(") - words.count(")")


def edits(text, body):
    """All edits of a body, each with the positions of its unit and the name of
    the function that makes the edit."""
    for operator in (operators, constants, conditions, operands, statements,
                     initializers):
        for edit in operator(body):
            if edit[2] == "!(":
                begin, end = close_negation(body, edit)
                edit = begin, end, f"!({text[begin:end]})"
            yield edit, unit(body, edit), operator.__name__


def mutants(header, text):
    """All mutants of a header, in the order of its text."""
    found, seen, names = [], {text}, Counter()
    for name, begin, end in definitions(text):
        body = Body(text, begin, end)
        for edit, (first, last), operator in sorted(edits(text, body)):
            changed = text[:edit[0]] + edit[2] + text[edit[1]:]
            if changed in seen:
                continue
            seen.add(changed)
            source = plain(text[first:last])
            new = plain(text[first:edit[0]] + edit[2] + text[edit[1]:last])
            names[name, source, new] += 1
            count = names[name, source, new]
            place = name if count == 1 else f"{name} [{count}]"
            found.append(Mutant(header, operator, place, source, new, changed))
    return found


def sample(every, step, first):
    """A part of a list of mutants: the one at index first, and each one that is step
    places after the one before. Each run gets the same part, in which each header and
    each operator has its share."""
    kinds = {}
    for mutant in every:
        kinds.setdefault((mutant.header, mutant.operator), []).append(mutant)
    lined_up = [mutant for kind in kinds.values() for mutant in kind]
    chosen = set(lined_up[first::step])
    return [mutant for mutant in every if mutant in chosen]

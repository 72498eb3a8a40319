# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Finds complaints of the kernel (warnings, oopses, reports of checkers) in a console
log."""

import re

COMPLAINT = re.compile(
    r"WARNING: |BUG: |BUG at |Oops|UBSAN: |KASAN: |KFENCE: |KCSAN: "
    r"|general protection fault|Kernel panic|Call Trace:|kernel NULL pointer"
    r"|INFO: task .* blocked for|possible (circular|recursive) locking"
    r"|INFO: possible|inconsistent lock state|detected stall|soft lockup"
    r"|refcount_t: |list_(add|del) corruption|DMA-API: |unreferenced object"
    r"|trying to (free|register) (already|non)|sleeping function called"
    r"|Bad page state|stack-protector|scheduling while atomic|NETDEV WATCHDOG"
    r"|vmalloc error|Objects remaining|DMAR: .*fault|invalid opcode"
    # messages of a checker that has switched itself off; without memory for a scan
    # area, kmemleak stays on and scans more of the object than necessary
    r"|lockdep is turned off|turning off the locking correctness validator"
    r"|ODEBUG: |Kernel memory leak detector disabled"
    r"|kmemleak: Cannot (?!allocate a scan area)")

_BEFORE, _AFTER, _MOST = 2, 25, 60


def find(text, allowed=None):
    """Returns the lines around each complaint in a console log, as a list.

    allowed: a regular expression for complaints that do not count.
    """
    lines = text.splitlines()
    hits = [i for i, line in enumerate(lines) if COMPLAINT.search(line) and
            not (allowed and re.search(allowed, line))]
    shown = sorted({j for i in hits
                    for j in range(max(0, i - _BEFORE), i + _AFTER)
                    if j < len(lines)})
    return [lines[j] for j in shown[:_MOST]]


def stale_breakpoint(text):
    """Whether a kernel stopped at a breakpoint that it had already replaced.

    Linux changes its own code with a breakpoint (int3) as the first step. QEMU
    without KVM translates code: a processor may execute a translation that holds
    the breakpoint after another processor has written the final instruction, and the
    kernel no longer has a breakpoint at that address. The oops says "int3", and the
    code at that address is correct. This happens without any module.
    """
    return "Oops: int3: " in text

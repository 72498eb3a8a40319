# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Short forms of verbs on top of pyverbs, which the demonstration (lab/tour) and the
tests (lab/tests) share. The demonstration and the tests import nothing from each
other."""

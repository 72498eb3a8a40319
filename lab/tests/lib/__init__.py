# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What the tests of lab/tests share: the only modules there that a test may import.
Nothing in this folder is a test or a fixture."""

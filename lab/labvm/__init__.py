# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The parts of lab/vm. Standard library only."""

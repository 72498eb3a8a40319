# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The modules of lab/vm. They use only the standard library."""

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The modules that the tests between two nodes (lab/tests/nodes) share. They run in
node 1, and start commands in both nodes."""

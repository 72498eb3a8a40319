# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What the tests between two nodes (lab/tests/nodes) share. These modules run in
node 1, and start commands in both nodes."""

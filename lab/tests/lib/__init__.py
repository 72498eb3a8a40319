# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The modules that the tests of lab/tests share. A test may import no other module of
lab/tests. This folder has no tests and no fixtures."""

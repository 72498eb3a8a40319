# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Fixtures of the tests between two nodes. They run in node 1 of `lab/vm run --peer
xrdma` or `--peer rxe`."""

import pytest


@pytest.fixture(scope="session")
def _nodes():
    from lib.nodes.remote import Nodes
    return Nodes()


@pytest.fixture
def nodes(_nodes):
    yield _nodes
    _nodes.clean_up()


@pytest.fixture
def wire(nodes):
    from lib.nodes.trouble import Wire
    between = Wire(nodes)
    yield between
    between.impair("none")


def pytest_collection_modifyitems(items):
    """Removes the tests that are marked for another kind of peer. They are not
    counted."""
    from lib.nodes.remote import There
    has_rxe = There("echo $XRDMA_DEV").succeed().startswith("rxe")
    other = "xrdma_only" if has_rxe else "rxe_only"
    items[:] = [item for item in items if not item.get_closest_marker(other)]


def pytest_configure(config):
    config.addinivalue_line("markers",
                            "xrdma_only: soft-RoCE does not have it")
    config.addinivalue_line("markers",
                            "rxe_only: about what another's device sees")

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Atomic operations of the device and of the processor on the same word. Runs in node 1 of
two, because each of the two machines has one processor; the queue pairs of the test are
connected to each other."""

import ctypes
import subprocess

import pytest

from lib import rawqp as r
from lib.soak import soak

pytestmark = pytest.mark.xrdma_only

# requests that are posted together, and additions of the processor meanwhile
DEPTH, LOCAL = 32, 50000
SOURCE = """
void add(unsigned long *word, unsigned long value, unsigned long times)
{
    while (times--)
        __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST);
}
"""


@pytest.fixture
def add(tmp_path):
    """A function that adds to a word at an address, each time by one instruction."""
    path = tmp_path / "add.so"
    subprocess.run(["gcc", "-O2", "-shared", "-x", "c", "-", "-o", path],
                   input=SOURCE, text=True, check=True)
    function = ctypes.CDLL(path).add
    function.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64]
    return function


def test_no_addition_is_lost(things, add):
    """The device adds 1 and the processor adds 2^32, as often as both can."""
    region, pair = things.region(), things.pair()
    word = ctypes.c_uint64.from_address(region.start)
    word.value = 0
    entry = r.access(r.FETCH_ADD, region.iova, region.rkey, region.sge(64, 8))
    rounds = soak(400, 10000)
    for _ in range(rounds):
        pair.near.post(*[entry] * DEPTH)
        add(region.start, 1 << 32, LOCAL)
        assert {wc.status for wc in pair.near.poll(DEPTH)} == {"SUCCESS"}
    assert divmod(word.value, 1 << 32) == (rounds * LOCAL, rounds * DEPTH)

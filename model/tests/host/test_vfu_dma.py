# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of DMA mappings by vfio-user: messages, rights, counters, descriptors."""

import collections
import errno
import os
import struct

import pytest

import vfu_client as vfu

# registers of lib/stub_engine.c
UNMAPS = 0x18
ADDRESS = 0x20
COPY = 0x28
RESULT = 0x38

IOVA = 0x100000


HugeMemory = collections.namedtuple("HugeMemory", "fd size")


@pytest.fixture(name="memory")
def _memory():
    memory = vfu.GuestMemory(64 * vfu.PAGE)
    yield memory
    memory.close()


def copy(client, iova, count):
    """Let the device copy bytes to the next page; return its errno."""
    client.write(0, ADDRESS, iova, 8)
    client.write(0, COPY, count)
    return client.read(0, RESULT)


def test_device_reaches_mapped_memory(client, memory):
    """The device copies bytes between pages without using the socket."""
    memory[0:5] = b"hello"
    client.dma_map(memory, IOVA)
    assert copy(client, IOVA, 5) == 0
    assert memory[vfu.PAGE:vfu.PAGE + 5] == b"hello"


def test_offset_selects_the_memory(client, memory):
    """The mapping starts at its offset in the file."""
    memory[8 * vfu.PAGE:8 * vfu.PAGE + 4] = b"here"
    client.dma_map(memory, IOVA, 2 * vfu.PAGE, offset=8 * vfu.PAGE)
    assert copy(client, IOVA, 4) == 0
    assert memory[9 * vfu.PAGE:9 * vfu.PAGE + 4] == b"here"


def test_unmapped_memory_is_not_reached(stub, client, memory):
    """Access to an unmapped address fails and is a host error."""
    client.dma_map(memory, IOVA, vfu.PAGE)
    assert copy(client, IOVA, 8) == errno.EFAULT
    client.dma_map(memory, IOVA + vfu.PAGE, vfu.PAGE, offset=vfu.PAGE)
    assert copy(client, IOVA, 8) == 0
    client.dma_unmap(IOVA, vfu.PAGE)
    assert copy(client, IOVA, 8) == errno.EFAULT
    assert stub.stats()["host_error_kinds"] == {"DMA_UNMAPPED": 2}


def test_rights_of_a_mapping(client, memory):
    """A read-only mapping is not written."""
    client.dma_map(memory, IOVA, rights=vfu.READ)
    assert copy(client, IOVA, 8) == errno.EACCES


def test_no_dma_without_bus_master(client, memory):
    """Without the bus master bit of the command register DMA fails."""
    client.dma_map(memory, IOVA)
    client.enable(master=False)
    assert copy(client, IOVA, 8) == errno.EPERM
    client.enable()
    assert copy(client, IOVA, 8) == 0


def test_no_dma_after_reset(client, memory):
    """After a reset mappings remain, but the function may not use them."""
    client.dma_map(memory, IOVA)
    client.reset()
    client.enable(master=False)
    assert copy(client, IOVA, 8) == errno.EPERM
    client.enable()
    assert copy(client, IOVA, 8) == 0


def test_mapping_without_descriptor_is_not_accessible(client, memory):
    """QEMU maps memory of other devices without a descriptor."""
    client.dma_map(None, IOVA, vfu.PAGE)
    assert copy(client, IOVA, 8) == errno.EFAULT
    with vfu.refused(errno.EEXIST):
        client.dma_map(memory, IOVA)
    client.dma_unmap(IOVA, vfu.PAGE)


def test_engine_is_told_of_each_unmap(client, memory):
    """The engine's dma_unmap is called once for each mapping."""
    for i in range(4):
        client.dma_map(memory, IOVA + i * vfu.PAGE, vfu.PAGE,
                       offset=i * vfu.PAGE)
    client.dma_unmap(IOVA, vfu.PAGE)
    assert client.read(0, UNMAPS) == 1
    client.dma_unmap(IOVA, 16 * vfu.PAGE)
    assert client.read(0, UNMAPS) == 4


def test_unmap_all(stub, client, memory):
    """The flag ALL removes all mappings."""
    client.dma_map(memory, IOVA)
    client.dma_map(memory, 1 << 47)
    client.dma_unmap(0, 0, vfu.UNMAP_ALL)
    assert stub.stats()["dma"]["live"] == 0


def test_unmap_of_nothing(client):
    """Unmapping a range without mappings succeeds, as an IOMMU needs."""
    client.dma_unmap(0, 1 << 47)


def test_unmap_may_not_cut(client, memory):
    """An unmap that covers only a part of a mapping is refused."""
    client.dma_map(memory, IOVA)
    with vfu.refused():
        client.dma_unmap(IOVA, vfu.PAGE)
    assert copy(client, IOVA, 8) == 0


@pytest.mark.parametrize("iova, size, offset", [
    (IOVA, 0, 0),
    (IOVA + 1, vfu.PAGE, 0),
    (IOVA, vfu.PAGE - 1, 0),
    (IOVA, 65 * vfu.PAGE, 0),
    (IOVA, vfu.PAGE, 64 * vfu.PAGE),
    (IOVA, vfu.PAGE, 0xFFFFFFFFFFFFF000),
    (0xFFFFFFFFFFFFF000, 2 * vfu.PAGE, 0),
])
def test_bad_mapping_is_refused(stub, client, memory, iova, size, offset):
    """Refused: unaligned, empty, wrapping, or beyond the end of the file."""
    with vfu.refused():
        client.dma_map(memory, iova, size, offset)
    assert stub.stats()["dma"]["maps"] == 0


def test_overlap_is_refused(client, memory):
    """An overlapping mapping is refused with the errno of the protocol."""
    client.dma_map(memory, IOVA)
    for iova in (IOVA, IOVA + vfu.PAGE, IOVA - vfu.PAGE):
        with vfu.refused(errno.EEXIST):
            client.dma_map(memory, iova, 2 * vfu.PAGE)


def test_unknown_flags_are_refused(client, memory):
    """Unknown flags of both messages are refused."""
    with vfu.refused():
        client.dma_map(memory, IOVA, rights=7)
    with vfu.refused():
        client.dma_unmap(IOVA, vfu.PAGE, 4)


def test_several_descriptors_are_refused(stub, client, memory):
    """A mapping with more than one descriptor is refused."""
    before = stub.open_fds()
    body = struct.pack("=IIQQQ", 32, 3, 0, IOVA, vfu.PAGE)
    with vfu.refused():
        client.call(vfu.DMA_MAP, body, [memory.fd, memory.fd])
    stub.wait_for_fds(before)


def test_descriptor_that_is_not_memory(stub, client):
    """A socket or a pipe instead of memory is refused, and closed."""
    before = stub.open_fds()
    ends = os.pipe()
    memory = vfu.GuestMemory(vfu.PAGE)
    body = struct.pack("=IIQQQ", 32, 3, 0, IOVA, vfu.PAGE)
    with vfu.refused():
        client.call(vfu.DMA_MAP, body, [ends[0]])
    stub.wait_for_fds(before)
    for fd in ends:
        os.close(fd)
    memory.close()


def test_mappings_hold_no_descriptors(stub, client, memory):
    """Thousands of mappings of one file need no descriptor and one mmap."""
    before = stub.open_fds()
    for i in range(2000):
        client.dma_map(memory, IOVA + i * vfu.PAGE, vfu.PAGE,
                       offset=i % 64 * vfu.PAGE)
    stats = stub.stats()["dma"]
    stub.wait_for_fds(before)
    assert (stats["live"], stats["files"]) == (2000, 1)
    assert stats["live_bytes"] == 2000 * vfu.PAGE
    for i in range(2000):
        client.dma_unmap(IOVA + i * vfu.PAGE, vfu.PAGE)
    stats = stub.stats()["dma"]
    assert (stats["live"], stats["maps"], stats["unmaps"]) == (0, 2000, 2000)
    assert stats["peak"] == 2000


def test_pipelined_mappings_keep_their_own_descriptor(client):
    """QEMU sends several mappings at once; each keeps its own descriptor."""
    memories = [vfu.GuestMemory(2 * vfu.PAGE) for _ in range(32)]
    idents = []
    for i, memory in enumerate(memories):
        memory[0:1] = bytes([i])
        body = struct.pack("=IIQQQ", 32, 3, 0, IOVA + i * 2 * vfu.PAGE,
                           2 * vfu.PAGE)
        client.write(0, 0, i, posted=True)
        idents.append(client.send(vfu.DMA_MAP, body, [memory.fd]))
        client.write(0, 0, i, posted=True)
        if i % 4 == 3:
            for ident in idents:
                client.receive_reply(ident, vfu.DMA_MAP)
            idents = []
    for i, memory in enumerate(memories):
        assert copy(client, IOVA + i * 2 * vfu.PAGE, 1) == 0
        assert memory[vfu.PAGE] == i
        memory.close()


def test_memory_that_is_read_is_taken_away(stub, client, memory):
    """The device reads zeroes, and reports a host error; later accesses fail."""
    client.dma_map(memory, IOVA)
    os.ftruncate(memory.fd, 0)
    assert copy(client, IOVA, 8) == 0
    assert stub.stats()["host_error_kinds"] == {"DMA_LOST": 1}
    assert copy(client, IOVA, 8) == errno.EFAULT
    assert stub.stats()["host_error_kinds"] == {"DMA_LOST": 1, "DMA_UNMAPPED": 1}


def test_memory_that_is_written_is_taken_away(stub, client, memory):
    """A mapping of which a part is left keeps no access; others stay."""
    memory[0:5] = b"first"
    client.dma_map(memory, IOVA, 2 * vfu.PAGE)
    client.dma_map(memory, IOVA + 2 * vfu.PAGE, 62 * vfu.PAGE, 2 * vfu.PAGE)
    os.ftruncate(memory.fd, 3 * vfu.PAGE)
    assert copy(client, IOVA + 2 * vfu.PAGE, 8) == 0
    assert copy(client, IOVA + 2 * vfu.PAGE, 8) == errno.EFAULT
    assert copy(client, IOVA, 5) == 0
    assert memory[vfu.PAGE:vfu.PAGE + 5] == b"first"
    assert stub.stats()["host_error_kinds"] == {"DMA_LOST": 1, "DMA_UNMAPPED": 1}


def test_memory_comes_back(stub, client, memory):
    """A file that grows again is mapped again, not as the zeroes that replaced it."""
    client.dma_map(memory, IOVA)
    os.ftruncate(memory.fd, 0)
    assert copy(client, IOVA, 8) == 0
    os.ftruncate(memory.fd, memory.size)
    client.dma_unmap(IOVA, memory.size)
    client.dma_map(memory, IOVA)
    memory[0:5] = b"again"
    assert copy(client, IOVA, 5) == 0
    assert memory[vfu.PAGE:vfu.PAGE + 5] == b"again"
    assert stub.stats()["host_error_kinds"] == {"DMA_LOST": 1}
    assert stub.stats()["dma"]["files"] == 2


def test_a_huge_page_is_taken_away(stub, client):
    """Of memory in huge pages, whole pages are replaced."""
    huge = 2 << 20
    try:
        memory = os.memfd_create("huge", os.MFD_CLOEXEC | os.MFD_HUGETLB |
                                 os.MFD_HUGE_2MB)
        os.ftruncate(memory, 2 * huge)
    except OSError as error:
        pytest.skip(f"no huge pages: {error}")
    # a page that the machine does not have is SIGBUS too
    client.dma_map(HugeMemory(memory, 2 * huge), IOVA << 12)
    os.ftruncate(memory, huge)
    assert copy(client, (IOVA << 12) + huge + vfu.PAGE, 8) == 0
    assert copy(client, (IOVA << 12) + huge, 8) == errno.EFAULT
    assert stub.stats()["host_error_kinds"]["DMA_LOST"] == 1
    os.close(memory)

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of device, region and interrupt information, and of mapped regions."""

import mmap
import os
import struct

import pytest

import vfu_client as vfu

SIZES = {0: 64 << 10, 2: 16 << 20, 7: 4096}


def test_device_is_a_pci_function_with_reset(client):
    """9 regions and 5 interrupt types are what VFIO has for PCI."""
    assert client.device_info() == (3, 9, 5)


@pytest.mark.parametrize("index", range(9))
def test_region(client, index):
    """Each region reports its size; missing regions report 0."""
    flags, size, offset, fds = client.region_info(index)
    assert size == SIZES.get(index, 0)
    assert flags == (3 if size else 0)
    assert offset == 0
    assert not fds


def test_region_that_can_be_mapped(start_device, monkeypatch):
    """Each reply with its information has the descriptor of the memory."""
    monkeypatch.setenv("STUB_MMAP", "1")
    process = start_device("XRDMA_DEVICE_STUB")
    with process.client() as client:
        for _ in range(2):
            flags, size, offset, fds = client.region_info(vfu.BAR_DB)
            assert (flags, size, offset) == (7, 16 << 20, 0)
            assert len(fds) == 1
            with mmap.mmap(fds[0], size) as doorbells:
                doorbells[size - 1] = 0x5A
            os.close(fds[0])
        assert client.region_info(vfu.BAR_REGS)[0] == 3


def test_unknown_region_is_refused(client):
    """The information of a tenth region is refused."""
    with vfu.refused():
        client.region_info(9)


@pytest.mark.parametrize("argsz", [0, 16, 31])
def test_region_info_needs_room(client, argsz):
    """A request without room for the reply is refused."""
    with vfu.refused():
        client.region_info(0, argsz)


def test_region_info_with_more_room(client):
    """More room than needed is no error; argsz of the reply is the used size."""
    client.region_info(0, 4096)


@pytest.mark.parametrize("index, count", [(0, 0), (1, 0), (2, 64), (3, 0),
                                          (4, 0)])
def test_interrupt_types(client, index, count):
    """Only MSI-X has interrupts."""
    assert client.irq_info(index) == (1, count)


def test_unknown_interrupt_type_is_refused(client):
    """The information of a sixth interrupt type is refused."""
    with vfu.refused():
        client.irq_info(5)


@pytest.mark.parametrize("command, body", [
    (vfu.DEVICE_GET_INFO, struct.pack("=IIII", 8, 0, 0, 0)),
    (vfu.DEVICE_GET_IRQ_INFO, struct.pack("=IIII", 8, 0, 0, 0)),
])
def test_information_needs_room(client, command, body):
    """A request without room for the reply is refused."""
    with vfu.refused():
        client.call(command, body)


def test_number_of_vectors_is_an_option(start_device):
    """--msix-vectors sets the table size in all places that report it."""
    process = start_device("XRDMA_DEVICE_STUB", "--msix-vectors", "3")
    with process.client() as client:
        assert client.irq_info(vfu.IRQ_MSIX) == (1, 3)
        cap = client.capability(vfu.PCI_CAP_ID_MSIX)
        assert client.config_read(cap + vfu.PCI_MSIX_FLAGS, 2) == 2

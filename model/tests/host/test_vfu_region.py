# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of accesses to BARs and configuration space, and of resets."""

import pytest

import vfu_client as vfu

# registers of lib/stub_engine.c
SCRATCH = 0x00
RESETS = 0x10
BUS_MASTER = 0x14


@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_bar_access_of_each_size(client, size):
    """An access of each size writes and reads only its own bytes."""
    client.write(0, SCRATCH, 0x1122334455667788, 8)
    client.write(0, SCRATCH + size if size < 8 else 0, 0xA5, size)
    assert client.read(0, SCRATCH + size if size < 8 else 0, size) == 0xA5
    if size < 8:
        assert client.read(0, SCRATCH, 1) == 0x88


def test_ends_of_the_bars(client):
    """The last bytes of a BAR can be accessed."""
    client.read(0, (64 << 10) - 8, 8)
    client.write(2, (16 << 20) - 8, 0x42, 8)
    assert client.read(2, 0, 8) == 0x42


@pytest.mark.parametrize("region, offset, count", [
    (0, 64 << 10, 4),
    (0, (64 << 10) - 2, 4),
    (2, 16 << 20, 8),
    (0, 0xFFFFFFFFFFFFFFFC, 4),
    (0, 0xFFFFFFFFFFFFFFFC, 8),
    (1, 0, 4),
    (6, 0, 4),
    (8, 0, 4),
    (9, 0, 4),
    (0xFFFFFFFF, 0, 4),
    (7, 4096, 1),
    (7, 4094, 4),
    (0, 0, 0),
    (0, 0, 3),
    (0, 0, 16),
    (0, 2, 4),
    (0, 4, 8),
])
def test_access_outside_or_misaligned_is_refused(client, region, offset,
                                                 count):
    """Reads and writes are refused, and the device still works."""
    with vfu.refused():
        client.read_bytes(region, offset, count)
    with vfu.refused():
        client.write_bytes(region, offset, bytes(count))
    client.write(0, SCRATCH, 7)
    assert client.read(0, SCRATCH) == 7


def test_write_with_wrong_count_is_refused(client):
    """The data must be as long as the message says."""
    for count, data in ((4, b"12345678"), (8, b"1234"), (4, b"")):
        body = vfu.REGION_IO.pack(0, 0, count) + data
        with vfu.refused():
            client.call(vfu.REGION_WRITE, body)


def test_huge_read_is_refused(client):
    """A read of more bytes than any region has is refused."""
    for count in (0xFFFFFFFF, 0x80000000, 1 << 20):
        with vfu.refused():
            client.read_bytes(0, 0, count)
        with vfu.refused():
            client.read_bytes(vfu.CONFIG, 0, count)


def test_posted_writes_come_in_order_without_reply(client):
    """A read after posted writes sees them all."""
    for value in range(1000):
        client.write(0, SCRATCH, value, 4, posted=True)
    assert client.read(0, SCRATCH) == 999


def test_bad_posted_write_has_no_reply_either(client):
    """An error of a message without reply is dropped."""
    client.write_bytes(9, 0, b"1234", posted=True)
    client.write(0, SCRATCH, 1)
    assert client.read(0, SCRATCH) == 1


@pytest.mark.parametrize("posted", [True, False])
def test_several_writes_in_one_message(client, posted):
    """Several writes in one message, as QEMU sends them from a long queue."""
    client.write_multi([
        (0, SCRATCH, b"\x11\0\0\0"),
        (0, SCRATCH + 8, b"\x22"),
        (2, 0, b"\x33\0\0\0\0\0\0\0"),
    ], posted)
    assert client.read(0, SCRATCH) == 0x11
    assert client.read(0, SCRATCH + 8, 1) == 0x22
    assert client.read(2, 0, 8) == 0x33


def test_full_write_message(client):
    """QEMU puts up to 200 writes into one."""
    client.write_multi([(2, 8 * i, i.to_bytes(8, "little"))
                        for i in range(200)])
    assert client.read(2, 0, 8) == 199


@pytest.mark.parametrize("body", [
    (2).to_bytes(8, "little") + vfu.WRITE_ONE.pack(0, 0, 4, b"1"),
    (0).to_bytes(8, "little") + vfu.WRITE_ONE.pack(0, 0, 4, b"1"),
    (1 << 63).to_bytes(8, "little"),
    (1).to_bytes(8, "little") + vfu.WRITE_ONE.pack(0, 0, 9, b"1"),
    (1).to_bytes(8, "little") + vfu.WRITE_ONE.pack(0, 9, 4, b"1"),
    (1).to_bytes(8, "little") + vfu.WRITE_ONE.pack(0, vfu.CONFIG, 64, b"1"),
    (1).to_bytes(8, "little") + vfu.WRITE_ONE.pack(0, 0, 4, b"1")[:-1],
])
def test_bad_write_message_is_refused(client, body):
    """The number of writes must match the message; each must be in its region."""
    with vfu.refused():
        client.call(vfu.REGION_WRITE_MULTI, body)


def test_configuration_space_through_the_socket(client):
    """An access inside configuration space may have any length."""
    assert client.config_read(0) == 0x10F01AF4
    assert client.config_read(8) == 0x02000001
    assert len(client.read_bytes(vfu.CONFIG, 0, 4096)) == 4096


def test_bar_without_memory_space_reads_as_ones(stub, client):
    """Reads without memory space enabled return ones and are host errors."""
    client.write(0, SCRATCH, 0x1234)
    client.enable(memory=False)
    assert client.read(0, SCRATCH) == 0xFFFFFFFF
    client.write(0, SCRATCH, 0x5678)
    client.enable()
    assert client.read(0, SCRATCH) == 0x1234
    stats = stub.stats()
    assert stats["host_error_kinds"] == {"BAR_DISABLED": 2}
    assert [entry["kind"] for entry in stats["host_error_log"]] == [
        "BAR_DISABLED"] * 2
    assert "BAR0 + 0x0" in stats["host_error_log"][0]["text"]


def test_bus_master_bit_reaches_the_engine(stub, client):
    """The engine's function is called at each change of the bus master bit."""
    assert client.read(0, BUS_MASTER) == 1
    client.enable(master=False)
    assert client.read(0, BUS_MASTER) == 0
    assert stub.stats()["vfu"]["bus_master"] is False
    client.enable()
    assert client.read(0, BUS_MASTER) == 1


@pytest.mark.parametrize("how", ["reset", "flr"])
def test_reset_reaches_the_engine_and_configuration(stub, client, how):
    """Device reset and function level reset do the same."""
    client.irq_enable(2)
    client.write(0, SCRATCH, 5)
    resets = client.read(0, RESETS)
    getattr(client, how)()
    assert client.config_read(vfu.PCI_COMMAND, 2) == 0
    assert stub.stats()["msix"]["vectors_enabled"] == 0
    client.enable()
    assert client.read(0, RESETS) == resets + 1
    assert client.read(0, SCRATCH) == 0


def test_msix_table_is_masked_after_reset(client):
    """After a reset vector control of each entry reads 1, as PCI requires."""
    control = vfu.MSIX_TABLE + 63 * 16 + 12
    assert client.read(vfu.BAR_REGS, control) == 1
    client.write(vfu.BAR_REGS, control, 0)
    assert client.read(vfu.BAR_REGS, control) == 0
    client.reset()
    client.enable()
    assert client.read(vfu.BAR_REGS, control) == 1


def test_rest_of_the_msix_pages_is_empty(client):
    """Writes after the table and to the pending bits are dropped."""
    for offset in (0x8400, 0x8FF8, 0x9000, 0x9008, 0x9FF8):
        client.write(vfu.BAR_REGS, offset, 0xFFFFFFFFFFFFFFFF, 8)
        assert client.read(vfu.BAR_REGS, offset, 8) == 0

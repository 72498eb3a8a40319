# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of MSI-X vectors: eventfds, masks, pending bits, flag combinations."""

import os
import socket

import pytest

import vfu_client as vfu

# registers of lib/stub_engine.c
RAISE = 0x30
POLLS = 0x40
TIMER = 0x48

NOT_YET = 0.05


def test_each_vector_signals_its_own_eventfd(client):
    """64 vectors, with eventfds set 16 at a time."""
    irqs = client.irq_enable(64)
    for vector in (0, 15, 16, 63):
        client.write(0, RAISE, vector)
        assert irqs[vector].wait() == 1
    assert not any(irq.wait(0) for irq in irqs)


def test_signals_accumulate(client):
    """Several signals before a read add up in the eventfd."""
    irqs = client.irq_enable(1)
    for _ in range(5):
        client.write(0, RAISE, 0)
    assert irqs[0].wait() == 5


def test_interrupt_from_poll_and_timer(client):
    """The engine raises interrupts in its poll function and in timers."""
    irqs = client.irq_enable(2)
    client.write(0, POLLS, 1000)
    assert irqs[0].wait() == 1
    client.write(0, TIMER, 1000000, 8)
    assert irqs[1].wait() == 1


def test_no_interrupt_without_msix_enable(stub, client):
    """With MSI-X disabled an interrupt is dropped, not made pending."""
    irqs = client.irq_enable(1)
    client.msix_control(enable=False)
    client.write(0, RAISE, 0)
    client.msix_control()
    assert not irqs[0].wait(NOT_YET)
    assert stub.stats()["msix"]["irqs_dropped"] == 1


def test_no_interrupt_without_bus_master(stub, client):
    """Without the bus master bit interrupts, which are writes, are dropped."""
    irqs = client.irq_enable(1)
    client.enable(master=False)
    client.write(0, RAISE, 0)
    assert not irqs[0].wait(NOT_YET)
    client.enable()
    assert not irqs[0].wait(NOT_YET)
    assert stub.stats()["msix"]["irqs_dropped"] == 1


def test_no_interrupt_after_reset(client):
    """A reset drops interrupts, including those that were due before."""
    irqs = client.irq_enable(2)
    client.write(0, TIMER, 20000000, 8)
    client.flr()
    assert not irqs[1].wait(NOT_YET)
    client.enable()
    client.write(0, RAISE, 0)
    assert not irqs[0].wait(NOT_YET)


def test_eventfds_survive_a_function_level_reset(client):
    """After a function level reset the guest needs only configuration writes."""
    irqs = client.irq_enable(1)
    client.flr()
    client.enable()
    client.msix_control()
    client.write(0, RAISE, 0)
    assert irqs[0].wait() == 1


def test_function_mask_holds_interrupts_back(client):
    """Masked interrupts are pending, and each is raised once after unmasking."""
    irqs = client.irq_enable(4)
    client.msix_control(mask=True)
    client.write(0, RAISE, 3)
    client.write(0, RAISE, 3)
    assert not irqs[3].wait(NOT_YET)
    assert client.read(vfu.BAR_REGS, vfu.MSIX_PBA, 8) == 1 << 3
    client.msix_control()
    assert irqs[3].wait() == 1
    assert client.read(vfu.BAR_REGS, vfu.MSIX_PBA, 8) == 0


def test_vector_without_eventfd_is_pending(client):
    """QEMU sets the eventfd when the guest unmasks the vector."""
    client.irq_enable(1)
    client.write(0, RAISE, 5)
    assert client.read(vfu.BAR_REGS, vfu.MSIX_PBA, 8) == 1 << 5
    late = vfu.Irq()
    client.set_irqs(vfu.DATA_EVENTFD | vfu.ACTION_TRIGGER, vfu.IRQ_MSIX, 5, 1,
                    fds=[late.fd])
    assert late.wait() == 1
    late.close()
    assert client.read(vfu.BAR_REGS, vfu.MSIX_PBA, 8) == 0


def test_pending_ends_with_msix(client):
    """Disabling MSI-X clears all pending bits."""
    client.irq_enable(1)
    client.write(0, RAISE, 5)
    client.msix_control(enable=False)
    assert client.read(vfu.BAR_REGS, vfu.MSIX_PBA, 8) == 0


def test_eventfd_is_replaced_and_taken_away(stub, client):
    """EVENTFD without descriptors removes the eventfd of the vector."""
    first = client.irq_enable(2)
    second = client.irq_enable(2)
    client.write(0, RAISE, 1)
    assert second[1].wait() == 1
    assert not first[1].wait(NOT_YET)
    client.set_irqs(vfu.DATA_EVENTFD | vfu.ACTION_TRIGGER, vfu.IRQ_MSIX, 1, 1)
    client.write(0, RAISE, 1)
    assert not second[1].wait(NOT_YET)
    assert stub.stats()["msix"]["vectors_enabled"] == 1


def test_all_vectors_are_taken_away(stub, client):
    """NONE with count 0 removes all eventfds, as QEMU does."""
    before = stub.open_fds()
    irqs = client.irq_enable(16)
    stub.wait_for_fds(before + 16)
    client.irq_disable()
    stub.wait_for_fds(before)
    client.msix_control()
    client.write(0, RAISE, 0)
    assert not irqs[0].wait(NOT_YET)


def test_client_triggers_vectors(client):
    """Trigger with NONE raises all vectors of a range, BOOL a part of them."""
    irqs = client.irq_enable(4)
    client.set_irqs(vfu.DATA_NONE | vfu.ACTION_TRIGGER, vfu.IRQ_MSIX, 1, 2)
    assert [irq.wait(0) for irq in irqs] == [0, 1, 1, 0]
    client.set_irqs(vfu.DATA_BOOL | vfu.ACTION_TRIGGER, vfu.IRQ_MSIX, 0, 4,
                    b"\1\0\0\1")
    assert [irq.wait(0) for irq in irqs] == [1, 0, 0, 1]


@pytest.mark.parametrize("index", [0, 1, 3, 4])
def test_other_types_can_be_disabled(client, index):
    """Types other than MSI-X can be disabled, as QEMU does at a reset."""
    client.set_irqs(vfu.DATA_NONE | vfu.ACTION_TRIGGER, index, 0, 0)


@pytest.mark.parametrize("flags, index, start, count, data", [
    (vfu.DATA_NONE | vfu.ACTION_TRIGGER, 5, 0, 0, b""),
    (vfu.DATA_NONE | vfu.ACTION_TRIGGER, 2, 64, 1, b""),
    (vfu.DATA_NONE | vfu.ACTION_TRIGGER, 2, 0, 65, b""),
    (vfu.DATA_NONE | vfu.ACTION_TRIGGER, 2, 1, 0xFFFFFFFF, b""),
    (vfu.DATA_NONE | vfu.ACTION_TRIGGER, 2, 1, 0, b""),
    (vfu.DATA_NONE | vfu.ACTION_TRIGGER, 0, 0, 1, b""),
    (vfu.DATA_BOOL | vfu.ACTION_TRIGGER, 2, 0, 4, b"\1\1\1"),
    (vfu.DATA_NONE | vfu.ACTION_MASK, 2, 0, 1, b""),
    (vfu.DATA_NONE | vfu.ACTION_UNMASK, 2, 0, 1, b""),
    (vfu.DATA_NONE, 2, 0, 1, b""),
    (vfu.ACTION_TRIGGER, 2, 0, 1, b""),
    (vfu.DATA_NONE | vfu.DATA_BOOL | vfu.ACTION_TRIGGER, 2, 0, 1, b"\1"),
    (0xFFFFFFFF, 2, 0, 1, b""),
])
def test_bad_request_is_refused(client, flags, index, start, count, data):
    """Refused: ranges outside, short data, invalid flag combinations."""
    irqs = client.irq_enable(1)
    with vfu.refused():
        client.set_irqs(flags, index, start, count, data)
    client.write(0, RAISE, 0)
    assert irqs[0].wait() == 1


def test_number_of_eventfds_must_match(stub, client):
    """A wrong number of eventfds is refused, and all of them are closed."""
    before = stub.open_fds()
    irqs = [vfu.Irq() for _ in range(2)]
    fds = [irq.fd for irq in irqs]
    for count in (1, 3):
        with vfu.refused():
            client.set_irqs(vfu.DATA_EVENTFD | vfu.ACTION_TRIGGER,
                            vfu.IRQ_MSIX, 0, count, fds=fds)
    stub.wait_for_fds(before)
    for irq in irqs:
        irq.close()


def test_full_eventfd_does_not_block_the_device(client):
    """An interrupt to an eventfd whose counter is at its maximum is skipped, also if
    the client made the eventfd a blocking one."""
    full = os.eventfd((1 << 32) - 1, os.EFD_CLOEXEC)
    os.eventfd_write(full, 0xFFFFFFFFFFFFFFFE - ((1 << 32) - 1))
    client.set_irqs(vfu.DATA_EVENTFD | vfu.ACTION_TRIGGER, vfu.IRQ_MSIX, 0, 1,
                    fds=[full])
    client.msix_control()
    for _ in range(10):
        client.write(0, RAISE, 0, posted=True)
    assert client.read(0, 0) == 0
    os.close(full)


@pytest.mark.parametrize("kind", ["pipe", "socket", "file", "memfd"])
def test_only_an_eventfd_is_accepted(stub, client, kind, tmp_path):
    """A write to another kind of file could end or block the device, or change the
    file. The range keeps its eventfds, and all descriptors are closed."""
    irqs = client.irq_enable(2)
    fds = {"pipe": lambda: os.pipe()[::-1],
           "socket": lambda: [end.detach() for end in socket.socketpair()],
           "file": lambda: [os.open(tmp_path / "f", os.O_RDWR | os.O_CREAT)],
           "memfd": lambda: [os.memfd_create("f")]}[kind]()
    before = stub.open_fds()
    with vfu.refused():
        client.set_irqs(vfu.DATA_EVENTFD | vfu.ACTION_TRIGGER, vfu.IRQ_MSIX, 0, 2,
                        fds=[irqs[1].fd, fds[0]])
    for fd in fds:
        os.close(fd)
    client.write(0, RAISE, 0)
    client.write(0, RAISE, 1)
    assert [irq.wait() for irq in irqs] == [1, 1]
    stub.wait_for_fds(before)

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of registers, start, reset and removal of the device."""

import os
import time

import vfu_client as vfu
import xrdma_driver as x


def test_registers_have_their_defaults(driver):
    """The registers that a driver reads first have their default values."""
    assert driver.read(x.MAGIC).to_bytes(4, "little") == b"XRDM"
    assert driver.read(x.VERSION) == 0x30002
    assert driver.read(x.STATUS) == x.READY
    assert driver.read(x.CTRL) == 0
    assert driver.mac() == bytes.fromhex("020000787201")
    assert driver.read(x.CAPS, 8) & 1


def test_shape_of_the_bars(driver):
    """The BARs have the sizes of the specification."""
    sizes = [driver.client.region_info(bar)[1] for bar in (0, 2, 4)]
    assert sizes == [0x10000, 0x1000000, 0x100000]
    assert driver.client.config_read(8, 4) == 0x02000001
    assert driver.client.config_read(0, 4) == 0x10F01AF4


def test_enable_with_bad_registers_is_fatal(driver):
    """STATUS reports the fatal error, and a reset ends it."""
    driver.set_up()
    driver.write(x.CMD_LOG, 11)
    driver.write(x.CTRL, x.ENABLE)
    assert driver.read(x.STATUS) == x.READY | x.FATAL | 1 << 8
    driver.write(x.CTRL, x.RESET)
    assert driver.read(x.STATUS) == x.READY
    driver.forget()
    driver.start()
    driver.expected = {"REG_ILLEGAL": 1}


def test_enable_without_memory_is_fatal(driver):
    """Enabling fails if the command ring is not mapped."""
    driver.set_up()
    driver.write(x.CMD_BASE, x.IOVA + x.MEMORY, 8)
    driver.write(x.CTRL, x.ENABLE)
    assert driver.read(x.STATUS) == x.READY | x.FATAL | 2 << 8
    driver.expected = {"DMA_UNMAPPED": 1}


def test_illegal_accesses_are_host_errors(driver):
    """Each illegal access is counted and has no effect."""
    assert driver.read(0x40) == 0
    driver.write(x.STATUS, 0)
    driver.write(0x7000, 1)
    assert driver.read(x.STATUS, 1) == 0
    driver.write(x.CMD_DB, 1)
    assert driver.read(x.STATUS) == x.READY
    driver.expected = {"REG_RESERVED": 3, "BAR_ACCESS": 1, "REG_ILLEGAL": 1}


def resets(driver):
    """Return all ways to reset the device."""
    return {
        "register": lambda: driver.write(x.CTRL, x.RESET),
        "function": driver.client.flr,
        "bus": driver.client.reset,
    }


def test_reset_is_quiet(host):
    """After each kind of reset no memory changes and no vector is raised."""
    for kind, reset in resets(host).items():
        a, b = x.pair(host)
        data = host.alloc(0x100000)
        key = host.register(data, 0x100000)
        host.eqs[1].arm()
        a.send_cq.arm()
        for i in range(8):
            a.put_send(x.WRITE, [(data, 0x40000, key)], remote=data + 0x80000,
                       rkey=key, wr_id=i)
        a.ring()
        reset()
        host.client.enable()
        assert host.read(x.STATUS) == x.READY, kind
        for irq in host.irqs:
            irq.wait(0)
        before = host.memory[:]
        b.receive([(data, 16, key)])
        host.put32(b.record + 4, 0)
        time.sleep(0.1)
        assert host.memory[:b.rq - x.IOVA] == before[:b.rq - x.IOVA]
        assert [irq.wait(0) for irq in host.irqs] == [0] * 4
        device = host.stats()["device"]
        assert (device["qps"], device["cqs"], device["eqs"]) == (0, 0, 0)
        host.forget()
        host.client.irq_enable(4)
        host.irqs = host.client.irqs[-4:]
        host.start()


def test_hundred_starts(driver):
    """Starting, using and resetting the device leaks nothing."""
    for _ in range(100):
        driver.forget()
        driver.start()
        x.pair(driver)
        driver.write(x.CTRL, x.RESET)
        assert driver.read(x.STATUS) == x.READY


def test_a_device_that_is_gone(host):
    """A removed device reads as ones and ignores writes until it is back."""
    control = host.process.control()
    assert control.request(cmd="gone", on=True)["ok"]
    assert host.read(x.STATUS) == 0xFFFFFFFF
    assert host.read(x.CAPS, 8) == 0xFFFFFFFFFFFFFFFF
    host.post(x.NOP)
    assert host.reply(0.05) is None
    assert control.request(cmd="gone", on=False)["ok"]
    assert host.read(x.STATUS) == x.READY
    control.close()


def test_without_bus_mastering_it_is_fatal(host):
    """Without bus mastering the device accesses no memory and is fatal."""
    host.client.enable(master=False)
    assert host.read(x.STATUS) == x.READY | x.ENABLED | x.FATAL | 2 << 8
    host.client.enable()
    assert host.read(x.STATUS) & x.FATAL


def test_an_idle_device_sleeps(host):
    """Less than 2 % of a core, with queue pairs in RTS and one in ERR."""
    a, b = x.pair(host)
    c, _ = x.pair(host, first=32)
    data = host.alloc(4096)
    key = host.register(data, 4096)
    b.receive([(data, 4, key)])
    a.send(x.SEND, [(data, 4, key)])
    assert a.sent()["status"] == x.WC_OK
    c.modify(1, state=x.Q_ERR)
    time.sleep(0.3)
    before = host.process.cpu_seconds()
    time.sleep(2)
    assert host.process.cpu_seconds() - before <= 0.04
    assert host.get32(a.record + 64) == 1


def test_memory_goes_while_it_is_in_use(host):
    """Unmapped memory: access is a host error or is refused; no crash."""
    a, _ = x.pair(host)
    extra = vfu.GuestMemory(0x10000)
    host.client.dma_map(extra, 0x10000000)
    data = host.alloc(4096)
    local = host.register(data, 4096)
    remote = host.register(0x10000000, 0x10000)
    a.send(x.WRITE, [(data, 4096, local)], remote=0x10000000, rkey=remote)
    assert a.sent()["status"] == x.WC_OK
    host.client.dma_unmap(0x10000000, 0x10000)
    a.send(x.WRITE, [(data, 4096, local)], remote=0x10000000, rkey=remote)
    assert a.sent()["status"] in (x.WC_REM_ACCESS, x.WC_REM_OP)
    extra.close()
    host.expected = {"DMA_UNMAPPED": 1}


def test_all_memory_of_a_running_device_is_taken_away(device):
    """The device reads zeroes, reports host errors, and works for the next client."""
    first = x.Driver(device)
    first.start()
    os.ftruncate(first.memory.fd, 0)
    first.write(x.CMD_DB, first.commands + 1)
    while "DMA_LOST" not in device.stats()["host_error_kinds"]:
        assert first.read(x.MAGIC).to_bytes(4, "little") == b"XRDM"
    first.close()
    second = x.Driver(device)
    second.start()
    second.command(x.NOP)
    second.close()
    assert device.stats()["dma"]["files"] == 0

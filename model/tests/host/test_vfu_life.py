# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of the process: connections, exit, options, processor time when idle."""

import errno
import os
import signal
import socket
import stat
import subprocess
import sys
import time

import pytest

import vfu_client as vfu


def test_reconnect_finds_a_reset_device(stub):
    """A new client finds no mappings and interrupts of the previous one."""
    memory = vfu.GuestMemory(vfu.PAGE)
    with stub.client() as client:
        client.enable()
        client.irq_enable(8)
        client.dma_map(memory, 0)
        client.write(0, 0, 0x1234)
    with stub.client() as client:
        assert client.config_read(vfu.PCI_COMMAND, 2) == 0
        client.enable()
        assert client.read(0, 0) == 0
        client.dma_map(memory, 0)
    memory.close()


def test_hundred_clients_leave_nothing_behind(stub):
    """After a hundred clients descriptors and mappings are as before."""
    memory = vfu.GuestMemory(16 * vfu.PAGE)
    before = stub.open_fds()
    for _ in range(100):
        with stub.client() as client:
            client.enable()
            client.irq_enable(16)
            client.dma_map(memory, 0)
    stub.wait_until_reset(100)
    stats = stub.stats()
    stub.wait_for_fds(before)
    assert stats["dma"]["live"] == 0
    assert stats["dma"]["files"] == 0
    assert stats["vfu"]["connects"] == 100
    assert stats["msix"]["vectors_enabled"] == 0
    memory.close()


def test_second_client_waits_for_the_first(stub):
    """A second client is served after the first has disconnected."""
    first = stub.client()
    second = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    second.connect(stub.path)
    second.sendall(vfu.HEADER.pack(1, vfu.VERSION, 20, 0, 0) + bytes(4))
    second.settimeout(0.1)
    try:
        second.recv(16)
        raise AssertionError("served beside the first")
    except TimeoutError:
        pass
    first.device_info()
    first.close()
    second.settimeout(vfu.TIMEOUT)
    assert second.recv(16)
    second.close()


def test_idle_device_sleeps(stub):
    """An idle device with a client and interrupts needs below 2 % of a core."""
    with stub.client() as client:
        client.enable()
        client.irq_enable(4)
        client.write(0, 0x40, 1000)
        time.sleep(0.1)
        start, cpu = time.monotonic(), stub.cpu_seconds()
        time.sleep(2)
        used = stub.cpu_seconds() - cpu
        assert used / (time.monotonic() - start) < 0.02


def test_prints_nothing_when_all_is_well(stub):
    """Without errors the process prints nothing."""
    with stub.client() as client:
        client.enable()
        client.irq_enable(2)
        client.reset()
    assert stub.stop() == 0
    assert stub.stderr() == ""


def test_debug_log_names_each_message(start_device):
    """--log debug prints the name of each message."""
    process = start_device("XRDMA_DEVICE_STUB", "--log", "debug")
    with process.client() as client:
        client.device_info()
        with vfu.refused(errno.ENOTSUP):
            client.call(99)
    assert process.stop() == 0
    log = process.stderr()
    assert "debug: VERSION: " in log
    assert "debug: DEVICE_GET_INFO: 32 bytes, 0 descriptors" in log
    assert "debug: unknown command: 16 bytes" in log


def test_sigterm_with_a_client_ends_cleanly(stub):
    """SIGTERM: exit status 0, sockets removed, the client is disconnected."""
    with stub.client() as client:
        client.enable()
        memory = vfu.GuestMemory(vfu.PAGE)
        client.dma_map(memory, 0)
        assert stub.stop() == 0
        assert client.sock.recv(1) == b""
        memory.close()
    assert not os.path.exists(stub.path)
    assert not os.path.exists(stub.control_path)


def test_stale_socket_is_replaced(start_device):
    """A device starts although a killed device has left its sockets."""
    first = start_device("XRDMA_DEVICE_STUB")
    first.process.send_signal(signal.SIGKILL)
    first.expected_status = -signal.SIGKILL
    first.process.wait()
    second = vfu.DeviceProcess(first.process.args[0],
                               os.path.dirname(first.path))
    with second.client() as client:
        client.device_info()
    assert second.stop() == 0


@pytest.mark.parametrize("option, name", [
    ("--socket {}", "precious"), ("--socket {}", "precious.new"),
    ("--socket {}.other --control {}", "precious"),
    ("--socket {}.other --control {}", "precious.new"),
    ("--socket {}.other --wire local={},remote={}.remote", "precious")])
@pytest.mark.parametrize("link", [False, True])
def test_file_in_place_of_a_socket_is_kept(start_device, tmp_path, option, name, link):
    """A file or a link that is not a socket is not replaced, neither at the path nor
    beside it."""
    path = tmp_path / name
    if link:
        (tmp_path / "target").write_text("data")
        path.symlink_to(tmp_path / "target")
    else:
        path.write_text("data")
    binary = start_device("XRDMA_DEVICE").process.args[0]
    words = option.format(*[tmp_path / "precious"] * 3).split()
    result = subprocess.run([binary, *words], capture_output=True, check=False,
                            text=True, timeout=vfu.TIMEOUT)
    assert result.returncode == 1
    assert "Address already in use" in result.stderr
    assert path.is_symlink() == link
    assert path.read_text() == "data"


def test_sockets_are_for_the_user_only(start_device, tmp_path):
    """Whoever connects can do everything to the device, so the mode of the sockets
    does not depend on the umask."""
    before = os.umask(0)
    try:
        device = start_device("XRDMA_DEVICE", "--wire",
                              f"local={tmp_path}/local,remote={tmp_path}/remote")
    finally:
        os.umask(before)
    device.stats()      # the wire is open
    for path in (device.path, device.control_path, tmp_path / "local"):
        mode = os.stat(path).st_mode
        assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o600, path


@pytest.mark.parametrize("options, policy", [
    ((), os.SCHED_OTHER), (("--realtime",), os.SCHED_RR)])
def test_real_time_priority_is_an_option(start_device, options, policy):
    """Without the option, the device runs with the priority of its caller."""
    device = start_device("XRDMA_DEVICE", *options)
    device.stats()
    assert os.sched_getscheduler(device.process.pid) == policy
    assert "--realtime" not in device.stderr()


def test_without_the_permission_the_priority_stays(start_device, tmp_path):
    """The device warns, and works."""
    binary = start_device("XRDMA_DEVICE").process.args[0]
    wrapper = tmp_path / "wrapper"
    wrapper.write_text("#!/bin/sh\nulimit -r 0\nexec setpriv --bounding-set=-sys_nice "
                       f"--inh-caps=-sys_nice {binary} \"$@\"\n")
    wrapper.chmod(0o755)
    device = vfu.DeviceProcess(str(wrapper), str(tmp_path), "--realtime")
    device.stats()
    assert os.sched_getscheduler(device.process.pid) == os.SCHED_OTHER
    assert "--realtime: not permitted, needs CAP_SYS_NICE" in device.stderr()
    assert device.stop() == 0


def test_files_that_replaced_the_sockets_are_kept(start_device, tmp_path):
    """At the end, a device removes its own sockets only."""
    local = tmp_path / "local"
    device = start_device("XRDMA_DEVICE", "--wire", f"local={local},remote={local}2")
    device.stats()      # the wire is open
    for path in (device.path, device.control_path, local):
        os.unlink(path)
        with open(path, "w", encoding="ascii") as file:
            file.write("data")
    assert device.stop() == 0
    for path in (device.path, device.control_path, local):
        with open(path, encoding="ascii") as file:
            assert file.read() == "data"


def test_bad_options_are_refused(start_device):
    """Invalid options end the process with status 1 and a message that names the
    option, and with a usage text unless only a value is wrong."""
    binary = start_device("XRDMA_DEVICE_STUB").process.args[0]
    for options, usage, word in (
            ([], True, "--socket"), (["--socket"], True, "--socket"),
            (["--socket", "x", "--mac", "1:2:3"], False, "'1:2:3'"),
            (["--socket", "x", "--mac", "01:00:00:00:00:01"], False, "--mac"),
            (["--socket", "x", "--msix-vectors", "65"], False, "'65'"),
            (["--socket", "x", "--seed", "-1"], False, "'-1'"),
            (["--socket", "x", "--log", "loud"], False, "'loud'"),
            (["--socket", "x", "--nonsense"], True, "--nonsense"),
            (["--socket", "x", "y"], True, "'y'")):
        result = subprocess.run([binary, *options], capture_output=True,
                                check=False, text=True)
        assert result.returncode == 1, options
        assert word in result.stderr.splitlines()[0], options
        assert ("usage:" in result.stderr) == usage, options
    result = subprocess.run([binary, "--help"], capture_output=True,
                            check=True, text=True)
    assert "--socket PATH" in result.stdout


def test_dies_with_its_parent(start_device, tmp_path):
    """With --die-with-parent the device ends when a killed test ends."""
    binary = start_device("XRDMA_DEVICE_STUB").process.args[0]
    sock = tmp_path / "sock"
    script = ("import subprocess, sys, time, os\n"
              "p = subprocess.Popen(sys.argv[1:])\n"
              "while not os.path.exists(sys.argv[3]): time.sleep(0.01)\n"
              "print(p.pid)\n")
    result = subprocess.run(
        [sys.executable, "-c", script, binary, "--socket", str(sock),
         "--die-with-parent"], capture_output=True, check=True, text=True)
    deadline = time.monotonic() + vfu.TIMEOUT
    while sock.exists():
        assert time.monotonic() < deadline, result.stdout
        time.sleep(0.01)

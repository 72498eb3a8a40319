# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A hostile device, whose completions, events, replies and counters have random or
nearly right bytes (model/core/chaos.h), under consumers of all kinds. The consumers may
fail, and the driver may declare the device dead; but no call may hang, the kernel must
not complain, and the device must work after the next probe once its data is right
again. Runs in a guest of `lab/vm run --kernel debug`."""

import contextlib
import glob
import multiprocessing
import os
import pathlib
import struct
import subprocess
import sys
import time

import pytest
from pyverbs.device import Context
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsRDMAError

from labverbs.rc import Buffer
from lib import binding, nvmet, uverbs
from lib.control import ask, stats
from lib.ether import FRAMES, frames
from lib.machine import PORT, Log, listens, settled
from lib.soak import soak

ROUNDS, PROBES, LIES = soak(1, 100), soak(2, 500), soak(100, 20000)
PATIENCE = 180
DMA = pathlib.Path("/sys/kernel/debug/dma-api/dump")
ADMIN_TIMEOUT = pathlib.Path("/sys/module/nvme_core/parameters/admin_timeout")
LOST = "5"          # time limit of an NVMe admin command in seconds
FORK = multiprocessing.get_context("fork")
STATES = 7          # number of states of a queue pair
BUSY = 5            # status of a command for an object in use
# kinds of data -> how many of a thousand are false
RATES = {"cqe": 100, "eqe": 300, "reply": 60, "body": 300, "stats": 500,
         "wqe": 300, "cqe,eqe,body,stats,wqe": 40}


def run(*argv, seconds=40, check=False):
    """Runs a command. Returns its exit status, or None if it had to be killed. Fails
    if the command does not end after it was killed."""
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as child:
        try:
            status = child.wait(seconds)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait(PATIENCE)
            status = None
    assert not check or status == 0, argv
    return status


def attempt(action):
    try:
        action()
    except OSError:
        sys.exit(1)


def bounded(action):
    """Checks that an action (unbind or bind) ends in time. Returns whether it
    succeeded."""
    child = FORK.Process(target=attempt, args=(action,))
    child.start()
    child.join(PATIENCE)
    assert child.exitcode is not None, f"{action.__name__} does not end"
    return child.exitcode == 0


@contextlib.contextmanager
def pingpong(*more):
    """Starts the server of a ping-pong. Yields the server and the command line of the
    client."""
    words = ["ibv_rc_pingpong", "-d", os.environ["XRDMA_DEV"], "-g",
             os.environ["XRDMA_GID_INDEX"], *more]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as server:
        settled(lambda: listens(PORT) or server.poll() is not None)
        yield server, [*words, "localhost"]


def pingpong_tried():
    with pingpong("-e", "-n", "100") as (server, words):
        run(*words, seconds=8)
        server.kill()
        server.wait(PATIENCE)


def pingpong_works():
    with pingpong("-c") as (server, words):
        run(*words, check=True)
        assert server.wait(PATIENCE) == 0


def connect_disk():
    """Connects NVMe over Fabrics with both ends in this kernel. The data of the device
    are right meanwhile: if the device dies while Linux 7.3 connects an I/O queue,
    nvme_rdma_setup_queue_async() waits for ever, in a work item that no signal ends,
    as RDMA_CM_EVENT_DEVICE_REMOVAL does not end its wait. For the same reason the host
    does not connect again."""
    run("nvme", "connect", "-t", "rdma", "-a", os.environ["XRDMA_ADDR"], "-s",
        nvmet.SERVICE, "-n", nvmet.NQN, "-i", "2", "-k", "2", "-l", "0", seconds=60,
        check=True)


def disk_tried():
    """Uses the disk, and so fast registration."""
    for path in pathlib.Path("/dev").glob("nvme*n1"):
        run("dd", f"if={path}", "of=/dev/null", "bs=64k", "count=32",
            "iflag=direct", seconds=30)
    run("nvme", "disconnect", "-n", nvmet.NQN, seconds=PATIENCE)


def connections_tried():
    """Uses GSI and connection manager."""
    words = ["-a", os.environ["XRDMA_ADDR"], "-C", "20"]
    with subprocess.Popen(["rping", "-s", *words], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as server:
        time.sleep(1)
        run("rping", "-c", *words, seconds=20)
        server.kill()
        server.wait(PATIENCE)


def use():
    """Uses the device in different ways, each of which may fail."""
    frames()
    disk_tried()
    connections_tried()
    run("ethtool", "-S", os.environ["XRDMA_NETDEV"])
    run("rdma", "resource", "show", "qp", "-dd")
    pingpong_tried()
    run("ip", "link", "set", os.environ["XRDMA_NETDEV"], "mtu", "1400")


@pytest.fixture
def target(tmp_path):
    disk = tmp_path / "disk"
    with open(disk, "wb") as file:
        file.truncate(16 << 20)
    nvmet.run("modprobe", "nvme-rdma")
    old = ADMIN_TIMEOUT.read_text()
    ADMIN_TIMEOUT.write_text(LOST)
    with nvmet.Target(os.environ["XRDMA_ADDR"], [disk]):
        yield
    ADMIN_TIMEOUT.write_text(old)


def leave():
    assert not binding.bound() or bounded(binding.unbind)


def renew():
    """Ends the corruption, unbinds and binds the driver. Then the device must work."""
    ask(cmd="chaos")
    leave()
    assert bounded(binding.bind)
    binding.ready(small=True)
    pingpong_works()
    assert frames(patience=10) == FRAMES


@pytest.fixture(scope="module", autouse=True)
def works_in_the_end():
    yield
    renew()


def test_the_device_found_no_fault_before():
    """The tests after this one cause host errors, which lab/vm therefore allows."""
    assert stats()["host_errors"] == 0


@pytest.mark.parametrize("what", soak(list(RATES)[-1:], RATES))
def test_consumers_of_a_device_with_false_data(what, rng, target):
    before = stats()["chaos"]
    for _ in range(ROUNDS):
        connect_disk()
        ask(cmd="chaos", what=what, rate=RATES[what],
            seed=rng.getrandbits(31) + 1)
        use()
        renew()
    after = stats()["chaos"]
    print(f"{what}: spoilt", {name: after[name] - before[name]
                              for name in what.split(",")})
    assert sum(after.values()) > sum(before.values())


class Queues:
    """The handles of a completion queue and of a queue pair that is not connected."""

    def __init__(self):
        self.ctx = Context(name=os.environ["XRDMA_DEV"])
        self.pd = PD(self.ctx)
        self.rings = Buffer((1 << 16, False)), Buffer((1 << 16, False))
        self.cq = uverbs.create_cq(self.ctx, 64, struct.pack(
            "<QII", self.rings[0].address, 6, 0))[0]
        self.qp = uverbs.create_qp(self.ctx, self.pd, self.cq, struct.pack(
            "<QBBBBI", self.rings[1].address, 4, 2, 4, 5, 0))

    def state(self):
        return uverbs.query_qp_state(self.ctx, self.qp)

    def to(self, state):
        uverbs.modify_qp(self.ctx, self.qp, state)

    def resize(self):
        uverbs.resize_cq(self.ctx, self.cq, 32, struct.pack(
            "<QII", self.rings[0].address, 5, 0))

    def close(self):
        uverbs.destroy_qp(self.ctx, self.qp)
        uverbs.destroy_cq(self.ctx, self.cq)
        self.pd.close()
        self.ctx.close()


def test_entries_that_the_device_changes_unmap_nothing():
    """The driver unmaps the memory of a frame, whatever the device writes to the send
    ring. The debug kernel checks each mapping."""
    before = stats()["chaos"]["wqe"]
    ask(cmd="chaos", what="wqe", rate=1000, seed=1)
    assert frames(patience=10) == FRAMES
    ask(cmd="chaos")
    assert stats()["chaos"]["wqe"] - before >= FRAMES
    assert frames(patience=10) == FRAMES


def read_parameters():
    for path in glob.glob("/sys/kernel/debug/xrdma/*/cc/*"):
        pathlib.Path(path).read_bytes()


def test_replies_with_false_contents(rng):
    """Replies come in time and report success, but their bodies are corrupted. The
    driver passes an invalid state neither to the core nor to the user."""
    queues, seen = Queues(), []
    calls = [lambda: seen.append(queues.state()), lambda: queues.to(1),
             lambda: queues.to(6), lambda: queues.to(0), queues.resize,
             read_parameters]
    ask(cmd="chaos", what="body", rate=1000, seed=rng.getrandbits(31) + 1)
    failed = 0
    for _ in range(LIES):
        try:
            rng.choice(calls + calls[:2])()
        except OSError:
            failed += 1
    ask(cmd="chaos")
    print(f"{LIES} calls, {failed} failed, states seen: {sorted(set(seen))}")
    assert seen and failed and max(seen) < STATES
    queues.to(0)
    assert queues.state() == 0
    queues.close()


def test_memory_of_a_command_that_is_not_answered():
    """The driver keeps the memory until it has silenced the device, then frees it."""
    ask(cmd="command_fault", kind="hang", opcode="QUERY_STATS")
    run("ethtool", "-S", os.environ["XRDMA_NETDEV"])
    assert ask(cmd="command_faults_clear")["left"] == 0
    leave()
    assert binding.PCI not in DMA.read_text()
    renew()


@pytest.mark.parametrize("opcode", ["INVALIDATE", "DESTROY_QP", "DESTROY_CQ"])
def test_an_unused_object_reported_as_busy(opcode):
    """If the device reports an unused object as busy, the driver silences the device
    and frees the memory."""
    queues, buf = Queues(), Buffer((4096, False))
    region = uverbs.reg_mr(queues.ctx, queues.pd, buf.address, 4096,
                           buf.address, 0)[0]
    log = Log()
    ask(cmd="command_fault", kind="fail", opcode=opcode, status=BUSY)
    ends = {"INVALIDATE": lambda: uverbs.dereg_mr(queues.ctx, region),
            "DESTROY_QP": lambda: uverbs.destroy_qp(queues.ctx, queues.qp),
            "DESTROY_CQ": lambda: uverbs.destroy_cq(queues.ctx, queues.cq)}
    for name, end in ends.items():
        end()
        if name == opcode:
            break
    assert ask(cmd="command_faults_clear")["left"] == 0
    assert any(f"it refuses command {opcode} " in error for error in log.errors())
    leave()
    assert binding.PCI not in DMA.read_text()
    # the core has destroyed the other objects when the device died
    with contextlib.suppress(PyverbsRDMAError):
        queues.ctx.close()
    renew()


def test_probe_with_corrupted_replies(rng):
    """Probe with invalid limits, failing commands, and commands without a reply. Some
    probes fail: in the first one each reply is corrupted."""
    leave()
    probed, before = 0, stats()["chaos"]["reply"]
    for number in range(PROBES):
        ask(cmd="chaos", what="reply", rate=(1000, 300, 50)[number % 3],
            seed=rng.getrandbits(31) + 1)
        probed += bounded(binding.bind)
        ask(cmd="chaos")
        leave()
    spoilt = stats()["chaos"]["reply"] - before
    print(f"{PROBES} probes, {probed} of them to the end, {spoilt} replies "
          "spoilt")
    assert spoilt > 0
    assert probed < PROBES

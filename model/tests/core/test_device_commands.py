# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of commands: golden bytes, refused commands, injected faults."""

import pathlib
import re
import struct
import time

import pytest

import xrdma_driver as x

SPEC = (pathlib.Path(__file__).resolve().parents[3] /
        "Documentation/infiniband/xrdma-hw.rst")


def golden():
    """Return the golden bytes of the specification by name."""
    text = SPEC.read_text(encoding="utf-8")
    parts = re.split(r"^\.\. golden: (\w+)$", text, flags=re.M)[1:]
    return {name: bytes.fromhex("".join(re.findall(
        r"^  [0-9a-f]{4}: ([0-9a-f ]+)$", body, flags=re.M)))
        for name, body in zip(parts[::2], parts[1::2])}


GOLDEN = golden()


def post_raw(host, raw):
    """Post the bytes of a command, with another id."""
    opcode, _, reserved, body = x.CMD.unpack(raw)
    return host.try_command(opcode, body, reserved)


def test_layouts_of_the_test_driver():
    """The structures of xrdma_driver.py equal the golden bytes."""
    assert x.SGE.pack(0x7F0012345678, 65536, 0x1122335A) == GOLDEN["sge"]
    assert x.RQ_WQE.pack(3, bytes(6), 0xFEDCBA9876543210) == GOLDEN["rq_wqe"]
    assert x.SQ_WQE.pack(x.WRITE_IMM, x.SIGNALED | x.SOLICITED, 2, 0xEFBEADDE,
                         0x7F0099990000, 0x4455667E, 0,
                         0x0123456789ABCDEF) == GOLDEN["wqe_write_imm"]
    assert x.AV.pack(x.gid_of(1), bytes.fromhex("020102030405"), 0xC123,
                     0x54321, 1, 64, 0x20, 3) == GOLDEN["av"]
    fields = x.EQE.unpack(GOLDEN["eqe_fault"])
    assert fields[:6] == (x.FAULT, x.F_RANGE, x.WRITE, 3, 0xABCDE, 0x1122335A)
    fields = x.CQE.unpack(GOLDEN["cqe_error"])
    assert (fields[6], fields[9], fields[-1]) == (x.WC_REM_ACCESS, 0x1234, 0)


def test_golden_commands_are_carried_out(host):
    """The golden bytes are executed unchanged."""
    assert post_raw(host, GOLDEN["cmd_set_gid"])[0] == x.OK
    # the queue pair does not exist; all other fields are valid
    assert post_raw(host, GOLDEN["cmd_modify_port"])[0] == x.BAD_NUMBER
    assert post_raw(host, GOLDEN["cmd_destroy_qp"])[0] == x.BAD_NUMBER
    assert post_raw(host, GOLDEN["cmd_modify_qp"])[0] == x.BAD_NUMBER
    # the objects do not exist; all other fields are valid
    for name in ("cmd_create_srq", "cmd_modify_srq", "cmd_mcast",
                 "cmd_create_flow", "cmd_create_rss", "cmd_modify_cq",
                 "cmd_bind_counter"):
        assert post_raw(host, GOLDEN[name])[0] == x.BAD_NUMBER
    host.expected = {"CMD_NUMBER": 10}


def test_golden_queue_objects(host):
    """The golden bytes create objects, after a change of their addresses."""
    def at(name, addr, level=0, leaf=19, offset=8):
        raw = bytearray(GOLDEN[name])
        raw[offset:offset + 8] = x.root(addr, level, leaf).to_bytes(8, "little")
        return raw

    eq = at("cmd_create_eq", host.alloc(1 << 19, 1 << 19))
    eq[16:20] = (2).to_bytes(4, "little")
    assert post_raw(host, eq)[0] == x.OK
    cq = at("cmd_create_cq", host.alloc(1 << 19, 1 << 19))
    assert post_raw(host, cq)[0] == x.OK
    cq[16:20] = (0x322).to_bytes(4, "little")
    assert post_raw(host, cq)[0] == x.OK
    qp = at("cmd_create_qp", host.alloc(1 << 19, 1 << 19))
    qp[16:20] = (0x1234).to_bytes(4, "little")
    assert post_raw(host, qp)[0] == x.OK
    assert host.stats()["device"]["qps"] == 1


def test_golden_replies(host):
    """Replies equal the golden bytes, except for values of the device."""
    device_raw = host.command(x.QUERY_DEVICE)
    shown = x.RSP.unpack(GOLDEN["rsp_query_device"])[4]
    # limits that equal those of the golden bytes
    assert device_raw[44:48] == shown[36 + 8:40 + 8]
    assert device_raw[52] == shown[52]
    assert device_raw[54:60] == shown[54:60]
    port = host.command(x.QUERY_PORT)
    assert port[:8] == x.RSP.unpack(GOLDEN["rsp_query_port"])[4][:8]
    assert port[8:14] == host.mac()


def test_every_reserved_byte_is_refused(host):
    """Each reserved byte of a command is set, one after another."""
    for offset in (4, 5, 63, 119):
        body = bytearray(120)
        body[offset] = 1
        assert host.try_command(x.DESTROY_QP, bytes(body))[0] == x.BAD_PARAM
    assert host.try_command(x.NOP, reserved=1 << 31)[0] == x.BAD_PARAM
    host.expected = {"CMD_RESERVED": 5}


@pytest.mark.parametrize("opcode", [0x09, 0x24, 0x44, 0x56, 0x63, 0xFFFF])
def test_unknown_commands(host, opcode):
    """Unknown opcodes are refused with their own status."""
    assert host.try_command(opcode)[0] == x.BAD_OPCODE
    host.expected = {"CMD_OPCODE": 1}


def test_objects_are_destroyed_in_order(host):
    """A CQ cannot be destroyed while a queue pair uses it."""
    a, b = x.pair(host)
    number = struct.pack("<I", a.send_cq.number)
    assert host.try_command(x.DESTROY_EQ, struct.pack("<I", 1))[0] == x.BUSY
    assert host.try_command(x.DESTROY_CQ, number)[0] == x.BUSY
    for qp in (a, b):
        host.object_command(x.DESTROY_QP, qp.number)
    for qp in (a, b):
        host.object_command(x.DESTROY_CQ, qp.send_cq.number)
        host.object_command(x.DESTROY_CQ, qp.recv_cq.number)
    host.object_command(x.DESTROY_EQ, 1)
    assert host.try_command(x.DESTROY_CQ, number)[0] == x.BAD_NUMBER
    host.expected = {"CMD_BUSY": 2, "CMD_NUMBER": 1}


def test_a_batch_of_commands(host):
    """A full ring of commands: each is answered and raises vector 0."""
    host.irqs[0].wait(0)
    for _ in range(1 << x.CMD_DEPTH_LOG):
        host.post(x.NOP)
    ids = [host.reply()[1] for _ in range(1 << x.CMD_DEPTH_LOG)]
    assert ids == sorted(ids)


def test_a_ring_that_runs_over(host):
    """A producer index beyond the ring is refused."""
    host.write(x.CMD_DB, host.commands + (1 << x.CMD_DEPTH_LOG) + 1)
    host.command(x.NOP)
    host.expected = {"CMD_INDEX": 1}


def test_statistics(host):
    """QUERY_STATS writes the counters to the given address."""
    addr = host.alloc(4096)
    host.put(addr, b"\xee" * 4096)
    host.command(x.QUERY_STATS, struct.pack("<QII", addr, 15, 0))
    values = struct.unpack("<16Q", host.get(addr, 128))
    assert values[14] == host.stats()["device"]["counters"]["commands"]
    assert values[15] == 0xEEEEEEEEEEEEEEEE


def fault(host, **what):
    """Inject a fault by the control socket."""
    control = host.process.control()
    assert control.request(cmd="command_fault", **what)["ok"]
    control.close()


def test_fault_hang(host):
    """The command is never answered; other commands are."""
    fault(host, opcode="QUERY_PORT", kind="hang")
    host.post(x.QUERY_PORT)
    host.post(x.NOP)
    assert host.reply()[0] == x.NOP
    assert host.reply(0.1) is None


def test_fault_fail(host):
    """The command is answered with the given status and not executed."""
    fault(host, opcode="any", kind="fail", status=x.NO_RESOURCE)
    with pytest.raises(x.CommandFailed):
        x.CompletionQueue(host, 40)
    assert host.stats()["device"]["cqs"] == 0
    x.CompletionQueue(host, 40)


def test_fault_that_lets_others_pass(host):
    """The third command fails; clearing reports the faults that are left."""
    fault(host, opcode="any", kind="fail", status=x.NO_RESOURCE, skip=2)
    fault(host, opcode="QUERY_PORT", kind="fail", skip=5, count=2)
    status = [host.try_command(x.NOP)[0] for _ in range(4)]
    assert status == [x.OK, x.OK, x.NO_RESOURCE, x.OK]
    control = host.process.control()
    assert control.request(cmd="command_faults_clear")["left"] == 7
    assert control.request(cmd="command_faults_clear")["left"] == 0
    control.close()


@pytest.mark.parametrize("kind", ["delay", "late"])
def test_fault_late(host, kind):
    """The command is answered after the given delay."""
    fault(host, opcode="NOP", kind=kind, ms=150)
    start = time.monotonic()
    host.command(x.NOP)
    assert 0.14 < time.monotonic() - start < 5


def test_reset_ends_a_late_command(host):
    """A reply that is due after the reset is not sent."""
    fault(host, opcode="NOP", kind="late", ms=50)
    host.post(x.NOP)
    host.write(x.CTRL, x.RESET)
    assert host.reply(0.15) is None


KINDS = "words: hang, fail, delay, late, wrong"


@pytest.mark.parametrize("cmd, request_, error", [
    ("command_fault", {"opcode": "NOP"}, f"'kind' is missing; {KINDS}"),
    ("command_fault", {"opcode": "NOP", "kind": "explode"},
     f"kind: no such word: 'explode'; {KINDS}"),
    ("command_fault", {"kind": "hang", "opcode": "NOP", "times": 2},
     "no such option: 'times'; options: opcode kind count skip ms status"),
    ("command_fault", {"kind": "late", "opcode": "NOP", "ms": -1},
     "ms: -1 is not a number from 0 to 600000"),
    ("command_fault", {"kind": "hang", "opcode": "NOP", "count": 0},
     "count: 0 is not a number from 1 to 4294967295"),
    ("command_fault", {"kind": "fail", "opcode": "NOP", "status": 0},
     "status: 0 is not a number from 1 to 255"),
    ("command_faults_clear", {"all": True},
     "no such option: 'all'; options: none"),
    ("eth_fault", {"kind": "loss"},
     "kind: no such word: 'loss'; words: none, send, receive, stall, "
     "fatal, merged"),
    ("paging_fault", {"kind": "early"},
     "kind: no such word: 'early'; words: late, lost, twice, answer_lost"),
    ("gone", {"on": "yes"}, "on: \"yes\" is not true or false"),
    ("register_lie", {"register": "STATUS"}, "'value' is missing"),
    ("chaos", {"what": "cqe,frames"},
     "what: no such word: 'frames'; words: cqe, eqe, reply, body, stats, wqe"),
    ("chaos", {"rate": 1001}, "rate: 1001 is not a number from 0 to 1000"),
])
def test_a_bad_request_is_refused(host, cmd, request_, error):
    """The error names the word, and says what is taken."""
    control = host.process.control()
    reply = control.request(cmd=cmd, **request_)
    assert reply == {"ok": False, "error": error}
    control.close()


@pytest.mark.parametrize("cmd, request_, some", [
    ("command_fault", {"kind": "hang", "opcode": "DANCE"}, "CREATE_QP"),
    ("register_lie", {"register": "DANCE", "value": 0}, "STATUS"),
])
def test_a_long_list_of_words(host, cmd, request_, some):
    """The error lists all opcodes, or all registers that can be read."""
    control = host.process.control()
    start, words = control.request(cmd=cmd, **request_)["error"].split("; words: ")
    assert start.endswith(": no such word: 'DANCE'")
    assert some in words.split(", ") and words.split(", ")[-1].isupper()
    control.close()


def test_fault_records_of_a_full_queue_are_counted(host):
    """Fault records use at most half of event queue 0; others are counted."""
    a, _ = x.pair(host)
    for _ in range(100):
        a.modify(1, state=x.Q_RESET)
        host.put(a.record, bytes(128))
        a.sq_pi = 0
        a.connect(a)
        a.send(x.SEND, [(0, 1, 0xDEAD00)])
        assert a.sent()["status"] == x.WC_LOC_PROT
    counters = host.stats()["device"]["counters"]
    assert counters["access_faults"] == 100
    lost = counters["access_faults_lost"]
    # PORT_UP has an entry too; the last record leaves 32 of 64 entries free
    assert 100 - lost == 32
    assert host.eqs[0].find(x.PORT_UP, 0.1)
    records = [host.eqs[0].poll() for _ in range(100 - lost)]
    assert {r[0] for r in records} == {x.FAULT}
    assert {r[1] for r in records} == {x.KEY_INDEX}

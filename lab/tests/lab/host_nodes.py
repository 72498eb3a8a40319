# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Two machines: what lab/vm promises about node 2, the wire and the end of both.
Runs on the host."""

import json
import struct
import subprocess

import pytest

from lib.launch import lab_vm

XRDMA = ("--peer", "xrdma")
BARE = ("--nodes", "2", "--no-device", "--no-build")


def pair(script, options=BARE):
    """Runs a shell script in node 1 of two."""
    return subprocess.run(
        lab_vm(*options, "--timeout", "200") + ["bash", "-c", script],
        capture_output=True, text=True, timeout=300, check=False)


def say(script, options=BARE):
    """Runs a shell script in node 1 of two, which must succeed. Returns its lines."""
    out = pair(script, options)
    assert out.returncode == 0, out.stderr
    return out.stdout.splitlines()


# ---- on-peer -------------------------------------------------------------------

ON_PEER = """
on-peer hostname
on-peer printf '<%s>' 'a b' '' '*' "$(echo; echo x)"; echo
echo through | on-peer cat
on-peer sh -c 'echo out; echo err >&2; exit 7' 2>&1 >/dev/null; echo $?
on-peer sh -c 'kill -9 $$'; echo $?
on-peer no-such-command 2>/dev/null; echo $?
# much, both ways
head -c 9000000 /dev/urandom >a
on-peer sh -c 'tee b' <a | cmp - a && echo same
on-peer sh -c 'cat b b' | cmp - <(cat a a) && echo same
# many at once
(for n in 1 2 3 4 5 6 7 8; do on-peer sh -c "sleep 1; echo $n" & done; wait) |
    sort | tr -d '\n'; echo
# what is left in the background goes on
on-peer sh -c 'yes & sleep 77 & exit 3' >/dev/null; echo $?
on-peer pgrep -c '^yes$|^sleep$'
on-peer pkill -x yes
# what runs dies with its on-peer
on-peer sh -c 'sleep 88 & sleep 88' &
until [ "$(on-peer pgrep -c -f '^sleep 88')" = 2 ]; do sleep 0.1; done
kill -9 $!
while on-peer pgrep -f '^sleep 88' >/dev/null; do sleep 0.1; done
"""


def test_on_peer():
    assert say(ON_PEER) == [
        "node2", "<a b><><*><", "x>", "through", "err", "7", "137", "127",
        "same", "same", "12345678", "3", "2"]


def test_without_a_node_2_it_says_so():
    out = pair("on-peer true", ("--no-device", "--no-build"))
    assert out.returncode == 2
    assert "no second node" in out.stderr


# ---- both ends are judged ------------------------------------------------------

@pytest.mark.parametrize("script, status, words", [
    ("echo 'WARNING: x' | on-peer tee /dev/kmsg", 125,
     "node 2: the kernel complained"),
    ("on-peer sh -c 'echo c >/proc/sysrq-trigger'; sleep 60", 126,
     "sysrq triggered crash")])
def test_a_complaint_of_node_2_fails(script, status, words):
    out = pair(script)
    assert out.returncode == status, out.stderr
    assert words in out.stderr


def test_the_peers_device_is_judged():
    out = pair("on-peer python3 -B /src/lab/tests/scenarios/device/guest_device.py host_error",
               (*XRDMA, "--no-driver"))
    assert out.returncode == 125, out.stderr
    assert "node 2: the device counted" in out.stderr


# ---- the wire ------------------------------------------------------------------

@pytest.mark.parametrize("options, sent, received", [
    (("--peer", "xrdma"), [True, True], [False, False]),
    (("--peer", "rxe"), [True, None], [True, None])])
def test_impairment_is_in_both_directions(options, sent, received):
    lines = say("""
        ping -q -f -c 300 -w 20 $PEER_ADDR >&2
        xrdma-device '{"cmd":"stats"}'
        xrdma-device --node 2 '{"cmd":"stats"}'
        """, (*options, "--impair", "loss=10%,dup=5%,seed=3"))
    assert len(lines) == len(sent)
    for number, line in enumerate(lines):
        if sent[number] is None:
            assert not json.loads(line)["ok"]
            continue
        wire = json.loads(line)["wire"]
        assert bool(wire["tx_impaired"]["loss"]) == sent[number]
        assert bool(wire["rx_impaired"]["loss"]) == received[number]


def test_a_bad_impairment_is_refused():
    out = pair("true", (*XRDMA, "--impair", "loss=1%,duplicate=1%"))
    assert out.returncode == 2
    assert ("--impair loss=1%,duplicate=1%: no such word: 'duplicate'; words: delay, "
            "seed, loss, corrupt, corrupt-icrc-ok, ecn, dup, reorder\n") in out.stderr


def frames(path):
    """The frames in a pcap file."""
    data = path.read_bytes()
    assert data[:4] in (b"\x4d\x3c\xb2\xa1", b"\xd4\xc3\xb2\xa1")
    at, found = 24, []
    while at < len(data):
        length, original = struct.unpack_from("<8xII", data, at)
        assert length == original
        found.append(data[at + 16:at + 16 + length])
        at += 16 + length
    return found


REACH = """
ping -q -c 3 -i 0.2 -p abcdef $PEER_ADDR >&2
ping -q -c 1 $PEER_ADDR6 >&2
ping -q -c 1 -M do -s 4472 $PEER_ADDR >&2
env | grep XRDMA_DEV=
echo $XRDMA_ADDR $XRDMA_ADDR6 $PEER_ADDR $PEER_ADDR6
on-peer sh -ec 'env | grep XRDMA_DEV=
    echo $PEER_ADDR $PEER_ADDR6 $XRDMA_ADDR $XRDMA_ADDR6'
"""


@pytest.mark.parametrize("options, names", [
    (("--peer", "xrdma"), ["xrdma0", "xrdma0"]),
    (("--peer", "rxe"), ["xrdma0", "rxe0"]),
    (("--both", "rxe"), ["rxe0", "rxe0"])])
def test_the_nodes_reach_each_other(options, names, tmp_path):
    path = tmp_path / "wire.pcap"
    addresses = "192.168.77.1 fd00:77::1 192.168.77.2 fd00:77::2"
    assert say("set -e" + REACH, (*options, "--capture", str(path))) == [
        f"XRDMA_DEV={names[0]}", addresses, f"XRDMA_DEV={names[1]}", addresses]
    echo = [frame for frame in frames(path) if b"\xab\xcd\xef" * 8 in frame]
    # requests and replies
    assert sorted(frame[34] for frame in echo) == [0] * 3 + [8] * 3

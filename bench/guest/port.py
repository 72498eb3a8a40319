#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Measures TCP from this node to the other one through the network interfaces, with
iperf3: that of the xrdma device, or virtio-net in two nodes with soft-RoCE. An emulated
machine is much slower than a real one, so only the ratios are meaningful.

usage: port.py [channels]

Prints "figure FIGURE DEVICE UNIT VALUE SECONDS" for each sample. With "channels":
samples of eight streams through one channel of the interface and through eight, in
turn, instead of samples of one stream.
"""

import json
import os
import subprocess
import sys
import time

SECONDS = 4
SAMPLES = 7
CONNECT_S = 20
MTU = 1500
DEVICE, NETDEV = os.environ["XRDMA_DEV"], os.environ["XRDMA_NETDEV"]


def both(*words):
    """Runs a command in both nodes, whose interfaces have the same name."""
    for prefix in [], ["on-peer"]:
        subprocess.run([*prefix, *words], check=True, stdout=subprocess.DEVNULL)


def client(streams):
    """Runs the client, again and again until the server accepts the connection. Returns
    its report."""
    deadline = time.monotonic() + CONNECT_S
    while True:
        done = subprocess.run(
            ["iperf3", "-J", "-t", str(SECONDS), "-P", str(streams), "-c",
             os.environ["PEER_ADDR"]], check=False, capture_output=True, text=True)
        if not done.returncode:
            return json.loads(done.stdout)
        if time.monotonic() > deadline:
            raise SystemExit(f"iperf3: {done.stdout}{done.stderr}")
        time.sleep(0.1)


def sample(streams=1):
    """The end of the report of one run of iperf3."""
    with subprocess.Popen(["on-peer", "iperf3", "-s", "-1"],
                          stdout=subprocess.DEVNULL):
        return client(streams)["end"]


def figure(name, unit, value, seconds):
    """Prints a sample."""
    print(f"figure port/{name} {DEVICE} {unit} {value:.9g} {seconds:.3f}", flush=True)


def measure_stream():
    """Takes samples of one stream, and of the number of its segments sent again."""
    for _ in range(SAMPLES):
        end = sample()
        got, sent = end["sum_received"], end["sum_sent"]
        figure("tcp", "Mbit/s", got["bits_per_second"] / 1e6, got["seconds"])
        figure("tcp-resent", "segments", sent["retransmits"], got["seconds"])


def measure_channels():
    """Takes samples of eight streams."""
    for _ in range(SAMPLES):
        for channels in 1, 8:
            both("ethtool", "-L", NETDEV, "combined", str(channels))
            got = sample(8)["sum_received"]
            figure(f"channels-{channels}", "Mbit/s", got["bits_per_second"] / 1e6,
                   got["seconds"])


def main():
    both("ip", "link", "set", NETDEV, "mtu", str(MTU))
    if sys.argv[1:] == ["channels"]:
        measure_channels()
    else:
        measure_stream()


if __name__ == "__main__":
    main()

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Measures times by the clock, from this node to the other one. An emulated machine is
# much slower than a real one, so only the ratios are meaningful.

set -euo pipefail

perf() {
	"$(dirname "$0")/perf.py" --peer "$@"
}

ip link set "$XRDMA_NETDEV" mtu 4500 2>/dev/null ||
	ip link set "$XRDMA_NETDEV" mtu 4200
on-peer ip link set "$XRDMA_NETDEV" mtu "$(cat /sys/class/net/"$XRDMA_NETDEV"/mtu)"
perf nodes/write-64k MiB/s 100 ib_write_bw -s 65536
perf nodes/write-64 M/s 1000 ib_write_bw -s 64
perf nodes/write-2-latency us 200 ib_write_lat -s 2
perf nodes/qps-1000 MiB/s 5 ib_write_bw -s 4096 -q 1000 -t 4

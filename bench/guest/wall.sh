#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Measures times by the clock, of xrdma and soft-RoCE in turn. An emulated machine is
# much slower than a real one, so only the ratios are meaningful.

set -euo pipefail
bin=/src/build/bench
perf=$(dirname "$0")/perf.py
rounds=5

# threads DEVICE: takes a sample of both figures whose ratio is threads/gain
threads() {
	"$bin/threads" "$1" 1 && "$bin/threads" "$1" 2
}

eval "$(lab-rxe)"
export RXE_DEV RXE_GID_INDEX
ip link set "$XRDMA_NETDEV" mtu 4500
"$perf" wall/write-64k MiB/s 100 ib_write_bw -s 65536
"$perf" wall/write-64 M/s 1000 ib_write_bw -s 64
"$perf" wall/write-2-latency us 500 ib_write_lat -s 2
for ((round = 0; round < rounds; round++)); do
	for device in "$XRDMA_DEV" "$RXE_DEV"; do
		threads "$device" ||
			echo "failed threads/gain $device status $?"
	done
done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Times by the clock, of xrdma and soft-RoCE in turn. Good for ratios only.

set -euo pipefail
bin=/src/build/bench
rounds=5

# run COMMAND...: as server, then as client; prints what the client says
run() {
	"$@" >/tmp/server.log 2>&1 &
	local server=$! try

	for ((try = 0; try < 50; try++)); do
		if "$@" 127.0.0.1 >/tmp/client.log 2>&1; then
			wait $server
			cat /tmp/client.log
			return
		fi
		grep -q 'Couldn.t connect' /tmp/client.log || break
		sleep 0.1
	done
	kill $server || :
	cat /tmp/server.log /tmp/client.log >&2
	return 1
}

# perf FIGURE UNIT COLUMN PROGRAM ARGUMENTS...: a sample for each device
perf() {
	local figure=$1 unit=$2 column=$3 device name gid
	shift 3

	for device in "$XRDMA_DEV $XRDMA_GID_INDEX" "$RXE_DEV $RXE_GID_INDEX"; do
		read -r name gid <<<"$device"
		run "$@" -d "$name" -x "$gid" -F |
			awk -v c="$column" -v head="figure $figure $name $unit" '
				/^ *[0-9]+ +[0-9]+ +[0-9.]/ { print head, $c }'
	done
}

eval "$(lab-rxe)"
ip link set "$XRDMA_NETDEV" mtu 4500
for ((round = 0; round < rounds; round++)); do
	perf wall/write-64k MiB/s 4 ib_write_bw -s 65536 -n 300
	perf wall/write-64 M/s 5 ib_write_bw -s 64 -n 5000
	perf wall/write-2-latency us 5 ib_write_lat -s 2 -n 500
	for device in "$XRDMA_DEV" "$RXE_DEV"; do
		$bin/threads "$device" 1 4
		$bin/threads "$device" 2 4
	done
done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Times by the clock, from this node to the other. Good for ratios only.

set -euo pipefail
rounds=3

# perf FIGURE UNIT COLUMN PROGRAM ARGUMENTS...: a sample; the server is the peer
perf() {
	local figure=$1 unit=$2 column=$3 server try
	shift 3

	# both nodes name their devices alike
	on-peer "$@" -d "$XRDMA_DEV" -x "$XRDMA_GID_INDEX" -F \
		>/tmp/server.log 2>&1 &
	server=$!
	for ((try = 0; try < 50; try++)); do
		if "$@" -d "$XRDMA_DEV" -x "$XRDMA_GID_INDEX" -F "$PEER_ADDR" \
		   >/tmp/client.log 2>&1; then
			wait $server
			awk -v c="$column" \
			    -v head="figure $figure $XRDMA_DEV $unit" '
				/^ *[0-9]+ +[0-9]+ +[0-9.]/ { print head, $c }' \
				/tmp/client.log
			return
		fi
		grep -q 'Couldn.t connect' /tmp/client.log || break
		sleep 0.2
	done
	kill $server || :
	cat /tmp/server.log /tmp/client.log >&2
	return 1
}

ip link set "$XRDMA_NETDEV" mtu 4500 2>/dev/null ||
	ip link set "$XRDMA_NETDEV" mtu 4200
on-peer ip link set "$XRDMA_NETDEV" mtu "$(cat /sys/class/net/"$XRDMA_NETDEV"/mtu)"
for ((round = 0; round < rounds; round++)); do
	perf nodes/write-64k MiB/s 4 ib_write_bw -s 65536 -n 300
	perf nodes/write-64 M/s 5 ib_write_bw -s 64 -n 5000
	perf nodes/write-2-latency us 5 ib_write_lat -s 2 -n 500
done
perf nodes/qps-1000 MiB/s 4 ib_write_bw -s 4096 -q 1000 -n 5 -t 4

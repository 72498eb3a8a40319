#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The demonstration, inside of a guest of lab/vm: the device, validated rounds,
# bandwidth beside soft-RoCE, a real file moved between two processes, and the
# tour of registration. Real programs; ours are filemove.py and tour.py.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
bar=$(printf '%.0s-' {1..76})

step() {
	printf '%s\n%s\n' "$bar" "$*"
}

die() {
	printf 'demo: %s\n' "$*" >&2
	printf 'demo: to look around: lab/vm shell; kernel log: dmesg\n' >&2
	exit 1
}

# run SERVER-AND-CLIENT-COMMAND...: both sides; prints what the client says
run() {
	"$@" >/tmp/server.log 2>&1 &
	local server=$! try

	for ((try = 0; try < 50; try++)); do
		if "$@" 127.0.0.1 >/tmp/client.log 2>&1; then
			wait $server || return 1
			cat /tmp/client.log
			return 0
		fi
		grep -q 'Couldn.t connect' /tmp/client.log || break
		sleep 0.1
	done
	kill $server 2>/dev/null || true
	cat /tmp/server.log /tmp/client.log >&2
	return 1
}

# perf PROGRAM COLUMN DEVICE GID-INDEX ARGUMENTS...: one figure of perftest
perf() {
	local program=$1 column=$2 dev=$3 gid=$4

	shift 4
	run "$program" -d "$dev" -x "$gid" -F "$@" |
		awk -v c="$column" '/^ *[0-9]+ +[0-9]+ +[0-9.]/ { v = $c }
			END { if (v == "") exit 1; print v }'
}

# row LABEL UNIT PROGRAM COLUMN XRDMA-ROUNDS RXE-ROUNDS ARGUMENTS...
row() {
	local label=$1 unit=$2 program=$3 column=$4 rounds=$5 fewer=$6 ours theirs

	shift 6
	ours=$(perf "$program" "$column" "$XRDMA_DEV" "$XRDMA_GID_INDEX" \
		-n "$rounds" "$@") || die "$program failed on $XRDMA_DEV"
	theirs=$(perf "$program" "$column" "$RXE_DEV" "$RXE_GID_INDEX" \
		-n "$fewer" "$@") || die "$program failed on $RXE_DEV"
	awk -v l="$label" -v u="$unit" -v a="$ours" -v b="$theirs" 'BEGIN {
		printf "  %-28s %12.1f %12.1f  %-6s %8.2f x\n", l, a, b, u, a / b }'
}

ip link set lo up
ip link set "$XRDMA_NETDEV" mtu 4500
eval "$(lab-rxe)"

step "The device: ibv_devinfo -v"
ibv_devinfo -v -d "$XRDMA_DEV" | expand | grep -v '^ *$' | pr -2 -t -w 120 -l 45

step "1,000 rounds of validated payload: ibv_rc_pingpong -c -n 1000"
run ibv_rc_pingpong -d "$XRDMA_DEV" -g "$XRDMA_GID_INDEX" -c -n 1000 |
	grep -E 'bytes in|iters in' | sed 's/^/  /' || die "ibv_rc_pingpong failed"

step "perftest on $XRDMA_DEV beside soft-RoCE in the same guest"
printf '  %-28s %12s %12s  %-6s %10s\n' "" "$XRDMA_DEV" "$RXE_DEV" "" ratio
row "ib_send_bw 64 KiB" MiB/s ib_send_bw 4 4000 200 -s 65536
row "ib_write_bw 64 KiB" MiB/s ib_write_bw 4 4000 200 -s 65536
row "ib_read_bw 64 KiB" MiB/s ib_read_bw 4 4000 200 -s 65536
row "ib_write_lat 2 B, typical" us ib_write_lat 5 1000 500 -s 2

step "A real file between two processes, 1 GiB buffer of 4K and 2M pages"
file=/tmp/payload
: >$file
for part in /boot/vmlinuz-* /boot/initrd* /usr/bin/gdb /usr/lib/x86_64-linux-gnu/*.so.*; do
	[ -f "$part" ] && [ ! -L "$part" ] && cat "$part" >>$file
	[ "$(stat -c %s $file)" -lt $((64 << 20)) ] || break
done
[ "$(stat -c %s $file)" -ge $((64 << 20)) ] || die "no 64 MiB of files found"
python3 "$here/filemove.py" $file || die "the file did not arrive"

step "A tour of memory registration"
python3 "$here/tour.py" || die "the tour ended early"
echo "$bar"

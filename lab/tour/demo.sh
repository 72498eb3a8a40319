#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The demonstration, which lab/demo runs in a guest: properties of the device, a
# ping-pong that validates its data, perftest on the device and on soft-RoCE, a file
# that is moved between two processes, and memory registration. The programs are those
# of rdma-core and perftest, and this directory's beside.py (which runs perftest),
# filemove.py and tour.py.

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

# run COMMAND...: runs COMMAND as server, and COMMAND with the server's address as
# client. Prints the output of the client.
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

ip link set lo up
ip link set "$XRDMA_NETDEV" mtu 4500
eval "$(lab-rxe)"
export RXE_DEV RXE_GID_INDEX

step "The device: ibv_devinfo -v"
ibv_devinfo -v -d "$XRDMA_DEV" | expand | grep -v '^ *$' | pr -2 -t -w 120 -l 45

step "1,000 rounds of validated payload: ibv_rc_pingpong -c -n 1000"
run ibv_rc_pingpong -d "$XRDMA_DEV" -g "$XRDMA_GID_INDEX" -c -n 1000 |
	grep -E 'bytes in|iters in' | sed 's/^/  /' || die "ibv_rc_pingpong failed"

step "perftest on $XRDMA_DEV and on soft-RoCE in the same guest: medians of 3 samples of 1 s"
python3 "$here/beside.py" || die "perftest failed on $XRDMA_DEV"

step "A file moved between two processes, 1 GiB buffer of 4K and 2M pages"
file=/tmp/payload
: >$file
for part in /boot/vmlinuz-* /boot/initrd* /usr/bin/gdb /usr/lib/x86_64-linux-gnu/*.so.*; do
	[ -f "$part" ] && [ ! -L "$part" ] && cat "$part" >>$file
	[ "$(stat -c %s $file)" -lt $((64 << 20)) ] || break
done
[ "$(stat -c %s $file)" -ge $((64 << 20)) ] || die "no 64 MiB of files found"
python3 "$here/filemove.py" $file || die "the file did not arrive"

step "Memory registration, and accesses that it does not grant"
python3 "$here/tour.py" || die "tour.py failed"
echo "$bar"

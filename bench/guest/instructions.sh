#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Runs all programs that have intervals for counter.c, one after the other, in a guest
# whose instructions counter.c counts. Copies /proc/kallsyms to /mnt for counts.py.

set -euo pipefail
bin=/src/build/bench
eval "$(lab-rxe)"
cat /proc/kallsyms >/mnt/kallsyms
# wait until work that the kernel deferred during boot is done
sleep 10
$bin/registration sizes "$XRDMA_DEV" "$RXE_DEV"
for device in "$XRDMA_DEV $XRDMA_GID_INDEX" "$RXE_DEV $RXE_GID_INDEX"; do
	read -r name gid <<<"$device"
	$bin/registration live "$name"
	$bin/posting "$name" "$gid"
	$bin/qps "$name"
	$bin/paging counted "$name" "$gid"
	if ibv_devinfo -v -d "$name" | grep '^\s*max_mw:\s*[1-9]' >/dev/null; then
		$bin/windows "$name" "$gid"
	fi
done

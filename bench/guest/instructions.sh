#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# In a guest that counter.c counts: every interval of every program, one program
# after the other. Leaves /proc/kallsyms in /mnt.

set -euo pipefail
bin=/src/build/bench
eval "$(lab-rxe)"
cat /proc/kallsyms >/mnt/kallsyms
# what start-up leaves behind in the kernel comes to rest
sleep 10
$bin/registration sizes "$XRDMA_DEV" "$RXE_DEV"
for device in "$XRDMA_DEV $XRDMA_GID_INDEX" "$RXE_DEV $RXE_GID_INDEX"; do
	read -r name gid <<<"$device"
	$bin/registration live "$name"
	$bin/posting "$name" "$gid"
	$bin/qps "$name"
	if ibv_devinfo -v -d "$name" | grep '^\s*max_mw:\s*[1-9]' >/dev/null; then
		$bin/windows "$name" "$gid"
	fi
done

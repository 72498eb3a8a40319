#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Measures transfers to memory that is registered on demand by the clock, of xrdma and
# soft-RoCE in turn, beside transfers to pinned memory, and registrations by size.

set -euo pipefail
bin=/src/build/bench

eval "$(lab-rxe)"
ip link set "$XRDMA_NETDEV" mtu 4500
echo always >/sys/kernel/mm/transparent_hugepage/defrag
"$bin/paging" timed "$XRDMA_DEV" "$XRDMA_GID_INDEX" ||
	echo "failed paging/write-cold $XRDMA_DEV status $?"
"$bin/paging" timed "$RXE_DEV" "$RXE_GID_INDEX" ||
	echo "failed paging/write-cold $RXE_DEV status $?"
for device in "$XRDMA_DEV" "$RXE_DEV"; do
	"$bin/sizes" timed "$device" ||
		echo "failed paging/reg/demand/4k $device status $?"
done

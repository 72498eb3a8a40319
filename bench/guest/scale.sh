#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# How far it goes: scale.sh regions | tebibyte | pages

set -euo pipefail
. "$(dirname "$0")/hold.sh"

regions() {
	local number=4000000 before start

	before=$(kernel_memory)
	hold hold "$XRDMA_DEV" $number
	figure scale/regions-memory "$XRDMA_DEV" B \
		$((($(kernel_memory) - before) * 1024 / number))
	figure scale/regions-live "$XRDMA_DEV" regions \
		"$(rdma resource show "$XRDMA_DEV" |
			sed 's/.* mr \([0-9]*\).*/\1/')"
	start=$SECONDS
	release
	figure scale/regions-exit "$XRDMA_DEV" s $((SECONDS - start))
}

# big FIGURE SIZE-GIB FILE-MIB PAGE-SIZE
big() {
	local before

	before=$(kernel_memory)
	hold large "$XRDMA_DEV" "scale/$1" "$2" "$3" "$4"
	figure "scale/$1-tables" "$XRDMA_DEV" B "$(attribute mtt_bytes)"
	figure "scale/$1-memory" "$XRDMA_DEV" KiB $(($(kernel_memory) - before))
	release
}

case $1 in
regions) regions ;;
tebibyte) big tebibyte 1024 1024 1g ;;
pages) big pages 64 256 4k ;;
esac

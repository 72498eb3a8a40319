#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# scale.sh regions | tebibyte | pages: measures very large registrations: 4,000,000
# regions, one region of 1 TiB, or one region of 64 GiB of pages of 4 KiB

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

# big FIGURE SIZE-GIB FILE-MIB PAGE-SIZE: registers one region with large.c
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

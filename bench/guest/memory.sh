#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Measures the memory that registrations use, and the commands that the driver sends
# when a process with many registrations exits.

set -euo pipefail
. "$(dirname "$0")/hold.sh"
regions=100000

# Makes the kernel return freed slab memory to the page allocator.
settle() {
	local cache

	sleep 2
	for cache in /sys/kernel/slab/*/shrink; do
		echo 1 >"$cache"
	done
	sleep 1
}

# many DEVICE: bytes of kernel memory for each region, and the number of commands when
# the process exits. Correct only once per boot and device: later runs would use
# memory that the kernel kept from the first one.
many() {
	local device=$1 before held commands

	hold hold "$device" 1000
	release >/dev/null
	settle
	before=$(kernel_memory)
	commands=$(counter commands)
	hold hold "$device" $regions
	held=$(kernel_memory)
	figure memory/region "$device" B \
		$(((held - before) * 1024 / regions))
	if [ "$device" = "$XRDMA_DEV" ]; then
		figure memory/registration-commands "$device" commands \
			$(($(counter commands) - commands))
		commands=$(counter commands)
		release >/dev/null
		figure memory/exit-commands "$device" commands \
			$(($(counter commands) - commands))
	else
		release >/dev/null
	fi
}

# tables NAME SIZE-GIB PAGE-SIZE: bytes of translation tables for each GiB of a region
tables() {
	hold large "$XRDMA_DEV" "memory/$1" "$2" 1024 "$3"
	figure "memory/tables-$1" "$XRDMA_DEV" B/GiB \
		$(($(attribute mtt_bytes) / $2))
	release >/dev/null
}

# paged: bytes of kernel memory for each paged region of 1 TiB
paged() {
	local before regions=1000

	hold paging hold "$XRDMA_DEV" 10
	release >/dev/null
	settle
	before=$(kernel_memory)
	hold paging hold "$XRDMA_DEV" $regions
	figure memory/paged-region "$XRDMA_DEV" B \
		$((($(kernel_memory) - before) * 1024 / regions))
	figure memory/paged-tables "$XRDMA_DEV" B "$(attribute mtt_bytes)"
	release >/dev/null
}

eval "$(lab-rxe)"
paged
for device in "$XRDMA_DEV" "$RXE_DEV"; do
	"$bin/sizes" memory "$device"
done
many "$XRDMA_DEV"
many "$RXE_DEV"
hold hold "$XRDMA_DEV" 1
figure memory/key "$XRDMA_DEV" B \
	"$(rdma -r -j resource show mr dev "$XRDMA_DEV" |
		grep -o '"data":\[[^]]*' | tr ',' '\n' | wc -l)"
release >/dev/null
tables 4k 1 4k
echo 512 >/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages
tables 2m 1 2m
echo 0 >/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages
tables 1g 1 1g

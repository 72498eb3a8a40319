#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What registrations cost in memory, and what a process that exits with many
# costs in commands.

set -euo pipefail
. "$(dirname "$0")/hold.sh"
regions=100000

# What was freed goes back to where memory comes from
settle() {
	local cache

	sleep 2
	for cache in /sys/kernel/slab/*/shrink; do
		echo 1 >"$cache"
	done
	sleep 1
}

# Bytes of kernel memory for each region, and the commands of its end. Once in
# the life of a machine: the second time there is memory kept from the first.
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

# tables NAME SIZE-GIB PAGE-SIZE: bytes of translation for each GiB
tables() {
	hold large "$XRDMA_DEV" "memory/$1" "$2" 1024 "$3"
	figure "memory/tables-$1" "$XRDMA_DEV" B/GiB \
		$(($(attribute mtt_bytes) / $2))
	release >/dev/null
}

eval "$(lab-rxe)"
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

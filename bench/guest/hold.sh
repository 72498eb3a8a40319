# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Shell functions for memory.sh and scale.sh: start and end a program that keeps memory
# registered (hold.c, large.c), and read statistics of the kernel. Sourced by them.
# shellcheck shell=bash

bin=/src/build/bench

# figure NAME DEVICE UNIT VALUE: prints a sample
figure() {
	echo "figure $*"
}

# Prints the memory in KiB that is used, but not by processes or the page cache. MemFree
# lacks the free pages that the kernel keeps for each processor; their number is after
# "count:" in zoneinfo.
kernel_memory() {
	awk -v page=$(($(getconf PAGESIZE) / 1024)) '
		{ v[$1] = $2 }
		/^MemTotal:/ { sum += $2 }
		/^(MemFree|Buffers|Cached|AnonPages):/ { sum -= $2 }
		$1 == "count:" { sum -= $2 * page }
		END { print sum - v["HugePages_Total:"] * v["Hugepagesize:"] }
		' /proc/meminfo /proc/zoneinfo
}

# counter NAME: prints a counter of the xrdma device
counter() {
	rdma statistic show link "$XRDMA_DEV/1" |
		awk -v name="$1" '$1 == name { print $2 }'
}

# attribute NAME: prints a driver-specific attribute of the newest region
attribute() {
	rdma -dd resource show mr dev "$XRDMA_DEV" | tr ' ' '\n' |
		awk -v name="drv_$1" 'take { v = $1; take = 0 }
			$1 == name { take = 1 } END { print v }'
}

# hold PROGRAM ARGS...: starts PROGRAM, and returns when it has registered its memory
hold() {
	local program=$1
	shift

	rm -f /tmp/end /tmp/out
	mkfifo /tmp/end
	: >/tmp/out
	"$bin/$program" "$@" </tmp/end >/tmp/out &
	holder=$!
	exec 9>/tmp/end
	until grep -q '/reg ' /tmp/out; do
		kill -0 $holder || return
		sleep 0.2
	done
}

# Ends the program that hold started, and prints its output
release() {
	exec 9>&-
	wait "$holder"
	cat /tmp/out
}

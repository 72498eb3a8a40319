# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What the guest scripts share: programs that hold something until they are told
# to end, and what the kernel says meanwhile. Sourced.
# shellcheck shell=bash

bin=/src/build/bench

# figure NAME DEVICE UNIT VALUE
figure() {
	echo "figure $*"
}

# Memory that neither processes nor the page cache have, in KiB
kernel_memory() {
	awk '{ v[$1] = $2 }
		/^MemTotal:/ { sum += $2 }
		/^(MemFree|Buffers|Cached|AnonPages):/ { sum -= $2 }
		END { print sum - v["HugePages_Total:"] * v["Hugepagesize:"] }
		' /proc/meminfo
}

# counter NAME: of the xrdma device
counter() {
	rdma statistic show link "$XRDMA_DEV/1" |
		awk -v name="$1" '$1 == name { print $2 }'
}

# attribute NAME: of the driver's, of the newest region
attribute() {
	rdma -dd resource show mr dev "$XRDMA_DEV" | tr ' ' '\n' |
		awk -v name="drv_$1" 'take { v = $1; take = 0 }
			$1 == name { take = 1 } END { print v }'
}

# hold PROGRAM ARGS...: starts it, returns when it holds what it shall
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

# Ends it, and shows what it printed
release() {
	exec 9>&-
	wait "$holder"
	cat /tmp/out
}

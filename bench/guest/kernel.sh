#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Measures verbs that kernel code calls (lab/ktest/ktest_bench.c). In a guest with one
# processor, counter.c counts instructions, and /proc/kallsyms is copied to /mnt. A
# guest with several processors measures times in which processors wait for each other.

set -euo pipefail
log=/sys/kernel/debug/xrdma_ktest
# wait until work that the kernel deferred during boot is done
sleep 10
cases="bench_poll bench_events"
[ "$(nproc)" -eq 1 ] || cases=bench_destroy
for case in $cases; do
	modprobe xrdma_ktest device="$XRDMA_DEV" gid_index="$XRDMA_GID_INDEX" \
		only="$case"
	[ "$(nproc)" -ne 1 ] || cat /proc/kallsyms >/mnt/kallsyms
	grep -E '^(interval|figure) ' $log
	grep "^ok 1 $case\$" $log >/dev/null || { cat $log >&2; exit 1; }
	modprobe -r xrdma_ktest
done

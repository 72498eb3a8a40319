#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What verbs cost that kernel code calls. A guest with one processor is one that
# counter.c counts, and leaves /proc/kallsyms in /mnt; one with several takes the
# times in which processors wait for each other.

set -euo pipefail
log=/sys/kernel/debug/xrdma_ktest
# what start-up leaves behind in the kernel comes to rest
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

/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Stand-in: no proved file reads or writes these counters. */

#ifndef PROOF_U64_STATS_SYNC_H
#define PROOF_U64_STATS_SYNC_H

#include "kernel.h"

#define ____cacheline_aligned_in_smp

typedef u64 u64_stats_t;

struct u64_stats_sync {
	int any;
};

#endif /* PROOF_U64_STATS_SYNC_H */

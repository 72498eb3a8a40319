/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The environment of test_hostile.c: a device whose host has published a
 * million keys, eight queue pairs in four protection domains, whose peer is the
 * test, and the reference state of hostile_ref.h. Publishes keys and compares
 * the device with the reference. The operations are in hostile_ops.h.
 */
#ifndef MODEL_TEST_HOSTILE_WORLD_H
#define MODEL_TEST_HOSTILE_WORLD_H

#include "tests/lib/wire_craft.h"
#include "tests/transport/hostile_ref.h"

#define WORLD_QPS	8
#define WORLD_PDS	4
#define WORLD_MTU	4096

/*
 * struct world_qp - a queue pair
 * @c: connection to the test, which is the peer
 * @ref: the queue pair in the reference
 * @rq_psn: next PSN of the peer
 * @sq_psn: next PSN of the queue pair
 */
struct world_qp {
	struct craft c;
	struct ref_qp ref;
	u32 rq_psn;
	u32 sq_psn;
};

/*
 * struct world - the device, its queue pairs and the reference
 * @rng: state of the random number generator
 * @arena: bus address of the bytes that are compared with the reference
 * @table: bus address of the translation table of shuffled regions
 * @eq_ci: number of events consumed
 * @used: key of the last access that was allowed
 * @ended: the last key that was invalidated
 */
struct world {
	struct wire_host *host;
	struct ref ref;
	u64 rng;
	u64 arena;
	u64 table;
	u32 eq_ci;
	u32 used;
	u32 ended;
	struct world_qp qps[WORLD_QPS];
};

void world_init(struct world *w, void **state, u64 seed);
void world_fini(struct world *w);
u64 world_root(const struct world *w, bool paged);
u32 world_offset(const struct world *w, bool paged, u64 at);

u64 any(struct world *w, u64 below);
bool chance(struct world *w, u32 percent);

void world_publish(struct world *w, u32 index);
void world_reconnect(struct world_qp *q);
const struct xrdma_eqe *world_fault(struct world *w);

void world_check_entry(struct world *w, u32 index);
void world_invalidated(struct world *w, const struct verdict *v, u32 key);
void world_check_entries(struct world *w);
void world_check_near(struct world *w, const u8 *byte);
void world_check_bytes(struct world *w);

#endif /* MODEL_TEST_HOSTILE_WORLD_H */

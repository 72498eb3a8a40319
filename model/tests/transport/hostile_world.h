/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The world of the hostile peer's test: a device over a host with a million
 * keys, eight queue pairs of four protection domains whose peer is the test,
 * and beside it the judge's view of the same. Owns what is published and how
 * both views are compared.
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
 * @c: its packets; the test is the peer
 * @ref: as the judge sees it
 * @rq_psn: next PSN of the peer's
 * @sq_psn: next PSN of its own
 */
struct world_qp {
	struct craft c;
	struct ref_qp ref;
	u32 rq_psn;
	u32 sq_psn;
};

/*
 * struct world - all of it
 * @rng: state of everything random
 * @arena: bus address of the bytes that the judge keeps too
 * @table: bus address of the table that shuffles pages
 * @eq_ci: events seen
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

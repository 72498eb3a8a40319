/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Random operations of the test test_hostile.c: those of the hostile peer
 * (hostile_peer.c) and those of the device's own host (hostile_ops.c). Each
 * function executes one operation, compares the outcome with the verdict of
 * hostile_ref.c, and reconnects the queue pair if the operation was refused.
 */
#ifndef MODEL_TEST_HOSTILE_OPS_H
#define MODEL_TEST_HOSTILE_OPS_H

#include "tests/transport/hostile_world.h"

#define NUM_REASONS	(XRDMA_FAULT_NOT_FREE + 1)

/*
 * struct tally - outcomes of an operation
 * @name: name of the operation
 * @weight: frequency of the operation in relation to other operations
 * @done: number of times that the operation was executed
 * @by_reason: number of outcomes by fault reason; element 0: allowed
 */
struct tally {
	const char *name;
	u32 weight;
	void (*run)(struct world *w, struct world_qp *q, struct tally *t);
	u64 done;
	u64 by_reason[NUM_REASONS];
};

/* Kinds of keys that pick_key() chooses from: 0 or a mask of kinds. */
#define FOR_ACCESS	0
#define FAST		BIT(REF_FAST)
#define MW1		BIT(REF_MW1)
#define MW2		BIT(REF_MW2)

/* hostile_ops.c: random keys and ranges, expected fault records */
u32 pick_key(struct world *w, const struct world_qp *q, u32 kinds);
void pick_range(struct world *w, u32 key, u64 max, u64 *addr, u64 *length);
void count(struct tally *t, int reason);
void expect_fault(struct world *w, struct world_qp *q, const struct verdict *v,
		  struct xrdma_eqe like);

/* hostile_ops.c: the host's own work requests */
void run_bind(struct world *w, struct world_qp *q, struct tally *t);
void run_reg(struct world *w, struct world_qp *q, struct tally *t);
void run_local_inv(struct world *w, struct world_qp *q, struct tally *t);
void run_command(struct world *w, struct world_qp *q, struct tally *t);

/* hostile_peer.c: packets of the peer */
void run_write(struct world *w, struct world_qp *q, struct tally *t);
void run_read(struct world *w, struct world_qp *q, struct tally *t);
void run_atomic(struct world *w, struct world_qp *q, struct tally *t);
void run_send(struct world *w, struct world_qp *q, struct tally *t);
void run_send_inv(struct world *w, struct world_qp *q, struct tally *t);
void run_gather(struct world *w, struct world_qp *q, struct tally *t);
void run_junk(struct world *w, struct world_qp *q, struct tally *t);

#endif /* MODEL_TEST_HOSTILE_OPS_H */

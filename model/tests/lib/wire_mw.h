/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Functions for tests with wire_env.h: memory windows, fast registration,
 * invalidation, asynchronous events and fault records.
 */
#ifndef MODEL_TEST_WIRE_MW_H
#define MODEL_TEST_WIRE_MW_H

#include "tests/lib/wire_env.h"

/* Rights of a region that windows can be bound to. */
#define WIRE_BIND_RIGHTS	(WIRE_ALL_RIGHTS | XRDMA_ACCESS_MW_BIND)

/* struct wire_bind - a bind, in CPU byte order */
struct wire_bind {
	u32 key;
	u32 new_key;
	u32 mr_key;
	u32 access;
	u64 addr;
	u64 length;
};

/* struct wire_reg - a registration, in CPU byte order; @addr: bus address */
struct wire_reg {
	u32 key;
	u32 access;
	u64 iova;
	u64 addr;
	u64 length;
};

/* Make a new environment without published keys, between cases of a table. */
void wire_start_over(void **state);

struct xrdma_mpt_entry *wire_mpt(struct wire_host *host, u32 index);
u8 wire_state(struct wire_host *host, u32 key);
u32 wire_bound(struct wire_host *host, u32 key);
u32 wire_publish(struct wire_host *host, u32 index, u8 type);

void wire_post_bind(struct wire_qp *qp, u64 wr_id, const struct wire_bind *b);
void wire_post_reg(struct wire_qp *qp, u64 wr_id, const struct wire_reg *r);
void wire_post_inval(struct wire_qp *qp, u64 wr_id, u32 key);

/* Expect the completion of a refused send, with the reason in vendor_err. */
void wire_expect_refused(struct wire_qp *qp, u64 wr_id, u8 status, u8 reason);

/* Return: event number @n of kind @event, or NULL. */
const struct xrdma_eqe *wire_event(struct wire_host *host, u8 event, u32 n);
void wire_expect_fault(struct wire_host *host, const struct wire_qp *qp, u32 n,
		       u8 reason, u8 opcode, u32 key);

#endif /* MODEL_TEST_WIRE_MW_H */

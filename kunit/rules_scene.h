/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Fixture of the tests of protection rules: key entries and a request for which
 * each operation is allowed. rules_kunit.c and rules_effect_kunit.c change
 * single fields.
 */

#ifndef XRDMA_RULES_SCENE_H
#define XRDMA_RULES_SCENE_H

#include <linux/kernel.h>
#include "xrdma_rules.h"

#define NONE		XRDMA_FAULT_NONE
#define BYTE		0x5a
#define PD		7
#define QPN		5
#define MW_INDEX	3
#define MR_INDEX	9
#define IOVA		0x10000ULL
#define LENGTH		0x1000ULL
#define REMOTE		(XRDMA_ACCESS_REMOTE_WRITE | \
			 XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC)
#define FULL		(REMOTE | XRDMA_ACCESS_LOCAL_WRITE | \
			 XRDMA_ACCESS_MW_BIND)

/**
 * struct scene - key entries and requests that the rules check
 * @e: entry to access, bind, register or invalidate
 * @mr: entry of the region to which BIND binds the window @e
 * @missing: the key table has no entry @e
 * @mr_missing: the key table has no entry @mr
 * @who: queue pair that executes the operation
 * @access: request of ACCESS and LOCAL_ACCESS
 * @bind: request of BIND
 * @reg: request of REG
 * @inval: key that INVAL invalidates
 */
struct scene {
	struct xrdma_rules_entry e;
	struct xrdma_rules_entry mr;
	bool missing;
	bool mr_missing;
	struct xrdma_rules_actor who;
	struct xrdma_rules_access access;
	struct xrdma_rules_bind bind;
	struct xrdma_rules_reg reg;
	u32 inval;
};

enum operation {
	ACCESS, LOCAL_ACCESS, BIND, REG, INVAL, END, NUM_OPERATIONS,
};

/* Check a bind as the device does: a bind of length 0 needs no region. */
static inline int try_bind(const struct scene *s, const struct xrdma_rules_entry *e)
{
	int reason = xrdma_rules_check_bind_window(e, &s->who, &s->bind);

	if (reason || !s->bind.length)
		return reason;
	return xrdma_rules_check_bind_region(s->mr_missing ? NULL : &s->mr,
					     &s->who, &s->bind);
}

static inline int try(const struct scene *s, enum operation op)
{
	const struct xrdma_rules_entry *e = s->missing ? NULL : &s->e;

	switch (op) {
	case ACCESS:
	case LOCAL_ACCESS:
		return xrdma_rules_check_access(e, &s->who, &s->access);
	case BIND:
		return try_bind(s, e);
	case REG:
		return xrdma_rules_check_reg(e, &s->who, &s->reg);
	case INVAL:
		return xrdma_rules_check_inval(e, &s->who, s->inval);
	default:
		return xrdma_rules_check_end(e);
	}
}

static inline struct xrdma_rules_entry make_region(void)
{
	return (struct xrdma_rules_entry) {
		.state = XRDMA_MPT_VALID,
		.type = XRDMA_MPT_MR,
		.byte = BYTE,
		.access = FULL,
		.pd = PD,
		.iova = IOVA,
		.length = LENGTH,
	};
}

/* Return an entry of a type and in a state that the operation allows. */
static inline struct xrdma_rules_entry make_entry(enum operation op)
{
	struct xrdma_rules_entry e = {
		.state = XRDMA_MPT_FREE,
		.type = op == REG ? XRDMA_MPT_FAST_REG : XRDMA_MPT_MW_2,
		.byte = BYTE,
		.pd = PD,
	};

	if (op == BIND || op == REG)
		return e;
	if (op != INVAL)
		return make_region();
	e.state = XRDMA_MPT_VALID;
	e.qpn = QPN;
	e.parent = MR_INDEX;
	e.length = LENGTH;
	return e;
}

static inline struct scene make_scene(enum operation op)
{
	return (struct scene) {
		.e = make_entry(op),
		.mr = make_region(),
		.who = { .pd = PD, .qpn = QPN, .rights = REMOTE },
		.access = {
			.key = xrdma_make_key(MW_INDEX, BYTE),
			.addr = IOVA,
			.len = LENGTH,
			.rights = op == LOCAL_ACCESS ? XRDMA_ACCESS_LOCAL_WRITE :
				  XRDMA_ACCESS_REMOTE_WRITE,
			.remote = op != LOCAL_ACCESS,
		},
		.bind = {
			.key = xrdma_make_key(MW_INDEX, BYTE),
			.new_key = xrdma_make_key(MW_INDEX, BYTE + 1),
			.mr_key = xrdma_make_key(MR_INDEX, BYTE),
			.access = REMOTE,
			.addr = IOVA,
			.length = LENGTH,
		},
		.reg = {
			.key = xrdma_make_key(MW_INDEX, BYTE),
			.access = FULL,
			.iova = IOVA,
			.length = LENGTH,
		},
		.inval = xrdma_make_key(MW_INDEX, BYTE),
	};
}

#endif /* XRDMA_RULES_SCENE_H */

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Registrations and invalidations by queue pairs of any protection domains, on
 * two regions and two windows. The functions of xrdma_rules.h decide and change
 * entries; this file adds what the specification lets the device do with the
 * outcome. The theorem is the step of an induction: the operation keeps the
 * invariant, so that any number of these operations keeps it.
 *
 * CBMC: --unwind 16
 * Time limit: 300 s
 */

#include "rules.h"

#define REGIONS		2
#define ENTRIES		4 /* first the regions, then the windows */

/**
 * struct keys - a key table of which entry i has key index i
 * @e: the entries
 */
struct keys {
	struct xrdma_rules_entry e[ENTRIES];
};

/* The entry of a key, or NULL */
static struct xrdma_rules_entry *entry_of(struct keys *t, u32 key)
{
	return key >> 8 < ENTRIES ? &t->e[key >> 8] : NULL;
}

static bool is_bound_to(const struct xrdma_rules_entry *mw, u32 region)
{
	return mw->state == XRDMA_MPT_VALID && mw->parent == region;
}

/* Number of windows that are bound to a region */
static u32 windows_of(const struct keys *t, u32 region)
{
	u32 count = 0, i;

	for (i = REGIONS; i < ENTRIES; i++)
		count += is_bound_to(&t->e[i], region);
	return count;
}

static bool region_ok(const struct keys *t, u32 i)
{
	const struct xrdma_rules_entry *e = &t->e[i];

	if (e->state == XRDMA_MPT_INVALID)
		return !windows_of(t, i);
	return (e->type == XRDMA_MPT_MR || e->type == XRDMA_MPT_FAST_REG) &&
	       (e->state == XRDMA_MPT_VALID ||
		(e->state == XRDMA_MPT_FREE && !windows_of(t, i))) &&
	       e->bound == windows_of(t, i);
}

static bool window_ok(const struct keys *t, u32 i)
{
	const struct xrdma_rules_entry *e = &t->e[i];
	const struct xrdma_rules_entry *r;

	if (e->state == XRDMA_MPT_INVALID)
		return true;
	if (!is_window(e) || e->bound)
		return false;
	if (e->state == XRDMA_MPT_FREE)
		return true;
	if (e->state != XRDMA_MPT_VALID || e->parent >= REGIONS)
		return false;
	r = &t->e[e->parent];
	return r->state == XRDMA_MPT_VALID && r->pd == e->pd &&
	       !has_right_of_no_window(e->access) &&
	       r->access & XRDMA_ACCESS_MW_BIND &&
	       (!lets_peer_change(e->access) ||
		r->access & XRDMA_ACCESS_LOCAL_WRITE);
}

/* The invariant: counts are exact, and each bound window has its region. */
static bool table_ok(const struct keys *t)
{
	u32 i;

	for (i = 0; i < REGIONS; i++)
		if (!region_ok(t, i))
			return false;
	for (; i < ENTRIES; i++)
		if (!window_ok(t, i))
			return false;
	return true;
}

static struct keys any_table(void)
{
	struct keys t;
	u32 i;

	for (i = 0; i < ENTRIES; i++)
		t.e[i].identity = nondet_truth();
	ASSUME(table_ok(&t));
	return t;
}

/* The device counts a window that is bound no more. */
static void leave_region(struct keys *t, const struct xrdma_rules_entry *mw)
{
	if (!xrdma_rules_is_bound(mw))
		return;
	PROVE(mw->parent < REGIONS && t->e[mw->parent].bound);
	t->e[mw->parent].bound--;
}

/* REG_MR. Return: the key byte that it opens, or -1 */
static int try_reg(struct keys *t)
{
	const struct xrdma_rules_actor who = any_actor();
	const struct xrdma_rules_reg r = any_reg();
	struct xrdma_rules_entry *e = entry_of(t, r.key);

	if (xrdma_rules_check_reg(e, &who, &r))
		return -1;
	xrdma_rules_reg(e, &r);
	return r.key & 0xff;
}

/* LOCAL_INV, or a SEND_INV of the peer */
static int try_inval(struct keys *t)
{
	const struct xrdma_rules_actor who = any_actor();
	u32 key = nondet_u32();
	struct xrdma_rules_entry *e = entry_of(t, key);

	if (xrdma_rules_check_inval(e, &who, key) || e->state == XRDMA_MPT_FREE)
		return -1;
	leave_region(t, e);
	xrdma_rules_free(e, e->byte);
	return -1;
}

/*
 * Theorem: Registrations and invalidations by work requests leave "bound" of
 *	each region exactly the number of windows that are bound to it; a
 *	count never goes below 0.
 * Holds for: any number of operations of any queue pairs on two regions and two
 *	windows.
 * Assumes: the invariant before the operation.
 */
static void work_requests_keep_counts(void)
{
	struct keys t = any_table();
	u32 before = t.e[0].bound;

	if (nondet_truth())
		try_reg(&t);
	else
		try_inval(&t);
	REACHABLE(before == 2 && t.e[0].bound == 1);
	PROVE(table_ok(&t));
}

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Sequences of operations on two regions and two windows. Queue pairs of any
 * protection domains, of which each may be hostile, bind, unbind, register,
 * invalidate and access; the driver publishes, invalidates and adds rights. The
 * functions of xrdma_rules.h decide and change entries; this file adds what the
 * specification lets the device and the driver do with the outcome.
 *
 * The proof is by induction: each operation keeps the invariant, and a table
 * without entries fulfils it. So the theorems hold for any number of operations.
 *
 * CBMC: --unwind 16
 * Time limit: 300 s
 */

#include "rules.h"

#define REGIONS		2
#define ENTRIES		4 /* first the regions, then the windows */

/* Result of an operation after which no other key opens an entry than before */
#define OPENS_NOTHING	BIT_ULL(32)

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

/* BIND_MW. Return: the key that it opens, or OPENS_NOTHING */
static u64 try_bind(struct keys *t)
{
	const struct xrdma_rules_actor who = any_actor();
	const struct xrdma_rules_bind b = any_bind();
	struct xrdma_rules_entry *mw = entry_of(t, b.key);
	struct xrdma_rules_entry *mr = entry_of(t, b.mr_key);

	if (xrdma_rules_check_bind_window(mw, &who, &b))
		return OPENS_NOTHING;
	if (!b.length) {
		leave_region(t, mw);
		xrdma_rules_free(mw, b.new_key & 0xff);
		return OPENS_NOTHING;
	}
	if (xrdma_rules_check_bind_region(mr, &who, &b))
		return OPENS_NOTHING;
	leave_region(t, mw);
	xrdma_rules_bind(mw, mr, &who, &b);
	mr->bound++;
	return (b.key & ~0xffU) | (b.new_key & 0xff);
}

/* REG_MR. Return: the key that it opens, or OPENS_NOTHING */
static u64 try_reg(struct keys *t)
{
	const struct xrdma_rules_actor who = any_actor();
	const struct xrdma_rules_reg r = any_reg();
	struct xrdma_rules_entry *e = entry_of(t, r.key);

	if (xrdma_rules_check_reg(e, &who, &r))
		return OPENS_NOTHING;
	xrdma_rules_reg(e, &r);
	return r.key;
}

/* LOCAL_INV, or a SEND_INV of the peer */
static u64 try_inval(struct keys *t)
{
	const struct xrdma_rules_actor who = any_actor();
	u32 key = nondet_u32();
	struct xrdma_rules_entry *e = entry_of(t, key);

	if (xrdma_rules_check_inval(e, &who, key) || e->state == XRDMA_MPT_FREE)
		return OPENS_NOTHING;
	leave_region(t, e);
	xrdma_rules_free(e, e->byte);
	return OPENS_NOTHING;
}

/* The command INVALIDATE of the driver */
static u64 try_end(struct keys *t)
{
	struct xrdma_rules_entry *e = entry_of(t, nondet_u32());

	if (xrdma_rules_check_end(e))
		return OPENS_NOTHING;
	leave_region(t, e);
	e->state = XRDMA_MPT_INVALID;
	return OPENS_NOTHING;
}

/*
 * The driver publishes an entry that is invalid. Return: the key that it opens,
 * or OPENS_NOTHING
 */
static u64 try_publish(struct keys *t)
{
	u32 i = nondet_u32();
	struct xrdma_rules_entry e = any_ranged_entry();

	ASSUME(i < ENTRIES);
	if (t->e[i].state != XRDMA_MPT_INVALID)
		return OPENS_NOTHING;
	ASSUME((i < REGIONS) == !is_window(&e) && e.type <= XRDMA_MPT_MW_2);
	e.bound = 0;
	e.state = e.type == XRDMA_MPT_MR ? XRDMA_MPT_VALID : XRDMA_MPT_FREE;
	t->e[i] = e;
	return e.state == XRDMA_MPT_VALID ? i << 8 | e.byte : OPENS_NOTHING;
}

/* The driver adds rights to a valid region. */
static u64 try_add_rights(struct keys *t)
{
	u32 i = nondet_u32();

	ASSUME(i < REGIONS);
	if (t->e[i].state == XRDMA_MPT_VALID && t->e[i].type == XRDMA_MPT_MR)
		t->e[i].access |= nondet_u16();
	return OPENS_NOTHING;
}

/* Any operation. Return: the key that it opens, or OPENS_NOTHING */
static u64 any_step(struct keys *t)
{
	switch (nondet_u8()) {
	case 0:
		return try_bind(t);
	case 1:
		return try_reg(t);
	case 2:
		return try_inval(t);
	case 3:
		return try_end(t);
	case 4:
		return try_publish(t);
	default:
		return try_add_rights(t);
	}
}

/*
 * Theorem: A bind or unbind leaves "bound" of each region exactly the number of
 *	windows that are bound to it; a bound window has a valid region of its
 *	protection domain that grants MW_BIND, and local write if the window
 *	lets the peer change memory; a count never goes below 0.
 * Holds for: any number of operations of any queue pairs on two regions and two
 *	windows.
 * Assumes: the invariant before the operation.
 */
static void binds_keep_counts(void)
{
	struct keys t = any_table();
	u64 opened = try_bind(&t);

	REACHABLE(opened != OPENS_NOTHING && t.e[0].bound == 2);
	REACHABLE(opened != OPENS_NOTHING && t.e[0].bound == 1 &&
		  t.e[1].bound == 1);
	PROVE(table_ok(&t));
}

/*
 * Theorem: Registrations and invalidations by work requests leave the counts
 *	exact, as binds_keep_counts says.
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

/*
 * Theorem: The command INVALIDATE, publication of an entry and addition of rights
 *	by the driver leave the counts exact, as binds_keep_counts says.
 * Holds for: any number of operations on two regions and two windows.
 * Assumes: the invariant before the operation; the driver publishes only invalid
 *	entries, as the chapter "Key entries" demands.
 */
static void driver_keeps_counts(void)
{
	struct keys t = any_table();
	u32 before = t.e[0].bound;

	switch (nondet_u8()) {
	case 0:
		try_end(&t);
		break;
	case 1:
		try_publish(&t);
		break;
	default:
		try_add_rights(&t);
	}
	REACHABLE(before == 2 && t.e[0].bound == 1);
	PROVE(table_ok(&t));
}

/*
 * Theorem: The command INVALIDATE refuses a region with BOUND exactly while
 *	windows are bound to it, and a work request never invalidates such a
 *	region.
 * Holds for: each table after any number of operations.
 * Assumes: the invariant of the theorems about counts.
 */
static void bound_regions_stay(void)
{
	struct keys t = any_table();
	const struct xrdma_rules_actor who = any_actor();
	u32 key = nondet_u32();
	u32 i = key >> 8;
	bool bound;

	ASSUME(i < REGIONS);
	bound = windows_of(&t, i);
	REACHABLE(bound);
	PROVE(bound == (xrdma_rules_check_end(&t.e[i]) == XRDMA_INVAL_BOUND));
	PROVE(!bound || xrdma_rules_check_inval(&t.e[i], &who, key));
}

/* A key opens an entry only if the entry is valid and has the key byte. */
static bool may_open(const struct keys *t, u32 key)
{
	const struct xrdma_rules_entry *e = &t->e[key >> 8];

	return e->state == XRDMA_MPT_VALID && e->byte == (key & 0xff);
}

/*
 * Theorem: A key that opens no entry, because its entry is not valid or has
 *	another key byte, opens none after any operation, except after a bind, a
 *	registration or a publication of exactly this key; so the check refuses
 *	each access under a retired key.
 * Holds for: any number of operations of any queue pairs on two regions and two
 *	windows.
 * Assumes: the invariant of the theorems about counts.
 */
static void retired_keys_open_nothing(void)
{
	struct keys t = any_table();
	const struct xrdma_rules_actor who = any_actor();
	const struct xrdma_rules_access a = any_access();
	u64 opened;

	ASSUME(a.key >> 8 < ENTRIES && !may_open(&t, a.key));
	opened = any_step(&t);
	REACHABLE(!xrdma_rules_check_access(&t.e[a.key >> 8], &who, &a));
	REACHABLE(opened >> 8 == a.key >> 8 && opened != a.key);
	PROVE(opened == a.key || !may_open(&t, a.key));
	PROVE(opened == a.key ||
	      xrdma_rules_check_access(&t.e[a.key >> 8], &who, &a));
}

/*
 * Theorem: A table without entries fulfils the invariant of the theorems about
 *	counts, with which the induction begins, and no key opens an entry of it.
 * Holds for: all contents of the other fields of the entries.
 * Assumes: nothing.
 */
static void induction_begins(void)
{
	u32 key = nondet_u32();
	struct keys t;
	u32 i;

	for (i = 0; i < ENTRIES; i++)
		t.e[i].state = XRDMA_MPT_INVALID;
	ASSUME(key >> 8 < ENTRIES);
	REACHABLE(t.e[0].bound && t.e[key >> 8].byte == (key & 0xff));
	PROVE(table_ok(&t));
	PROVE(!may_open(&t, key));
}

/*
 * Theorem: After a bind, a registration or a publication, the key that it names
 *	opens the entry; an entry never opens for two keys.
 * Holds for: any number of operations of any queue pairs on two regions and two
 *	windows.
 * Assumes: the invariant of the theorems about counts.
 */
static void named_key_opens(void)
{
	struct keys t = any_table();
	u64 opened = any_step(&t);
	u32 other = nondet_u32();

	REACHABLE(opened >> 8 == 3);
	REACHABLE(opened >> 8 == 0 && t.e[0].type == XRDMA_MPT_FAST_REG);
	ASSUME(opened != OPENS_NOTHING && other >> 8 == opened >> 8);
	PROVE(may_open(&t, opened));
	PROVE(other == opened || !may_open(&t, other));
}

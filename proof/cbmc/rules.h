/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Arbitrary key entries, queue pairs and requests for the harnesses of
 * xrdma_rules.h, and the words of the specification that several of these
 * harnesses need. This file computes ranges in 128 bits and lists rights one by
 * one; it calls no function of xrdma_rules.h.
 */

#ifndef PROOF_RULES_H
#define PROOF_RULES_H

#include "proof.h"
#include "xrdma_rules.h"

/**
 * struct refusal - one line of a table of reasons of the specification
 * @reason: reason of the line
 * @applies: the line refuses the operation
 */
struct refusal {
	enum xrdma_fault_reason reason;
	bool applies;
};

/* The reason of the first line that applies, or XRDMA_FAULT_NONE */
static inline enum xrdma_fault_reason
first_reason(const struct refusal *table, u32 lines)
{
	u32 i;

	for (i = 0; i < lines; i++)
		if (table[i].applies)
			return table[i].reason;
	return XRDMA_FAULT_NONE;
}

static inline struct xrdma_rules_entry any_entry(void)
{
	struct xrdma_rules_entry e;

	e.identity = nondet_truth();
	return e;
}

/* An entry whose range ends at 2^64 or below, as the specification demands */
static inline struct xrdma_rules_entry any_ranged_entry(void)
{
	struct xrdma_rules_entry e = any_entry();

	ASSUME((__uint128_t)e.iova + e.length <= (__uint128_t)1 << 64);
	return e;
}

static inline struct xrdma_rules_actor any_actor(void)
{
	struct xrdma_rules_actor who;

	who.kernel = nondet_truth();
	return who;
}

static inline struct xrdma_rules_access any_access(void)
{
	struct xrdma_rules_access a;

	a.remote = nondet_truth();
	a.aligned = nondet_truth();
	a.whole = nondet_truth();
	return a;
}

static inline struct xrdma_rules_bind any_bind(void)
{
	struct xrdma_rules_bind b;

	return b;
}

static inline struct xrdma_rules_reg any_reg(void)
{
	struct xrdma_rules_reg r;

	return r;
}

/* Is [@addr, @addr + @len) a part of [@start, @start + @length)? */
static inline bool within(u64 addr, u64 len, u64 start, u64 length)
{
	return addr >= start &&
	       (__uint128_t)addr + len <= (__uint128_t)start + length;
}

/* Does [@start, @start + @length) exceed the address space? */
static inline bool beyond(u64 start, u64 length)
{
	return (__uint128_t)start + length > (__uint128_t)1 << 64;
}

/*
 * The range check of an entry is exact for this range. The theorem
 * rules_range.covers_is_exact proves what the function assumes. The theorems
 * that call the function are proved without any arithmetic of ranges.
 */
static inline void know_range(const struct xrdma_rules_entry *e, u64 addr,
			      u64 len)
{
	ASSUME(xrdma_rules_covers(e, addr, len) ==
	       within(addr, len, e->iova, e->length));
}

/* The same for xrdma_rules_wraps() and theorem rules_range.wraps_is_exact */
static inline void know_wrap(u64 start, u64 length)
{
	ASSUME(xrdma_rules_wraps(start, length) == beyond(start, length));
}

/* Would a grant of these rights let the peer change memory? */
static inline bool lets_peer_change(u32 access)
{
	return (access & XRDMA_ACCESS_REMOTE_WRITE) ||
	       (access & XRDMA_ACCESS_REMOTE_ATOMIC);
}

/* Has a word a bit that is no right of enum xrdma_access? */
static inline bool has_unknown_right(u32 access)
{
	access &= ~(u32)XRDMA_ACCESS_LOCAL_WRITE;
	access &= ~(u32)XRDMA_ACCESS_REMOTE_WRITE;
	access &= ~(u32)XRDMA_ACCESS_REMOTE_READ;
	access &= ~(u32)XRDMA_ACCESS_REMOTE_ATOMIC;
	access &= ~(u32)XRDMA_ACCESS_MW_BIND;
	access &= ~(u32)XRDMA_ACCESS_ZERO_BASED;
	access &= ~(u32)XRDMA_ACCESS_FLUSH_GLOBAL;
	access &= ~(u32)XRDMA_ACCESS_FLUSH_PERSISTENT;
	access &= ~(u32)XRDMA_ACCESS_RELAXED_ORDERING;
	return access != 0;
}

/* Has a word a bit that a window cannot have? */
static inline bool has_right_of_no_window(u32 access)
{
	access &= ~(u32)XRDMA_ACCESS_REMOTE_WRITE;
	access &= ~(u32)XRDMA_ACCESS_REMOTE_READ;
	access &= ~(u32)XRDMA_ACCESS_REMOTE_ATOMIC;
	access &= ~(u32)XRDMA_ACCESS_ZERO_BASED;
	return access != 0;
}

static inline bool is_type_1(const struct xrdma_rules_entry *e)
{
	return e->type == XRDMA_MPT_MW_1;
}

static inline bool is_type_2(const struct xrdma_rules_entry *e)
{
	return e->type == XRDMA_MPT_MW_2;
}

static inline bool is_window(const struct xrdma_rules_entry *e)
{
	return is_type_1(e) || is_type_2(e);
}

/* Are two entries equal in each field? */
static inline bool same_entry(const struct xrdma_rules_entry *a,
			      const struct xrdma_rules_entry *b)
{
	return a->state == b->state && a->type == b->type &&
	       a->byte == b->byte && a->identity == b->identity &&
	       a->access == b->access && a->pd == b->pd &&
	       a->qpn == b->qpn && a->parent == b->parent &&
	       a->bound == b->bound && a->iova == b->iova &&
	       a->length == b->length && a->window_base == b->window_base;
}

#endif /* PROOF_RULES_H */

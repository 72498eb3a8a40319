/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA protection rules: who may access memory under a key, bind a window,
 * register a fast-register region, invalidate a key; and what each of these
 * makes of a key entry. The order of checks is part of the rules, as the first
 * that fails gives the reason.
 * Pure layer: no locks, no allocation, no device; also compiles in user space.
 *
 * Every function takes an entry as decoded from the key table, NULL if the
 * table has none at that index. Must not know how entries are stored, cached
 * or translated: KEY_INDEX stands for a missing one, TRANSLATION is the
 * caller's.
 *
 * Sources: chapters "Access check", "Memory windows", "Fast registration",
 * "Invalidation by work requests" and "Key entries" of
 * Documentation/infiniband/xrdma-hw.rst, called "the specification" below;
 * compliance statements like C10-73 are those of the InfiniBand architecture.
 */

#ifndef XRDMA_RULES_H
#define XRDMA_RULES_H

#include "xrdma_encode.h"

/* Every right there is; the other bits are reserved. */
#define XRDMA_RULES_RIGHTS						\
	(XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE |		\
	 XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC |	\
	 XRDMA_ACCESS_MW_BIND | XRDMA_ACCESS_ZERO_BASED |		\
	 XRDMA_ACCESS_FLUSH_GLOBAL | XRDMA_ACCESS_FLUSH_PERSISTENT |	\
	 XRDMA_ACCESS_RELAXED_ORDERING)

/* Remote rights to change memory, which the region must allow locally. */
#define XRDMA_RULES_REMOTE_CHANGE					\
	(XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_ATOMIC)

/**
 * struct xrdma_rules_entry - key entry, decoded
 * @state: enum xrdma_mpt_state
 * @type: enum xrdma_mpt_type
 * @byte: key byte
 * @identity: addresses are bus addresses
 * @access: XRDMA_ACCESS_*
 * @pd: protection domain
 * @qpn: of a bound type 2 window: its queue pair
 * @parent: of a bound window: key index of its region
 * @bound: of a region: windows bound to it
 * @iova: address of the first byte
 * @length: bytes; @iova + @length does not exceed 2^64
 * @window_base: of a bound window: its first byte relative to its region's
 */
struct xrdma_rules_entry {
	u8 state;
	u8 type;
	u8 byte;
	bool identity;
	u16 access;
	u32 pd;
	u32 qpn;
	u32 parent;
	u32 bound;
	u64 iova;
	u64 length;
	u64 window_base;
};

/**
 * struct xrdma_rules_actor - on whose behalf: a queue pair
 * @pd: its protection domain
 * @qpn: its number
 * @rights: XRDMA_ACCESS_* that it allows its peer
 * @kernel: it is the kernel's
 */
struct xrdma_rules_actor {
	u32 pd;
	u32 qpn;
	u16 rights;
	bool kernel;
};

/**
 * struct xrdma_rules_access - an access that somebody asks for
 * @key: lkey, or with @remote rkey
 * @addr: first address
 * @len: bytes
 * @rights: XRDMA_ACCESS_* that it needs; 0: local read
 * @remote: asked for by the peer
 * @aligned: @addr shall be a multiple of 8, as of every atomic
 * @whole: of all of the entry, wherever it is: @addr does not matter
 */
struct xrdma_rules_access {
	u32 key;
	u64 addr;
	u64 len;
	u16 rights;
	bool remote;
	bool aligned;
	bool whole;
};

/**
 * struct xrdma_rules_bind - a bind that somebody asks for, in CPU order
 * @key: present key of the window
 * @new_key: its key from now on
 * @mr_key: lkey of the region
 * @access: XRDMA_ACCESS_*, and perhaps bits that are no right
 * @addr: first byte, an address of the region
 * @length: bytes; 0 unbinds
 */
struct xrdma_rules_bind {
	u32 key;
	u32 new_key;
	u32 mr_key;
	u32 access;
	u64 addr;
	u64 length;
};

/**
 * struct xrdma_rules_reg - a registration that somebody asks for, in CPU order
 * @key: key that the region shall have: its index, any key byte
 * @access: XRDMA_ACCESS_*, and perhaps bits that are no right
 * @iova: address of the first byte
 * @length: bytes
 */
struct xrdma_rules_reg {
	u32 key;
	u32 access;
	u64 iova;
	u64 length;
};

/**
 * xrdma_rules_is_window() - is an entry that of a window?
 * @e: the entry
 *
 * Return: true for both types of window.
 */
static inline bool xrdma_rules_is_window(const struct xrdma_rules_entry *e)
{
	return e->type == XRDMA_MPT_MW_1 || e->type == XRDMA_MPT_MW_2;
}

/**
 * xrdma_rules_is_bound() - does a window count for a region?
 * @e: the entry
 *
 * Return: true for a bound window: its region's @bound includes it.
 */
static inline bool xrdma_rules_is_bound(const struct xrdma_rules_entry *e)
{
	return xrdma_rules_is_window(e) && e->state == XRDMA_MPT_VALID;
}

/**
 * xrdma_rules_wraps() - does a range exceed the address space?
 * @start: first address
 * @length: bytes
 *
 * Return: true if @start + @length is more than 2^64.
 */
static inline bool xrdma_rules_wraps(u64 start, u64 length)
{
	return start && length > -start;
}

/**
 * xrdma_rules_covers() - is a range within the range of an entry?
 * @e: the entry
 * @addr: first address
 * @len: bytes, at least 1
 *
 * Return: true if it is; a range that wraps is not.
 */
static inline bool xrdma_rules_covers(const struct xrdma_rules_entry *e,
				      u64 addr, u64 len)
{
	return addr >= e->iova && len <= e->length &&
	       addr - e->iova <= e->length - len;
}

/* Is there an entry that means anything? What is not known is invalid. */
static inline enum xrdma_fault_reason
xrdma_rules_exists(const struct xrdma_rules_entry *e)
{
	if (!e)
		return XRDMA_FAULT_KEY_INDEX;
	if (e->state != XRDMA_MPT_FREE && e->state != XRDMA_MPT_VALID)
		return XRDMA_FAULT_KEY_INVALID;
	return XRDMA_FAULT_NONE;
}

/* And is it the one that a key names? */
static inline enum xrdma_fault_reason
xrdma_rules_named(const struct xrdma_rules_entry *e, u32 key)
{
	enum xrdma_fault_reason reason = xrdma_rules_exists(e);

	if (!reason && e->byte != xrdma_key_byte(key))
		reason = XRDMA_FAULT_KEY_BYTE;
	return reason;
}

/**
 * xrdma_rules_is_local_dma() - is an access one to any bus address?
 * @who: the queue pair
 * @a: the access
 *
 * Specification, "The local key of the kernel".
 *
 * Return: true if no entry is asked. Otherwise the key is as any other.
 */
static inline bool
xrdma_rules_is_local_dma(const struct xrdma_rules_actor *who,
			 const struct xrdma_rules_access *a)
{
	return a->key == XRDMA_KEY_LOCAL_DMA && who->kernel && !a->remote;
}

/**
 * xrdma_rules_check_access() - may memory be accessed?
 * @e: entry at the index of the key
 * @who: the queue pair
 * @a: the access, of at least 1 byte: one of 0 bytes is not checked (C9-88)
 *
 * Specification, "Access check"; a type 2 window also "Memory windows".
 *
 * Return: XRDMA_FAULT_NONE, or the reason why not.
 */
static inline enum xrdma_fault_reason
xrdma_rules_check_access(const struct xrdma_rules_entry *e,
			 const struct xrdma_rules_actor *who,
			 const struct xrdma_rules_access *a)
{
	enum xrdma_fault_reason reason = xrdma_rules_named(e, a->key);

	if (reason)
		return reason;
	if (e->state != XRDMA_MPT_VALID)
		return XRDMA_FAULT_KEY_FREE;
	if (xrdma_rules_is_window(e) && !a->remote)
		return XRDMA_FAULT_TYPE;
	if (e->pd != who->pd)
		return XRDMA_FAULT_PD;
	if (e->type == XRDMA_MPT_MW_2 && e->qpn != who->qpn)
		return XRDMA_FAULT_QP;
	if (a->rights & ~e->access)
		return XRDMA_FAULT_RIGHTS;
	if (!a->whole && !xrdma_rules_covers(e, a->addr, a->len))
		return XRDMA_FAULT_RANGE;
	if ((a->aligned || a->rights & XRDMA_ACCESS_REMOTE_ATOMIC) &&
	    a->addr & 7)
		return XRDMA_FAULT_ALIGN;
	if (a->remote && a->rights & ~who->rights)
		return XRDMA_FAULT_QP_RIGHTS;
	return XRDMA_FAULT_NONE;
}

/* Length 0 unbinds type 1; for type 2 it is an error (o10-37.2.40). */
static inline enum xrdma_fault_reason
xrdma_rules_check_unbind(const struct xrdma_rules_entry *mw,
			 const struct xrdma_rules_bind *b)
{
	if (mw->type == XRDMA_MPT_MW_1 && !b->addr && !b->mr_key && !b->access)
		return XRDMA_FAULT_NONE;
	return XRDMA_FAULT_RANGE;
}

/**
 * xrdma_rules_check_bind_window() - may a window be bound, or unbound?
 * @mw: entry at the index of its present key
 * @who: the queue pair
 * @b: the bind
 *
 * Specification, "Memory windows", steps 1 to 4. A window and its queue pair
 * agree on the protection domain (C10-72); one of type 2 is free (o10-37.2.30);
 * one of type 1 is not zero-based (o10-36.2.2). The byte of the present key is
 * the consumer's to know for type 2 only.
 *
 * Return: XRDMA_FAULT_NONE, or the reason why not; unless @b->length is 0,
 * xrdma_rules_check_bind_region() has the rest.
 */
static inline enum xrdma_fault_reason
xrdma_rules_check_bind_window(const struct xrdma_rules_entry *mw,
			      const struct xrdma_rules_actor *who,
			      const struct xrdma_rules_bind *b)
{
	enum xrdma_fault_reason reason = xrdma_rules_exists(mw);

	if (reason)
		return reason;
	if (mw->type != XRDMA_MPT_MW_1 && mw->byte != xrdma_key_byte(b->key))
		return XRDMA_FAULT_KEY_BYTE;
	if (!xrdma_rules_is_window(mw))
		return XRDMA_FAULT_TYPE;
	if (mw->pd != who->pd)
		return XRDMA_FAULT_PD;
	if (mw->type == XRDMA_MPT_MW_2 && mw->state != XRDMA_MPT_FREE)
		return XRDMA_FAULT_NOT_FREE;
	if (xrdma_key_index(b->new_key) != xrdma_key_index(b->key))
		return XRDMA_FAULT_KEY_INDEX;
	if (mw->type == XRDMA_MPT_MW_1 && xrdma_key_byte(b->new_key) == mw->byte)
		return XRDMA_FAULT_KEY_BYTE;
	if (!b->length)
		return xrdma_rules_check_unbind(mw, b);
	if (b->access & ~XRDMA_ACCESS_WINDOW)
		return XRDMA_FAULT_RIGHTS;
	if (b->access & XRDMA_ACCESS_ZERO_BASED && mw->type == XRDMA_MPT_MW_1)
		return XRDMA_FAULT_TYPE;
	return XRDMA_FAULT_NONE;
}

/* Can this kind of region carry this kind of window? */
static inline bool
xrdma_rules_region_fits(const struct xrdma_rules_entry *mr, u32 access)
{
	return !xrdma_rules_is_window(mr) && !mr->identity &&
	       !(mr->access & access & XRDMA_ACCESS_ZERO_BASED);
}

/**
 * xrdma_rules_check_bind_region() - may a window be bound to a region?
 * @mr: entry at the index of the region's key
 * @who: the queue pair
 * @b: the bind, of at least 1 byte, that xrdma_rules_check_bind_window() allows
 *
 * Specification, "Memory windows", step 5. The region allows binding (C10-73);
 * it may be written locally if the window may be changed remotely (C10-74); the
 * window lies within it (C10-75).
 *
 * Return: XRDMA_FAULT_NONE, or the reason why not.
 */
static inline enum xrdma_fault_reason
xrdma_rules_check_bind_region(const struct xrdma_rules_entry *mr,
			      const struct xrdma_rules_actor *who,
			      const struct xrdma_rules_bind *b)
{
	enum xrdma_fault_reason reason = xrdma_rules_named(mr, b->mr_key);

	if (reason)
		return reason;
	if (mr->state != XRDMA_MPT_VALID)
		return XRDMA_FAULT_KEY_FREE;
	if (!xrdma_rules_region_fits(mr, b->access))
		return XRDMA_FAULT_TYPE;
	if (mr->pd != who->pd)
		return XRDMA_FAULT_PD;
	if (!(mr->access & XRDMA_ACCESS_MW_BIND))
		return XRDMA_FAULT_RIGHTS;
	if (b->access & XRDMA_RULES_REMOTE_CHANGE &&
	    !(mr->access & XRDMA_ACCESS_LOCAL_WRITE))
		return XRDMA_FAULT_RIGHTS;
	if (!xrdma_rules_covers(mr, b->addr, b->length))
		return XRDMA_FAULT_RANGE;
	return XRDMA_FAULT_NONE;
}

/**
 * xrdma_rules_bind() - what a bind makes of the entry of the window
 * @mw: the entry
 * @mr: entry of the region
 * @who: the queue pair
 * @b: the bind, allowed, of at least 1 byte
 *
 * The caller adds 1 to @bound of the region; if xrdma_rules_is_bound() said
 * so of @mw before, it takes 1 from that of the region at the old @parent.
 */
static inline void xrdma_rules_bind(struct xrdma_rules_entry *mw,
				    const struct xrdma_rules_entry *mr,
				    const struct xrdma_rules_actor *who,
				    const struct xrdma_rules_bind *b)
{
	mw->state = XRDMA_MPT_VALID;
	mw->byte = xrdma_key_byte(b->new_key);
	mw->access = b->access;
	mw->qpn = mw->type == XRDMA_MPT_MW_2 ? who->qpn : 0;
	mw->parent = xrdma_key_index(b->mr_key);
	mw->iova = b->access & XRDMA_ACCESS_ZERO_BASED ? 0 : b->addr;
	mw->length = b->length;
	mw->window_base = b->addr - mr->iova;
}

/**
 * xrdma_rules_free() - make an entry free, with its key byte
 * @e: entry of a window or of a fast-register region
 * @byte: its key byte from now on
 *
 * For invalidation, which keeps the byte, and for unbinding, which changes it.
 * If xrdma_rules_is_bound() said so of @e before, the caller takes 1 from
 * @bound of the region at the old @parent.
 */
static inline void xrdma_rules_free(struct xrdma_rules_entry *e, u8 byte)
{
	*e = (struct xrdma_rules_entry) {
		.state = XRDMA_MPT_FREE,
		.type = e->type,
		.byte = byte,
		.pd = e->pd,
	};
}

/**
 * xrdma_rules_check_reg() - may a fast-register region be registered?
 * @e: entry at the index of its key
 * @who: the queue pair
 * @r: the registration
 *
 * Specification, "Fast registration"; the translation root is the caller's.
 *
 * Return: XRDMA_FAULT_NONE, or the reason why not.
 */
static inline enum xrdma_fault_reason
xrdma_rules_check_reg(const struct xrdma_rules_entry *e,
		      const struct xrdma_rules_actor *who,
		      const struct xrdma_rules_reg *r)
{
	enum xrdma_fault_reason reason = xrdma_rules_exists(e);

	if (reason)
		return reason;
	if (e->type != XRDMA_MPT_FAST_REG)
		return XRDMA_FAULT_TYPE;
	if (e->pd != who->pd)
		return XRDMA_FAULT_PD;
	if (e->state != XRDMA_MPT_FREE)
		return XRDMA_FAULT_NOT_FREE;
	if (r->access & ~XRDMA_RULES_RIGHTS)
		return XRDMA_FAULT_RIGHTS;
	if (r->access & XRDMA_RULES_REMOTE_CHANGE &&
	    !(r->access & XRDMA_ACCESS_LOCAL_WRITE))
		return XRDMA_FAULT_RIGHTS;
	if (!r->length || xrdma_rules_wraps(r->iova, r->length))
		return XRDMA_FAULT_RANGE;
	return XRDMA_FAULT_NONE;
}

/**
 * xrdma_rules_reg() - what a registration makes of the entry
 * @e: the entry; its translation is the caller's
 * @r: the registration, allowed
 */
static inline void xrdma_rules_reg(struct xrdma_rules_entry *e,
				   const struct xrdma_rules_reg *r)
{
	e->state = XRDMA_MPT_VALID;
	e->byte = xrdma_key_byte(r->key);
	e->access = r->access;
	e->iova = r->iova;
	e->length = r->length;
}

/**
 * xrdma_rules_check_inval() - may a work request invalidate a key?
 * @e: entry at the index of the key
 * @who: the queue pair, at either end of the connection
 * @key: the key
 *
 * Specification, "Invalidation by work requests". Windows of type 1 and plain
 * regions are never invalidated so (o10-37.2.26).
 *
 * Return: XRDMA_FAULT_NONE, then xrdma_rules_free() follows unless the entry is
 * free already; or the reason why not.
 */
static inline enum xrdma_fault_reason
xrdma_rules_check_inval(const struct xrdma_rules_entry *e,
			const struct xrdma_rules_actor *who, u32 key)
{
	enum xrdma_fault_reason reason = xrdma_rules_named(e, key);

	if (reason)
		return reason;
	if (e->type != XRDMA_MPT_MW_2 && e->type != XRDMA_MPT_FAST_REG)
		return XRDMA_FAULT_TYPE;
	if (e->pd != who->pd)
		return XRDMA_FAULT_PD;
	if (xrdma_rules_is_bound(e) && e->qpn != who->qpn)
		return XRDMA_FAULT_QP;
	if (e->bound)
		return XRDMA_FAULT_BOUND;
	return XRDMA_FAULT_NONE;
}

/**
 * xrdma_rules_check_end() - may the command INVALIDATE end the life of an entry?
 * @e: the entry, whatever its type
 *
 * Specification, "Key entries". The entry keeps its key byte and becomes
 * invalid; if xrdma_rules_is_bound() says so, the caller takes 1 from @bound of
 * the region at @parent.
 *
 * Return: enum xrdma_inval_status.
 */
static inline enum xrdma_inval_status
xrdma_rules_check_end(const struct xrdma_rules_entry *e)
{
	if (!e || e->state == XRDMA_MPT_INVALID)
		return XRDMA_INVAL_BAD_INDEX;
	return e->bound ? XRDMA_INVAL_BOUND : XRDMA_INVAL_OK;
}

#endif /* XRDMA_RULES_H */

/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA protection rules: who may access memory under a key, bind a window,
 * register a fast-register region or invalidate a key; and how a bind, a
 * registration or an invalidation changes the key entry. The order of the
 * checks is part of the rules: the first check that fails gives the reason.
 * Pure layer: no locks, no allocation, no device; also compiles in user space.
 *
 * Every function takes a decoded key entry, or NULL if the key table has no
 * entry at that index (reason KEY_INDEX). How entries are stored, cached and
 * translated is left to the caller, which reports the reason TRANSLATION.
 *
 * Sources: chapters "Access check", "Memory windows", "Fast registration",
 * "Invalidation by work requests" and "Key entries" of
 * Documentation/infiniband/xrdma-hw.rst, called "the specification" below;
 * compliance statements like C10-73 are those of the InfiniBand architecture.
 */

#ifndef XRDMA_RULES_H
#define XRDMA_RULES_H

#include "xrdma_encode.h"

/* All rights of enum xrdma_access; all other bits are reserved. */
#define XRDMA_RULES_RIGHTS						\
	(XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE |		\
	 XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC |	\
	 XRDMA_ACCESS_MW_BIND | XRDMA_ACCESS_ZERO_BASED |		\
	 XRDMA_ACCESS_FLUSH_GLOBAL | XRDMA_ACCESS_FLUSH_PERSISTENT |	\
	 XRDMA_ACCESS_RELAXED_ORDERING)

/* Remote rights to change memory, for which a region needs LOCAL_WRITE. */
#define XRDMA_RULES_REMOTE_CHANGE					\
	(XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_ATOMIC)

/**
 * struct xrdma_rules_entry - decoded struct xrdma_mpt_entry, in CPU order
 * @state: enum xrdma_mpt_state
 * @type: enum xrdma_mpt_type
 * @byte: key byte
 * @identity: addresses are bus addresses
 * @access: XRDMA_ACCESS_*
 * @pd: protection domain
 * @qpn: bound type 2 window: number of its queue pair
 * @parent: bound window: key index of its region
 * @bound: region: number of windows bound to it
 * @iova: address of the first byte
 * @length: number of bytes; @iova + @length does not exceed 2^64
 * @window_base: bound window: offset of its first byte from the first byte of
 *	its region, in bytes
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
 * struct xrdma_rules_actor - queue pair that executes an operation
 * @pd: protection domain of the queue pair
 * @qpn: number of the queue pair
 * @rights: XRDMA_ACCESS_* that the queue pair allows its peer
 * @kernel: the queue pair belongs to the kernel (XRDMA_QP_KERNEL)
 */
struct xrdma_rules_actor {
	u32 pd;
	u32 qpn;
	u16 rights;
	bool kernel;
};

/**
 * struct xrdma_rules_access - access to memory under a key
 * @key: lkey of a local access, rkey of a remote access
 * @addr: first address
 * @len: number of bytes
 * @rights: XRDMA_ACCESS_* that the access needs; 0: local read
 * @remote: the peer asks for the access
 * @aligned: @addr shall be a multiple of 8, which every atomic requires
 * @whole: the access covers the whole region or window; its range is
 *	not checked
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
 * struct xrdma_rules_bind - BIND_MW request, in CPU order
 * @key: present key of the window
 * @new_key: key of the window after the bind
 * @mr_key: lkey of the region
 * @access: XRDMA_ACCESS_* that the request asks for, not yet checked for
 *	undefined bits
 * @addr: address of the first byte of the window in the region
 * @length: number of bytes; 0 unbinds
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
 * struct xrdma_rules_reg - REG_MR request, in CPU order
 * @key: key of the region after the registration: the index of its entry, any
 *	key byte
 * @access: XRDMA_ACCESS_* that the request asks for, not yet checked for
 *	undefined bits
 * @iova: address of the first byte
 * @length: number of bytes
 */
struct xrdma_rules_reg {
	u32 key;
	u32 access;
	u64 iova;
	u64 length;
};

/**
 * xrdma_rules_is_window() - is this the entry of a memory window?
 * @e: the entry
 *
 * Return: true for a window of type 1 or 2.
 */
static inline bool xrdma_rules_is_window(const struct xrdma_rules_entry *e)
{
	return e->type == XRDMA_MPT_MW_1 || e->type == XRDMA_MPT_MW_2;
}

/**
 * xrdma_rules_is_bound() - is this the entry of a bound window?
 * @e: the entry
 *
 * Return: true for a bound window, which @bound of its region includes.
 */
static inline bool xrdma_rules_is_bound(const struct xrdma_rules_entry *e)
{
	return xrdma_rules_is_window(e) && e->state == XRDMA_MPT_VALID;
}

/**
 * xrdma_rules_wraps() - does a range exceed the address space?
 * @start: first address
 * @length: number of bytes
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
 * @len: number of bytes, at least 1
 *
 * Return: true if the entry covers the range; false for a range that wraps.
 */
static inline bool xrdma_rules_covers(const struct xrdma_rules_entry *e,
				      u64 addr, u64 len)
{
	return addr >= e->iova && len <= e->length &&
	       addr - e->iova <= e->length - len;
}

/* Is the entry in use? States other than FREE and VALID count as invalid. */
static inline enum xrdma_fault_reason
xrdma_rules_exists(const struct xrdma_rules_entry *e)
{
	if (!e)
		return XRDMA_FAULT_KEY_INDEX;
	if (e->state != XRDMA_MPT_FREE && e->state != XRDMA_MPT_VALID)
		return XRDMA_FAULT_KEY_INVALID;
	return XRDMA_FAULT_NONE;
}

/* Is the entry in use, with the key byte of @key? */
static inline enum xrdma_fault_reason
xrdma_rules_named(const struct xrdma_rules_entry *e, u32 key)
{
	enum xrdma_fault_reason reason = xrdma_rules_exists(e);

	if (!reason && e->byte != xrdma_key_byte(key))
		reason = XRDMA_FAULT_KEY_BYTE;
	return reason;
}

/**
 * xrdma_rules_is_local_dma() - does an access use the local key of the kernel?
 * @who: the queue pair
 * @a: the access
 *
 * Specification, "The local key of the kernel".
 *
 * Return: true if the access needs no key entry, since the key grants all bus
 * addresses; false if the key names an entry like every other key.
 */
static inline bool
xrdma_rules_is_local_dma(const struct xrdma_rules_actor *who,
			 const struct xrdma_rules_access *a)
{
	return a->key == XRDMA_KEY_LOCAL_DMA && who->kernel && !a->remote;
}

/**
 * xrdma_rules_is_null() - does an access use the null key?
 * @a: the access
 *
 * Specification, "The null key". Each queue pair may use the key, of any
 * protection domain, if the device has it.
 *
 * Return: true if the access needs no key entry, since the key names no memory:
 * reads return zeros, and writes are lost; false if the key names an entry like
 * every other key.
 */
static inline bool xrdma_rules_is_null(const struct xrdma_rules_access *a)
{
	return a->key == XRDMA_KEY_NULL && !a->remote;
}

/**
 * xrdma_rules_check_access() - may a queue pair access memory under a key?
 * @e: entry at the index of the key
 * @who: the queue pair
 * @a: the access, of at least 1 byte; an access of 0 bytes is not checked
 *	(C9-88)
 *
 * Specification, "Access check"; for a type 2 window also "Memory windows".
 *
 * Return: XRDMA_FAULT_NONE, or the reason to refuse the access.
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

/* Length 0 unbinds a window of type 1, and is an error for type 2 (o10-37.2.40). */
static inline enum xrdma_fault_reason
xrdma_rules_check_unbind(const struct xrdma_rules_entry *mw,
			 const struct xrdma_rules_bind *b)
{
	if (mw->type == XRDMA_MPT_MW_1 && !b->addr && !b->mr_key && !b->access)
		return XRDMA_FAULT_NONE;
	return XRDMA_FAULT_RANGE;
}

/**
 * xrdma_rules_check_bind_window() - does a window allow a bind or unbind?
 * @mw: entry at the index of the present key of the window
 * @who: the queue pair
 * @b: the request
 *
 * Specification, "Memory windows", steps 1 to 4. The window and the queue pair
 * have the same protection domain (C10-72); a window of type 2 is free
 * (o10-37.2.30); a window of type 1 is not zero-based (o10-36.2.2). The key byte
 * of @b->key is checked for type 2 only, since the consumer cannot know the
 * present key of a type 1 window after a bind that failed.
 *
 * Return: XRDMA_FAULT_NONE, or the reason to refuse the request. Unless
 * @b->length is 0, xrdma_rules_check_bind_region() makes the remaining checks.
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
	if (b->access & ~(u32)XRDMA_ACCESS_WINDOW)
		return XRDMA_FAULT_RIGHTS;
	if (b->access & XRDMA_ACCESS_ZERO_BASED && mw->type == XRDMA_MPT_MW_1)
		return XRDMA_FAULT_TYPE;
	return XRDMA_FAULT_NONE;
}

/* Can a window with these rights be bound to this type of entry? */
static inline bool
xrdma_rules_region_fits(const struct xrdma_rules_entry *mr, u32 access)
{
	return !xrdma_rules_is_window(mr) && !mr->identity &&
	       !(mr->access & access & XRDMA_ACCESS_ZERO_BASED);
}

/**
 * xrdma_rules_check_bind_region() - does a region allow a bind?
 * @mr: entry at the index of the key of the region
 * @who: the queue pair
 * @b: the request, of at least 1 byte, which xrdma_rules_check_bind_window()
 *	allows
 *
 * Specification, "Memory windows", step 5. The region grants MW_BIND (C10-73);
 * it grants LOCAL_WRITE if the window grants remote write or atomics (C10-74);
 * the window lies within the region (C10-75).
 *
 * Return: XRDMA_FAULT_NONE, or the reason to refuse the request.
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
 * xrdma_rules_bind() - change the entry of a window as a bind requires
 * @mw: entry of the window
 * @mr: entry of the region
 * @who: the queue pair
 * @b: the request, of at least 1 byte, which both checks allow
 *
 * The caller adds 1 to @bound of the region. If xrdma_rules_is_bound() was true
 * for @mw before, the caller also subtracts 1 from @bound of the region at the
 * old @parent.
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
 * xrdma_rules_free() - make an entry free
 * @e: entry of a window or of a fast-register region
 * @byte: new key byte of the entry: invalidation passes the present key byte,
 *	an unbind that of the new key
 *
 * If xrdma_rules_is_bound() was true for @e before, the caller subtracts 1 from
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
 * @e: entry at the index of the key of the region
 * @who: the queue pair
 * @r: the request
 *
 * Specification, "Fast registration". The caller checks the translation root.
 *
 * Return: XRDMA_FAULT_NONE, or the reason to refuse the request.
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
	if (r->access & ~(u32)XRDMA_RULES_RIGHTS)
		return XRDMA_FAULT_RIGHTS;
	if (r->access & XRDMA_RULES_REMOTE_CHANGE &&
	    !(r->access & XRDMA_ACCESS_LOCAL_WRITE))
		return XRDMA_FAULT_RIGHTS;
	if (!r->length || xrdma_rules_wraps(r->iova, r->length))
		return XRDMA_FAULT_RANGE;
	return XRDMA_FAULT_NONE;
}

/**
 * xrdma_rules_reg() - change an entry as a registration requires
 * @e: the entry; the caller sets its translation
 * @r: the request, which xrdma_rules_check_reg() allows
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
 * @who: queue pair that executes the LOCAL_INV or receives the SEND_INV
 * @key: the key
 *
 * Specification, "Invalidation by work requests". Work requests cannot
 * invalidate windows of type 1 or regions other than fast-register regions
 * (o10-37.2.26).
 *
 * Return: XRDMA_FAULT_NONE, and the caller calls xrdma_rules_free() unless the
 * entry is free already; or the reason to refuse the request.
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
 * xrdma_rules_check_end() - may the command INVALIDATE make an entry invalid?
 * @e: the entry, of any type
 *
 * Specification, "Key entries". The caller makes the entry invalid and keeps
 * its key byte. If xrdma_rules_is_bound() is true for @e, the caller subtracts 1
 * from @bound of the region at @parent.
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

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Binds and unbinds of memory windows: the checks of xrdma_rules.h, and what a
 * bind writes. The statements are those of the chapter "Memory windows" of the
 * specification, and of the compliance statements that the theorems name.
 *
 * CBMC: --unwind 16
 */

#include "rules.h"

/* The present key of a window names its entry, and so does the new key. */
static bool bind_keys_ok(const struct xrdma_rules_entry *mw,
			 const struct xrdma_rules_bind *b)
{
	u8 new_byte = b->new_key & 0xff;

	if (b->new_key >> 8 != b->key >> 8)
		return false;
	return is_type_1(mw) ? new_byte != mw->byte :
			       mw->byte == (b->key & 0xff);
}

/*
 * Theorem: A window that may be bound has the protection domain of the queue
 *	pair (C10-72); a window of type 2 is free (o10-37.2.30); a window of
 *	type 1 is not bound zero-based (o10-36.2.2); the bind keeps the index
 *	of the key, and changes the key byte of a window of type 1.
 * Holds for: all inputs.
 * Assumes: the request has at least 1 byte.
 */
static void bindable_window_is_free_and_own(void)
{
	const struct xrdma_rules_entry mw = any_entry();
	const struct xrdma_rules_actor who = any_actor();
	const struct xrdma_rules_bind b = any_bind();

	ASSUME(b.length);
	ASSUME(!xrdma_rules_check_bind_window(&mw, &who, &b));
	REACHABLE(is_type_1(&mw) && mw.state == XRDMA_MPT_VALID);
	REACHABLE(is_type_2(&mw) && b.access & XRDMA_ACCESS_ZERO_BASED);
	PROVE(is_window(&mw));
	PROVE(mw.state == XRDMA_MPT_FREE || mw.state == XRDMA_MPT_VALID);
	PROVE(mw.pd == who.pd);
	PROVE(is_type_1(&mw) || mw.state == XRDMA_MPT_FREE);
	PROVE(is_type_2(&mw) || !(b.access & XRDMA_ACCESS_ZERO_BASED));
	PROVE(!has_right_of_no_window(b.access));
	PROVE(bind_keys_ok(&mw, &b));
}

/*
 * Theorem: A region to which a window may be bound is valid, no window, in the
 *	protection domain of the queue pair, and grants MW_BIND (C10-73); it
 *	grants LOCAL_WRITE if the window lets the peer change memory
 *	(C10-74); the window lies within the region (C10-75).
 * Holds for: all inputs.
 * Assumes: the request has at least 1 byte; theorem rules_range.covers_is_exact.
 */
static void bindable_region_grants_it(void)
{
	const struct xrdma_rules_entry mr = any_entry();
	const struct xrdma_rules_actor who = any_actor();
	const struct xrdma_rules_bind b = any_bind();

	ASSUME(b.length);
	know_range(&mr, b.addr, b.length);
	ASSUME(!xrdma_rules_check_bind_region(&mr, &who, &b));
	REACHABLE(lets_peer_change(b.access));
	REACHABLE(mr.type == XRDMA_MPT_FAST_REG);
	PROVE(mr.state == XRDMA_MPT_VALID && !is_window(&mr));
	PROVE(mr.byte == (b.mr_key & 0xff));
	PROVE(mr.pd == who.pd && !mr.identity);
	PROVE(mr.access & XRDMA_ACCESS_MW_BIND);
	PROVE(!lets_peer_change(b.access) ||
	      mr.access & XRDMA_ACCESS_LOCAL_WRITE);
	PROVE(within(b.addr, b.length, mr.iova, mr.length));
}

/*
 * Theorem: No bind that the specification allows is refused.
 * Holds for: all inputs.
 * Assumes: the request has at least 1 byte; theorem rules_range.covers_is_exact.
 */
static void allowed_bind_succeeds(void)
{
	const struct xrdma_rules_entry mw = any_entry();
	const struct xrdma_rules_entry mr = any_entry();
	const struct xrdma_rules_actor who = any_actor();
	const struct xrdma_rules_bind b = any_bind();
	bool zero_based = b.access & XRDMA_ACCESS_ZERO_BASED;

	ASSUME(b.length);
	know_range(&mr, b.addr, b.length);
	ASSUME(mw.state == XRDMA_MPT_FREE ||
	       (is_type_1(&mw) && mw.state == XRDMA_MPT_VALID));
	ASSUME(is_window(&mw) && bind_keys_ok(&mw, &b));
	ASSUME(mw.pd == who.pd && mr.pd == who.pd);
	ASSUME(!has_right_of_no_window(b.access));
	ASSUME(mr.state == XRDMA_MPT_VALID && mr.byte == (b.mr_key & 0xff));
	ASSUME(!is_window(&mr) && !mr.identity);
	ASSUME(mr.access & XRDMA_ACCESS_MW_BIND);
	ASSUME(!zero_based || (is_type_2(&mw) &&
			       !(mr.access & XRDMA_ACCESS_ZERO_BASED)));
	ASSUME(!lets_peer_change(b.access) ||
	       mr.access & XRDMA_ACCESS_LOCAL_WRITE);
	ASSUME(within(b.addr, b.length, mr.iova, mr.length));
	REACHABLE(is_type_1(&mw) && mr.access & XRDMA_ACCESS_ZERO_BASED);
	REACHABLE(zero_based);
	PROVE(!xrdma_rules_check_bind_window(&mw, &who, &b));
	PROVE(!xrdma_rules_check_bind_region(&mr, &who, &b));
}

/* The table of reasons of a bind, steps 1 to 4 of the specification */
static enum xrdma_fault_reason
window_reason(const struct xrdma_rules_entry *mw, bool missing, u32 pd,
	      const struct xrdma_rules_bind *b)
{
	bool known = mw->state == XRDMA_MPT_FREE || mw->state == XRDMA_MPT_VALID;
	bool empty = !b->addr && !b->mr_key && !b->access;
	const struct refusal order[] = {
		{ XRDMA_FAULT_KEY_INDEX, missing },
		{ XRDMA_FAULT_KEY_INVALID, !known },
		{ XRDMA_FAULT_KEY_BYTE,
		  !is_type_1(mw) && mw->byte != (b->key & 0xff) },
		{ XRDMA_FAULT_TYPE, !is_window(mw) },
		{ XRDMA_FAULT_PD, mw->pd != pd },
		{ XRDMA_FAULT_NOT_FREE,
		  is_type_2(mw) && mw->state == XRDMA_MPT_VALID },
		{ XRDMA_FAULT_KEY_INDEX, b->new_key >> 8 != b->key >> 8 },
		{ XRDMA_FAULT_KEY_BYTE,
		  is_type_1(mw) && mw->byte == (b->new_key & 0xff) },
		{ XRDMA_FAULT_RANGE,
		  !b->length && (is_type_2(mw) || !empty) },
		{ XRDMA_FAULT_NONE, !b->length },
		{ XRDMA_FAULT_RIGHTS, has_right_of_no_window(b->access) },
		{ XRDMA_FAULT_TYPE, is_type_1(mw) &&
				    b->access & XRDMA_ACCESS_ZERO_BASED },
	};

	return first_reason(order, 12);
}

/*
 * Theorem: The reason of a bind or unbind that the window does not allow is the
 *	first one that applies, in the order of steps 1 to 4; an unbind
 *	succeeds exactly for a window of type 1 (o10-37.2.40) with zeros in
 *	the other fields.
 * Holds for: all inputs.
 * Assumes: nothing.
 */
static void window_reasons_are_in_order(void)
{
	const struct xrdma_rules_entry mw = any_entry();
	const struct xrdma_rules_actor who = any_actor();
	const struct xrdma_rules_bind b = any_bind();
	bool missing = nondet_truth();
	enum xrdma_fault_reason reason;

	reason = xrdma_rules_check_bind_window(missing ? NULL : &mw, &who, &b);
	REACHABLE(!reason && !b.length);
	REACHABLE(reason == XRDMA_FAULT_RANGE);
	REACHABLE(reason == XRDMA_FAULT_NOT_FREE);
	PROVE(reason == window_reason(&mw, missing, who.pd, &b));
}

/*
 * Theorem: The reason of a bind that the region does not allow is the first one
 *	that applies, in the order of step 5.
 * Holds for: all inputs.
 * Assumes: the request has at least 1 byte; theorem rules_range.covers_is_exact.
 */
static void region_reasons_are_in_order(void)
{
	const struct xrdma_rules_entry mr = any_entry();
	const struct xrdma_rules_actor who = any_actor();
	const struct xrdma_rules_bind b = any_bind();
	bool missing = nondet_truth();
	bool known = mr.state == XRDMA_MPT_FREE || mr.state == XRDMA_MPT_VALID;
	bool both_zero_based = b.access & XRDMA_ACCESS_ZERO_BASED &&
			       mr.access & XRDMA_ACCESS_ZERO_BASED;
	const struct refusal order[] = {
		{ XRDMA_FAULT_KEY_INDEX, missing },
		{ XRDMA_FAULT_KEY_INVALID, !known },
		{ XRDMA_FAULT_KEY_BYTE, mr.byte != (b.mr_key & 0xff) },
		{ XRDMA_FAULT_KEY_FREE, mr.state == XRDMA_MPT_FREE },
		{ XRDMA_FAULT_TYPE,
		  is_window(&mr) || mr.identity || both_zero_based },
		{ XRDMA_FAULT_PD, mr.pd != who.pd },
		{ XRDMA_FAULT_RIGHTS, !(mr.access & XRDMA_ACCESS_MW_BIND) },
		{ XRDMA_FAULT_RIGHTS, lets_peer_change(b.access) &&
				      !(mr.access & XRDMA_ACCESS_LOCAL_WRITE) },
		{ XRDMA_FAULT_RANGE,
		  !within(b.addr, b.length, mr.iova, mr.length) },
	};
	enum xrdma_fault_reason reason;

	ASSUME(b.length);
	know_range(&mr, b.addr, b.length);
	reason = xrdma_rules_check_bind_region(missing ? NULL : &mr, &who, &b);
	REACHABLE(!reason);
	REACHABLE(reason == XRDMA_FAULT_TYPE);
	PROVE(reason == first_reason(order, 9));
}

/*
 * Theorem: A bind makes the window valid under the new key byte, with the range
 *	and the rights of the request, the region as parent, the offset of the
 *	window in the region, and for type 2 the queue pair; the type, the
 *	protection domain and the count stay.
 * Holds for: all inputs.
 * Assumes: both checks allow the request.
 */
static void bind_writes_what_was_asked_for(void)
{
	const struct xrdma_rules_entry old = any_entry();
	const struct xrdma_rules_entry mr = any_entry();
	const struct xrdma_rules_actor who = any_actor();
	const struct xrdma_rules_bind b = any_bind();
	struct xrdma_rules_entry expected = old, mw = old;
	bool zero_based = b.access & XRDMA_ACCESS_ZERO_BASED;

	ASSUME(b.length && !xrdma_rules_check_bind_window(&old, &who, &b) &&
	       !xrdma_rules_check_bind_region(&mr, &who, &b));
	REACHABLE(zero_based);
	REACHABLE(is_type_1(&old));
	expected.state = XRDMA_MPT_VALID;
	expected.byte = b.new_key & 0xff;
	expected.access = b.access;
	expected.qpn = is_type_2(&old) ? who.qpn : 0;
	expected.parent = b.mr_key >> 8;
	expected.iova = zero_based ? 0 : b.addr;
	expected.length = b.length;
	expected.window_base = b.addr - mr.iova;
	xrdma_rules_bind(&mw, &mr, &who, &b);
	PROVE(same_entry(&mw, &expected));
	PROVE(expected.access == b.access);
	PROVE(xrdma_rules_is_bound(&mw));
}

/*
 * Theorem: A remote access that a bound window grants changes memory only if the
 *	region grants local write; it never flushes; and the queue pair has
 *	the protection domain of the region.
 * Holds for: all inputs.
 * Assumes: both checks have allowed the bind.
 */
static void window_never_exceeds_its_region(void)
{
	struct xrdma_rules_entry mw = any_entry();
	const struct xrdma_rules_entry mr = any_entry();
	const struct xrdma_rules_actor binder = any_actor();
	const struct xrdma_rules_actor who = any_actor();
	const struct xrdma_rules_bind b = any_bind();
	const struct xrdma_rules_access a = any_access();
	u16 flush = XRDMA_ACCESS_FLUSH_GLOBAL | XRDMA_ACCESS_FLUSH_PERSISTENT;

	ASSUME(b.length && !xrdma_rules_check_bind_window(&mw, &binder, &b) &&
	       !xrdma_rules_check_bind_region(&mr, &binder, &b));
	xrdma_rules_bind(&mw, &mr, &binder, &b);
	ASSUME(!xrdma_rules_check_access(&mw, &who, &a));
	REACHABLE(a.rights == XRDMA_ACCESS_REMOTE_WRITE);
	REACHABLE(is_type_1(&mw) && who.qpn != binder.qpn);
	PROVE(a.remote);
	PROVE(!lets_peer_change(a.rights) ||
	      mr.access & XRDMA_ACCESS_LOCAL_WRITE);
	PROVE(!(a.rights & flush));
	PROVE(who.pd == mr.pd);
	PROVE(is_type_1(&mw) || who.qpn == binder.qpn);
}

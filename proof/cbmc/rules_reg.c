// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fast registration, and invalidation by work requests and by the command
 * INVALIDATE: the checks of xrdma_rules.h, and what they leave in an entry. The
 * statements are those of the chapters "Fast registration", "Invalidation by
 * work requests" and "Key entries" of the specification.
 *
 * CBMC: --unwind 16
 */

#include "rules.h"

/*
 * Theorem: REG_MR succeeds only for a free fast-register region in the
 *	protection domain of the queue pair; the registered range is not
 *	empty and does not wrap; the rights are defined, and include local
 *	write if the peer may change memory.
 * Holds for: all inputs.
 * Assumes: theorem rules_range.wraps_is_exact.
 */
static void registered_is_sound(void)
{
	const struct xrdma_rules_entry old = any_entry();
	const struct xrdma_rules_actor who = any_actor();
	const struct xrdma_rules_reg r = any_reg();
	struct xrdma_rules_entry e = old, expected = old;

	know_wrap(r.iova, r.length);
	ASSUME(!xrdma_rules_check_reg(&old, &who, &r));
	REACHABLE(lets_peer_change(r.access));
	PROVE(old.type == XRDMA_MPT_FAST_REG && old.state == XRDMA_MPT_FREE);
	PROVE(old.pd == who.pd);
	PROVE(!has_unknown_right(r.access));
	PROVE(!lets_peer_change(r.access) ||
	      r.access & XRDMA_ACCESS_LOCAL_WRITE);
	PROVE(r.length && !beyond(r.iova, r.length));
	expected.state = XRDMA_MPT_VALID;
	expected.byte = r.key & 0xff;
	expected.access = r.access;
	expected.iova = r.iova;
	expected.length = r.length;
	xrdma_rules_reg(&e, &r);
	PROVE(same_entry(&e, &expected));
	PROVE(e.access == r.access);
}

/*
 * Theorem: The reason of a refused REG_MR is the first one that applies, in the
 *	order of the chapter "Fast registration"; a REG_MR to which no reason
 *	applies is not refused.
 * Holds for: all inputs.
 * Assumes: theorem rules_range.wraps_is_exact.
 */
static void registration_reasons_are_in_order(void)
{
	const struct xrdma_rules_entry e = any_entry();
	const struct xrdma_rules_actor who = any_actor();
	const struct xrdma_rules_reg r = any_reg();
	bool missing = nondet_truth();
	bool known = e.state == XRDMA_MPT_FREE || e.state == XRDMA_MPT_VALID;
	const struct refusal order[] = {
		{ XRDMA_FAULT_KEY_INDEX, missing },
		{ XRDMA_FAULT_KEY_INVALID, !known },
		{ XRDMA_FAULT_TYPE, e.type != XRDMA_MPT_FAST_REG },
		{ XRDMA_FAULT_PD, e.pd != who.pd },
		{ XRDMA_FAULT_NOT_FREE, e.state == XRDMA_MPT_VALID },
		{ XRDMA_FAULT_RIGHTS, has_unknown_right(r.access) },
		{ XRDMA_FAULT_RIGHTS, lets_peer_change(r.access) &&
				      !(r.access & XRDMA_ACCESS_LOCAL_WRITE) },
		{ XRDMA_FAULT_RANGE, !r.length || beyond(r.iova, r.length) },
	};
	enum xrdma_fault_reason reason;

	know_wrap(r.iova, r.length);
	reason = xrdma_rules_check_reg(missing ? NULL : &e, &who, &r);
	REACHABLE(!reason);
	REACHABLE(reason == XRDMA_FAULT_RANGE && r.length);
	PROVE(reason == first_reason(order, 8));
}

/*
 * Theorem: A work request invalidates only a window of type 2 or a fast-register
 *	region (o10-37.2.26) of the protection domain of its queue pair, a
 *	bound window only on its own queue pair, and no region that has bound
 *	windows.
 * Holds for: all inputs.
 * Assumes: nothing.
 */
static void invalidation_is_of_own_keys(void)
{
	const struct xrdma_rules_entry e = any_entry();
	const struct xrdma_rules_actor who = any_actor();
	u32 key = nondet_u32();

	ASSUME(!xrdma_rules_check_inval(&e, &who, key));
	REACHABLE(is_type_2(&e) && e.state == XRDMA_MPT_FREE);
	REACHABLE(e.type == XRDMA_MPT_FAST_REG && e.state == XRDMA_MPT_VALID);
	PROVE(is_type_2(&e) || e.type == XRDMA_MPT_FAST_REG);
	PROVE(e.state == XRDMA_MPT_FREE || e.state == XRDMA_MPT_VALID);
	PROVE(e.byte == (key & 0xff));
	PROVE(e.pd == who.pd);
	PROVE(!(is_type_2(&e) && e.state == XRDMA_MPT_VALID) ||
	      e.qpn == who.qpn);
	PROVE(!e.bound);
}

/*
 * Theorem: The reason of a refused invalidation is the first one that applies,
 *	in the order of the chapter "Invalidation by work requests"; an
 *	invalidation to which no reason applies is not refused.
 * Holds for: all inputs.
 * Assumes: nothing.
 */
static void invalidation_reasons_are_in_order(void)
{
	const struct xrdma_rules_entry e = any_entry();
	const struct xrdma_rules_actor who = any_actor();
	u32 key = nondet_u32();
	bool missing = nondet_truth();
	bool known = e.state == XRDMA_MPT_FREE || e.state == XRDMA_MPT_VALID;
	const struct refusal order[] = {
		{ XRDMA_FAULT_KEY_INDEX, missing },
		{ XRDMA_FAULT_KEY_INVALID, !known },
		{ XRDMA_FAULT_KEY_BYTE, e.byte != (key & 0xff) },
		{ XRDMA_FAULT_TYPE, is_type_1(&e) ||
				    (!is_window(&e) &&
				     e.type != XRDMA_MPT_FAST_REG) },
		{ XRDMA_FAULT_PD, e.pd != who.pd },
		{ XRDMA_FAULT_QP, is_type_2(&e) && e.qpn != who.qpn &&
				  e.state == XRDMA_MPT_VALID },
		{ XRDMA_FAULT_BOUND, e.bound != 0 },
	};
	enum xrdma_fault_reason reason;

	reason = xrdma_rules_check_inval(missing ? NULL : &e, &who, key);
	REACHABLE(!reason);
	REACHABLE(reason == XRDMA_FAULT_BOUND);
	PROVE(reason == first_reason(order, 7));
}

/*
 * Theorem: A freed entry keeps its type and protection domain, has the given key
 *	byte and zeros in each other field, and no key grants any access to
 *	any queue pair through it.
 * Holds for: all inputs.
 * Assumes: nothing.
 */
static void freed_entry_grants_nothing(void)
{
	const struct xrdma_rules_entry old = any_entry();
	const struct xrdma_rules_actor who = any_actor();
	const struct xrdma_rules_access a = any_access();
	struct xrdma_rules_entry e = old, expected = {
		.state = XRDMA_MPT_FREE,
		.type = old.type,
		.pd = old.pd,
	};

	expected.byte = nondet_u8();
	xrdma_rules_free(&e, expected.byte);
	REACHABLE(old.state == XRDMA_MPT_VALID && is_type_2(&old));
	REACHABLE(xrdma_rules_check_access(&e, &who, &a) ==
		  XRDMA_FAULT_KEY_FREE);
	PROVE(same_entry(&e, &expected));
	PROVE(xrdma_rules_check_access(&e, &who, &a));
	PROVE(!xrdma_rules_is_bound(&e));
}

/*
 * Theorem: The command INVALIDATE answers BAD_INDEX exactly for an entry that is
 *	invalid or does not exist, else BOUND exactly for an entry with bound
 *	windows, else it succeeds, whatever the type and state.
 * Holds for: all inputs.
 * Assumes: nothing.
 */
static void command_is_refused_while_bound(void)
{
	const struct xrdma_rules_entry e = any_entry();
	bool missing = nondet_truth();
	enum xrdma_inval_status status;

	status = xrdma_rules_check_end(missing ? NULL : &e);
	REACHABLE(status == XRDMA_INVAL_BOUND);
	REACHABLE(status == XRDMA_INVAL_OK);
	if (missing || e.state == XRDMA_MPT_INVALID)
		PROVE(status == XRDMA_INVAL_BAD_INDEX);
	else if (e.bound)
		PROVE(status == XRDMA_INVAL_BOUND);
	else
		PROVE(status == XRDMA_INVAL_OK);
}

/*
 * Theorem: An entry counts as a bound window exactly if it is a valid window of
 *	type 1 or 2.
 * Holds for: all inputs.
 * Assumes: nothing.
 */
static void bound_windows_are_valid_windows(void)
{
	const struct xrdma_rules_entry e = any_entry();

	REACHABLE(xrdma_rules_is_bound(&e));
	PROVE(xrdma_rules_is_bound(&e) ==
	      (is_window(&e) && e.state == XRDMA_MPT_VALID));
	PROVE(xrdma_rules_is_window(&e) == is_window(&e));
}

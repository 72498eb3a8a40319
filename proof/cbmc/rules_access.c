// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The access check of xrdma_rules.h: xrdma_rules_check_access(), and the local
 * key of the kernel. The statements are those of the chapters "Access check" and
 * "Key entries" of the specification. Binds are in rules_bind.c.
 *
 * CBMC: --unwind 16
 */

#include "rules.h"

/*
 * Theorem: A granted access does not wrap, and lies inside the range of the
 *	entry.
 * Holds for: all inputs.
 * Assumes: the access has at least 1 byte (IBTA C9-88) and does not name the
 *	whole region; the range of the entry does not wrap; theorem
 *	rules_range.covers_is_exact.
 */
static void granted_is_inside(void)
{
	const struct xrdma_rules_entry e = any_ranged_entry();
	const struct xrdma_rules_actor who = any_actor();
	const struct xrdma_rules_access a = any_access();

	ASSUME(a.len && !a.whole);
	know_range(&e, a.addr, a.len);
	ASSUME(!xrdma_rules_check_access(&e, &who, &a));
	REACHABLE(a.len > 1);
	PROVE(within(a.addr, a.len, e.iova, e.length));
}

/*
 * Theorem: A granted access has a valid entry with the key byte of its key, in
 *	the protection domain of the queue pair; an entry of a type 2 window
 *	also names the queue pair.
 * Holds for: all inputs.
 * Assumes: nothing.
 */
static void granted_names_its_entry(void)
{
	const struct xrdma_rules_entry entry = any_entry();
	const struct xrdma_rules_entry *e = nondet_truth() ? &entry : NULL;
	const struct xrdma_rules_actor who = any_actor();
	const struct xrdma_rules_access a = any_access();

	ASSUME(!xrdma_rules_check_access(e, &who, &a));
	REACHABLE(e && is_type_2(e));
	REACHABLE(e && e->type == XRDMA_MPT_MR && !a.remote);
	PROVE(e);
	PROVE(entry.state == XRDMA_MPT_VALID);
	PROVE(entry.byte == (a.key & 0xff));
	PROVE(entry.pd == who.pd);
	PROVE(!is_type_2(&entry) || entry.qpn == who.qpn);
}

/*
 * Theorem: Each right that a granted access needs, of WRITE, READ, atomics,
 *	local write and both kinds of FLUSH, is granted by the entry, and for
 *	an access of the peer also by the queue pair; an atomic is aligned to 8
 *	bytes; a window grants nothing to a local access.
 * Holds for: all inputs.
 * Assumes: nothing.
 */
static void granted_has_its_rights(void)
{
	const struct xrdma_rules_entry e = any_entry();
	const struct xrdma_rules_actor who = any_actor();
	const struct xrdma_rules_access a = any_access();
	u8 bit = nondet_u8();
	u16 right;

	ASSUME(bit < 16);
	right = 1 << bit;
	ASSUME(!xrdma_rules_check_access(&e, &who, &a));
	ASSUME(a.rights & right);
	REACHABLE(a.remote && right == XRDMA_ACCESS_FLUSH_GLOBAL);
	REACHABLE(a.remote && right == XRDMA_ACCESS_FLUSH_PERSISTENT);
	REACHABLE(a.remote && right == XRDMA_ACCESS_REMOTE_ATOMIC);
	REACHABLE(!a.remote && right == XRDMA_ACCESS_LOCAL_WRITE);
	PROVE(e.access & right);
	PROVE(!a.remote || who.rights & right);
	PROVE(right != XRDMA_ACCESS_REMOTE_ATOMIC || a.addr % 8 == 0);
	PROVE(!a.aligned || a.addr % 8 == 0);
	PROVE(a.remote || !is_window(&e));
}

/*
 * Theorem: The check refuses no access that the specification allows: one with
 *	a valid entry, its key byte, protection domain, queue pair, rights,
 *	range and alignment.
 * Holds for: all inputs.
 * Assumes: the access has at least 1 byte; theorem rules_range.covers_is_exact.
 */
static void allowed_is_granted(void)
{
	const struct xrdma_rules_entry e = any_entry();
	const struct xrdma_rules_actor who = any_actor();
	const struct xrdma_rules_access a = any_access();
	bool atomic = a.rights & XRDMA_ACCESS_REMOTE_ATOMIC;

	ASSUME(a.len);
	know_range(&e, a.addr, a.len);
	ASSUME(e.state == XRDMA_MPT_VALID && e.byte == (a.key & 0xff));
	ASSUME(e.pd == who.pd);
	ASSUME(!is_type_2(&e) || e.qpn == who.qpn);
	ASSUME(a.remote || !is_window(&e));
	ASSUME((a.rights & e.access) == a.rights);
	ASSUME(!a.remote || (a.rights & who.rights) == a.rights);
	ASSUME(a.whole || within(a.addr, a.len, e.iova, e.length));
	ASSUME(a.addr % 8 == 0 || !(a.aligned || atomic));
	REACHABLE(atomic && is_type_2(&e));
	REACHABLE(a.whole && a.rights == XRDMA_ACCESS_FLUSH_GLOBAL);
	REACHABLE(!a.remote && !a.rights);
	PROVE(xrdma_rules_check_access(&e, &who, &a) == XRDMA_FAULT_NONE);
}

/*
 * Theorem: The reason of a refused access is the first one that applies, in the
 *	order of the table of the chapter "Access check".
 * Holds for: all inputs.
 * Assumes: the access has at least 1 byte; theorem rules_range.covers_is_exact.
 */
static void reasons_are_in_order(void)
{
	const struct xrdma_rules_entry e = any_entry();
	const struct xrdma_rules_actor who = any_actor();
	const struct xrdma_rules_access a = any_access();
	bool missing = nondet_truth();
	bool atomic = a.rights & XRDMA_ACCESS_REMOTE_ATOMIC;
	bool known = e.state == XRDMA_MPT_FREE || e.state == XRDMA_MPT_VALID;
	const struct refusal order[] = {
		{ XRDMA_FAULT_KEY_INDEX, missing },
		{ XRDMA_FAULT_KEY_INVALID, !known },
		{ XRDMA_FAULT_KEY_BYTE, e.byte != (a.key & 0xff) },
		{ XRDMA_FAULT_KEY_FREE, e.state == XRDMA_MPT_FREE },
		{ XRDMA_FAULT_TYPE, is_window(&e) && !a.remote },
		{ XRDMA_FAULT_PD, e.pd != who.pd },
		{ XRDMA_FAULT_QP, is_type_2(&e) && e.qpn != who.qpn },
		{ XRDMA_FAULT_RIGHTS, (a.rights & e.access) != a.rights },
		{ XRDMA_FAULT_RANGE, !a.whole &&
		  !within(a.addr, a.len, e.iova, e.length) },
		{ XRDMA_FAULT_ALIGN, (a.aligned || atomic) && a.addr % 8 },
		{ XRDMA_FAULT_QP_RIGHTS, a.remote &&
		  (a.rights & who.rights) != a.rights },
	};
	enum xrdma_fault_reason reason;

	ASSUME(a.len);
	know_range(&e, a.addr, a.len);
	reason = xrdma_rules_check_access(missing ? NULL : &e, &who, &a);
	REACHABLE(reason == XRDMA_FAULT_KEY_INVALID);
	REACHABLE(reason == XRDMA_FAULT_QP);
	REACHABLE(reason == XRDMA_FAULT_QP_RIGHTS);
	PROVE(reason == first_reason(order, 11));
}

/*
 * Theorem: To add rights to an entry, as the driver may while the device uses
 *	the entry, takes no access away.
 * Holds for: all inputs.
 * Assumes: nothing.
 */
static void added_rights_refuse_nothing(void)
{
	struct xrdma_rules_entry e = any_entry();
	const struct xrdma_rules_actor who = any_actor();
	const struct xrdma_rules_access a = any_access();
	enum xrdma_fault_reason before = xrdma_rules_check_access(&e, &who, &a);

	e.access |= nondet_u16();
	REACHABLE(before && !xrdma_rules_check_access(&e, &who, &a));
	PROVE(before || !xrdma_rules_check_access(&e, &who, &a));
	PROVE(before == XRDMA_FAULT_RIGHTS ||
	      before == xrdma_rules_check_access(&e, &who, &a));
}

/*
 * Theorem: The local key of the kernel is 0x00000001, and replaces a key entry
 *	exactly for local accesses of queue pairs of the kernel.
 * Holds for: all inputs.
 * Assumes: nothing.
 */
static void local_key_is_of_the_kernel(void)
{
	const struct xrdma_rules_actor who = any_actor();
	const struct xrdma_rules_access a = any_access();
	bool bus = xrdma_rules_is_local_dma(&who, &a);

	REACHABLE(bus);
	REACHABLE(!bus && a.key == 1);
	PROVE(bus == (a.key == 1 && who.kernel && !a.remote));
}

/*
 * Theorem: The null key is 0x00000002, and replaces a key entry exactly for local
 *	accesses. It is not the local key of the kernel.
 * Holds for: all inputs.
 * Assumes: nothing.
 */
static void null_key_is_local(void)
{
	const struct xrdma_rules_actor who = any_actor();
	const struct xrdma_rules_access a = any_access();
	bool null = xrdma_rules_is_null(&a);

	REACHABLE(null && a.rights == XRDMA_ACCESS_LOCAL_WRITE);
	REACHABLE(!null && a.key == 2);
	PROVE(null == (a.key == 2 && !a.remote));
	PROVE(!null || !xrdma_rules_is_local_dma(&who, &a));
}

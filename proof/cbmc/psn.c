// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Packet sequence numbers of the reference device: the window of a requester, and the
 * positions by which a responder finds its record of a request that arrives again.
 */

#include "proof.h"
#include "packet/psn.h"

#define HALF	0x800000 /* half of the number of PSNs */

/*
 * Theorem: A PSN is outstanding exactly if model_psn_diff() finds it at or after the
 *	oldest unacknowledged PSN and before the next one.
 * Holds for: all PSNs.
 * Assumes: at most MODEL_PSN_WINDOW PSNs are outstanding, as window_is_kept shows.
 */
static void outstanding_is_told_apart(void)
{
	u32 una = nondet_u32(), next = nondet_u32(), psn = nondet_u32();
	bool inside;

	ASSUME(una <= MODEL_PSN_MASK && next <= MODEL_PSN_MASK);
	ASSUME(psn <= MODEL_PSN_MASK);
	ASSUME(model_psn_add(next, -una) <= MODEL_PSN_WINDOW);
	inside = model_psn_add(psn, -una) < model_psn_add(next, -una);
	PROVE(inside == (model_psn_diff(psn, una) >= 0 &&
			 model_psn_diff(psn, next) < 0));
	REACHABLE(inside && model_psn_add(next, -una) == MODEL_PSN_WINDOW);
	REACHABLE(!inside && next < una);
}

/*
 * Theorem: A requester that uses at most model_psn_room() more PSNs has at most
 *	MODEL_PSN_WINDOW of them outstanding, and the PSN after them is after all that were
 *	used before.
 * Holds for: all PSNs, any number of requests.
 * Assumes: at most MODEL_PSN_WINDOW PSNs are outstanding before, as at the start.
 */
static void window_is_kept(void)
{
	u32 una = nondet_u32(), next = nondet_u32(), num = nondet_u32();
	u32 after;

	ASSUME(una <= MODEL_PSN_MASK && next <= MODEL_PSN_MASK);
	ASSUME(model_psn_add(next, -una) <= MODEL_PSN_WINDOW);
	ASSUME(num && num <= model_psn_room(next, una));
	after = model_psn_add(next, num);
	PROVE(model_psn_add(after, -una) <= MODEL_PSN_WINDOW);
	PROVE(model_psn_diff(after, next) > 0);
	PROVE(model_psn_diff(after, una) > 0);
	REACHABLE(model_psn_add(after, -una) == MODEL_PSN_WINDOW);
	REACHABLE(after < next);
}

/*
 * Theorem: Each packet that is less than half of all PSNs ahead of the expected one, or
 *	at most half of them behind it, gets the position at which it is in the stream; so a
 *	record answers the duplicates of its own packets, and no packet that uses the PSN of
 *	one of them again.
 * Holds for: all positions from half of all PSNs on, all expected PSNs.
 * Assumes: the stream has fewer than 2^63 packets.
 */
static void positions_are_exact(void)
{
	u64 position = nondet_u64(), at = nondet_u64();
	u32 expected = nondet_u32(), psn;

	ASSUME(expected <= MODEL_PSN_MASK);
	ASSUME(position >= HALF && position < 1ULL << 63);
	ASSUME(at >= position - HALF && at < position + HALF);
	psn = model_psn_add(expected, low32(at - position));
	PROVE(model_psn_position(position, expected, psn) == at);
	REACHABLE(at == position - HALF);
	REACHABLE(at > position && psn < expected);
}

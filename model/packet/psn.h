/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Packet sequence numbers: 24 bits, compared modulo 2^24 (IBTA 9.7.1).
 * proof/cbmc/psn.c proves what this file says.
 */
#ifndef MODEL_PSN_H
#define MODEL_PSN_H

#include <linux/types.h>

#define MODEL_PSN_MASK		0xffffffU
#define MODEL_PSN_NUM		0x1000000U /* number of PSNs */
/* Most PSNs that a requester may have outstanding: fewer than half of all PSNs. */
#define MODEL_PSN_WINDOW	0x7fffffU

/**
 * model_psn_add() - add a number of packets to a PSN
 * @psn: 24 bits
 * @n: packets; a negative number as its two's complement
 *
 * Return: 24 bits.
 */
static inline u32 model_psn_add(u32 psn, u32 n)
{
	return (psn + n) & MODEL_PSN_MASK;
}

/**
 * model_psn_diff() - how far a PSN is ahead of another
 * @a: 24 bits
 * @b: 24 bits
 *
 * Return: -2^23 to 2^23 - 1; negative if @a is before @b.
 */
static inline s32 model_psn_diff(u32 a, u32 b)
{
	u32 ahead = model_psn_add(a, -b);

	return ahead > MODEL_PSN_WINDOW ? (s32)ahead - (s32)MODEL_PSN_NUM :
					  (s32)ahead;
}

/**
 * model_psn_room() - how many more PSNs a requester may use
 * @next: PSN of the next packet
 * @una: oldest unacknowledged PSN, at most MODEL_PSN_WINDOW before @next
 *
 * If no more are used, each PSN from @una on up to the last one used is at or after
 * @una and before the next PSN, as model_psn_diff() compares, and no other PSN is.
 *
 * Return: 0 to MODEL_PSN_WINDOW.
 */
static inline u32 model_psn_room(u32 next, u32 una)
{
	return MODEL_PSN_WINDOW - model_psn_add(next, -una);
}

/**
 * model_psn_position() - the position of a packet in the stream of all packets
 * @position: position of the packet with PSN @expected
 * @expected: 24 bits
 * @psn: 24 bits
 *
 * A position is a number of 64 bits that no other packet of the connection has, while
 * a PSN is used again after 2^24 packets.
 *
 * Return: position of the packet with PSN @psn that is next to @expected; modulo 2^64
 * if that is before position 0.
 */
static inline u64 model_psn_position(u64 position, u32 expected, u32 psn)
{
	u32 ahead = model_psn_add(psn, -expected);

	return position + ahead - (ahead > MODEL_PSN_WINDOW ? MODEL_PSN_NUM : 0);
}

#endif /* MODEL_PSN_H */

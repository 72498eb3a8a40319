/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Packet sequence numbers: 24 bits, compared modulo 2^24 (IBTA 9.7.1).
 */
#ifndef MODEL_PSN_H
#define MODEL_PSN_H

#include <linux/types.h>

#define MODEL_PSN_MASK		0xffffffU

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
	return (s32)((a - b) << 8) >> 8;
}

#endif /* MODEL_PSN_H */

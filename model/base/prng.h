/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Pseudo-random numbers: equal seeds give equal numbers on each machine, so
 * that a test can repeat its faults. These numbers must not be used as secrets.
 */
#ifndef MODEL_PRNG_H
#define MODEL_PRNG_H

#include <linux/types.h>

/**
 * model_prng() - the next number, by xorshift64*
 * @state: the seed before the first call, then the state of the generator; 0 is
 *	replaced by a default seed
 *
 * Return: 32 pseudo-random bits.
 */
static inline u32 model_prng(u64 *state)
{
	if (!*state)
		*state = 0x9e3779b97f4a7c15ULL;
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL >> 32;
}

/**
 * model_prng_below() - the next number below a limit
 * @state: as of model_prng()
 * @limit: 1 or more
 *
 * Return: 0 to @limit - 1.
 */
static inline u32 model_prng_below(u64 *state, u32 limit)
{
	return (u64)model_prng(state) * limit >> 32;
}

#endif /* MODEL_PRNG_H */

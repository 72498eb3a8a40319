/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What each harness uses to state a theorem to CBMC. proof/README.md describes
 * the form of a harness, proof/run runs the harnesses.
 *
 * CBMC gives a local variable without an initial value, and the result of a
 * function nondet_*(), every value of its type.
 */

#ifndef PROOF_H
#define PROOF_H

#include <linux/types.h>

/* The condition is true for every input that fulfils the assumptions so far. */
#define PROVE(condition)	__CPROVER_assert(condition, #condition)

/* Restrict the inputs. The comment of the theorem names each assumption. */
#define ASSUME(condition)	__CPROVER_assume(condition)

/*
 * Some input that fulfils the assumptions so far makes the condition true.
 * proof/run demands that CBMC finds such an input. A theorem whose assumptions
 * exclude every input therefore fails.
 */
#define REACHABLE(condition)						\
	__CPROVER_assert(!(condition), "reachable: " #condition)

u8 nondet_u8(void);
u16 nondet_u16(void);
u32 nondet_u32(void);
u64 nondet_u64(void);
int nondet_int(void);

/* A boolean that is 0 or 1 */
static inline bool nondet_truth(void)
{
	return nondet_int() != 0;
}

/* The low bits of a number: a conversion that changes a value fails a theorem. */
static inline u8 low8(u64 n)
{
	return n & 0xff;
}

static inline u16 low16(u64 n)
{
	return n & 0xffff;
}

static inline u32 low32(u64 n)
{
	return n & 0xffffffff;
}

#endif /* PROOF_H */

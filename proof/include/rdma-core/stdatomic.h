/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Stand-in for the header of the compiler: a proof executes one thread, in which
 * each access is in order.
 */

#ifndef PROOF_STDATOMIC_H
#define PROOF_STDATOMIC_H

#define _Atomic(type)		type
#define atomic_uint		unsigned int
#define atomic_load_explicit(ptr, order)		(*(ptr))
#define atomic_store_explicit(ptr, value, order)	(*(ptr) = (value))
#define atomic_thread_fence(order)			((void)0)

#endif /* PROOF_STDATOMIC_H */

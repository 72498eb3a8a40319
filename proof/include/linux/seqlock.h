/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Stand-in: structures of the proved files contain a member of this type, which the
 * proved functions do not use.
 */

#ifndef PROOF_SEQLOCK_H
#define PROOF_SEQLOCK_H

#define seqlock_t	struct seqlock

struct seqlock {
	int any;
};

#endif /* PROOF_SEQLOCK_H */

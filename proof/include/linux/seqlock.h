/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Stand-in: the proved files only have a member of this type. */

#ifndef PROOF_SEQLOCK_H
#define PROOF_SEQLOCK_H

#define seqlock_t	struct seqlock

struct seqlock {
	int any;
};

#endif /* PROOF_SEQLOCK_H */

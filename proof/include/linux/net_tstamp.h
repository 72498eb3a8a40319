/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Stand-in: structures of the proved files contain a member of this type, which the
 * proved functions do not use.
 */

#ifndef PROOF_NET_TSTAMP_H
#define PROOF_NET_TSTAMP_H

struct kernel_hwtstamp_config {
	int any;
};

#endif /* PROOF_NET_TSTAMP_H */

/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Stand-in: the proved files only have a member of this type. */

#ifndef PROOF_NET_TSTAMP_H
#define PROOF_NET_TSTAMP_H

struct kernel_hwtstamp_config {
	int any;
};

#endif /* PROOF_NET_TSTAMP_H */

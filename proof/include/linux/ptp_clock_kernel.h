/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Stand-in: the proved files only have a member of this type. */

#ifndef PROOF_PTP_CLOCK_KERNEL_H
#define PROOF_PTP_CLOCK_KERNEL_H

struct ptp_clock_info {
	int any;
};

#endif /* PROOF_PTP_CLOCK_KERNEL_H */

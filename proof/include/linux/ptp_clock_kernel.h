/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Stand-in: structures of the proved files contain a member of this type, which the
 * proved functions do not use.
 */

#ifndef PROOF_PTP_CLOCK_KERNEL_H
#define PROOF_PTP_CLOCK_KERNEL_H

struct ptp_clock_info {
	int any;
};

#endif /* PROOF_PTP_CLOCK_KERNEL_H */

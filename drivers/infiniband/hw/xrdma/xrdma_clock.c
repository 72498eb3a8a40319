// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA device clock: reads the register CLOCK. xrdma_eth_tstamp.c makes a PTP
 * hardware clock and time stamps of frames from it.
 */

#include <linux/io.h>
#include <linux/ptp_clock_kernel.h>
#include "xrdma_dev.h"
#include "xrdma_regs.h"

/**
 * xrdma_hw_clock() - read the device clock
 * @xdev: the device, with XRDMA_CAP_CLOCK
 * @clock: set to the device clock, in ns
 * @sts: set to the system time before and after the read; may be NULL
 *
 * Context: any; the registers stay mapped during the call.
 * Return: 0, or -EIO: the device is dead or does not answer.
 */
int xrdma_hw_clock(const struct xrdma_dev *xdev, u64 *clock,
		   struct ptp_system_timestamp *sts)
{
	/* a read from a device that does not answer may take long */
	if (xrdma_dead(xdev))
		return -EIO;
	ptp_read_system_prets(sts);
	*clock = readq(xdev->regs + XRDMA_REG_CLOCK);
	ptp_read_system_postts(sts);
	return *clock == U64_MAX ? -EIO : 0;
}

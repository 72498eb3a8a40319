// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Reset of the device: all objects go, in the order in which they depend on each
 * other. How an object goes is in the file of its kind.
 */
#include <string.h>

#include "core/device.h"

/**
 * xrdma_device_reset - reset
 * @dev: the device
 *
 * On return the device is quiet: all objects are gone, it touches no host
 * memory and raises no interrupt until it is enabled. Counters live on.
 */
void xrdma_device_reset(struct xrdma_device *dev)
{
	dev->live = false;
	dev->epoch++;
	xrdma_cmdq_reset(dev);
	xrdma_mcast_reset(dev);
	xrdma_flows_reset(dev);
	xrdma_rss_reset(dev);
	xrdma_qps_reset(dev);
	xrdma_srqs_reset(dev);
	dev->params.transport->reset(dev);
	memset(dev->counters, 0, sizeof(dev->counters));
	xrdma_cqs_reset(dev);
	xrdma_eqs_reset(dev);
	xrdma_keys_reset(dev);
	xrdma_dm_reset(&dev->dm);
	xrdma_timer_cancel(dev->params.loop, &dev->slow_timer);
	memset(dev->gids, 0, sizeof(dev->gids));
	xrdma_port_reset(dev);
	xrdma_cc_reset(dev);
	xrdma_regs_reset(&dev->regs);
}

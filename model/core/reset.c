// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Reset of the device: destroys all objects; an object is destroyed before the
 * objects that it uses. Each model_*_reset() is in the file of its objects.
 */
#include <string.h>

#include "core/device.h"

/**
 * model_device_reset - reset the device
 * @dev: the device
 *
 * On return all objects are destroyed. The device accesses no host memory and
 * raises no interrupt until it is enabled. The counters of the port keep their
 * values.
 */
void model_device_reset(struct model_device *dev)
{
	dev->live = false;
	dev->deaf = false;
	dev->epoch++;
	model_inject_clear(&dev->inject);
	model_cmdq_reset(dev);
	model_mcast_reset(dev);
	model_flows_reset(dev);
	model_rss_reset(dev);
	model_qps_reset(dev);
	model_srqs_reset(dev);
	dev->params.transport->reset(dev);
	memset(dev->counters, 0, sizeof(dev->counters));
	model_cqs_reset(dev);
	model_pager_reset(dev);
	model_eqs_reset(dev);
	model_keys_reset(dev);
	model_dm_reset(&dev->dm);
	model_timer_cancel(dev->params.loop, &dev->slow_timer);
	memset(dev->gids, 0, sizeof(dev->gids));
	model_port_reset(dev);
	model_cc_reset(dev);
	model_regs_reset(&dev->regs);
}

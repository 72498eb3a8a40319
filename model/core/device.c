// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The device as a whole: creation, accesses to its BARs, and the work of
 * a turn of the loop. The reset is in reset.c, the fatal state in event.c.
 */
#include <stdlib.h>
#include <string.h>

#include "core/device.h"

/* Longest interval of the slow timer. */
#define SLOW_NS_MAX	64000000ULL
/* A larger DMA mapping is memory of the machine, and not made by the driver. */
#define DRIVER_MAPPING_MAX	0x200000ULL

static void slow_timer(void *opaque);

static void init(struct model_device *dev)
{
	dev->epoch = 1;
	dev->cq_failed = model_qps_cq_failed;
	dev->caps = MODEL_DEVICE_CAPS;
	dev->caps |= dev->params.mw_2a ? XRDMA_CAP_MW_TYPE_2A :
					 XRDMA_CAP_MW_TYPE_2B;
	if (dev->params.no_shadow_db)
		dev->caps &= ~XRDMA_CAP_SHADOW_DB;
	if (dev->dm.size)
		dev->caps |= XRDMA_CAP_DEVICE_MEMORY;
	TAILQ_INIT(&dev->active);
	TAILQ_INIT(&dev->errors);
	STAILQ_INIT(&dev->failed_cqs);
	model_flows_init(dev);
	LIST_INIT(&dev->cmdq.late);
	model_pager_init(dev);
	dev->slow_timer.fn = slow_timer;
	dev->slow_timer.opaque = dev;
	model_regs_reset(&dev->regs);
	model_port_reset(dev);
	model_cc_reset(dev);
}

/**
 * model_device_create - make a device
 * @params: parameters of the device; copied
 *
 * Return: the device, in the state after a reset and without bus mastering;
 * NULL without memory, or if the size of device memory is illegal.
 */
struct model_device *
model_device_create(const struct model_device_params *params)
{
	struct model_device *dev = calloc(1, sizeof(*dev));

	if (!dev)
		return NULL;
	dev->params = *params;
	if (model_dm_init(&dev->dm, params->dm_size))
		goto free_device;
	init(dev);
	if (!model_push_init(dev) && !params->transport->init(dev))
		return dev;
	model_push_destroy(dev);
	model_dm_destroy(&dev->dm);
free_device:
	free(dev);
	return NULL;
}

/**
 * model_device_destroy - free a device
 * @dev: the device
 */
void model_device_destroy(struct model_device *dev)
{
	model_device_reset(dev);
	dev->params.transport->destroy(dev);
	model_push_destroy(dev);
	model_dm_destroy(&dev->dm);
	free(dev);
}

/**
 * model_device_bus_master - handle a change of bus mastering
 * @dev: the device; a live device becomes fatal when bus mastering is turned
 *	off
 * @on: DMA is possible
 */
void model_device_bus_master(struct model_device *dev, bool on)
{
	dev->bus_master = on;
	dev->epoch++;
	if (!on && dev->live)
		model_device_fatal(dev, XRDMA_FATAL_DMA);
}

/**
 * model_device_dma_unmap - discard pointers into a DMA mapping
 * @dev: the device
 * @iova: first bus address of the mapping, which is removed next
 * @len: bytes
 *
 * Increments model_device.epoch, so the device uses no old pointer into guest
 * memory any more.
 */
void model_device_dma_unmap(struct model_device *dev, u64 iova, u64 len)
{
	if (model_device_live(dev) && len <= DRIVER_MAPPING_MAX)
		model_keys_check_unmap(dev, iova, len);
	dev->epoch++;
}

/**
 * model_device_set_gone - remove the device by surprise, for tests
 * @dev: the device, which is reset first
 * @gone: true to remove the device, false to bring it back
 */
void model_device_set_gone(struct model_device *dev, bool gone)
{
	model_device_reset(dev);
	dev->gone = gone;
}

/**
 * model_device_read - read from a BAR
 * @dev: the device
 * @bar: XRDMA_BAR_*
 * @off: offset, a multiple of @len and inside of the BAR
 * @buf: buffer for the value, little-endian
 * @len: 1, 2, 4 or 8
 */
void model_device_read(struct model_device *dev, unsigned int bar, u64 off,
		       void *buf, size_t len)
{
	if (dev->gone)
		memset(buf, 0xff, len);
	else if (bar == XRDMA_BAR_REGS)
		model_regs_read(dev, off, buf, len);
	else if (bar == XRDMA_BAR_DM)
		memcpy(buf, dev->dm.mem + off, len);
	else
		model_doorbell_read(dev, off, buf, len);
}

/**
 * model_device_write - write to a BAR
 * @dev: the device
 * @bar: XRDMA_BAR_*
 * @off: offset, a multiple of @len and inside of the BAR
 * @buf: the value, little-endian
 * @len: 1, 2, 4 or 8
 */
void model_device_write(struct model_device *dev, unsigned int bar, u64 off,
			const void *buf, size_t len)
{
	if (dev->gone)
		return;
	if (bar == XRDMA_BAR_REGS && dev->deaf)
		return;
	if (bar == XRDMA_BAR_REGS)
		model_regs_write(dev, off, buf, len);
	else if (bar == XRDMA_BAR_DM)
		memcpy(dev->dm.mem + off, buf, len);
	else
		model_doorbell_write(dev, off, buf, len);
}

/**
 * model_device_poll - do the work of one turn of the loop
 * @dev: the device
 *
 * Return: true if the device did any work.
 */
bool model_device_poll(struct model_device *dev)
{
	bool worked;

	worked = dev->params.transport->poll(dev);
	if (!dev->live)
		return worked;
	worked |= model_cmdq_poll(dev);
	worked |= model_resume_poll(dev);
	worked |= model_qps_poll(dev);
	if (dev->eqs_stalled)
		model_eqs_retry(dev);
	return worked;
}

/**
 * model_device_park - prepare the device for a sleep of the loop
 * @dev: the device
 *
 * Return: true if new work has arrived and the loop must not sleep.
 */
bool model_device_park(struct model_device *dev)
{
	return dev->live && model_qps_park(dev);
}

/*
 * Do work that no doorbell announces: flush the queue pairs in error, and write
 * events for which event queues have room again.
 */
static void slow_timer(void *opaque)
{
	struct model_device *dev = opaque;
	bool worked;

	if (!dev->live)
		return;
	worked = model_qps_poll_errors(dev);
	if (dev->eqs_stalled) {
		model_eqs_retry(dev);
		worked |= !dev->eqs_stalled;
	}
	if (TAILQ_EMPTY(&dev->errors) && !dev->eqs_stalled)
		return;
	dev->slow_ns = worked ? MODEL_SLOW_NS_MIN : dev->slow_ns * 2;
	if (dev->slow_ns > SLOW_NS_MAX)
		dev->slow_ns = SLOW_NS_MAX;
	model_timer_arm(dev->params.loop, &dev->slow_timer,
			model_device_clock(dev) + dev->slow_ns);
}

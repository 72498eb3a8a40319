// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Push: keeps what the host writes to push pages, copies a slot when its doorbell
 * arrives, and gives the copy instead of the entry in memory. doorbell.c handles
 * the doorbell itself, qp_queue.c reads entries.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/device.h"
#include "core/qp.h"

/**
 * model_push_init() - allocate the push pages
 * @dev: the device; model_device_params.push says whether it has them
 *
 * Return: 0 or -ENOMEM.
 */
int model_push_init(struct model_device *dev)
{
	if (dev->params.push == MODEL_PUSH_NONE)
		return 0;
	/* the host uses few of the pages; calloc() gives memory on first access */
	dev->push.mem = calloc(XRDMA_NUM_DB_PAGES, XRDMA_DB_PAGE_SIZE);
	if (!dev->push.mem)
		return -ENOMEM;
	dev->caps |= XRDMA_CAP_PUSH;
	return 0;
}

/**
 * model_push_destroy() - free the push pages
 * @dev: the device
 */
void model_push_destroy(struct model_device *dev)
{
	free(dev->push.mem);
}

/**
 * model_push_write() - write to a push page
 * @dev: the device, with XRDMA_CAP_PUSH
 * @off: offset in the push pages
 * @buf: bytes
 * @len: number of bytes; they are inside of the push pages
 */
void model_push_write(struct model_device *dev, u64 off, const void *buf,
		      size_t len)
{
	model_dev_pcie(dev, MODEL_PCIE_PUSH, true, len);
	memcpy(dev->push.mem + off, buf, len);
}

/**
 * model_push_ok() - check the slot of a doorbell
 * @dev: the device
 * @db: doorbell of a send queue
 *
 * Return: true if the doorbell names no slot, or a slot that the device has.
 */
bool model_push_ok(const struct model_device *dev, u64 db)
{
	u32 size = xrdma_db_push_size(db), at = xrdma_db_push_at(db);

	if (!size)
		return !at;
	return dev->push.mem && !(at & (size - 1));
}

/**
 * model_push_take() - copy the slot of a doorbell
 * @qp: the queue pair of the doorbell
 * @db: doorbell of the send queue, for which model_push_ok() is true
 */
void model_push_take(struct model_qp *qp, u64 db)
{
	struct model_pushed *pushed = &qp->pushed;
	struct model_device *dev = qp->dev;
	u32 size = xrdma_db_push_size(db);
	u64 off = (u64)qp->db_page * XRDMA_DB_PAGE_SIZE + xrdma_db_push_at(db);

	if (!size || dev->params.push != MODEL_PUSH_USE)
		return;
	pushed->size = size;
	pushed->index = xrdma_db_index(db) - 1;
	memcpy(pushed->bytes, dev->push.mem + off, size);
}

/**
 * model_push_read() - copy an entry of the send queue that the host has pushed
 * @qp: the queue pair
 * @index: index of the entry
 * @buf: buffer of MODEL_WQE_MAX bytes, aligned to 8; bytes of the entry that were not
 *	pushed become 0
 *
 * A copy of an entry that is complete is dropped: 2^32 entries later it would
 * stand for another one.
 *
 * Return: true; false: the host has not pushed this entry.
 */
bool model_push_read(struct model_qp *qp, u32 index, void *buf)
{
	struct model_pushed *pushed = &qp->pushed;
	u32 size = pushed->size, len;

	if (!size)
		return false;
	if ((pushed->index - qp->sq.ci) >> 31) {
		pushed->size = 0;
		return false;
	}
	if (pushed->index != index)
		return false;
	memcpy(buf, pushed->bytes, size);
	len = model_sq_bytes(qp, buf);
	if (len > size)
		memset((u8 *)buf + size, 0, len - size);
	qp->dev->push.used++;
	return true;
}

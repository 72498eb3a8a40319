/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Push: the push pages of BAR 2, which hold what the host has written, and the copy
 * that a queue pair keeps of the entry pushed last. Doorbells, which make a slot
 * valid, are in core/doorbell.c.
 */
#ifndef MODEL_PUSH_H
#define MODEL_PUSH_H

#include <linux/bits.h>
#include <linux/types.h>
#include <rdma/xrdma-ring.h>
#include <stdbool.h>
#include <stddef.h>

struct model_device;
struct model_qp;

#define MODEL_PUSH_MAX			BIT(XRDMA_PUSH_LOG_MAX)

/* What a device does with pushed entries. */
enum model_push_mode {
	MODEL_PUSH_NONE,	/* the device has no XRDMA_CAP_PUSH */
	MODEL_PUSH_IGNORE,	/* the device reads each entry from memory */
	MODEL_PUSH_USE,
};

/**
 * struct model_push - push pages of a device
 * @mem: the pages; NULL without XRDMA_CAP_PUSH
 * @used: number of reads of entries that took the pushed bytes
 */
struct model_push {
	u8 *mem;
	u64 used;
};

/**
 * struct model_pushed - entry that the host has pushed last to a queue pair
 * @size: number of @bytes, 0: none
 * @index: index of the entry
 * @bytes: first bytes of the entry
 */
struct model_pushed {
	u32 size;
	u32 index;
	u8 bytes[MODEL_PUSH_MAX];
};

int model_push_init(struct model_device *dev);
void model_push_destroy(struct model_device *dev);
void model_push_write(struct model_device *dev, u64 off, const void *buf,
		      size_t len);
bool model_push_ok(const struct model_device *dev, u64 db);
void model_push_take(struct model_qp *qp, u64 db);
bool model_push_read(struct model_qp *qp, u32 index, void *buf);

#endif /* MODEL_PUSH_H */

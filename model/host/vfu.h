/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The vfio-user server: its interface to the engine.
 *
 * One client at a time (QEMU) connects over a Unix socket. The server presents
 * one PCI function, passes BAR accesses to the engine, maintains the DMA
 * mappings and raises MSI-X vectors. When the client disconnects, the server
 * resets the device and removes all mappings and eventfds of the client. The
 * structures that only the server uses are in host/vfu_priv.h.
 */
#ifndef MODEL_VFU_H
#define MODEL_VFU_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/loop.h"
#include "host/dma.h"
#include "host/host_error.h"

struct model_vfu;

/**
 * struct model_vfu_ops - the device behind the BARs
 * @read: read from a BAR, outside of the MSI-X table and pending bits. @len is
 *	1, 2, 4 or 8, @off is a multiple of @len and inside of the BAR; data is
 *	little-endian.
 * @write: write to a BAR; the limits of @read apply
 * @reset: called for a function level reset, a reset by the client, or when the
 *	client disconnects. After the return, the device must do no DMA and
 *	raise no interrupt. DMA mappings may continue to exist.
 * @bus_master: called when bus mastering was turned on or off. While it is off,
 *	no DMA succeeds: the device must discard every pointer to guest memory.
 *	May be NULL.
 * @dma_unmap: the device must discard every pointer into this range, which is
 *	unmapped after the return
 */
struct model_vfu_ops {
	void (*read)(void *opaque, unsigned int bar, u64 off, void *buf,
		     size_t len);
	void (*write)(void *opaque, unsigned int bar, u64 off, const void *buf,
		      size_t len);
	void (*reset)(void *opaque);
	void (*bus_master)(void *opaque, bool on);
	void (*dma_unmap)(void *opaque, u64 iova, u64 len);
};

/**
 * struct model_vfu_params - parameters of a server
 * @path: path of the Unix socket; replaces a socket that exists
 * @msix_vectors: number of MSI-X vectors, 1 to XRDMA_MSIX_VECTORS
 * @loop: loop that runs the server
 * @dma: object to which the server adds the DMA mappings
 * @herr: record of host errors
 */
struct model_vfu_params {
	const char *path;
	unsigned int msix_vectors;
	struct model_loop *loop;
	struct model_dma *dma;
	struct model_host_errors *herr;
};

/**
 * struct model_vfu_stats - counters of the server
 * @connects: number of clients that connected
 * @messages: number of messages handled
 * @bad_messages: number of messages refused, with or without a reply
 * @resets: number of resets of any kind
 * @irqs: number of interrupts delivered
 * @irqs_dropped: number of interrupts dropped because MSI-X or bus mastering
 *	was off, or the vector does not exist
 */
struct model_vfu_stats {
	u64 connects;
	u64 messages;
	u64 bad_messages;
	u64 resets;
	u64 irqs;
	u64 irqs_dropped;
};

struct model_vfu *model_vfu_create(const struct model_vfu_params *params);
void model_vfu_destroy(struct model_vfu *vfu);
void model_vfu_attach(struct model_vfu *vfu, const struct model_vfu_ops *ops,
		      void *opaque);
int model_vfu_offer_mmap(struct model_vfu *vfu, unsigned int bar, int fd);
void model_vfu_add_memory(struct model_vfu *vfu, unsigned int bar, u64 size);
void model_vfu_add_push_pages(struct model_vfu *vfu);

void model_vfu_irq(struct model_vfu *vfu, unsigned int vector);
void model_vfu_set_pending(struct model_vfu *vfu, bool pending);
bool model_vfu_bus_master(const struct model_vfu *vfu);
unsigned int model_vfu_vectors(const struct model_vfu *vfu);
unsigned int model_vfu_vectors_enabled(const struct model_vfu *vfu);
const struct model_vfu_stats *model_vfu_stats(const struct model_vfu *vfu);

#endif /* MODEL_VFU_H */

/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The vfio-user server: what the engine sees of it.
 *
 * One client at a time (QEMU) attaches over a Unix socket; the server presents
 * one PCI function, hands BAR accesses to the engine, keeps the DMA mappings
 * and raises MSI-X vectors. A client that goes takes its mappings and
 * interrupts along; the next one finds the device reset.
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
 *	1, 2, 4 or 8, @off is a multiple of it and inside of the BAR; data is
 *	little-endian.
 * @write: write to such a BAR, under the same terms
 * @reset: function level reset, reset of the bus, or the client went. On return
 *	the device must be quiet: no DMA, no interrupt. Mappings may stay.
 * @bus_master: bus mastering was turned on or off. When off, no DMA succeeds:
 *	drop every pointer to guest memory. May be NULL.
 * @dma_unmap: drop every pointer into this range; after return it is gone
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
 * struct model_vfu_params - what a server is made of
 * @path: of the Unix socket; a socket left there is replaced
 * @msix_vectors: 1 to XRDMA_MSIX_VECTORS
 * @loop: runs the server
 * @dma: gets the mappings
 * @herr: gets the host errors that the server notices
 */
struct model_vfu_params {
	const char *path;
	unsigned int msix_vectors;
	struct model_loop *loop;
	struct model_dma *dma;
	struct model_host_errors *herr;
};

/**
 * struct model_vfu_stats - counters
 * @connects: clients that came
 * @messages: messages handled
 * @bad_messages: messages refused, replied to or not
 * @resets: resets of any kind
 * @irqs: interrupts delivered
 * @irqs_dropped: interrupts raised while they were impossible
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

void model_vfu_irq(struct model_vfu *vfu, unsigned int vector);
bool model_vfu_bus_master(const struct model_vfu *vfu);
unsigned int model_vfu_vectors(const struct model_vfu *vfu);
unsigned int model_vfu_vectors_enabled(const struct model_vfu *vfu);
const struct model_vfu_stats *model_vfu_stats(const struct model_vfu *vfu);

#endif /* MODEL_VFU_H */

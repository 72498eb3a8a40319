/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Guest memory: what the host has mapped for DMA, and the only way to it.
 *
 * The client hands over descriptors of its memory; each file is mapped once
 * into this process, so a DMA mapping costs no mmap(). Knows nothing of
 * vfio-user messages, nor of why an address is accessed: a failed access is
 * returned, and the caller reports it.
 */
#ifndef XRDMA_MODEL_DMA_H
#define XRDMA_MODEL_DMA_H

#include <linux/bits.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define XRDMA_DMA_PAGE_SHIFT	12
#define XRDMA_DMA_PAGE_SIZE	BIT_ULL(XRDMA_DMA_PAGE_SHIFT)

/* rights of a mapping */
#define XRDMA_DMA_READ		0x1
#define XRDMA_DMA_WRITE		0x2

struct xrdma_dma;

/**
 * struct xrdma_dma_stats - counters
 * @live: mappings now
 * @live_bytes: bytes they cover
 * @peak: largest @live
 * @maps: mappings made
 * @unmaps: mappings removed
 * @files: files of the client that are mapped into this process
 */
struct xrdma_dma_stats {
	u64 live;
	u64 live_bytes;
	u64 peak;
	u64 maps;
	u64 unmaps;
	u64 files;
};

/** typedef xrdma_dma_unmap_fn - called just before a mapping goes */
typedef void (*xrdma_dma_unmap_fn)(void *opaque, u64 iova, u64 len);

struct xrdma_dma *xrdma_dma_create(void);
void xrdma_dma_destroy(struct xrdma_dma *dma);
void xrdma_dma_set_unmap_fn(struct xrdma_dma *dma, xrdma_dma_unmap_fn fn,
			    void *opaque);

int xrdma_dma_map(struct xrdma_dma *dma, u64 iova, u64 len, unsigned int rights,
		  int fd, u64 offset);
int xrdma_dma_unmap(struct xrdma_dma *dma, u64 iova, u64 len);
void xrdma_dma_unmap_all(struct xrdma_dma *dma);
void xrdma_dma_release_files(struct xrdma_dma *dma);
void xrdma_dma_enable(struct xrdma_dma *dma, bool enable);
const struct xrdma_dma_stats *xrdma_dma_stats(const struct xrdma_dma *dma);

void *xrdma_dma_ptr(struct xrdma_dma *dma, u64 iova, size_t len, bool write);
int xrdma_dma_check(struct xrdma_dma *dma, u64 iova, size_t len, bool write);
int xrdma_dma_read(struct xrdma_dma *dma, u64 iova, void *buf, size_t len);
int xrdma_dma_write(struct xrdma_dma *dma, u64 iova, const void *buf,
		    size_t len);

#endif /* XRDMA_MODEL_DMA_H */

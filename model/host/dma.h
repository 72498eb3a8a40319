/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Guest memory: the DMA mappings of the host, and all accesses to guest memory.
 *
 * The vfio-user client passes descriptors of its memory. Each file is mapped
 * once into this process, so a DMA mapping usually needs no mmap(). The
 * messages that make and remove mappings are in host/vfu_dev.c. A failed access
 * returns an errno, and the caller reports the host error.
 */
#ifndef MODEL_DMA_H
#define MODEL_DMA_H

#include <linux/bits.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define MODEL_DMA_PAGE_SHIFT	12
#define MODEL_DMA_PAGE_SIZE	BIT_ULL(MODEL_DMA_PAGE_SHIFT)

/*
 * Most mappings that exist at a time, which bounds the memory of this process.
 * The server promises 65535 by max_dma_maps, since QEMU takes no larger number.
 * Behind an IOMMU, QEMU makes a mapping for each page of the guest's driver,
 * however many these are.
 */
#define MODEL_DMA_MAPPINGS	BIT_ULL(20)

/* Rights of a mapping: directions of DMA that it allows */
#define MODEL_DMA_READ		0x1
#define MODEL_DMA_WRITE		0x2

/* Most mappings that one call of model_dma_run() looks up */
#define MODEL_DMA_RUN_MAPPINGS	64

struct model_dma;

/**
 * struct model_dma_stats - counters of the DMA mappings
 * @live: number of mappings that exist
 * @live_bytes: number of bytes in these mappings
 * @peak: highest value of @live so far
 * @maps: number of mappings made
 * @unmaps: number of mappings removed
 * @files: number of files of the client that are mapped into this process
 */
struct model_dma_stats {
	u64 live;
	u64 live_bytes;
	u64 peak;
	u64 maps;
	u64 unmaps;
	u64 files;
};

/** typedef model_dma_unmap_fn - called just before a mapping is removed */
typedef void (*model_dma_unmap_fn)(void *opaque, u64 iova, u64 len);

struct model_dma *model_dma_create(void);
void model_dma_destroy(struct model_dma *dma);
void model_dma_set_unmap_fn(struct model_dma *dma, model_dma_unmap_fn fn,
			    void *opaque);

int model_dma_map(struct model_dma *dma, u64 iova, u64 len, unsigned int rights,
		  int fd, u64 offset);
int model_dma_unmap(struct model_dma *dma, u64 iova, u64 len);
void model_dma_unmap_all(struct model_dma *dma);
void model_dma_release_files(struct model_dma *dma);
void model_dma_enable(struct model_dma *dma, bool enable);
const struct model_dma_stats *model_dma_stats(const struct model_dma *dma);
bool model_dma_replace(struct model_dma *dma, const void *addr);
u64 model_dma_forget_lost(struct model_dma *dma);

void *model_dma_ptr(struct model_dma *dma, u64 iova, size_t len, bool write);
void *model_dma_run(struct model_dma *dma, u64 iova, size_t *len, bool write);
int model_dma_check(struct model_dma *dma, u64 iova, size_t len, bool write);
int model_dma_read(struct model_dma *dma, u64 iova, void *buf, size_t len);
int model_dma_write(struct model_dma *dma, u64 iova, const void *buf,
		    size_t len);

#endif /* MODEL_DMA_H */

/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A map from page numbers to pointers, in the shape of a page table: nodes of
 * 512 slots, and a slot at any level may hold a value for all the pages below
 * it. Insertion, removal and look-up take at most six steps whatever the
 * number of mappings, and a mapping of 1 GiB takes one slot when aligned.
 *
 * Owns the nodes, not the values. Knows nothing of memory.
 */
#ifndef XRDMA_MODEL_DMA_MAP_H
#define XRDMA_MODEL_DMA_MAP_H

#include <linux/bits.h>
#include <linux/types.h>
#include <stdbool.h>

/* 64-bit addresses have 52-bit page numbers: six levels of nine bits */
#define XRDMA_DMA_MAP_LEVELS	6
#define XRDMA_DMA_MAP_BITS	9
#define XRDMA_DMA_MAP_SLOTS	BIT(XRDMA_DMA_MAP_BITS)
#define XRDMA_DMA_MAP_PAGES	BIT_ULL(XRDMA_DMA_MAP_LEVELS *	\
					XRDMA_DMA_MAP_BITS)

struct xrdma_dma_map_node;

/**
 * struct xrdma_dma_map - the map; all zero is an empty one
 * @root: top node, or NULL
 * @spare: a node kept from the last removal
 */
struct xrdma_dma_map {
	struct xrdma_dma_map_node *root;
	struct xrdma_dma_map_node *spare;
};

int xrdma_dma_map_insert(struct xrdma_dma_map *map, u64 page, u64 n_pages,
			 void *value);
void xrdma_dma_map_remove(struct xrdma_dma_map *map, u64 page, u64 n_pages);
void *xrdma_dma_map_find(const struct xrdma_dma_map *map, u64 page);
void *xrdma_dma_map_first(const struct xrdma_dma_map *map, u64 page, u64 last);
void xrdma_dma_map_clear(struct xrdma_dma_map *map);

#endif /* XRDMA_MODEL_DMA_MAP_H */

/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A map from page numbers to pointers, in the shape of a page table: nodes of
 * 512 slots, where a slot at any level can hold a value for all the pages below
 * the slot. A look-up visits at most six nodes, whatever the number of
 * mappings. An aligned mapping of 1 GiB takes one slot.
 *
 * The map owns its nodes. The values belong to host/dma.c, which also maps the
 * memory.
 */
#ifndef MODEL_DMA_MAP_H
#define MODEL_DMA_MAP_H

#include <linux/bits.h>
#include <linux/types.h>
#include <stdbool.h>

/* 64-bit addresses have 52-bit page numbers: six levels of nine bits */
#define MODEL_DMA_MAP_LEVELS	6
#define MODEL_DMA_MAP_BITS	9
#define MODEL_DMA_MAP_SLOTS	BIT(MODEL_DMA_MAP_BITS)
#define MODEL_DMA_MAP_PAGES	BIT_ULL(MODEL_DMA_MAP_LEVELS *	\
					MODEL_DMA_MAP_BITS)

struct model_dma_map_node;

/**
 * struct model_dma_map - the map; an empty map is all zero
 * @root: top node, or NULL
 * @spare: free node, kept for the next insertion, or NULL
 */
struct model_dma_map {
	struct model_dma_map_node *root;
	struct model_dma_map_node *spare;
};

int model_dma_map_insert(struct model_dma_map *map, u64 page, u64 n_pages,
			 void *value);
void model_dma_map_remove(struct model_dma_map *map, u64 page, u64 n_pages);
void *model_dma_map_find(const struct model_dma_map *map, u64 page);
void *model_dma_map_first(const struct model_dma_map *map, u64 page, u64 last);
void model_dma_map_clear(struct model_dma_map *map);

#endif /* MODEL_DMA_MAP_H */

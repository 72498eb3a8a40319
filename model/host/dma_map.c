// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A map from page numbers to pointers, in the shape of a page table. A slot is
 * empty, or has a pointer to a child node, or a value; the lowest bit of the
 * slot is 1 for a value and 0 for a node. The DMA mappings in this map are in
 * host/dma.c.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/dma_map.h"

#define VALUE_TAG	1UL

struct model_dma_map_node {
	unsigned int used;
	uintptr_t slot[MODEL_DMA_MAP_SLOTS];
};

/*
 * Number of pages in a slot: 1 at level 0, 512 times as many at each further
 * level
 */
static u64 slot_pages(unsigned int level)
{
	return BIT_ULL(level * MODEL_DMA_MAP_BITS);
}

static unsigned int slot_index(u64 page, unsigned int level)
{
	return page >> (level * MODEL_DMA_MAP_BITS) & (MODEL_DMA_MAP_SLOTS - 1);
}

static bool is_value(uintptr_t slot)
{
	return slot & VALUE_TAG;
}

static void *to_value(uintptr_t slot)
{
	return (void *)(slot & ~VALUE_TAG);
}

static struct model_dma_map_node *to_node(uintptr_t slot)
{
	return (struct model_dma_map_node *)slot;
}

static struct model_dma_map_node *node_new(struct model_dma_map *map)
{
	struct model_dma_map_node *node = map->spare;

	map->spare = NULL;
	return node ? node : calloc(1, sizeof(*node));
}

/* An empty node is all zero, so node_new() need not clear @spare */
static void node_free(struct model_dma_map *map,
		      struct model_dma_map_node *node)
{
	if (map->spare)
		free(node);
	else
		map->spare = node;
}

/* The highest level at which an aligned slot fits into the range */
static unsigned int fitting_level(u64 page, u64 n_pages)
{
	unsigned int level = 0;

	while (level + 1 < MODEL_DMA_MAP_LEVELS &&
	       !(page & (slot_pages(level + 1) - 1)) &&
	       n_pages >= slot_pages(level + 1))
		level++;
	return level;
}

/*
 * Store a value in one slot, and make the nodes above the slot. After a
 * failure, new nodes stay in the map, without values.
 */
static int insert_slot(struct model_dma_map *map, u64 page,
		       unsigned int slot_level, void *value)
{
	struct model_dma_map_node *node;
	unsigned int level, i;

	if (!map->root)
		map->root = node_new(map);
	node = map->root;
	for (level = MODEL_DMA_MAP_LEVELS - 1; node && level > slot_level;
	     level--) {
		i = slot_index(page, level);
		if (is_value(node->slot[i]))
			return -EEXIST;
		if (!node->slot[i]) {
			node->slot[i] = (uintptr_t)node_new(map);
			node->used += node->slot[i] != 0;
		}
		node = to_node(node->slot[i]);
	}
	if (!node)
		return -ENOMEM;
	i = slot_index(page, slot_level);
	if (node->slot[i])
		return -EEXIST;
	node->slot[i] = (uintptr_t)value | VALUE_TAG;
	node->used++;
	return 0;
}

/* Empty one slot, and free the nodes above the slot that became empty */
static void remove_slot(struct model_dma_map *map, u64 page,
			unsigned int slot_level)
{
	uintptr_t *path[MODEL_DMA_MAP_LEVELS];
	struct model_dma_map_node *nodes[MODEL_DMA_MAP_LEVELS];
	struct model_dma_map_node *node = map->root;
	unsigned int level = MODEL_DMA_MAP_LEVELS - 1;

	for (;; level--) {
		nodes[level] = node;
		path[level] = &node->slot[slot_index(page, level)];
		if (level == slot_level || !*path[level])
			break;
		node = to_node(*path[level]);
	}
	if (*path[level])
		nodes[level]->used--;
	*path[level] = 0;
	for (; level < MODEL_DMA_MAP_LEVELS - 1 && !nodes[level]->used;
	     level++) {
		node_free(map, nodes[level]);
		*path[level + 1] = 0;
		nodes[level + 1]->used--;
	}
}

/**
 * model_dma_map_insert - set the value of each page of a range
 * @map: the map
 * @page: first page
 * @n_pages: number of pages, at least 1; the range ends within
 *	MODEL_DMA_MAP_PAGES
 * @value: an even pointer, not NULL
 *
 * Return: 0; -EEXIST if a page of the range has a value; -ENOMEM. A failed
 * call changes the value of no page.
 */
int model_dma_map_insert(struct model_dma_map *map, u64 page, u64 n_pages,
			 void *value)
{
	u64 start = page, left = n_pages;
	unsigned int level;
	int err;

	while (left) {
		level = fitting_level(page, left);
		err = insert_slot(map, page, level, value);
		if (err) {
			model_dma_map_remove(map, start, page - start);
			return err;
		}
		page += slot_pages(level);
		left -= slot_pages(level);
	}
	return 0;
}

/**
 * model_dma_map_remove - remove the value of each page of a range
 * @map: the map
 * @page: first page
 * @n_pages: number of pages
 *
 * The range must be equal to the range of a model_dma_map_insert().
 */
void model_dma_map_remove(struct model_dma_map *map, u64 page, u64 n_pages)
{
	unsigned int level;

	while (n_pages) {
		level = fitting_level(page, n_pages);
		remove_slot(map, page, level);
		page += slot_pages(level);
		n_pages -= slot_pages(level);
	}
}

/**
 * model_dma_map_find - look up one page
 * @map: the map
 * @page: page number; any value is allowed
 *
 * Return: the value of the page, or NULL.
 */
void *model_dma_map_find(const struct model_dma_map *map, u64 page)
{
	const struct model_dma_map_node *node = map->root;
	unsigned int level = MODEL_DMA_MAP_LEVELS;
	uintptr_t slot;

	if (page >= MODEL_DMA_MAP_PAGES)
		return NULL;
	while (node && level--) {
		slot = node->slot[slot_index(page, level)];
		if (is_value(slot))
			return to_value(slot);
		node = to_node(slot);
	}
	return NULL;
}

static void *first_below(const struct model_dma_map_node *node,
			 unsigned int level, u64 base, u64 page, u64 last)
{
	unsigned int i = page > base ? slot_index(page, level) : 0;
	void *value;
	u64 start;

	for (; i < MODEL_DMA_MAP_SLOTS; i++) {
		start = base + i * slot_pages(level);
		if (start > last)
			break;
		if (!node->slot[i])
			continue;
		if (is_value(node->slot[i]))
			return to_value(node->slot[i]);
		value = first_below(to_node(node->slot[i]), level - 1, start,
				    page, last);
		if (value)
			return value;
	}
	return NULL;
}

/**
 * model_dma_map_first - find the first value in a range of pages
 * @map: the map
 * @page: first page
 * @last: last page, included
 *
 * Return: the value of the lowest page of the range that has one, or NULL.
 */
void *model_dma_map_first(const struct model_dma_map *map, u64 page, u64 last)
{
	if (!map->root || page >= MODEL_DMA_MAP_PAGES)
		return NULL;
	return first_below(map->root, MODEL_DMA_MAP_LEVELS - 1, 0, page, last);
}

static void free_below(struct model_dma_map_node *node, unsigned int level)
{
	unsigned int i;

	for (i = 0; level && i < MODEL_DMA_MAP_SLOTS; i++)
		if (node->slot[i] && !is_value(node->slot[i]))
			free_below(to_node(node->slot[i]), level - 1);
	free(node);
}

/**
 * model_dma_map_clear - remove all values and free all nodes
 * @map: the map; empty afterwards
 */
void model_dma_map_clear(struct model_dma_map *map)
{
	if (map->root)
		free_below(map->root, MODEL_DMA_MAP_LEVELS - 1);
	free(map->spare);
	memset(map, 0, sizeof(*map));
}

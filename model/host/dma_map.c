// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The page-table-shaped map. A slot is empty, a child node, or a value; a tag
 * in the lowest bit of the pointer tells a value from a node.
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

/* Level 0 has pages in its slots, each further level 512 times as many */
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

/* An empty node is all zero, so it can be used again as it is */
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

/* Store a value in one slot, making the nodes above it; undone on failure */
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

/* Empty one slot and free the nodes above it that became empty */
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
 * model_dma_map_insert - give a range of pages a value
 * @map: the map
 * @page: first page
 * @n_pages: number of pages, at least 1; the range ends within
 *	MODEL_DMA_MAP_PAGES
 * @value: an even pointer, not NULL
 *
 * Return: 0; -EEXIST if a page of the range has a value; -ENOMEM. A failed
 * call changes nothing that can be seen.
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
 * model_dma_map_remove - take the value from a range of pages
 * @map: the map
 * @page: first page
 * @n_pages: number of pages
 *
 * The range must be one that was inserted.
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
 * @page: any number
 *
 * Return: its value, or NULL.
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
 * model_dma_map_first - the first value in a range of pages
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
 * model_dma_map_clear - forget everything
 * @map: the map; empty afterwards
 */
void model_dma_map_clear(struct model_dma_map *map)
{
	if (map->root)
		free_below(map->root, MODEL_DMA_MAP_LEVELS - 1);
	free(map->spare);
	memset(map, 0, sizeof(*map));
}

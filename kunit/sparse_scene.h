/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Fixture of the tests of sparse tables: a span with tables, and a reference that
 * has the state of each page in an array and knows nothing of entries. Each step
 * changes both; scene_check() compares them. The steps are chosen by
 * sparse_kunit.c.
 *
 * Only some blocks of 2 MiB are used, at both ends of the span.
 */

#ifndef XRDMA_SPARSE_SCENE_H
#define XRDMA_SPARSE_SCENE_H

#include <linux/string.h>
#include "xrdma_sparse.h"

#define SCENE_BLOCKS		8	/* the first and the last four of the span */
#define SCENE_PAGES		512	/* of a block */
#define SCENE_PAGE		0x1000ULL
#define SCENE_SPAN		0x40000000ULL
#define SCENE_TABLE_SIZE	4096
#define SCENE_DMA		0x123450000000ULL /* bus address of the tables */

enum scene_state {
	SCENE_NONE,
	SCENE_MAPPED,
	SCENE_RETRACTED,
};

/**
 * struct scene_page - what the reference knows of a page
 * @state: state of its entry
 * @huge: the page belongs to a huge page
 * @write: the device may write to the page
 * @addr: bus address of the page
 * @pfn: page frame number of the page
 */
struct scene_page {
	enum scene_state state;
	bool huge;
	bool write;
	u64 addr;
	unsigned long pfn;
};

/**
 * struct scene_leaf - what the reference knows of a table of level 1
 * @state: state of its entry
 * @table: the table
 */
struct scene_leaf {
	enum scene_state state;
	struct xrdma_sparse_table *table;
};

/**
 * struct sparse_scene - a span and its reference
 * @top: table of level 2
 * @tables: memory of the tables of level 1
 * @leaf: tables of level 1, by block
 * @page: pages, by block
 * @serial: number of pages and huge pages mapped so far, for their addresses
 * @maps: number of blocks mapped
 * @unmaps: calls of xrdma_sparse_ops.unmap
 * @links: number of tables added
 * @frees: calls of xrdma_sparse_ops.free
 * @step: number of the step, for messages
 * @wrong: the first difference, or NULL
 */
struct sparse_scene {
	struct xrdma_sparse_table top;
	struct xrdma_sparse_table tables[SCENE_BLOCKS];
	struct scene_leaf leaf[SCENE_BLOCKS];
	struct scene_page page[SCENE_BLOCKS][SCENE_PAGES];
	u32 serial;
	u32 maps;
	u32 unmaps;
	u32 links;
	u32 frees;
	u32 step;
	const char *wrong;
};

static inline void scene_expect(struct sparse_scene *s, bool met,
				const char *wrong)
{
	if (!met && !s->wrong)
		s->wrong = wrong;
}

/* Number of a block in the span */
static inline u32 scene_number(u32 block)
{
	return block < SCENE_BLOCKS / 2 ? block : SCENE_PAGES - SCENE_BLOCKS + block;
}

static inline u64 scene_offset(u32 block, u32 page)
{
	return ((u64)scene_number(block) * SCENE_PAGES + page) * SCENE_PAGE;
}

/* Prepare an empty span; @memory: two tables for each block, and two more */
static inline void scene_init(struct sparse_scene *s, u8 *memory)
{
	u32 i;

	s->top.entry = (__le64 *)memory;
	s->top.slot = (unsigned long *)(memory + SCENE_TABLE_SIZE);
	for (i = 0; i < SCENE_BLOCKS; i++) {
		memory += 2 * SCENE_TABLE_SIZE;
		s->tables[i].entry = (__le64 *)memory;
		s->tables[i].slot = (unsigned long *)(memory + SCENE_TABLE_SIZE);
		s->tables[i].dma = SCENE_DMA + i * SCENE_TABLE_SIZE;
	}
}

/* ---- map ------------------------------------------------------------------- */

static inline bool scene_is_huge(const struct sparse_scene *s, u32 block)
{
	return s->page[block][0].state && s->page[block][0].huge;
}

/* Add a table of level 1, unless a table or a huge page is there. */
static inline void scene_link(struct sparse_scene *s, u32 block)
{
	struct scene_leaf *leaf = &s->leaf[block];

	if (leaf->state || scene_is_huge(s, block))
		return;
	leaf->state = SCENE_MAPPED;
	leaf->table = &s->tables[block];
	s->links++;
	xrdma_sparse_link(&s->top, scene_offset(block, 5), leaf->table);
}

static inline void scene_set(struct sparse_scene *s, u32 block, u32 page,
			     bool huge, bool write)
{
	u64 addr = (u64)s->serial << 21 | page * SCENE_PAGE;

	s->page[block][page] = (struct scene_page) {
		.state = SCENE_MAPPED,
		.huge = huge,
		.write = write,
		/* high bits set in some addresses, no page at address 0 */
		.addr = addr + (s->serial & 1 ? 0xfff0000000000000ULL : 0x200000),
		.pfn = (addr >> 12) + SCENE_PAGES,
	};
}

/* Map a page, if its table is there and the entry is not in use. */
static inline void scene_map_page(struct sparse_scene *s, u32 block, u32 page,
				  bool write)
{
	const struct scene_page *p = &s->page[block][page];

	if (s->leaf[block].state != SCENE_MAPPED || p->state)
		return;
	s->serial++;
	s->maps++;
	scene_set(s, block, page, false, write);
	xrdma_sparse_map(s->leaf[block].table, page, p->addr, p->pfn, write);
}

/* Map a huge page, if neither a table nor a huge page is there. */
static inline void scene_map_huge(struct sparse_scene *s, u32 block, bool write)
{
	u32 i;

	if (s->leaf[block].state || scene_is_huge(s, block))
		return;
	s->serial++;
	s->maps++;
	for (i = 0; i < SCENE_PAGES; i++)
		scene_set(s, block, i, true, write);
	xrdma_sparse_map(&s->top, scene_number(block), s->page[block][0].addr,
			 s->page[block][0].pfn, write);
}

/* Allow writes to a page or its huge page, if the page is mapped. */
static inline void scene_allow_write(struct sparse_scene *s, u32 block, u32 page)
{
	struct scene_page *p = s->page[block];
	u32 i;

	if (p[page].state != SCENE_MAPPED)
		return;
	for (i = 0; i < SCENE_PAGES; i++)
		if (i == page || p[page].huge)
			p[i].write = true;
	if (p[page].huge)
		xrdma_sparse_allow_write(&s->top, scene_number(block));
	else
		xrdma_sparse_allow_write(s->leaf[block].table, page);
}

/* ---- retract --------------------------------------------------------------- */

/* The state of the pages [first, last] of a block changes. Return: of any */
static inline bool scene_turn(struct sparse_scene *s, u32 block, u32 first,
			      u32 last)
{
	bool any = false;
	u32 i;

	for (i = first; i <= last; i++) {
		if (s->page[block][i].state != SCENE_MAPPED)
			continue;
		s->page[block][i].state = SCENE_RETRACTED;
		any = true;
	}
	return any;
}

/* Return: true if no page of the block is mapped */
static inline bool scene_is_empty(const struct sparse_scene *s, u32 block)
{
	u32 i;

	for (i = 0; i < SCENE_PAGES; i++)
		if (s->page[block][i].state == SCENE_MAPPED)
			return false;
	return true;
}

/* What the reference expects of retracting a part of a block */
static inline bool scene_turn_block(struct sparse_scene *s, u32 block, u32 first,
				    u32 last, bool *whole)
{
	struct scene_leaf *leaf = &s->leaf[block];
	bool huge = scene_is_huge(s, block);
	bool any = scene_turn(s, block, huge ? 0 : first,
			      huge ? SCENE_PAGES - 1 : last);

	*whole = huge && any;
	if (leaf->state == SCENE_MAPPED && scene_is_empty(s, block)) {
		leaf->state = SCENE_RETRACTED;
		*whole = true;
	}
	return any || *whole;
}

static inline bool scene_turn_range(struct sparse_scene *s, u64 *from, u64 *to)
{
	u64 start = *from, end = *to;
	bool any = false, whole;
	u32 block;

	for (block = 0; block < SCENE_BLOCKS; block++) {
		u64 begin = scene_offset(block, 0);
		u64 stop = begin + SCENE_PAGES * SCENE_PAGE;
		u64 first = max(begin, start), last = min(stop, end);

		if (first >= last)
			continue;
		any |= scene_turn_block(s, block, (first - begin) / SCENE_PAGE,
					(last - begin) / SCENE_PAGE - 1, &whole);
		*from = whole ? min(*from, begin) : *from;
		*to = whole ? max(*to, stop) : *to;
	}
	return any;
}

/* Retract a range in the tables and in the reference, and compare the results. */
static inline bool scene_retract(struct sparse_scene *s, u64 *from, u64 *to)
{
	u64 start = *from, end = *to;
	bool expected = scene_turn_range(s, &start, &end);
	bool any = xrdma_sparse_retract(&s->top, from, to);

	scene_expect(s, any == expected, "retract returns the wrong value");
	scene_expect(s, *from == start && *to == end,
		     "retract returns the wrong range");
	return any;
}

/* ---- reap ------------------------------------------------------------------ */

/* Page @i of all blocks */
static inline struct scene_page *scene_at(struct sparse_scene *s, u32 i)
{
	return &s->page[i / SCENE_PAGES][i % SCENE_PAGES];
}

static inline struct scene_page *scene_find(struct sparse_scene *s, u64 addr)
{
	u32 i;

	for (i = 0; i < SCENE_BLOCKS * SCENE_PAGES; i++)
		if (scene_at(s, i)->state && scene_at(s, i)->addr == addr)
			return scene_at(s, i);
	return NULL;
}

static inline void scene_unmap(void *context, u64 addr, unsigned long pfn,
			       u8 shift, bool write)
{
	struct sparse_scene *s = context;
	struct scene_page *page = scene_find(s, addr);
	u32 i;

	s->unmaps++;
	scene_expect(s, page && page->state == SCENE_RETRACTED,
		     "a block was unmapped that was not retracted");
	if (!page)
		return;
	scene_expect(s, page->pfn == pfn, "unmap gets a wrong page");
	scene_expect(s, page->write == write, "unmap gets a wrong write flag");
	scene_expect(s, shift == (page->huge ? 21 : 12),
		     "unmap gets a wrong size");
	for (i = 0; i < (page->huge ? SCENE_PAGES : 1); i++)
		page[i].state = SCENE_NONE;
}

static inline void scene_free(void *context, struct xrdma_sparse_table *table)
{
	struct sparse_scene *s = context;
	struct scene_leaf *leaf = NULL;
	u32 i;

	s->frees++;
	for (i = 0; i < SCENE_BLOCKS; i++)
		if (s->leaf[i].state == SCENE_RETRACTED &&
		    s->leaf[i].table == table)
			leaf = &s->leaf[i];
	scene_expect(s, leaf, "a table was freed that was not retracted");
	if (!leaf)
		return;
	scene_expect(s, !table->used && !table->retracted,
		     "a table was freed that has entries");
	for (i = 0; i < SCENE_PAGES; i++)
		scene_expect(s, !table->entry[i] && !table->slot[i],
			     "a freed table is not zero");
	leaf->state = SCENE_NONE;
	leaf->table = NULL;
}

static const struct xrdma_sparse_ops scene_ops = {
	.unmap = scene_unmap,
	.free = scene_free,
};

static inline void scene_reap(struct sparse_scene *s, u64 from, u64 to)
{
	u32 i;

	xrdma_sparse_reap(&s->top, from, to, &scene_ops, s);
	for (i = 0; i < SCENE_BLOCKS * SCENE_PAGES; i++)
		scene_expect(s, scene_at(s, i)->state != SCENE_RETRACTED,
			     "a retracted block was not unmapped");
	for (i = 0; i < SCENE_BLOCKS; i++)
		scene_expect(s, s->leaf[i].state != SCENE_RETRACTED,
			     "a retracted table was not freed");
}

/* ---- check ----------------------------------------------------------------- */

/*
 * Look up a page as the specification says. Return: the entry of its block, with
 * the bus address of the page; 0: the translation misses.
 */
static inline u64 scene_walk(struct sparse_scene *s, u32 block, u32 page)
{
	u64 entry = le64_to_cpu(s->top.entry[scene_number(block)]);
	u32 i;

	if (!(entry & 1))
		return 0;
	if (entry & 2)
		return entry + page * SCENE_PAGE;
	for (i = 0; i < SCENE_BLOCKS && entry != (s->tables[i].dma | 1); i++)
		;
	if (i == SCENE_BLOCKS)
		return 0;
	entry = le64_to_cpu(s->tables[i].entry[page]);
	return entry & 1 ? entry : 0;
}

static inline void scene_check_count(struct sparse_scene *s,
				     const struct xrdma_sparse_table *table,
				     u32 used, u32 retracted)
{
	scene_expect(s, table->used == used, "a number of entries is wrong");
	scene_expect(s, table->retracted == retracted,
		     "a number of retracted entries is wrong");
}

static inline void scene_check_block(struct sparse_scene *s, u32 block)
{
	const struct scene_leaf *leaf = &s->leaf[block];
	u32 used = 0, retracted = 0, i;

	for (i = 0; i < SCENE_PAGES; i++) {
		const struct scene_page *p = &s->page[block][i];
		u64 want = p->addr | 3 | (p->write ? 4 : 0);

		used += p->state && !p->huge;
		retracted += p->state == SCENE_RETRACTED && !p->huge;
		scene_expect(s, scene_walk(s, block, i) ==
				(p->state == SCENE_MAPPED ? want : 0),
			     "a walk finds something else than the reference");
	}
	scene_expect(s, xrdma_sparse_leaf(&s->top, scene_offset(block, 9)) ==
			(leaf->state == SCENE_MAPPED ? leaf->table : NULL),
		     "a table is not found");
	if (leaf->state)
		scene_check_count(s, leaf->table, used, retracted);
}

/* Compare tables and reference; the first difference sets s->wrong. */
static inline void scene_check(struct sparse_scene *s)
{
	u32 used = 0, retracted = 0, i;

	for (i = 0; i < SCENE_BLOCKS; i++) {
		enum scene_state state = s->leaf[i].state;

		if (scene_is_huge(s, i))
			state = s->page[i][0].state;
		used += state != SCENE_NONE;
		retracted += state == SCENE_RETRACTED;
		scene_check_block(s, i);
	}
	scene_check_count(s, &s->top, used, retracted);
	for (i = SCENE_BLOCKS / 2; i < SCENE_PAGES - SCENE_BLOCKS / 2; i++)
		scene_expect(s, !s->top.entry[i] && !s->top.slot[i],
			     "a block has an entry that was never mapped");
}

#endif /* XRDMA_SPARSE_SCENE_H */

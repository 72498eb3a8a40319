/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The tables of a translation that the driver builds, for harnesses of xrdma_mtt.c:
 * stand-ins for the kernel's pages, at any bus addresses, and what holds between two
 * calls. A harness defines INDEX_MAX and includes xrdma_mtt.c before this file.
 */

#ifndef PROOF_TABLES_H
#define PROOF_TABLES_H

/**
 * struct table - a table that the driver has allocated
 * @page: its page; the private word is the bus address
 * @entry: its entries; an access to another one is an error
 */
struct table {
	struct page page;
	__le64 entry[INDEX_MAX];
};

/* Tables by level, before the call, and tables that the call allocates */
static struct table old[4], added[4];
static u32 num_added;
static struct pci_dev pdev;
static struct xrdma_dev xdev = { .pdev = &pdev };

struct page *alloc_pages_node(int node, gfp_t flags, unsigned int order)
{
	(void)node;
	PROVE(flags & __GFP_ZERO && !order && num_added < 4);
	return nondet_truth() ? &added[num_added++].page : NULL;
}

void __free_page(struct page *page)
{
	(void)page;
}

void *page_address(const struct page *page)
{
	return container_of(page, struct table, page)->entry;
}

int dev_to_node(struct device *device)
{
	(void)device;
	return nondet_int();
}

dma_addr_t dma_map_page(struct device *device, struct page *page, size_t offset,
			size_t size, enum dma_data_direction dir)
{
	(void)device;
	(void)page;
	PROVE(!offset && size == 4096 && dir == DMA_TO_DEVICE);
	return nondet_u64() << 12;
}

int dma_mapping_error(struct device *device, dma_addr_t addr)
{
	(void)device;
	(void)addr;
	return nondet_truth();
}

void cond_resched(void)
{
}

/* The bus address of the table that the builder has for a level */
static u64 address_of(const struct xrdma_mtt_builder *b, u8 level)
{
	return container_of(b->table[level], struct table, entry[0])->page.private;
}

/* Does the table of the level above have the entry for the table of @level? */
static bool is_linked(const struct xrdma_mtt_builder *b, u8 level)
{
	u64 entry = le64_to_cpu(b->table[level + 1][b->tag[level] & 511]);

	return entry == (address_of(b, level) | 1);
}

/*
 * The invariant of the tables between two calls: the tables above a table exist; no
 * table covers positions behind @b->pos; and each table has its entry in the table
 * of the level above, unless the table above covers later positions.
 */
static bool builder_ok(const struct xrdma_mtt_builder *b)
{
	u8 level;

	for (level = 1; level < b->x.level; level++) {
		if (!b->table[level])
			continue;
		if (!b->table[level + 1] ||
		    b->tag[level] > b->pos >> (b->x.leaf_shift + 9 * level))
			return false;
		if (level + 1 == b->x.level ||
		    b->tag[level + 1] == b->tag[level] >> 9) {
			if (!is_linked(b, level))
				return false;
		} else if (b->tag[level + 1] < b->tag[level] >> 9) {
			return false;
		}
	}
	return true;
}

/*
 * Any tables of a builder, of @top levels of leaves of 4 KiB: the position of a table
 * and @b->pos are in the first INDEX_MAX entries.
 */
static void any_tables(struct xrdma_mtt_builder *b, struct xrdma_mtt *mtt, u8 top)
{
	u8 at;

	xrdma_mtt_init(mtt);
	b->xdev = &xdev;
	b->mtt = mtt;
	b->x.level = top;
	b->x.leaf_shift = 12;
	for (at = 1; at <= top; at++) {
		struct table any;

		old[at] = any;	/* not initialised: any contents */
		b->table[at] = nondet_truth() ? old[at].entry : NULL;
		ASSUME((b->tag[at] & 511) < INDEX_MAX);
		ASSUME((b->pos >> (b->x.leaf_shift + 9 * (at - 1)) & 511) <
		       INDEX_MAX);
	}
	ASSUME(builder_ok(b));
}

#endif /* PROOF_TABLES_H */

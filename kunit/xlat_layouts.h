/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Random layouts of memory, like those that DMA mapping returns: lists of
 * contiguous pieces of bus memory. A layout depends only on its seed, so that a
 * failure can be repeated. This file does not use translations, which
 * xlat_walk.h reads.
 */

#ifndef XRDMA_XLAT_LAYOUTS_H
#define XRDMA_XLAT_LAYOUTS_H

#include <linux/prandom.h>
#include <linux/sizes.h>

#define LAYOUT_SEED		0x78726d61
#define LAYOUT_PAGE		0x1000ULL
#define LAYOUT_GIB		BIT_ULL(30)

struct layout_piece {
	u64 addr;
	u64 len;
};

/**
 * struct layout - memory of a region or queue
 * @rnd: state of the random number generator
 * @num: number of pieces
 * @total: number of bytes in all pieces
 * @first: offset of the region from the start of the first piece, in bytes
 * @length: length of the region in bytes
 * @queue: the memory holds a queue, whose first byte must be at position 0
 * @max: largest number of pieces that @pieces can hold
 * @pieces: the pieces. Addresses and lengths are multiples of 4 KiB, except the
 *	last length
 */
struct layout {
	struct rnd_state rnd;
	u32 num;
	u64 total;
	u64 first;
	u64 length;
	bool queue;
	u32 max;
	struct layout_piece *pieces;
};

static inline u64 layout_random(struct layout *l, u64 below)
{
	u64 high = prandom_u32_state(&l->rnd);

	return (high << 32 | prandom_u32_state(&l->rnd)) % below;
}

/*
 * Return a random bus address that is congruent to @pos modulo @align; @pos is
 * a multiple of 4 KiB.
 */
static inline u64 layout_addr(struct layout *l, u64 align, u64 pos)
{
	u64 addr = layout_random(l, 1ULL << (layout_random(l, 8) ? 46 : 56));

	return (addr & ~(align - 1)) | (pos & (align - 1) & ~(LAYOUT_PAGE - 1));
}

static inline void layout_add(struct layout *l, u64 addr, u64 len)
{
	if (l->num == l->max)
		return;
	l->pieces[l->num].addr = addr;
	l->pieces[l->num].len = len;
	l->num++;
	l->total += len;
}

static inline u64 layout_end(const struct layout *l)
{
	const struct layout_piece *p = &l->pieces[l->num - 1];

	return p->addr + p->len;
}

/**
 * layout_begin() - empty a layout
 * @l: the layout; @pieces and @max are set
 * @seed: seed of the random numbers of the layout
 */
static inline void layout_begin(struct layout *l, u32 seed)
{
	l->num = 0;
	l->total = 0;
	l->first = 0;
	l->length = 0;
	l->queue = false;
	prandom_seed_state(&l->rnd, LAYOUT_SEED + seed);
}

/* Add pages of one size, 4 KiB to 1 GiB; some are adjacent. */
static inline void layout_equal_pages(struct layout *l)
{
	u64 size = 1ULL << (12 + layout_random(l, 19));
	u32 num = 1 + layout_random(l, 256);
	u32 near = layout_random(l, 3);

	while (num--) {
		if (l->num && layout_random(l, 3) < near)
			layout_add(l, layout_end(l), size);
		else
			layout_add(l, layout_addr(l, size, 0), size);
	}
}

/* Add one page of 4 KiB among pages of 64 KiB or 2 MiB. */
static inline void layout_odd_page(struct layout *l)
{
	u64 size = layout_random(l, 2) ? SZ_2M : SZ_64K;
	u32 num = 1 + layout_random(l, 40);
	u32 odd = layout_random(l, num);

	while (num--)
		layout_add(l, layout_addr(l, num == odd ? LAYOUT_PAGE : size, 0),
			   num == odd ? LAYOUT_PAGE : size);
}

/*
 * Add memory of a process: pages of 4 KiB, 2 MiB and 1 GiB, whose bus addresses
 * are congruent to the virtual addresses modulo the size of the page.
 */
static inline void layout_user_memory(struct layout *l)
{
	u64 va = layout_random(l, LAYOUT_GIB) & ~(LAYOUT_PAGE - 1);
	u32 num = 1 + layout_random(l, 60);

	while (num--) {
		u32 kind = layout_random(l, 12);
		u64 size = kind == 0 ? LAYOUT_GIB : kind < 6 ? SZ_2M : LAYOUT_PAGE;
		u64 len = size - (va & (size - 1));

		layout_add(l, layout_addr(l, size, va), len);
		va += len;
	}
}

/* Add pieces with random lengths and addresses; some are adjacent. */
static inline void layout_any_pieces(struct layout *l)
{
	u32 num = 1 + layout_random(l, 50);

	while (num--) {
		u64 pages = 1 + layout_random(l, 1ULL << layout_random(l, 11));
		u64 align = LAYOUT_PAGE << layout_random(l, 10);

		if (l->num && !layout_random(l, 4))
			layout_add(l, layout_end(l), pages * LAYOUT_PAGE);
		else
			layout_add(l, layout_addr(l, align, 0),
				   pages * LAYOUT_PAGE);
	}
}

/* Add one piece with a random alignment, as an IOMMU may map it. */
static inline void layout_one_piece(struct layout *l)
{
	u64 pages = 1 + layout_random(l, 1ULL << layout_random(l, 20));
	u64 align = LAYOUT_PAGE << layout_random(l, 19);

	layout_add(l, layout_addr(l, align, 0), pages * LAYOUT_PAGE);
}

/**
 * layout_make() - make a layout
 * @l: the layout; @pieces and @max are set
 * @number: number of the layout: selects the kind of memory and the seed
 */
static inline void layout_make(struct layout *l, u32 number)
{
	static void (*const kinds[])(struct layout *l) = {
		layout_equal_pages, layout_odd_page, layout_user_memory,
		layout_any_pieces, layout_one_piece,
	};

	layout_begin(l, number);
	kinds[number % ARRAY_SIZE(kinds)](l);
	if (layout_random(l, 2)) {
		u64 less = layout_random(l, LAYOUT_PAGE);

		l->pieces[l->num - 1].len -= less;
		l->total -= less;
	}
	/* a queue may need leaf blocks of 4 KiB, so limit its tables */
	l->queue = l->total < SZ_64M && !layout_random(l, 4);
	if (!l->queue && layout_random(l, 2))
		l->first = layout_random(l, l->pieces[0].len);
	l->length = 1 + layout_random(l, l->total - l->first);
}

/**
 * layout_join() - merge adjacent pieces
 * @l: the layout, with at least one piece
 */
static inline void layout_join(struct layout *l)
{
	struct layout_piece *last = l->pieces;
	u32 i;

	for (i = 1; i < l->num; i++) {
		if (l->pieces[i].addr == last->addr + last->len)
			last->len += l->pieces[i].len;
		else
			*++last = l->pieces[i];
	}
	l->num = last - l->pieces + 1;
}

#endif /* XRDMA_XLAT_LAYOUTS_H */

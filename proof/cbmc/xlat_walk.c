// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The device's walk of translation tables, model/core/xlat.c, compiled
 * unchanged: on the tables that the driver fills, and on tables of any bytes. A
 * stub stands for the DMA of the device: it gives one page for each bus address
 * that is asked for, and records what was asked for. Another stub stands for the
 * atomic read of an entry. How the driver chooses blocks is in xlat_shape.c.
 *
 * CBMC: --unwind 6 --slice-formula
 */

#include "proof.h"
#include "device.h"

#define __atomic_load_n(ptr, order)	read_entry(ptr)
static __le64 read_entry(const __le64 *ptr);

#include "core/xlat.c"

/* A legal root has at most 4 levels of tables. */
#define READS_MAX	4

/**
 * struct host_memory - memory of the host, as the device asks for it
 * @table_addr: bus address of the table of each level
 * @filled: the driver has written the entries for @pos; else they have any value
 * @leaf: log2 of the size of a leaf
 * @level: level of the block of @pos
 * @pos: position whose entries the driver has written
 * @block: bus address of the block of @pos
 * @next_level: level of the table that is read next
 * @reads: number of tables that were read
 * @read_addr: bus addresses of these tables
 * @last: the entry that was read last; before that: the root
 * @data_asked: data was asked for
 * @most: number of bytes of data that may be asked for
 */
static struct host_memory {
	u64 table_addr[READS_MAX + 1];
	bool filled;
	u8 leaf;
	u8 level;
	u64 pos;
	u64 block;
	u8 next_level;
	u32 reads;
	u64 read_addr[READS_MAX];
	u64 last;
	bool data_asked;
	u64 most;
} host;

/* The table that was read last; read_entry() has its entries. */
static __le64 table_page[XRDMA_MTT_ENTRIES];
static u8 data[XRDMA_PAGE_SIZE];
static struct model_device dev;

/* What the driver writes to the table of @level on the way to the block */
static u64 filled_entry(u8 level)
{
	return level == host.level ?
	       xrdma_make_mtt_block(host.block) :
	       xrdma_make_mtt_table(host.table_addr[level - 1]);
}

/* An entry of the last table: any value, unless the driver has written it */
static __le64 read_entry(const __le64 *ptr)
{
	u8 level = host.next_level + 1;
	__le64 any = nondet_u64();

	PROVE(__CPROVER_same_object(ptr, table_page));
	PROVE(ptr - table_page < XRDMA_MTT_ENTRIES);
	if (host.filled &&
	    ptr == &table_page[xrdma_xlat_index(host.leaf, level, host.pos)])
		return cpu_to_le64(filled_entry(level));
	host.last = le64_to_cpu(any);
	return any;
}

/* Data is asked for inside of the block that the last entry names. */
static void check_data(u64 addr, u64 len)
{
	u8 shift = host.reads ? host.leaf + 9 * host.next_level : host.leaf;
	u64 first = host.last & ~0xfffULL;

	PROVE(len && len <= host.most);
	PROVE(first >> shift << shift == first);
	PROVE(addr >> shift == first >> shift);
	PROVE((addr + len - 1) >> shift == first >> shift);
	host.data_asked = true;
}

/*
 * The theorems access data to write it, so that a read before the first access to
 * data is that of a table.
 */
void *model_dma_ptr(struct model_dma *dma, u64 iova, size_t len, bool write)
{
	(void)dma;
	if (!write && !host.data_asked) {
		PROVE(len == XRDMA_MTT_TABLE_SIZE);
		PROVE(host.reads < READS_MAX && host.next_level);
		host.read_addr[host.reads++] = iova;
		host.next_level--;
		return nondet_truth() || host.filled ? table_page : NULL;
	}
	check_data(iova, len);
	return nondet_truth() ? data : NULL;
}

/* Each run is as long as asked, or shorter. */
void *model_dma_run(struct model_dma *dma, u64 iova, size_t *len, bool write)
{
	size_t shorter = nondet_u64();

	(void)dma;
	(void)write;
	check_data(iova, *len);
	if (nondet_truth())
		return NULL;
	ASSUME(shorter && shorter <= *len);
	*len = shorter;
	return data;
}

int model_dma_check(struct model_dma *dma, u64 iova, size_t len, bool write)
{
	(void)dma;
	(void)iova;
	(void)len;
	(void)write;
	return nondet_int();
}

void model_host_error(struct model_host_errors *herr,
		      enum model_host_error_kind kind, const char *fmt, ...)
{
	(void)herr;
	(void)kind;
	(void)fmt;
}

/* Nothing has been read yet; the first table is that of @level. */
static void start_host(u8 level)
{
	u8 i;

	host.filled = false;
	host.reads = 0;
	host.data_asked = false;
	host.next_level = level;
	host.most = 0;
	for (i = 0; i <= READS_MAX; i++)
		host.table_addr[i] = nondet_u64() << 12;
}

/* The walk of @top levels of tables finds each byte of a block of any level. */
static void walk_finds(u8 top)
{
	struct model_mem mem;
	struct place at;
	u64 size;
	u32 i;

	start_host(top);
	host.filled = true;
	host.leaf = nondet_u8();
	host.level = nondet_u8();
	host.pos = nondet_u64();
	ASSUME(host.leaf >= XRDMA_LEAF_SHIFT_MIN);
	ASSUME(host.leaf <= XRDMA_LEAF_SHIFT_MAX);
	ASSUME(host.level >= 1 && host.level <= top);
	size = 1ULL << (host.leaf + 9 * (host.level - 1));
	host.block = nondet_u64() & ~(size - 1);
	model_mem_init(&mem,
		       xrdma_make_root(host.table_addr[top], top, host.leaf),
		       0, ~0ULL, 0);
	ASSUME(xrdma_root_covers(mem.root, host.pos));
	REACHABLE(host.level == top && host.pos > size);
	REACHABLE(host.level == 1 && host.leaf == 30);
	PROVE(walk(&dev, &mem, host.pos, &at));
	PROVE(at.addr == host.block + (host.pos & (size - 1)));
	PROVE(at.left == size - (host.pos & (size - 1)));
	PROVE(at.writable);
	PROVE(host.reads == top - host.level + 1U);
	for (i = 0; i < top; i++)
		PROVE(i >= host.reads ||
		      host.read_addr[i] == host.table_addr[top - i]);
}

/*
 * Theorem: The device's walk of the tables of one level that the driver fills
 *	finds the bus address of each byte of a block, reads exactly the tables
 *	above the block, from the top, at their addresses, and counts the bytes
 *	left in the block.
 * Holds for: all positions, addresses, leaf sizes, and levels of the block; all
 *	other entries of the tables have any value.
 * Assumes: the block is aligned to its size, and its level exists: theorems
 *	xlat_shape.blocks_map_bytes_to_themselves and blocks_fit_the_levels.
 */
static void walk_of_one_level(void)
{
	walk_finds(1);
}

/*
 * Theorem: The same as walk_of_one_level, for tables of two levels.
 * Holds for: as walk_of_one_level.
 * Assumes: as walk_of_one_level.
 */
static void walk_of_two_levels(void)
{
	walk_finds(2);
}

/*
 * Theorem: The same as walk_of_one_level, for tables of three levels.
 * Holds for: as walk_of_one_level.
 * Assumes: as walk_of_one_level.
 */
static void walk_of_three_levels(void)
{
	walk_finds(3);
}

/*
 * Theorem: The same as walk_of_one_level, for tables of four levels.
 * Holds for: as walk_of_one_level.
 * Assumes: as walk_of_one_level.
 */
static void walk_of_four_levels(void)
{
	walk_finds(4);
}

/*
 * Theorem: The walk of a root without tables finds the byte of the block.
 * Holds for: all positions, all legal roots without tables.
 * Assumes: nothing.
 */
static void walk_without_tables(void)
{
	u64 root = nondet_u64();
	u64 pos = nondet_u64();
	struct model_mem mem;
	struct place at;

	ASSUME(xrdma_root_ok(root) && !(root & 7));
	ASSUME(xrdma_root_covers(root, pos));
	start_host(0);
	model_mem_init(&mem, root, 0, ~0ULL, 0);
	REACHABLE(pos);
	PROVE(walk(&dev, &mem, pos, &at));
	PROVE(at.addr == (root & ~0xfffULL) + pos);
	PROVE(at.addr >= pos);
	PROVE(at.left == (1ULL << (root >> 3 & 63)) - pos);
	PROVE(!host.reads);
}

/* An access to any memory of the root @root, with MODEL_MEM_* @flags */
static void any_access(u64 root, u8 flags)
{
	u64 base = nondet_u64(), size = nondet_u64(), off = nondet_u64();
	bool paged = flags & MODEL_MEM_PAGED;
	size_t asked = nondet_u64();
	size_t len = asked;
	u32 i = nondet_u32();
	struct model_mem mem;
	void *ptr;

	ASSUME(asked && size && base + size - 1 >= base);
	ASSUME(paged || xrdma_root_covers(root, base + size - 1));
	start_host(root & 7);
	host.leaf = root >> 3 & 0x3f;
	host.last = root;
	host.most = size - off;
	dev.live = true;
	model_mem_init(&mem, root, base, size, flags);
	ptr = model_mem_ptr(&dev, &mem, off, &len, true);
	REACHABLE(ptr && host.reads == 4);
	REACHABLE(!ptr && host.reads == 1 && !host.data_asked);
	REACHABLE(paged ? mem.missed && host.reads == 3 :
			  ptr && (root & 7) == 0);
	PROVE(host.reads <= (root & 7));
	PROVE(!ptr || (len && len <= asked && off < size && len <= size - off));
	PROVE(!paged || !ptr || host.last & XRDMA_MTT_WRITE);
	PROVE(!mem.missed || (paged && !ptr));
	PROVE(xrdma_root_covers(root, base + off) || !host.reads);
	ASSUME(i < host.reads);
	PROVE(host.read_addr[i] % XRDMA_MTT_TABLE_SIZE == 0);
}

/*
 * Theorem: For any contents of the tables, an access through a legal root ends
 *	after at most as many reads of tables as the root has levels, each of
 *	one page at an address aligned to 4 KiB; the data that it then asks for
 *	lies inside of the aligned block that the last entry names, and is not
 *	longer than the rest of the memory; what it returns is at least 1 byte,
 *	and not longer than what was asked for; no translation misses.
 * Holds for: all roots, contents of tables, offsets and lengths.
 * Assumes: root, position and length are what model_key_root_ok() accepts;
 *	nothing is cached.
 * Solver: cadical
 */
static void hostile_tables_are_harmless(void)
{
	u64 root = nondet_u64();

	ASSUME(xrdma_root_ok(root));
	any_access(root, nondet_truth() ? MODEL_MEM_SPARSE : 0);
}

/*
 * Theorem: The same as hostile_tables_are_harmless, for a paged region, whose
 *	translations may miss; and an access that writes gets memory only if the
 *	last entry allows writes, and no table is read for a position that the
 *	root cannot map.
 * Holds for: as hostile_tables_are_harmless.
 * Assumes: root, position and length are what paged_root_ok() accepts; nothing
 *	is cached.
 */
static void hostile_paged_tables_are_harmless(void)
{
	u64 root = nondet_u64();

	ASSUME(xrdma_root_paged_ok(root));
	any_access(root, MODEL_MEM_PAGED);
}

/* An access by the null key gets bytes of the right page. */
static void check_null(struct model_mem *mem, bool write)
{
	const u8 *page = write ? discarded : zeros;
	size_t asked = nondet_u64(), len;
	u64 off = nondet_u64();
	const u8 *ptr;

	ASSUME(asked && off < mem->size);
	len = asked;
	ptr = model_mem_ptr(&dev, mem, off, &len, write);
	REACHABLE(len == XRDMA_PAGE_SIZE && off >> 63);
	PROVE(ptr && len && len <= asked && len <= mem->size - off);
	PROVE(__CPROVER_same_object(ptr, page));
	PROVE((u64)(ptr - page) + len <= XRDMA_PAGE_SIZE);
	PROVE(!mem->missed && !host.reads && !host.data_asked);
}

/*
 * Theorem: An access by the null key asks for no memory of the host. A read gets
 *	bytes of a page that no write gets, which therefore stay 0; an access
 *	gets at least 1 byte and not more than it has asked for.
 * Holds for: all offsets and lengths; the first access, and a second one, which may
 *	find the result of the first one in the cache.
 * Assumes: nothing.
 */
static void the_null_key_has_no_memory(void)
{
	struct model_mem mem;

	start_host(0);
	dev.live = true;
	model_mem_init(&mem, 0, 0, nondet_u64(), MODEL_MEM_NULL);
	check_null(&mem, nondet_truth());
	check_null(&mem, nondet_truth());
}

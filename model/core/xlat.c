// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The walk of translation tables, and copies to and from translated memory. The
 * kernel writes the tables, so each malformed entry is a host error. DMA
 * mappings are in host/dma.c, checks of keys in access.c.
 */
#include <errno.h>
#include <string.h>

#include "core/device.h"
#include "core/xlat.h"
#include "xrdma_xlat.h"

/**
 * model_mem_init - initialize a piece of memory
 * @mem: filled in
 * @root: XRDMA_ROOT_*, checked by xrdma_root_ok(); 0 with MODEL_MEM_IDENTITY,
 *	MODEL_MEM_DEVICE or MODEL_MEM_NULL
 * @base: position, or bus address, of the first byte
 * @size: bytes
 * @flags: MODEL_MEM_*
 */
void model_mem_init(struct model_mem *mem, u64 root, u64 base, u64 size,
		    u8 flags)
{
	*mem = (struct model_mem) {
		.root = root,
		.base = base,
		.size = size,
		.flags = flags,
	};
}

/**
 * model_mem_forget - discard the cached results of walks
 * @mem: the memory
 */
void model_mem_forget(struct model_mem *mem)
{
	mem->run_len = 0;
	mem->table = NULL;
}

static bool overlap(u64 a, u64 a_len, u64 b, u64 b_len)
{
	return a < b ? b - a < a_len : a - b < b_len;
}

/**
 * model_mem_caches - look for bus addresses in the cached results of walks
 * @mem: the memory
 * @addr: first bus address
 * @len: bytes, at least 1
 *
 * Return: true if a cached result, though it may be of an old epoch, names one
 * of the bus addresses.
 */
bool model_mem_caches(const struct model_mem *mem, u64 addr, u64 len)
{
	return (mem->run_len &&
		overlap(mem->run_addr, mem->run_len, addr, len)) ||
	       (mem->table && overlap(mem->table_addr, XRDMA_MTT_TABLE_SIZE,
				      addr, len));
}

/**
 * model_dma_failed - report a failed DMA as a host error
 * @dev: the device
 * @addr: bus address
 * @len: bytes
 * @write: true for a write, false for a read
 */
void model_dma_failed(struct model_device *dev, u64 addr, size_t len,
		      bool write)
{
	const char *how = write ? "write to" : "read from";

	switch (model_dma_check(dev->params.dma, addr, len, write)) {
	case -EPERM:
		model_dev_herr(dev, DMA_BUS_MASTER, "%s %#llx, %zu bytes", how,
			       addr, len);
		break;
	case -EACCES:
		model_dev_herr(dev, DMA_ACCESS, "%s %#llx, %zu bytes", how,
			       addr, len);
		break;
	default:
		model_dev_herr(dev, DMA_UNMAPPED, "%s %#llx, %zu bytes", how,
			       addr, len);
	}
}

static const __le64 *table_at(struct model_device *dev, u64 addr)
{
	const void *table;

	table = model_dma_ptr(dev->params.dma, addr, XRDMA_MTT_TABLE_SIZE,
			      false);
	if (!table)
		model_dma_failed(dev, addr, XRDMA_MTT_TABLE_SIZE, false);
	return table;
}

/*
 * The read is atomic, since the host may write entries of a sparse table or of
 * the table of a paged region.
 */
static u64 table_entry(struct model_device *dev, const __le64 *table, u8 leaf,
		       u8 level, u64 pos)
{
	u32 i = xrdma_xlat_index(leaf, level, pos);

	model_dev_pcie(dev, MODEL_PCIE_TABLE, false, sizeof(*table));
	return le64_to_cpu(__atomic_load_n(&table[i], __ATOMIC_ACQUIRE));
}

/* Handle an entry that is not valid. Return: false. */
static bool missing(struct model_device *dev, struct model_mem *mem, u8 level,
		    u64 pos)
{
	mem->missed = mem->flags & MODEL_MEM_PAGED;
	if (!(mem->flags & (MODEL_MEM_SPARSE | MODEL_MEM_PAGED)))
		model_dev_herr(dev, MTT_MISSING,
			       "root %#llx, position %#llx, level %u",
			       mem->root, pos, level);
	return false;
}

static bool entry_ok(struct model_device *dev, struct model_mem *mem,
		     u64 entry, u8 level, u8 leaf, u64 pos)
{
	if (!(entry & XRDMA_MTT_VALID))
		return missing(dev, mem, level, pos);
	if (mem->flags & MODEL_MEM_PAGED ? xrdma_mtt_paged_ok(entry, level) :
					   xrdma_mtt_ok(entry, level, leaf))
		return true;
	model_dev_herr(dev, MTT_ENTRY,
		       "entry %#llx, root %#llx, position %#llx, level %u",
		       entry, mem->root, pos, level);
	return false;
}

/* Return: the table of level 1 for a position; cached for the next walk. */
static const __le64 *lowest_table(struct model_device *dev,
				  struct model_mem *mem, u64 index, u64 addr)
{
	if (!mem->table || mem->table_index != index) {
		mem->table = table_at(dev, addr);
		mem->table_index = index;
		mem->table_addr = addr;
	}
	return mem->table;
}

/**
 * struct place - where a position is on the bus
 * @addr: bus address of the position
 * @left: number of bytes from there to the end of the block
 * @writable: the block may be written
 */
struct place {
	u64 addr;
	u64 left;
	bool writable;
};

/* Walk the tables for a position that the root can map. */
static bool walk(struct model_device *dev, struct model_mem *mem, u64 pos,
		 struct place *at)
{
	u8 leaf = FIELD_GET(XRDMA_ROOT_LEAF_SHIFT, mem->root);
	u8 level = FIELD_GET(XRDMA_ROOT_LEVEL, mem->root);
	u64 index = pos >> (leaf + XRDMA_MTT_BITS);
	u64 entry = mem->root & XRDMA_ROOT_ADDR;
	const __le64 *table;
	u8 shift = leaf;

	if (level && mem->table && mem->table_index == index)
		level = 1;
	for (; level; level--) {
		entry &= XRDMA_MTT_ADDR;
		if (level == 1)
			table = lowest_table(dev, mem, index, entry);
		else
			table = table_at(dev, entry);
		if (!table)
			return false;
		entry = table_entry(dev, table, leaf, level, pos);
		if (!entry_ok(dev, mem, entry, level, leaf, pos))
			return false;
		shift = xrdma_xlat_shift(leaf, level);
		if (entry & XRDMA_MTT_BLOCK)
			break;
	}
	at->left = (1ULL << shift) - (pos & ((1ULL << shift) - 1));
	at->addr = (entry & XRDMA_MTT_ADDR) + (1ULL << shift) - at->left;
	at->writable = !(mem->flags & MODEL_MEM_PAGED) ||
		       entry & XRDMA_MTT_WRITE;
	return true;
}

/* Return: number of bytes from an address to the end of its page. */
static u64 page_left(u64 addr)
{
	return XRDMA_PAGE_SIZE - (addr & (XRDMA_PAGE_SIZE - 1));
}

/*
 * Device memory is one run. decode_mem() in key.c has checked that the region
 * is inside of device memory.
 */
static bool device_run(struct model_device *dev, struct model_mem *mem)
{
	mem->run = dev->dm.mem + mem->base;
	mem->run_off = 0;
	mem->run_len = mem->size;
	mem->run_read = true;
	mem->run_write = true;
	return true;
}

/* What reads by the null key get, and what takes writes by it */
static const u8 zeros[XRDMA_PAGE_SIZE];
static u8 discarded[XRDMA_PAGE_SIZE];

static bool null_run(struct model_mem *mem, u64 off, bool write)
{
	u64 left = mem->size - off;

	mem->run = write ? discarded : (u8 *)zeros;
	mem->run_off = off;
	mem->run_len = left < XRDMA_PAGE_SIZE ? left : XRDMA_PAGE_SIZE;
	mem->run_read = !write;
	mem->run_write = write;
	return true;
}

/*
 * Translate a position. The root of a paged region may map less than the
 * region. Return: false if the translation is refused, or misses.
 */
static bool translate(struct model_device *dev, struct model_mem *mem, u64 pos,
		      bool write, struct place *at)
{
	if (mem->flags & MODEL_MEM_IDENTITY)
		return true;
	if (mem->flags & MODEL_MEM_PAGED) {
		mem->miss_pos = pos;
		if (!xrdma_root_covers(mem->root, pos))
			return false;
	}
	if (!walk(dev, mem, pos, at))
		return false;
	mem->missed = write && !at->writable;
	return !mem->missed;
}

/*
 * Make a run that begins at an offset: to the end of the block, or of the part
 * of the block that model_dma_run() finds. Without tables, the run ends with
 * the page.
 */
static bool find_run(struct model_device *dev, struct model_mem *mem, u64 off,
		     bool write)
{
	struct model_dma *dma = dev->params.dma;
	struct place at = {
		.addr = mem->base + off, .left = mem->size - off,
		.writable = true
	};
	size_t len;
	void *ptr;

	if (mem->flags & MODEL_MEM_DEVICE)
		return device_run(dev, mem);
	if (mem->flags & MODEL_MEM_NULL)
		return null_run(mem, off, write);
	mem->run_len = 0;
	if (!translate(dev, mem, mem->base + off, write, &at))
		return false;
	len = mem->size - off < at.left ? mem->size - off : at.left;
	if (mem->flags & MODEL_MEM_IDENTITY && page_left(at.addr) < len)
		len = page_left(at.addr);
	ptr = model_dma_run(dma, at.addr, &len, write);
	if (!ptr) {
		if (page_left(at.addr) < len)
			len = page_left(at.addr);
		model_dma_failed(dev, at.addr, len, write);
		return false;
	}
	mem->run = ptr;
	mem->run_addr = at.addr;
	mem->run_off = off;
	mem->run_len = len;
	mem->run_read = !write ||
			model_dma_ptr(dma, at.addr, len, false) == ptr;
	mem->run_write = write ||
			 (at.writable &&
			  model_dma_ptr(dma, at.addr, len, true) == ptr);
	return true;
}

/**
 * model_mem_ptr - get a pointer to translated memory
 * @dev: the device
 * @mem: the memory
 * @off: offset of the first byte
 * @len: number of bytes wanted, at least 1; on return, at most the number of
 *	contiguous bytes
 * @write: true for writes, false for reads
 *
 * Return: the pointer, valid until the caller returns to the loop; NULL if @off
 * is outside of the memory, or out of reach. A host error is reported, except
 * for a missing translation of MODEL_MEM_SPARSE. If a translation of
 * MODEL_MEM_PAGED misses, @mem->missed is set.
 */
void *model_mem_ptr(struct model_device *dev, struct model_mem *mem, u64 off,
		    size_t *len, bool write)
{
	u64 left;

	if (mem->epoch != dev->epoch) {
		mem->epoch = dev->epoch;
		model_mem_forget(mem);
	}
	if (off >= mem->size || !model_device_live(dev)) {
		mem->missed = false;
		return NULL;
	}
	if (off - mem->run_off >= mem->run_len ||
	    !(write ? mem->run_write : mem->run_read)) {
		mem->missed = false;
		if (!find_run(dev, mem, off, write))
			return NULL;
	}
	left = mem->run_len - (off - mem->run_off);
	if (*len > left)
		*len = left;
	return mem->run + (off - mem->run_off);
}

/**
 * model_mem_count - count an access to one run of translated memory
 * @dev: the device
 * @mem: the memory; nothing is counted if it is not that of the host
 * @write: true for a write, false for a read
 * @len: bytes
 */
void model_mem_count(struct model_device *dev, const struct model_mem *mem,
		     bool write, size_t len)
{
	if (!(mem->flags & (MODEL_MEM_DEVICE | MODEL_MEM_NULL)))
		model_dev_pcie(dev, mem->use, write, len);
}

/**
 * model_mem_read - copy from translated memory
 * @dev: the device
 * @mem: the memory
 * @off: offset of the first byte
 * @buf: buffer for the bytes
 * @len: bytes
 *
 * Return: 0; -EFAULT if model_mem_ptr() fails; then a part of @buf may be
 * written.
 */
int model_mem_read(struct model_device *dev, struct model_mem *mem, u64 off,
		   void *buf, size_t len)
{
	const void *ptr;
	u8 *to = buf;
	size_t part;

	for (; len; off += part, to += part, len -= part) {
		part = len;
		ptr = model_mem_ptr(dev, mem, off, &part, false);
		if (!ptr)
			return -EFAULT;
		memcpy(to, ptr, part);
		model_mem_count(dev, mem, false, part);
	}
	return 0;
}

/**
 * model_mem_write - copy to translated memory
 * @dev: the device
 * @mem: the memory
 * @off: offset of the first byte
 * @buf: the bytes
 * @len: bytes
 *
 * Return: 0; -EFAULT if model_mem_ptr() fails; then some bytes may be written.
 */
int model_mem_write(struct model_device *dev, struct model_mem *mem, u64 off,
		    const void *buf, size_t len)
{
	const u8 *from = buf;
	size_t part;
	void *ptr;

	for (; len; off += part, from += part, len -= part) {
		part = len;
		ptr = model_mem_ptr(dev, mem, off, &part, true);
		if (!ptr)
			return -EFAULT;
		memcpy(ptr, from, part);
		model_mem_count(dev, mem, true, part);
	}
	return 0;
}

/**
 * model_mem_probe - check that a whole piece of memory is within reach
 * @dev: the device
 * @mem: the memory
 * @write: true for writes, false for reads
 *
 * Return: 0; -EFAULT if model_mem_ptr() fails.
 */
int model_mem_probe(struct model_device *dev, struct model_mem *mem,
		    bool write)
{
	size_t part;
	u64 off;

	for (off = 0; off < mem->size; off += part) {
		part = mem->size - off;
		if (!model_mem_ptr(dev, mem, off, &part, write))
			return -EFAULT;
	}
	return 0;
}

/**
 * model_mem_is_zero - check that a piece of memory is zero
 * @dev: the device
 * @mem: the memory; model_mem_probe() has succeeded
 *
 * Return: true if every byte is 0.
 */
bool model_mem_is_zero(struct model_device *dev, struct model_mem *mem)
{
	const u8 *ptr;
	size_t part;
	u64 off;

	for (off = 0; off < mem->size; off += part) {
		part = mem->size - off;
		ptr = model_mem_ptr(dev, mem, off, &part, false);
		if (!ptr || *ptr || memcmp(ptr, ptr + 1, part - 1))
			return false;
	}
	return true;
}

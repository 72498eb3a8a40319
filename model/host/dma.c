// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * DMA mappings of the host, and accesses to guest memory through them.
 *
 * Each mapping is one object. A look-up uses a direct-mapped cache first, then
 * the page map (host/dma_map.c). The files of guest memory are in
 * host/dma_file.c, and what happens if a client shrinks one of them is in
 * host/dma_guard.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/dma.h"
#include "host/dma_file.h"
#include "host/dma_map.h"

#define CACHE_SLOTS	1024

/**
 * struct dma_mapping - one mapping of the host
 * @iova: first DMA address
 * @len: bytes
 * @ptr: address in this process of the byte at @iova; NULL if the range has no
 *	memory
 * @rights: MODEL_DMA_* bits
 * @file: file to which @ptr points, or NULL
 */
struct dma_mapping {
	u64 iova;
	u64 len;
	u8 *ptr;
	unsigned int rights;
	struct model_dma_file *file;
};

struct model_dma {
	struct model_dma_map map;
	struct model_dma_files files;
	bool enabled;
	model_dma_unmap_fn unmap_fn;
	void *unmap_opaque;
	struct model_dma_stats stats;
	/*
	 * Slot N: mapping of the last page looked up with page % CACHE_SLOTS ==
	 * N
	 */
	struct dma_mapping *cache[CACHE_SLOTS];
};

static u64 to_page(u64 iova)
{
	return iova >> MODEL_DMA_PAGE_SHIFT;
}

/**
 * model_dma_create - make an object without mappings, with DMA disabled
 *
 * Return: the object, or NULL without memory.
 */
struct model_dma *model_dma_create(void)
{
	return calloc(1, sizeof(struct model_dma));
}

/**
 * model_dma_destroy - remove all mappings and free the object
 * @dma: the object; its unmap function is called for each mapping
 */
void model_dma_destroy(struct model_dma *dma)
{
	model_dma_unmap_all(dma);
	model_dma_release_files(dma);
	model_dma_map_clear(&dma->map);
	free(dma);
}

/**
 * model_dma_set_unmap_fn - set the function to call before a mapping is removed
 * @dma: the object
 * @fn: called once per mapping, while the mapping still works; NULL for none
 * @opaque: first argument of @fn
 */
void model_dma_set_unmap_fn(struct model_dma *dma, model_dma_unmap_fn fn,
			    void *opaque)
{
	dma->unmap_fn = fn;
	dma->unmap_opaque = opaque;
}

/**
 * model_dma_enable - allow or forbid all DMA
 * @dma: the object
 * @enable: false while bus mastering is off
 */
void model_dma_enable(struct model_dma *dma, bool enable)
{
	dma->enabled = enable;
}

/**
 * model_dma_stats - get the counters
 * @dma: the object
 *
 * Return: the counters, which @dma continues to update.
 */
const struct model_dma_stats *model_dma_stats(const struct model_dma *dma)
{
	return &dma->stats;
}

/**
 * model_dma_release_files - unmap the files that no mapping uses
 * @dma: the object
 */
void model_dma_release_files(struct model_dma *dma)
{
	model_dma_files_release(&dma->files);
	dma->stats.files = dma->files.count;
}

static int mapping_attach(struct model_dma *dma, struct dma_mapping *mapping,
			  int fd, u64 offset)
{
	struct model_dma_file *file = NULL;
	int err;

	if (fd < 0)
		return 0;
	if (offset > UINT64_MAX - mapping->len)
		return -EINVAL;
	err = model_dma_file_get(&dma->files, fd, offset + mapping->len, &file);
	dma->stats.files = dma->files.count;
	if (err)
		return err;
	if (mapping->rights & ~file->rights)
		return -EACCES;
	mapping->file = file;
	mapping->ptr = file->base + offset;
	return 0;
}

static bool wraps(u64 iova, u64 len)
{
	return len && iova + (len - 1) < iova;
}

static bool valid_range(u64 iova, u64 len)
{
	u64 in_page = MODEL_DMA_PAGE_SIZE - 1;

	return len && !((iova | len) & in_page) && !wraps(iova, len);
}

static void count_map(struct model_dma *dma, const struct dma_mapping *mapping)
{
	struct model_dma_stats *stats = &dma->stats;

	stats->maps++;
	stats->live++;
	stats->live_bytes += mapping->len;
	if (stats->live > stats->peak)
		stats->peak = stats->live;
}

/**
 * model_dma_map - add a mapping
 * @dma: the object
 * @iova: first address, a multiple of the page size
 * @len: bytes, a multiple of the page size
 * @rights: MODEL_DMA_* bits
 * @fd: file with the memory; the caller owns it and may close it after the
 *	call. Negative for a range without memory, to which every access fails.
 * @offset: offset in @fd of the first byte of the range
 *
 * Return: 0; -EINVAL for an unaligned, empty or wrapping range, or one beyond
 * the end of the file; -EEXIST if it overlaps a mapping; -EACCES if @fd does
 * not allow @rights; -ENOSPC if there are MODEL_DMA_MAPPINGS mappings; other
 * errors of fstat() and mmap().
 */
int model_dma_map(struct model_dma *dma, u64 iova, u64 len, unsigned int rights,
		  int fd, u64 offset)
{
	struct dma_mapping *mapping;
	int err;

	if (!valid_range(iova, len))
		return -EINVAL;
	if (dma->stats.live == MODEL_DMA_MAPPINGS)
		return -ENOSPC;
	mapping = calloc(1, sizeof(*mapping));
	if (!mapping)
		return -ENOMEM;
	mapping->iova = iova;
	mapping->len = len;
	mapping->rights = rights;
	err = mapping_attach(dma, mapping, fd, offset);
	if (!err)
		err = model_dma_map_insert(&dma->map, to_page(iova),
					   to_page(len), mapping);
	if (err) {
		free(mapping);
		return err;
	}
	if (mapping->file)
		mapping->file->users++;
	count_map(dma, mapping);
	return 0;
}

static struct dma_mapping **cache_slot(struct model_dma *dma, u64 page)
{
	return &dma->cache[page % CACHE_SLOTS];
}

static void cache_drop(struct model_dma *dma, const struct dma_mapping *mapping)
{
	u64 page = to_page(mapping->iova);
	u64 n = to_page(mapping->len);

	if (n > CACHE_SLOTS)
		n = CACHE_SLOTS;
	for (; n; n--, page++)
		if (*cache_slot(dma, page) == mapping)
			*cache_slot(dma, page) = NULL;
}

static void mapping_remove(struct model_dma *dma, struct dma_mapping *mapping)
{
	if (dma->unmap_fn)
		dma->unmap_fn(dma->unmap_opaque, mapping->iova, mapping->len);
	cache_drop(dma, mapping);
	model_dma_map_remove(&dma->map, to_page(mapping->iova),
			     to_page(mapping->len));
	if (mapping->file)
		mapping->file->users--;
	dma->stats.unmaps++;
	dma->stats.live--;
	dma->stats.live_bytes -= mapping->len;
	free(mapping);
}

/*
 * Return: true if the pages @first to @last are a part, but not all, of a
 * mapping
 */
static bool cuts_mapping(struct model_dma *dma, u64 first, u64 last)
{
	struct dma_mapping *head = model_dma_map_find(&dma->map, first);
	struct dma_mapping *tail = model_dma_map_find(&dma->map, last);

	if (head && to_page(head->iova) < first)
		return true;
	return tail && to_page(tail->iova + tail->len - 1) > last;
}

static void unmap_pages(struct model_dma *dma, u64 first, u64 last)
{
	struct dma_mapping *mapping;

	while ((mapping = model_dma_map_first(&dma->map, first, last))) {
		first = to_page(mapping->iova + mapping->len - 1) + 1;
		mapping_remove(dma, mapping);
	}
}

/**
 * model_dma_unmap - remove the mappings in a range
 * @dma: the object
 * @iova: first address, a multiple of the page size
 * @len: bytes, a multiple of the page size
 *
 * A range without mappings is not an error: a virtual IOMMU unmaps larger
 * ranges than it maps.
 *
 * Return: 0, or -EINVAL for an unaligned, empty or wrapping range, and for a
 * range with a part of a mapping but not all of it; no mapping is removed in
 * these cases.
 */
int model_dma_unmap(struct model_dma *dma, u64 iova, u64 len)
{
	u64 first = to_page(iova), last = to_page(iova + len - 1);

	if (!valid_range(iova, len) || cuts_mapping(dma, first, last))
		return -EINVAL;
	unmap_pages(dma, first, last);
	return 0;
}

/**
 * model_dma_unmap_all - remove every mapping
 * @dma: the object
 */
void model_dma_unmap_all(struct model_dma *dma)
{
	unmap_pages(dma, 0, to_page(UINT64_MAX));
}

/**
 * model_dma_replace - replace memory that a client has taken away
 * @dma: the object
 * @addr: address in this process; reads and writes at it end with SIGBUS
 *
 * Context: a handler of SIGBUS. No function of this file or of dma_file.c
 * accesses guest memory while it changes the list of files.
 *
 * Return: true if @addr is in a file of guest memory, whose bytes from there on
 * are zero now and no longer those of the guest.
 */
bool model_dma_replace(struct model_dma *dma, const void *addr)
{
	return model_dma_file_replace(&dma->files, addr);
}

/**
 * model_dma_forget_lost - let accesses to replaced memory fail
 * @dma: the object
 *
 * Pointers of model_dma_ptr() and model_dma_run() stay valid.
 *
 * Return: number of bytes of the mappings of which a part was replaced since
 * the last call.
 */
u64 model_dma_forget_lost(struct model_dma *dma)
{
	struct dma_mapping *mapping;
	u64 bytes = 0, page = 0;

	while (page < MODEL_DMA_MAP_PAGES &&
	       (mapping = model_dma_map_first(&dma->map, page,
					      MODEL_DMA_MAP_PAGES - 1))) {
		page = to_page(mapping->iova + mapping->len - 1) + 1;
		if (!mapping->ptr ||
		    !model_dma_file_lost(mapping->file, mapping->ptr,
					 mapping->len))
			continue;
		mapping->ptr = NULL;
		bytes += mapping->len;
	}
	return bytes;
}

static struct dma_mapping *mapping_find(struct model_dma *dma, u64 iova)
{
	struct dma_mapping **slot = cache_slot(dma, to_page(iova));
	struct dma_mapping *mapping = *slot;

	if (mapping && iova - mapping->iova < mapping->len)
		return mapping;
	mapping = model_dma_map_find(&dma->map, to_page(iova));
	if (mapping)
		*slot = mapping;
	return mapping;
}

/*
 * Find the memory at @iova. Reduces *@len to the number of bytes from @iova to
 * the end of the mapping if *@len is larger.
 */
static int resolve(struct model_dma *dma, u64 iova, size_t *len, bool write,
		   u8 **ptr)
{
	unsigned int right = write ? MODEL_DMA_WRITE : MODEL_DMA_READ;
	struct dma_mapping *mapping;
	u64 left;

	if (!dma->enabled)
		return -EPERM;
	mapping = mapping_find(dma, iova);
	if (!mapping || !mapping->ptr)
		return -EFAULT;
	if (!(mapping->rights & right))
		return -EACCES;
	left = mapping->len - (iova - mapping->iova);
	if (*len > left)
		*len = left;
	*ptr = mapping->ptr + (iova - mapping->iova);
	return 0;
}

/**
 * model_dma_ptr - get a pointer to guest memory
 * @dma: the object
 * @iova: first address
 * @len: bytes
 * @write: true if the caller writes the memory, false if it only reads
 *
 * The range may span several mappings if their memory is contiguous in this
 * process. The pointer is valid until the unmap function is called for a part
 * of the range, or DMA is disabled.
 *
 * Return: the pointer; NULL if model_dma_check() fails for the range, or if the
 * memory of the range is not contiguous in this process.
 */
void *model_dma_ptr(struct model_dma *dma, u64 iova, size_t len, bool write)
{
	size_t done, part = len;
	u8 *first, *ptr;

	if (wraps(iova, len) || resolve(dma, iova, &part, write, &first))
		return NULL;
	for (done = part; done < len; done += part) {
		part = len - done;
		if (resolve(dma, iova + done, &part, write, &ptr) ||
		    ptr != first + done)
			return NULL;
	}
	return first;
}

/**
 * model_dma_run - get a pointer to guest memory that is contiguous here
 * @dma: the object
 * @iova: first address
 * @len: bytes wanted, at least 1; on return, the number of bytes from the
 *	pointer on that can be accessed
 * @write: true if the caller writes the memory, false if it only reads
 *
 * Behind an IOMMU, each page of a range may be a mapping. The run ends after
 * MODEL_DMA_RUN_MAPPINGS mappings, so the call has a bounded cost, and whoever
 * visits a whole range run by run looks up each mapping a bounded number of
 * times.
 *
 * Return: the pointer, which is valid as long as that of model_dma_ptr(); NULL
 * if the first byte cannot be accessed, then *@len is not changed.
 */
void *model_dma_run(struct model_dma *dma, u64 iova, size_t *len, bool write)
{
	size_t done, part = *len;
	unsigned int mappings;
	u8 *first, *ptr;

	if (resolve(dma, iova, &part, write, &first))
		return NULL;
	done = part;
	for (mappings = 1; mappings < MODEL_DMA_RUN_MAPPINGS && done < *len;
	     mappings++) {
		part = *len - done;
		if (iova + done < iova ||
		    resolve(dma, iova + done, &part, write, &ptr) ||
		    ptr != first + done)
			break;
		done += part;
	}
	*len = done;
	return first;
}

/**
 * model_dma_check - whether a range can be accessed
 * @dma: the object
 * @iova: first address
 * @len: bytes
 * @write: true for a write, false for a read
 *
 * Return: 0; -EPERM while DMA is disabled; -EFAULT if a part is not mapped or
 * not accessible; -EACCES if a part lacks the right.
 */
int model_dma_check(struct model_dma *dma, u64 iova, size_t len, bool write)
{
	size_t part;
	u8 *ptr;
	int err;

	if (wraps(iova, len))
		return -EFAULT;
	for (; len; iova += part, len -= part) {
		part = len;
		err = resolve(dma, iova, &part, write, &ptr);
		if (err)
			return err;
	}
	return 0;
}

/**
 * model_dma_read - copy from guest memory, across mappings
 * @dma: the object
 * @iova: first address
 * @buf: buffer for the bytes
 * @len: bytes
 *
 * Return: 0, or an errno of model_dma_check(); after an error, a part of @buf
 * may be written.
 */
int model_dma_read(struct model_dma *dma, u64 iova, void *buf, size_t len)
{
	u8 *to = buf, *ptr;
	size_t part;
	int err;

	if (wraps(iova, len))
		return -EFAULT;
	for (; len; iova += part, to += part, len -= part) {
		part = len;
		err = resolve(dma, iova, &part, false, &ptr);
		if (err)
			return err;
		memcpy(to, ptr, part);
	}
	return 0;
}

/**
 * model_dma_write - copy to guest memory, across mappings
 * @dma: the object
 * @iova: first address
 * @buf: the bytes
 * @len: bytes
 *
 * The whole range is checked before the first byte is written, so a failed call
 * writes nothing.
 *
 * Return: 0, or an errno of model_dma_check().
 */
int model_dma_write(struct model_dma *dma, u64 iova, const void *buf,
		    size_t len)
{
	const u8 *from = buf;
	size_t part = len;
	u8 *ptr;
	int err;

	err = model_dma_check(dma, iova, len, true);
	if (err)
		return err;
	for (; len; iova += part, from += part, len -= part) {
		part = len;
		resolve(dma, iova, &part, true, &ptr);
		memcpy(ptr, from, part);
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The files of guest memory, mapped into this process.
 *
 * A file usually stays mapped until the client disconnects, even while no DMA
 * mapping uses it: with a strict IOMMU, a driver often removes the last mapping
 * and makes a new one.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "host/dma.h"
#include "host/dma_file.h"

/*
 * Number of files from which on those that no DMA mapping uses are unmapped. A
 * file that is mapped takes memory, also if the client has closed it.
 */
#define FILES_KEPT	64

/* Find a mapped file of which nothing was replaced */
static struct model_dma_file *file_find(const struct model_dma_files *files,
					const struct stat *st)
{
	struct model_dma_file *file;

	for (file = files->first; file; file = file->next)
		if (file->dev == st->st_dev && file->ino == st->st_ino &&
		    file->kept == file->size)
			return file;
	return NULL;
}

static int file_mmap(struct model_dma_file *file, int fd)
{
	void *base;

	file->rights = MODEL_DMA_READ | MODEL_DMA_WRITE;
	base = mmap(NULL, file->size, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (base == MAP_FAILED && errno == EACCES) {
		file->rights = MODEL_DMA_READ;
		base = mmap(NULL, file->size, PROT_READ,
			    MAP_SHARED | MAP_NORESERVE, fd, 0);
	}
	if (base == MAP_FAILED)
		return -errno;
	file->base = base;
	return 0;
}

/*
 * Return: bytes of a page of the file. The block size of a file in hugetlbfs is
 * the size of its pages, and mmap() replaces whole pages only.
 */
static u64 block_size(const struct stat *st)
{
	u64 block = st->st_blksize;

	return block > MODEL_DMA_PAGE_SIZE && !(block & (block - 1)) ?
	       block : MODEL_DMA_PAGE_SIZE;
}

static int file_add(struct model_dma_files *files, int fd,
		    const struct stat *st, struct model_dma_file **result)
{
	struct model_dma_file *file = calloc(1, sizeof(*file));
	int err;

	if (!file)
		return -ENOMEM;
	file->dev = st->st_dev;
	file->ino = st->st_ino;
	file->size = st->st_size;
	file->kept = st->st_size;
	file->block = block_size(st);
	err = file_mmap(file, fd);
	if (err) {
		free(file);
		return err;
	}
	file->next = files->first;
	files->first = file;
	files->count++;
	*result = file;
	return 0;
}

/**
 * model_dma_file_get - find the file of a descriptor, or map the file
 * @files: the files
 * @fd: the descriptor; the caller owns it and may close it after the call
 * @end: end of the range that the caller needs, in bytes
 * @result: set to the file
 *
 * If the file has grown since it was mapped, the file is mapped again, as a
 * second entry of the list: the first mapping must stay where it is.
 *
 * Return: 0, -EINVAL if @end is beyond the end of the file, or another negative
 * errno.
 */
int model_dma_file_get(struct model_dma_files *files, int fd, u64 end,
		       struct model_dma_file **result)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_size < 0 || end > (u64)st.st_size)
		return -EINVAL;
	*result = file_find(files, &st);
	if (*result && end <= (*result)->size)
		return 0;
	if (files->count >= FILES_KEPT)
		model_dma_files_release(files);
	return file_add(files, fd, &st, result);
}

static void file_remove(struct model_dma_files *files,
			struct model_dma_file **link)
{
	struct model_dma_file *file = *link;

	*link = file->next;
	munmap(file->base, file->size);
	free(file);
	files->count--;
}

/**
 * model_dma_files_release - unmap the files that no DMA mapping uses
 * @files: the files
 */
void model_dma_files_release(struct model_dma_files *files)
{
	struct model_dma_file **link = &files->first;

	while (*link) {
		if ((*link)->users)
			link = &(*link)->next;
		else
			file_remove(files, link);
	}
}

/**
 * model_dma_file_replace - replace the end of a file by zeroes
 * @files: the files
 * @addr: an address in this process
 *
 * Context: a handler of SIGBUS.
 *
 * Return: true if @addr is in a file; the memory from the page of @addr to the
 * end of the file is anonymous memory then. False if no file has this address,
 * or without memory.
 */
bool model_dma_file_replace(struct model_dma_files *files, const void *addr)
{
	const u8 *byte = addr;
	struct model_dma_file *file = files->first;
	u64 at;

	while (file && (byte < file->base || byte >= file->base + file->size))
		file = file->next;
	if (!file)
		return false;
	at = (u64)(byte - file->base) & ~(file->block - 1);
	if (mmap(file->base + at, file->size - at, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
		 0) == MAP_FAILED)
		return false;
	if (at < file->kept)
		file->kept = at;
	return true;
}

/**
 * model_dma_file_lost - whether a part of a range was replaced
 * @file: the file
 * @ptr: start of the range, in the mapping of @file
 * @len: bytes, at least 1
 *
 * Return: true if the file no longer has all of the range.
 */
bool model_dma_file_lost(const struct model_dma_file *file, const u8 *ptr,
			 u64 len)
{
	return (u64)(ptr - file->base) + len > file->kept;
}

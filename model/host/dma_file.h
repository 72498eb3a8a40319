/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The files of guest memory that the client passes, mapped into this process.
 * The DMA mappings, which are ranges of these files, are in host/dma.c.
 */
#ifndef MODEL_DMA_FILE_H
#define MODEL_DMA_FILE_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/types.h>

/**
 * struct model_dma_file - one file, which is mapped from its start to its end
 * @next: next file of the list
 * @dev: device of the file; @dev and @ino identify the file
 * @ino: inode of the file
 * @base: address of the file in this process
 * @size: number of bytes mapped
 * @kept: number of bytes, from @base on, that are still those of the file; the
 *	others were replaced by zeroes
 * @block: bytes of a page of the file, a power of two
 * @rights: MODEL_DMA_* bits that the descriptor allows
 * @users: number of DMA mappings of this file
 */
struct model_dma_file {
	struct model_dma_file *next;
	dev_t dev;
	ino_t ino;
	u8 *base;
	u64 size;
	u64 kept;
	u64 block;
	unsigned int rights;
	u64 users;
};

/**
 * struct model_dma_files - the files of a client
 * @first: first file of the list
 * @count: number of files
 */
struct model_dma_files {
	struct model_dma_file *first;
	u64 count;
};

int model_dma_file_get(struct model_dma_files *files, int fd, u64 end,
		       struct model_dma_file **result);
void model_dma_files_release(struct model_dma_files *files);
bool model_dma_file_replace(struct model_dma_files *files, const void *addr);
bool model_dma_file_lost(const struct model_dma_file *file, const u8 *ptr,
			 u64 len);

#endif /* MODEL_DMA_FILE_H */

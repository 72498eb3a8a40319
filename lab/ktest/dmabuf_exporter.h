/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A dma-buf exporter for tests: its buffers (dmabuf_exporter.c), and the
 * requests of its character device (dmabuf_ioctl.c).
 */

#ifndef DMABUF_EXPORTER_H
#define DMABUF_EXPORTER_H

#include <linux/ioctl.h>
#include <linux/types.h>

struct dma_buf;
struct page;

/**
 * struct exporter_shape - what a new buffer is like
 * @num: number of its pages
 * @total: length of the buffer in pages; if it is more than @num, the pages
 *	repeat
 * @order: log2 of the number of pages that are contiguous, up to 9
 * @moves: 0: the exporter only revokes the memory, and cannot pin it; 1: it can
 *	move the memory
 */
struct exporter_shape {
	__u32 num;
	__u32 total;
	__u32 order;
	__u32 moves;
};

/**
 * struct exporter_counts - what has happened to a buffer
 * @pinned: number of pins that are held
 * @mapped: number of mappings that exist
 * @maps: number of times that an importer asked for a mapping
 * @moves: number of moves
 * @left: number of mappings that existed after the importers were told of a move
 * @strays: number of pages not in use that were found to be written to
 */
struct exporter_counts {
	__u32 pinned;
	__u32 mapped;
	__u32 maps;
	__u32 moves;
	__u32 left;
	__u32 strays;
};

/**
 * struct exporter_request - request for a buffer
 * @fd: file descriptor of the dma-buf
 * @error: EXPORTER_FAIL: the errno, positive
 * @value: EXPORTER_FAIL: number of mappings that fail; EXPORTER_MOVE:
 *	milliseconds after which the contents arrive
 * @counts: output of EXPORTER_COUNT
 */
struct exporter_request {
	__s32 fd;
	__u32 error;
	__u32 value;
	struct exporter_counts counts;
};

#define EXPORTER_CREATE		_IO('x', 0) /* number of pages: does not move */
#define EXPORTER_REVOKE		_IO('x', 1) /* file descriptor */
#define EXPORTER_SHAPE		_IOW('x', 2, struct exporter_shape)
#define EXPORTER_MOVE		_IOW('x', 3, struct exporter_request)
#define EXPORTER_FAIL		_IOW('x', 4, struct exporter_request)
#define EXPORTER_COUNT		_IOWR('x', 5, struct exporter_request)

/* Largest number of pages, and of pages with repetitions: 16 MiB and 4 GiB */
#define EXPORTER_MAX_PAGES	4096
#define EXPORTER_MAX_TOTAL	1048576

/**
 * struct exporter_buf - a buffer; the reservation of its dma-buf protects it
 * @num: number of pages in a set
 * @total: length in pages
 * @used: index of the set in use
 * @sets: the pages; [1] is NULL if the buffer does not move
 * @fail_errno: errno of mappings that fail
 * @fail_count: number of mappings that fail
 * @counts: what has happened
 */
struct exporter_buf {
	unsigned int num;
	unsigned int total;
	unsigned int used;
	struct page **sets[2];
	int fail_errno;
	unsigned int fail_count;
	struct exporter_counts counts;
};

/* dmabuf_exporter.c */
int exporter_create(const struct exporter_shape *shape);
bool exporter_owns(struct dma_buf *dmabuf);
void exporter_revoke_locked(struct dma_buf *dmabuf);
int exporter_move_locked(struct dma_buf *dmabuf, unsigned int ms);
void exporter_count_locked(struct dma_buf *dmabuf,
			   struct exporter_counts *counts);

/* dmabuf_ioctl.c */
int exporter_ioctl_init(void);
void exporter_ioctl_exit(void);

#endif /* DMABUF_EXPORTER_H */

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The pool of frame buffers: allocation and release. The queues are in
 * wire/frame.h.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wire/frame.h"

/**
 * model_frame_pool_init() - allocate a pool
 * @pool: filled in
 * @total: number of frames
 *
 * Return: 0, or -ENOMEM.
 */
int model_frame_pool_init(struct model_frame_pool *pool, u32 total)
{
	memset(pool, 0, sizeof(*pool));
	pool->memory = aligned_alloc(64, total * sizeof(*pool->memory));
	if (!pool->memory)
		return -ENOMEM;
	pool->total = total;
	pool->available = total;
	return 0;
}

/**
 * model_frame_pool_fini() - free a pool
 * @pool: the pool; all its frames become invalid
 */
void model_frame_pool_fini(struct model_frame_pool *pool)
{
	free(pool->memory);
	memset(pool, 0, sizeof(*pool));
}

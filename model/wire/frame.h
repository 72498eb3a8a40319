/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Frame buffers: a pool of fixed size, and queues of frames. The data path
 * allocates no memory: when the pool is empty, a sender waits and a received
 * frame is dropped.
 *
 * The contents of frames are in packet/net.h.
 */
#ifndef MODEL_FRAME_H
#define MODEL_FRAME_H

#include <linux/types.h>

#include "xrdma_hw_eth.h"

/*
 * Largest payload of a port; MODEL_FRAME_MAX adds Ethernet header and VLAN tags
 */
#define MODEL_FRAME_MTU		9000
#define MODEL_FRAME_MAX		(XRDMA_ETH_EXTRA + MODEL_FRAME_MTU)

/**
 * struct model_frame - an Ethernet frame, without its check sequence
 * @next: next frame of the queue or pool that has this frame
 * @due_ns: time when impair.c releases the frame, in nanoseconds
 * @overtake: number of frames that must overtake this frame before impair.c
 *	releases it early
 * @taken_ns: time at which the device took a received frame from the wire, in
 *	nanoseconds
 * @len: bytes in @data
 * @data: the frame
 */
struct model_frame {
	struct model_frame *next;
	u64 due_ns;
	u64 taken_ns;
	u32 overtake;
	u32 len;
	u8 data[MODEL_FRAME_MAX];
} __attribute__((aligned(64)));

/**
 * struct model_frameq - first-in first-out queue; an empty queue is all zero
 * @head: oldest frame
 * @tail: newest frame
 * @count: number of frames
 */
struct model_frameq {
	struct model_frame *head;
	struct model_frame *tail;
	u32 count;
};

/**
 * struct model_frame_pool - frame buffers of a wire
 * @memory: all frames
 * @free: list of free frames that were in use, the last one freed first
 * @used: number of frames, the first ones of @memory, that are or were in use; the
 *	memory of the others is not touched
 * @available: number of free frames
 * @total: number of frames
 */
struct model_frame_pool {
	struct model_frame *memory;
	struct model_frame *free;
	u32 used;
	u32 available;
	u32 total;
};

int model_frame_pool_init(struct model_frame_pool *pool, u32 total);
void model_frame_pool_fini(struct model_frame_pool *pool);

/**
 * model_frame_get() - take a frame out of the pool
 * @pool: the pool
 *
 * Return: the frame, its contents undefined, or NULL.
 */
static inline struct model_frame *model_frame_get(struct model_frame_pool *pool)
{
	struct model_frame *frame = pool->free;

	if (frame)
		pool->free = frame->next;
	else if (pool->used < pool->total)
		frame = &pool->memory[pool->used++];
	else
		return NULL;
	pool->available--;
	return frame;
}

/**
 * model_frame_put() - return a frame to its pool
 * @pool: the pool from which the frame was taken
 * @frame: the frame, in no queue
 */
static inline void model_frame_put(struct model_frame_pool *pool,
				   struct model_frame *frame)
{
	frame->next = pool->free;
	pool->free = frame;
	pool->available++;
}

/**
 * model_frameq_push() - append a frame
 * @queue: the queue
 * @frame: the frame, in no queue
 */
static inline void model_frameq_push(struct model_frameq *queue,
				     struct model_frame *frame)
{
	frame->next = NULL;
	if (queue->tail)
		queue->tail->next = frame;
	else
		queue->head = frame;
	queue->tail = frame;
	queue->count++;
}

/**
 * model_frameq_pop() - remove the oldest frame
 * @queue: the queue
 *
 * Return: the frame, or NULL.
 */
static inline struct model_frame *model_frameq_pop(struct model_frameq *queue)
{
	struct model_frame *frame = queue->head;

	if (!frame)
		return NULL;
	queue->head = frame->next;
	if (!queue->head)
		queue->tail = NULL;
	queue->count--;
	return frame;
}

#endif /* MODEL_FRAME_H */

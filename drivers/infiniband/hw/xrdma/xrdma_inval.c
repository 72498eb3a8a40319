// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA invalidation: ends the device's use of keys by INVALIDATE commands, and
 * lets concurrent callers share a command. The callers are xrdma_ctx_keys.c,
 * xrdma_dmabuf.c and xrdma_rereg.c. After a failed INVALIDATE, a dead device
 * may still access memory; xrdma_quarantine.c keeps that memory.
 *
 * A caller adds its key index to the open batch. The caller that adds the first
 * index is the leader of the batch. The leader closes the batch and sends it at
 * once if fewer than XRDMA_INVAL_IN_FLIGHT commands are in progress. Otherwise
 * it waits until one of those is answered, and other callers join the batch in
 * the meantime. So a caller waits for the command of another caller only under
 * load, and under load one command serves all callers that have arrived.
 *
 * A caller with many keys fills batches of its own (struct xrdma_inval_list).
 *
 * The driver invalidates each published key once. So no key is in two commands,
 * and a device that reports a key as not valid misbehaves.
 */

#include <linux/bitfield.h>
#include <linux/dma-mapping.h>
#include <linux/semaphore.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include "xrdma_cmd.h"
#include "xrdma_ibdev.h"
#include "xrdma_inval.h"

#define XRDMA_INVAL_IN_FLIGHT	4
/*
 * Number of batches: those in progress, as many whose callers fill them or read
 * the outcomes, and the open one.
 */
#define XRDMA_INVAL_BATCHES	(2 * XRDMA_INVAL_IN_FLIGHT + 1)
#define XRDMA_INVAL_SIZE	(XRDMA_INVAL_MAX * sizeof(__le32))

/**
 * struct xrdma_inval_batch - keys of one INVALIDATE command, and their outcomes
 * @words: array of XRDMA_INVAL_MAX words: key indexes, which the device
 *	replaces by outcomes
 * @dma: bus address of @words
 * @count: number of words in use; protected by xrdma_inval.lock in the open
 *	batch
 * @users: number of callers that use the batch, under xrdma_inval.lock; 0: the
 *	batch is idle, or open and empty
 * @err: return value of xrdma_cmd_invalidate()
 * @done: completed when @words and @err are final
 */
struct xrdma_inval_batch {
	__le32 *words;
	dma_addr_t dma;
	u32 count;
	u32 users;
	int err;
	struct completion done;
};

/**
 * struct xrdma_inval - batches of INVALIDATE of a device
 * @batches: all batches
 * @lock: protects @open, and count and users of all batches
 * @open: batch that callers may join; NULL: no batch is idle
 * @room: callers that wait for a batch
 * @sending: number of INVALIDATE commands that may be sent in addition to those
 *	in progress
 */
struct xrdma_inval {
	struct xrdma_inval_batch batches[XRDMA_INVAL_BATCHES];
	spinlock_t lock; /* open, counts */
	struct xrdma_inval_batch *open;
	wait_queue_head_t room;
	struct semaphore sending;
};

/* Find an idle batch, and empty it. Return: NULL: no batch is idle. */
static struct xrdma_inval_batch *
xrdma_inval_idle_locked(struct xrdma_inval *inval)
{
	struct xrdma_inval_batch *batch;
	unsigned int i;

	lockdep_assert_held(&inval->lock);

	for (i = 0; i < XRDMA_INVAL_BATCHES; i++) {
		batch = &inval->batches[i];
		if (batch->users || batch == inval->open)
			continue;
		batch->count = 0;
		reinit_completion(&batch->done);
		return batch;
	}
	return NULL;
}

static struct xrdma_inval_batch *
xrdma_inval_try_join(struct xrdma_inval *inval, u32 index, u32 *slot)
{
	struct xrdma_inval_batch *batch;

	spin_lock(&inval->lock);
	batch = inval->open;
	if (batch && batch->count < XRDMA_INVAL_MAX) {
		*slot = batch->count++;
		batch->words[*slot] = cpu_to_le32(index);
		batch->users++;
	} else {
		batch = NULL;
	}
	spin_unlock(&inval->lock);
	return batch;
}

static struct xrdma_inval_batch *xrdma_inval_join(struct xrdma_inval *inval,
						  u32 index, u32 *slot)
{
	struct xrdma_inval_batch *batch;

	wait_event(inval->room,
		   (batch = xrdma_inval_try_join(inval, index, slot)));
	return batch;
}

static void xrdma_inval_leave(struct xrdma_inval *inval,
			      struct xrdma_inval_batch *batch)
{
	bool idle;

	spin_lock(&inval->lock);
	idle = !--batch->users;
	if (idle && !inval->open)
		inval->open = xrdma_inval_idle_locked(inval);
	spin_unlock(&inval->lock);
	if (idle)
		wake_up_all(&inval->room);
}

/* Replace the open batch by an idle one, if any, so that no caller joins it. */
static void xrdma_inval_close(struct xrdma_inval *inval)
{
	spin_lock(&inval->lock);
	inval->open = xrdma_inval_idle_locked(inval);
	spin_unlock(&inval->lock);
	wake_up_all(&inval->room);
}

static void xrdma_inval_lead(struct xrdma_ibdev *xib,
			     struct xrdma_inval_batch *batch)
{
	struct xrdma_inval *inval = xib->inval;

	down(&inval->sending);
	xrdma_inval_close(inval);
	batch->err = xrdma_cmd_invalidate(&xib->hw, batch->dma, batch->count);
	up(&inval->sending);
	complete_all(&batch->done);
}

/*
 * Convert the outcome of a key. Return: 0; -EBUSY: windows are bound to the
 * region; -ENOENT: the device says that the key is not valid, and @word is what
 * it wrote; or the errno of the command.
 */
static int xrdma_inval_outcome(struct xrdma_ibdev *xib,
			       const struct xrdma_inval_batch *batch, u32 slot,
			       u32 *word)
{
	*word = le32_to_cpu(READ_ONCE(batch->words[slot]));
	if (batch->err || xrdma_quiet(&xib->hw))
		return batch->err;
	switch (FIELD_GET(XRDMA_INVAL_STATUS, *word)) {
	case XRDMA_INVAL_OK:
		return 0;
	case XRDMA_INVAL_BOUND:
		return -EBUSY;
	default:
		return -ENOENT;
	}
}

static int xrdma_inval_one(struct xrdma_ibdev *xib, u32 index, u32 *word)
{
	struct xrdma_inval_batch *batch;
	u32 slot;
	int err;

	batch = xrdma_inval_join(xib->inval, index, &slot);
	if (slot == 0)
		xrdma_inval_lead(xib, batch);
	else
		wait_for_completion(&batch->done);
	err = xrdma_inval_outcome(xib, batch, slot, word);
	xrdma_inval_leave(xib->inval, batch);
	return err;
}

/*
 * The device has reported a valid key as not valid: declare it dead, and reset.
 */
static int xrdma_inval_not_valid(struct xrdma_ibdev *xib, u32 index, u32 word)
{
	xrdma_fatal(&xib->hw, "INVALIDATE of key index %#x, which is valid: outcome %u",
		    index, (u32)FIELD_GET(XRDMA_INVAL_STATUS, word));
	return xrdma_hw_silence(&xib->hw) ? 0 : -EIO;
}

/**
 * xrdma_inval_key() - invalidate a key, and wait until its use has ended
 * @xib: the device
 * @index: key index of an entry that was published
 *
 * Context: may sleep, for a bounded time.
 * Return: 0: no access under the key is in progress or can begin, and the
 * device does not write the entry any more; -EBUSY: windows are bound to the
 * region, and nothing has changed; another errno: the device is dead,
 * xrdma_hw_silence() has failed, and the caller puts the memory into
 * quarantine.
 */
int xrdma_inval_key(struct xrdma_ibdev *xib, u32 index)
{
	u32 word;
	int err = xrdma_inval_one(xib, index, &word);

	return err == -ENOENT ? xrdma_inval_not_valid(xib, index, word) : err;
}

/* ---- many keys of one caller ------------------------------------------ */

static struct xrdma_inval_batch *xrdma_inval_try_take(struct xrdma_inval *inval)
{
	struct xrdma_inval_batch *batch;

	spin_lock(&inval->lock);
	batch = xrdma_inval_idle_locked(inval);
	if (batch)
		batch->users = 1;
	spin_unlock(&inval->lock);
	return batch;
}

/* Check the outcomes of a list, in which no region has bound windows. */
static int xrdma_inval_list_outcome(struct xrdma_ibdev *xib,
				    const struct xrdma_inval_batch *batch)
{
	u32 slot, index, word;

	for (slot = 0; slot < batch->count; slot++) {
		if (!xrdma_inval_outcome(xib, batch, slot, &word))
			continue;
		/* the outcome that the device writes contains the index */
		index = FIELD_GET(XRDMA_INVAL_INDEX, word);
		return batch->err ?: xrdma_inval_not_valid(xib, index, word);
	}
	return 0;
}

static void xrdma_inval_list_send(struct xrdma_inval_list *list)
{
	struct xrdma_inval_batch *batch = list->batch;
	struct xrdma_ibdev *xib = list->xib;
	struct xrdma_inval *inval = xib->inval;

	down(&inval->sending);
	batch->err = xrdma_cmd_invalidate(&xib->hw, batch->dma, batch->count);
	up(&inval->sending);
	list->err = xrdma_inval_list_outcome(xib, batch);
	list->batch = NULL;
	xrdma_inval_leave(inval, batch);
}

/**
 * xrdma_inval_list_add() - add a key to a list, and send the list when it is
 *	full
 * @list: the list; before the first call, all fields but @list->xib are zero
 * @index: key index of an entry that was published. The caller adds windows
 *	before their regions
 *
 * After the first failure no command is sent any more.
 *
 * Context: may sleep, for a bounded time.
 */
void xrdma_inval_list_add(struct xrdma_inval_list *list, u32 index)
{
	struct xrdma_inval *inval = list->xib->inval;
	struct xrdma_inval_batch *batch;

	if (list->err)
		return;
	if (!list->batch)
		wait_event(inval->room,
			   (list->batch = xrdma_inval_try_take(inval)));
	batch = list->batch;
	batch->words[batch->count++] = cpu_to_le32(index);
	if (batch->count == XRDMA_INVAL_MAX)
		xrdma_inval_list_send(list);
}

/**
 * xrdma_inval_list_end() - invalidate all keys of a list that were not sent yet
 * @list: the list
 *
 * Context: may sleep, for a bounded time.
 * Return: as xrdma_inval_key(), for all keys of the list; never -EBUSY.
 */
int xrdma_inval_list_end(struct xrdma_inval_list *list)
{
	if (list->batch)
		xrdma_inval_list_send(list);
	return list->err;
}

/* ---- create and destroy ---------------------------------------------- */

/**
 * xrdma_inval_destroy() - free the batches
 * @xib: the device, which is quiet
 *
 * Context: may sleep.
 */
void xrdma_inval_destroy(struct xrdma_ibdev *xib)
{
	struct xrdma_inval *inval = xib->inval;
	unsigned int i;

	for (i = 0; i < XRDMA_INVAL_BATCHES; i++)
		if (inval->batches[i].words)
			dma_free_coherent(xrdma_to_dev(&xib->hw),
					  XRDMA_INVAL_SIZE,
					  inval->batches[i].words,
					  inval->batches[i].dma);
	kfree(inval);
	xib->inval = NULL;
}

/**
 * xrdma_inval_create() - allocate the batches
 * @xib: the device
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int xrdma_inval_create(struct xrdma_ibdev *xib)
{
	struct xrdma_inval *inval;
	unsigned int i;

	inval = kzalloc_obj(*inval);
	if (!inval)
		return -ENOMEM;
	xib->inval = inval;
	spin_lock_init(&inval->lock);
	init_waitqueue_head(&inval->room);
	sema_init(&inval->sending, XRDMA_INVAL_IN_FLIGHT);
	inval->open = &inval->batches[0];
	for (i = 0; i < XRDMA_INVAL_BATCHES; i++) {
		struct xrdma_inval_batch *batch = &inval->batches[i];

		init_completion(&batch->done);
		batch->words = dma_alloc_coherent(xrdma_to_dev(&xib->hw),
						  XRDMA_INVAL_SIZE,
						  &batch->dma, GFP_KERNEL);
		if (!batch->words) {
			xrdma_inval_destroy(xib);
			return -ENOMEM;
		}
	}
	return 0;
}

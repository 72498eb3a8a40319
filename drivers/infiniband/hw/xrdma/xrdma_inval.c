// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA invalidation: INVALIDATE commands, which concurrent callers share. What
 * the keys are for is known to the callers: xrdma_ctx_keys.c, xrdma_dmabuf.c and
 * xrdma_rereg.c. Memory that a dead device may still use after a failed
 * INVALIDATE is kept by xrdma_quarantine.c.
 *
 * A caller adds its index to the open batch. The first one in a batch leads
 * it: it closes the batch and sends it at once if fewer than
 * XRDMA_INVAL_IN_FLIGHT commands are in the device. Otherwise it waits for one
 * of them to be answered, and others join meanwhile. So a caller does not wait
 * for the fence of another one unless there is load, and under load there is
 * one command for all who came in the meantime.
 *
 * A caller that has many keys fills a batch of its own: struct
 * xrdma_inval_list.
 *
 * The driver invalidates each published key once, so that a key that is in one
 * command is in no other, and an outcome of "not valid" is the device's fault.
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
 * Those in the device, as many that are being filled or whose callers are
 * leaving, and one that is open.
 */
#define XRDMA_INVAL_BATCHES	(2 * XRDMA_INVAL_IN_FLIGHT + 1)
#define XRDMA_INVAL_SIZE	(XRDMA_INVAL_MAX * sizeof(__le32))

/**
 * struct xrdma_inval_batch - an INVALIDATE, before and after
 * @words: indexes, then outcomes; the device writes them
 * @dma: bus address of @words
 * @count: of @words, under xrdma_inval.lock
 * @users: callers that have not left, under xrdma_inval.lock; 0: it is idle,
 *	or open and empty
 * @err: of the command
 * @done: @words and @err are final
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
 * struct xrdma_inval - batches of a device
 * @batches: all of them
 * @lock: protects @open and counts of batches
 * @open: batch that callers may join, or NULL
 * @room: callers that wait for a batch
 * @sending: counts down the INVALIDATEs that may be in the device
 */
struct xrdma_inval {
	struct xrdma_inval_batch batches[XRDMA_INVAL_BATCHES];
	spinlock_t lock; /* open, counts */
	struct xrdma_inval_batch *open;
	wait_queue_head_t room;
	struct semaphore sending;
};

/* An idle batch, empty; or NULL. */
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

/* Nobody joins any more; the next batch opens if there is one. */
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

/* -ENOENT: the key was not valid, and @word has what the device wrote */
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

/* The driver has published the key, but the device says that it is not valid. */
static int xrdma_inval_wrong(struct xrdma_ibdev *xib, u32 index, u32 word)
{
	xrdma_fatal(&xib->hw, "INVALIDATE of key index %#x, which is valid: outcome %u",
		    index, (u32)FIELD_GET(XRDMA_INVAL_STATUS, word));
	return xrdma_hw_silence(&xib->hw) ? 0 : -EIO;
}

/**
 * xrdma_inval_key() - fence: end all use of a key
 * @xib: the device
 * @index: of a key entry that was published
 *
 * Context: may sleep, for a bounded time.
 * Return: 0: no access under the key is in progress or can begin, and the
 * entry is the driver's; -EBUSY: windows are bound to it, and nothing has
 * changed; otherwise the device is dead and cannot be silenced, and memory
 * behind the key goes into quarantine.
 */
int xrdma_inval_key(struct xrdma_ibdev *xib, u32 index)
{
	u32 word;
	int err = xrdma_inval_one(xib, index, &word);

	return err == -ENOENT ? xrdma_inval_wrong(xib, index, word) : err;
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

/* Without windows that are bound, there is one outcome for all keys. */
static int xrdma_inval_list_outcome(struct xrdma_ibdev *xib,
				    const struct xrdma_inval_batch *batch)
{
	u32 slot, index, word;

	for (slot = 0; slot < batch->count; slot++) {
		if (!xrdma_inval_outcome(xib, batch, slot, &word))
			continue;
		/* the device has written over the index, but keeps it there */
		index = FIELD_GET(XRDMA_INVAL_INDEX, word);
		return batch->err ?: xrdma_inval_wrong(xib, index, word);
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
 * xrdma_inval_list_add() - add a key to those that end together
 * @list: the list; all zero but @list->xib at first
 * @index: of a key entry that was published; windows come before their regions
 *
 * After the first failure nothing is sent any more.
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
 * xrdma_inval_list_end() - fence: end all use of the keys of a list
 * @list: the list
 *
 * Context: may sleep, for a bounded time.
 * Return: as xrdma_inval_key(), for all of them; never -EBUSY.
 */
int xrdma_inval_list_end(struct xrdma_inval_list *list)
{
	if (list->batch)
		xrdma_inval_list_send(list);
	return list->err;
}

/* ---- life ------------------------------------------------------------ */

/**
 * xrdma_inval_destroy() - free the batches
 * @xib: the device, which is quiet
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
 * xrdma_inval_create() - make the batches
 * @xib: the device
 *
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

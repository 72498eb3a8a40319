// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The device against a hostile host: push, model/core/push.c, compiled unchanged.
 * memcpy() stands for the proof that its source is inside of the push page of the queue
 * pair, or of the copy, and that its destination has room.
 *
 * CBMC: --unwind 2
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "proof.h"
#include "device_objects.h"

#define calloc(num, size)	((void)(num), (void)(size), NULL)
#define free(ptr)		((void)(ptr))
#define memcpy(to, from, len)	copy(to, from, len)
#define memset(to, value, len)	clear(to, value, len)

static void copy(void *to, const void *from, size_t len);
static void clear(void *to, int value, size_t len);

#include "core/push.c"

#undef memcpy
#undef memset

static u8 pages[2 * XRDMA_DB_PAGE_SIZE];
static u8 buf[MODEL_WQE_MAX];
static struct model_device dev = { .push.mem = pages };
static struct model_qp qp = { .dev = &dev };
static size_t copied, cleared;

static void copy(void *to, const void *from, size_t len)
{
	PROVE(__CPROVER_r_ok(from, len) && __CPROVER_w_ok(to, len));
	copied += len;
}

static void clear(void *to, int value, size_t len)
{
	PROVE((u8 *)to == buf + copied && !value);
	cleared += len;
}

/* The entry in the copy has any length. */
static u32 entry_len;

u32 model_sq_bytes(const struct model_qp *q, const struct xrdma_sq_wqe *wqe)
{
	PROVE(q == &qp && (const u8 *)wqe == buf && copied);
	return entry_len;
}

/*
 * Theorem: A doorbell makes the device read only inside of the push page of its queue
 *	pair, as many bytes as a copy has room for, and the copy is of the entry before
 *	the index. A doorbell that names a slot which is not aligned, or an offset
 *	without a size, is refused.
 * Holds for: all doorbells.
 * Assumes: the doorbell comes from the page of the queue pair, the last of two.
 */
static void slots_are_read_inside_the_page(void)
{
	u64 db = nondet_u64();
	u32 size = xrdma_db_push_size(db), at = xrdma_db_push_at(db);

	dev.params.push = nondet_truth() ? MODEL_PUSH_USE : MODEL_PUSH_IGNORE;
	qp.db_page = 1;
	if (!model_push_ok(&dev, db)) {
		PROVE(size ? at % size : at);
		return;
	}
	model_push_take(&qp, db);
	REACHABLE(copied == 256 && at == XRDMA_DB_PAGE_SIZE - 256);
	REACHABLE(!copied && size);
	PROVE(!size || at % size == 0);
	PROVE(copied == (dev.params.push == MODEL_PUSH_USE ? size : 0));
	PROVE(qp.pushed.size == copied);
	PROVE(!copied || qp.pushed.index == xrdma_db_index(db) - 1);
}

/*
 * Theorem: The copy stands for the entry with its index only, fills the whole entry,
 *	and is dropped when the entry is complete.
 * Holds for: all copies, indexes and entries of 64 to 1024 bytes.
 * Assumes: nothing.
 */
static void a_copy_stands_for_one_entry(void)
{
	u32 index = nondet_u32(), size = nondet_u32();
	bool taken;

	ASSUME(size == 0 || size == 64 || size == 128 || size == 256);
	entry_len = nondet_u32();
	ASSUME(entry_len % 64 == 0 && entry_len >= 64 && entry_len <= 1024);
	qp.pushed.size = size;
	qp.pushed.index = nondet_u32();
	qp.sq.ci = nondet_u32();
	taken = model_push_read(&qp, index, buf);
	REACHABLE(taken && cleared && copied == 64);
	REACHABLE(!taken && size && !qp.pushed.size);
	PROVE(taken == (size && qp.pushed.index == index &&
			qp.pushed.index - qp.sq.ci < 1U << 31));
	PROVE(copied == (taken ? size : 0));
	PROVE(cleared == (taken && entry_len > size ? entry_len - size : 0));
	PROVE(!size || (qp.pushed.size == 0) ==
	      (qp.pushed.index - qp.sq.ci >= 1U << 31));
}

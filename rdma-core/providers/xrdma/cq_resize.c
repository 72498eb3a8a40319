// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: moves a completion queue to a ring of another size.
 *
 * An entry has the same index in both rings. From one index on, which the reply
 * of the driver contains, the device writes to the new ring. The provider
 * copies the earlier entries that were not consumed from the old ring to the
 * new one. It holds xrdma_cq.lock throughout, so no thread polls the queue.
 *
 * Rings are allocated in cq.c, entries are read in poll.c.
 */

#include <errno.h>

#include "ring.h"
#include "xrdma-abi.h"

/*
 * Give each entry of a new ring the phase that the device will not write for
 * the index that comes to it first, counted from the consumer index.
 */
static void xrdma_clear_ring(struct xrdma_cq *cq)
{
	uint32_t index = cq->ci;

	do {
		xrdma_store_le32(&xrdma_cqe_at(cq, index)->own,
				 !xrdma_ring_phase(index, cq->log_depth));
		index++;
	} while (index - cq->ci < 1U << cq->log_depth);
}

/* Copy the entries from the consumer index up to @end, without @end. */
static void xrdma_copy_cqes(struct xrdma_cq *to, const struct xrdma_cq *from,
			    uint32_t end)
{
	struct xrdma_cqe *cqe;
	uint32_t index;

	for (index = from->ci; index != end; index++) {
		cqe = xrdma_cqe_at(to, index);
		*cqe = *xrdma_cqe_at(from, index);
		cqe->own = htole32(xrdma_ring_phase(index, to->log_depth));
	}
}

static int xrdma_cmd_resize_cq(struct xrdma_cq *cq, const struct xrdma_cq *new,
			       int entries, uint32_t *index)
{
	struct xrdma_cmd_resize_cq_resp resp = {};
	struct xrdma_cmd_resize_cq cmd = {};
	int err;

	cmd.buf_addr = (uintptr_t)new->buf.addr;
	cmd.log_depth = new->log_depth;
	err = ibv_cmd_resize_cq(&cq->verbs_cq.cq, entries, &cmd.ibv_cmd,
				sizeof(cmd), &resp.ibv_resp, sizeof(resp));
	*index = resp.drv_payload.index;
	return err;
}

/* Move a queue whose lock is held. Return: 0 or an errno. */
static int xrdma_move_cq(struct xrdma_cq *cq, int entries)
{
	struct xrdma_cq new = { .ci = cq->ci };
	uint32_t index;
	int err;

	err = xrdma_alloc_cq_buf(&new, cq->buf.domain, entries);
	if (err)
		return err;
	xrdma_clear_ring(&new);
	xrdma_store_le32(&new.rec->ci, cq->ci);
	xrdma_store_le32(&new.rec->arm, cq->arm);

	err = xrdma_cmd_resize_cq(cq, &new, entries, &index);
	if (err) {
		xrdma_free_buf(&new.buf);
		return err;
	}
	/* The device wrote the old ring before the driver replied. */
	udma_from_device_barrier();
	xrdma_copy_cqes(&new, cq, index);
	xrdma_free_buf(&cq->buf);
	cq->buf = new.buf;
	cq->ring = new.ring;
	cq->rec = new.rec;
	cq->log_depth = new.log_depth;
	cq->verbs_cq.cq.cqe = 1 << cq->log_depth;
	return 0;
}

/**
 * xrdma_resize_cq() - ibv_resize_cq()
 * @ibcq: completion queue
 * @cqe: number of entries needed; rounded up to a power of two
 *
 * Return: 0 or an errno; EINVAL also if the unpolled completions do not fit.
 */
int xrdma_resize_cq(struct ibv_cq *ibcq, int cqe)
{
	struct xrdma_cq *cq = to_xcq(ibcq);
	int err;

	if (cqe < 1 || (unsigned int)cqe > to_xctx(ibcq->context)->max_cqe)
		return EINVAL;

	xrdma_lock(&cq->lock);
	err = xrdma_move_cq(cq, cqe);
	xrdma_unlock(&cq->lock);
	return err;
}

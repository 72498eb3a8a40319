// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA changes of completion queues: resizes a queue, sets its moderation, and
 * reads its indexes. Queues are created and destroyed in xrdma_cq.c, entries
 * are decoded in xrdma_poll.c.
 */

#include <rdma/ib_umem.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/xrdma-ring.h>
#include "xrdma_buf.h"
#include "xrdma_cmd.h"
#include "xrdma_cq.h"
#include "xrdma_ibdev.h"
#include "xrdma_quarantine.h"
#include "xrdma_ubuf.h"

/* ---- resize ------------------------------------------------------------- */

/*
 * When the command has succeeded, the device uses the new ring and no longer
 * accesses the old one. The process reads the remaining entries of the old ring
 * through its own mapping.
 */
static int xrdma_cq_move(struct xrdma_ibdev *xib, struct xrdma_cq *cq,
			 struct xrdma_ubuf *ubuf, u8 log_depth, u32 *index)
{
	int err;

	mutex_lock(&cq->resize_lock);
	err = xrdma_cmd_resize_cq(&xib->hw, cq->cqn, log_depth, ubuf->mtt.root,
				  index);
	if (!err) {
		xrdma_ubuf_swap(&cq->user, ubuf);
		cq->log_depth = log_depth;
		cq->ibcq.cqe = 1 << log_depth;
	}
	mutex_unlock(&cq->resize_lock);
	if (!err)
		xrdma_ubuf_unmap(xib, ubuf);
	return err;
}

/**
 * xrdma_resize_user_cq() - ib_device_ops.resize_user_cq
 * @ibcq: queue of a user; @ibcq->cqe is set to the depth of the ring
 * @cqe: minimum number of entries
 * @udata: with struct xrdma_ureq_resize_cq; NULL for the kernel
 *
 * Context: may sleep.
 * Return: 0, -EOPNOTSUPP for a queue of the kernel, -EINVAL for a value out of
 * range or a ring that is too small for the entries in the queue, -ENOMEM, or
 * an error of the command.
 */
int xrdma_resize_user_cq(struct ib_cq *ibcq, unsigned int cqe,
			 struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibcq->device);
	struct xrdma_cq *cq = to_xcq(ibcq);
	struct xrdma_uresp_resize_cq resp = {};
	struct xrdma_ureq_resize_cq req;
	struct xrdma_ubuf ubuf = {};
	int err;

	if (!udata)
		return -EOPNOTSUPP;
	err = ib_copy_validate_udata_in(udata, req, reserved);
	if (err)
		return err;
	if (req.reserved)
		return -EINVAL;
	err = xrdma_ucq_check(&xib->hw.caps, cqe, req.buf_addr, req.log_depth);
	if (err)
		return err;

	err = xrdma_ucq_map(xib, &ubuf, req.buf_addr, req.log_depth);
	if (err)
		return err;
	err = xrdma_cq_move(xib, cq, &ubuf, req.log_depth, &resp.index);
	if (err) {
		xrdma_ubuf_release(xib, &ubuf, xrdma_may_dma(&xib->hw));
		return err;
	}
	return ib_respond_udata(udata, resp);
}

/* ---- moderation ------------------------------------------------------------ */

/**
 * xrdma_modify_cq() - ib_device_ops.modify_cq
 * @ibcq: the queue
 * @count: number of completions for each event
 * @period: longest time from a completion to its event, in us
 *
 * The adaptive moderation of ib_core may call this function after
 * xrdma_pre_destroy_cq(), when another queue may have the number.
 *
 * Context: may sleep.
 * Return: 0, -ENOENT if the queue has been destroyed, or an error of the
 * command.
 */
int xrdma_modify_cq(struct ib_cq *ibcq, u16 count, u16 period)
{
	struct xrdma_ibdev *xib = to_xibdev(ibcq->device);
	struct xrdma_cq *cq = to_xcq(ibcq);
	int err = -ENOENT;

	mutex_lock(&cq->resize_lock);
	if (xrdma_cq_live(xib, cq))
		err = xrdma_cmd_modify_cq(&xib->hw, cq->cqn, count, period);
	mutex_unlock(&cq->resize_lock);
	return err;
}

/* ---- indexes ------------------------------------------------------------ */

/* Read a word of the ring or the record. Return: false if that fails. */
static bool xrdma_cq_word(struct xrdma_cq *cq, u64 offset, __le32 *word)
{
	if (cq->rec) {
		*word = READ_ONCE(*(__le32 *)xrdma_buf_at(cq->buf, offset));
		return true;
	}
	return !ib_umem_copy_from(word, cq->user.umem, offset, sizeof(*word));
}

static bool xrdma_cq_written(struct xrdma_cq *cq, u32 index)
{
	u32 slot = xrdma_ring_slot(index, cq->log_depth);
	u64 offset = slot * sizeof(struct xrdma_cqe) +
		     offsetof(struct xrdma_cqe, own);
	__le32 own;

	return xrdma_cq_word(cq, offset, &own) &&
	       xrdma_ring_valid(le32_to_cpu(own), index, cq->log_depth);
}

/* The device writes entries in order: search the first one not written. */
static u32 xrdma_cq_find_pi(struct xrdma_cq *cq, u32 ci)
{
	u32 low = 0, high = 1U << cq->log_depth;

	while (low < high) {
		u32 middle = (low + high) / 2;

		if (xrdma_cq_written(cq, ci + middle))
			low = middle + 1;
		else
			high = middle;
	}
	return ci + low;
}

static int xrdma_cq_read_indexes(struct xrdma_cq *cq, u32 *ci, u32 *pi)
{
	__le32 word;

	if (!xrdma_cq_word(cq, xrdma_cq_rec_offset(cq->log_depth) +
			       offsetof(struct xrdma_cq_rec, ci), &word))
		return -EFAULT;
	*ci = le32_to_cpu(word);
	*pi = xrdma_cq_find_pi(cq, *ci);
	return 0;
}

/**
 * xrdma_cq_indexes() - read consumer and producer index of a queue
 * @xib: the device
 * @cq: the queue, which another thread may be destroying
 * @ci: gets the consumer index in the record, modulo 2^32
 * @pi: gets the index of the next entry that the device will write
 *
 * The indexes of a user's queue may be wrong: the process can write to the
 * memory.
 *
 * Context: may sleep.
 * Return: 0, -ENOENT if the queue has been destroyed, or -EFAULT.
 */
int xrdma_cq_indexes(struct xrdma_ibdev *xib, struct xrdma_cq *cq, u32 *ci,
		     u32 *pi)
{
	int err = -ENOENT;

	mutex_lock(&cq->resize_lock);
	if (xrdma_cq_live(xib, cq))
		err = xrdma_cq_read_indexes(cq, ci, pi);
	mutex_unlock(&cq->resize_lock);
	return err;
}

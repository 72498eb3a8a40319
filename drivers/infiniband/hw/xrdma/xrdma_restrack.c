// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA state of objects for "rdma resource show ... -dd": writes the
 * attributes of regions, queue pairs, completion queues and shared receive
 * queues to netlink messages. It reads structures of xrdma_mr.h, xrdma_qp.h,
 * xrdma_cq.h and xrdma_srq.h, and changes nothing. Counters are in
 * xrdma_port_stats.c.
 *
 * Any user may read the attributes of the objects of all processes. So no
 * attribute contains a key, a part of a key, or an address; ib_core likewise
 * shows keys to users with CAP_NET_ADMIN only. Raw key entries need
 * CAP_NET_ADMIN too.
 */

#include <linux/bitfield.h>
#include <net/netlink.h>
#include <rdma/rdma_netlink.h>
#include <rdma/restrack.h>
#include "xrdma_cq.h"
#include "xrdma_fault.h"
#include "xrdma_ibdev.h"
#include "xrdma_key.h"
#include "xrdma_mr.h"
#include "xrdma_mtt.h"
#include "xrdma_pd.h"
#include "xrdma_qp.h"
#include "xrdma_restrack.h"
#include "xrdma_srq.h"
#include "xrdma_wq.h"

/* Write an attribute: its name and its value. */
static int xrdma_put_u32(struct sk_buff *msg, const char *name, u32 value)
{
	return rdma_nl_put_driver_u32(msg, name, value);
}

static struct nlattr *xrdma_put_begin(struct sk_buff *msg)
{
	return nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
}

/*
 * End the list of attributes; remove it if the message is full, which @err
 * says.
 * @nest is NULL if the message was full at the beginning.
 */
static int xrdma_put_end(struct sk_buff *msg, struct nlattr *nest, int err)
{
	if (err) {
		nla_nest_cancel(msg, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, nest);
	return 0;
}

/* Name of the attribute that counts blocks, by the log2 of their size. */
static const char *const xrdma_block_names[] = {
	[12] = "blocks_4K", "blocks_8K", "blocks_16K", "blocks_32K",
	"blocks_64K", "blocks_128K", "blocks_256K", "blocks_512K", "blocks_1M",
	"blocks_2M", "blocks_4M", "blocks_8M", "blocks_16M", "blocks_32M",
	"blocks_64M", "blocks_128M", "blocks_256M", "blocks_512M", "blocks_1G",
};

static_assert(ARRAY_SIZE(xrdma_block_names) == XRDMA_LEAF_SHIFT_MAX + 1);

/*
 * Write the number of blocks of each size, and the number and size of the
 * tables.
 */
static int xrdma_put_mtt(struct sk_buff *msg, const struct xrdma_mtt *mtt)
{
	u32 entries = 0;
	int level;

	for (level = 0; level <= mtt->level; level++) {
		u8 shift = mtt->leaf_shift + XRDMA_MTT_BITS * max(level - 1, 0);

		if (!mtt->blocks[level] || shift > XRDMA_LEAF_SHIFT_MAX)
			continue;
		entries += level ? mtt->blocks[level] : 0;
		if (xrdma_put_u32(msg, xrdma_block_names[shift],
				  mtt->blocks[level]))
			return -EMSGSIZE;
	}
	if (xrdma_put_u32(msg, "levels", mtt->level) ||
	    xrdma_put_u32(msg, "mtt_entries", entries) ||
	    xrdma_put_u32(msg, "mtt_bytes",
			  mtt->num_tables * XRDMA_MTT_TABLE_SIZE))
		return -EMSGSIZE;
	return 0;
}

/*
 * Write a refused access, without its key and its address; the debugfs file
 * "faults" shows these.
 */
static int xrdma_put_fault(struct sk_buff *msg, const struct xrdma_eqe *eqe)
{
	return rdma_nl_put_driver_string(msg, "fault",
					 xrdma_fault_name(eqe->reason)) ||
	       rdma_nl_put_driver_u64(msg, "fault_length",
				      le64_to_cpu(eqe->length)) ||
	       rdma_nl_put_driver_u32(msg, "fault_qpn",
				      le32_to_cpu(eqe->number));
}

static const char *xrdma_mr_kind(const struct xrdma_mr *mr)
{
	switch (mr->ibmr.type) {
	case IB_MR_TYPE_DMA:
		return "dma";
	case IB_MR_TYPE_DM:
		return "device_memory";
	case IB_MR_TYPE_USER:
		if (mr->dmabuf)
			return mr->odp ? "dmabuf_odp" : "dmabuf";
		return mr->odp ? "odp" : "user";
	default:
		return "fast_reg";
	}
}

static const char *const xrdma_state_names[] = {
	[XRDMA_MPT_INVALID] = "invalid",
	[XRDMA_MPT_FREE] = "free",
	[XRDMA_MPT_VALID] = "valid",
	[XRDMA_MPT_NOT_PRESENT] = "not_present",
};

/*
 * Write the key entry as it is now. Reregistration changes the entry of a
 * region, and the device changes entries of windows and of fast-register
 * regions.
 */
static int xrdma_put_key(struct sk_buff *msg, const struct xrdma_mpt_entry *entry)
{
	u64 ctrl = le64_to_cpu(entry->ctrl);
	u8 state = FIELD_GET(XRDMA_MPT_STATE, ctrl);

	if (state >= ARRAY_SIZE(xrdma_state_names))
		state = XRDMA_MPT_INVALID;
	return rdma_nl_put_driver_string(msg, "state",
					 xrdma_state_names[state]) ||
	       rdma_nl_put_driver_u32_hex(msg, "access",
					  FIELD_GET(XRDMA_MPT_ACCESS, ctrl)) ||
	       xrdma_put_u32(msg, "pd", FIELD_GET(XRDMA_MPT_PD, ctrl)) ||
	       xrdma_put_u32(msg, "windows", le32_to_cpu(entry->bound));
}

/**
 * xrdma_fill_res_mr_entry() - ib_device_ops.fill_res_mr_entry
 * @msg: netlink message
 * @ibmr: the region
 *
 * Context: process.
 * Return: 0; or -EMSGSIZE: the message is full.
 */
int xrdma_fill_res_mr_entry(struct sk_buff *msg, struct ib_mr *ibmr)
{
	struct xrdma_ibdev *xib = to_xibdev(ibmr->device);
	struct xrdma_mr *mr = to_xmr(ibmr);
	struct nlattr *nest = xrdma_put_begin(msg);
	struct xrdma_mpt_entry entry;
	struct xrdma_eqe eqe;
	int err;

	xrdma_key_read(xib->keys, mr->key_index, &entry);
	err = !nest ||
	      rdma_nl_put_driver_string(msg, "kind", xrdma_mr_kind(mr)) ||
	      xrdma_put_key(msg, &entry);
	if (!err && mr->mtt.root)
		err = xrdma_put_mtt(msg, &mr->mtt);
	if (!err && ibmr->type == IB_MR_TYPE_DM)
		err = xrdma_put_u32(msg, "dm_offset", mr->mtt.offset);
	if (!err && xrdma_fault_last_of_key(xib, mr->key_index, &eqe))
		err = xrdma_put_fault(msg, &eqe);
	return xrdma_put_end(msg, nest, err);
}

/**
 * xrdma_fill_res_mr_entry_raw() - ib_device_ops.fill_res_mr_entry_raw
 * @msg: netlink message
 * @ibmr: the region
 *
 * Writes the bytes of the key entry, in the layout of struct xrdma_mpt_entry.
 *
 * Context: process.
 * Return: 0; or -EMSGSIZE: the message is full.
 */
int xrdma_fill_res_mr_entry_raw(struct sk_buff *msg, struct ib_mr *ibmr)
{
	struct xrdma_mpt_entry entry;

	xrdma_key_read(to_xibdev(ibmr->device)->keys, to_xmr(ibmr)->key_index,
		       &entry);
	return nla_put(msg, RDMA_NLDEV_ATTR_RES_RAW, sizeof(entry), &entry);
}

/**
 * struct xrdma_wq_names - names of the attributes of a send or receive queue
 * @depth: name of the number of entries
 * @size: name of the size of an entry, send queue: the longest entry in units; receive
 *	queue: each entry in bytes
 * @pi: name of the producer index
 * @ci: name of the consumer index
 */
struct xrdma_wq_names {
	const char *depth;
	const char *size;
	const char *pi;
	const char *ci;
};

static const struct xrdma_wq_names xrdma_sq_names = {
	"sq_depth", "sq_units", "sq_pi", "sq_ci",
};

static const struct xrdma_wq_names xrdma_rq_names = {
	"rq_depth", "rq_stride", "rq_pi", "rq_ci",
};

static int xrdma_put_wq(struct sk_buff *msg, const struct xrdma_wq *wq,
			const struct xrdma_wq_names *names)
{
	u32 depth = xrdma_wq_exists(wq) ? 1U << wq->log_depth : 0;
	u32 size = wq->log_stride ? 1U << wq->log_stride : wq->units;

	return xrdma_put_u32(msg, names->depth, depth) ||
	       xrdma_put_u32(msg, names->size, size);
}

static int xrdma_put_indexes(struct sk_buff *msg, const struct xrdma_wq *wq,
			     const struct xrdma_wq_names *names, u32 pi, u32 ci)
{
	if (!xrdma_wq_exists(wq))
		return 0;
	return xrdma_put_u32(msg, names->pi, pi) ||
	       xrdma_put_u32(msg, names->ci, ci);
}

/*
 * Write producer and consumer indexes; nothing if they cannot be read any more.
 */
static int xrdma_put_qp_depth(struct sk_buff *msg, struct xrdma_ibdev *xib,
			      struct xrdma_qp *qp)
{
	struct xrdma_qp_depth at;

	if (xrdma_qp_depth(xib, qp, &at))
		return 0;
	return xrdma_put_indexes(msg, &qp->sq, &xrdma_sq_names, at.sq_pi,
				 at.sq_ci) ||
	       xrdma_put_indexes(msg, &qp->rq, &xrdma_rq_names, at.rq_pi,
				 at.rq_ci);
}

static int xrdma_put_qp_numbers(struct sk_buff *msg, const struct ib_qp *ibqp)
{
	return (ibqp->send_cq && xrdma_put_u32(msg, "send_cqn",
					       to_xcq(ibqp->send_cq)->cqn)) ||
	       (ibqp->recv_cq && xrdma_put_u32(msg, "recv_cqn",
					       to_xcq(ibqp->recv_cq)->cqn)) ||
	       (ibqp->srq && xrdma_put_u32(msg, "srqn",
					   to_xsrq(ibqp->srq)->srqn)) ||
	       (ibqp->pd && xrdma_put_u32(msg, "pd", to_xpd(ibqp->pd)->pdn));
}

/*
 * Write the numbers of the objects that a queue pair uses, if it has them; nothing
 * if the queue pair has been destroyed: then they may have been freed.
 */
static int xrdma_put_qp_uses(struct sk_buff *msg, struct xrdma_ibdev *xib,
			     struct xrdma_qp *qp)
{
	int err;

	if (!xrdma_qp_get_live(xib, qp))
		return 0;
	err = xrdma_put_qp_numbers(msg, &qp->ibqp);
	xrdma_qp_put(qp);
	return err;
}

/**
 * xrdma_fill_res_qp_entry() - ib_device_ops.fill_res_qp_entry
 * @msg: netlink message
 * @ibqp: the queue pair
 *
 * Context: process.
 * Return: 0; or -EMSGSIZE: the message is full.
 */
int xrdma_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *ibqp)
{
	struct xrdma_ibdev *xib = to_xibdev(ibqp->device);
	struct xrdma_qp *qp = to_xqp(ibqp);
	struct nlattr *nest = xrdma_put_begin(msg);
	struct xrdma_eqe eqe;
	int err;

	err = !nest ||
	      xrdma_put_wq(msg, &qp->sq, &xrdma_sq_names) ||
	      xrdma_put_wq(msg, &qp->rq, &xrdma_rq_names) ||
	      xrdma_put_qp_depth(msg, xib, qp) ||
	      xrdma_put_qp_uses(msg, xib, qp);
	if (!err && xrdma_fault_last_of_qp(xib, qp->qpn, &eqe))
		err = xrdma_put_fault(msg, &eqe);
	return xrdma_put_end(msg, nest, err);
}

/**
 * xrdma_fill_res_cq_entry() - ib_device_ops.fill_res_cq_entry
 * @msg: netlink message
 * @ibcq: the queue
 *
 * Context: process.
 * Return: 0; or -EMSGSIZE: the message is full.
 */
int xrdma_fill_res_cq_entry(struct sk_buff *msg, struct ib_cq *ibcq)
{
	struct xrdma_cq *cq = to_xcq(ibcq);
	struct nlattr *nest = xrdma_put_begin(msg);
	u32 ci, pi;
	int err;

	err = !nest ||
	      xrdma_put_u32(msg, "cqn", cq->cqn) ||
	      xrdma_put_u32(msg, "eqn", cq->eqn);
	if (!err && !xrdma_cq_indexes(to_xibdev(ibcq->device), cq, &ci, &pi))
		err = xrdma_put_u32(msg, "pi", pi) ||
		      xrdma_put_u32(msg, "ci", ci);
	return xrdma_put_end(msg, nest, err);
}

/**
 * xrdma_fill_res_srq_entry() - ib_device_ops.fill_res_srq_entry
 * @msg: netlink message
 * @ibsrq: the queue
 *
 * Context: process.
 * Return: 0; or -EMSGSIZE: the message is full.
 */
int xrdma_fill_res_srq_entry(struct sk_buff *msg, struct ib_srq *ibsrq)
{
	struct xrdma_ibdev *xib = to_xibdev(ibsrq->device);
	struct xrdma_srq *srq = to_xsrq(ibsrq);
	struct xrdma_srq *live = xrdma_srq_get(xib, srq->srqn);
	struct nlattr *nest = xrdma_put_begin(msg);
	int err;

	err = !nest ||
	      xrdma_put_u32(msg, "srqn", srq->srqn) ||
	      xrdma_put_u32(msg, "depth", 1U << srq->rq.log_depth) ||
	      xrdma_put_u32(msg, "stride", 1U << srq->rq.log_stride) ||
	      xrdma_put_u32(msg, "pd", to_xpd(ibsrq->pd)->pdn);
	/*
	 * The indexes of a user's queue are in memory of the process, and a
	 * queue that is not found by its number is being destroyed.
	 */
	if (!err && live == srq && srq->rec)
		err = xrdma_put_u32(msg, "pi", READ_ONCE(srq->rq.pi)) ||
		      xrdma_put_u32(msg, "ci",
				    le32_to_cpu(READ_ONCE(srq->rec->ci)));
	if (live)
		xrdma_srq_put(live);
	return xrdma_put_end(msg, nest, err);
}

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA objects as "rdma resource show ... -dd" prints them. Only reads what
 * others own.
 */

#include <net/netlink.h>
#include <rdma/rdma_netlink.h>
#include <rdma/restrack.h>
#include "xrdma_verbs.h"

/* Attributes of a driver are pairs of name and value. */
static int xrdma_put_u32(struct sk_buff *msg, const char *name, u32 value)
{
	return rdma_nl_put_driver_u32(msg, name, value);
}

static struct nlattr *xrdma_put_begin(struct sk_buff *msg)
{
	return nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
}

static int xrdma_put_end(struct sk_buff *msg, struct nlattr *nest, int err)
{
	if (err) {
		nla_nest_cancel(msg, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, nest);
	return 0;
}

static const char *const xrdma_block_names[] = {
	"blocks_root", "blocks_level1", "blocks_level2", "blocks_level3",
	"blocks_level4",
};

static_assert(ARRAY_SIZE(xrdma_block_names) == XRDMA_ROOT_MAX_LEVEL + 1);

/* How a region is translated: the size of its blocks and how many there are */
static int xrdma_put_mtt(struct sk_buff *msg, const struct xrdma_mtt *mtt)
{
	u32 entries = 0;
	int i, err = 0;

	for (i = 0; !err && i <= mtt->level; i++) {
		if (!mtt->blocks[i])
			continue;
		entries += i ? mtt->blocks[i] : 0;
		err = xrdma_put_u32(msg, xrdma_block_names[i], mtt->blocks[i]);
	}
	if (err || xrdma_put_u32(msg, "leaf_shift", mtt->leaf_shift) ||
	    xrdma_put_u32(msg, "levels", mtt->level) ||
	    xrdma_put_u32(msg, "mtt_entries", entries) ||
	    xrdma_put_u32(msg, "mtt_bytes",
			  mtt->num_tables * XRDMA_MTT_TABLE_SIZE))
		return -EMSGSIZE;
	return 0;
}

/* The last refused access, if one is kept */
static int xrdma_put_fault(struct sk_buff *msg, const struct xrdma_eqe *eqe)
{
	return rdma_nl_put_driver_string(msg, "fault",
					 xrdma_fault_name(eqe->reason)) ||
	       rdma_nl_put_driver_u32_hex(msg, "fault_key",
					  le32_to_cpu(eqe->key)) ||
	       rdma_nl_put_driver_u64_hex(msg, "fault_addr",
					  le64_to_cpu(eqe->addr)) ||
	       rdma_nl_put_driver_u64(msg, "fault_length",
				      le64_to_cpu(eqe->length)) ||
	       rdma_nl_put_driver_u32(msg, "fault_qpn",
				      le32_to_cpu(eqe->number));
}

/**
 * xrdma_fill_res_mr_entry() - ib_device_ops.fill_res_mr_entry
 * @msg: netlink message
 * @ibmr: the region
 *
 * Return: 0, or -EMSGSIZE when the message is full.
 */
int xrdma_fill_res_mr_entry(struct sk_buff *msg, struct ib_mr *ibmr)
{
	struct xrdma_ibdev *xib = to_xibdev(ibmr->device);
	struct xrdma_mr *mr = to_xmr(ibmr);
	struct nlattr *nest = xrdma_put_begin(msg);
	struct xrdma_eqe eqe;
	int err;

	if (!nest)
		return -EMSGSIZE;
	err = rdma_nl_put_driver_u32_hex(msg, "key_index", mr->key_index) ||
	      rdma_nl_put_driver_u32_hex(msg, "key_byte",
					 xrdma_key_byte(ibmr->lkey)) ||
	      rdma_nl_put_driver_u32_hex(msg, "access", mr->access) ||
	      xrdma_put_u32(msg, "pd", to_xpd(ibmr->pd)->pdn);
	if (!err && mr->umem)
		err = xrdma_put_mtt(msg, &mr->mtt);
	if (!err && xrdma_fault_last_of_key(xib, mr->key_index, &eqe))
		err = xrdma_put_fault(msg, &eqe);
	return xrdma_put_end(msg, nest, err);
}

/**
 * xrdma_fill_res_mr_entry_raw() - ib_device_ops.fill_res_mr_entry_raw
 * @msg: netlink message
 * @ibmr: the region
 *
 * Gives the key entry as it is in the table, as the device sees it.
 *
 * Return: 0, or -EMSGSIZE when the message is full.
 */
int xrdma_fill_res_mr_entry_raw(struct sk_buff *msg, struct ib_mr *ibmr)
{
	struct xrdma_mpt_entry entry;

	xrdma_key_read(to_xibdev(ibmr->device)->keys, to_xmr(ibmr)->key_index,
		       &entry);
	return nla_put(msg, RDMA_NLDEV_ATTR_RES_RAW, sizeof(entry), &entry);
}

/* The indexes of a user's queue are in its own memory, which is not read. */
static int xrdma_put_wq(struct sk_buff *msg, const struct xrdma_wq *wq,
			const char *const names[4])
{
	if (xrdma_put_u32(msg, names[0], wq->log_stride ?
					 1U << wq->log_depth : 0) ||
	    xrdma_put_u32(msg, names[1], wq->log_stride ?
					 1U << wq->log_stride : 0))
		return -EMSGSIZE;
	if (!wq->ring)
		return 0;
	if (xrdma_put_u32(msg, names[2], READ_ONCE(wq->pi)) ||
	    xrdma_put_u32(msg, names[3], READ_ONCE(wq->ci)))
		return -EMSGSIZE;
	return 0;
}

/**
 * xrdma_fill_res_qp_entry() - ib_device_ops.fill_res_qp_entry
 * @msg: netlink message
 * @ibqp: the queue pair
 *
 * Return: 0, or -EMSGSIZE when the message is full.
 */
int xrdma_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *ibqp)
{
	static const char *const sq_names[] = {
		"sq_depth", "sq_stride", "sq_pi", "sq_ci",
	};
	static const char *const rq_names[] = {
		"rq_depth", "rq_stride", "rq_pi", "rq_ci",
	};
	struct xrdma_qp *qp = to_xqp(ibqp);
	struct nlattr *nest = xrdma_put_begin(msg);
	struct xrdma_eqe eqe;
	int err;

	if (!nest)
		return -EMSGSIZE;
	err = xrdma_put_wq(msg, &qp->sq, sq_names) ||
	      xrdma_put_wq(msg, &qp->rq, rq_names) ||
	      xrdma_put_u32(msg, "send_cqn", to_xcq(ibqp->send_cq)->cqn) ||
	      xrdma_put_u32(msg, "recv_cqn", to_xcq(ibqp->recv_cq)->cqn) ||
	      xrdma_put_u32(msg, "pd", to_xpd(ibqp->pd)->pdn);
	if (!err && xrdma_fault_last_of_qp(to_xibdev(ibqp->device), qp->qpn,
					   &eqe))
		err = xrdma_put_fault(msg, &eqe);
	return xrdma_put_end(msg, nest, err);
}

/**
 * xrdma_fill_res_cq_entry() - ib_device_ops.fill_res_cq_entry
 * @msg: netlink message
 * @ibcq: the queue
 *
 * Return: 0, or -EMSGSIZE when the message is full.
 */
int xrdma_fill_res_cq_entry(struct sk_buff *msg, struct ib_cq *ibcq)
{
	struct xrdma_cq *cq = to_xcq(ibcq);
	struct nlattr *nest = xrdma_put_begin(msg);
	int err;

	if (!nest)
		return -EMSGSIZE;
	err = xrdma_put_u32(msg, "cqn", cq->cqn) ||
	      xrdma_put_u32(msg, "eqn", cq->eqn);
	/* the index of a user's queue is in its own memory */
	if (!err && cq->ring)
		err = xrdma_put_u32(msg, "ci", READ_ONCE(cq->ci));
	return xrdma_put_end(msg, nest, err);
}

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: receive side scaling: work queues, indirection tables, and
 * the command that creates a queue pair with an indirection table.
 *
 * Device and pollers treat a work queue as a queue pair without a send queue.
 * Its receives are posted in recv.c; queue pairs in general are in qp.c.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compat.h"
#include "ring.h"
#include "xrdma-abi.h"

/* ---- work queues ----------------------------------------------------- */

/* Create the queue in the driver, and enter it in the table of queue pairs. */
static int xrdma_cmd_create_wq(struct ibv_context *ibctx, struct xrdma_rwq *rwq,
			       struct ibv_wq_init_attr *attr)
{
	struct xrdma_cmd_create_wq_resp resp = {};
	struct xrdma_cmd_create_wq cmd = {};
	int err;

	cmd.buf_addr = (uintptr_t)rwq->qp.buf.addr;
	cmd.log_depth = xrdma_wq_log_depth(&rwq->qp.rq);
	cmd.log_stride = rwq->qp.rq.log_stride;
	err = ibv_cmd_create_wq(ibctx, attr, &rwq->ibv_wq, &cmd.ibv_cmd,
				sizeof(cmd), &resp.ibv_resp, sizeof(resp));
	if (err)
		return err;

	rwq->qp.qpn = resp.drv_payload.wqn;
	rwq->qp.verbs_qp.qp.recv_cq = attr->cq;
	err = xrdma_insert_qp(to_xctx(ibctx), &rwq->qp);
	if (err)
		ibv_cmd_destroy_wq(&rwq->ibv_wq);
	return err;
}

static int xrdma_setup_wq(struct ibv_context *ibctx, struct xrdma_rwq *rwq,
			  struct ibv_wq_init_attr *attr)
{
	struct xrdma_context *ctx = to_xctx(ibctx);
	struct xrdma_pd *pd = to_xpd(attr->pd);
	int err;

	if (attr->wq_type != IBV_WQT_RQ || !attr->max_wr)
		return EINVAL;
	if (attr->comp_mask & ~IBV_WQ_INIT_ATTR_FLAGS ||
	    (attr->comp_mask & IBV_WQ_INIT_ATTR_FLAGS && attr->create_flags))
		return EOPNOTSUPP;

	err = xrdma_size_rq(ctx, &rwq->qp.rq, attr->max_wr, attr->max_sge);
	if (err)
		return err;
	err = xrdma_alloc_rings(&rwq->qp, pd);
	if (err)
		return err;
	err = xrdma_cmd_create_wq(ibctx, rwq, attr);
	if (err) {
		xrdma_free_buf(&rwq->qp.buf);
		return err;
	}
	xrdma_lock_init(&rwq->qp.rq.lock, ctx, pd);
	attr->max_wr = rwq->qp.rq.depth;
	attr->max_sge = rwq->qp.rq.max_sge;
	return 0;
}

/**
 * xrdma_create_wq() - ibv_create_wq()
 * @ibctx: open device
 * @attr: attributes; max_wr and max_sge are set to what the queue has
 *
 * Return: the queue, in state RESET, or NULL and errno.
 */
struct ibv_wq *xrdma_create_wq(struct ibv_context *ibctx,
			       struct ibv_wq_init_attr *attr)
{
	struct xrdma_rwq *rwq = calloc(1, sizeof(*rwq));
	int err;

	if (!rwq)
		return NULL;

	err = xrdma_setup_wq(ibctx, rwq, attr);
	if (err) {
		free(rwq);
		errno = err;
		return NULL;
	}
	rwq->ibv_wq.state = IBV_WQS_RESET;
	rwq->ibv_wq.post_recv = xrdma_post_wq_recv;
	return &rwq->ibv_wq;
}

/*
 * Empty a queue that was modified to RESET: the device has stopped it, and
 * starts at index 0 again.
 */
static void xrdma_restart_rwq(struct xrdma_rwq *rwq)
{
	struct xrdma_qp *qp = &rwq->qp;

	xrdma_remove_completions(qp);
	xrdma_lock(&qp->rq.lock);
	xrdma_restart_wq(&qp->rq);
	memset(qp->rec, 0, sizeof(*qp->rec));
	xrdma_unlock(&qp->rq.lock);
}

/**
 * xrdma_modify_wq() - ibv_modify_wq()
 * @ibwq: work queue
 * @attr: new attributes
 *
 * Return: 0 or an errno.
 */
int xrdma_modify_wq(struct ibv_wq *ibwq, struct ibv_wq_attr *attr)
{
	struct ibv_modify_wq cmd;
	int err;

	err = ibv_cmd_modify_wq(ibwq, attr, &cmd, sizeof(cmd));
	if (err)
		return err;

	if (attr->attr_mask & IBV_WQ_ATTR_STATE &&
	    attr->wq_state == IBV_WQS_RESET)
		xrdma_restart_rwq(to_xrwq(ibwq));
	return 0;
}

/**
 * xrdma_destroy_wq() - ibv_destroy_wq()
 * @ibwq: work queue
 *
 * Return: 0, or an errno if the queue still exists.
 */
int xrdma_destroy_wq(struct ibv_wq *ibwq)
{
	struct xrdma_rwq *rwq = to_xrwq(ibwq);
	int err;

	err = ibv_cmd_destroy_wq(ibwq);
	if (err)
		return err;

	xrdma_remove_qp(to_xctx(ibwq->context), &rwq->qp);
	xrdma_lock_destroy(&rwq->qp.rq.lock);
	xrdma_free_buf(&rwq->qp.buf);
	free(rwq);
	return 0;
}

/* ---- indirection tables ----------------------------------------------- */

/**
 * xrdma_create_rwq_ind_table() - ibv_create_rwq_ind_table()
 * @ibctx: open device
 * @attr: work queues of the table
 *
 * Return: the table, or NULL and errno.
 */
struct ibv_rwq_ind_table *
xrdma_create_rwq_ind_table(struct ibv_context *ibctx,
			   struct ibv_rwq_ind_table_init_attr *attr)
{
	struct ib_uverbs_ex_create_rwq_ind_table_resp resp = {};
	struct ibv_rwq_ind_table *table;
	int err;

	table = calloc(1, sizeof(*table));
	if (!table)
		return NULL;

	err = ibv_cmd_create_rwq_ind_table(ibctx, attr, table, &resp,
					   sizeof(resp));
	if (err) {
		free(table);
		errno = err;
		return NULL;
	}
	return table;
}

/**
 * xrdma_destroy_rwq_ind_table() - ibv_destroy_rwq_ind_table()
 * @table: indirection table
 *
 * Return: 0, or an errno if the table still exists.
 */
int xrdma_destroy_rwq_ind_table(struct ibv_rwq_ind_table *table)
{
	int err;

	err = ibv_cmd_destroy_rwq_ind_table(table);
	if (err)
		return err;

	free(table);
	return 0;
}

/* ---- queue pairs with an indirection table ------------------------------ */

static_assert(XRDMA_RSS_TOEPLITZ == IBV_RX_HASH_FUNC_TOEPLITZ, "hash");

/**
 * xrdma_cmd_create_rss() - create a queue pair with an indirection table
 * @ibctx: open device
 * @qp: gets its number; it has no rings
 * @attr: attributes, with a table and the hash that selects its entry
 *
 * Return: 0 or an errno.
 */
int xrdma_cmd_create_rss(struct ibv_context *ibctx, struct xrdma_qp *qp,
			 struct ibv_qp_init_attr_ex *attr)
{
	const struct ibv_rx_hash_conf *hash = &attr->rx_hash_conf;
	struct xrdma_cmd_create_rss_resp resp = {};
	struct xrdma_cmd_create_rss cmd = {};
	int err;

	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_RX_HASH) ||
	    attr->cap.max_send_wr || attr->qp_type != IBV_QPT_RAW_PACKET)
		return EINVAL;
	if (hash->rx_hash_function != IBV_RX_HASH_FUNC_TOEPLITZ)
		return EOPNOTSUPP;
	if (hash->rx_hash_key_len != sizeof(cmd.key))
		return EINVAL;

	cmd.fields = hash->rx_hash_fields_mask;
	cmd.function = hash->rx_hash_function;
	cmd.key_len = hash->rx_hash_key_len;
	memcpy(cmd.key, hash->rx_hash_key, sizeof(cmd.key));
	err = xrdma_ibv_create_qp(ibctx, &qp->verbs_qp, attr, &cmd.ibv_cmd,
				  sizeof(cmd), &resp.ibv_resp, sizeof(resp));
	if (err)
		return err;

	qp->qpn = resp.drv_payload.qpn;
	return 0;
}

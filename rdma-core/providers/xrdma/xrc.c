// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: extended reliable connections (XRC): opens and closes XRC
 * domains, and opens target queue pairs that any process has created. Their
 * creation and destruction are in qp.c, their receives are those of srq.c.
 */

#include <errno.h>
#include <stdlib.h>

#include "xrdma.h"

/**
 * xrdma_open_xrcd() - ibv_open_xrcd()
 * @ibctx: open device
 * @attr: file whose inode identifies the domain
 *
 * Return: the domain, or NULL and errno.
 */
struct ibv_xrcd *xrdma_open_xrcd(struct ibv_context *ibctx,
				 struct ibv_xrcd_init_attr *attr)
{
	struct ib_uverbs_open_xrcd_resp resp;
	struct ibv_open_xrcd cmd = {};
	struct verbs_xrcd *xrcd;
	int err;

	xrcd = calloc(1, sizeof(*xrcd));
	if (!xrcd)
		return NULL;

	err = ibv_cmd_open_xrcd(ibctx, xrcd, sizeof(*xrcd), attr, &cmd,
				sizeof(cmd), &resp, sizeof(resp));
	if (err) {
		free(xrcd);
		errno = err;
		return NULL;
	}
	return &xrcd->xrcd;
}

/**
 * xrdma_close_xrcd() - ibv_close_xrcd()
 * @ibxrcd: domain
 *
 * Return: 0, or an errno if the domain still exists.
 */
int xrdma_close_xrcd(struct ibv_xrcd *ibxrcd)
{
	struct verbs_xrcd *xrcd = container_of(ibxrcd, struct verbs_xrcd, xrcd);
	int err;

	err = ibv_cmd_close_xrcd(xrcd);
	if (err)
		return err;

	free(xrcd);
	return 0;
}

/**
 * xrdma_open_qp() - ibv_open_qp()
 * @ibctx: open device
 * @attr: number of an XRC target queue pair
 *
 * The queue pair is not entered in the table of qp_table.c: completions of its
 * receives have XRDMA_CQE_SRQ and are not looked up, and a process may open or
 * create several struct xrdma_qp with the same number.
 *
 * Return: the queue pair, or NULL and errno.
 */
struct ibv_qp *xrdma_open_qp(struct ibv_context *ibctx,
			     struct ibv_qp_open_attr *attr)
{
	struct ib_uverbs_create_qp_resp resp;
	struct ibv_open_qp cmd = {};
	struct xrdma_qp *qp;
	int err;

	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return NULL;

	err = ibv_cmd_open_qp(ibctx, &qp->verbs_qp, sizeof(qp->verbs_qp), attr,
			      &cmd, sizeof(cmd), &resp, sizeof(resp));
	if (err) {
		free(qp);
		errno = err;
		return NULL;
	}
	qp->qpn = attr->qp_num;
	xrdma_lock_init(&qp->sq.lock, to_xctx(ibctx), NULL);
	xrdma_lock_init(&qp->rq.lock, to_xctx(ibctx), NULL);
	return &qp->verbs_qp.qp;
}

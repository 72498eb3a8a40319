// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Opens two connected RC queue pairs, posts to them and waits; see endpoint.h.
 */

#include <string.h>
#include <unistd.h>
#include "endpoint.h"
#include "marker.h"

#define PORT	1
#define ACCESS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
		 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_MW_BIND)

static struct ibv_qp *make_qp(struct endpoint *ep, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.qp_type = IBV_QPT_RC,
		.cap = {
			.max_send_wr = ENDPOINT_DEPTH,
			.max_recv_wr = ENDPOINT_DEPTH,
			.max_send_sge = 1,
			.max_recv_sge = 1,
			.max_inline_data = ENDPOINT_INLINE,
		},
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = PORT,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ,
	};
	struct ibv_qp *qp = ibv_create_qp(ep->pd, &init);

	must(qp);
	must(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
			    IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
	return qp;
}

static void connect_qp(struct endpoint *ep, struct ibv_qp *qp, uint32_t peer,
		       int gid_index)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.dest_qp_num = peer,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = {
			.is_global = 1,
			.port_num = PORT,
			.grh = { .sgid_index = gid_index, .hop_limit = 1 },
		},
	};
	struct ibv_port_attr port;

	must(!ibv_query_port(ep->ctx, PORT, &port));
	attr.path_mtu = port.active_mtu;
	must(!ibv_query_gid(ep->ctx, PORT, gid_index, &attr.ah_attr.grh.dgid));
	must(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV |
			    IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			    IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
	memset(&attr, 0, sizeof(attr));
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = 14;
	attr.retry_cnt = 7;
	attr.rnr_retry = 7;
	attr.max_rd_atomic = 1;
	must(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT |
			    IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			    IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC));
}

void endpoint_open(struct endpoint *ep, const char *name, int gid_index)
{
	int i;

	ep->name = name;
	ep->ctx = bench_open(name);
	ep->pd = ibv_alloc_pd(ep->ctx);
	must(ep->pd);
	ep->mem = bench_memory(ENDPOINT_MEMORY, PAGES_4K);
	ep->mr = ibv_reg_mr(ep->pd, ep->mem, ENDPOINT_MEMORY, ACCESS);
	must(ep->mr);
	for (i = 0; i < 2; i++) {
		ep->cq[i] = ibv_create_cq(ep->ctx, 2 * ENDPOINT_DEPTH, NULL,
					  NULL, 0);
		must(ep->cq[i]);
		ep->qp[i] = make_qp(ep, ep->cq[i]);
	}
	for (i = 0; i < 2; i++)
		connect_qp(ep, ep->qp[i], ep->qp[!i]->qp_num, gid_index);
}

/* Posts a list to the first queue pair, as an interval of @figure. */
void endpoint_post(struct endpoint *ep, struct ibv_send_wr *wr,
		   const char *figure)
{
	struct ibv_send_wr *bad;
	int err;

	interval_begin();
	err = ibv_post_send(ep->qp[0], wr, &bad);
	interval_end();
	must(!err);
	bench_interval(figure, ep->name);
}

/*
 * Waits for a completion of the first queue pair. Exits unless it is a success.
 */
void endpoint_wait(struct endpoint *ep, const char *what)
{
	struct ibv_wc wc;
	int num;

	for (;;) {
		num = ibv_poll_cq(ep->cq[0], 1, &wc);
		must(num >= 0);
		if (num)
			break;
		usleep(200);
	}
	if (wc.status != IBV_WC_SUCCESS)
		bench_die(what, wc.vendor_err, ibv_wc_status_str(wc.status));
}

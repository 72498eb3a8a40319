// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands of libibverbs that pass no rings to the driver. They keep the
 * provider's requests for the tests, and count objects. Commands with rings are
 * in fake_device.c.
 */

#include <string.h>

#include <infiniband/driver.h>

#include "../xrdma-abi.h"
#include "fake_device.h"
#include "fake_objects.h"

struct xrdma_av fake_av;
struct xrdma_ureq_create_rss fake_last_rss;
struct ibv_qp_init_attr_ex fake_last_attr;
unsigned int fake_objects;

/* Create an object, or fail as the test wants. Return: 0 or an errno. */
static int fake_create(void)
{
	if (!fake_create_error)
		fake_objects++;
	return fake_create_error;
}

static int fake_destroy(void)
{
	CHECK(fake_objects);
	fake_objects--;
	return 0;
}

int ibv_cmd_alloc_pd(struct ibv_context *context, struct ibv_pd *pd,
		     struct ibv_alloc_pd *cmd, size_t cmd_size,
		     struct ib_uverbs_alloc_pd_resp *resp, size_t resp_size)
{
	pd->context = context;
	pd->handle = 77;
	return fake_create();
}

int ibv_cmd_dealloc_pd(struct ibv_pd *pd)
{
	return fake_destroy();
}

int ibv_cmd_create_ah(struct ibv_pd *pd, struct ibv_ah *ah,
		      struct ibv_ah_attr *attr,
		      struct ib_uverbs_create_ah_resp *resp, size_t resp_size)
{
	struct xrdma_cmd_create_ah_resp *reply = (void *)resp;

	CHECK(resp_size == sizeof(*reply));
	reply->drv_payload.av = fake_av;
	return fake_create();
}

int ibv_cmd_destroy_ah(struct ibv_ah *ah)
{
	return fake_destroy();
}

int ibv_cmd_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
		      struct ibv_query_srq *cmd, size_t cmd_size)
{
	*attr = (struct ibv_srq_attr) { .srq_limit = 3 };
	return 0;
}

int ibv_cmd_destroy_srq(struct ibv_srq *srq)
{
	return 0;
}

int ibv_cmd_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr,
		      struct ibv_modify_cq *cmd, size_t cmd_size)
{
	return 0;
}

int ibv_cmd_open_xrcd(struct ibv_context *context, struct verbs_xrcd *xrcd,
		      int vxrcd_size, struct ibv_xrcd_init_attr *attr,
		      struct ibv_open_xrcd *cmd, size_t cmd_size,
		      struct ib_uverbs_open_xrcd_resp *resp, size_t resp_size)
{
	return fake_create();
}

int ibv_cmd_close_xrcd(struct verbs_xrcd *xrcd)
{
	return fake_destroy();
}

int ibv_cmd_open_qp(struct ibv_context *context, struct verbs_qp *qp,
		    int vqp_sz, struct ibv_qp_open_attr *attr,
		    struct ibv_open_qp *cmd, size_t cmd_size,
		    struct ib_uverbs_create_qp_resp *resp, size_t resp_size)
{
	qp->qp.context = context;
	qp->qp.qp_num = attr->qp_num;
	qp->qp.state = IBV_QPS_UNKNOWN;
	return fake_create_error;
}

/*
 * ibv_cmd_create_qp_ex2() for the linker. It has another name in C, because its
 * prototype differs between versions of rdma-core: newer ones have one
 * parameter more, for which the provider passes NULL.
 */
int fake_create_qp_ex2(struct ibv_context *context, struct verbs_qp *qp,
		       struct ibv_qp_init_attr_ex *attr,
		       struct ibv_create_qp_ex *cmd, size_t cmd_size,
		       struct ib_uverbs_ex_create_qp_resp *resp,
		       size_t resp_size) __asm__("ibv_cmd_create_qp_ex2");

int fake_create_qp_ex2(struct ibv_context *context, struct verbs_qp *qp,
		       struct ibv_qp_init_attr_ex *attr,
		       struct ibv_create_qp_ex *cmd, size_t cmd_size,
		       struct ib_uverbs_ex_create_qp_resp *resp,
		       size_t resp_size)
{
	struct xrdma_cmd_create_rss_resp *reply = (void *)resp;
	struct xrdma_cmd_create_rss *req = (void *)cmd;

	if (fake_create_error)
		return fake_create_error;
	fake_last_attr = *attr;
	fake_last_rss = req->drv_payload;
	reply->drv_payload.qpn = fake_next_qpn;
	qp->qp.context = context;
	return 0;
}

int ibv_cmd_modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *attr,
		      struct ibv_modify_wq *cmd, size_t cmd_size)
{
	if (attr->attr_mask & IBV_WQ_ATTR_STATE)
		wq->state = attr->wq_state;
	return 0;
}

int ibv_cmd_destroy_wq(struct ibv_wq *wq)
{
	if (fake_during_command)
		fake_during_command();
	return 0;
}

int ibv_cmd_create_rwq_ind_table(struct ibv_context *context,
				 struct ibv_rwq_ind_table_init_attr *attr,
				 struct ibv_rwq_ind_table *table,
				 struct ib_uverbs_ex_create_rwq_ind_table_resp *resp,
				 size_t resp_size)
{
	table->context = context;
	return fake_create();
}

int ibv_cmd_destroy_rwq_ind_table(struct ibv_rwq_ind_table *table)
{
	return fake_destroy();
}

int ibv_cmd_create_flow(struct ibv_qp *qp, struct ibv_flow *flow,
			struct ibv_flow_attr *attr, void *ucmd,
			size_t ucmd_size)
{
	CHECK(!ucmd && !ucmd_size);
	return fake_create();
}

int ibv_cmd_destroy_flow(struct ibv_flow *flow)
{
	return fake_destroy();
}

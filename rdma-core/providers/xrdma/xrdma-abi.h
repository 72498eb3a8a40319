/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA provider: the commands of uverbs together with what the driver adds
 * to them. Must not know: objects of the provider.
 */

#ifndef XRDMA_PROVIDER_ABI_H
#define XRDMA_PROVIDER_ABI_H

#include <infiniband/kern-abi.h>
#include <kernel-abi/xrdma-abi.h>
#include <rdma/xrdma-abi.h>

DECLARE_DRV_CMD(xrdma_cmd_alloc_context, IB_USER_VERBS_CMD_GET_CONTEXT, empty,
		xrdma_uresp_alloc_ucontext);
DECLARE_DRV_CMD(xrdma_cmd_alloc_pd, IB_USER_VERBS_CMD_ALLOC_PD, empty,
		xrdma_uresp_alloc_pd);
DECLARE_DRV_CMD(xrdma_cmd_create_cq, IB_USER_VERBS_CMD_CREATE_CQ,
		xrdma_ureq_create_cq, xrdma_uresp_create_cq);
DECLARE_DRV_CMD(xrdma_cmd_create_qp, IB_USER_VERBS_CMD_CREATE_QP,
		xrdma_ureq_create_qp, xrdma_uresp_create_qp);

#endif /* XRDMA_PROVIDER_ABI_H */

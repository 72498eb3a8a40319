/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA provider: the uverbs commands whose requests or replies carry data of
 * the driver, whose layout is in <rdma/xrdma-abi.h>. The provider's objects are
 * in xrdma.h.
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

DECLARE_DRV_CMD(xrdma_cmd_create_ah, IB_USER_VERBS_CMD_CREATE_AH, empty,
		xrdma_uresp_create_ah);
DECLARE_DRV_CMD(xrdma_cmd_resize_cq, IB_USER_VERBS_CMD_RESIZE_CQ,
		xrdma_ureq_resize_cq, xrdma_uresp_resize_cq);
DECLARE_DRV_CMD(xrdma_cmd_create_srq, IB_USER_VERBS_CMD_CREATE_XSRQ,
		xrdma_ureq_create_srq, xrdma_uresp_create_srq);
DECLARE_DRV_CMD(xrdma_cmd_modify_srq, IB_USER_VERBS_CMD_MODIFY_SRQ,
		xrdma_ureq_create_srq, empty);
DECLARE_DRV_CMD(xrdma_cmd_create_wq, IB_USER_VERBS_EX_CMD_CREATE_WQ,
		xrdma_ureq_create_wq, xrdma_uresp_create_wq);
DECLARE_DRV_CMD(xrdma_cmd_create_rss, IB_USER_VERBS_EX_CMD_CREATE_QP,
		xrdma_ureq_create_rss, xrdma_uresp_create_qp);

#endif /* XRDMA_PROVIDER_ABI_H */

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA table of verbs: the operations of struct ib_device that every device has.
 * xrdma_life.c passes the table to ib_core, and adds the tables of optional
 * operations: xrdma_counter_ops (xrdma_counter.c), xrdma_flow_ops
 * (xrdma_flow.c) and xrdma_export_ops (xrdma_ctx.c).
 */

#include <linux/module.h>
#include "xrdma_ah.h"
#include "xrdma_cq.h"
#include "xrdma_ctx.h"
#include "xrdma_dm.h"
#include "xrdma_dmabuf.h"
#include "xrdma_frmr.h"
#include "xrdma_function.h"
#include "xrdma_mr.h"
#include "xrdma_mw.h"
#include "xrdma_pd.h"
#include "xrdma_poll.h"
#include "xrdma_post.h"
#include "xrdma_qp.h"
#include "xrdma_query.h"
#include "xrdma_restrack.h"
#include "xrdma_srq.h"
#include "xrdma_stats.h"

const struct ib_device_ops xrdma_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_XRDMA,
	.uverbs_abi_ver = XRDMA_ABI_VERSION,
	.uverbs_robust_udata = 1,

	.add_gid = xrdma_add_gid,
	.attach_mcast = xrdma_attach_mcast,
	.alloc_dm = xrdma_alloc_dm,
	.alloc_hw_port_stats = xrdma_alloc_hw_port_stats,
	.alloc_mr = xrdma_alloc_mr,
	.alloc_mw = xrdma_alloc_mw,
	.alloc_pd = xrdma_alloc_pd,
	.alloc_ucontext = xrdma_alloc_ucontext,
	.alloc_xrcd = xrdma_alloc_xrcd,
	.create_ah = xrdma_create_ah,
	.create_cq = xrdma_create_cq,
	.create_qp = xrdma_create_qp,
	.create_srq = xrdma_create_srq,
	.create_user_ah = xrdma_create_ah,
	.dealloc_mw = xrdma_dealloc_mw,
	.dealloc_dm = xrdma_dealloc_dm,
	.dealloc_pd = xrdma_dealloc_pd,
	.dealloc_ucontext = xrdma_dealloc_ucontext,
	.dealloc_xrcd = xrdma_dealloc_xrcd,
	.del_gid = xrdma_del_gid,
	.dereg_mr = xrdma_dereg_mr,
	.destroy_ah = xrdma_destroy_ah,
	.destroy_cq = xrdma_destroy_cq,
	.destroy_qp = xrdma_destroy_qp,
	.destroy_srq = xrdma_destroy_srq,
	.detach_mcast = xrdma_detach_mcast,
	.disassociate_ucontext = xrdma_disassociate_ucontext,
	.fill_res_cq_entry = xrdma_fill_res_cq_entry,
	.fill_res_mr_entry = xrdma_fill_res_mr_entry,
	.fill_res_mr_entry_raw = xrdma_fill_res_mr_entry_raw,
	.fill_res_qp_entry = xrdma_fill_res_qp_entry,
	.fill_res_srq_entry = xrdma_fill_res_srq_entry,
	.get_dev_fw_str = xrdma_get_dev_fw_str,
	.get_dma_mr = xrdma_get_dma_mr,
	.get_hw_stats = xrdma_get_hw_stats,
	.get_link_layer = xrdma_get_link_layer,
	.get_port_immutable = xrdma_get_port_immutable,
	.map_mr_sg = xrdma_map_mr_sg,
	.mmap = xrdma_mmap,
	.mmap_free = xrdma_mmap_free,
	.modify_cq = xrdma_modify_cq,
	.modify_device = xrdma_modify_device,
	.modify_qp = xrdma_modify_qp,
	.modify_srq = xrdma_modify_srq,
	.poll_cq = xrdma_poll_cq,
	.post_destroy_cq = xrdma_post_destroy_cq,
	.post_recv = xrdma_post_recv,
	.post_send = xrdma_post_send,
	.post_srq_recv = xrdma_post_srq_recv,
	.pre_destroy_cq = xrdma_pre_destroy_cq,
	.query_ah = xrdma_query_ah,
	.query_device = xrdma_query_device,
	.query_pkey = xrdma_query_pkey,
	.query_port = xrdma_query_port,
	.query_qp = xrdma_query_qp,
	.query_srq = xrdma_query_srq,
	.query_ucontext = xrdma_query_ucontext,
	.reg_dm_mr = xrdma_reg_dm_mr,
	.reg_user_mr = xrdma_reg_user_mr,
	.reg_user_mr_dmabuf = xrdma_reg_user_mr_dmabuf,
	.req_notify_cq = xrdma_req_notify_cq,
	.rereg_user_mr = xrdma_rereg_user_mr,
	.resize_user_cq = xrdma_resize_user_cq,
	.ufile_hw_cleanup = xrdma_ufile_hw_cleanup,

	INIT_RDMA_OBJ_SIZE(ib_ah, xrdma_ah, ibah),
	INIT_RDMA_OBJ_SIZE(ib_cq, xrdma_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_mw, xrdma_mw, ibmw),
	INIT_RDMA_OBJ_SIZE(ib_pd, xrdma_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_qp, xrdma_qp, ibqp),
	INIT_RDMA_OBJ_SIZE(ib_srq, xrdma_srq, ibsrq),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, xrdma_ucontext, ibuc),
	INIT_RDMA_OBJ_SIZE(ib_xrcd, xrdma_xrcd, ibxrcd),
};

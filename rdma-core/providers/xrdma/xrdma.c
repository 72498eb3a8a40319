// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: registers with libibverbs, opens and imports devices, and
 * answers queries of the device and the port. Each other verb is in the file
 * that xrdma.h names above its prototype.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <infiniband/cmd_ioctl.h>
#include <rdma/ib_user_ioctl_cmds.h>

#include "compat.h"
#include "xrdma-abi.h"
#include "xrdma.h"

static int xrdma_query_device_ex(struct ibv_context *ibctx,
				 const struct ibv_query_device_ex_input *input,
				 struct ibv_device_attr_ex *attr,
				 size_t attr_size)
{
	struct ib_uverbs_ex_query_device_resp resp;
	size_t resp_size = sizeof(resp);
	uint64_t fw_ver;
	int err;

	err = ibv_cmd_query_device_any(ibctx, input, attr, attr_size, &resp,
				       &resp_size);
	if (err)
		return err;

	fw_ver = resp.base.fw_ver;
	snprintf(attr->orig_attr.fw_ver, sizeof(attr->orig_attr.fw_ver),
		 "%u.%u.%u", (unsigned int)(fw_ver >> 32) & 0xffff,
		 (unsigned int)(fw_ver >> 16) & 0xffff,
		 (unsigned int)fw_ver & 0xffff);
	return 0;
}

static int xrdma_query_port(struct ibv_context *ibctx, uint8_t port,
			    struct ibv_port_attr *attr)
{
	struct ibv_query_port cmd;

	return ibv_cmd_query_port(ibctx, port, attr, &cmd, sizeof(cmd));
}

/*
 * The device clock in ns, by which completions have their time stamps. tv_sec is 0,
 * as in other providers: tv_nsec is the whole clock, or its low half where a long
 * has 32 bits.
 */
static int xrdma_query_rt_values(struct ibv_context *ibctx,
				 struct ibv_values_ex *values)
{
	DECLARE_COMMAND_BUFFER(cmdb, UVERBS_OBJECT_DEVICE,
			       XRDMA_IB_METHOD_QUERY_CLOCK, 1);
	uint64_t clock;
	int err;

	if (values->comp_mask & ~(uint32_t)IBV_VALUES_MASK_RAW_CLOCK)
		return EINVAL;
	if (!values->comp_mask)
		return 0;

	fill_attr_out(cmdb, XRDMA_IB_ATTR_QUERY_CLOCK_RESP, &clock,
		      sizeof(clock));
	err = execute_ioctl(ibctx, cmdb);
	if (err)
		return err;

	values->raw_clock.tv_sec = 0;
	values->raw_clock.tv_nsec = clock;
	return 0;
}

static void xrdma_free_context(struct ibv_context *ibctx)
{
	struct xrdma_context *ctx = to_xctx(ibctx);

	if (ctx->push)
		munmap(ctx->push, ctx->db_size);
	munmap(ctx->db, ctx->db_size);
	pthread_mutex_destroy(&ctx->qp_mutex);
	verbs_uninit_context(&ctx->ibv_ctx);
	free(ctx);
}

static const struct verbs_context_ops xrdma_context_ops = {
	.advise_mr = xrdma_advise_mr,
	.alloc_dm = xrdma_alloc_dm,
	.alloc_mw = xrdma_alloc_mw,
	.alloc_null_mr = xrdma_alloc_null_mr,
	.alloc_parent_domain = xrdma_alloc_parent_domain,
	.alloc_pd = xrdma_alloc_pd,
	.alloc_td = xrdma_alloc_td,
	.attach_mcast = ibv_cmd_attach_mcast,
	.bind_mw = xrdma_bind_mw,
	.close_xrcd = xrdma_close_xrcd,
	.cq_event = xrdma_cq_event,
	.create_ah = xrdma_create_ah,
	.create_cq = xrdma_create_cq,
	.create_cq_ex = xrdma_create_cq_ex,
	.create_flow = xrdma_create_flow,
	.create_qp = xrdma_create_qp,
	.create_qp_ex = xrdma_create_qp_ex,
	.create_rwq_ind_table = xrdma_create_rwq_ind_table,
	.create_srq = xrdma_create_srq,
	.create_srq_ex = xrdma_create_srq_ex,
	.create_wq = xrdma_create_wq,
	.dealloc_mw = xrdma_dealloc_mw,
	.dealloc_pd = xrdma_dealloc_pd,
	.dealloc_td = xrdma_dealloc_td,
	.dereg_mr = xrdma_dereg_mr,
	.destroy_ah = xrdma_destroy_ah,
	.destroy_cq = xrdma_destroy_cq,
	.destroy_flow = xrdma_destroy_flow,
	.destroy_qp = xrdma_destroy_qp,
	.destroy_rwq_ind_table = xrdma_destroy_rwq_ind_table,
	.destroy_srq = xrdma_destroy_srq,
	.destroy_wq = xrdma_destroy_wq,
	.detach_mcast = ibv_cmd_detach_mcast,
	.free_context = xrdma_free_context,
	.free_dm = xrdma_free_dm,
	.get_srq_num = xrdma_get_srq_num,
	.import_dm = xrdma_import_dm,
	.import_mr = xrdma_import_mr,
	.import_pd = xrdma_import_pd,
	.modify_cq = xrdma_modify_cq,
	.modify_qp = xrdma_modify_qp,
	.modify_srq = xrdma_modify_srq,
	.modify_wq = xrdma_modify_wq,
	.open_qp = xrdma_open_qp,
	.open_xrcd = xrdma_open_xrcd,
	.poll_cq = xrdma_poll_cq,
	.post_recv = xrdma_post_recv,
	.post_send = xrdma_post_send,
	.post_srq_recv = xrdma_post_srq_recv,
	.query_device_ex = xrdma_query_device_ex,
	.query_port = xrdma_query_port,
	.query_qp = xrdma_query_qp,
	.query_rt_values = xrdma_query_rt_values,
	.query_srq = xrdma_query_srq,
	.reg_dm_mr = xrdma_reg_dm_mr,
	.reg_dmabuf_mr = xrdma_reg_dmabuf_mr,
	.reg_mr = xrdma_reg_mr,
	.req_notify_cq = xrdma_req_notify_cq,
	.rereg_mr = xrdma_rereg_mr,
	.resize_cq = xrdma_resize_cq,
	.unimport_dm = xrdma_unimport_dm,
	.unimport_mr = xrdma_unimport_mr,
	.unimport_pd = xrdma_unimport_pd,
};

/* Keep the limits that the driver reports, and map the doorbell page. */
static int xrdma_setup_context(struct xrdma_context *ctx, int cmd_fd,
			       const struct xrdma_uresp_alloc_ucontext *resp)
{
	ctx->shadow_db = resp->caps & XRDMA_UCAP_SHADOW_DB;
	ctx->null_key = resp->caps & XRDMA_UCAP_NULL_KEY;
	ctx->max_qp_wr = resp->max_qp_wr;
	ctx->max_cqe = resp->max_cqe;
	ctx->max_sge = resp->max_sge;
	ctx->max_inline = resp->max_inline;
	ctx->db_size = resp->db_mmap_size;
	ctx->db = mmap(NULL, ctx->db_size, PROT_WRITE, MAP_SHARED, cmd_fd,
		       resp->db_mmap_key);
	return ctx->db == MAP_FAILED ? errno : 0;
}

/*
 * Push is slower than shadow doorbells, which cost no write to the device, so it is
 * used with them only if the user asks for it.
 */
static bool xrdma_wants_push(const struct xrdma_context *ctx)
{
	return getenv("XRDMA_PUSH") ? check_env("XRDMA_PUSH") :
				      !ctx->shadow_db;
}

/* Map the push page, if the context has one. Without it nothing is pushed. */
static void xrdma_map_push(struct xrdma_context *ctx, int cmd_fd,
			   const struct xrdma_uresp_alloc_ucontext *resp)
{
	void *page;

	if (!(resp->caps & XRDMA_UCAP_PUSH) || !xrdma_wants_push(ctx))
		return;
	page = mmap(NULL, ctx->db_size, PROT_WRITE, MAP_SHARED, cmd_fd,
		    resp->push_mmap_key);
	if (page != MAP_FAILED)
		ctx->push = page;
}

/* Create a context in the driver. */
static int xrdma_get_context(struct xrdma_context *ctx, int cmd_fd)
{
	struct xrdma_cmd_alloc_context_resp resp = {};
	struct ibv_get_context cmd = {};
	int err;

	err = xrdma_ibv_get_context(&ctx->ibv_ctx, &cmd, sizeof(cmd),
				    &resp.ibv_resp, sizeof(resp));
	if (err)
		return err;
	err = xrdma_setup_context(ctx, cmd_fd, &resp.drv_payload);
	if (!err)
		xrdma_map_push(ctx, cmd_fd, &resp.drv_payload);
	return err;
}

/* Set up an imported context, which exists in the driver already. */
static int xrdma_query_context(struct xrdma_context *ctx, int cmd_fd)
{
	DECLARE_COMMAND_BUFFER(cmdb, UVERBS_OBJECT_DEVICE,
			       UVERBS_METHOD_QUERY_CONTEXT, 1);
	struct xrdma_uresp_alloc_ucontext resp = {};
	int err;

	fill_attr_out(cmdb, XRDMA_IB_ATTR_QUERY_CONTEXT_RESP, &resp,
		      sizeof(resp));
	err = ibv_cmd_query_context(&ctx->ibv_ctx.context, cmdb);
	if (err)
		return err;
	return xrdma_setup_context(ctx, cmd_fd, &resp);
}

static struct verbs_context *
xrdma_open(struct ibv_device *ibdev, int cmd_fd,
	   int (*setup)(struct xrdma_context *ctx, int cmd_fd))
{
	struct xrdma_context *ctx;
	int err;

	ctx = verbs_init_and_alloc_context(ibdev, cmd_fd, ctx, ibv_ctx,
					   RDMA_DRIVER_XRDMA);
	if (!ctx)
		return NULL;

	err = setup(ctx, cmd_fd);
	if (err) {
		verbs_uninit_context(&ctx->ibv_ctx);
		free(ctx);
		errno = err;
		return NULL;
	}
	ctx->single_threaded = check_env("XRDMA_SINGLE_THREADED");
	pthread_mutex_init(&ctx->qp_mutex, NULL);
	verbs_set_ops(&ctx->ibv_ctx, &xrdma_context_ops);
	return &ctx->ibv_ctx;
}

static struct verbs_context *xrdma_alloc_context(struct ibv_device *ibdev,
						 int cmd_fd, void *private_data)
{
	return xrdma_open(ibdev, cmd_fd, xrdma_get_context);
}

/*
 * An imported context is the same context in the driver as that of the process
 * which opened the device; both map the same doorbell page. Only the process that
 * opened the device pushes, since the two do not agree on slots.
 */
static struct verbs_context *xrdma_import_context(struct ibv_device *ibdev,
						  int cmd_fd)
{
	return xrdma_open(ibdev, cmd_fd, xrdma_query_context);
}

static struct verbs_device *
xrdma_alloc_device(struct verbs_sysfs_dev *sysfs_dev)
{
	return calloc(1, sizeof(struct verbs_device));
}

static void xrdma_uninit_device(struct verbs_device *vdev)
{
	free(vdev);
}

static const struct verbs_match_ent xrdma_match_table[] = {
	VERBS_DRIVER_ID(RDMA_DRIVER_XRDMA),
	{},
};

static const struct verbs_device_ops xrdma_dev_ops = {
	.name = "xrdma",
	.match_min_abi_version = XRDMA_ABI_VERSION,
	.match_max_abi_version = XRDMA_ABI_VERSION,
	.match_table = xrdma_match_table,
	.alloc_device = xrdma_alloc_device,
	.uninit_device = xrdma_uninit_device,
	.alloc_context = xrdma_alloc_context,
	.import_context = xrdma_import_context,
};
PROVIDER_DRIVER(xrdma, xrdma_dev_ops);

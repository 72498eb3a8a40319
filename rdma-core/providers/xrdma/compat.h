/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA provider: what differs between versions of rdma-core: commands of
 * libibverbs that have one parameter more in newer versions, and the driver's
 * number. The compiler compares the type of each command with the newer
 * prototype, and removes the call that does not fit.
 */

#ifndef XRDMA_PROVIDER_COMPAT_H
#define XRDMA_PROVIDER_COMPAT_H

#include <assert.h>
#include <stddef.h>

#include <infiniband/driver.h>

/* The number of the driver, which rdma-core does not know yet. */
#define RDMA_DRIVER_XRDMA ((enum rdma_driver_id)0x10f0)

#define XRDMA_HAS_TYPE(command, type) \
	__builtin_types_compatible_p(__typeof__(command), type)

struct ibv_fd_arr;

typedef int xrdma_get_context_old(struct verbs_context *ctx,
				  struct ibv_get_context *cmd, size_t cmd_size,
				  struct ib_uverbs_get_context_resp *resp,
				  size_t resp_size);
typedef int xrdma_get_context_new(struct verbs_context *ctx,
				  struct ibv_get_context *cmd, size_t cmd_size,
				  struct ibv_fd_arr *fds,
				  struct ib_uverbs_get_context_resp *resp,
				  size_t resp_size);

static inline int
xrdma_ibv_get_context(struct verbs_context *ctx, struct ibv_get_context *cmd,
		      size_t cmd_size, struct ib_uverbs_get_context_resp *resp,
		      size_t resp_size)
{
	xrdma_get_context_old *call_old = (void *)ibv_cmd_get_context;
	xrdma_get_context_new *call_new = (void *)ibv_cmd_get_context;

	static_assert(XRDMA_HAS_TYPE(ibv_cmd_get_context, xrdma_get_context_old) ||
		      XRDMA_HAS_TYPE(ibv_cmd_get_context, xrdma_get_context_new),
		      "ibv_cmd_get_context() has an unknown prototype");
	if (XRDMA_HAS_TYPE(ibv_cmd_get_context, xrdma_get_context_new))
		return call_new(ctx, cmd, cmd_size, NULL, resp, resp_size);
	return call_old(ctx, cmd, cmd_size, resp, resp_size);
}

typedef int xrdma_create_qp_old(struct ibv_context *ctx, struct verbs_qp *qp,
				struct ibv_qp_init_attr_ex *attr,
				struct ibv_create_qp_ex *cmd, size_t cmd_size,
				struct ib_uverbs_ex_create_qp_resp *resp,
				size_t resp_size);
typedef int xrdma_create_qp_new(struct ibv_context *ctx, struct verbs_qp *qp,
				struct ibv_qp_init_attr_ex *attr,
				struct ibv_create_qp_ex *cmd, size_t cmd_size,
				struct ib_uverbs_ex_create_qp_resp *resp,
				size_t resp_size,
				struct ibv_command_buffer *driver);

static inline int
xrdma_ibv_create_qp(struct ibv_context *ctx, struct verbs_qp *qp,
		    struct ibv_qp_init_attr_ex *attr,
		    struct ibv_create_qp_ex *cmd, size_t cmd_size,
		    struct ib_uverbs_ex_create_qp_resp *resp, size_t resp_size)
{
	xrdma_create_qp_old *call_old = (void *)ibv_cmd_create_qp_ex2;
	xrdma_create_qp_new *call_new = (void *)ibv_cmd_create_qp_ex2;

	static_assert(XRDMA_HAS_TYPE(ibv_cmd_create_qp_ex2, xrdma_create_qp_old) ||
		      XRDMA_HAS_TYPE(ibv_cmd_create_qp_ex2, xrdma_create_qp_new),
		      "ibv_cmd_create_qp_ex2() has an unknown prototype");
	if (XRDMA_HAS_TYPE(ibv_cmd_create_qp_ex2, xrdma_create_qp_new))
		return call_new(ctx, qp, attr, cmd, cmd_size, resp, resp_size,
				NULL);
	return call_old(ctx, qp, attr, cmd, cmd_size, resp, resp_size);
}

typedef int xrdma_reg_dmabuf_old(struct ibv_pd *pd, uint64_t offset,
				 size_t length, uint64_t iova, int fd,
				 int access, struct verbs_mr *vmr);
typedef int xrdma_reg_dmabuf_new(struct ibv_pd *pd, uint64_t offset,
				 size_t length, uint64_t iova, int fd,
				 int access, struct verbs_mr *vmr,
				 struct ibv_command_buffer *driver);

static inline int xrdma_ibv_reg_dmabuf(struct ibv_pd *pd, uint64_t offset,
				       size_t length, uint64_t iova, int fd,
				       int access, struct verbs_mr *vmr)
{
	xrdma_reg_dmabuf_old *call_old = (void *)ibv_cmd_reg_dmabuf_mr;
	xrdma_reg_dmabuf_new *call_new = (void *)ibv_cmd_reg_dmabuf_mr;

	static_assert(XRDMA_HAS_TYPE(ibv_cmd_reg_dmabuf_mr, xrdma_reg_dmabuf_old) ||
		      XRDMA_HAS_TYPE(ibv_cmd_reg_dmabuf_mr, xrdma_reg_dmabuf_new),
		      "ibv_cmd_reg_dmabuf_mr() has an unknown prototype");
	if (XRDMA_HAS_TYPE(ibv_cmd_reg_dmabuf_mr, xrdma_reg_dmabuf_new))
		return call_new(pd, offset, length, iova, fd, access, vmr, NULL);
	return call_old(pd, offset, length, iova, fd, access, vmr);
}

#endif /* XRDMA_PROVIDER_COMPAT_H */

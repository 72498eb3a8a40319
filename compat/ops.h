/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA wrappers of verbs that have another prototype in an older kernel, or
 * that need additional code there.
 *
 * For a verb xrdma_NAME() a function-like macro replaces the name by
 * xrdma_native_NAME where the verb is declared, defined or called. The table of
 * operations has the name without parentheses, which the macro does not
 * replace: it is the name of the wrapper in this file.
 */

#ifndef XRDMA_COMPAT_OPS_H
#define XRDMA_COMPAT_OPS_H

struct ib_dmah;

#ifndef XRDMA_HAVE_REG_USER_MR_DMAH
#define xrdma_reg_user_mr(...) xrdma_native_reg_user_mr(__VA_ARGS__)

struct ib_mr *xrdma_reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
				u64 iova, int access, struct ib_dmah *dmah,
				struct ib_udata *udata);

static inline struct ib_mr *(xrdma_reg_user_mr)(struct ib_pd *pd, u64 start,
						u64 length, u64 iova,
						int access,
						struct ib_udata *udata)
{
	return xrdma_native_reg_user_mr(pd, start, length, iova, access, NULL,
					udata);
}
#endif

#ifndef XRDMA_HAVE_REG_USER_MR_DMABUF_DMAH
#define xrdma_reg_user_mr_dmabuf(...) \
	xrdma_native_reg_user_mr_dmabuf(__VA_ARGS__)

struct ib_mr *xrdma_reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset, u64 length,
				       u64 iova, int fd, int access,
				       struct ib_dmah *dmah,
				       struct uverbs_attr_bundle *attrs);

static inline struct ib_mr *
(xrdma_reg_user_mr_dmabuf)(struct ib_pd *pd, u64 offset, u64 length, u64 iova,
			   int fd, int access, struct uverbs_attr_bundle *attrs)
{
	return xrdma_native_reg_user_mr_dmabuf(pd, offset, length, iova, fd,
					       access, NULL, attrs);
}
#endif

#ifndef XRDMA_HAVE_RESIZE_USER_CQ
#define xrdma_resize_user_cq(...) xrdma_native_resize_user_cq(__VA_ARGS__)

int xrdma_resize_user_cq(struct ib_cq *cq, unsigned int cqe,
			 struct ib_udata *udata);

static inline int (xrdma_resize_user_cq)(struct ib_cq *cq, int cqe,
					 struct ib_udata *udata)
{
	return cqe < 0 ? -EINVAL : xrdma_native_resize_user_cq(cq, cqe, udata);
}
#endif

#ifndef XRDMA_HAVE_COUNTER_PORT
#define xrdma_counter_bind_qp(...) xrdma_native_counter_bind_qp(__VA_ARGS__)
#define xrdma_counter_unbind_qp(...) \
	xrdma_native_counter_unbind_qp(__VA_ARGS__)
#define xrdma_counter_init(...) xrdma_native_counter_init(__VA_ARGS__)
enum { xrdma_counter_init };

int xrdma_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *qp,
			  u32 port);
int xrdma_counter_unbind_qp(struct ib_qp *qp, u32 port);

static inline int (xrdma_counter_bind_qp)(struct rdma_counter *counter,
					  struct ib_qp *qp)
{
	return xrdma_native_counter_bind_qp(counter, qp, 1);
}

static inline int (xrdma_counter_unbind_qp)(struct ib_qp *qp)
{
	return xrdma_native_counter_unbind_qp(qp, 1);
}
#endif

#ifndef XRDMA_HAVE_PRE_DESTROY_CQ
#define xrdma_pre_destroy_cq(...) xrdma_native_pre_destroy_cq(__VA_ARGS__)
#define xrdma_post_destroy_cq(...) xrdma_native_post_destroy_cq(__VA_ARGS__)
enum { xrdma_pre_destroy_cq = 0, xrdma_post_destroy_cq = 0 };
#endif

#ifndef XRDMA_HAVE_MMAP_GET_PFNS
#define xrdma_mmap_get_pfns(...) xrdma_native_mmap_get_pfns(__VA_ARGS__)
#define xrdma_pgoff_to_mmap_entry(...) \
	xrdma_native_pgoff_to_mmap_entry(__VA_ARGS__)
enum { xrdma_mmap_get_pfns = 0, xrdma_pgoff_to_mmap_entry = 0 };
#endif

#ifndef XRDMA_HAVE_UFILE_HW_CLEANUP
#define xrdma_ufile_hw_cleanup(...) \
	xrdma_native_ufile_hw_cleanup(__VA_ARGS__)
enum { xrdma_ufile_hw_cleanup };

/*
 * Does ib_core destroy an object because its user context ends? Then @udata has
 * neither a request nor attributes, unlike in a call of the process. Without
 * @udata the function returns whether the current process exits.
 */
static inline bool xrdma_compat_ends(struct ib_pd *pd, struct ib_udata *udata)
{
	struct uverbs_attr_bundle *attrs;

	if (!pd->uobject)
		return false;
	if (!udata)
		return current->flags & PF_EXITING;
	attrs = rdma_udata_to_uverbs_attr_bundle(udata);
	return !attrs->ucore.inbuf &&
	       bitmap_empty(attrs->attr_present, UVERBS_API_ATTR_BKEY_LEN);
}

void xrdma_ctx_inval_all(struct ib_ucontext *ibuc);

#define xrdma_dereg_mr(...) xrdma_native_dereg_mr(__VA_ARGS__)
int xrdma_dereg_mr(struct ib_mr *mr, struct ib_udata *udata);

static inline int (xrdma_dereg_mr)(struct ib_mr *mr, struct ib_udata *udata)
{
	if (xrdma_compat_ends(mr->pd, udata))
		xrdma_ctx_inval_all(mr->pd->uobject->context);
	return xrdma_native_dereg_mr(mr, udata);
}

/* dealloc_mw has no udata: xrdma_compat_ends() looks at the current process. */
#define xrdma_dealloc_mw(...) xrdma_native_dealloc_mw(__VA_ARGS__)
int xrdma_dealloc_mw(struct ib_mw *mw);

static inline int (xrdma_dealloc_mw)(struct ib_mw *mw)
{
	if (xrdma_compat_ends(mw->pd, NULL))
		xrdma_ctx_inval_all(mw->pd->uobject->context);
	return xrdma_native_dealloc_mw(mw);
}
#endif

#endif /* XRDMA_COMPAT_OPS_H */

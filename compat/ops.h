/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA verbs whose prototype an older kernel has otherwise.
 *
 * A macro with arguments renames a verb where it is declared, defined or
 * called; its bare name, as the table of operations uses it, is then that of
 * the wrapper below.
 */

#ifndef XRDMA_COMPAT_OPS_H
#define XRDMA_COMPAT_OPS_H

#ifndef XRDMA_HAVE_REG_USER_MR_DMAH
struct ib_dmah;

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

#endif /* XRDMA_COMPAT_OPS_H */

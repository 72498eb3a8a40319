/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA objects layer, what is about memory: keys, translations, regions,
 * windows. Included by xrdma_verbs.h, which has the objects themselves.
 */

#ifndef XRDMA_MEM_H
#define XRDMA_MEM_H

/* xrdma_key.c: key table: unpredictable, quarantined, grown on demand */
struct xrdma_keys *xrdma_keys_create(struct device *dev,
				     int (*fence)(void *context), void *context);
int xrdma_keys_open(struct xrdma_keys *keys, u32 log_max_keys);
void xrdma_keys_stop(struct xrdma_keys *keys);
void xrdma_keys_destroy(struct xrdma_keys *keys);
void xrdma_keys_show(struct xrdma_keys *keys, struct dentry *dir);
u64 xrdma_keys_root(const struct xrdma_keys *keys);
int xrdma_key_alloc(struct xrdma_keys *keys, u32 *key);
void xrdma_key_free(struct xrdma_keys *keys, u32 index);
void xrdma_key_publish(struct xrdma_keys *keys, u32 index,
		       const struct xrdma_mpt_entry *entry);
void xrdma_key_add_rights(struct xrdma_keys *keys, u32 index, u16 access);
void xrdma_key_read(struct xrdma_keys *keys, u32 index,
		    struct xrdma_mpt_entry *entry);

/* xrdma_inval.c: INVALIDATE in batches */
int xrdma_inval_create(struct xrdma_ibdev *xib);
void xrdma_inval_destroy(struct xrdma_ibdev *xib);
int xrdma_inval_key(struct xrdma_ibdev *xib, u32 index);

/**
 * struct xrdma_inval_list - keys of one caller that end together
 * @xib: the device
 * @batch: those that have not been sent, or NULL
 * @err: first failure
 */
struct xrdma_inval_list {
	struct xrdma_ibdev *xib;
	struct xrdma_inval_batch *batch;
	int err;
};

void xrdma_inval_list_add(struct xrdma_inval_list *list, u32 index);
int xrdma_inval_list_end(struct xrdma_inval_list *list);

/* xrdma_ctx_keys.c: keys of a user context, which end with it */
void xrdma_ctx_keys_init(struct xrdma_ucontext *uc);
void xrdma_ctx_add_region(struct ib_pd *ibpd, struct xrdma_mr *mr);
void xrdma_ctx_add_window(struct ib_pd *ibpd, struct xrdma_mw *mw);
void xrdma_ctx_drop(struct ib_pd *ibpd, struct list_head *entry);
int xrdma_ctx_inval(struct ib_pd *ibpd, u32 index);
void xrdma_ctx_leave(struct ib_ucontext *ibuc);

/* enum ib_access_flags that key entries have, or that are hints. */
#define XRDMA_IB_ACCESS							\
	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |		\
	 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC |		\
	 IB_ACCESS_MW_BIND | IB_ZERO_BASED | IB_ACCESS_FLUSH_GLOBAL |	\
	 IB_ACCESS_FLUSH_PERSISTENT | IB_ACCESS_OPTIONAL)

/**
 * struct xrdma_grant - what a key gives
 * @iova: address of the first byte; does not count if it is zero-based
 * @length: bytes
 * @pdn: protection domain
 * @access: enum xrdma_access
 */
struct xrdma_grant {
	u64 iova;
	u64 length;
	u32 pdn;
	u16 access;
};

/* xrdma_mr.c: what all regions have in common */
int xrdma_mr_flags(u16 rights);
struct xrdma_mr *xrdma_mr_alloc(void);
void xrdma_mr_free(struct xrdma_ibdev *xib, struct xrdma_mr *mr);
int xrdma_mr_check(struct xrdma_ibdev *xib, u64 length, u64 iova, int access);
struct ib_umem *xrdma_mr_pin(struct xrdma_ibdev *xib, struct xrdma_mtt *mtt,
			     u64 start, u64 length, int access);
int xrdma_mr_give_key(struct xrdma_ibdev *xib, struct xrdma_mr *mr,
		      const struct xrdma_grant *grant, u64 flags);
void xrdma_mr_publish(struct xrdma_ibdev *xib, u32 key,
		      const struct xrdma_grant *grant,
		      const struct xrdma_mtt *mtt, u64 flags);
int xrdma_key_alloc_free(struct xrdma_keys *keys, u8 type, u32 pdn, u32 *key);
u16 xrdma_mr_rights(int access);

/* xrdma_mr_verbs.c: verbs of regions */
struct ib_mr *xrdma_get_dma_mr(struct ib_pd *ibpd, int access);
struct ib_mr *xrdma_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
				u64 iova, int access, struct ib_dmah *dmah,
				struct ib_udata *udata);
int xrdma_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);

/* Pages of the largest fast-register region. */
#define XRDMA_FRMR_MAX_PAGES	4096

/*
 * Largest page of a fast-register region, log2: positions of a list that begins
 * at entry 256 of a table have 32 bits in key entries.
 */
#define XRDMA_FRMR_SHIFT_MAX	23

/* xrdma_frmr.c: fast-register regions */
struct ib_mr *xrdma_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type,
			     u32 max_num_sg);
int xrdma_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int sg_nents,
		    unsigned int *sg_offset);
int xrdma_frmr_grant(struct ib_mr *ibmr, u16 access, struct xrdma_reg_seg *seg);

/* xrdma_mw.c: memory windows */
int xrdma_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata);
int xrdma_dealloc_mw(struct ib_mw *ibmw);

/* xrdma_rereg.c: change of a region in place */
struct ib_mr *xrdma_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start,
				  u64 length, u64 iova, int access,
				  struct ib_pd *ibpd, struct ib_udata *udata);

/* xrdma_dmabuf.c: regions of a dma-buf */
struct ib_mr *xrdma_reg_user_mr_dmabuf(struct ib_pd *ibpd, u64 offset,
				       u64 length, u64 iova, int fd, int access,
				       struct ib_dmah *dmah,
				       struct uverbs_attr_bundle *attrs);
int xrdma_dmabuf_inval(struct xrdma_ibdev *xib, struct xrdma_mr *mr);
void xrdma_dmabuf_abandon(struct ib_umem *umem);
void xrdma_dmabuf_lock(struct xrdma_mr *mr);
void xrdma_dmabuf_unlock(struct xrdma_mr *mr);

/* xrdma_dm.c: device memory */
extern const struct uapi_definition xrdma_dm_uapi_defs[];
int xrdma_dm_create(struct xrdma_ibdev *xib);
void xrdma_dm_destroy(struct xrdma_ibdev *xib);
u64 xrdma_dm_size(const struct xrdma_ibdev *xib);
bool xrdma_dm_owns(const struct xrdma_ibdev *xib, u64 addr);
void xrdma_dm_free(struct xrdma_ibdev *xib, struct xrdma_mmap_entry *entry);
struct ib_dm *xrdma_alloc_dm(struct ib_device *ibdev, struct ib_ucontext *ibuc,
			     struct ib_dm_alloc_attr *attr,
			     struct uverbs_attr_bundle *attrs);
int xrdma_dealloc_dm(struct ib_dm *ibdm, struct uverbs_attr_bundle *attrs);
struct ib_mr *xrdma_reg_dm_mr(struct ib_pd *ibpd, struct ib_dm *ibdm,
			      struct ib_dm_mr_attr *attr,
			      struct uverbs_attr_bundle *attrs);

#endif /* XRDMA_MEM_H */

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA device memory: allocates pages of the device's own memory for
 * processes, and registers them as regions. Processes map the pages by
 * xrdma_mmap() in xrdma_ctx.c. Functions that all regions share are in
 * xrdma_mr.c.
 *
 * New pages are zeroed. Pages are freed when the verbs object has been
 * deallocated and the last mapping has ended. ib_core deregisters the regions
 * before it deallocates the verbs object.
 */

#include <linux/genalloc.h>
#include <linux/io.h>
#include <linux/log2.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <rdma/uverbs_std_types.h>
#include "xrdma_ctx.h"
#include "xrdma_dm.h"
#include "xrdma_ibdev.h"
#include "xrdma_mr.h"
#include "xrdma_mtt.h"
#include "xrdma_pd.h"

#define UVERBS_MODULE_NAME xrdma
#include <rdma/uverbs_named_ioctl.h>

/* Offsets in key entries have 32 bits, alignments of the allocator 31. */
#define XRDMA_DM_MAX		BIT_ULL(32)
#define XRDMA_DM_MAX_ALIGN	30

/* Bytes that are zeroed between two calls of cond_resched() */
#define XRDMA_DM_PIECE		SZ_1M

/**
 * struct xrdma_dm - device memory of a process
 * @ibdm: verbs object
 * @mmap: the pages. Its reference count keeps the structure until the last
 *	mapping has ended
 */
struct xrdma_dm {
	struct ib_dm ibdm;
	struct xrdma_mmap_entry mmap;
};

static struct xrdma_dm *to_xdm(struct ib_dm *ibdm)
{
	return container_of(ibdm, struct xrdma_dm, ibdm);
}

static size_t xrdma_dm_bytes(const struct xrdma_dm *dm)
{
	return dm->mmap.entry.npages << PAGE_SHIFT;
}

static u32 xrdma_dm_offset(struct xrdma_ibdev *xib, const struct xrdma_dm *dm)
{
	return dm->mmap.phys - xib->hw.dm_phys;
}

/**
 * xrdma_dm_size() - size of the device memory
 * @xib: the device
 *
 * Context: any.
 * Return: size in bytes, a multiple of the page size; 0: the device has no
 * memory.
 */
u64 xrdma_dm_size(const struct xrdma_ibdev *xib)
{
	return xib->dm_pool ? gen_pool_size(xib->dm_pool) : 0;
}

/**
 * xrdma_dm_owns() - does a bus address belong to the memory of this device?
 * @xib: the device
 * @addr: bus address
 *
 * Context: any.
 * Return: true if @addr is in the part of the BAR that the driver allocates.
 */
bool xrdma_dm_owns(const struct xrdma_ibdev *xib, u64 addr)
{
	return addr >= xib->hw.dm_bus &&
	       addr - xib->hw.dm_bus < xrdma_dm_size(xib);
}

/* ---- pages ------------------------------------------------------------- */

/*
 * Allocate pages whose offset in the device is aligned to 1 << @log_align.
 * Return: their physical address; 0: not enough is free.
 */
static phys_addr_t xrdma_dm_take(struct xrdma_ibdev *xib, size_t size,
				 u32 log_align)
{
	/*
	 * aligned addresses have aligned offsets: the BAR is aligned to its
	 * size
	 */
	struct genpool_data_align data = { .align = 1 << log_align };

	return gen_pool_alloc_algo(xib->dm_pool, size, gen_pool_first_fit_align,
				   &data);
}

/* Return: false if the device is dead: it may be in reset. */
static bool xrdma_dm_zero_piece(struct xrdma_ibdev *xib, void __iomem *at,
				size_t len)
{
	bool alive;

	down_read(&xib->bar_lock);
	alive = !xrdma_dead(&xib->hw);
	if (alive) {
		memset_io(at, 0, len);
		readb(at + len - 1);
	}
	up_read(&xib->bar_lock);
	return alive;
}

/*
 * Zero new memory, up to 4 GiB, in pieces of 1 MiB. The read after each piece
 * waits until the writes have reached the device. A process that is being
 * killed does not wait for the remaining pieces.
 */
static int xrdma_dm_zero(struct xrdma_ibdev *xib, const struct xrdma_dm *dm,
			 size_t size)
{
	void __iomem *at = xib->hw.dm + xrdma_dm_offset(xib, dm);
	size_t len;

	for (; size; size -= len, at += len) {
		if (fatal_signal_pending(current))
			return -EINTR;
		len = min_t(size_t, size, XRDMA_DM_PIECE);
		if (!xrdma_dm_zero_piece(xib, at, len))
			return -EIO;
		cond_resched();
	}
	return 0;
}

/**
 * xrdma_dm_free() - free device memory
 * @xib: the device
 * @entry: pages of the memory; the last reference and the last mapping have
 *	ended
 *
 * Context: may sleep.
 */
void xrdma_dm_free(struct xrdma_ibdev *xib, struct xrdma_mmap_entry *entry)
{
	struct xrdma_dm *dm = container_of(entry, struct xrdma_dm, mmap);

	gen_pool_free(xib->dm_pool, dm->mmap.phys, xrdma_dm_bytes(dm));
	kfree(dm);
}

/* ---- verbs ------------------------------------------------------------- */

static int xrdma_dm_check(struct xrdma_ibdev *xib,
			  const struct ib_dm_alloc_attr *attr)
{
	u64 size = xrdma_dm_size(xib);

	if (!size)
		return -EOPNOTSUPP;
	if (xrdma_dead(&xib->hw))
		return -EIO;
	if (attr->flags || !attr->length || attr->length > size ||
	    attr->alignment > min(ilog2(roundup_pow_of_two(size)),
				  XRDMA_DM_MAX_ALIGN))
		return -EINVAL;
	return 0;
}

static int xrdma_dm_respond(struct xrdma_dm *dm, u64 length,
			    struct uverbs_attr_bundle *attrs)
{
	struct xrdma_uresp_alloc_dm resp = {
		.mmap_key = rdma_user_mmap_get_offset(&dm->mmap.entry),
		.mmap_size = xrdma_dm_bytes(dm),
		.length = length,
	};

	return uverbs_copy_to_struct_or_zero(attrs, XRDMA_IB_ATTR_ALLOC_DM_RESP,
					     &resp, sizeof(resp));
}

/**
 * xrdma_alloc_dm() - ib_device_ops.alloc_dm
 * @ibdev: the device
 * @ibuc: user context that may map the memory
 * @attr: length in bytes, 1 or more; alignment: log2 of the alignment of the
 *	offset in the device
 * @attrs: output: struct xrdma_uresp_alloc_dm
 *
 * Context: may sleep.
 * Return: the zeroed memory, or an ERR_PTR(): -EOPNOTSUPP: the device has no
 * memory; -EINVAL: the length is 0 or exceeds the device memory, the alignment
 * is too large, or flags are set; -ENOMEM: not enough memory is free; -EIO: the
 * device is dead; -EINTR: the process is being killed; or an errno of writing
 * @attrs.
 */
struct ib_dm *xrdma_alloc_dm(struct ib_device *ibdev, struct ib_ucontext *ibuc,
			     struct ib_dm_alloc_attr *attr,
			     struct uverbs_attr_bundle *attrs)
{
	struct xrdma_ibdev *xib = to_xibdev(ibdev);
	struct xrdma_dm *dm;
	size_t size;
	int err;

	err = xrdma_dm_check(xib, attr);
	if (err)
		return ERR_PTR(err);
	dm = kzalloc_obj(*dm, GFP_KERNEL_ACCOUNT);
	if (!dm)
		return ERR_PTR(-ENOMEM);
	size = PAGE_ALIGN(attr->length);
	dm->mmap.kind = XRDMA_MMAP_DEVICE_MEMORY;
	dm->mmap.phys = xrdma_dm_take(xib, size, attr->alignment);
	if (!dm->mmap.phys) {
		err = -ENOMEM;
		goto err_free;
	}
	err = xrdma_dm_zero(xib, dm, size);
	if (!err)
		err = rdma_user_mmap_entry_insert(ibuc, &dm->mmap.entry, size);
	if (err)
		goto err_give_back;
	err = xrdma_dm_respond(dm, attr->length, attrs);
	if (err) {
		rdma_user_mmap_entry_remove(&dm->mmap.entry);
		return ERR_PTR(err);
	}
	return &dm->ibdm;

err_give_back:
	gen_pool_free(xib->dm_pool, dm->mmap.phys, size);
err_free:
	kfree(dm);
	return ERR_PTR(err);
}

/**
 * xrdma_dealloc_dm() - ib_device_ops.dealloc_dm
 * @ibdm: device memory without regions; freed when the last mapping ends
 * @attrs: not used
 *
 * Context: may sleep.
 * Return: 0.
 */
int xrdma_dealloc_dm(struct ib_dm *ibdm, struct uverbs_attr_bundle *attrs)
{
	rdma_user_mmap_entry_remove(&to_xdm(ibdm)->mmap.entry);
	return 0;
}

/**
 * xrdma_reg_dm_mr() - ib_device_ops.reg_dm_mr
 * @ibpd: protection domain
 * @ibdm: device memory
 * @attr: offset and length of the region in @ibdm, which ib_core has checked;
 *	enum ib_access_flags with IB_ZERO_BASED
 * @attrs: not used
 *
 * Context: may sleep.
 * Return: the region, or an ERR_PTR(): an errno of xrdma_mr_check();
 * -EOPNOTSUPP: FLUSH to persistence, since a reset erases device memory;
 * -ENOSPC: no key is free; -ENOMEM; -EINTR: the calling process has been killed.
 */
struct ib_mr *xrdma_reg_dm_mr(struct ib_pd *ibpd, struct ib_dm *ibdm,
			      struct ib_dm_mr_attr *attr,
			      struct uverbs_attr_bundle *attrs)
{
	struct xrdma_ibdev *xib = to_xibdev(ibpd->device);
	struct xrdma_key_grant grant = {
		.length = attr->length,
		.pdn = to_xpd(ibpd)->pdn,
		.access = xrdma_mr_hw_access(attr->access_flags),
	};
	struct xrdma_mr *mr;
	int err;

	if (attr->access_flags & IB_ACCESS_FLUSH_PERSISTENT)
		return ERR_PTR(-EOPNOTSUPP);
	/* a length of 0 is allowed: the key of such a region grants nothing */
	err = xrdma_mr_check(xib, attr->length ?: 1, 0, attr->access_flags);
	if (err)
		return ERR_PTR(err);
	mr = xrdma_mr_alloc();
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->mtt.offset = xrdma_dm_offset(xib, to_xdm(ibdm)) + attr->offset;
	err = xrdma_mr_give_key(xib, mr, &grant, xrdma_mr_flags(mr));
	if (err) {
		kfree(mr);
		return ERR_PTR(err);
	}
	xrdma_ctx_add_region(ibpd, mr);
	return &mr->ibmr;
}

/*
 * Method for a process that imports a user context: how to map device memory.
 */
static int UVERBS_HANDLER(XRDMA_IB_METHOD_DM_QUERY)
				(struct uverbs_attr_bundle *attrs)
{
	struct ib_dm *ibdm =
		uverbs_attr_get_obj(attrs, XRDMA_IB_ATTR_DM_QUERY_HANDLE);

	return xrdma_dm_respond(to_xdm(ibdm), ibdm->length, attrs);
}

#define XRDMA_DM_RESP	UVERBS_ATTR_STRUCT(struct xrdma_uresp_alloc_dm, mmap_size)

DECLARE_UVERBS_NAMED_METHOD(XRDMA_IB_METHOD_DM_QUERY,
			    UVERBS_ATTR_IDR(XRDMA_IB_ATTR_DM_QUERY_HANDLE,
					    UVERBS_OBJECT_DM,
					    UVERBS_ACCESS_READ, UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(XRDMA_IB_ATTR_ALLOC_DM_RESP,
						XRDMA_DM_RESP, UA_MANDATORY));

ADD_UVERBS_METHODS(xrdma_dm, UVERBS_OBJECT_DM,
		   &UVERBS_METHOD(XRDMA_IB_METHOD_DM_QUERY));

ADD_UVERBS_ATTRIBUTES_SIMPLE(xrdma_dm_alloc, UVERBS_OBJECT_DM,
			     UVERBS_METHOD_DM_ALLOC,
			     UVERBS_ATTR_PTR_OUT(XRDMA_IB_ATTR_ALLOC_DM_RESP,
						 XRDMA_DM_RESP, UA_MANDATORY));

const struct uapi_definition xrdma_dm_uapi_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DM, &xrdma_dm_alloc),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DM, &xrdma_dm),
	{}
};

/* ---- create and destroy ------------------------------------------------ */

/**
 * xrdma_dm_create() - create the allocator of device memory, if the device has
 *	any
 * @xib: the device, after xrdma_cmd_query_device()
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int xrdma_dm_create(struct xrdma_ibdev *xib)
{
	struct xrdma_dev *xdev = &xib->hw;
	int node = dev_to_node(xrdma_to_dev(xdev));
	u64 size = min3(xdev->caps.device_memory, xdev->dm_size, XRDMA_DM_MAX);
	int err;

	size = round_down(size, PAGE_SIZE);
	if (!(xdev->caps.flags & XRDMA_CAP_DEVICE_MEMORY) || !size)
		return 0;
	xib->dm_pool = gen_pool_create(PAGE_SHIFT, node);
	if (!xib->dm_pool)
		return -ENOMEM;
	err = gen_pool_add(xib->dm_pool, xdev->dm_phys, size, node);
	if (err)
		xrdma_dm_destroy(xib);
	return err;
}

/**
 * xrdma_dm_destroy() - undo xrdma_dm_create()
 * @xib: the device; all of its memory has been freed
 *
 * Context: may sleep.
 */
void xrdma_dm_destroy(struct xrdma_ibdev *xib)
{
	if (xib->dm_pool)
		gen_pool_destroy(xib->dm_pool);
	xib->dm_pool = NULL;
}

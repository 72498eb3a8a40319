// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA user contexts: allocates a doorbell page and a push page for each
 * context, and maps these pages and device memory into processes. Device memory
 * is allocated in xrdma_dm.c; the keys of a context are invalidated in
 * xrdma_ctx_keys.c.
 */

#include <linux/io.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#define UVERBS_MODULE_NAME xrdma
#include <rdma/uverbs_named_ioctl.h>
#include <rdma/uverbs_std_types.h>
#include "xrdma_ctx.h"
#include "xrdma_dm.h"
#include "xrdma_ibdev.h"
#include "xrdma_query.h"

/* Doorbell pages in one page of the CPU, which can only be mapped together. */
#define XRDMA_DB_PER_PAGE	(PAGE_SIZE / XRDMA_DB_PAGE_SIZE)

static struct xrdma_mmap_entry *
to_xmmap_entry(struct rdma_user_mmap_entry *entry)
{
	return container_of(entry, struct xrdma_mmap_entry, entry);
}

/* Allocate a page of doorbells. The kernel uses page 0. */
static struct xrdma_mmap_entry *xrdma_db_page_alloc(struct xrdma_ibdev *xib)
{
	u32 last = xib->hw.num_db_pages / XRDMA_DB_PER_PAGE - 1;
	struct xrdma_mmap_entry *page;
	int number;

	page = kzalloc_obj(*page, GFP_KERNEL_ACCOUNT);
	if (!page)
		return NULL;
	number = ida_alloc_range(&xib->db_pages, 1, last, GFP_KERNEL);
	if (number < 0) {
		kfree(page);
		return NULL;
	}
	page->phys = xib->hw.db_phys + number * PAGE_SIZE;
	return page;
}

static u32 xrdma_db_page_number(struct xrdma_ibdev *xib,
				const struct xrdma_mmap_entry *page)
{
	return (page->phys - xib->hw.db_phys) / PAGE_SIZE;
}

static void xrdma_db_page_free(struct xrdma_ibdev *xib,
			       struct xrdma_mmap_entry *page)
{
	ida_free(&xib->db_pages, xrdma_db_page_number(xib, page));
	kfree(page);
}

/* ---- push pages --------------------------------------------------------- */

/*
 * A push page keeps what the process that had it before has written. A dead device
 * may be in reset, and is not written to.
 */
static int xrdma_push_page_clear(struct xrdma_ibdev *xib, phys_addr_t phys)
{
	void __iomem *page = ioremap_wc(phys, PAGE_SIZE);
	int err = 0;

	if (!page)
		return -ENOMEM;
	down_read(&xib->bar_lock);
	if (xrdma_dead(&xib->hw))
		err = -EIO;
	else
		memset_io(page, 0, PAGE_SIZE);
	up_read(&xib->bar_lock);
	iounmap(page);
	return err;
}

/*
 * Allocate the entry of the push page that belongs to a doorbell page. Without it
 * the context has no push page.
 */
static struct rdma_user_mmap_entry *
xrdma_push_page_alloc(struct ib_ucontext *ibuc,
		      const struct xrdma_mmap_entry *db)
{
	struct xrdma_ibdev *xib = to_xibdev(ibuc->device);
	struct xrdma_mmap_entry *page;

	page = kzalloc_obj(*page, GFP_KERNEL_ACCOUNT);
	if (!page)
		return NULL;
	page->kind = XRDMA_MMAP_PUSH;
	page->phys = xib->hw.push_phys + (db->phys - xib->hw.db_phys);
	if (xrdma_push_page_clear(xib, page->phys) ||
	    rdma_user_mmap_entry_insert(ibuc, &page->entry, PAGE_SIZE)) {
		kfree(page);
		return NULL;
	}
	page->db = rdma_user_mmap_entry_get_pgoff(ibuc, db->entry.start_pgoff);
	return &page->entry;
}

static void xrdma_push_page_free(struct xrdma_mmap_entry *page)
{
	rdma_user_mmap_entry_put(page->db);
	kfree(page);
}

/* ---- contexts ----------------------------------------------------------- */

static struct xrdma_uresp_alloc_ucontext
xrdma_describe_ucontext(struct xrdma_ibdev *xib, struct xrdma_ucontext *uc)
{
	const struct xrdma_caps *caps = &xib->hw.caps;
	struct xrdma_uresp_alloc_ucontext resp = {
		.db_mmap_key = rdma_user_mmap_get_offset(uc->db_entry),
		.db_mmap_size = PAGE_SIZE,
		.max_qp_wr = caps->max_qp_wr,
		.max_cqe = caps->max_cqe,
		.max_sge = caps->max_sge,
		.max_inline = caps->max_inline,
	};

	if (xrdma_shadow_db(&xib->hw))
		resp.caps |= XRDMA_UCAP_SHADOW_DB;
	if (caps->flags & XRDMA_CAP_NULL_KEY)
		resp.caps |= XRDMA_UCAP_NULL_KEY;
	if (uc->push_entry) {
		resp.caps |= XRDMA_UCAP_PUSH;
		resp.push_mmap_key = rdma_user_mmap_get_offset(uc->push_entry);
	}
	return resp;
}

/**
 * xrdma_alloc_ucontext() - ib_device_ops.alloc_ucontext
 * @ibuc: the new user context
 * @udata: contains no driver data; gets struct xrdma_uresp_alloc_ucontext
 *
 * Context: may sleep.
 * Return: 0; -EIO: the device is dead; -ENOMEM: no memory, or all doorbell pages
 * are in use; or an errno of bad @udata.
 */
int xrdma_alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibuc->device);
	struct xrdma_ucontext *uc = to_xucontext(ibuc);
	struct xrdma_uresp_alloc_ucontext resp;
	struct xrdma_mmap_entry *page;
	int err;

	err = ib_is_udata_in_empty(udata);
	if (err)
		return err;
	if (xrdma_dead(&xib->hw))
		return -EIO;
	page = xrdma_db_page_alloc(xib);
	if (!page)
		return -ENOMEM;
	err = rdma_user_mmap_entry_insert(ibuc, &page->entry, PAGE_SIZE);
	if (err) {
		xrdma_db_page_free(xib, page);
		return err;
	}
	xrdma_ctx_keys_init(uc);
	uc->db_page = xrdma_db_page_number(xib, page) * XRDMA_DB_PER_PAGE;
	uc->db_entry = &page->entry;
	if (xib->hw.caps.flags & XRDMA_CAP_PUSH)
		uc->push_entry = xrdma_push_page_alloc(ibuc, page);
	resp = xrdma_describe_ucontext(xib, uc);
	err = ib_respond_udata(udata, resp);
	if (err)
		xrdma_dealloc_ucontext(ibuc);
	return err;
}

/**
 * xrdma_query_ucontext() - ib_device_ops.query_ucontext
 * @ibuc: user context that a process has imported from another process
 * @attrs: output: struct xrdma_uresp_alloc_ucontext
 *
 * Context: may sleep.
 * Return: 0 or an errno of bad @attrs.
 */
int xrdma_query_ucontext(struct ib_ucontext *ibuc,
			 struct uverbs_attr_bundle *attrs)
{
	struct xrdma_uresp_alloc_ucontext resp =
		xrdma_describe_ucontext(to_xibdev(ibuc->device),
					to_xucontext(ibuc));

	return uverbs_copy_to_struct_or_zero(attrs,
					     XRDMA_IB_ATTR_QUERY_CONTEXT_RESP,
					     &resp, sizeof(resp));
}

/* Later fields are optional: providers that are older do not know them. */
#define XRDMA_CTX_RESP						\
	UVERBS_ATTR_STRUCT(struct xrdma_uresp_alloc_ucontext, max_inline)

ADD_UVERBS_ATTRIBUTES_SIMPLE(xrdma_query_context, UVERBS_OBJECT_DEVICE,
			     UVERBS_METHOD_QUERY_CONTEXT,
			     UVERBS_ATTR_PTR_OUT(XRDMA_IB_ATTR_QUERY_CONTEXT_RESP,
						 XRDMA_CTX_RESP, UA_MANDATORY));

const struct uapi_definition xrdma_uapi_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DEVICE, &xrdma_query_context),
	UAPI_DEF_CHAIN(xrdma_dm_uapi_defs),
	UAPI_DEF_CHAIN(xrdma_query_uapi_defs),
	{}
};

/**
 * xrdma_dealloc_ucontext() - ib_device_ops.dealloc_ucontext
 * @ibuc: user context
 *
 * Context: may sleep.
 */
void xrdma_dealloc_ucontext(struct ib_ucontext *ibuc)
{
	struct xrdma_ucontext *uc = to_xucontext(ibuc);

	/* NULL if the context has no push page */
	rdma_user_mmap_entry_remove(uc->push_entry);
	rdma_user_mmap_entry_remove(uc->db_entry);
}

/**
 * xrdma_ufile_hw_cleanup() - ib_device_ops.ufile_hw_cleanup
 * @ufile: file of a user context that is destroyed, because the file was
 *	closed, its process exits, or the device is unregistered
 *
 * Context: may sleep. The caller holds @ufile's hw_destroy_rwsem for writing.
 */
void xrdma_ufile_hw_cleanup(struct ib_uverbs_file *ufile)
{
	xrdma_ctx_inval_all(ufile->ucontext);
}

/* Map pages that processes may have, unless xrdma_ctx_revoke() takes them away. */
static int xrdma_map_pages(struct ib_ucontext *ibuc, struct vm_area_struct *vma,
			   struct xrdma_mmap_entry *pages, pgprot_t prot)
{
	struct xrdma_ibdev *xib = to_xibdev(ibuc->device);
	int err = -EIO;

	down_read(&xib->bar_lock);
	if (!xrdma_dead(&xib->hw))
		err = rdma_user_mmap_io(ibuc, vma, PHYS_PFN(pages->phys),
					pages->entry.npages * PAGE_SIZE, prot,
					&pages->entry);
	up_read(&xib->bar_lock);
	return err;
}

/**
 * xrdma_mmap() - ib_device_ops.mmap
 * @ibuc: user context
 * @vma: requested mapping: a shared mapping of the whole doorbell page, of the
 *	whole push page or of whole device memory
 *
 * Context: may sleep.
 * Return: 0; -EINVAL: the offset does not belong to this context, or size or
 * kind of the mapping are wrong; -EIO: the device is dead; or an errno of
 * rdma_user_mmap_io().
 */
int xrdma_mmap(struct ib_ucontext *ibuc, struct vm_area_struct *vma)
{
	struct xrdma_ibdev *xib = to_xibdev(ibuc->device);
	struct rdma_user_mmap_entry *entry;
	struct xrdma_mmap_entry *pages;
	pgprot_t prot;
	int err;

	entry = rdma_user_mmap_entry_get(ibuc, vma);
	if (!entry) {
		ibdev_dbg(&xib->ibdev, "mmap of foreign offset %#lx\n",
			  vma->vm_pgoff);
		return -EINVAL;
	}
	pages = to_xmmap_entry(entry);
	prot = pages->kind == XRDMA_MMAP_DOORBELLS ?
	       pgprot_noncached(vma->vm_page_prot) :
	       pgprot_writecombine(vma->vm_page_prot);
	err = xrdma_map_pages(ibuc, vma, pages, prot);
	rdma_user_mmap_entry_put(entry);
	return err;
}

/**
 * xrdma_ctx_revoke() - take the pages of all BARs from all processes
 * @xib: the device, dead
 *
 * Writes to the pages that the processes had go to pages of ib_uverbs from now
 * on. When the function returns, no process gets a page any more, and the posts of
 * consumers in the kernel that have not seen the death are over.
 *
 * Context: may sleep.
 */
void xrdma_ctx_revoke(struct xrdma_ibdev *xib)
{
	/*
	 * Whoever has not seen the death has mapped its pages when the lock is
	 * free, and ib_uverbs knows of them.
	 */
	down_write(&xib->bar_lock);
	up_write(&xib->bar_lock);
	/* a post looks whether the device is dead, and then rings a doorbell */
	synchronize_rcu();
	rdma_user_mmap_disassociate(&xib->ibdev);
}

/**
 * xrdma_mmap_free() - ib_device_ops.mmap_free
 * @entry: pages; the last mapping has ended, and no new mapping is possible
 *
 * Context: may sleep.
 */
void xrdma_mmap_free(struct rdma_user_mmap_entry *entry)
{
	struct xrdma_ibdev *xib = to_xibdev(entry->ucontext->device);
	struct xrdma_mmap_entry *pages = to_xmmap_entry(entry);

	switch (pages->kind) {
	case XRDMA_MMAP_DOORBELLS:
		xrdma_db_page_free(xib, pages);
		break;
	case XRDMA_MMAP_PUSH:
		xrdma_push_page_free(pages);
		break;
	case XRDMA_MMAP_DEVICE_MEMORY:
		xrdma_dm_free(xib, pages);
		break;
	}
}

/* ---- export as a dma-buf ------------------------------------------------ */

/**
 * xrdma_pgoff_to_mmap_entry() - ib_device_ops.pgoff_to_mmap_entry
 * @ibuc: user context
 * @offset: offset of mmap(), in bytes
 *
 * Context: any.
 * Return: the pages, with a reference that the caller drops; or NULL.
 */
struct rdma_user_mmap_entry *
xrdma_pgoff_to_mmap_entry(struct ib_ucontext *ibuc, off_t offset)
{
	return rdma_user_mmap_entry_get_pgoff(ibuc, offset >> PAGE_SHIFT);
}

/**
 * xrdma_mmap_get_pfns() - ib_device_ops.mmap_get_pfns
 * @entry: pages that a process may map
 * @phys: output: physical address and length of the pages
 * @provider: output: provider of peer-to-peer DMA for the pages
 *
 * Context: any.
 * Return: 0; or -EOPNOTSUPP: the pages are not device memory.
 */
int xrdma_mmap_get_pfns(struct rdma_user_mmap_entry *entry,
			struct phys_vec *phys,
			struct p2pdma_provider **provider)
{
	struct xrdma_ibdev *xib = to_xibdev(entry->ucontext->device);
	struct xrdma_mmap_entry *pages = to_xmmap_entry(entry);

	if (pages->kind != XRDMA_MMAP_DEVICE_MEMORY)
		return -EOPNOTSUPP;
	*phys = (struct phys_vec) {
		.paddr = pages->phys,
		.len = entry->npages * PAGE_SIZE,
	};
	*provider = xib->hw.dm_provider;
	return 0;
}

/* Set for a device with memory, if the kernel supports peer-to-peer DMA. */
const struct ib_device_ops xrdma_export_ops = {
	.mmap_get_pfns = xrdma_mmap_get_pfns,
	.pgoff_to_mmap_entry = xrdma_pgoff_to_mmap_entry,
};

/**
 * xrdma_disassociate_ucontext() - ib_device_ops.disassociate_ucontext
 * @ibuc: user context of a device that is unregistered while a process uses it
 *
 * The function is empty, since a process can access the device only by pages of
 * rdma_user_mmap_io(). ib_core has unmapped these pages before this call, and
 * destroys the objects of the context afterwards.
 *
 * Context: may sleep.
 */
void xrdma_disassociate_ucontext(struct ib_ucontext *ibuc)
{
}

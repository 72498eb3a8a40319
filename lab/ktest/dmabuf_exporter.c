// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A dma-buf exporter for tests, which revokes or moves its memory on request.
 * udmabuf, the only exporter that does not need hardware, never does that. The
 * functions of the character device are in dmabuf_ioctl.c.
 *
 * A buffer has two sets of pages, of which one is in use. The pages of the other
 * set have a pattern. A move copies the contents to the other set, and writes
 * the pattern to the pages that were in use. So an importer that still reads
 * these pages reads the pattern, and what it writes there is counted as a stray.
 *
 * The contents may arrive late: then a fence in the reservation is signalled
 * when they are there, and the pages have the pattern until then.
 */

#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>
#include "dmabuf_exporter.h"

#ifdef EXPORTER_INVALIDATE
MODULE_IMPORT_NS("DMA_BUF");
/* as the exporter of ib_core, which only revokes its memory */
#define EXPORTER_FIXED_PIN	(-EOPNOTSUPP)
#else
#define dma_buf_invalidate_mappings	dma_buf_move_notify
MODULE_IMPORT_NS(DMA_BUF);
/* the kernel pins each dma-buf that is mapped */
#define EXPORTER_FIXED_PIN	0
#endif

#ifndef DMA_ATTR_REQUIRE_COHERENT
#define DMA_ATTR_REQUIRE_COHERENT	0
#endif

#define EXPORTER_PATTERN	0x5a

/**
 * struct exporter_fence - contents of a buffer that arrive late
 * @fence: signalled when they are there
 * @lock: lock of the fence
 * @work: copies the contents
 * @dmabuf: the dma-buf, with a reference
 */
struct exporter_fence {
	struct dma_fence fence;
	spinlock_t lock; /* fence */
	struct delayed_work work;
	struct dma_buf *dmabuf;
};

static struct workqueue_struct *exporter_workers;

/* ---- pages ----------------------------------------------------------------- */

static void exporter_free_set(struct page **set, unsigned int num)
{
	unsigned int i;

	for (i = 0; set && i < num && set[i]; i++)
		__free_page(set[i]);
	kvfree(set);
}

static struct page **exporter_alloc_set(unsigned int num, unsigned int order)
{
	struct page **set = kvcalloc(num, sizeof(*set), GFP_KERNEL);
	unsigned int i, k;

	for (i = 0; set && i < num; i += 1U << order) {
		struct page *page;

		page = alloc_pages(GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN, order);
		if (!page) {
			exporter_free_set(set, num);
			return NULL;
		}
		split_page(page, order);
		for (k = 0; k < 1U << order; k++)
			set[i + k] = page + k;
	}
	return set;
}

static void exporter_write_pattern(struct exporter_buf *buf, unsigned int set)
{
	unsigned int i;

	for (i = 0; i < buf->num; i++)
		memset(page_address(buf->sets[set][i]), EXPORTER_PATTERN,
		       PAGE_SIZE);
}

/* Count the pages of the set that is not in use which somebody wrote to. */
static void exporter_count_strays(struct exporter_buf *buf)
{
	unsigned int i;

	if (!buf->sets[1])
		return;
	for (i = 0; i < buf->num; i++)
		if (memchr_inv(page_address(buf->sets[!buf->used][i]),
			       EXPORTER_PATTERN, PAGE_SIZE))
			buf->counts.strays++;
}

/* Copy the contents to the set that is in use, from the other one. */
static void exporter_copy(struct exporter_buf *buf)
{
	unsigned int i;

	for (i = 0; i < buf->num; i++)
		copy_highpage(buf->sets[buf->used][i], buf->sets[!buf->used][i]);
	exporter_write_pattern(buf, !buf->used);
}

static void exporter_free(struct exporter_buf *buf)
{
	exporter_free_set(buf->sets[0], buf->num);
	exporter_free_set(buf->sets[1], buf->num);
	kfree(buf);
}

static struct exporter_buf *exporter_alloc(const struct exporter_shape *shape)
{
	struct exporter_buf *buf = kzalloc_obj(*buf);

	if (!buf)
		return NULL;
	buf->num = shape->num;
	buf->total = shape->total;
	buf->sets[0] = exporter_alloc_set(shape->num, shape->order);
	if (shape->moves)
		buf->sets[1] = exporter_alloc_set(shape->num, shape->order);
	if (!buf->sets[0] || (shape->moves && !buf->sets[1])) {
		exporter_free(buf);
		return NULL;
	}
	if (shape->moves)
		exporter_write_pattern(buf, 1);
	return buf;
}

/* ---- operations of the dma-buf ----------------------------------------------- */

/*
 * A buffer that is longer than its pages repeats them. With this attribute, a
 * kernel with CONFIG_DMA_API_DEBUG does not warn of many mappings of a page.
 */
static unsigned long exporter_attrs(const struct exporter_buf *buf)
{
	return buf->total > buf->num ? DMA_ATTR_REQUIRE_COHERENT : 0;
}

static int exporter_fill_table(struct exporter_buf *buf, struct sg_table *sgt)
{
	struct page **pages;
	unsigned int i;
	int err;

	pages = kvmalloc_array(buf->total, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return -ENOMEM;
	for (i = 0; i < buf->total; i++)
		pages[i] = buf->sets[buf->used][i % buf->num];
	err = sg_alloc_table_from_pages(sgt, pages, buf->total, 0,
					(size_t)buf->total << PAGE_SHIFT,
					GFP_KERNEL);
	kvfree(pages);
	return err;
}

static struct sg_table *exporter_map(struct dma_buf_attachment *attach,
				     enum dma_data_direction dir)
{
	struct exporter_buf *buf = attach->dmabuf->priv;
	struct sg_table *sgt;
	int err;

	buf->counts.maps++;
	if (buf->fail_count) {
		buf->fail_count--;
		return ERR_PTR(-buf->fail_errno);
	}
	sgt = kzalloc_obj(*sgt);
	if (!sgt)
		return ERR_PTR(-ENOMEM);
	err = exporter_fill_table(buf, sgt);
	if (err)
		goto err_free;
	err = dma_map_sgtable(attach->dev, sgt, dir, exporter_attrs(buf));
	if (err)
		goto err_table;
	buf->counts.mapped++;
	return sgt;

err_table:
	sg_free_table(sgt);
err_free:
	kfree(sgt);
	return ERR_PTR(err);
}

static void exporter_unmap(struct dma_buf_attachment *attach,
			   struct sg_table *sgt, enum dma_data_direction dir)
{
	struct exporter_buf *buf = attach->dmabuf->priv;

	dma_unmap_sgtable(attach->dev, sgt, dir, exporter_attrs(buf));
	sg_free_table(sgt);
	kfree(sgt);
	buf->counts.mapped--;
}

static int exporter_pin(struct dma_buf_attachment *attach)
{
	struct exporter_buf *buf = attach->dmabuf->priv;

	if (!buf->sets[1] && EXPORTER_FIXED_PIN)
		return EXPORTER_FIXED_PIN;
	buf->counts.pinned++;
	return 0;
}

static void exporter_unpin(struct dma_buf_attachment *attach)
{
	struct exporter_buf *buf = attach->dmabuf->priv;

	buf->counts.pinned--;
}

/* The reservation keeps the pages in place while the entry is written. */
static vm_fault_t exporter_fault(struct vm_fault *vmf)
{
	struct dma_buf *dmabuf = vmf->vma->vm_private_data;
	struct exporter_buf *buf = dmabuf->priv;
	vm_fault_t result = VM_FAULT_SIGBUS;
	unsigned long pfn;

	if (vmf->pgoff >= buf->total)
		return VM_FAULT_SIGBUS;
	dma_resv_lock(dmabuf->resv, NULL);
	if (dma_resv_wait_timeout(dmabuf->resv, DMA_RESV_USAGE_KERNEL, false,
				  MAX_SCHEDULE_TIMEOUT) > 0) {
		pfn = page_to_pfn(buf->sets[buf->used][vmf->pgoff % buf->num]);
		result = vmf_insert_pfn(vmf->vma, vmf->address, pfn);
	}
	dma_resv_unlock(dmabuf->resv);
	return result;
}

static const struct vm_operations_struct exporter_vm_ops = {
	.fault = exporter_fault,
};

static int exporter_mmap(struct dma_buf *dmabuf, struct vm_area_struct *vma)
{
	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	vm_flags_set(vma, VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_private_data = dmabuf;
	vma->vm_ops = &exporter_vm_ops;
	return 0;
}

static void exporter_release(struct dma_buf *dmabuf)
{
	exporter_free(dmabuf->priv);
}

static const struct dma_buf_ops exporter_buf_ops = {
	.map_dma_buf = exporter_map,
	.unmap_dma_buf = exporter_unmap,
	.pin = exporter_pin,
	.unpin = exporter_unpin,
	.mmap = exporter_mmap,
	.release = exporter_release,
};

bool exporter_owns(struct dma_buf *dmabuf)
{
	return dmabuf->ops == &exporter_buf_ops;
}

int exporter_create(const struct exporter_shape *shape)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct exporter_buf *buf;
	struct dma_buf *dmabuf;
	int fd;

	if (!shape->num || shape->num > EXPORTER_MAX_PAGES ||
	    shape->total < shape->num || shape->total > EXPORTER_MAX_TOTAL ||
	    shape->order > 9 || shape->num % (1U << shape->order))
		return -EINVAL;
	buf = exporter_alloc(shape);
	if (!buf)
		return -ENOMEM;
	info.ops = &exporter_buf_ops;
	info.size = (size_t)shape->total << PAGE_SHIFT;
	info.flags = O_RDWR;
	info.priv = buf;
	dmabuf = dma_buf_export(&info);
	if (IS_ERR(dmabuf)) {
		exporter_free(buf);
		return PTR_ERR(dmabuf);
	}
	fd = dma_buf_fd(dmabuf, O_CLOEXEC);
	if (fd < 0)
		dma_buf_put(dmabuf);
	return fd;
}

/* ---- requests, with the reservation locked ------------------------------------- */

void exporter_revoke_locked(struct dma_buf *dmabuf)
{
	dma_buf_invalidate_mappings(dmabuf);
}

static const char *exporter_fence_name(struct dma_fence *fence)
{
	return "xrdma-dmabuf";
}

static const struct dma_fence_ops exporter_fence_ops = {
	.get_driver_name = exporter_fence_name,
	.get_timeline_name = exporter_fence_name,
};

static void exporter_fence_work(struct work_struct *work)
{
	struct exporter_fence *f = container_of(work, struct exporter_fence,
						work.work);
	struct dma_buf *dmabuf = f->dmabuf;

	exporter_copy(dmabuf->priv);
	dma_fence_signal(&f->fence);
	dma_fence_put(&f->fence);
	dma_buf_put(dmabuf);
}

/* Let the contents arrive after @ms milliseconds. */
static int exporter_copy_later(struct dma_buf *dmabuf, unsigned int ms)
{
	struct exporter_fence *f;
	int err;

	err = dma_resv_reserve_fences(dmabuf->resv, 1);
	if (err)
		return err;
	f = kzalloc_obj(*f);
	if (!f)
		return -ENOMEM;
	spin_lock_init(&f->lock);
	INIT_DELAYED_WORK(&f->work, exporter_fence_work);
	dma_fence_init(&f->fence, &exporter_fence_ops, &f->lock,
		       dma_fence_context_alloc(1), 1);
	dma_resv_add_fence(dmabuf->resv, &f->fence, DMA_RESV_USAGE_KERNEL);
	get_dma_buf(dmabuf);
	f->dmabuf = dmabuf;
	queue_delayed_work(exporter_workers, &f->work, msecs_to_jiffies(ms));
	return 0;
}

int exporter_move_locked(struct dma_buf *dmabuf, unsigned int ms)
{
	struct exporter_buf *buf = dmabuf->priv;

	if (!buf->sets[1] || buf->counts.pinned)
		return -EBUSY;
	dma_resv_wait_timeout(dmabuf->resv, DMA_RESV_USAGE_BOOKKEEP, false,
			      MAX_SCHEDULE_TIMEOUT);
	unmap_mapping_range(dmabuf->file->f_mapping, 0, 0, 1);
	/*
	 * Exporters also move memory while the kernel reclaims memory. With
	 * these calls, lockdep complains of an importer that allocates memory
	 * when it is told.
	 */
	fs_reclaim_acquire(GFP_KERNEL);
	dma_buf_invalidate_mappings(dmabuf);
	fs_reclaim_release(GFP_KERNEL);
	buf->counts.moves++;
	buf->counts.left += buf->counts.mapped;
	exporter_count_strays(buf);
	buf->used = !buf->used;
	if (ms)
		return exporter_copy_later(dmabuf, ms);
	exporter_copy(buf);
	return 0;
}

void exporter_count_locked(struct dma_buf *dmabuf, struct exporter_counts *counts)
{
	struct exporter_buf *buf = dmabuf->priv;

	dma_resv_wait_timeout(dmabuf->resv, DMA_RESV_USAGE_BOOKKEEP, false,
			      MAX_SCHEDULE_TIMEOUT);
	exporter_count_strays(buf);
	*counts = buf->counts;
}

/* ---- module -------------------------------------------------------------------- */

static int __init exporter_init(void)
{
	int err;

	exporter_workers = alloc_workqueue("xrdma_dmabuf", WQ_UNBOUND, 0);
	if (!exporter_workers)
		return -ENOMEM;
	err = exporter_ioctl_init();
	if (err)
		destroy_workqueue(exporter_workers);
	return err;
}

static void __exit exporter_exit(void)
{
	exporter_ioctl_exit();
	destroy_workqueue(exporter_workers);
}

module_init(exporter_init);
module_exit(exporter_exit);

MODULE_DESCRIPTION("Exporter of dma-bufs that are taken back or moved, for tests");
MODULE_LICENSE("Dual BSD/GPL");

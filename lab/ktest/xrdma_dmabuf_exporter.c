// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A dma-buf exporter for tests, which invalidates the mappings of its importers
 * on request. udmabuf, the only exporter that does not need hardware, never
 * does that.
 *
 * /dev/xrdma-dmabuf: EXPORTER_CREATE makes a dma-buf of single pages and
 * returns its file descriptor; EXPORTER_REVOKE invalidates the mappings of the
 * dma-buf with that file descriptor. The pages are not freed, so that a test
 * can see whether an importer still writes to them.
 */

#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#ifdef EXPORTER_INVALIDATE
MODULE_IMPORT_NS("DMA_BUF");
#else
#define dma_buf_invalidate_mappings	dma_buf_move_notify
MODULE_IMPORT_NS(DMA_BUF);
#endif

#define EXPORTER_CREATE		_IO('x', 0) /* argument: number of pages */
#define EXPORTER_REVOKE		_IO('x', 1) /* argument: file descriptor */
#define EXPORTER_MAX_PAGES	1024

struct exporter_buf {
	unsigned int num;
	struct page *pages[];
};

static void exporter_free(struct exporter_buf *buf)
{
	while (buf->num)
		__free_page(buf->pages[--buf->num]);
	kfree(buf);
}

static struct exporter_buf *exporter_alloc(unsigned int num)
{
	struct exporter_buf *buf;

	buf = kzalloc(struct_size(buf, pages, num), GFP_KERNEL);
	while (buf && buf->num < num) {
		struct page *page = alloc_page(GFP_KERNEL | __GFP_ZERO);

		if (!page) {
			exporter_free(buf);
			return NULL;
		}
		buf->pages[buf->num++] = page;
	}
	return buf;
}

static struct sg_table *exporter_map(struct dma_buf_attachment *attach,
				     enum dma_data_direction dir)
{
	struct exporter_buf *buf = attach->dmabuf->priv;
	struct sg_table *sgt;
	int err;

	sgt = kzalloc_obj(*sgt);
	if (!sgt)
		return ERR_PTR(-ENOMEM);
	err = sg_alloc_table_from_pages(sgt, buf->pages, buf->num, 0,
					(size_t)buf->num << PAGE_SHIFT,
					GFP_KERNEL);
	if (err)
		goto err_free;
	err = dma_map_sgtable(attach->dev, sgt, dir, 0);
	if (err)
		goto err_table;
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
	dma_unmap_sgtable(attach->dev, sgt, dir, 0);
	sg_free_table(sgt);
	kfree(sgt);
}

static int exporter_pin(struct dma_buf_attachment *attach)
{
	return 0;
}

static void exporter_unpin(struct dma_buf_attachment *attach)
{
}

static int exporter_mmap(struct dma_buf *dmabuf, struct vm_area_struct *vma)
{
	struct exporter_buf *buf = dmabuf->priv;

	return vm_map_pages(vma, buf->pages, buf->num);
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

static long exporter_create(unsigned long num)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct exporter_buf *buf;
	struct dma_buf *dmabuf;
	int fd;

	if (!num || num > EXPORTER_MAX_PAGES)
		return -EINVAL;
	buf = exporter_alloc(num);
	if (!buf)
		return -ENOMEM;
	info.ops = &exporter_buf_ops;
	info.size = num << PAGE_SHIFT;
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

static long exporter_revoke(int fd)
{
	struct dma_buf *dmabuf = dma_buf_get(fd);
	int err = -EINVAL;

	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	if (dmabuf->ops == &exporter_buf_ops) {
		dma_resv_lock(dmabuf->resv, NULL);
		dma_buf_invalidate_mappings(dmabuf);
		dma_resv_unlock(dmabuf->resv);
		err = 0;
	}
	dma_buf_put(dmabuf);
	return err;
}

static long exporter_ioctl(struct file *file, unsigned int cmd,
			   unsigned long arg)
{
	switch (cmd) {
	case EXPORTER_CREATE:
		return exporter_create(arg);
	case EXPORTER_REVOKE:
		return exporter_revoke(arg);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations exporter_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = exporter_ioctl,
};

static struct miscdevice exporter_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "xrdma-dmabuf",
	.fops = &exporter_fops,
};
module_misc_device(exporter_misc);

MODULE_DESCRIPTION("Exporter of dma-bufs that can be taken back, for tests");
MODULE_LICENSE("Dual BSD/GPL");

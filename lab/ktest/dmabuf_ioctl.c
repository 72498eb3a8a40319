// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The character device /dev/xrdma-dmabuf of the dma-buf exporter for tests. The
 * requests are in dmabuf_exporter.h, the buffers in
 * dmabuf_exporter.c.
 *
 * EXPORTER_CREATE and EXPORTER_SHAPE return the file descriptor of a new
 * dma-buf. EXPORTER_REVOKE invalidates the mappings of the importers.
 * EXPORTER_MOVE moves the memory; it fails with EBUSY while the memory is
 * pinned. EXPORTER_FAIL lets mappings fail, EXPORTER_COUNT returns counters.
 */

#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/uaccess.h>
#include "dmabuf_exporter.h"

static int exporter_do(struct dma_buf *dmabuf, unsigned int cmd,
		       struct exporter_request *request)
{
	struct exporter_buf *buf = dmabuf->priv;

	switch (cmd) {
	case EXPORTER_REVOKE:
		exporter_revoke_locked(dmabuf);
		return 0;
	case EXPORTER_MOVE:
		return exporter_move_locked(dmabuf, request->value);
	case EXPORTER_FAIL:
		buf->fail_errno = request->error;
		buf->fail_count = request->value;
		return 0;
	default:
		exporter_count_locked(dmabuf, &request->counts);
		return 0;
	}
}

/* Execute a request with the reservation locked. */
static int exporter_do_fd(unsigned int cmd, struct exporter_request *request)
{
	struct dma_buf *dmabuf = dma_buf_get(request->fd);
	int err = -EINVAL;

	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	if (exporter_owns(dmabuf)) {
		dma_resv_lock(dmabuf->resv, NULL);
		err = exporter_do(dmabuf, cmd, request);
		dma_resv_unlock(dmabuf->resv);
	}
	dma_buf_put(dmabuf);
	return err;
}

static long exporter_request(unsigned int cmd, void __user *arg)
{
	struct exporter_request request;
	int err;

	if (copy_from_user(&request, arg, sizeof(request)))
		return -EFAULT;
	err = exporter_do_fd(cmd, &request);
	if (!err && cmd == EXPORTER_COUNT &&
	    copy_to_user(arg, &request, sizeof(request)))
		return -EFAULT;
	return err;
}

static long exporter_shape(void __user *arg)
{
	struct exporter_shape shape;

	if (copy_from_user(&shape, arg, sizeof(shape)))
		return -EFAULT;
	return exporter_create(&shape);
}

static long exporter_ioctl(struct file *file, unsigned int cmd,
			   unsigned long arg)
{
	struct exporter_shape plain = { .num = arg, .total = arg };
	struct exporter_request revoke = { .fd = arg };

	switch (cmd) {
	case EXPORTER_CREATE:
		return exporter_create(&plain);
	case EXPORTER_REVOKE:
		return exporter_do_fd(cmd, &revoke);
	case EXPORTER_SHAPE:
		return exporter_shape((void __user *)arg);
	case EXPORTER_MOVE:
	case EXPORTER_FAIL:
	case EXPORTER_COUNT:
		return exporter_request(cmd, (void __user *)arg);
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

int exporter_ioctl_init(void)
{
	return misc_register(&exporter_misc);
}

void exporter_ioctl_exit(void)
{
	misc_deregister(&exporter_misc);
}

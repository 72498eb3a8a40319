// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA quarantine: frees regions and rings, or keeps them until the device is
 * quiet if a dead device may still access their memory. The caller decides
 * which: it keeps the memory if INVALIDATE (xrdma_inval.c) or DESTROY
 * (xrdma_cmd.c) has failed, or if xrdma_may_dma() in xrdma_dev.h is true.
 */

#include <linux/module.h>
#include <linux/slab.h>
#include <linux/stdarg.h>
#include <rdma/ib_umem.h>
#include "xrdma_buf.h"
#include "xrdma_dmabuf.h"
#include "xrdma_ibdev.h"
#include "xrdma_mr.h"
#include "xrdma_mtt.h"
#include "xrdma_odp.h"
#include "xrdma_quarantine.h"
#include "xrdma_ubuf.h"

/**
 * xrdma_quarantine_init() - initialize an empty quarantine
 * @quarantine: the quarantine of a new device
 */
void xrdma_quarantine_init(struct xrdma_quarantine *quarantine)
{
	spin_lock_init(&quarantine->lock);
	INIT_LIST_HEAD(&quarantine->regions);
	INIT_LIST_HEAD(&quarantine->ubufs);
	INIT_LIST_HEAD(&quarantine->bufs);
}

/*
 * Put memory into quarantine, and log the first such memory. If the device has
 * become quiet in the meantime, free the memory at once: the call of
 * xrdma_quarantine_release() that follows the death of the device may be over.
 */
__printf(4, 5)
static void xrdma_quarantine_add(struct xrdma_ibdev *xib,
				 struct list_head *entry,
				 struct list_head *list, const char *fmt, ...)
{
	struct xrdma_quarantine *quarantine = &xib->quarantine;
	struct va_format what = { .fmt = fmt };
	va_list args;
	bool warned;

	spin_lock(&quarantine->lock);
	list_add_tail(entry, list);
	warned = quarantine->warned;
	quarantine->warned = true;
	spin_unlock(&quarantine->lock);
	va_start(args, fmt);
	what.va = &args;
	if (!warned)
		ibdev_err(&xib->ibdev,
			  "memory in use stays pinned until the device has been reset: %pV, maybe more\n",
			  &what);
	va_end(args);
	if (xrdma_quiet(&xib->hw))
		xrdma_quarantine_release(xib);
}

/**
 * xrdma_mr_release() - free a region with its memory, or put both into
 *	quarantine
 * @xib: the device
 * @mr: the region; the caller does not use it afterwards
 * @keep: true: a dead device may still access the memory, which is freed when
 *	the device is quiet
 *
 * Context: may sleep. Cannot fail.
 */
void xrdma_mr_release(struct xrdma_ibdev *xib, struct xrdma_mr *mr, bool keep)
{
	if (!keep) {
		xrdma_mr_free(xib, mr);
		return;
	}
	if (mr->odp)
		xrdma_odp_keep(mr->odp);
	xrdma_quarantine_add(xib, &mr->ctx_entry, &xib->quarantine.regions,
			     "region of %llu bytes with key index %#x",
			     mr->ibmr.length, mr->key_index);
}

/* Cannot fail: @ubuf->spare was allocated to become the entry in the list. */
static void xrdma_ubuf_keep(struct xrdma_ibdev *xib, struct xrdma_ubuf *ubuf)
{
	struct xrdma_ubuf *held = ubuf->spare;

	held->umem = ubuf->umem;
	xrdma_mtt_move(&held->mtt, &ubuf->mtt);
	ubuf->umem = NULL;
	ubuf->spare = NULL;
	xrdma_quarantine_add(xib, &held->held, &xib->quarantine.ubufs,
			     "rings of a process, %zu bytes",
			     held->umem->length);
}

/**
 * xrdma_ubuf_release() - unpin rings of a process, or put them into quarantine
 * @xib: the device
 * @ubuf: the rings, from xrdma_ubuf_map(); empty afterwards
 * @keep: true: a dead device may still access the rings, which are unpinned
 *	when the device is quiet
 *
 * Context: may sleep. Cannot fail.
 */
void xrdma_ubuf_release(struct xrdma_ibdev *xib, struct xrdma_ubuf *ubuf,
			bool keep)
{
	if (keep)
		xrdma_ubuf_keep(xib, ubuf);
	else
		xrdma_ubuf_unmap(xib, ubuf);
}

/**
 * xrdma_buf_release() - free rings in kernel memory, or put them into
 *	quarantine
 * @xib: the device
 * @buf: the rings; the caller does not use them afterwards
 * @keep: true: a dead device may still access the rings, which are freed when
 *	the device is quiet
 *
 * Context: may sleep. Cannot fail.
 */
void xrdma_buf_release(struct xrdma_ibdev *xib, struct xrdma_buf *buf,
		       bool keep)
{
	if (keep)
		xrdma_quarantine_add(xib, &buf->held, &xib->quarantine.bufs,
				     "rings of the kernel, %zu bytes",
				     buf->size);
	else
		xrdma_buf_free(&xib->hw, buf);
}

/**
 * xrdma_quarantine_release() - free all memory in quarantine
 * @xib: the device, which is quiet
 *
 * Context: may sleep.
 */
void xrdma_quarantine_release(struct xrdma_ibdev *xib)
{
	struct xrdma_quarantine *quarantine = &xib->quarantine;
	struct xrdma_ubuf *ubuf, *next_ubuf;
	LIST_HEAD(regions);
	LIST_HEAD(ubufs);
	LIST_HEAD(bufs);
	struct xrdma_buf *buf, *next_buf;
	struct xrdma_mr *mr, *next_mr;

	spin_lock(&quarantine->lock);
	list_splice_init(&quarantine->regions, &regions);
	list_splice_init(&quarantine->ubufs, &ubufs);
	list_splice_init(&quarantine->bufs, &bufs);
	spin_unlock(&quarantine->lock);
	list_for_each_entry_safe(mr, next_mr, &regions, ctx_entry)
		xrdma_mr_free(xib, mr);
	list_for_each_entry_safe(ubuf, next_ubuf, &ubufs, held) {
		xrdma_ubuf_unmap(xib, ubuf);
		kfree(ubuf);
	}
	list_for_each_entry_safe(buf, next_buf, &bufs, held)
		xrdma_buf_free(&xib->hw, buf);
}

/**
 * xrdma_quarantine_abandon() - leak all memory in quarantine, and log how much
 * @xib: the device, whose DMA cannot be ended; no object uses the device any
 *	more
 *
 * Context: may sleep.
 */
void xrdma_quarantine_abandon(struct xrdma_ibdev *xib)
{
	struct xrdma_quarantine *quarantine = &xib->quarantine;
	struct xrdma_mr *mr;

	dev_err(xrdma_to_dev(&xib->hw),
		"the device cannot be reset, register STATUS is %#x: its own rings and tables, %zu regions, %zu rings of processes and %zu rings of the kernel are never freed\n",
		xrdma_hw_status(&xib->hw),
		list_count_nodes(&quarantine->regions),
		list_count_nodes(&quarantine->ubufs),
		list_count_nodes(&quarantine->bufs));
	list_for_each_entry(mr, &quarantine->regions, ctx_entry) {
		xrdma_dmabuf_abandon(mr);
		/* the attachment to a dma-buf names functions of the module */
		if (mr->dmabuf)
			__module_get(THIS_MODULE);
	}
}

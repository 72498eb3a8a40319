/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA replacements for declarations that older kernels lack.
 * compat/Kbuild.include includes this header before every source, so it uses
 * nothing of the driver. Wrappers of the driver's operations are in ops.h, port
 * events in port_event.h, address lists in rx_mode.h, receive rings in rx_rings.h.
 */

#ifndef XRDMA_COMPAT_H
#define XRDMA_COMPAT_H

#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#ifndef XRDMA_HAVE_DRIVER_ID
/* The number that patches/linux/0001 adds to enum rdma_driver_id */
#define RDMA_DRIVER_XRDMA ((enum rdma_driver_id)0x10f0)
#endif

/*
 * Takes a string, as in Linux 6.13 and later; older kernels take a bare word.
 */
#undef MODULE_IMPORT_NS
#define MODULE_IMPORT_NS(ns) MODULE_INFO(import_ns, ns)

#ifndef DMA_ATTR_REQUIRE_COHERENT
/* The driver asks for it only where the DMA layer needs no bounce buffers. */
#define DMA_ATTR_REQUIRE_COHERENT 0UL
#endif

#ifndef XRDMA_HAVE_UMEM_GET_VA
#define ib_umem_get_va(device, addr, size, access) \
	ib_umem_get(device, addr, size, access)
#endif

#ifndef XRDMA_HAVE_ROBUST_UDATA
/*
 * The kernel does not have this member. The initializer sets the size of
 * struct ib_counters instead, which has no effect: the driver has no operation
 * create_counters, so the object is never allocated.
 */
#define uverbs_robust_udata size_ib_counters
#endif

#ifndef XRDMA_HAVE_UFILE_HW_CLEANUP
/*
 * The kernel does not report the end of a user context: ops.h has a
 * replacement. This structure has the member that xrdma_ufile_hw_cleanup()
 * reads, so that the function compiles. It is not called, and not in the table
 * of operations.
 */
struct ib_uverbs_file {
	struct ib_ucontext *ucontext;
};

/* The initializer sets a bit that is 0 to 0. */
#define ufile_hw_cleanup uverbs_no_driver_id_binding
#endif

#ifndef XRDMA_HAVE_COUNTER_PORT
/*
 * ib_core allocates and initialises counters. Both initializers have no effect.
 */
#define size_rdma_counter size_ib_counters
#define counter_init uverbs_no_driver_id_binding
#endif

#ifndef XRDMA_HAVE_PRE_DESTROY_CQ
/*
 * ib_core of these kernels stops the polling of a queue before it destroys the
 * queue; an event in between may start the polling again, with any driver. The
 * initializers set two operations to NULL that the driver does not have.
 */
#define pre_destroy_cq process_mad
#define post_destroy_cq drain_rq
#endif

#ifndef XRDMA_HAVE_MMAP_GET_PFNS
/*
 * ib_core does not export mappings: the table with these operations is not
 * used.
 */
#define mmap_get_pfns uverbs_no_driver_id_binding
#define pgoff_to_mmap_entry size_ib_counters

struct pci_dev;
struct p2pdma_provider;

struct phys_vec {
	phys_addr_t paddr;
	size_t len;
};

static inline int pcim_p2pdma_init(struct pci_dev *pdev)
{
	return -EOPNOTSUPP;
}

static inline struct p2pdma_provider *
pcim_p2pdma_provider(struct pci_dev *pdev, int bar)
{
	return NULL;
}
#endif

#ifndef XRDMA_HAVE_DMABUF_INVALIDATE
#include <linux/dma-buf.h>

#define invalidate_mappings move_notify
/*
 * Without CONFIG_DMABUF_MOVE_NOTIFY, which newer kernels do not have, a dma-buf
 * is pinned as long as it is mapped, and cannot move. The name in parentheses is
 * that of the kernel's function.
 */
#define dma_buf_is_dynamic(dmabuf)				\
	(IS_ENABLED(CONFIG_DMABUF_MOVE_NOTIFY) &&		\
	 (dma_buf_is_dynamic)(dmabuf))
#endif

#ifndef XRDMA_HAVE_RESIZE_USER_CQ
#define resize_user_cq resize_cq
#endif

#ifndef XRDMA_HAVE_UDATA_HELPERS
static inline int _ib_copy_validate_udata_in(struct ib_udata *udata, void *req,
					     size_t kernel_size,
					     size_t minimum_size)
{
	int err;

	if (udata->inlen < minimum_size)
		return -EINVAL;
	err = copy_struct_from_user(req, kernel_size, udata->inbuf,
				    udata->inlen);
	return err == -E2BIG ? -EOPNOTSUPP : err;
}

#define ib_copy_validate_udata_in(udata, req, end_member)		\
	_ib_copy_validate_udata_in(udata, &(req), sizeof(req),		\
				   offsetofend(typeof(req), end_member))

static inline int ib_is_udata_in_empty(struct ib_udata *udata)
{
	if (!udata || !udata->inlen)
		return 0;
	return _ib_copy_validate_udata_in(udata, NULL, 0, 0);
}

static inline int _ib_respond_udata(struct ib_udata *udata, const void *src,
				    size_t len)
{
	size_t copy = min(len, udata->outlen);

	if (copy_to_user(udata->outbuf, src, copy))
		return -EFAULT;
	if (clear_user(udata->outbuf + copy, udata->outlen - copy))
		return -EFAULT;
	return 0;
}

#define ib_respond_udata(udata, rep) \
	_ib_respond_udata(udata, &(rep), sizeof(rep))

static inline int ib_respond_empty_udata(struct ib_udata *udata)
{
	if (udata && udata->outlen && clear_user(udata->outbuf, udata->outlen))
		return -EFAULT;
	return 0;
}

static inline int ib_no_udata_io(struct ib_udata *udata)
{
	int err = ib_is_udata_in_empty(udata);

	return err ?: ib_respond_empty_udata(udata);
}
#endif

#ifndef XRDMA_HAVE_ALLOC_OBJ
/*
 * The last argument of the allocations is optional, and GFP_KERNEL if it is
 * missing: it is then the second argument of xrdma_compat_gfp().
 */
#define xrdma_compat_gfp(unused, gfp, ...) (gfp)

#define kzalloc_obj(obj, ...)						\
	kzalloc(sizeof(obj),						\
		xrdma_compat_gfp(, ##__VA_ARGS__, GFP_KERNEL))
#define kvzalloc_obj(obj, ...)						\
	kvzalloc(sizeof(obj),						\
		 xrdma_compat_gfp(, ##__VA_ARGS__, GFP_KERNEL))
#define kvzalloc_flex(obj, array, num, ...)				\
	kvzalloc(struct_size_t(typeof(obj), array, num),		\
		 xrdma_compat_gfp(, ##__VA_ARGS__, GFP_KERNEL))
#endif

#ifndef XRDMA_HAVE_ALLOC_DEVICE_WITH_NET
/* The kernel puts each new device into the initial network namespace. */
#define ib_alloc_device_with_net(drv_struct, member, net) \
	ib_alloc_device(drv_struct, member)
#define rdma_dev_net(ibdev) (&init_net)
#endif

#ifndef XRDMA_HAVE_PORT_STATE_EVENT
#include "port_event.h"
#endif

#ifndef XRDMA_HAVE_SET_RX_MODE_ASYNC
#include "rx_mode.h"
#endif

#ifndef XRDMA_HAVE_RX_RING_COUNT
#include "rx_rings.h"
#endif

#include "ops.h"

#endif /* XRDMA_COMPAT_H */

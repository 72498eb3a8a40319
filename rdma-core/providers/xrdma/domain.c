// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: thread domains and parent domains. A parent domain stands for
 * a protection domain. It adds a thread domain, whose objects have no locks, or
 * an allocator, which buf.c calls for rings and records. The driver knows of
 * neither. Protection domains are in ah_pd.c.
 */

#include <errno.h>
#include <stdlib.h>

#include "xrdma.h"

#define XRDMA_PARENT_MASK (IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS | \
			   IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT)

/**
 * xrdma_alloc_td() - ibv_alloc_td()
 * @ibctx: open device
 * @attr: attributes; none is defined
 *
 * Return: the thread domain, or NULL and errno.
 */
struct ibv_td *xrdma_alloc_td(struct ibv_context *ibctx,
			      struct ibv_td_init_attr *attr)
{
	struct xrdma_td *td;

	if (attr->comp_mask) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	td = calloc(1, sizeof(*td));
	if (!td)
		return NULL;

	td->ibv_td.context = ibctx;
	return &td->ibv_td;
}

/**
 * xrdma_dealloc_td() - ibv_dealloc_td()
 * @ibtd: thread domain
 *
 * Return: 0; EBUSY: a parent domain names this thread domain.
 */
int xrdma_dealloc_td(struct ibv_td *ibtd)
{
	struct xrdma_td *td = to_xtd(ibtd);

	if (atomic_load(&td->users))
		return EBUSY;
	free(td);
	return 0;
}

static int xrdma_check_parent(const struct ibv_parent_domain_init_attr *attr)
{
	if (!attr->pd)
		return EINVAL;
	if (attr->comp_mask & ~XRDMA_PARENT_MASK)
		return EOPNOTSUPP;
	if (attr->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS &&
	    (!attr->alloc || !attr->free))
		return EINVAL;
	/* The pd of a parent domain must be a protection domain. */
	return to_xpd(attr->pd)->base ? EINVAL : 0;
}

/**
 * xrdma_alloc_parent_domain() - ibv_alloc_parent_domain()
 * @ibctx: open device
 * @attr: protection domain, thread domain and allocator
 *
 * Return: the parent domain, or NULL and errno.
 */
struct ibv_pd *
xrdma_alloc_parent_domain(struct ibv_context *ibctx,
			  struct ibv_parent_domain_init_attr *attr)
{
	struct xrdma_pd *pd;
	int err;

	err = xrdma_check_parent(attr);
	if (err) {
		errno = err;
		return NULL;
	}
	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return NULL;

	ibv_initialize_parent_domain(&pd->ibv_pd, attr->pd);
	pd->base = to_xpd(attr->pd);
	pd->pdn = pd->base->pdn;
	atomic_fetch_add(&pd->base->users, 1);
	if (attr->td) {
		pd->td = to_xtd(attr->td);
		atomic_fetch_add(&pd->td->users, 1);
	}
	if (attr->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS) {
		pd->alloc = attr->alloc;
		pd->free = attr->free;
	}
	if (attr->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT)
		pd->context = attr->pd_context;
	return &pd->ibv_pd;
}

/**
 * xrdma_dealloc_parent_domain() - ibv_dealloc_pd() of a parent domain
 * @pd: parent domain
 *
 * Return: 0; EBUSY: queues that were created in the domain still exist.
 */
int xrdma_dealloc_parent_domain(struct xrdma_pd *pd)
{
	if (atomic_load(&pd->users))
		return EBUSY;

	atomic_fetch_sub(&pd->base->users, 1);
	if (pd->td)
		atomic_fetch_sub(&pd->td->users, 1);
	free(pd);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA address vectors, address handles and multicast groups: prototypes of
 * xrdma_ah.c.
 */

#ifndef XRDMA_AH_H
#define XRDMA_AH_H

#include <rdma/ib_verbs.h>
#include "xrdma_hw.h"

struct xrdma_caps;

/**
 * struct xrdma_ah - address handle
 * @ibah: verbs object
 * @av: address vector, which xrdma_wqe.c copies into send entries
 */
struct xrdma_ah {
	struct ib_ah ibah;
	struct xrdma_av av;
};

static inline struct xrdma_ah *to_xah(struct ib_ah *ibah)
{
	return container_of(ibah, struct xrdma_ah, ibah);
}

/* xrdma_ah.c */
void xrdma_make_av(struct xrdma_av *av, const struct rdma_ah_attr *attr);
void xrdma_read_av(struct rdma_ah_attr *attr, struct xrdma_av *av);
bool xrdma_ah_attr_ok(const struct xrdma_caps *caps,
		      const struct rdma_ah_attr *attr);
int xrdma_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		    struct ib_udata *udata);
int xrdma_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int xrdma_destroy_ah(struct ib_ah *ibah, u32 flags);
int xrdma_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
int xrdma_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);

#endif /* XRDMA_AH_H */

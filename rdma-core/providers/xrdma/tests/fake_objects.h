/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What commands without rings were given, for tests to look at. Must not know:
 * the provider's objects.
 */

#ifndef FAKE_OBJECTS_H
#define FAKE_OBJECTS_H

#include <infiniband/verbs.h>
#include <rdma/xrdma-abi.h>

/* What the driver says of the next address. */
extern struct xrdma_av fake_av;
/* What the last queue pair of RSS was asked for with. */
extern struct xrdma_ureq_create_rss fake_last_rss;
extern struct ibv_qp_init_attr_ex fake_last_attr;
/* How many objects without rings there are. */
extern unsigned int fake_objects;

#endif /* FAKE_OBJECTS_H */

/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Requests and replies of the commands in fake_objects.c, for tests.
 */

#ifndef FAKE_OBJECTS_H
#define FAKE_OBJECTS_H

#include <infiniband/verbs.h>
#include <rdma/xrdma-abi.h>

/* Address vector with which the driver replies to CREATE_AH. */
extern struct xrdma_av fake_av;
/* Request for the last queue pair with an indirection table. */
extern struct xrdma_ureq_create_rss fake_last_rss;
extern struct ibv_qp_init_attr_ex fake_last_attr;
/* Number of objects without rings that exist. */
extern unsigned int fake_objects;

#endif /* FAKE_OBJECTS_H */

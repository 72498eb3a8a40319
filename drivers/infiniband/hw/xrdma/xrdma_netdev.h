/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA Ethernet port: the prototypes of xrdma_netdev.c that other files use.
 * The network device outlives the RDMA device to which it is attached.
 * Structures of the port are in xrdma_eth.h.
 */

#ifndef XRDMA_NETDEV_H
#define XRDMA_NETDEV_H

#include <linux/types.h>

struct net_device;
struct xrdma_ibdev;

/* xrdma_netdev.c */
struct net_device *xrdma_netdev_create(struct xrdma_ibdev *xib);
void xrdma_netdev_destroy(struct net_device *ndev);
int xrdma_netdev_attach(struct xrdma_ibdev *xib, struct net_device *ndev);
void xrdma_netdev_detach(struct xrdma_ibdev *xib);
void xrdma_netdev_link(struct xrdma_ibdev *xib, bool up);

#endif /* XRDMA_NETDEV_H */

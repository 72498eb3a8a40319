/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA queries of device and port, and the GID table: functions of xrdma_query.c
 * and xrdma_gid.c.
 */

#ifndef XRDMA_QUERY_H
#define XRDMA_QUERY_H

#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

struct xrdma_ibdev;

/* xrdma_query.c */
extern const struct uapi_definition xrdma_query_uapi_defs[];
int xrdma_modify_device(struct ib_device *ibdev, int mask,
			struct ib_device_modify *modify);
int xrdma_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
		       struct ib_udata *udata);
int xrdma_query_port(struct ib_device *ibdev, u32 port,
		     struct ib_port_attr *attr);
int xrdma_get_port_immutable(struct ib_device *ibdev, u32 port,
			     struct ib_port_immutable *immutable);
enum ib_mtu xrdma_active_mtu(struct xrdma_ibdev *xib);
enum rdma_link_layer xrdma_get_link_layer(struct ib_device *ibdev, u32 port);
int xrdma_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey);
void xrdma_get_dev_fw_str(struct ib_device *ibdev, char *str);

/* xrdma_gid.c */
int xrdma_add_gid(const struct ib_gid_attr *attr, void **context);
int xrdma_del_gid(const struct ib_gid_attr *attr, void **context);

#endif /* XRDMA_QUERY_H */

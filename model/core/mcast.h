/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Multicast groups: which there are, and which queue pairs are attached to
 * each. Must not know packets.
 */
#ifndef XRDMA_MODEL_MCAST_H
#define XRDMA_MODEL_MCAST_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "xrdma_hw.h"

struct xrdma_device;
struct xrdma_qp;

#define XRDMA_MAX_MCAST			128
#define XRDMA_QPN_MCAST			0xffffff

/**
 * struct xrdma_mcast_member - queue pair attached to a group
 * @qp: the queue pair
 * @link: its place in the group
 */
struct xrdma_mcast_member {
	struct xrdma_qp *qp;
	TAILQ_ENTRY(xrdma_mcast_member) link;
};

TAILQ_HEAD(xrdma_mcast_members, xrdma_mcast_member);

/**
 * struct xrdma_mcast_group - group with at least one queue pair
 * @gid: its address; IPv4 as ::ffff:a.b.c.d
 * @mac: where frames to it go
 * @members: queue pairs attached
 */
struct xrdma_mcast_group {
	u8 gid[16];
	u8 mac[6];
	struct xrdma_mcast_members members;
};

/**
 * struct xrdma_mcast - all groups
 * @groups: in no order
 * @num: how many
 */
struct xrdma_mcast {
	struct xrdma_mcast_group *groups[XRDMA_MAX_MCAST];
	u32 num;
};

enum xrdma_cmd_status xrdma_mcast_attach(struct xrdma_device *dev,
					 const struct xrdma_cmd_mcast *p);
enum xrdma_cmd_status xrdma_mcast_detach(struct xrdma_device *dev,
					 const struct xrdma_cmd_mcast *p);
const struct xrdma_mcast_group *
xrdma_mcast_find(const struct xrdma_device *dev, const u8 *gid);
bool xrdma_mcast_wanted(const struct xrdma_device *dev, const u8 *mac);
void xrdma_mcast_reset(struct xrdma_device *dev);

#endif /* XRDMA_MODEL_MCAST_H */

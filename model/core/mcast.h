/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Multicast groups, and the queue pairs that are attached to them.
 * transport/ud.c delivers the packets.
 */
#ifndef MODEL_MCAST_H
#define MODEL_MCAST_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "xrdma_hw.h"

struct model_device;
struct model_qp;

#define MODEL_MAX_MCAST			128

/**
 * struct model_mcast_member - queue pair attached to a group
 * @qp: the queue pair
 * @link: link of model_mcast_group.members
 */
struct model_mcast_member {
	struct model_qp *qp;
	TAILQ_ENTRY(model_mcast_member) link;
};

TAILQ_HEAD(model_mcast_members, model_mcast_member);

/**
 * struct model_mcast_group - group with at least one queue pair
 * @gid: address of the group; IPv4 as ::ffff:a.b.c.d
 * @mac: destination MAC address of frames to the group
 * @members: attached queue pairs
 */
struct model_mcast_group {
	u8 gid[16];
	u8 mac[6];
	struct model_mcast_members members;
};

/**
 * struct model_mcast - all groups
 * @groups: the groups, in no order
 * @num: number of entries in @groups
 */
struct model_mcast {
	struct model_mcast_group *groups[MODEL_MAX_MCAST];
	u32 num;
};

enum xrdma_cmd_status model_mcast_attach(struct model_device *dev,
					 const struct xrdma_cmd_mcast *p);
enum xrdma_cmd_status model_mcast_detach(struct model_device *dev,
					 const struct xrdma_cmd_mcast *p);
const struct model_mcast_group *
model_mcast_find(const struct model_device *dev, const u8 *gid);
bool model_mcast_wanted(const struct model_device *dev, const u8 *mac);
void model_mcast_reset(struct model_device *dev);

#endif /* MODEL_MCAST_H */

/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Multicast groups: which there are, and which queue pairs are attached to
 * each. Must not know packets.
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
 * @link: its place in the group
 */
struct model_mcast_member {
	struct model_qp *qp;
	TAILQ_ENTRY(model_mcast_member) link;
};

TAILQ_HEAD(model_mcast_members, model_mcast_member);

/**
 * struct model_mcast_group - group with at least one queue pair
 * @gid: its address; IPv4 as ::ffff:a.b.c.d
 * @mac: where frames to it go
 * @members: queue pairs attached
 */
struct model_mcast_group {
	u8 gid[16];
	u8 mac[6];
	struct model_mcast_members members;
};

/**
 * struct model_mcast - all groups
 * @groups: in no order
 * @num: how many
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

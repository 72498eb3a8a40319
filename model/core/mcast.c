// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Multicast groups: ATTACH_MCAST, DETACH_MCAST, and look-ups. A group exists
 * while a queue pair is attached to it. transport/ud.c delivers the packets.
 */
#include <stdlib.h>
#include <string.h>

#include "core/device.h"
#include "core/mcast.h"

static const u8 ipv4_prefix[12] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff
};

static bool is_ipv4(const u8 *gid)
{
	return !memcmp(gid, ipv4_prefix, sizeof(ipv4_prefix));
}

static bool is_multicast(const u8 *gid)
{
	return gid[0] == 0xff || (is_ipv4(gid) && gid[12] >> 4 == 0xe);
}

/* MAC address of a group: has the low bits of the GID (RFC 1112, RFC 2464). */
static void group_mac(const u8 *gid, u8 *mac)
{
	if (is_ipv4(gid)) {
		mac[0] = 0x01;
		mac[1] = 0x00;
		mac[2] = 0x5e;
		mac[3] = gid[13] & 0x7f;
		memcpy(mac + 4, gid + 14, 2);
	} else {
		mac[0] = 0x33;
		mac[1] = 0x33;
		memcpy(mac + 2, gid + 12, 4);
	}
}

static u32 index_of(const struct model_device *dev, const u8 *gid)
{
	u32 i;

	for (i = 0; i < dev->mcast.num; i++)
		if (!memcmp(dev->mcast.groups[i]->gid, gid, 16))
			break;
	return i;
}

/**
 * model_mcast_find - find the group of an address
 * @dev: the device
 * @gid: the address, in network byte order
 *
 * Return: the group, or NULL if no queue pair is attached to it.
 */
const struct model_mcast_group *
model_mcast_find(const struct model_device *dev, const u8 *gid)
{
	u32 i = index_of(dev, gid);

	return i < dev->mcast.num ? dev->mcast.groups[i] : NULL;
}

/**
 * model_mcast_wanted - check whether frames to a MAC address are received
 * @dev: the device
 * @mac: destination MAC address of a frame
 *
 * Return: true if a queue pair is attached to a group with this MAC address.
 */
bool model_mcast_wanted(const struct model_device *dev, const u8 *mac)
{
	u32 i;

	if (!(mac[0] & 1))
		return false;
	for (i = 0; i < dev->mcast.num; i++)
		if (!memcmp(dev->mcast.groups[i]->mac, mac, 6))
			return true;
	return false;
}

static struct model_mcast_member *
find_member(const struct model_mcast_group *group, const struct model_qp *qp)
{
	struct model_mcast_member *member;

	TAILQ_FOREACH(member, &group->members, link)
		if (member->qp == qp)
			return member;
	return NULL;
}

/* Find the group of an address, or make it. Return: NULL without room. */
static struct model_mcast_group *get_group(struct model_device *dev,
					   const u8 *gid)
{
	u32 i = index_of(dev, gid);
	struct model_mcast_group *group;

	if (i < dev->mcast.num)
		return dev->mcast.groups[i];
	if (i == MODEL_MAX_MCAST)
		return NULL;
	group = calloc(1, sizeof(*group));
	if (!group)
		return NULL;
	memcpy(group->gid, gid, sizeof(group->gid));
	group_mac(gid, group->mac);
	TAILQ_INIT(&group->members);
	dev->mcast.groups[i] = group;
	dev->mcast.num++;
	return group;
}

static void put_group(struct model_device *dev, struct model_mcast_group *group)
{
	u32 i = index_of(dev, group->gid);

	if (!TAILQ_EMPTY(&group->members))
		return;
	dev->mcast.groups[i] = dev->mcast.groups[--dev->mcast.num];
	free(group);
}

static void remove_member(struct model_mcast_group *group,
			  struct model_mcast_member *member)
{
	TAILQ_REMOVE(&group->members, member, link);
	member->qp->groups--;
	free(member);
}

static enum xrdma_cmd_status add_member(struct model_device *dev,
					struct model_mcast_group *group,
					struct model_qp *qp)
{
	struct model_mcast_member *member;

	if (find_member(group, qp))
		return XRDMA_CMD_BAD_NUMBER;
	member = calloc(1, sizeof(*member));
	if (!member) {
		put_group(dev, group);
		return XRDMA_CMD_NO_RESOURCE;
	}
	member->qp = qp;
	qp->groups++;
	TAILQ_INSERT_TAIL(&group->members, member, link);
	return XRDMA_CMD_OK;
}

static enum xrdma_cmd_status check(const struct model_qp *qp,
				   const struct xrdma_cmd_mcast *p)
{
	if (!qp)
		return XRDMA_CMD_BAD_NUMBER;
	if (p->reserved || !is_multicast(p->gid) || qp->type != XRDMA_QP_UD)
		return XRDMA_CMD_BAD_PARAM;
	return XRDMA_CMD_OK;
}

/**
 * model_mcast_attach - ATTACH_MCAST
 * @dev: the device
 * @p: body of the command
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status model_mcast_attach(struct model_device *dev,
					 const struct xrdma_cmd_mcast *p)
{
	struct model_qp *qp = model_qp_get(dev, le32_to_cpu(p->qpn));
	enum xrdma_cmd_status status = check(qp, p);
	struct model_mcast_group *group;

	if (status)
		return status;
	group = get_group(dev, p->gid);
	return group ? add_member(dev, group, qp) : XRDMA_CMD_NO_RESOURCE;
}

/**
 * model_mcast_detach - DETACH_MCAST
 * @dev: the device
 * @p: body of the command
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status model_mcast_detach(struct model_device *dev,
					 const struct xrdma_cmd_mcast *p)
{
	struct model_qp *qp = model_qp_get(dev, le32_to_cpu(p->qpn));
	enum xrdma_cmd_status status = check(qp, p);
	struct model_mcast_member *member = NULL;
	u32 i = index_of(dev, p->gid);

	if (status)
		return status;
	if (i < dev->mcast.num)
		member = find_member(dev->mcast.groups[i], qp);
	if (!member)
		return XRDMA_CMD_BAD_NUMBER;
	remove_member(dev->mcast.groups[i], member);
	put_group(dev, dev->mcast.groups[i]);
	return XRDMA_CMD_OK;
}

/**
 * model_mcast_reset - remove all groups
 * @dev: the device; its queue pairs still exist
 */
void model_mcast_reset(struct model_device *dev)
{
	struct model_mcast_member *member;
	struct model_mcast_group *group;

	while (dev->mcast.num) {
		group = dev->mcast.groups[0];
		while ((member = TAILQ_FIRST(&group->members)) != NULL)
			remove_member(group, member);
		put_group(dev, group);
	}
}

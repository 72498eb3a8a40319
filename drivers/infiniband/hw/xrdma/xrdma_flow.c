// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA flow rules: convert the specifications of verbs to one value and one
 * mask, and tell the device to which raw packet queue pair it delivers matching
 * frames. This file uses only the numbers of queue pairs, which are in
 * xrdma_qp.c and xrdma_rss.c.
 */

#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>
#include "xrdma_cmd.h"
#include "xrdma_flow.h"
#include "xrdma_ibdev.h"
#include "xrdma_rss.h"
#include "xrdma_rwq.h"

/* Priorities: the rules for default traffic match after those of consumers. */
#define XRDMA_FLOW_PRIORITY_MAX		0xfffd
#define XRDMA_FLOW_PRIORITY_MC		0xfffe
#define XRDMA_FLOW_PRIORITY_ALL		0xffff

/* ---- one field ------------------------------------------------------------- */

/*
 * Add value and mask of a field to a rule. Return: -EINVAL if the rule already
 * has another value for a bit that both masks have.
 */
static int xrdma_flow_add(struct xrdma_flow_rule *rule, size_t offset,
			  const void *value, const void *mask, size_t size)
{
	u8 *to_value = (u8 *)&rule->value + offset;
	u8 *to_mask = (u8 *)&rule->mask + offset;
	const u8 *from_value = value, *from_mask = mask;
	size_t i;

	for (i = 0; i < size; i++) {
		if ((to_value[i] ^ from_value[i]) & to_mask[i] & from_mask[i])
			return -EINVAL;
		to_mask[i] |= from_mask[i];
		to_value[i] |= from_value[i] & from_mask[i];
	}
	return 0;
}

#define xrdma_flow_put(rule, field, val, msk)				\
	xrdma_flow_add(rule, offsetof(struct xrdma_flow_fields, field),	\
		       &(val), &(msk), sizeof(val))

static int xrdma_flow_put_ether_type(struct xrdma_flow_rule *rule, u16 type)
{
	__be16 value = cpu_to_be16(type);
	__be16 mask = cpu_to_be16(U16_MAX);

	return xrdma_flow_put(rule, ether_type, value, mask);
}

static int xrdma_flow_put_proto(struct xrdma_flow_rule *rule, u8 value)
{
	u8 mask = U8_MAX;

	return xrdma_flow_put(rule, ip_proto, value, mask);
}

/* ---- specifications ---------------------------------------------------------- */

static int xrdma_flow_eth(struct xrdma_flow_rule *rule,
			  const union ib_flow_spec *spec)
{
	const struct ib_flow_eth_filter *val = &spec->eth.val;
	const struct ib_flow_eth_filter *mask = &spec->eth.mask;

	return xrdma_flow_put(rule, dmac, val->dst_mac, mask->dst_mac) ?:
	       xrdma_flow_put(rule, smac, val->src_mac, mask->src_mac) ?:
	       xrdma_flow_put(rule, ether_type, val->ether_type,
			      mask->ether_type) ?:
	       xrdma_flow_put(rule, vlan_tci, val->vlan_tag, mask->vlan_tag);
}

/*
 * An IPv4 address is in the last 4 bytes of a field of 16. The first 12 bytes
 * have mask 0: the Ethernet type of the rule excludes IPv6.
 */
static int xrdma_flow_put_ipv4(struct xrdma_flow_rule *rule, size_t offset,
			       const __be32 *val, const __be32 *mask)
{
	return xrdma_flow_add(rule, offset + 12, val, mask, sizeof(*val));
}

static int xrdma_flow_ipv4(struct xrdma_flow_rule *rule,
			   const union ib_flow_spec *spec)
{
	const struct ib_flow_ipv4_filter *val = &spec->ipv4.val;
	const struct ib_flow_ipv4_filter *mask = &spec->ipv4.mask;

	if (mask->flags)
		return -EOPNOTSUPP;
	return xrdma_flow_put_ether_type(rule, ETH_P_IP) ?:
	       xrdma_flow_put_ipv4(rule,
				   offsetof(struct xrdma_flow_fields, src_ip),
				   &val->src_ip, &mask->src_ip) ?:
	       xrdma_flow_put_ipv4(rule,
				   offsetof(struct xrdma_flow_fields, dst_ip),
				   &val->dst_ip, &mask->dst_ip) ?:
	       xrdma_flow_put(rule, ip_proto, val->proto, mask->proto) ?:
	       xrdma_flow_put(rule, traffic_class, val->tos, mask->tos) ?:
	       xrdma_flow_put(rule, hop_limit, val->ttl, mask->ttl);
}

static int xrdma_flow_ipv6(struct xrdma_flow_rule *rule,
			   const union ib_flow_spec *spec)
{
	const struct ib_flow_ipv6_filter *val = &spec->ipv6.val;
	const struct ib_flow_ipv6_filter *mask = &spec->ipv6.mask;
	__be32 label = val->flow_label;
	__be32 label_mask = mask->flow_label & cpu_to_be32(XRDMA_FLOW_LABEL);

	return xrdma_flow_put_ether_type(rule, ETH_P_IPV6) ?:
	       xrdma_flow_put(rule, src_ip, val->src_ip, mask->src_ip) ?:
	       xrdma_flow_put(rule, dst_ip, val->dst_ip, mask->dst_ip) ?:
	       xrdma_flow_put(rule, flow_label, label, label_mask) ?:
	       xrdma_flow_put(rule, ip_proto, val->next_hdr, mask->next_hdr) ?:
	       xrdma_flow_put(rule, traffic_class, val->traffic_class,
			      mask->traffic_class) ?:
	       xrdma_flow_put(rule, hop_limit, val->hop_limit,
			      mask->hop_limit);
}

static int xrdma_flow_ports(struct xrdma_flow_rule *rule,
			    const union ib_flow_spec *spec)
{
	const struct ib_flow_tcp_udp_filter *val = &spec->tcp_udp.val;
	const struct ib_flow_tcp_udp_filter *mask = &spec->tcp_udp.mask;
	bool tcp = spec->type == IB_FLOW_SPEC_TCP;

	return xrdma_flow_put_proto(rule, tcp ? IPPROTO_TCP : IPPROTO_UDP) ?:
	       xrdma_flow_put(rule, src_port, val->src_port, mask->src_port) ?:
	       xrdma_flow_put(rule, dst_port, val->dst_port, mask->dst_port);
}

static int xrdma_flow_spec(struct xrdma_flow_rule *rule,
			   const union ib_flow_spec *spec)
{
	switch (spec->type) {
	case IB_FLOW_SPEC_ETH:
		return xrdma_flow_eth(rule, spec);
	case IB_FLOW_SPEC_IPV4:
		return xrdma_flow_ipv4(rule, spec);
	case IB_FLOW_SPEC_IPV6:
		return xrdma_flow_ipv6(rule, spec);
	case IB_FLOW_SPEC_TCP:
	case IB_FLOW_SPEC_UDP:
		return xrdma_flow_ports(rule, spec);
	default:
		return -EOPNOTSUPP;
	}
}

static int xrdma_flow_specs(struct xrdma_flow_rule *rule,
			    const struct ib_flow_attr *attr)
{
	const void *spec = attr->flows;
	int err = 0;
	u8 i;

	for (i = 0; !err && i < attr->num_of_specs; i++) {
		err = xrdma_flow_spec(rule, spec);
		spec += ((const union ib_flow_spec *)spec)->size;
	}
	return err;
}

/* ---- rules --------------------------------------------------------------------- */

/**
 * struct xrdma_flow_order - priority and flags of a rule
 * @priority: the matching rule with the lowest value gets the frame
 * @flags: XRDMA_FLOW_*
 */
struct xrdma_flow_order {
	u16 priority;
	u16 flags;
};

static int xrdma_flow_normal(struct xrdma_flow_rule *rule,
			     struct xrdma_flow_order *order,
			     const struct ib_flow_attr *attr)
{
	if (attr->priority > XRDMA_FLOW_PRIORITY_MAX)
		return -EINVAL;
	order->priority = attr->priority;
	if (attr->flags & IB_FLOW_ATTR_FLAGS_DONT_TRAP)
		order->flags = XRDMA_FLOW_COPY;
	return xrdma_flow_specs(rule, attr);
}

static int xrdma_flow_make(struct xrdma_flow_rule *rule,
			   struct xrdma_flow_order *order,
			   const struct ib_flow_attr *attr)
{
	if (attr->flags & ~(u32)IB_FLOW_ATTR_FLAGS_DONT_TRAP)
		return -EOPNOTSUPP;
	if (attr->type == IB_FLOW_ATTR_NORMAL)
		return xrdma_flow_normal(rule, order, attr);
	if (attr->num_of_specs)
		return -EINVAL;

	switch (attr->type) {
	case IB_FLOW_ATTR_ALL_DEFAULT:
		order->priority = XRDMA_FLOW_PRIORITY_ALL;
		return 0;
	case IB_FLOW_ATTR_MC_DEFAULT:
		order->priority = XRDMA_FLOW_PRIORITY_MC;
		/* bit 0 of the first byte marks a multicast address */
		rule->value.dmac[0] = 1;
		rule->mask.dmac[0] = 1;
		return 0;
	case IB_FLOW_ATTR_SNIFFER:
		order->flags = XRDMA_FLOW_COPY;
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

static int xrdma_flow_start(struct xrdma_ibdev *xib, struct xrdma_flow *flow,
			    u32 qpn, const struct xrdma_flow_rule *rule,
			    const struct xrdma_flow_order *order)
{
	int number, err;

	number = ida_alloc_max(&xib->flows, xib->hw.caps.max_flows - 1,
			       GFP_KERNEL);
	if (number < 0)
		return number == -ENOSPC ? -ENOMEM : number;
	err = xrdma_cmd_create_flow(&xib->hw, number, qpn, order->priority,
				    order->flags, rule);
	if (err)
		ida_free(&xib->flows, number);
	else
		flow->number = number;
	return err;
}

/**
 * xrdma_create_flow() - ib_device_ops.create_flow
 * @ibqp: raw packet queue pair that gets the frames
 * @attr: type, priority and specifications of the rule
 * @udata: no driver data in either direction
 *
 * Context: may sleep.
 * Return: the rule; -EOPNOTSUPP for a queue pair, flag or specification that is
 * not supported, -EINVAL for specifications that contradict each other or a
 * priority out of range, -ENOMEM when numbers or memory run out, or an error of
 * the command.
 */
struct ib_flow *xrdma_create_flow(struct ib_qp *ibqp,
				  struct ib_flow_attr *attr,
				  struct ib_udata *udata)
{
	struct xrdma_flow_rule rule = {};
	struct xrdma_flow_order order = {};
	struct xrdma_flow *flow;
	int err;

	err = ib_no_udata_io(udata);
	if (!err && ibqp->qp_type != IB_QPT_RAW_PACKET)
		err = -EOPNOTSUPP;
	if (!err)
		err = xrdma_flow_make(&rule, &order, attr);
	if (err)
		return ERR_PTR(err);

	flow = kzalloc_obj(*flow, GFP_KERNEL_ACCOUNT);
	if (!flow)
		return ERR_PTR(-ENOMEM);
	err = xrdma_flow_start(to_xibdev(ibqp->device), flow, ibqp->qp_num,
			       &rule, &order);
	if (err) {
		kfree(flow);
		return ERR_PTR(err);
	}
	return &flow->ibflow;
}

/**
 * xrdma_destroy_flow() - ib_device_ops.destroy_flow
 * @ibflow: the rule
 *
 * If the command fails, the number stays allocated, since the device may use
 * it.
 *
 * Context: may sleep.
 * Return: 0.
 */
int xrdma_destroy_flow(struct ib_flow *ibflow)
{
	struct xrdma_ibdev *xib = to_xibdev(ibflow->device);
	struct xrdma_flow *flow = to_xflow(ibflow);

	if (!xrdma_cmd_destroy_flow(&xib->hw, flow->number))
		ida_free(&xib->flows, flow->number);
	kfree(flow);
	return 0;
}

/* Operations of devices with XRDMA_CAP_FLOW */
const struct ib_device_ops xrdma_flow_ops = {
	.create_flow = xrdma_create_flow,
	.create_rwq_ind_table = xrdma_create_rwq_ind_table,
	.create_wq = xrdma_create_wq,
	.destroy_flow = xrdma_destroy_flow,
	.destroy_rwq_ind_table = xrdma_destroy_rwq_ind_table,
	.destroy_wq = xrdma_destroy_wq,
	.modify_wq = xrdma_modify_wq,
	.size_ib_rwq_ind_table = sizeof(struct ib_rwq_ind_table),
};

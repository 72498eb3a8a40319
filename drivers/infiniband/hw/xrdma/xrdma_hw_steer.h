/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA commands that steer Ethernet frames: flow rules, and receive side
 * scaling. Contract layer: must not know the driver, the PCI core or verbs.
 * Documentation/infiniband/xrdma-hw.rst explains each, with golden bytes.
 * Included by xrdma_hw_cmd.h.
 */

#ifndef XRDMA_HW_STEER_H
#define XRDMA_HW_STEER_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/types.h>

/**
 * struct xrdma_flow_fields - what of a frame a flow rule looks at
 * @dmac: destination address
 * @smac: source address
 * @ether_type: behind the VLAN tag, if there is one
 * @vlan_tci: VLAN tag; a frame without one has 0
 * @src_ip: source address, of IPv4 as ::ffff:a.b.c.d
 * @dst_ip: destination address, likewise
 * @src_port: of TCP or UDP
 * @dst_port: of TCP or UDP
 * @ip_proto: protocol of IPv4, next header of IPv6
 * @traffic_class: of IPv6, type of service of IPv4
 * @hop_limit: of IPv6, time to live of IPv4
 * @reserved: 0
 * @flow_label: of IPv6, 20 bits
 * @reserved2: 0
 *
 * All as on the wire. What a frame does not have is 0; so are the ports of all
 * but the first fragment.
 */
struct xrdma_flow_fields {
	__u8 dmac[6];
	__u8 smac[6];
	__be16 ether_type;
	__be16 vlan_tci;
	__u8 src_ip[16];
	__u8 dst_ip[16];
	__be16 src_port;
	__be16 dst_port;
	__u8 ip_proto;
	__u8 traffic_class;
	__u8 hop_limit;
	__u8 reserved;
	__be32 flow_label;
	__u8 reserved2[4];
};

/**
 * struct xrdma_flow_rule - a frame matches if its fields, under @mask, equal
 * @value
 * @value: bits outside of @mask are 0
 * @mask: bits that count; none: every frame matches
 */
struct xrdma_flow_rule {
	struct xrdma_flow_fields value;
	struct xrdma_flow_fields mask;
};

/**
 * struct xrdma_cmd_create_flow - body of CREATE_FLOW
 * @addr: of a struct xrdma_flow_rule, aligned to 64
 * @flow: number of the rule
 * @qpn: raw packet queue pair, or RSS object, that gets what matches
 * @priority: the lowest number that matches wins; among equals, the oldest
 * @flags: XRDMA_FLOW_*
 */
struct xrdma_cmd_create_flow {
	__le64 addr;
	__le32 flow;
	__le32 qpn;
	__le16 priority;
	__le16 flags;
};

/* The rule gets a copy; the frame goes on as if the rule did not exist. */
#define XRDMA_FLOW_COPY			BIT(0)

#define XRDMA_RSS_KEY_BYTES		40

/* Fields of the hash of receive side scaling. */
#define XRDMA_RSS_SRC_IPV4		BIT(0)
#define XRDMA_RSS_DST_IPV4		BIT(1)
#define XRDMA_RSS_SRC_IPV6		BIT(2)
#define XRDMA_RSS_DST_IPV6		BIT(3)
#define XRDMA_RSS_SRC_PORT_TCP		BIT(4)
#define XRDMA_RSS_DST_PORT_TCP		BIT(5)
#define XRDMA_RSS_SRC_PORT_UDP		BIT(6)
#define XRDMA_RSS_DST_PORT_UDP		BIT(7)
#define XRDMA_RSS_FIELDS		GENMASK(7, 0)

/**
 * struct xrdma_cmd_create_rss - body of CREATE_RSS
 * @addr: indirection table: array of 1 << @log_size QPNs, 32 bits each, of raw
 *	packet queue pairs; aligned to 4
 * @qpn: number of the RSS object, of the same space as queue pairs
 * @fields: XRDMA_RSS_*; 0: every frame goes to the first of the table
 * @log_size: log2 of the entries of the table
 * @reserved: 0
 * @key: of the Toeplitz hash
 */
struct xrdma_cmd_create_rss {
	__le64 addr;
	__le32 qpn;
	__u8 fields;
	__u8 log_size;
	__u8 reserved[2];
	__u8 key[XRDMA_RSS_KEY_BYTES];
};

static_assert(sizeof(struct xrdma_flow_fields) == 64);
static_assert(sizeof(struct xrdma_flow_rule) == 128);
static_assert(sizeof(struct xrdma_cmd_create_flow) == 24);
static_assert(sizeof(struct xrdma_cmd_create_rss) == 56);

#endif /* XRDMA_HW_STEER_H */

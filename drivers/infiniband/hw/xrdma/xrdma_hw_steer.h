/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA commands that steer Ethernet frames: flow rules, and receive side
 * scaling. All other commands are in xrdma_hw_cmd.h, which includes this file.
 * Contract layer: includes nothing of the driver, the PCI core or verbs.
 * Documentation/infiniband/xrdma-hw.rst specifies each structure, with golden
 * bytes.
 */

#ifndef XRDMA_HW_STEER_H
#define XRDMA_HW_STEER_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/types.h>

/**
 * struct xrdma_flow_fields - fields of a frame that a flow rule compares
 * @dmac: destination MAC address
 * @smac: source MAC address
 * @ether_type: EtherType, after the VLAN tag if there is one
 * @vlan_tci: VLAN tag; 0 in a frame without a tag
 * @src_ip: source address of IPv6, or of IPv4 as ::ffff:a.b.c.d
 * @dst_ip: destination address of IPv6, or of IPv4 as ::ffff:a.b.c.d
 * @src_port: source port of TCP or UDP
 * @dst_port: destination port of TCP or UDP
 * @ip_proto: protocol of IPv4, next header of IPv6
 * @traffic_class: traffic class of IPv6, type of service of IPv4
 * @hop_limit: hop limit of IPv6, time to live of IPv4
 * @reserved: 0
 * @flow_label: flow label of IPv6, 20 bits
 * @reserved2: 0
 *
 * All fields have the byte order of the wire. A field that a frame does not
 * have is 0. The ports of every IP fragment except the first are 0.
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
 * struct xrdma_flow_rule - which frames a flow rule matches
 * @value: values to compare with; bits that are clear in @mask are 0
 * @mask: bits to compare; if all bits are clear, every frame matches
 *
 * A frame matches if its fields, ANDed with @mask, equal @value.
 */
struct xrdma_flow_rule {
	struct xrdma_flow_fields value;
	struct xrdma_flow_fields mask;
};

/**
 * struct xrdma_cmd_create_flow - body of CREATE_FLOW
 * @addr: bus address of a struct xrdma_flow_rule, aligned to 64
 * @flow: number of the rule
 * @qpn: number of the raw packet queue pair, or RSS object, that receives the
 *	frames that match
 * @priority: of all rules that match a frame, the rule with the lowest number
 *	receives it; among equals, the oldest rule
 * @flags: XRDMA_FLOW_*
 */
struct xrdma_cmd_create_flow {
	__le64 addr;
	__le32 flow;
	__le32 qpn;
	__le16 priority;
	__le16 flags;
};

/*
 * The queue pair of the rule receives a copy; the device handles the frame as
 * if the rule did not exist.
 */
#define XRDMA_FLOW_COPY			BIT(0) /* copy frames, do not take them */

#define XRDMA_RSS_KEY_BYTES		40 /* length of the hash key */

/* Fields that the hash of receive side scaling covers */
#define XRDMA_RSS_SRC_IPV4		BIT(0) /* IPv4 source address */
#define XRDMA_RSS_DST_IPV4		BIT(1) /* IPv4 destination address */
#define XRDMA_RSS_SRC_IPV6		BIT(2) /* IPv6 source address */
#define XRDMA_RSS_DST_IPV6		BIT(3) /* IPv6 destination address */
#define XRDMA_RSS_SRC_PORT_TCP		BIT(4) /* TCP source port */
#define XRDMA_RSS_DST_PORT_TCP		BIT(5) /* TCP destination port */
#define XRDMA_RSS_SRC_PORT_UDP		BIT(6) /* UDP source port */
#define XRDMA_RSS_DST_PORT_UDP		BIT(7) /* UDP destination port */
#define XRDMA_RSS_FIELDS		GENMASK(7, 0) /* all of these */

/**
 * struct xrdma_cmd_create_rss - body of CREATE_RSS
 * @addr: bus address of the indirection table, an array of 1 << @log_size QPNs
 *	of raw packet queue pairs, 32 bits each; aligned to 4
 * @qpn: number of the RSS object; unique among queue pairs and RSS objects
 * @fields: XRDMA_RSS_*: fields to hash; 0: every frame goes to entry 0 of the
 *	table
 * @log_size: log2 of the number of entries of the table
 * @reserved: 0
 * @key: key of the Toeplitz hash
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

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Parser of the fields of a frame that flow rules (core/flow.c) and receive
 * side scaling (core/rss.c) use. The frame may be malformed: a field that the
 * frame lacks, or that cannot be read, is 0.
 */
#include <linux/bitfield.h>
#include <string.h>

#include "base/bytes.h"
#include "packet/flow_fields.h"
#include "packet/net.h"

#define ETH_P_IPV4		0x0800
#define ETH_P_VLAN		0x8100
#define ETH_P_IPV6_		0x86dd
#define IPPROTO_TCP_		6
#define IPPROTO_UDP_		17
#define IPV4_OFFSET		0x1fff /* offset of a fragment */
#define PORT_BYTES		4 /* both ports, first in TCP and UDP headers */

#define HAS_IPV4	(XRDMA_RSS_SRC_IPV4 | XRDMA_RSS_DST_IPV4)
#define HAS_IPV6	(XRDMA_RSS_SRC_IPV6 | XRDMA_RSS_DST_IPV6)
#define HAS_TCP		(XRDMA_RSS_SRC_PORT_TCP | XRDMA_RSS_DST_PORT_TCP)
#define HAS_UDP		(XRDMA_RSS_SRC_PORT_UDP | XRDMA_RSS_DST_PORT_UDP)

/* Return: HAS_TCP or HAS_UDP if the frame has ports, else 0. */
static u8 get_ports(struct xrdma_flow_fields *f, const u8 *l4, u32 avail)
{
	if (avail < PORT_BYTES ||
	    (f->ip_proto != IPPROTO_TCP_ && f->ip_proto != IPPROTO_UDP_))
		return 0;
	memcpy(&f->src_port, l4, sizeof(f->src_port));
	memcpy(&f->dst_port, l4 + 2, sizeof(f->dst_port));
	return f->ip_proto == IPPROTO_TCP_ ? HAS_TCP : HAS_UDP;
}

static void put_ipv4(u8 *to, const u8 *addr)
{
	to[10] = 0xff;
	to[11] = 0xff;
	memcpy(to + 12, addr, 4);
}

static u8 get_ipv4(struct xrdma_flow_fields *f, const u8 *ip, u32 avail)
{
	u32 ihl;

	if (avail < MODEL_IPV4_BYTES || ip[0] >> 4 != 4)
		return 0;
	ihl = (ip[0] & 0xf) * 4;
	if (ihl < MODEL_IPV4_BYTES || ihl > avail)
		return 0;
	f->traffic_class = ip[1];
	f->hop_limit = ip[8];
	f->ip_proto = ip[9];
	put_ipv4(f->src_ip, ip + 12);
	put_ipv4(f->dst_ip, ip + 16);
	if (model_get16(ip + 6) & IPV4_OFFSET)
		return HAS_IPV4;
	return HAS_IPV4 | get_ports(f, ip + ihl, avail - ihl);
}

static u8 get_ipv6(struct xrdma_flow_fields *f, const u8 *ip, u32 avail)
{
	if (avail < MODEL_IPV6_BYTES || ip[0] >> 4 != 6)
		return 0;
	f->traffic_class = model_get16(ip) >> 4;
	f->flow_label = cpu_to_be32(model_get32(ip) & 0xfffff);
	f->ip_proto = ip[6];
	f->hop_limit = ip[7];
	memcpy(f->src_ip, ip + 8, sizeof(f->src_ip));
	memcpy(f->dst_ip, ip + 24, sizeof(f->dst_ip));
	return HAS_IPV6 | get_ports(f, ip + MODEL_IPV6_BYTES,
				    avail - MODEL_IPV6_BYTES);
}

/**
 * model_flow_fields() - parse the fields of a frame
 * @fields: filled in
 * @frame: the frame, at least an Ethernet header
 * @len: bytes of the frame
 *
 * Return: XRDMA_RSS_* of the addresses and ports that the frame has.
 */
u8 model_flow_fields(struct xrdma_flow_fields *fields, const u8 *frame, u32 len)
{
	u32 l3 = MODEL_ETH_BYTES;

	memset(fields, 0, sizeof(*fields));
	memcpy(fields->dmac, frame, sizeof(fields->dmac));
	memcpy(fields->smac, frame + 6, sizeof(fields->smac));
	if (model_get16(frame + 12) == ETH_P_VLAN &&
	    len >= MODEL_ETH_BYTES + MODEL_VLAN_BYTES) {
		memcpy(&fields->vlan_tci, frame + 14, sizeof(fields->vlan_tci));
		l3 += MODEL_VLAN_BYTES;
	}
	memcpy(&fields->ether_type, frame + l3 - 2, sizeof(fields->ether_type));
	switch (be16_to_cpu(fields->ether_type)) {
	case ETH_P_IPV4:
		return get_ipv4(fields, frame + l3, len - l3);
	case ETH_P_IPV6_:
		return get_ipv6(fields, frame + l3, len - l3);
	default:
		return 0;
	}
}

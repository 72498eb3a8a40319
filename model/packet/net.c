// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ethernet, IP and UDP headers of RoCEv2 packets: parser and writer. The
 * transport headers are in packet/pkt.c.
 */

#include <string.h>

#include "base/bytes.h"
#include "packet/net.h"
#include "packet/opcode.h"

#define ETH_P_IPV4		0x0800
#define ETH_P_VLAN		0x8100
#define ETH_P_IPV6_		0x86dd
#define IPPROTO_UDP_		17
#define IPV4_DF			0x4000
#define IPV4_FRAGMENT		0x3fff /* MF and offset */
#define ROCE_MIN		(MODEL_BTH_BYTES + MODEL_ICRC_BYTES)

static const u8 ipv4_prefix[12] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff,
};

#define RX_NAME(symbol, name) [MODEL_RX_##symbol] = name,

static const char * const rx_names[MODEL_RX_NUM] = {
	MODEL_RX_VERDICTS(RX_NAME)
};

/**
 * model_rx_name() - get the name of a verdict
 * @rx: the verdict
 *
 * Return: the name in MODEL_RX_VERDICTS.
 */
const char *model_rx_name(enum model_rx rx)
{
	return rx_names[rx];
}

/**
 * model_gid_is_ipv4() - check whether a GID holds an IPv4 address
 * @gid: 16 bytes
 *
 * Return: true for ::ffff:a.b.c.d.
 */
bool model_gid_is_ipv4(const u8 *gid)
{
	return !memcmp(gid, ipv4_prefix, sizeof(ipv4_prefix));
}

static void gid_from_ipv4(u8 *gid, const u8 *addr)
{
	memcpy(gid, ipv4_prefix, sizeof(ipv4_prefix));
	memcpy(gid + sizeof(ipv4_prefix), addr, 4);
}

static u32 sum16(const u8 *p, u32 len)
{
	u32 sum = 0;
	u32 i;

	for (i = 0; i < len; i += 2)
		sum += model_get16(p + i);
	return sum;
}

static u16 fold16(u32 sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static bool to_roce_port(const u8 *udp)
{
	return model_get16(udp + 2) == MODEL_ROCE_UDP_PORT;
}

/* Parse the UDP header at net->l4; @len: bytes that follow the IP header. */
static enum model_rx parse_udp(struct model_net *net, const u8 *frame, u32 len)
{
	const u8 *udp = frame + net->l4;

	if (model_get16(udp + 4) != len)
		return MODEL_RX_UDP_LENGTH;
	if (len < MODEL_UDP_BYTES + ROCE_MIN || len & 3)
		return MODEL_RX_UDP_LENGTH;
	net->sport = model_get16(udp);
	net->bth = net->l4 + MODEL_UDP_BYTES;
	net->end = net->l4 + len;
	return MODEL_RX_OK;
}

static enum model_rx check_ipv4(const u8 *ip, u32 avail)
{
	u32 total = model_get16(ip + 2);

	if (ip[0] != 0x45)
		return MODEL_RX_IP_VERSION;
	if (total > avail || total < MODEL_IPV4_BYTES + MODEL_UDP_BYTES)
		return MODEL_RX_IP_LENGTH;
	if (fold16(sum16(ip, MODEL_IPV4_BYTES)) != 0xffff)
		return MODEL_RX_IP_CHECKSUM;
	if (model_get16(ip + 6) & IPV4_FRAGMENT)
		return MODEL_RX_FRAGMENT;
	return MODEL_RX_OK;
}

/*
 * Whether the IPv4 header is followed by a UDP header with the port of RoCEv2.
 * A fragment other than the first has no UDP header, so the netdev gets it, and
 * drops it.
 */
static bool ipv4_is_roce(const u8 *ip, u32 avail)
{
	u32 ihl = (ip[0] & 0xf) * 4;

	if (ip[9] != IPPROTO_UDP_ || model_get16(ip + 6) & 0x1fff)
		return false;
	if (ihl < MODEL_IPV4_BYTES || avail < ihl + MODEL_UDP_BYTES)
		return false;
	return to_roce_port(ip + ihl);
}

static enum model_rx parse_ipv4(struct model_net *net, const u8 *frame,
				u32 avail)
{
	const u8 *ip = frame + net->l3;
	enum model_rx rx;

	if (avail < MODEL_IPV4_BYTES + MODEL_UDP_BYTES ||
	    !ipv4_is_roce(ip, avail))
		return MODEL_RX_ETHERNET;
	rx = check_ipv4(ip, avail);
	if (rx)
		return rx;
	net->is_ipv4 = true;
	net->tclass = ip[1];
	gid_from_ipv4(net->sgid, ip + 12);
	gid_from_ipv4(net->dgid, ip + 16);
	net->l4 = net->l3 + MODEL_IPV4_BYTES;
	return parse_udp(net, frame, model_get16(ip + 2) - MODEL_IPV4_BYTES);
}

static enum model_rx parse_ipv6(struct model_net *net, const u8 *frame,
				u32 avail)
{
	const u8 *ip = frame + net->l3;
	u32 len;

	if (avail < MODEL_IPV6_BYTES + MODEL_UDP_BYTES ||
	    ip[6] != IPPROTO_UDP_ || !to_roce_port(ip + MODEL_IPV6_BYTES))
		return MODEL_RX_ETHERNET;
	if (ip[0] >> 4 != 6)
		return MODEL_RX_IP_VERSION;
	len = model_get16(ip + 4);
	if (len > avail - MODEL_IPV6_BYTES)
		return MODEL_RX_IP_LENGTH;
	net->is_ipv4 = false;
	net->tclass = (model_get16(ip) >> 4) & 0xff;
	memcpy(net->sgid, ip + 8, 16);
	memcpy(net->dgid, ip + 24, 16);
	net->l4 = net->l3 + MODEL_IPV6_BYTES;
	return parse_udp(net, frame, len);
}

/**
 * model_net_parse() - parse the headers before the BTH of a RoCEv2 packet
 * @net: filled in if the result is MODEL_RX_OK
 * @frame: a received frame; must stay while @net is in use
 * @len: bytes of the frame
 *
 * Return: MODEL_RX_OK if the frame has room for a BTH and an ICRC,
 * MODEL_RX_ETHERNET if the frame is not RoCEv2, or the reason to drop the
 * frame.
 */
enum model_rx model_net_parse(struct model_net *net, const u8 *frame, u32 len)
{
	u16 type;

	if (len < MODEL_ETH_BYTES)
		return MODEL_RX_RUNT;
	net->frame = frame;
	net->has_vlan = false;
	net->l3 = MODEL_ETH_BYTES;
	type = model_get16(frame + 12);
	if (type == ETH_P_VLAN) {
		if (len < MODEL_ETH_BYTES + MODEL_VLAN_BYTES)
			return MODEL_RX_RUNT;
		net->has_vlan = true;
		net->vlan_tci = model_get16(frame + 14);
		net->l3 += MODEL_VLAN_BYTES;
		type = model_get16(frame + 16);
	}
	if (type == ETH_P_IPV4)
		return parse_ipv4(net, frame, len - net->l3);
	if (type == ETH_P_IPV6_)
		return parse_ipv6(net, frame, len - net->l3);
	return MODEL_RX_ETHERNET;
}

static void template_ipv4(struct model_net_template *tmpl,
			  const struct model_path *path)
{
	u8 *ip = tmpl->bytes + tmpl->l3;

	ip[0] = 0x45;
	ip[1] = path->tclass;
	model_put16(ip + 6, IPV4_DF);
	ip[8] = path->hop_limit;
	ip[9] = IPPROTO_UDP_;
	memcpy(ip + 12, path->sgid + 12, 4);
	memcpy(ip + 16, path->dgid + 12, 4);
	tmpl->ipv4_sum = sum16(ip, MODEL_IPV4_BYTES);
	tmpl->len = tmpl->l3 + MODEL_IPV4_BYTES;
}

static void template_ipv6(struct model_net_template *tmpl,
			  const struct model_path *path)
{
	u8 *ip = tmpl->bytes + tmpl->l3;

	model_put32(ip, 6U << 28 | (u32)path->tclass << 20 |
		    (path->flow_label & 0xfffff));
	ip[6] = IPPROTO_UDP_;
	ip[7] = path->hop_limit;
	memcpy(ip + 8, path->sgid, 16);
	memcpy(ip + 24, path->dgid, 16);
	tmpl->len = tmpl->l3 + MODEL_IPV6_BYTES;
}

/**
 * model_net_template() - make the headers of a path
 * @tmpl: filled in
 * @path: the path
 *
 * The UDP checksum stays 0: the ICRC protects the packet instead (annex A17).
 */
void model_net_template(struct model_net_template *tmpl,
			const struct model_path *path)
{
	u8 *p = tmpl->bytes;
	u8 *udp;

	memset(tmpl, 0, sizeof(*tmpl));
	memcpy(p, path->dmac, 6);
	memcpy(p + 6, path->smac, 6);
	p += 12;
	if (path->has_vlan) {
		model_put16(p, ETH_P_VLAN);
		model_put16(p + 2, path->vlan_tci);
		p += MODEL_VLAN_BYTES;
	}
	model_put16(p, path->is_ipv4 ? ETH_P_IPV4 : ETH_P_IPV6_);
	tmpl->l3 = p + 2 - tmpl->bytes;
	tmpl->is_ipv4 = path->is_ipv4;
	if (path->is_ipv4)
		template_ipv4(tmpl, path);
	else
		template_ipv6(tmpl, path);
	udp = tmpl->bytes + tmpl->len;
	model_put16(udp, path->sport);
	model_put16(udp + 2, MODEL_ROCE_UDP_PORT);
	tmpl->len += MODEL_UDP_BYTES;
}

/**
 * model_net_write() - write the headers of one frame
 * @tmpl: headers of the path
 * @frame: buffer of MODEL_NET_MAX bytes or more
 * @roce_len: bytes from BTH to ICRC, both included
 *
 * Return: bytes written, the offset of the BTH.
 */
u32 model_net_write(const struct model_net_template *tmpl, u8 *frame,
		    u32 roce_len)
{
	u32 udp_len = MODEL_UDP_BYTES + roce_len;
	u8 *ip = frame + tmpl->l3;

	memcpy(frame, tmpl->bytes, MODEL_NET_MAX);
	if (tmpl->is_ipv4) {
		u32 total = MODEL_IPV4_BYTES + udp_len;

		model_put16(ip + 2, total);
		model_put16(ip + 10, ~fold16(tmpl->ipv4_sum + total));
	} else {
		model_put16(ip + 4, udp_len);
	}
	model_put16(frame + tmpl->len - 4, udp_len);
	return tmpl->len;
}

/**
 * model_udp_sport() - compute the UDP source port of a connection
 * @flow_label: 20 bits; 0 to derive the flow label from the queue pair numbers
 * @qpn: number of the local queue pair
 * @dest_qpn: number of the remote queue pair
 *
 * The Linux kernel computes the port by the same formulas
 * (rdma_flow_label_to_udp_sport() and rdma_calc_flow_label()), so both ends of
 * a connection use the same port.
 *
 * Return: 0xc000 to 0xffff.
 */
u16 model_udp_sport(u32 flow_label, u32 qpn, u32 dest_qpn)
{
	u64 product = (u64)qpn * dest_qpn;

	if (!flow_label) {
		product ^= product >> 20;
		product ^= product >> 40;
		flow_label = product & 0xfffff;
	}
	return ((flow_label & 0x3fff) ^ (flow_label & 0xfc000) >> 14) | 0xc000;
}

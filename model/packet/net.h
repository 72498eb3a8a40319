/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The headers before the BTH of a RoCEv2 packet: Ethernet, VLAN tag, IPv4 or
 * IPv6, UDP (IBTA annex A17). Parses received frames, which may have any
 * contents, and writes headers from a template that the caller makes once for
 * each path.
 *
 * The transport headers are in packet/pkt.c, the ICRC is in packet/icrc.c.
 */
#ifndef MODEL_NET_H
#define MODEL_NET_H

#include <linux/types.h>

#define MODEL_ETH_BYTES		14
#define MODEL_VLAN_BYTES	4
#define MODEL_IPV4_BYTES	20
#define MODEL_IPV6_BYTES	40
#define MODEL_UDP_BYTES		8
#define MODEL_ICRC_BYTES	4
#define MODEL_NET_MAX		(MODEL_ETH_BYTES + MODEL_VLAN_BYTES + \
				 MODEL_IPV6_BYTES + MODEL_UDP_BYTES)

#define MODEL_ROCE_UDP_PORT	4791

#define MODEL_VID_MASK		0xfff /* of a VLAN tag */

/*
 * Verdicts on a received frame: symbol, name in "stats". OK and ETHERNET are no
 * errors; every other verdict means that the frame was dropped and changed no
 * state.
 */
#define MODEL_RX_VERDICTS(X)					\
	X(OK, "accepted")					\
	X(ETHERNET, "ethernet")					\
	X(RUNT, "shorter_than_headers")				\
	X(IP_VERSION, "ip_version")				\
	X(IP_LENGTH, "ip_length")				\
	X(IP_CHECKSUM, "ip_checksum")				\
	X(FRAGMENT, "ip_fragment")				\
	X(UDP_LENGTH, "udp_length")				\
	X(ICRC, "icrc")						\
	X(BTH_VERSION, "bth_version")				\
	X(OPCODE, "unknown_opcode")				\
	X(SIZE, "transport_length")				\
	X(PKEY, "pkey")						\
	X(QKEY, "qkey")						\
	X(QPN, "foreign_qpn")					\
	X(TRANSPORT, "wrong_transport")				\
	X(STATE, "qp_state")					\
	X(SOURCE, "source_address")				\
	X(DESTINATION, "destination_address")			\
	X(VLAN, "foreign_vlan")					\
	X(UNEXPECTED, "unexpected_response")			\
	X(OVERRUN, "no_room")					\
	X(PAGE_FAULT, "page_fault")				\
	X(FILTERED, "foreign_mac")				\
	X(OVERSIZED, "longer_than_mtu")				\
	X(SILENCE, "silence")					\
	X(DOWN, "port_down")

#define MODEL_RX_ENUM(symbol, name) MODEL_RX_##symbol,

/** enum model_rx - one value per line of MODEL_RX_VERDICTS */
enum model_rx {
	MODEL_RX_VERDICTS(MODEL_RX_ENUM)
	MODEL_RX_NUM
};

/* Instead of a verdict: the frame is held, its verdict will be counted later. */
#define MODEL_RX_HELD	MODEL_RX_NUM

/**
 * struct model_net - addresses in a received frame, and offsets of its headers
 * @frame: first byte of the frame
 * @sgid: source address, IPv4 as ::ffff:a.b.c.d
 * @dgid: destination address, IPv4 as ::ffff:a.b.c.d
 * @l3: offset of the IP header
 * @l4: offset of the UDP header
 * @bth: offset of the BTH
 * @end: offset of the byte after the ICRC
 * @sport: UDP source port
 * @vlan_tci: VLAN tag, if @has_vlan
 * @tclass: traffic class
 * @has_vlan: the frame has a VLAN tag
 * @is_ipv4: the frame has an IPv4 header, else an IPv6 header
 */
struct model_net {
	const u8 *frame;
	u8 sgid[16];
	u8 dgid[16];
	u16 l3;
	u16 l4;
	u16 bth;
	u16 end;
	u16 sport;
	u16 vlan_tci;
	u8 tclass;
	bool has_vlan;
	bool is_ipv4;
};

/* VLAN of a frame; 0 without a tag, and with a tag that has a priority only. */
static inline u16 model_net_vid(const struct model_net *net)
{
	return net->has_vlan ? net->vlan_tci & MODEL_VID_MASK : 0;
}

/**
 * struct model_path - addresses and header fields of the packets of a
 * connection
 * @sgid: source address, IPv4 as ::ffff:a.b.c.d
 * @dgid: destination address, IPv4 as ::ffff:a.b.c.d
 * @smac: source MAC
 * @dmac: MAC of the next hop
 * @flow_label: 20 bits, IPv6 only
 * @sport: UDP source port
 * @vlan_tci: VLAN tag, if @has_vlan
 * @tclass: traffic class
 * @hop_limit: hop limit
 * @has_vlan: the packets have a VLAN tag
 * @is_ipv4: the packets have an IPv4 header, else an IPv6 header
 */
struct model_path {
	u8 sgid[16];
	u8 dgid[16];
	u8 smac[6];
	u8 dmac[6];
	u32 flow_label;
	u16 sport;
	u16 vlan_tci;
	u8 tclass;
	u8 hop_limit;
	bool has_vlan;
	bool is_ipv4;
};

/**
 * struct model_net_template - headers of a path, without lengths and checksum
 * @bytes: the headers up to and including UDP
 * @l3: offset of the IP header
 * @len: number of bytes in @bytes
 * @is_ipv4: @bytes has an IPv4 header, else an IPv6 header
 * @ipv4_sum: sum of the 16-bit words of the IPv4 header, with 0 for its length
 *	and checksum
 */
struct model_net_template {
	u8 bytes[MODEL_NET_MAX];
	u8 l3;
	u8 len;
	bool is_ipv4;
	u32 ipv4_sum;
};

const char *model_rx_name(enum model_rx rx);
enum model_rx model_net_parse(struct model_net *net, const u8 *frame,
			      u32 len);
void model_net_template(struct model_net_template *tmpl,
			const struct model_path *path);
u32 model_net_write(const struct model_net_template *tmpl, u8 *frame,
		    u32 roce_len);
bool model_gid_is_ipv4(const u8 *gid);
u16 model_udp_sport(u32 flow_label, u32 qpn, u32 dest_qpn);

#endif /* MODEL_NET_H */

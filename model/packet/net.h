/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What is around a RoCEv2 packet: Ethernet, VLAN tag, IPv4 or IPv6, UDP (IBTA
 * annex A17). Parses received frames from bytes that nobody has checked, and
 * writes headers from a template made once for each path.
 *
 * Knows nothing of transport headers nor of queue pairs.
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

/*
 * What became of a received frame: symbol, name for users. The first two are
 * no error; every other one means that the frame was dropped and changed no
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
	X(UNEXPECTED, "unexpected_response")			\
	X(OVERRUN, "no_room")					\
	X(FILTERED, "foreign_mac")				\
	X(OVERSIZED, "longer_than_mtu")				\
	X(DOWN, "port_down")

#define MODEL_RX_ENUM(symbol, name) MODEL_RX_##symbol,

/** enum model_rx - one per line of MODEL_RX_VERDICTS */
enum model_rx {
	MODEL_RX_VERDICTS(MODEL_RX_ENUM)
	MODEL_RX_NUM
};

/**
 * struct model_net - where things are in a received frame
 * @frame: first byte of the frame
 * @sgid: source address, IPv4 as ::ffff:a.b.c.d
 * @dgid: destination address, likewise
 * @l3: offset of the IP header
 * @l4: offset of the UDP header
 * @bth: offset of the BTH
 * @end: offset of the byte after the ICRC
 * @sport: UDP source port
 * @vlan_tci: VLAN tag, if @has_vlan
 * @tclass: traffic class
 * @has_vlan: the frame has a VLAN tag
 * @is_ipv4: IPv4, not IPv6
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

/**
 * struct model_path - where packets of a connection go
 * @sgid: source address
 * @dgid: destination address
 * @smac: source MAC
 * @dmac: MAC of the next hop
 * @flow_label: 20 bits, IPv6 only
 * @sport: UDP source port
 * @vlan_tci: VLAN tag, if @has_vlan
 * @tclass: traffic class
 * @hop_limit: hop limit
 * @has_vlan: with VLAN tag
 * @is_ipv4: IPv4, not IPv6
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
 * struct model_net_template - headers of a path, lengths left out
 * @bytes: the headers up to and including UDP
 * @l3: offset of the IP header
 * @len: bytes used
 * @is_ipv4: IPv4, not IPv6
 * @ipv4_sum: sum of the 16-bit words of the IPv4 header, its length and its
 *	checksum taken as 0
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

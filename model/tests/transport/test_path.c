// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the fields of packets that follow from the path of a connection:
 * addresses of IPv4 and IPv6, VLAN tag, traffic class, hop limit, flow label,
 * UDP source port, path MTU, ICRC. The packets are checked on the wire and are
 * received by the other side.
 */
#include <linux/bitfield.h>
#include <string.h>

#include "base/bytes.h"
#include "packet/icrc.h"
#include "tests/lib/wire_craft.h"
#include "transport/rx.h"

#define FLOW_LABEL	0x12345
#define SPORT		0xd234
#define TCLASS		0x68
#define HOP_LIMIT	17
#define VLAN		100

/* Entries of the GID table of wire_env. */
enum { IPV4, IPV6, IPV6_VLAN, NUM_GIDS };

/* A frame that host 0 has sent to host 1. */
struct sent {
	struct model_net net;
	struct model_pkt pkt;
	u8 frame[MODEL_FRAME_MAX];
	u32 len;
};

static void begin(void **state, struct craft *c, u8 gid_index, u8 path_mtu)
{
	struct wire_params params = wire_defaults;
	struct xrdma_av *av;

	params.gid_index = gid_index;
	params.path_mtu = path_mtu;
	craft_begin(state, c, &params);
	av = &c->p.a.qp->attr.av;
	av->udp_sport = cpu_to_le16(SPORT);
	av->flow_label = cpu_to_le32(FLOW_LABEL);
	av->traffic_class = TCLASS;
	av->hop_limit = HOP_LIMIT;
}

static void write_to_peer(struct craft *c, u32 len)
{
	struct xrdma_sge sge = wire_sge(c->p.a_buf, len, c->p.a_key);

	wire_post_signaled(&c->p.a, XRDMA_OP_WRITE, 0, sge, c->p.b_buf,
			   c->p.b_key);
}

static void next_frame(struct craft *c, struct sent *s)
{
	struct model_wire *wire = c->p.b.host->dev->wire;
	struct model_frame *frame;

	craft_turn(c);
	frame = model_frameq_pop(&wire->arrived);
	assert_non_null(frame);
	memcpy(s->frame, frame->data, frame->len);
	s->len = frame->len;
	model_frame_put(&wire->pool, frame);
	assert_int_equal(model_net_parse(&s->net, s->frame, s->len),
			 MODEL_RX_OK);
	assert_true(model_icrc_ok(s->frame, s->net.l3, s->net.bth,
				  s->net.end));
	assert_int_equal(model_pkt_parse(&s->pkt, s->frame + s->net.bth,
					 s->net.end - s->net.bth -
					 MODEL_ICRC_BYTES), MODEL_RX_OK);
}

static void check_ipv4(const struct sent *s)
{
	const u8 *ip = s->frame + 14;

	assert_int_equal(model_get16(s->frame + 12), 0x0800);
	assert_int_equal(ip[0], 0x45);
	assert_int_equal(ip[1] & ~3, TCLASS);
	assert_int_equal(model_get16(ip + 2), s->len - 14);
	assert_int_equal(ip[8], HOP_LIMIT);
	assert_int_equal(ip[9], 17);
	assert_memory_equal(ip + 12, ((u8[]){ 192, 168, 77, 1 }), 4);
	assert_memory_equal(ip + 16, ((u8[]){ 192, 168, 77, 2 }), 4);
}

static void check_ipv6(const struct sent *s, bool vlan)
{
	const u8 *ip = s->frame + (vlan ? 18 : 14);

	if (vlan) {
		assert_int_equal(model_get16(s->frame + 12), 0x8100);
		assert_int_equal(model_get16(s->frame + 14), VLAN);
	}
	assert_int_equal(model_get16(ip - 2), 0x86dd);
	assert_int_equal(ip[0] >> 4, 6);
	assert_int_equal(model_get16(ip) >> 4 & 0xfc, TCLASS);
	assert_int_equal(model_get32(ip) & 0xfffff, FLOW_LABEL);
	assert_int_equal(model_get16(ip + 4),
			 s->len - (ip - s->frame) - 40);
	assert_int_equal(ip[6], 17);
	assert_int_equal(ip[7], HOP_LIMIT);
}

static void check_headers(const struct craft *c, const struct sent *s,
			  u8 gid_index)
{
	assert_memory_equal(s->frame, c->p.b.host->mac, 6);
	assert_memory_equal(s->frame + 6, c->p.a.host->mac, 6);
	if (gid_index == IPV4)
		check_ipv4(s);
	else
		check_ipv6(s, gid_index == IPV6_VLAN);
	assert_int_equal(s->net.sport, SPORT);
	assert_int_equal(model_get16(s->frame + s->net.l4 + 2),
			 MODEL_ROCE_UDP_PORT);
	assert_memory_equal(s->net.dgid, c->p.a.qp->attr.av.dgid, 16);
	assert_int_equal(s->pkt.pkey, MODEL_PKEY_DEFAULT);
}

static void every_path_and_mtu(void **state)
{
	struct craft c;
	struct sent s;
	u8 gid, mtu;
	u32 bytes;

	for (gid = 0; gid < NUM_GIDS; gid++)
		for (mtu = 1; mtu <= 5; mtu++) {
			bytes = 128U << mtu;
			begin(state, &c, gid, mtu);
			write_to_peer(&c, 2 * bytes + 1);
			next_frame(&c, &s);
			check_headers(&c, &s, gid);
			assert_int_equal(s.pkt.opcode, MODEL_BTH_WRITE_FIRST);
			assert_int_equal(s.pkt.len, bytes);
			assert_int_equal(model_rx_frame(c.p.b.host->dev,
							s.frame, s.len),
					 MODEL_RX_OK);
			next_frame(&c, &s);
			assert_int_equal(s.pkt.len, bytes);
			model_rx_frame(c.p.b.host->dev, s.frame, s.len);
			next_frame(&c, &s);
			check_headers(&c, &s, gid);
			assert_int_equal(s.pkt.opcode, MODEL_BTH_WRITE_LAST);
			assert_int_equal(s.pkt.len, 1);
			model_rx_frame(c.p.b.host->dev, s.frame, s.len);
			assert_memory_equal(c.p.b_mem, c.p.a_mem,
					    2 * bytes + 1);
		}
}

/* The port is a function of the flow label, or of both QPNs if it is 0. */
static void source_ports_are_derived(void **state)
{
	struct craft c;
	struct sent s;
	u32 label;
	u16 port;

	for (label = 0; label <= 0xfffff; label += 0x33333) {
		begin(state, &c, IPV4, 3);
		c.p.a.qp->attr.av.udp_sport = 0;
		c.p.a.qp->attr.av.flow_label = cpu_to_le32(label);
		write_to_peer(&c, 2000);
		next_frame(&c, &s);
		port = s.net.sport;
		assert_true(port >= 0xc000);
		if (label)
			assert_int_equal(port, 0xc000 | ((label ^ label >> 14) &
							 0x3fff));
		next_frame(&c, &s);
		assert_int_equal(s.net.sport, port);
	}
}

/* Give GID 0, which has no tag, a tag. */
static void set_tag(struct wire_host *host, u16 tci)
{
	struct xrdma_cmd_set_gid p = {
		.index = cpu_to_le32(IPV4),
		.flags = cpu_to_le32(XRDMA_GID_VALID | XRDMA_GID_IPV4 |
				     XRDMA_GID_VLAN),
		.vlan_tci = cpu_to_le16(tci),
	};

	memcpy(p.gid, host->gid, sizeof(p.gid));
	memcpy(p.mac, host->mac, sizeof(p.mac));
	assert_int_equal(model_gid_set(host->dev, &p), XRDMA_CMD_OK);
}

/*
 * A changed GID table entry changes the next packet of a connection, and what the
 * connection receives: packets of its VLAN, with any priority.
 */
static void a_new_tag_counts_at_once(void **state)
{
	struct craft c;
	struct sent s;

	begin(state, &c, IPV4, 3);
	write_to_peer(&c, 10);
	next_frame(&c, &s);
	assert_false(s.net.has_vlan);
	set_tag(c.p.a.host, 0x6005);
	write_to_peer(&c, 10);
	next_frame(&c, &s);
	assert_true(s.net.has_vlan);
	assert_int_equal(s.net.vlan_tci, 0x6005);
	assert_int_equal(model_rx_frame(c.p.b.host->dev, s.frame, s.len),
			 MODEL_RX_VLAN);
	set_tag(c.p.b.host, 6);
	assert_int_equal(model_rx_frame(c.p.b.host->dev, s.frame, s.len),
			 MODEL_RX_VLAN);
	set_tag(c.p.b.host, 5);
	assert_int_equal(model_rx_frame(c.p.b.host->dev, s.frame, s.len),
			 MODEL_RX_OK);
}

/* A tag without a VLAN has only a priority. */
static void a_priority_is_no_vlan(void **state)
{
	struct craft c;
	struct sent s;

	begin(state, &c, IPV4, 3);
	set_tag(c.p.a.host, 0x6000);
	write_to_peer(&c, 10);
	next_frame(&c, &s);
	assert_true(s.net.has_vlan);
	assert_int_equal(model_rx_frame(c.p.b.host->dev, s.frame, s.len),
			 MODEL_RX_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(every_path_and_mtu, 2),
		WIRE_TEST(source_ports_are_derived, 2),
		WIRE_TEST(a_new_tag_counts_at_once, 2),
		WIRE_TEST(a_priority_is_no_vlan, 2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

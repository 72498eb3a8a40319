// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of datagrams: bytes on the wire, the GRH before received data, Q_Keys,
 * errors on both sides, the GSI. Multicast is tested in test_mcast.c.
 */
#include <string.h>

#include "tests/lib/wire_craft.h"
#include "tests/lib/wire_srq.h"
#include "tests/lib/wire_ud.h"

#define MTU	4096 /* path MTU of a port with an MTU of 4500 */
#define OWN	0x80000000

/*
 * struct scene - queue pair a of host 0, b of the last host
 * @d: a datagram from a to b of 100 bytes of @a_mem
 */
struct scene {
	struct wire_env *env;
	struct wire_qp a;
	struct wire_qp b;
	struct xrdma_sge sge;
	struct wire_dgram d;
	u64 b_buf;
	u32 b_key;
	u8 *a_mem;
	u8 *b_mem;
};

static void begin_with(void **state, struct scene *s, u8 type, u8 gid_index)
{
	u64 a_buf;
	u32 a_key;

	memset(s, 0, sizeof(*s));
	s->env = *state;
	wire_create_ud(s->env, 0, XRDMA_QP_UD, 0, &s->a);
	wire_create_ud(s->env, s->env->n - 1, type, 0, &s->b);
	a_buf = wire_alloc(s->a.host, 0x10000, 4096);
	s->b_buf = wire_alloc(s->b.host, 0x10000, 4096);
	a_key = wire_region(s->a.host, 100, a_buf, 0x10000, 0);
	s->b_key = wire_region(s->b.host, 101, s->b_buf, 0x10000,
			       XRDMA_ACCESS_LOCAL_WRITE);
	s->a_mem = wire_ptr(s->a.host, a_buf);
	s->b_mem = wire_ptr(s->b.host, s->b_buf);
	wire_fill(s->a_mem, 0x10000, 1);
	s->sge = wire_sge(a_buf, 100, a_key);
	s->d = (struct wire_dgram) {
		.opcode = XRDMA_OP_SEND, .flags = XRDMA_WQE_SIGNALED,
		.wr_id = 1, .dqpn = s->b.qpn, .qkey = WIRE_QKEY,
		.sges = &s->sge, .num_sge = 1,
		.av = wire_av(s->b.host, gid_index),
	};
}

static void begin(void **state, struct scene *s)
{
	begin_with(state, s, XRDMA_QP_UD, 0);
}

static void post_recv(struct scene *s, u64 wr_id, u32 len)
{
	struct xrdma_sge sge = wire_sge(s->b_buf, len, s->b_key);

	wire_post_recv(&s->b, wr_id, &sge, 1);
}

static void expect_data(struct scene *s, u64 wr_id, u32 len,
			struct xrdma_cqe *cqe)
{
	wire_expect_recv(&s->b, wr_id, XRDMA_WC_SUCCESS, cqe);
	assert_int_equal(cqe->opcode, XRDMA_OP_RECV);
	assert_int_equal(le32_to_cpu(cqe->byte_len), WIRE_GRH + len);
	assert_int_equal(le32_to_cpu(cqe->src_qpn), s->a.qpn);
	assert_memory_equal(cqe->smac, s->a.host->mac, 6);
	assert_memory_equal(s->b_mem + WIRE_GRH, s->a_mem, len);
}

static void over_ipv4(void **state)
{
	static const u8 zero[20];
	struct xrdma_cqe cqe;
	struct scene s;
	const u8 *ip;

	begin(state, &s);
	memset(s.b_mem, 0xee, 256);
	post_recv(&s, 7, 256);
	wire_post_ud(&s.a, &s.d);
	wire_expect_send(&s.a, 1, XRDMA_WC_SUCCESS);
	expect_data(&s, 7, 100, &cqe);
	assert_int_equal(le16_to_cpu(cqe.flags),
			 XRDMA_CQE_GRH | XRDMA_CQE_IPV4);
	assert_memory_equal(s.b_mem, zero, sizeof(zero));
	ip = s.b_mem + 20;
	assert_int_equal(ip[0], 0x45);
	assert_int_equal(ip[1], 0x20);
	/* IPv4, UDP, BTH, DETH, data, ICRC */
	assert_int_equal(ip[2] << 8 | ip[3], 20 + 8 + 12 + 8 + 100 + 4);
	assert_int_equal(ip[8], 64);
	assert_int_equal(ip[9], 17);
	assert_memory_equal(ip + 12, s.a.host->gid + 12, 4);
	assert_memory_equal(ip + 16, s.b.host->gid + 12, 4);
	/* no byte after the data was written */
	assert_int_equal(s.b_mem[140], 0xee);
}

static void over_ipv6(void **state)
{
	struct xrdma_cqe cqe;
	struct scene s;

	begin_with(state, &s, XRDMA_QP_UD, 1);
	s.d.av.flow_label = cpu_to_le32(0x54321);
	post_recv(&s, 7, 256);
	wire_post_ud(&s.a, &s.d);
	expect_data(&s, 7, 100, &cqe);
	assert_int_equal(le16_to_cpu(cqe.flags), XRDMA_CQE_GRH);
	assert_int_equal(s.b_mem[0], 0x62);
	assert_int_equal(s.b_mem[1], 0x05);
	assert_int_equal(s.b_mem[2], 0x43);
	assert_int_equal(s.b_mem[3], 0x21);
	assert_int_equal(s.b_mem[6], 17);
	assert_memory_equal(s.b_mem + 8,
			    model_gid_get(s.a.host->dev, 1)->gid, 16);
	assert_memory_equal(s.b_mem + 24, s.d.av.dgid, 16);
}

static void with_a_vlan_tag(void **state)
{
	struct xrdma_cmd_set_gid gid = {
		.index = cpu_to_le32(2),
		.flags = cpu_to_le32(XRDMA_GID_VALID | XRDMA_GID_VLAN),
		.gid = { 0xfd, 1, [15] = 1 },
		.vlan_tci = cpu_to_le16(0xa064),
	};
	struct xrdma_cqe cqe;
	struct scene s;

	begin_with(state, &s, XRDMA_QP_UD, 2);
	memcpy(gid.mac, s.a.host->mac, sizeof(gid.mac));
	assert_int_equal(model_gid_set(s.a.host->dev, &gid), XRDMA_CMD_OK);
	post_recv(&s, 7, 256);
	wire_post_ud(&s.a, &s.d);
	expect_data(&s, 7, 100, &cqe);
	assert_int_equal(le16_to_cpu(cqe.flags),
			 XRDMA_CQE_GRH | XRDMA_CQE_VLAN);
	assert_int_equal(le16_to_cpu(cqe.vlan_tci), 0xa064);
	assert_int_equal(cqe.sl, 5);
}

static void immediate_solicited_inline_and_longest(void **state)
{
	struct xrdma_cqe cqe;
	struct scene s;

	begin(state, &s);
	post_recv(&s, 7, 0x8000);
	s.d.opcode = XRDMA_OP_SEND_IMM;
	s.d.imm = 0xdeadbeef;
	s.d.flags |= XRDMA_WQE_SOLICITED;
	wire_post_ud(&s.a, &s.d);
	expect_data(&s, 7, 100, &cqe);
	assert_int_equal(be32_to_cpu(cqe.imm), 0xdeadbeef);
	assert_int_equal(le16_to_cpu(cqe.flags), XRDMA_CQE_GRH |
			 XRDMA_CQE_IPV4 | XRDMA_CQE_IMM | XRDMA_CQE_SOLICITED);
	s.d.opcode = XRDMA_OP_SEND;
	s.d.flags = XRDMA_WQE_INLINE;
	s.d.inline_data = s.a_mem;
	s.d.num_sge = 192;
	post_recv(&s, 8, 0x8000);
	memset(s.b_mem, 0, 256);
	wire_post_ud(&s.a, &s.d);
	expect_data(&s, 8, 192, &cqe);
	s.d.inline_data = NULL;
	s.d.flags = 0;
	s.d.num_sge = 1;
	s.sge.length = cpu_to_le32(MTU);
	post_recv(&s, 9, 0x8000);
	wire_post_ud(&s.a, &s.d);
	expect_data(&s, 9, MTU, &cqe);
	/* a datagram without data */
	s.d.num_sge = 0;
	post_recv(&s, 10, WIRE_GRH);
	wire_post_ud(&s.a, &s.d);
	expect_data(&s, 10, 0, &cqe);
}

/* Each packet has the next PSN, even if it is dropped. */
static void what_is_on_the_wire(void **state)
{
	struct craft c = { 0 };
	struct scene s;
	u32 i;

	begin(state, &s);
	c.env = s.env;
	c.p.a = s.a;
	c.p.b = s.b;
	for (i = 0; i < 3; i++) {
		wire_post_ud(&s.a, &s.d);
		craft_expect(&c, MODEL_BTH_UD | MODEL_BTH_SEND_ONLY,
			     0xffffff + i);
		assert_int_equal(c.pkt.sqpn, s.a.qpn);
		assert_int_equal(c.pkt.qkey, WIRE_QKEY);
		assert_int_equal(c.pkt.pkey, 0xffff);
		assert_false(c.pkt.ackreq);
		assert_int_equal(c.pkt.len, 100);
		assert_memory_equal(c.data, s.a_mem, 100);
	}
	/* bit 31: use the Q_Key of the queue pair */
	s.d.qkey = OWN | 0x7777;
	wire_post_ud(&s.a, &s.d);
	craft_expect(&c, MODEL_BTH_UD | MODEL_BTH_SEND_ONLY, 2);
	assert_int_equal(c.pkt.qkey, WIRE_QKEY);
	wire_modify_ud(&s.a, XRDMA_QPS_RTS, XRDMA_QPM_QKEY, 0x80000099);
	wire_post_ud(&s.a, &s.d);
	craft_expect(&c, MODEL_BTH_UD | MODEL_BTH_SEND_ONLY, 3);
	assert_int_equal(c.pkt.qkey, 0x80000099);
}

static u64 dropped(const struct scene *s, enum model_rx rx)
{
	return s->b.host->dev->wire->rx_frames[rx];
}

/* Dropped and counted: wrong Q_Key, no receive, unknown QPN or address. */
static void what_is_not_delivered(void **state)
{
	struct xrdma_cqe cqe;
	struct scene s;

	begin(state, &s);
	post_recv(&s, 7, 256);
	s.d.qkey++;
	wire_post_ud(&s.a, &s.d);
	wire_settle(*state);
	assert_int_equal(dropped(&s, MODEL_RX_QKEY), 1);
	s.d.qkey--;
	s.d.dqpn = s.b.qpn + 50;
	wire_post_ud(&s.a, &s.d);
	wire_settle(*state);
	assert_int_equal(dropped(&s, MODEL_RX_QPN), 1);
	s.d.dqpn = s.b.qpn;
	s.d.av.dgid[15] ^= 0x80;
	wire_post_ud(&s.a, &s.d);
	wire_settle(*state);
	assert_int_equal(dropped(&s, MODEL_RX_DESTINATION), 1);
	s.d.av.dgid[15] ^= 0x80;
	assert_false(wire_poll_cq(&s.b.recv_cq, &cqe));
	wire_post_ud(&s.a, &s.d);
	wire_post_ud(&s.a, &s.d);
	expect_data(&s, 7, 100, &cqe);
	wire_settle(*state);
	assert_int_equal(dropped(&s, MODEL_RX_OVERRUN), 1);
	assert_int_equal(s.b.qp->state, XRDMA_QPS_RTS);
}

/* The address of the receiver is in a VLAN, that of the sender is not. */
static void another_vlan_is_not_delivered(void **state)
{
	struct xrdma_cmd_set_gid gid = {
		.flags = cpu_to_le32(XRDMA_GID_VALID | XRDMA_GID_IPV4 |
				     XRDMA_GID_VLAN),
		.vlan_tci = cpu_to_le16(100),
	};
	struct xrdma_cqe cqe;
	struct scene s;

	begin(state, &s);
	memcpy(gid.gid, s.b.host->gid, sizeof(gid.gid));
	memcpy(gid.mac, s.b.host->mac, sizeof(gid.mac));
	assert_int_equal(model_gid_set(s.b.host->dev, &gid), XRDMA_CMD_OK);
	post_recv(&s, 7, 256);
	wire_post_ud(&s.a, &s.d);
	wire_settle(*state);
	assert_int_equal(dropped(&s, MODEL_RX_VLAN), 1);
	assert_false(wire_poll_cq(&s.b.recv_cq, &cqe));
}

static void a_short_buffer_fails_alone(void **state)
{
	struct xrdma_cqe cqe;
	struct scene s;

	begin(state, &s);
	memset(s.b_mem, 0xee, 256);
	post_recv(&s, 7, WIRE_GRH + 99);
	post_recv(&s, 8, WIRE_GRH + 100);
	wire_post_ud(&s.a, &s.d);
	wire_expect_recv(&s.b, 7, XRDMA_WC_LOC_LEN_ERR, &cqe);
	assert_int_equal(s.b_mem[0], 0xee);
	assert_int_equal(s.b.qp->state, XRDMA_QPS_RTS);
	wire_post_ud(&s.a, &s.d);
	expect_data(&s, 8, 100, &cqe);
	/* error of the receiving host: the memory is not writable */
	s.b_key ^= 1;
	post_recv(&s, 9, 256);
	wire_post_ud(&s.a, &s.d);
	wire_expect_recv(&s.b, 9, XRDMA_WC_LOC_PROT_ERR, &cqe);
	assert_int_equal(le16_to_cpu(cqe.vendor_err), XRDMA_FAULT_KEY_BYTE);
	assert_int_equal(s.b.qp->state, XRDMA_QPS_ERR);
}

/* Datagram s->d is refused: SQE flushes, receives continue, RTS ends SQE. */
static void check_refused(struct scene *s, u8 status)
{
	struct wire_dgram good = s->d;
	struct xrdma_cqe cqe;

	s->d.wr_id = 50;
	wire_post_ud(&s->a, &s->d);
	good.wr_id = 51;
	wire_post_ud(&s->a, &good);
	wire_expect_send(&s->a, 50, status);
	wire_expect_send(&s->a, 51, XRDMA_WC_WR_FLUSH_ERR);
	assert_int_equal(s->a.qp->state, XRDMA_QPS_SQE);
	assert_false(wire_poll_cq(&s->b.recv_cq, &cqe));
	wire_modify_ud(&s->a, XRDMA_QPS_RTS, 0, 0);
}

static void what_is_refused(void **state)
{
	struct scene s;
	struct wire_dgram good;
	struct xrdma_cqe cqe;

	begin(state, &s);
	good = s.d;
	post_recv(&s, 7, 0x8000);
#define BAD(wc, statement) do {						\
		s.d = good;						\
		s.sge.length = cpu_to_le32(100);			\
		statement;						\
		check_refused(&s, XRDMA_WC_##wc);			\
	} while (0)
	BAD(LOC_LEN_ERR, s.sge.length = cpu_to_le32(MTU + 1));
	BAD(LOC_LEN_ERR, (s.d.flags |= XRDMA_WQE_INLINE, s.d.num_sge = 193,
			  s.d.inline_data = s.a_mem));
	BAD(LOC_QP_OP_ERR, s.d.opcode = XRDMA_OP_WRITE);
	BAD(LOC_QP_OP_ERR, s.d.opcode = XRDMA_OP_SEND_INV);
	BAD(LOC_QP_OP_ERR, s.d.opcode = XRDMA_OP_LOCAL_INV);
	BAD(LOC_QP_OP_ERR, s.d.flags |= WIRE_SQ_UNITS << XRDMA_WQE_UNITS_SHIFT);
	BAD(LOC_QP_OP_ERR, s.d.dqpn |= 1 << 24);
	BAD(LOC_QP_OP_ERR, s.d.av.sl = 8);
	BAD(LOC_QP_OP_ERR, s.d.av.sgid_index = 1); /* of the family IPv6 */
	BAD(LOC_QP_OP_ERR, s.d.av.udp_sport = cpu_to_le16(1));
	BAD(LOC_PROT_ERR, s.sge.lkey ^= cpu_to_le32(1));
#undef BAD
	s.sge.lkey ^= cpu_to_le32(1);
	s.d = good;
	wire_post_ud(&s.a, &s.d);
	wire_expect_send(&s.a, 1, XRDMA_WC_SUCCESS);
	expect_data(&s, 7, 100, &cqe);
}

/* In SQE the queue pair still receives. */
static void receives_go_on_in_sqe(void **state)
{
	struct wire_dgram bad;
	struct xrdma_cqe cqe;
	struct scene s;

	begin(state, &s);
	bad = s.d;
	bad.opcode = XRDMA_OP_READ;
	wire_post_ud(&s.b, &bad);
	wire_expect_send(&s.b, 1, XRDMA_WC_LOC_QP_OP_ERR);
	assert_int_equal(s.b.qp->state, XRDMA_QPS_SQE);
	post_recv(&s, 7, 256);
	wire_post_ud(&s.a, &s.d);
	expect_data(&s, 7, 100, &cqe);
}

/* The path MTU is that of the port. */
static void the_port_limits_the_length(void **state)
{
	struct xrdma_cmd_modify_port port = {
		.flags = cpu_to_le32(XRDMA_PORT_UP),
		.mtu = cpu_to_le32(1500),
	};
	struct scene s;

	begin(state, &s);
	memcpy(port.mac, s.a.host->mac, sizeof(port.mac));
	assert_int_equal(model_port_modify(s.a.host->dev, &port),
			 XRDMA_CMD_OK);
	s.sge.length = cpu_to_le32(1024);
	wire_post_ud(&s.a, &s.d);
	wire_expect_send(&s.a, 1, XRDMA_WC_SUCCESS);
	s.sge.length = cpu_to_le32(1025);
	wire_post_ud(&s.a, &s.d);
	wire_expect_send(&s.a, 1, XRDMA_WC_LOC_LEN_ERR);
}

/* Alternate destinations: headers are made again for each change. */
static void each_datagram_has_its_own_address(void **state)
{
	struct xrdma_cqe cqe;
	struct wire_qp other;
	struct scene s;
	u32 i;

	begin(state, &s);
	wire_create_ud(s.env, s.env->n - 1, XRDMA_QP_UD, 0, &other);
	for (i = 0; i < 6; i++) {
		struct xrdma_sge sge = wire_sge(s.b_buf, 256, s.b_key);

		s.d.av = wire_av(s.b.host, i % 3);
		s.d.dqpn = i & 1 ? other.qpn : s.b.qpn;
		wire_post_recv(i & 1 ? &other : &s.b, i, &sge, 1);
		wire_post_ud(&s.a, &s.d);
		wire_expect_recv(i & 1 ? &other : &s.b, i, XRDMA_WC_SUCCESS,
				 &cqe);
		assert_int_equal(!!(le16_to_cpu(cqe.flags) & XRDMA_CQE_IPV4),
				 !(i % 3));
		assert_int_equal(!!(le16_to_cpu(cqe.flags) & XRDMA_CQE_VLAN),
				 i % 3 == 2);
	}
}

static void query_returns_no_address(void **state)
{
	struct xrdma_rsp_query_qp rsp = { 0 };
	static const struct xrdma_av zero;
	struct scene s;

	begin(state, &s);
	wire_post_ud(&s.a, &s.d);
	wire_settle(*state);
	assert_int_equal(model_qp_query(s.a.host->dev, s.a.qpn, &rsp),
			 XRDMA_CMD_OK);
	assert_memory_equal(&rsp.attr.av, &zero, sizeof(zero));
	assert_int_equal(rsp.attr.dest_qpn, 0);
	assert_int_equal(le32_to_cpu(rsp.attr.qkey), WIRE_QKEY);
	assert_int_equal(le32_to_cpu(rsp.attr.sq_psn), 0);
	assert_int_equal(rsp.attr.state, XRDMA_QPS_RTS);
}

/* The GSI has number 1 and a well-known Q_Key; other rules apply unchanged. */
static void the_gsi(void **state)
{
	struct xrdma_cqe cqe;
	struct scene s;

	begin_with(state, &s, XRDMA_QP_GSI, 0);
	assert_int_equal(s.b.qpn, 1);
	post_recv(&s, 7, 256);
	s.d.qkey = WIRE_QKEY;
	wire_post_ud(&s.a, &s.d);
	wire_settle(*state);
	assert_int_equal(dropped(&s, MODEL_RX_QKEY), 1);
	wire_modify_ud(&s.a, XRDMA_QPS_RTS, XRDMA_QPM_QKEY, 0x80010000);
	s.d.qkey = OWN;
	wire_post_ud(&s.a, &s.d);
	expect_data(&s, 7, 100, &cqe);
}

static void on_an_srq(void **state)
{
	struct wire_srq srq;
	struct xrdma_sge sge;
	struct xrdma_cqe cqe;
	struct wire_qp qp;
	struct scene s;

	begin(state, &s);
	wire_create_srq(s.b.host, 4, 0, 0, &srq);
	wire_create_ud(s.env, s.env->n - 1, XRDMA_QP_UD, srq.srqn, &qp);
	s.d.dqpn = qp.qpn;
	sge = wire_sge(s.b_buf, 140, s.b_key);
	wire_post_srq(&srq, 60, &sge, 1);
	sge.length = cpu_to_le32(20);
	wire_post_srq(&srq, 61, &sge, 1);
	wire_post_ud(&s.a, &s.d);
	wire_post_ud(&s.a, &s.d);
	wire_post_ud(&s.a, &s.d);
	wire_expect_recv(&qp, 60, XRDMA_WC_SUCCESS, &cqe);
	assert_int_equal(le16_to_cpu(cqe.flags), XRDMA_CQE_GRH |
			 XRDMA_CQE_IPV4 | XRDMA_CQE_SRQ);
	wire_expect_recv(&qp, 61, XRDMA_WC_LOC_LEN_ERR, &cqe);
	wire_settle(*state);
	assert_int_equal(dropped(&s, MODEL_RX_OVERRUN), 1);
	assert_int_equal(le32_to_cpu(srq.rec->ci), 2);
}

/* A queue pair is not polled while the wire has no room, and sends then. */
static void it_sleeps_while_the_wire_is_full(void **state)
{
	struct model_frame *frame;
	struct model_device *dev;
	struct xrdma_cqe cqe;
	struct scene s;

	begin(state, &s);
	dev = s.a.host->dev;
	post_recv(&s, 7, 256);
	while (model_wire_room(dev->wire, MODEL_DEST_FAR)) {
		frame = model_wire_frame(dev->wire);
		assert_non_null(frame);
		memset(frame->data, 0, 60);
		frame->len = 60;
		model_wire_send(dev->wire, frame);
	}
	wire_post_ud(&s.a, &s.d);
	assert_true(model_qps_poll(dev));
	assert_false(model_qps_poll(dev));
	assert_false(model_device_park(dev));
	wire_settle(s.env);
	expect_data(&s, 7, 100, &cqe);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(over_ipv4, 1),
		WIRE_TEST(over_ipv4, 2),
		WIRE_TEST(over_ipv6, 1),
		WIRE_TEST(over_ipv6, 2),
		WIRE_TEST(with_a_vlan_tag, 2),
		WIRE_TEST(immediate_solicited_inline_and_longest, 2),
		WIRE_TEST(what_is_on_the_wire, 2),
		WIRE_TEST(what_is_not_delivered, 2),
		WIRE_TEST(another_vlan_is_not_delivered, 2),
		WIRE_TEST(a_short_buffer_fails_alone, 1),
		WIRE_TEST(what_is_refused, 2),
		WIRE_TEST(receives_go_on_in_sqe, 2),
		WIRE_TEST(the_port_limits_the_length, 2),
		WIRE_TEST(each_datagram_has_its_own_address, 2),
		WIRE_TEST(query_returns_no_address, 1),
		WIRE_TEST(the_gsi, 1),
		WIRE_TEST(the_gsi, 2),
		WIRE_TEST(on_an_srq, 2),
		WIRE_TEST(it_sleeps_while_the_wire_is_full, 2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of multicast: which queue pairs get a copy, which frames the port
 * accepts, and which queue pairs may be attached.
 */
#include <string.h>

#include "tests/lib/wire_ud.h"
#include "transport/rx.h"

/*
 * struct scene - a queue pair of host 0 that sends, and two on the last host
 * @d: a datagram to the IPv4 group, of 100 bytes
 */
struct scene {
	struct wire_env *env;
	struct wire_qp a;
	struct wire_qp b[2];
	struct wire_dgram d;
	u8 data[100];
	u64 buf;
	u32 key;
	struct wire_host *host;
};

static void begin(void **state, struct scene *s)
{
	memset(s, 0, sizeof(*s));
	s->env = *state;
	s->host = &s->env->hosts[s->env->n - 1];
	wire_create_ud(s->env, 0, XRDMA_QP_UD, 0, &s->a);
	wire_create_ud(s->env, s->env->n - 1, XRDMA_QP_UD, 0, &s->b[0]);
	wire_create_ud(s->env, s->env->n - 1, XRDMA_QP_UD, 0, &s->b[1]);
	s->buf = wire_alloc(s->host, 0x10000, 4096);
	s->key = wire_region(s->host, 101, s->buf, 0x10000,
			     XRDMA_ACCESS_LOCAL_WRITE);
	wire_fill(s->data, sizeof(s->data), 3);
	s->d = (struct wire_dgram) {
		.opcode = XRDMA_OP_SEND,
		.flags = XRDMA_WQE_SIGNALED | XRDMA_WQE_INLINE,
		.dqpn = XRDMA_QPN_MCAST, .qkey = WIRE_QKEY,
		.inline_data = s->data, .num_sge = sizeof(s->data),
		.av = wire_group_av(wire_group_4, 0),
	};
}

static void post_recv(struct scene *s, struct wire_qp *qp, u32 slot)
{
	struct xrdma_sge sge = wire_sge(s->buf + slot * 256, 256, s->key);

	wire_post_recv(qp, slot, &sge, 1);
}

static void expect(struct scene *s, struct wire_qp *qp, u32 slot)
{
	const u8 *at = wire_ptr(s->host, s->buf + slot * 256);
	struct xrdma_cqe cqe;

	wire_expect_recv(qp, slot, XRDMA_WC_SUCCESS, &cqe);
	assert_int_equal(le32_to_cpu(cqe.src_qpn), s->a.qpn);
	assert_memory_equal(at + WIRE_GRH, s->data, sizeof(s->data));
}

static void send_to_group(struct scene *s)
{
	wire_post_ud(&s->a, &s->d);
	wire_expect_send(&s->a, 0, XRDMA_WC_SUCCESS);
	wire_settle(s->env);
}

static u64 verdicts(const struct scene *s, enum model_rx rx)
{
	return s->host->dev->wire->rx_frames[rx];
}

static void all_members_get_a_copy(void **state)
{
	struct xrdma_cqe cqe;
	struct scene s;

	begin(state, &s);
	post_recv(&s, &s.b[0], 0);
	post_recv(&s, &s.b[1], 1);
	send_to_group(&s);
	assert_false(wire_poll_cq(&s.b[0].recv_cq, &cqe));
	if (s.env->n == 2)
		assert_int_equal(verdicts(&s, MODEL_RX_FILTERED), 1);
	assert_int_equal(wire_mcast(&s.b[0], wire_group_4, true), 0);
	assert_int_equal(wire_mcast(&s.b[1], wire_group_4, true), 0);
	send_to_group(&s);
	expect(&s, &s.b[0], 0);
	expect(&s, &s.b[1], 1);
	/* one queue pair has no receive: the other one gets its copy */
	post_recv(&s, &s.b[1], 2);
	send_to_group(&s);
	expect(&s, &s.b[1], 2);
	assert_int_equal(wire_mcast(&s.b[0], wire_group_4, false), 0);
	post_recv(&s, &s.b[0], 3);
	post_recv(&s, &s.b[1], 4);
	send_to_group(&s);
	expect(&s, &s.b[1], 4);
	assert_false(wire_poll_cq(&s.b[0].recv_cq, &cqe));
}

static void over_ipv6(void **state)
{
	struct xrdma_cqe cqe;
	struct scene s;

	begin(state, &s);
	s.d.av = wire_group_av(wire_group_6, 1);
	assert_int_equal(wire_mcast(&s.b[0], wire_group_6, true), 0);
	assert_int_equal(wire_mcast(&s.b[1], wire_group_4, true), 0);
	post_recv(&s, &s.b[0], 0);
	post_recv(&s, &s.b[1], 1);
	send_to_group(&s);
	expect(&s, &s.b[0], 0);
	assert_false(wire_poll_cq(&s.b[1].recv_cq, &cqe));
}

/* Members on the sender's port get a copy, except the sender itself. */
static void the_sender_gets_no_copy(void **state)
{
	struct wire_qp near;
	struct xrdma_cqe cqe;
	struct scene s;
	u64 buf;
	u32 key;
	struct xrdma_sge sge;

	begin(state, &s);
	wire_create_ud(s.env, 0, XRDMA_QP_UD, 0, &near);
	buf = wire_alloc(s.a.host, 4096, 4096);
	key = wire_region(s.a.host, 55, buf, 4096, XRDMA_ACCESS_LOCAL_WRITE);
	sge = wire_sge(buf, 256, key);
	wire_post_recv(&s.a, 8, &sge, 1);
	wire_post_recv(&near, 9, &sge, 1);
	assert_int_equal(wire_mcast(&s.a, wire_group_4, true), 0);
	assert_int_equal(wire_mcast(&near, wire_group_4, true), 0);
	assert_int_equal(wire_mcast(&s.b[0], wire_group_4, true), 0);
	post_recv(&s, &s.b[0], 0);
	send_to_group(&s);
	expect(&s, &s.b[0], 0);
	wire_expect_recv(&near, 9, XRDMA_WC_SUCCESS, &cqe);
	assert_false(wire_poll_cq(&s.a.recv_cq, &cqe));
	assert_false(wire_poll_cq(&near.recv_cq, &cqe));
}

/* A queue pair of the same number on another port is not the sender. */
static void numbers_are_of_one_port(void **state)
{
	struct scene s;
	u32 i;

	begin(state, &s);
	for (i = 0; i < 2 && s.b[i].qpn != s.a.qpn; i++)
		;
	assert_true(i < 2);
	assert_int_equal(wire_mcast(&s.b[i], wire_group_4, true), 0);
	post_recv(&s, &s.b[i], 0);
	send_to_group(&s);
	expect(&s, &s.b[i], 0);
}

static void the_qkey_counts(void **state)
{
	struct xrdma_cqe cqe;
	struct scene s;

	begin(state, &s);
	assert_int_equal(wire_mcast(&s.b[0], wire_group_4, true), 0);
	post_recv(&s, &s.b[0], 0);
	s.d.qkey++;
	send_to_group(&s);
	assert_false(wire_poll_cq(&s.b[0].recv_cq, &cqe));
	assert_int_equal(verdicts(&s, MODEL_RX_QKEY), 1);
	/* a wrong Q_Key is dropped */
	s.d.qkey--;
	s.d.dqpn = s.b[0].qpn;
	send_to_group(&s);
	assert_int_equal(verdicts(&s, MODEL_RX_DESTINATION), 1);
	/* another group with the same MAC address is dropped */
	s.d.dqpn = XRDMA_QPN_MCAST;
	s.d.av.dgid[13] ^= 0x80;
	send_to_group(&s);
	assert_int_equal(verdicts(&s, MODEL_RX_DESTINATION), 2);
	assert_false(wire_poll_cq(&s.b[0].recv_cq, &cqe));
}

/* The port of the receiver has no address in the VLAN of the datagram. */
static void a_foreign_vlan_is_dropped(void **state)
{
	struct xrdma_cmd_set_gid gid = {
		.flags = cpu_to_le32(XRDMA_GID_VALID | XRDMA_GID_IPV4 |
				     XRDMA_GID_VLAN),
		.vlan_tci = cpu_to_le16(200),
	};
	struct xrdma_cqe cqe;
	struct scene s;

	begin(state, &s);
	assert_int_equal(wire_mcast(&s.b[0], wire_group_4, true), 0);
	post_recv(&s, &s.b[0], 0);
	memcpy(gid.gid, s.a.host->gid, sizeof(gid.gid));
	memcpy(gid.mac, s.a.host->mac, sizeof(gid.mac));
	assert_int_equal(model_gid_set(s.a.host->dev, &gid), XRDMA_CMD_OK);
	send_to_group(&s);
	assert_false(wire_poll_cq(&s.b[0].recv_cq, &cqe));
	assert_int_equal(verdicts(&s, MODEL_RX_VLAN), 1);
}

static void what_may_be_attached(void **state)
{
	static const u8 bad[][16] = {
		{ 0xfe, 0x80 }, { [10] = 0xff, 0xff, 192, 168, 1, 1 },
		{ [10] = 0xff, 0xff, 240, 0, 0, 1 },
		{ [10] = 0xff, 0xff, 223, 0, 0, 1 },
		{ 1, [10] = 0xff, 0xff, 239, 0, 0, 1 },
	};
	struct model_device *dev;
	u8 gid[16] = { 0xff };
	struct wire_qp rc;
	struct scene s;
	u32 i;

	begin(state, &s);
	dev = s.host->dev;
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(wire_mcast(&s.a, bad[i], true),
				 XRDMA_CMD_BAD_PARAM);
	wire_create_qp(s.env, 0, XRDMA_QP_RC, 0, 4, &rc);
	assert_int_equal(wire_mcast(&rc, wire_group_4, true),
			 XRDMA_CMD_BAD_PARAM);
	assert_int_equal(wire_mcast(&s.a, wire_group_4, false),
			 XRDMA_CMD_BAD_NUMBER);
	assert_int_equal(wire_mcast(&s.a, wire_group_4, true), XRDMA_CMD_OK);
	assert_int_equal(wire_mcast(&s.a, wire_group_4, true),
			 XRDMA_CMD_BAD_NUMBER);
	assert_int_equal(model_qp_destroy(dev, s.a.qpn), XRDMA_CMD_BUSY);
	for (i = 1; i < MODEL_MAX_MCAST; i++) {
		gid[15] = i;
		assert_int_equal(wire_mcast(&s.a, gid, true), XRDMA_CMD_OK);
	}
	gid[15] = 0;
	assert_int_equal(wire_mcast(&s.b[0], gid, true),
			 XRDMA_CMD_NO_RESOURCE);
	gid[15] = 1;
	assert_int_equal(wire_mcast(&s.b[0], gid, true), XRDMA_CMD_OK);
	assert_int_equal(wire_mcast(&s.a, wire_group_4, false), XRDMA_CMD_OK);
	assert_false(model_mcast_wanted(dev, s.d.av.dmac));
	for (i = 1; i < MODEL_MAX_MCAST; i++) {
		gid[15] = i;
		assert_int_equal(wire_mcast(&s.a, gid, false), XRDMA_CMD_OK);
	}
	assert_int_equal(dev->mcast.num, 1);
	assert_int_equal(model_qp_destroy(dev, s.a.qpn), XRDMA_CMD_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(all_members_get_a_copy, 1),
		WIRE_TEST(all_members_get_a_copy, 2),
		WIRE_TEST(over_ipv6, 1),
		WIRE_TEST(over_ipv6, 2),
		WIRE_TEST(the_sender_gets_no_copy, 1),
		WIRE_TEST(the_sender_gets_no_copy, 2),
		WIRE_TEST(numbers_are_of_one_port, 2),
		WIRE_TEST(the_qkey_counts, 2),
		WIRE_TEST(a_foreign_vlan_is_dropped, 2),
		WIRE_TEST(what_may_be_attached, 1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

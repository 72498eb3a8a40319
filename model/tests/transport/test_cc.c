// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of congestion control: a marked packet is answered with a notification,
 * a notification slows a queue pair down, and the rate recovers. In the first
 * tests the test is the peer; in the others two devices use a wire that marks.
 * The DCQCN formulas are tested in core/test_dcqcn.c.
 */
#include <string.h>

#include "base/bytes.h"
#include "core/cc.h"
#include "packet/icrc.h"
#include "tests/lib/wire_craft.h"
#include "transport/rx.h"

#define PSN		(wire_defaults.psn ^ 0x55)
#define US		1000ULL
#define LINE		(MODEL_LINK_SPEED * 125000ULL)

/* From the BTH to the ICRC, as a ConnectX-4 Lx sends it (see test_pkt.c). */
static const u8 cnp_bytes[] = {
	0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x01, 0x18, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00,
};

static u64 stat(const struct wire_host *host, enum xrdma_stat stat)
{
	return host->dev->stats[stat];
}

static struct xrdma_cc query(struct wire_host *host)
{
	return host->dev->cc.set;
}

static void modify(struct wire_host *host, const struct xrdma_cc *set)
{
	assert_int_equal(model_cc_modify(host->dev, set), XRDMA_CMD_OK);
}

static void set_flags(struct wire_host *host, u32 flags)
{
	struct xrdma_cc set = query(host);

	set.flags = cpu_to_le32(flags);
	modify(host, &set);
}

/* Let side a receive a packet with traffic class @tclass. */
static enum model_rx send_class(struct craft *c, struct model_pkt *pkt,
				u8 tclass)
{
	u8 frame[256];
	u32 len = craft_frame(c, pkt, NULL, frame);
	u32 sum = 0;
	int i;

	frame[15] = tclass;
	model_put16(frame + 24, 0);
	for (i = 14; i < 34; i += 2)
		sum += model_get16(frame + i);
	sum = (sum & 0xffff) + (sum >> 16);
	model_put16(frame + 24, ~((sum & 0xffff) + (sum >> 16)));
	return model_rx_frame(c->p.a.host->dev, frame, len);
}

static void send_write(struct craft *c, u32 psn, u8 tclass)
{
	struct model_pkt pkt = craft_pkt(c, MODEL_BTH_WRITE_ONLY, psn);

	pkt.len = 8;
	pkt.dma_len = 8;
	assert_int_equal(send_class(c, &pkt, tclass), MODEL_RX_OK);
}

static enum model_rx send_cnp(struct craft *c)
{
	struct model_pkt pkt = craft_pkt(c, MODEL_BTH_CNP_OPCODE, 0);

	pkt.becn = true;
	return craft_send(c, &pkt, NULL);
}

static struct model_frame *next_frame(struct craft *c)
{
	craft_turn(c);
	return model_frameq_pop(&c->p.b.host->dev->wire->arrived);
}

static void put_frame(struct craft *c, struct model_frame *frame)
{
	model_frame_put(&c->p.b.host->dev->wire->pool, frame);
}

static void a_notification_has_the_bytes_of_the_standard(void **state)
{
	struct model_frame *frame;
	struct model_net net;
	struct craft c;

	craft_begin(state, &c, &wire_defaults);
	c.p.a.qp->attr.dest_qpn = cpu_to_le32(0x118);
	send_write(&c, PSN, MODEL_ECN_CE);
	frame = next_frame(&c);
	assert_non_null(frame);
	assert_int_equal(model_net_parse(&net, frame->data, frame->len),
			 MODEL_RX_OK);
	assert_int_equal(net.end - net.bth, sizeof(cnp_bytes) + 4);
	assert_memory_equal(frame->data + net.bth, cnp_bytes,
			    sizeof(cnp_bytes));
	assert_true(model_icrc_ok(frame->data, net.l3, net.bth, net.end));
	put_frame(&c, frame);
	assert_int_equal(stat(c.p.a.host, XRDMA_STAT_ECN_MARKED), 1);
	assert_int_equal(stat(c.p.a.host, XRDMA_STAT_CNP_SENT), 1);
}

static void a_notification_has_the_p_key_of_the_packet(void **state)
{
	struct model_pkt pkt;
	struct craft c;

	craft_begin(state, &c, &wire_defaults);
	pkt = craft_pkt(&c, MODEL_BTH_WRITE_ONLY, PSN);
	pkt.pkey = 0x7fff;
	assert_int_equal(send_class(&c, &pkt, MODEL_ECN_CE), MODEL_RX_OK);
	craft_expect(&c, MODEL_BTH_CNP_OPCODE, 0);
	assert_int_equal(c.pkt.pkey, 0x7fff);
}

static void only_congestion_experienced_is_a_mark(void **state)
{
	struct craft c;
	u8 ecn;

	craft_begin(state, &c, &wire_defaults);
	for (ecn = 0; ecn < MODEL_ECN_CE; ecn++)
		send_write(&c, PSN + ecn, 0xfc | ecn);
	craft_expect_nothing(&c);
	assert_int_equal(stat(c.p.a.host, XRDMA_STAT_ECN_MARKED), 0);
}

static void notifications_are_an_interval_apart(void **state)
{
	struct craft c;

	craft_begin(state, &c, &wire_defaults);
	send_write(&c, PSN, MODEL_ECN_CE);
	send_write(&c, PSN + 1, MODEL_ECN_CE);
	craft_expect(&c, MODEL_BTH_CNP_OPCODE, 0);
	craft_expect_nothing(&c);
	fake_loop_advance(c.env->loop, model_loop_now(c.env->loop) + 50 * US);
	send_write(&c, PSN + 2, MODEL_ECN_CE);
	craft_expect(&c, MODEL_BTH_CNP_OPCODE, 0);
	assert_int_equal(stat(c.p.a.host, XRDMA_STAT_ECN_MARKED), 3);
	assert_int_equal(stat(c.p.a.host, XRDMA_STAT_CNP_SENT), 2);
}

static void without_a_notification_point_marks_are_only_counted(void **state)
{
	struct craft c;

	craft_begin(state, &c, &wire_defaults);
	set_flags(c.p.a.host, XRDMA_CC_RP);
	send_write(&c, PSN, MODEL_ECN_CE);
	craft_expect_nothing(&c);
	assert_int_equal(stat(c.p.a.host, XRDMA_STAT_ECN_MARKED), 1);
	assert_int_equal(stat(c.p.a.host, XRDMA_STAT_CNP_SENT), 0);
}

/* A marked notification is not answered with a notification. */
static void notifications_are_not_answered(void **state)
{
	struct model_pkt pkt;
	struct craft c;

	craft_begin(state, &c, &wire_defaults);
	pkt = craft_pkt(&c, MODEL_BTH_CNP_OPCODE, 0);
	assert_int_equal(send_class(&c, &pkt, MODEL_ECN_CE), MODEL_RX_OK);
	craft_expect_nothing(&c);
	assert_int_equal(stat(c.p.a.host, XRDMA_STAT_ECN_MARKED), 0);
}

static u8 class_of_next_packet(struct craft *c)
{
	struct model_frame *frame;
	struct model_net net;

	wire_post_send(&c->p.a, &(struct wire_wr) {
		.opcode = XRDMA_OP_WRITE, .inline_data = "x", .len = 1,
		.remote_addr = c->p.b_buf, .rkey = c->p.b_key });
	frame = next_frame(c);
	assert_non_null(frame);
	assert_int_equal(model_net_parse(&net, frame->data, frame->len),
			 MODEL_RX_OK);
	put_frame(c, frame);
	return net.tclass;
}

static void packets_are_marked_as_ecn_capable(void **state)
{
	struct craft c;

	craft_begin(state, &c, &wire_defaults);
	c.p.a.qp->attr.av.traffic_class = 0xb9;
	assert_int_equal(class_of_next_packet(&c), 0xba);
	set_flags(c.p.a.host, XRDMA_CC_NP);
	assert_int_equal(class_of_next_packet(&c), 0xb9);
	set_flags(c.p.a.host, XRDMA_CC_RP);
	assert_int_equal(class_of_next_packet(&c), 0xba);
}

static void a_notification_slows_the_queue_pair_it_names(void **state)
{
	struct model_pkt pkt;
	struct craft c;

	craft_begin(state, &c, &wire_defaults);
	assert_false(c.p.a.qp->cc.rp.slowed);
	assert_int_equal(send_cnp(&c), MODEL_RX_OK);
	assert_true(c.p.a.qp->cc.rp.slowed);
	assert_int_equal(c.p.a.qp->cc.rp.rate, LINE / 2);
	assert_int_equal(stat(c.p.a.host, XRDMA_STAT_CNP_HANDLED), 1);
	pkt = craft_pkt(&c, MODEL_BTH_CNP_OPCODE, 0);
	pkt.dqpn = 0x4711;
	assert_int_equal(craft_send(&c, &pkt, NULL), MODEL_RX_QPN);
	assert_int_equal(stat(c.p.a.host, XRDMA_STAT_CNP_HANDLED), 1);
}

/* A notification that is not from the peer's address has no effect. */
static void spoofed_notifications_are_dropped(void **state)
{
	struct craft c;

	craft_begin(state, &c, &wire_defaults);
	c.p.b.host->gid[15] ^= 0x40;
	assert_int_equal(send_cnp(&c), MODEL_RX_SOURCE);
	assert_false(c.p.a.qp->cc.rp.slowed);
	assert_int_equal(stat(c.p.a.host, XRDMA_STAT_CNP_HANDLED), 0);
}

static void without_a_reaction_point_nothing_slows(void **state)
{
	struct craft c;

	craft_begin(state, &c, &wire_defaults);
	send_cnp(&c);
	assert_true(c.p.a.qp->cc.rp.slowed);
	set_flags(c.p.a.host, XRDMA_CC_NP);
	assert_false(c.p.a.qp->cc.rp.slowed);
	assert_int_equal(send_cnp(&c), MODEL_RX_OK);
	assert_false(c.p.a.qp->cc.rp.slowed);
	assert_int_equal(stat(c.p.a.host, XRDMA_STAT_CNP_HANDLED), 1);
}

static void parameters_out_of_range_are_refused(void **state)
{
	struct wire_env *env = *state;
	struct wire_host *host = &env->hosts[0];
	const struct xrdma_cc good = query(host);
	struct xrdma_cc bad[13];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		bad[i] = good;
	bad[0].flags = cpu_to_le32(4);
	bad[1].min_rate = 0;
	bad[2].time_reset = 0;
	bad[3].byte_reset = 0;
	bad[4].threshold = 0;
	bad[5].threshold = cpu_to_le32(32);
	bad[6].alpha_timer = 0;
	bad[7].alpha_g = 0;
	bad[8].alpha_g = cpu_to_le16(1024);
	bad[9].initial_alpha = cpu_to_le16(1025);
	bad[10].reserved = cpu_to_le32(1);
	bad[11].flags = cpu_to_le32(BIT(31));
	bad[12].threshold = cpu_to_le32(UINT32_MAX);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(model_cc_modify(host->dev, &bad[i]),
				 XRDMA_CMD_BAD_PARAM);
		assert_memory_equal(&host->dev->cc.set, &good, sizeof(good));
	}
}

static void a_reset_restores_the_defaults(void **state)
{
	struct wire_env *env = *state;
	struct wire_host *host = &env->hosts[0];
	const struct xrdma_cc before = query(host);
	struct xrdma_cc set = before;

	assert_int_equal(le32_to_cpu(before.flags),
			 XRDMA_CC_RP | XRDMA_CC_NP);
	set.flags = 0;
	set.ai_rate = cpu_to_le32(77);
	modify(host, &set);
	assert_memory_equal(&host->dev->cc.set, &set, sizeof(set));
	model_device_reset(host->dev);
	assert_memory_equal(&host->dev->cc.set, &before, sizeof(before));
}

static u8 execute(struct wire_host *host, struct xrdma_cmd *cmd,
		  struct xrdma_rsp *rsp)
{
	model_cmd_execute(host->dev, cmd, rsp);
	return rsp->status;
}

static void commands_set_and_return_the_parameters(void **state)
{
	struct wire_env *env = *state;
	struct wire_host *host = &env->hosts[0];
	const struct xrdma_cc before = query(host);
	struct xrdma_cmd ask = { .opcode = cpu_to_le16(XRDMA_CMD_QUERY_CC) };
	struct xrdma_cmd set = { .opcode = cpu_to_le16(XRDMA_CMD_MODIFY_CC) };
	struct xrdma_rsp rsp;

	assert_true(host->dev->caps & XRDMA_CAP_CC);
	assert_int_equal(execute(host, &ask, &rsp), XRDMA_CMD_OK);
	assert_memory_equal(&rsp.query_cc, &before, sizeof(before));
	set.modify_cc = before;
	set.modify_cc.hai_rate = cpu_to_le32(123);
	assert_int_equal(execute(host, &set, &rsp), XRDMA_CMD_OK);
	assert_int_equal(execute(host, &ask, &rsp), XRDMA_CMD_OK);
	assert_memory_equal(&rsp.query_cc, &set.modify_cc, sizeof(before));
	set.modify_cc.min_rate = 0;
	assert_int_equal(execute(host, &set, &rsp), XRDMA_CMD_BAD_PARAM);
	host->expected = 1;
}

/* Set parameters with which a rate does not recover after the first cuts. */
static void stay_slow(struct wire_host *host, u32 min_mbit)
{
	struct xrdma_cc set = query(host);

	set.min_rate = cpu_to_le32(min_mbit);
	set.time_reset = cpu_to_le32(UINT32_MAX);
	set.byte_reset = cpu_to_le32(UINT32_MAX);
	modify(host, &set);
}

static void cut_to_minimum(struct wire_qp *qp)
{
	while (!qp->qp->cc.rp.slowed ||
	       qp->qp->cc.rp.rate > qp->host->dev->cc.params.min_rate) {
		model_cc_notified(qp->qp);
		fake_loop_advance(qp->env->loop,
				  model_loop_now(qp->env->loop) + 4 * US);
	}
}

/* Return: time in ns that a transfer of @len bytes takes. */
static u64 time_of(struct wire_pair *p, u8 opcode, u32 len)
{
	struct xrdma_sge sge = wire_sge(p->a_buf, len, p->a_key);
	u64 begin = model_loop_now(p->a.env->loop);

	wire_post_send(&p->a, &(struct wire_wr) {
		.opcode = opcode, .flags = XRDMA_WQE_SIGNALED, .wr_id = 9,
		.sges = &sge, .num_sge = 1,
		.remote_addr = p->b_buf, .rkey = p->b_key });
	wire_expect_send(&p->a, 9, XRDMA_WC_SUCCESS);
	assert_memory_equal(p->a_mem, p->b_mem, len);
	return model_loop_now(p->a.env->loop) - begin;
}

/* 1 MiB at 100 Mbit/s takes 84 ms; 90 ms with 82 bytes of headers per KiB. */
static void a_slowed_sender_keeps_to_its_rate(void **state)
{
	struct wire_env *env = *state;
	struct wire_pair p;
	u64 ns;

	wire_make_pair(env, &p, &wire_defaults);
	assert_int_equal(time_of(&p, XRDMA_OP_WRITE, 1 << 20), 0);
	stay_slow(p.a.host, 100);
	cut_to_minimum(&p.a);
	wire_fill(p.a_mem, 1 << 20, 5);
	ns = time_of(&p, XRDMA_OP_WRITE, 1 << 20);
	assert_in_range(ns, 84 * WIRE_MS, 92 * WIRE_MS);
	assert_int_equal(stat(p.a.host, XRDMA_STAT_ACK_TIMEOUTS), 0);
}

static void data_of_reads_keep_to_the_rate(void **state)
{
	struct wire_env *env = *state;
	struct wire_pair p;
	u64 ns;

	wire_make_pair(env, &p, &wire_defaults);
	stay_slow(p.b.host, 1000);
	cut_to_minimum(&p.b);
	ns = time_of(&p, XRDMA_OP_READ, 1 << 20);
	assert_in_range(ns, 8400 * US, 9200 * US);
	/* without congestion control side b is not slowed any more */
	set_flags(p.b.host, 0);
	wire_fill(p.b_mem, 1 << 20, 6);
	assert_int_equal(time_of(&p, XRDMA_OP_READ, 1 << 20), 0);
}

/* At the lowest rate a packet takes longer than the ACK timeout. */
static void a_slow_sender_does_not_time_out(void **state)
{
	struct wire_params params = wire_defaults;
	struct wire_env *env = *state;
	struct wire_pair p;

	params.timeout = 9; /* 2.1 ms; a packet takes 8.8 ms */
	params.retry_cnt = 0;
	wire_make_pair(env, &p, &params);
	stay_slow(p.a.host, 1);
	cut_to_minimum(&p.a);
	assert_in_range(time_of(&p, XRDMA_OP_WRITE, 65536), 500 * WIRE_MS,
			600 * WIRE_MS);
}

static void without_a_reaction_point_no_queue_pair_waits(void **state)
{
	struct wire_env *env = *state;
	struct wire_pair p;
	u64 begin;

	wire_make_pair(env, &p, &wire_defaults);
	stay_slow(p.a.host, 1);
	cut_to_minimum(&p.a);
	begin = model_loop_now(env->loop);
	wire_post_send(&p.a, &(struct wire_wr) {
		.opcode = XRDMA_OP_WRITE, .flags = XRDMA_WQE_SIGNALED,
		.sges = (struct xrdma_sge[]) {
			wire_sge(p.a_buf, 65536, p.a_key) }, .num_sge = 1,
		.remote_addr = p.b_buf, .rkey = p.b_key });
	wire_settle(env);
	assert_true(model_timer_armed(&p.a.qp->cc.timer));
	set_flags(p.a.host, 0);
	wire_expect_send(&p.a, 0, XRDMA_WC_SUCCESS);
	assert_int_equal(model_loop_now(env->loop), begin);
}

/* Destroying a slowed queue pair cancels its timer. */
static void a_slowed_queue_pair_can_be_destroyed(void **state)
{
	struct wire_env *env = *state;
	struct wire_pair p;
	struct xrdma_sge sge;

	wire_make_pair(env, &p, &wire_defaults);
	stay_slow(p.a.host, 1);
	cut_to_minimum(&p.a);
	sge = wire_sge(p.a_buf, 65536, p.a_key);
	wire_post_send(&p.a, &(struct wire_wr) {
		.opcode = XRDMA_OP_WRITE, .sges = &sge, .num_sge = 1,
		.remote_addr = p.b_buf, .rkey = p.b_key });
	wire_settle(env);
	assert_true(model_timer_armed(&p.a.qp->cc.timer));
	assert_int_equal(model_qp_destroy(p.a.host->dev, p.a.qpn),
			 XRDMA_CMD_OK);
	wire_run(env, 100 * WIRE_MS);
}

/* Two devices: the wire marks packets, and later no longer does. */
static void the_rate_falls_and_recovers(void **state)
{
	struct wire_env *env = *state;
	u64 lowest = UINT64_MAX;
	struct xrdma_cc set;
	struct wire_pair p;
	int i;

	wire_make_pair(env, &p, &wire_defaults);
	set = query(p.a.host);
	set.byte_reset = cpu_to_le32(10000000); /* value of the DCQCN paper */
	modify(p.a.host, &set);
	wire_impair(p.a.host, "ecn=10%");
	for (i = 0; i < 50; i++) {
		wire_fill(p.a_mem, 1 << 20, i);
		time_of(&p, XRDMA_OP_WRITE, 1 << 20);
		if (p.a.qp->cc.rp.slowed && p.a.qp->cc.rp.rate < lowest)
			lowest = p.a.qp->cc.rp.rate;
	}
	print_message("    %llu marks, %llu notifications, down to %llu Mbit/s\n",
		      stat(p.b.host, XRDMA_STAT_ECN_MARKED),
		      stat(p.b.host, XRDMA_STAT_CNP_SENT), lowest / 125000);
	assert_true(lowest < LINE / 100);
	assert_in_range(stat(p.b.host, XRDMA_STAT_ECN_MARKED), 4500, 5800);
	assert_true(stat(p.b.host, XRDMA_STAT_CNP_SENT) > 100);
	assert_int_equal(stat(p.b.host, XRDMA_STAT_CNP_SENT),
			 stat(p.a.host, XRDMA_STAT_CNP_HANDLED));
	assert_int_equal(stat(p.a.host, XRDMA_STAT_ACK_TIMEOUTS), 0);
	wire_impair(p.a.host, "none");
	for (i = 0; i < 20000 && p.a.qp->cc.rp.slowed; i++)
		time_of(&p, XRDMA_OP_WRITE, 1 << 16);
	assert_false(p.a.qp->cc.rp.slowed);
	assert_int_equal(time_of(&p, XRDMA_OP_WRITE, 1 << 20), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(a_notification_has_the_bytes_of_the_standard, 2),
		WIRE_TEST(a_notification_has_the_p_key_of_the_packet, 2),
		WIRE_TEST(only_congestion_experienced_is_a_mark, 2),
		WIRE_TEST(notifications_are_an_interval_apart, 2),
		WIRE_TEST(without_a_notification_point_marks_are_only_counted,
			  2),
		WIRE_TEST(notifications_are_not_answered, 2),
		WIRE_TEST(packets_are_marked_as_ecn_capable, 2),
		WIRE_TEST(a_notification_slows_the_queue_pair_it_names, 2),
		WIRE_TEST(spoofed_notifications_are_dropped, 2),
		WIRE_TEST(without_a_reaction_point_nothing_slows, 2),
		WIRE_TEST(parameters_out_of_range_are_refused, 2),
		WIRE_TEST(a_reset_restores_the_defaults, 2),
		WIRE_TEST(commands_set_and_return_the_parameters, 2),
		WIRE_TEST(a_slowed_sender_keeps_to_its_rate, 2),
		WIRE_TEST(data_of_reads_keep_to_the_rate, 2),
		WIRE_TEST(a_slow_sender_does_not_time_out, 2),
		WIRE_TEST(without_a_reaction_point_no_queue_pair_waits, 2),
		WIRE_TEST(a_slowed_queue_pair_can_be_destroyed, 2),
		WIRE_TEST(the_rate_falls_and_recovers, 2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of send entries that send no packet (BIND_MW, REG_MR, LOCAL_INV): when
 * they are executed, that they are executed once, when they complete. Also
 * SEND_INV on the wire. The test is the peer.
 */
#include <string.h>

#include "tests/lib/wire_craft.h"
#include "tests/lib/wire_mw.h"

#define ACK		(MODEL_AETH_ACK | MODEL_AETH_NO_CREDITS)
#define NAK(value)	(MODEL_AETH_NAK | MODEL_NAK_##value)
#define MTU		1024
#define PSN		(wire_defaults.psn)
#define RQ_PSN		(wire_defaults.psn ^ 0x55)

#define MW		50

/* A window of type 1: each bind changes the key. */
struct scene {
	struct craft c;
	u32 mr;
	u32 mw;
};

static void begin(void **state, struct scene *s, u8 type)
{
	craft_begin(state, &s->c, &wire_defaults);
	s->mr = wire_region(s->c.p.a.host, 40, s->c.p.a_buf, 65536,
			    WIRE_BIND_RIGHTS);
	s->mw = wire_publish(s->c.p.a.host, MW, type);
}

static void post(struct scene *s, u8 opcode, u64 wr_id, u32 len, u8 flags)
{
	struct xrdma_sge sge = wire_sge(s->c.p.a_buf, len, s->c.p.a_key);

	wire_post_send(&s->c.p.a, &(struct wire_wr) {
		.opcode = opcode, .flags = XRDMA_WQE_SIGNALED | flags,
		.wr_id = wr_id, .sges = &sge, .num_sge = 1,
		.remote_addr = 0x1000, .rkey = 0x77,
		.inv_key = opcode == XRDMA_OP_SEND_INV ? 0xabcdef12 : 0,
	});
}

static void post_bind(struct scene *s, u64 wr_id, u8 byte)
{
	struct wire_bind b = {
		.key = s->mw,
		.new_key = xrdma_make_key(MW, byte),
		.mr_key = s->mr,
		.access = XRDMA_ACCESS_REMOTE_READ,
		.addr = s->c.p.a_buf,
		.length = 4096,
	};

	wire_post_bind(&s->c.p.a, wr_id, &b);
	s->mw = b.new_key;
}

static u8 present_byte(struct scene *s)
{
	return le64_to_cpu(wire_mpt(s->c.p.a.host, MW)->ctrl) & 0xff;
}

static void respond(struct scene *s, u8 opcode, u8 syndrome, u32 psn, u32 len)
{
	struct model_pkt pkt = craft_pkt(&s->c, opcode, psn);

	pkt.syndrome = syndrome;
	pkt.len = len;
	craft_send(&s->c, &pkt, NULL);
	craft_turn(&s->c);
}

static void completed(struct scene *s, u64 wr_id, u8 status)
{
	struct xrdma_cqe cqe;

	assert_true(wire_poll_cq(&s->c.p.a.send_cq, &cqe));
	assert_int_equal(le64_to_cpu(cqe.wr_id), wr_id);
	assert_int_equal(cqe.status, status);
}

static void not_completed(struct scene *s)
{
	struct xrdma_cqe cqe;

	assert_false(wire_poll_cq(&s->c.p.a.send_cq, &cqe));
}

/* A bind is executed before the sends around it are acknowledged. */
static void a_bind_takes_its_turn(void **state)
{
	struct scene s;

	begin(state, &s, XRDMA_MPT_MW_1);
	post(&s, XRDMA_OP_WRITE, 1, 2 * MTU, 0);
	post_bind(&s, 2, 0x10);
	post_bind(&s, 3, 0x11);
	post(&s, XRDMA_OP_SEND, 4, 10, 0);
	post_bind(&s, 5, 0x12);
	assert_int_equal(present_byte(&s), 0xa5);
	craft_expect(&s.c, MODEL_BTH_WRITE_FIRST, PSN);
	craft_expect(&s.c, MODEL_BTH_WRITE_LAST, PSN + 1);
	craft_expect(&s.c, MODEL_BTH_SEND_ONLY, PSN + 2);
	craft_expect_nothing(&s.c);
	assert_int_equal(present_byte(&s), 0x12);
	not_completed(&s);
	respond(&s, MODEL_BTH_ACK, ACK, PSN + 1, 0);
	completed(&s, 1, XRDMA_WC_SUCCESS);
	completed(&s, 2, XRDMA_WC_SUCCESS);
	completed(&s, 3, XRDMA_WC_SUCCESS);
	not_completed(&s);
	respond(&s, MODEL_BTH_ACK, ACK, PSN + 2, 0);
	completed(&s, 4, XRDMA_WC_SUCCESS);
	completed(&s, 5, XRDMA_WC_SUCCESS);
}

/* A retry of the packets around a bind does not execute the bind again. */
static void going_back_repeats_no_bind(void **state)
{
	struct scene s;

	begin(state, &s, XRDMA_MPT_MW_1);
	post(&s, XRDMA_OP_WRITE, 1, MTU, 0);
	post_bind(&s, 2, 0x10);
	post(&s, XRDMA_OP_WRITE, 3, MTU, 0);
	post_bind(&s, 4, 0x11);
	craft_expect(&s.c, MODEL_BTH_WRITE_ONLY, PSN);
	craft_expect(&s.c, MODEL_BTH_WRITE_ONLY, PSN + 1);
	respond(&s, MODEL_BTH_ACK, NAK(SEQUENCE), PSN, 0);
	craft_expect(&s.c, MODEL_BTH_WRITE_ONLY, PSN);
	craft_expect(&s.c, MODEL_BTH_WRITE_ONLY, PSN);
	craft_expect_nothing(&s.c);
	not_completed(&s);
	respond(&s, MODEL_BTH_ACK, NAK(SEQUENCE), PSN + 1, 0);
	craft_expect(&s.c, MODEL_BTH_WRITE_ONLY, PSN + 1);
	craft_expect_nothing(&s.c);
	completed(&s, 1, XRDMA_WC_SUCCESS);
	completed(&s, 2, XRDMA_WC_SUCCESS);
	not_completed(&s);
	assert_int_equal(present_byte(&s), 0x11);
	assert_int_equal(wire_bound(s.c.p.a.host, s.mr), 1);
	respond(&s, MODEL_BTH_ACK, ACK, PSN + 1, 0);
	completed(&s, 3, XRDMA_WC_SUCCESS);
	completed(&s, 4, XRDMA_WC_SUCCESS);
}

/* A bind behind a READ completes with the READ's last response. */
static void a_bind_behind_a_read(void **state)
{
	struct scene s;

	begin(state, &s, XRDMA_MPT_MW_1);
	post(&s, XRDMA_OP_READ, 1, 10, 0);
	post_bind(&s, 2, 0x10);
	craft_expect(&s.c, MODEL_BTH_READ_REQUEST, PSN);
	craft_expect_nothing(&s.c);
	assert_int_equal(present_byte(&s), 0x10);
	respond(&s, MODEL_BTH_READ_RESP_ONLY, ACK, PSN, 10);
	completed(&s, 1, XRDMA_WC_SUCCESS);
	completed(&s, 2, XRDMA_WC_SUCCESS);
}

static void a_fence_holds_a_bind_back(void **state)
{
	struct scene s;
	struct xrdma_bind_seg seg;

	begin(state, &s, XRDMA_MPT_MW_1);
	seg = (struct xrdma_bind_seg) {
		.addr = cpu_to_le64(s.c.p.a_buf), .length = cpu_to_le64(16),
		.mr_key = cpu_to_le32(s.mr),
		.new_key = cpu_to_le32(s.mw ^ 1),
	};
	post(&s, XRDMA_OP_READ, 1, 10, 0);
	wire_post_send(&s.c.p.a, &(struct wire_wr) {
		.opcode = XRDMA_OP_BIND_MW, .wr_id = 2, .inv_key = s.mw,
		.flags = XRDMA_WQE_SIGNALED | XRDMA_WQE_FENCE, .seg = &seg,
	});
	post(&s, XRDMA_OP_WRITE, 3, 10, 0);
	craft_expect(&s.c, MODEL_BTH_READ_REQUEST, PSN);
	craft_expect_nothing(&s.c);
	assert_int_equal(present_byte(&s), 0xa5);
	respond(&s, MODEL_BTH_READ_RESP_ONLY, ACK, PSN, 10);
	assert_int_equal(present_byte(&s), 0xa4);
	craft_expect(&s.c, MODEL_BTH_WRITE_ONLY, PSN + 1);
}

/* LOCAL_INV waits for all entries before it; entries after it wait for it. */
static void an_invalidation_waits(void **state)
{
	struct scene s;

	begin(state, &s, XRDMA_MPT_MW_2);
	post(&s, XRDMA_OP_WRITE, 1, 2 * MTU, 0);
	post_bind(&s, 2, 0x10);
	wire_post_inval(&s.c.p.a, 3, s.mw);
	post(&s, XRDMA_OP_SEND, 4, 10, 0);
	craft_expect(&s.c, MODEL_BTH_WRITE_FIRST, PSN);
	craft_expect(&s.c, MODEL_BTH_WRITE_LAST, PSN + 1);
	craft_expect_nothing(&s.c);
	assert_int_equal(wire_state(s.c.p.a.host, s.mw), XRDMA_MPT_VALID);
	respond(&s, MODEL_BTH_ACK, ACK, PSN, 0);
	craft_expect_nothing(&s.c);
	not_completed(&s);
	respond(&s, MODEL_BTH_ACK, ACK, PSN + 1, 0);
	completed(&s, 1, XRDMA_WC_SUCCESS);
	completed(&s, 2, XRDMA_WC_SUCCESS);
	completed(&s, 3, XRDMA_WC_SUCCESS);
	assert_int_equal(wire_state(s.c.p.a.host, s.mw), XRDMA_MPT_FREE);
	craft_expect(&s.c, MODEL_BTH_SEND_ONLY, PSN + 2);
}

/* A failed bind completes after all entries before it. */
static void a_failure_completes_in_its_turn(void **state)
{
	struct scene s;

	begin(state, &s, XRDMA_MPT_MW_2);
	post(&s, XRDMA_OP_WRITE, 1, 10, 0);
	post_bind(&s, 2, 0x10);
	post_bind(&s, 3, 0x11);	/* the window is not free */
	post(&s, XRDMA_OP_SEND, 4, 10, 0);
	craft_expect(&s.c, MODEL_BTH_WRITE_ONLY, PSN);
	craft_expect_nothing(&s.c);
	not_completed(&s);
	respond(&s, MODEL_BTH_ACK, ACK, PSN, 0);
	completed(&s, 1, XRDMA_WC_SUCCESS);
	completed(&s, 2, XRDMA_WC_SUCCESS);
	completed(&s, 3, XRDMA_WC_MW_BIND_ERR);
	completed(&s, 4, XRDMA_WC_WR_FLUSH_ERR);
	assert_int_equal(present_byte(&s), 0x10);
}

/* More binds than MODEL_REQ_WINDOW complete without any answer of the peer. */
static void many_binds_need_no_peer(void **state)
{
	struct scene s;
	u32 i, n = 0;

	begin(state, &s, XRDMA_MPT_MW_1);
	for (i = 0; i < 1000; i++) {
		post_bind(&s, i, i);
		if (i % 100 < 99)
			continue;
		wire_settle(s.c.env);
		for (; n <= i; n++)
			completed(&s, n, XRDMA_WC_SUCCESS);
	}
	assert_int_equal(present_byte(&s), 999 & 0xff);
	assert_int_equal(wire_bound(s.c.p.a.host, s.mr), 1);
}

/* Entries that are malformed. */
static void bad_entries_are_refused(void **state)
{
	const struct xrdma_bind_seg seg = { .reserved = cpu_to_le32(1) };
	const struct xrdma_sge sge = { 0 };
	const struct wire_wr bad[] = {
		{ .opcode = XRDMA_OP_BIND_MW, .seg = &seg },
		{ .opcode = XRDMA_OP_BIND_MW, .sges = &sge, .num_sge = 1 },
		{ .opcode = XRDMA_OP_LOCAL_INV, .inline_data = "", .len = 0 },
		{ .opcode = XRDMA_OP_LOCAL_INV, .flags = 0x80 },
	};
	struct scene s;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		begin(state, &s, XRDMA_MPT_MW_2);
		wire_post_send(&s.c.p.a, &bad[i]);
		wire_settle(s.c.env);
		completed(&s, 0, XRDMA_WC_LOC_QP_OP_ERR);
		assert_null(wire_event(s.c.p.a.host, XRDMA_EVENT_FAULT, 0));
		wire_teardown(state);
		wire_setup_2(state);
	}
}

static void send_inv_is_on_the_last_packet(void **state)
{
	struct scene s;

	begin(state, &s, XRDMA_MPT_MW_2);
	post(&s, XRDMA_OP_SEND_INV, 1, 2 * MTU + 5, 0);
	post(&s, XRDMA_OP_SEND_INV, 2, 5, XRDMA_WQE_SOLICITED);
	craft_expect(&s.c, MODEL_BTH_SEND_FIRST, PSN);
	craft_expect(&s.c, MODEL_BTH_SEND_MIDDLE, PSN + 1);
	craft_expect(&s.c, MODEL_BTH_SEND_LAST_INV, PSN + 2);
	assert_int_equal(s.c.pkt.inv_rkey, 0xabcdef12);
	assert_int_equal(s.c.pkt.len, 5);
	craft_expect(&s.c, MODEL_BTH_SEND_ONLY_INV, PSN + 3);
	assert_int_equal(s.c.pkt.inv_rkey, 0xabcdef12);
	assert_true(s.c.pkt.solicited);
}

static void send_inv_packet(struct scene *s, u32 psn, u32 key)
{
	struct model_pkt pkt = craft_pkt(&s->c, MODEL_BTH_SEND_ONLY_INV, psn);

	pkt.inv_rkey = key;
	pkt.ackreq = true;
	assert_int_equal(craft_send(&s->c, &pkt, NULL), MODEL_RX_OK);
}

/* A duplicate SEND_INV arrives after its window was bound with the same key. */
static void a_duplicate_invalidates_nothing(void **state)
{
	struct xrdma_cqe cqe;
	struct scene s;

	begin(state, &s, XRDMA_MPT_MW_2);
	wire_post_recv(&s.c.p.a, 8, NULL, 0);
	wire_post_recv(&s.c.p.a, 9, NULL, 0);
	post_bind(&s, 1, 0x10);
	craft_turn(&s.c);
	completed(&s, 1, XRDMA_WC_SUCCESS);
	send_inv_packet(&s, RQ_PSN, s.mw);
	craft_expect_ack(&s.c, ACK, RQ_PSN);
	assert_int_equal(wire_state(s.c.p.a.host, s.mw), XRDMA_MPT_FREE);
	post_bind(&s, 2, 0x10);
	craft_turn(&s.c);
	completed(&s, 2, XRDMA_WC_SUCCESS);
	send_inv_packet(&s, RQ_PSN, s.mw);
	craft_expect_ack(&s.c, ACK, RQ_PSN);
	assert_int_equal(wire_state(s.c.p.a.host, s.mw), XRDMA_MPT_VALID);
	assert_true(wire_poll_cq(&s.c.p.a.recv_cq, &cqe));
	assert_int_equal(le32_to_cpu(cqe.inv_key), s.mw);
	assert_false(wire_poll_cq(&s.c.p.a.recv_cq, &cqe));
}

static void a_failed_invalidation_gets_a_nak(void **state)
{
	struct scene s;

	begin(state, &s, XRDMA_MPT_MW_1);
	wire_post_recv(&s.c.p.a, 8, NULL, 0);
	send_inv_packet(&s, RQ_PSN, s.mw);
	craft_expect_ack(&s.c, NAK(ACCESS), RQ_PSN);
	assert_int_equal(s.c.p.a.qp->state, XRDMA_QPS_ERR);
}

/* SEND_INV without a posted receive invalidates nothing. */
static void no_receive_no_invalidation(void **state)
{
	struct scene s;

	begin(state, &s, XRDMA_MPT_MW_2);
	post_bind(&s, 1, 0x10);
	craft_turn(&s.c);
	send_inv_packet(&s, RQ_PSN, s.mw);
	craft_expect(&s.c, MODEL_BTH_ACK, RQ_PSN);
	assert_int_equal(s.c.pkt.syndrome & MODEL_AETH_KIND, MODEL_AETH_RNR);
	assert_int_equal(wire_state(s.c.p.a.host, s.mw), XRDMA_MPT_VALID);
}

/* The window of a WRITE is invalidated between two packets of the WRITE. */
static void an_invalidation_cuts_a_write(void **state)
{
	static const u8 ones[MTU] = { [0 ... MTU - 1] = 0xff };
	struct model_pkt pkt;
	struct wire_bind b;
	struct scene s;

	begin(state, &s, XRDMA_MPT_MW_2);
	b = (struct wire_bind) {
		.key = s.mw, .new_key = s.mw ^ 1, .mr_key = s.mr,
		.access = XRDMA_ACCESS_REMOTE_WRITE, .addr = s.c.p.a_buf,
		.length = 65536,
	};
	wire_post_bind(&s.c.p.a, 1, &b);
	craft_turn(&s.c);
	memset(s.c.p.a_mem, 0, 65536);
	pkt = craft_pkt(&s.c, MODEL_BTH_WRITE_FIRST, RQ_PSN);
	pkt.rkey = b.new_key;
	pkt.dma_len = 3 * MTU;
	pkt.len = MTU;
	craft_send(&s.c, &pkt, ones);
	assert_int_equal(s.c.p.a_mem[MTU - 1], 0xff);
	wire_post_inval(&s.c.p.a, 2, b.new_key);
	craft_turn(&s.c);
	completed(&s, 1, XRDMA_WC_SUCCESS);
	completed(&s, 2, XRDMA_WC_SUCCESS);
	pkt = craft_pkt(&s.c, MODEL_BTH_WRITE_MIDDLE, RQ_PSN + 1);
	pkt.len = MTU;
	craft_send(&s.c, &pkt, ones);
	craft_expect_ack(&s.c, NAK(ACCESS), RQ_PSN + 1);
	assert_int_equal(s.c.p.a_mem[MTU], 0);
	assert_int_equal(s.c.p.a_mem[2 * MTU - 1], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(a_bind_takes_its_turn, 2),
		WIRE_TEST(going_back_repeats_no_bind, 2),
		WIRE_TEST(a_bind_behind_a_read, 2),
		WIRE_TEST(a_fence_holds_a_bind_back, 2),
		WIRE_TEST(an_invalidation_waits, 2),
		WIRE_TEST(a_failure_completes_in_its_turn, 2),
		WIRE_TEST(many_binds_need_no_peer, 2),
		WIRE_TEST(bad_entries_are_refused, 2),
		WIRE_TEST(send_inv_is_on_the_last_packet, 2),
		WIRE_TEST(a_duplicate_invalidates_nothing, 2),
		WIRE_TEST(a_failed_invalidation_gets_a_nak, 2),
		WIRE_TEST(no_receive_no_invalidation, 2),
		WIRE_TEST(an_invalidation_cuts_a_write, 2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of unreliable queue pairs whose memory is not present: packets that
 * arrive are dropped, and the receive entry remains; the send queue stops.
 * Reliable connections are in test_paging.c.
 */
#include <string.h>

#include "tests/lib/wire_paged.h"
#include "tests/lib/wire_raw.h"
#include "tests/lib/wire_srq.h"
#include "tests/lib/wire_ud.h"

#define SIZE	0x10000U

/*
 * struct scene - queue pairs a and b of one device, and paged memory
 * @buf: pinned memory, of key @key
 */
struct scene {
	struct wire_env *env;
	struct wire_qp a;
	struct wire_qp b;
	struct paged paged;
	struct paged_region r;
	u64 buf;
	u32 key;
	u8 *mem;
};

static void begin(void **state, struct scene *s)
{
	struct wire_host *host;

	memset(s, 0, sizeof(*s));
	s->env = *state;
	host = &s->env->hosts[0];
	paged_start(host, &s->paged);
	paged_region(host, &s->r, 77, SIZE);
	s->buf = wire_alloc(host, SIZE, 4096);
	s->mem = wire_ptr(host, s->buf);
	wire_fill(s->mem, SIZE, 3);
	s->key = wire_region(host, 78, s->buf, SIZE, WIRE_ALL_RIGHTS);
}

static void make_ud(struct scene *s, u32 srqn)
{
	wire_create_ud(s->env, 0, XRDMA_QP_UD, 0, &s->a);
	wire_create_ud(s->env, 0, XRDMA_QP_UD, srqn, &s->b);
}

static void begin_uc(void **state, struct scene *s)
{
	begin(state, s);
	wire_create_qp(s->env, 0, XRDMA_QP_UC, 0, 5, &s->a);
	wire_create_qp(s->env, 0, XRDMA_QP_UC, 0, 5, &s->b);
	wire_connect_one(&s->a, &s->b, &wire_defaults, 10, 20);
	wire_connect_one(&s->b, &s->a, &wire_defaults, 20, 10);
}

static u64 stat(const struct scene *s, enum xrdma_stat stat)
{
	return s->env->hosts[0].dev->stats[stat];
}

static u64 dropped(const struct scene *s)
{
	return s->env->hosts[0].dev->wire->rx_frames[MODEL_RX_PAGE_FAULT];
}

/* Send a datagram of @len bytes from @sge to b, and expect its completion. */
static void send_ud(struct scene *s, struct xrdma_sge sge)
{
	wire_post_ud(&s->a, &(struct wire_dgram) {
		.opcode = XRDMA_OP_SEND, .flags = XRDMA_WQE_SIGNALED,
		.wr_id = 1, .dqpn = s->b.qpn, .qkey = WIRE_QKEY,
		.sges = &sge, .num_sge = 1, .av = wire_av(s->b.host, 0),
	});
}

static void expect_dropped(struct scene *s, struct wire_qp *qp, u64 pos)
{
	struct xrdma_cqe cqe;
	u32 token;

	wire_settle(s->env);
	assert_false(wire_poll_cq(&qp->recv_cq, &cqe));
	token = paged_expect(&s->paged, &s->r, pos, true);
	assert_int_equal(qp->qp->state, XRDMA_QPS_RTS);
	assert_int_equal(stat(s, XRDMA_STAT_PAGE_WAITS), 0);
	assert_int_equal(s->env->hosts[0].dev->pager.used, 1);
	paged_map(&s->r, pos, 1, true);
	paged_answer(&s->paged, token, XRDMA_RESUME_AGAIN);
	wire_settle(s->env);
	assert_int_equal(s->env->hosts[0].dev->pager.used, 0);
}

static void a_datagram_is_dropped(void **state)
{
	struct xrdma_sge from, to;
	struct xrdma_cqe cqe;
	struct scene s;

	begin(state, &s);
	make_ud(&s, 0);
	from = wire_sge(s.buf, 100, s.key);
	to = wire_sge(s.r.addr, 0x1000, s.r.key);
	wire_post_recv(&s.b, 5, &to, 1);
	send_ud(&s, from);
	send_ud(&s, from);
	wire_expect_send(&s.a, 1, XRDMA_WC_SUCCESS);
	wire_expect_send(&s.a, 1, XRDMA_WC_SUCCESS);
	expect_dropped(&s, &s.b, 0);
	paged_expect_none(&s.paged);
	assert_int_equal(stat(&s, XRDMA_STAT_PAGE_DROPS), 2);
	assert_int_equal(dropped(&s), 2);
	send_ud(&s, from);
	wire_expect_recv(&s.b, 5, XRDMA_WC_SUCCESS, &cqe);
	assert_memory_equal(s.r.mem + WIRE_GRH, s.mem, 100);
}

/* The entry of the shared queue is taken, and kept for the next datagram. */
static void a_shared_entry_is_kept(void **state)
{
	struct xrdma_sge from, to, other;
	struct wire_srq srq;
	struct xrdma_cqe cqe;
	struct scene s;

	begin(state, &s);
	wire_create_srq(&s.env->hosts[0], 4, 0, 0, &srq);
	make_ud(&s, srq.srqn);
	from = wire_sge(s.buf, 100, s.key);
	to = wire_sge(s.r.addr + 0x1000, 0x1000, s.r.key);
	other = wire_sge(s.buf + 0x1000, 0x1000, s.key);
	wire_post_srq(&srq, 5, &to, 1);
	wire_post_srq(&srq, 6, &other, 1);
	send_ud(&s, from);
	expect_dropped(&s, &s.b, 0x1000);
	send_ud(&s, from);
	wire_expect_recv(&s.b, 5, XRDMA_WC_SUCCESS, &cqe);
	assert_memory_equal(s.r.mem + 0x1000 + WIRE_GRH, s.mem, 100);
	send_ud(&s, from);
	wire_expect_recv(&s.b, 6, XRDMA_WC_SUCCESS, &cqe);
}

static void a_datagram_waits_to_be_sent(void **state)
{
	struct xrdma_sge sge;
	struct xrdma_cqe cqe;
	struct scene s;
	u32 token;

	begin(state, &s);
	make_ud(&s, 0);
	sge = wire_sge(s.buf + 0x1000, 0x1000, s.key);
	wire_post_recv(&s.b, 5, &sge, 1);
	wire_post_recv(&s.b, 6, &sge, 1);
	send_ud(&s, wire_sge(s.r.addr, 100, s.r.key));
	send_ud(&s, wire_sge(s.buf, 50, s.key));
	wire_run(s.env, 100 * WIRE_MS);
	token = paged_expect(&s.paged, &s.r, 0, false);
	assert_false(wire_poll_cq(&s.a.send_cq, &cqe));
	assert_false(s.a.qp->ops->idle(s.a.qp) && s.a.qp->sq.ci);
	assert_false(wire_turn(s.env));
	paged_map(&s.r, 0, 1, false);
	paged_answer(&s.paged, token, XRDMA_RESUME_AGAIN);
	wire_expect_recv(&s.b, 5, XRDMA_WC_SUCCESS, &cqe);
	assert_int_equal(le32_to_cpu(cqe.byte_len), WIRE_GRH + 100);
	wire_expect_recv(&s.b, 6, XRDMA_WC_SUCCESS, &cqe);
	assert_int_equal(le32_to_cpu(cqe.byte_len), WIRE_GRH + 50);
	wire_expect_send(&s.a, 1, XRDMA_WC_SUCCESS);
	wire_expect_send(&s.a, 1, XRDMA_WC_SUCCESS);
	assert_int_equal(stat(&s, XRDMA_STAT_PAGE_WAITS), 1);
}

/* Errors of sends lead to SQE, and no wait is left behind. */
static void a_refused_datagram_fails(void **state)
{
	struct xrdma_cqe cqe;
	struct scene s;

	begin(state, &s);
	make_ud(&s, 0);
	send_ud(&s, wire_sge(s.r.addr, 100, s.r.key));
	wire_settle(s.env);
	paged_answer(&s.paged, paged_expect(&s.paged, &s.r, 0, false),
		     XRDMA_RESUME_REFUSE);
	assert_true(wire_wait(s.env, &s.a.send_cq, &cqe));
	assert_int_equal(cqe.status, XRDMA_WC_LOC_PROT_ERR);
	assert_int_equal(s.a.qp->state, XRDMA_QPS_SQE);
	assert_false(model_qp_waits(s.a.qp, MODEL_WAIT_REQUESTER));
}

/* SQE ends the wait of the send queue. */
static void a_failed_send_queue_does_not_wait(void **state)
{
	struct xrdma_cqe cqe;
	struct scene s;
	u32 token;

	begin(state, &s);
	make_ud(&s, 0);
	send_ud(&s, wire_sge(s.r.addr, 100, s.r.key));
	wire_settle(s.env);
	token = paged_expect(&s.paged, &s.r, 0, false);
	assert_true(model_qp_waits(s.a.qp, MODEL_WAIT_REQUESTER));
	model_qp_sq_error(s.a.qp);
	assert_false(model_qp_waits(s.a.qp, MODEL_WAIT_REQUESTER));
	assert_true(wire_poll_cq(&s.a.send_cq, &cqe));
	assert_int_equal(cqe.status, XRDMA_WC_WR_FLUSH_ERR);
	paged_answer(&s.paged, token, XRDMA_RESUME_AGAIN);
	wire_settle(s.env);
}

static void post_uc(struct scene *s, u8 opcode, struct xrdma_sge sge, u64 addr,
		    u32 rkey)
{
	wire_post_signaled(&s->a, opcode, 1, sge, addr, rkey);
}

static void a_message_of_uc_is_dropped(void **state)
{
	struct xrdma_sge from, to;
	struct xrdma_cqe cqe;
	struct scene s;

	begin_uc(state, &s);
	from = wire_sge(s.buf, 3000, s.key);
	to = wire_sge(s.r.addr, 0x1000, s.r.key);
	wire_post_recv(&s.b, 5, &to, 1);
	post_uc(&s, XRDMA_OP_SEND, from, 0, 0);
	expect_dropped(&s, &s.b, 0);
	assert_int_equal(stat(&s, XRDMA_STAT_PAGE_DROPS), 1);
	post_uc(&s, XRDMA_OP_SEND, from, 0, 0);
	wire_expect_recv(&s.b, 5, XRDMA_WC_SUCCESS, &cqe);
	assert_memory_equal(s.r.mem, s.mem, 3000);
	post_uc(&s, XRDMA_OP_WRITE, from, s.r.addr + 0x2000, s.r.key);
	expect_dropped(&s, &s.b, 0x2000);
	assert_int_equal(stat(&s, XRDMA_STAT_PAGE_DROPS), 2);
	post_uc(&s, XRDMA_OP_WRITE, from, s.r.addr + 0x2000, s.r.key);
	wire_settle(s.env);
	assert_memory_equal(s.r.mem + 0x2000, s.mem, 3000);
}

static void a_message_of_uc_waits_to_be_sent(void **state)
{
	struct scene s;

	begin_uc(state, &s);
	post_uc(&s, XRDMA_OP_WRITE, wire_sge(s.r.addr + 2048, 4096, s.r.key),
		s.buf, s.key);
	wire_settle(s.env);
	paged_serve(&s.paged, &s.r, 2048, false);
	wire_settle(s.env);
	paged_serve(&s.paged, &s.r, 4096, false);
	wire_expect_send(&s.a, 1, XRDMA_WC_SUCCESS);
	wire_settle(s.env);
	assert_memory_equal(s.mem, s.r.mem + 2048, 4096);
	assert_int_equal(stat(&s, XRDMA_STAT_OUT_OF_SEQUENCE), 0);
}

static void a_frame_is_dropped(void **state)
{
	u8 frame[RAW_FRAME];
	struct xrdma_sge to;
	struct raw nic;
	struct scene s;

	begin(state, &s);
	raw_make_nic(s.env, &nic, XRDMA_PORT_PROMISC);
	raw_make_ipv4(frame, "1.2.3.4", "5.6.7.8", 17, 1, 2);
	memcpy(frame, nic.qp.host->mac, 6);
	to = wire_sge(s.r.addr, 0x1000, s.r.key);
	wire_post_recv(&nic.qp, 1, &to, 1);
	raw_send_frame(&nic, frame, RAW_FRAME);
	expect_dropped(&s, &nic.qp, 0);
	assert_int_equal(dropped(&s), 1);
	raw_send_frame(&nic, frame, RAW_FRAME);
	wire_settle(s.env);
	assert_int_equal(raw_received(&nic, NULL), 1);
	assert_memory_equal(s.r.mem, frame, RAW_FRAME);
}

static void a_frame_waits_to_be_sent(void **state)
{
	struct xrdma_sge from;
	u8 frame[RAW_FRAME];
	struct raw nic;
	struct scene s;

	begin(state, &s);
	raw_make_nic(s.env, &nic, XRDMA_PORT_PROMISC);
	raw_make_ipv4(frame, "1.2.3.4", "5.6.7.8", 17, 1, 2);
	memcpy(frame, nic.qp.host->mac, 6);
	memcpy(s.r.mem, frame, RAW_FRAME);
	raw_post_buffers(&nic, 1);
	from = wire_sge(s.r.addr, RAW_FRAME, s.r.key);
	wire_post_send(&nic.qp, &(struct wire_wr) {
		.opcode = XRDMA_OP_SEND, .flags = XRDMA_WQE_SIGNALED,
		.wr_id = 4, .sges = &from, .num_sge = 1,
	});
	wire_settle(s.env);
	assert_int_equal(raw_received(&nic, NULL), 0);
	paged_serve(&s.paged, &s.r, 0, false);
	wire_expect_send(&nic.qp, 4, XRDMA_WC_SUCCESS);
	wire_settle(s.env);
	assert_int_equal(raw_received(&nic, frame), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(a_datagram_is_dropped, 1),
		WIRE_TEST(a_shared_entry_is_kept, 1),
		WIRE_TEST(a_datagram_waits_to_be_sent, 1),
		WIRE_TEST(a_refused_datagram_fails, 1),
		WIRE_TEST(a_failed_send_queue_does_not_wait, 1),
		WIRE_TEST(a_message_of_uc_is_dropped, 1),
		WIRE_TEST(a_message_of_uc_waits_to_be_sent, 1),
		WIRE_TEST(a_frame_is_dropped, 1),
		WIRE_TEST(a_frame_waits_to_be_sent, 1),
	};

	return cmocka_run_group_tests_name("paging, unreliable", tests, NULL,
					   NULL);
}

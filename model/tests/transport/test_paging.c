// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of reliable connections whose memory is not present: what waits, in
 * which order it continues, and what is never done twice. Unreliable queue pairs
 * are in test_paging_drop.c, packets of a peer in test_paging_park.c, the page
 * faults themselves in core/test_pager.c.
 */
#include <string.h>

#include "tests/lib/wire_mw.h"
#include "tests/lib/wire_paged.h"

#define SIZE	0x20000U
#define ACK_NS	(200 * WIRE_MS) /* shorter than the ACK timeout */

/*
 * struct scene - a connection from a to b, and paged memory on one side
 * @r: the paged region, of host 1, unless begin_at_a()
 */
struct scene {
	struct wire_env *env;
	struct wire_pair p;
	struct paged paged;
	struct paged_region r;
};

static void begin_on(void **state, struct scene *s, int host)
{
	struct wire_params params = wire_defaults;

	memset(s, 0, sizeof(*s));
	s->env = *state;
	if (host >= s->env->n)
		host = 0;
	params.access |= XRDMA_ACCESS_FLUSH_GLOBAL;
	wire_make_pair(s->env, &s->p, &params);
	paged_start(&s->env->hosts[host], &s->paged);
	paged_region(&s->env->hosts[host], &s->r, 77, SIZE);
}

static void begin(void **state, struct scene *s)
{
	begin_on(state, s, 1);
}

static void begin_at_a(void **state, struct scene *s)
{
	begin_on(state, s, 0);
}

static u64 stat(const struct wire_qp *qp, enum xrdma_stat stat)
{
	return qp->host->dev->stats[stat];
}

/* Nothing was sent twice, and nobody was told to wait. */
static void expect_no_repeat(const struct scene *s)
{
	assert_int_equal(stat(&s->p.a, XRDMA_STAT_TX_RETRANSMITTED), 0);
	assert_int_equal(stat(&s->p.a, XRDMA_STAT_RNR_NAK), 0);
	assert_int_equal(stat(&s->p.a, XRDMA_STAT_RETRANSMITS), 0);
	assert_int_equal(stat(&s->p.a, XRDMA_STAT_ACK_TIMEOUTS), 0);
}

/* Post an operation from pinned memory of a to paged memory of b. */
static void post(struct scene *s, u8 opcode, u64 wr_id, u64 pos, u32 len)
{
	struct xrdma_sge sge = wire_sge(s->p.a_buf, len, s->p.a_key);

	wire_post_signaled(&s->p.a, opcode, wr_id, sge, s->r.addr + pos,
			   s->r.key);
}

static void expect_nothing_sent(struct wire_qp *qp)
{
	struct xrdma_cqe cqe;

	wire_settle(qp->env);
	assert_false(wire_poll_cq(&qp->send_cq, &cqe));
}

static void a_write_waits_with_all_that_follows(void **state)
{
	struct xrdma_sge sge;
	struct xrdma_cqe cqe;
	struct scene s;
	u32 token;

	begin(state, &s);
	sge = wire_sge(s.p.b_buf, 8192, s.p.b_key);
	wire_post_recv(&s.p.b, 50, &sge, 1);
	post(&s, XRDMA_OP_WRITE, 1, 100, 3000);
	post(&s, XRDMA_OP_SEND, 2, 0, 5000);
	post(&s, XRDMA_OP_WRITE, 3, 0x1000, 100);
	wire_settle(s.env);
	token = paged_expect(&s.paged, &s.r, 100, true);
	assert_int_equal(s.paged.last.flags,
			 XRDMA_FAULT_WRITE | XRDMA_FAULT_REMOTE);
	assert_int_equal(le64_to_cpu(s.paged.last.length), 1024);
	assert_int_equal(le64_to_cpu(s.paged.last.expected), 3000);
	assert_int_equal(le32_to_cpu(s.paged.last.number), s.p.b.qpn);
	assert_int_equal(s.paged.last.opcode, XRDMA_OP_WRITE);
	wire_run(s.env, ACK_NS);
	paged_expect_none(&s.paged);
	assert_false(wire_poll_cq(&s.p.b.recv_cq, &cqe));
	expect_nothing_sent(&s.p.a);
	paged_map(&s.r, 0, 8192, true);
	paged_answer(&s.paged, token, XRDMA_RESUME_AGAIN);
	wire_expect_send(&s.p.a, 1, XRDMA_WC_SUCCESS);
	wire_expect_send(&s.p.a, 2, XRDMA_WC_SUCCESS);
	wire_expect_send(&s.p.a, 3, XRDMA_WC_SUCCESS);
	wire_expect_recv(&s.p.b, 50, XRDMA_WC_SUCCESS, &cqe);
	assert_memory_equal(s.r.mem + 100, s.p.a_mem, 3000);
	assert_memory_equal(s.r.mem + 0x1000, s.p.a_mem, 100);
	assert_memory_equal(s.p.b_mem, s.p.a_mem, 5000);
	assert_int_equal(stat(&s.p.b, XRDMA_STAT_PAGE_FAULTS), 1);
	assert_int_equal(stat(&s.p.b, XRDMA_STAT_PAGE_WAITS), 1);
	expect_no_repeat(&s);
}

static void a_long_write_is_not_repeated(void **state)
{
	struct scene s;
	u64 pos;

	begin(state, &s);
	post(&s, XRDMA_OP_WRITE, 1, 0, SIZE);
	for (pos = 0; pos < SIZE; pos += PAGED_PAGE) {
		wire_settle(s.env);
		paged_serve(&s.paged, &s.r, pos, true);
	}
	wire_expect_send(&s.p.a, 1, XRDMA_WC_SUCCESS);
	assert_memory_equal(s.r.mem, s.p.a_mem, SIZE);
	expect_no_repeat(&s);
}

/* A page that may not be written misses for a write, and not for a read. */
static void reads_need_no_right_to_write(void **state)
{
	struct scene s;
	u32 token;

	begin(state, &s);
	paged_map(&s.r, 0, 4096, false);
	post(&s, XRDMA_OP_READ, 1, 0, 4096);
	wire_expect_send(&s.p.a, 1, XRDMA_WC_SUCCESS);
	assert_memory_equal(s.p.a_mem, s.r.mem, 4096);
	post(&s, XRDMA_OP_WRITE, 2, 0, 64);
	wire_settle(s.env);
	token = paged_expect(&s.paged, &s.r, 0, true);
	paged_map(&s.r, 0, 4096, true);
	paged_answer(&s.paged, token, XRDMA_RESUME_AGAIN);
	wire_expect_send(&s.p.a, 2, XRDMA_WC_SUCCESS);
}

static void a_send_takes_its_entry_once(void **state)
{
	struct xrdma_sge sges[2];
	struct xrdma_cqe cqe;
	struct scene s;

	begin(state, &s);
	sges[0] = wire_sge(s.p.b_buf, 10, s.p.b_key);
	sges[1] = wire_sge(s.r.addr + 4000, 2000, s.r.key);
	wire_post_recv(&s.p.b, 60, sges, 2);
	wire_post_recv(&s.p.b, 61, sges, 1);
	post(&s, XRDMA_OP_SEND, 1, 0, 1500);
	post(&s, XRDMA_OP_SEND, 2, 0, 10);
	wire_settle(s.env);
	paged_serve(&s.paged, &s.r, 4000, true);
	wire_settle(s.env);
	paged_serve(&s.paged, &s.r, 4096, true);
	wire_expect_recv(&s.p.b, 60, XRDMA_WC_SUCCESS, &cqe);
	assert_int_equal(le32_to_cpu(cqe.byte_len), 1500);
	wire_expect_recv(&s.p.b, 61, XRDMA_WC_SUCCESS, &cqe);
	wire_expect_send(&s.p.a, 1, XRDMA_WC_SUCCESS);
	assert_memory_equal(s.r.mem + 4000, s.p.a_mem + 10, 1490);
	expect_no_repeat(&s);
}

static void post_atomic(struct scene *s, u8 opcode, u64 wr_id, u64 pos)
{
	struct xrdma_sge sge = wire_sge(s->p.a_buf, 8, s->p.a_key);

	wire_post_send(&s->p.a, &(struct wire_wr) {
		.opcode = opcode, .flags = XRDMA_WQE_SIGNALED, .wr_id = wr_id,
		.sges = &sge, .num_sge = opcode != XRDMA_OP_ATOMIC_WRITE,
		.remote_addr = s->r.addr + pos, .rkey = s->r.key,
		.swap_add = 5,
	});
}

/* The ACK timeout of the peer passes: its request arrives twice. */
static void an_atomic_is_executed_once(void **state)
{
	struct scene s;
	u32 token;

	begin(state, &s);
	*(u64 *)(s.r.mem + 8) = 100;
	post_atomic(&s, XRDMA_OP_FETCH_ADD, 1, 8);
	post_atomic(&s, XRDMA_OP_ATOMIC_WRITE, 2, 16);
	wire_settle(s.env);
	token = paged_expect(&s.paged, &s.r, 8, true);
	assert_int_equal(le64_to_cpu(s.paged.last.length), 8);
	wire_run(s.env, 700 * WIRE_MS);
	assert_true(stat(&s.p.a, XRDMA_STAT_ACK_TIMEOUTS) >= 1);
	assert_true(*(u64 *)(s.r.mem + 8) == 100);
	paged_map(&s.r, 0, 4096, true);
	paged_answer(&s.paged, token, XRDMA_RESUME_AGAIN);
	wire_expect_send(&s.p.a, 1, XRDMA_WC_SUCCESS);
	wire_expect_send(&s.p.a, 2, XRDMA_WC_SUCCESS);
	assert_true(*(u64 *)(s.r.mem + 8) == 105);
	assert_true(*(u64 *)s.p.a_mem == 100);
	assert_true(*(u64 *)(s.r.mem + 16) == 5);
	assert_int_equal(stat(&s.p.b, XRDMA_STAT_RX_ATOMICS), 2);
}

static void flush_needs_no_page(void **state)
{
	struct scene s;

	begin(state, &s);
	wire_post_send(&s.p.a, &(struct wire_wr) {
		.opcode = XRDMA_OP_FLUSH, .flags = XRDMA_WQE_SIGNALED,
		.wr_id = 1, .remote_addr = s.r.addr, .rkey = s.r.key,
		.inv_key = SIZE, .ext = XRDMA_FLUSH_GLOBAL,
	});
	post(&s, XRDMA_OP_WRITE, 2, 0, 0);
	wire_expect_send(&s.p.a, 1, XRDMA_WC_SUCCESS);
	wire_expect_send(&s.p.a, 2, XRDMA_WC_SUCCESS);
	paged_expect_none(&s.paged);
}

/* Data of a READ are held, with the answers after them; a WRITE is executed. */
static void answers_wait_in_order(void **state)
{
	struct scene s;
	u32 token;

	begin(state, &s);
	paged_map(&s.r, 0x2000, 1, true);
	post(&s, XRDMA_OP_READ, 1, 512, 3000);
	post(&s, XRDMA_OP_WRITE, 2, 0x2000, 100);
	wire_settle(s.env);
	token = paged_expect(&s.paged, &s.r, 512, false);
	assert_int_equal(s.paged.last.flags, XRDMA_FAULT_REMOTE);
	assert_int_equal(le64_to_cpu(s.paged.last.expected), 3000);
	assert_memory_equal(s.r.mem + 0x2000, s.p.a_mem, 100);
	wire_run(s.env, ACK_NS);
	expect_nothing_sent(&s.p.a);
	paged_map(&s.r, 0, 4096, true);
	paged_answer(&s.paged, token, XRDMA_RESUME_AGAIN);
	wire_expect_send(&s.p.a, 1, XRDMA_WC_SUCCESS);
	wire_expect_send(&s.p.a, 2, XRDMA_WC_SUCCESS);
	assert_memory_equal(s.p.a_mem, s.r.mem + 512, 3000);
	expect_no_repeat(&s);
}

/* Post an operation from paged memory of a to pinned memory of b. */
static void post_from(struct scene *s, u8 opcode, u64 wr_id, u64 pos, u32 len)
{
	struct xrdma_sge sge = wire_sge(s->r.addr + pos, len, s->r.key);

	wire_post_signaled(&s->p.a, opcode, wr_id, sge, s->p.b_buf,
			   s->p.b_key);
}

/* The send queue stops for longer than the ACK timeout, which does not pass. */
static void the_send_queue_stops_at_the_packet(void **state)
{
	struct wire_pair other;
	struct scene s;
	u32 token;

	begin_at_a(state, &s);
	wire_make_pair(s.env, &other, &wire_defaults);
	post_from(&s, XRDMA_OP_WRITE, 1, 2048, 4096);
	post_from(&s, XRDMA_OP_WRITE, 2, 2048, 1);
	paged_map(&s.r, 0, 1, false);
	wire_settle(s.env);
	token = paged_expect(&s.paged, &s.r, 4096, false);
	assert_int_equal(s.paged.last.flags, 0);
	assert_int_equal(le64_to_cpu(s.paged.last.length), 1024);
	assert_int_equal(le64_to_cpu(s.paged.last.expected), 2048);
	assert_memory_equal(s.p.b_mem, s.r.mem + 2048, 2048);
	wire_post_signaled(&other.a, XRDMA_OP_WRITE, 9,
			   wire_sge(other.a_buf, 10, other.a_key), other.b_buf,
			   other.b_key);
	wire_expect_send(&other.a, 9, XRDMA_WC_SUCCESS);
	wire_run(s.env, 900 * WIRE_MS);
	expect_nothing_sent(&s.p.a);
	assert_false(s.p.a.qp->active && wire_turn(s.env));
	paged_map(&s.r, 4096, 1, false);
	paged_answer(&s.paged, token, XRDMA_RESUME_AGAIN);
	wire_expect_send(&s.p.a, 1, XRDMA_WC_SUCCESS);
	wire_expect_send(&s.p.a, 2, XRDMA_WC_SUCCESS);
	assert_memory_equal(s.p.b_mem + 1, s.r.mem + 2049, 4095);
	expect_no_repeat(&s);
}

/* The packets that were sent before the stop are lost: the timeout runs again */
static void the_ack_timeout_runs_after_the_wait(void **state)
{
	struct scene s;
	u32 token;

	begin_at_a(state, &s);
	paged_map(&s.r, 0, 1, false);
	model_wire_set_cable(s.env->hosts[1].dev->wire, false);
	post_from(&s, XRDMA_OP_WRITE, 1, 2048, 4096);
	wire_run(s.env, 900 * WIRE_MS);
	token = paged_expect(&s.paged, &s.r, 4096, false);
	assert_int_equal(stat(&s.p.a, XRDMA_STAT_ACK_TIMEOUTS), 0);
	model_wire_set_cable(s.env->hosts[1].dev->wire, true);
	paged_map(&s.r, 4096, 1, false);
	paged_answer(&s.paged, token, XRDMA_RESUME_AGAIN);
	wire_expect_send(&s.p.a, 1, XRDMA_WC_SUCCESS);
	assert_memory_equal(s.p.b_mem, s.r.mem + 2048, 4096);
}

static void a_read_is_requested_when_its_memory_is_there(void **state)
{
	struct scene s;
	u32 token;

	begin_at_a(state, &s);
	paged_map(&s.r, 0, 4096, false);
	post_from(&s, XRDMA_OP_READ, 1, 4000, 3000);
	wire_settle(s.env);
	token = paged_expect(&s.paged, &s.r, 4000, true);
	assert_int_equal(le64_to_cpu(s.paged.last.length), 3000);
	assert_int_equal(stat(&s.p.b, XRDMA_STAT_RX_READS), 0);
	paged_map(&s.r, 0, 4096, true);
	paged_answer(&s.paged, token, XRDMA_RESUME_AGAIN);
	wire_settle(s.env);
	assert_int_equal(stat(&s.p.b, XRDMA_STAT_RX_READS), 0);
	paged_serve(&s.paged, &s.r, 4096, true);
	wire_expect_send(&s.p.a, 1, XRDMA_WC_SUCCESS);
	assert_memory_equal(s.r.mem + 4000, s.p.b_mem, 3000);
	expect_no_repeat(&s);
}

/* Memory of a READ is unmapped while its responses are under way. */
static void a_read_continues_at_the_missing_response(void **state)
{
	struct scene s;
	int turns = 0;

	begin_at_a(state, &s);
	paged_map(&s.r, 0, SIZE, true);
	post_from(&s, XRDMA_OP_READ, 1, 0, SIZE);
	while (s.p.a.qp->tp->req.una_psn == wire_defaults.psn && turns++ < 100)
		wire_turn(s.env);
	paged_unmap(&s.r, 0, SIZE);
	wire_run(s.env, 900 * WIRE_MS);
	assert_true(paged_next(&s.paged));
	assert_in_range(le64_to_cpu(s.paged.last.addr), 1, SIZE - 1);
	paged_expect_none(&s.paged);
	assert_int_equal(stat(&s.p.a, XRDMA_STAT_ACK_TIMEOUTS), 0);
	paged_map(&s.r, 0, SIZE, true);
	paged_answer(&s.paged, le32_to_cpu(s.paged.last.token),
		     XRDMA_RESUME_AGAIN);
	wire_expect_send(&s.p.a, 1, XRDMA_WC_SUCCESS);
	assert_memory_equal(s.r.mem, s.p.b_mem, SIZE);
	assert_int_equal(stat(&s.p.a, XRDMA_STAT_RETRANSMITS), 0);
	assert_int_equal(s.p.a.qp->tp->req.retries, wire_defaults.retry_cnt);
}

/* The result is lost when it arrives; the operation is not repeated. */
static void the_result_of_an_atomic_is_asked_for_again(void **state)
{
	struct xrdma_sge sge;
	struct scene s;

	begin_at_a(state, &s);
	sge = wire_sge(s.r.addr + 8, 8, s.r.key);
	*(u64 *)s.p.b_mem = 7;
	wire_post_send(&s.p.a, &(struct wire_wr) {
		.opcode = XRDMA_OP_FETCH_ADD, .flags = XRDMA_WQE_SIGNALED,
		.wr_id = 1, .sges = &sge, .num_sge = 1,
		.remote_addr = s.p.b_buf, .rkey = s.p.b_key, .swap_add = 1,
	});
	wire_settle(s.env);
	assert_true(*(u64 *)s.p.b_mem == 7);
	paged_serve(&s.paged, &s.r, 8, true);
	model_device_poll(s.p.a.host->dev);
	model_device_poll(s.p.a.host->dev);
	paged_unmap(&s.r, 0, 4096);
	wire_settle(s.env);
	assert_true(*(u64 *)s.p.b_mem == 8);
	paged_serve(&s.paged, &s.r, 8, true);
	wire_expect_send(&s.p.a, 1, XRDMA_WC_SUCCESS);
	assert_true(*(u64 *)s.p.b_mem == 8);
	assert_true(*(u64 *)(s.r.mem + 8) == 7);
}

static void refused_pages_end_both_sides(void **state)
{
	struct scene s;
	int i;

	begin(state, &s);
	post(&s, XRDMA_OP_WRITE, 1, 0, 5000);
	wire_settle(s.env);
	paged_answer(&s.paged, paged_expect(&s.paged, &s.r, 0, true),
		     XRDMA_RESUME_REFUSE);
	wire_expect_send(&s.p.a, 1, XRDMA_WC_REM_ACCESS_ERR);
	assert_int_equal(s.p.b.qp->state, XRDMA_QPS_ERR);
	wire_expect_fault(s.p.b.host, &s.p.b, 0, XRDMA_FAULT_TRANSLATION,
			  XRDMA_OP_WRITE, s.r.key);

	wire_start_over(state);
	begin(state, &s);
	post(&s, XRDMA_OP_READ, 1, 0, 5000);
	wire_settle(s.env);
	paged_answer(&s.paged, paged_expect(&s.paged, &s.r, 0, false),
		     XRDMA_RESUME_REFUSE);
	wire_expect_send(&s.p.a, 1, XRDMA_WC_REM_ACCESS_ERR);

	for (i = 0; i < 2; i++) {
		wire_start_over(state);
		begin_at_a(state, &s);
		post_from(&s, i ? XRDMA_OP_READ : XRDMA_OP_SEND, 1, 0, 5000);
		wire_settle(s.env);
		paged_answer(&s.paged, paged_expect(&s.paged, &s.r, 0, i),
			     XRDMA_RESUME_REFUSE);
		wire_expect_refused(&s.p.a, 1, XRDMA_WC_LOC_PROT_ERR,
				    XRDMA_FAULT_TRANSLATION);
	}
}

/*
 * The memory of the second WRITE is refused, and the first WRITE is lost: it is
 * sent again, and completes before the second one fails.
 */
static void a_refused_send_waits_for_those_before(void **state)
{
	struct scene s;
	u32 token;

	begin_at_a(state, &s);
	paged_map(&s.r, 0, 1, false);
	model_wire_set_cable(s.env->hosts[1].dev->wire, false);
	post_from(&s, XRDMA_OP_WRITE, 1, 0, 100);
	post_from(&s, XRDMA_OP_WRITE, 2, 4096, 100);
	wire_run(s.env, 900 * WIRE_MS);
	token = paged_expect(&s.paged, &s.r, 4096, false);
	model_wire_set_cable(s.env->hosts[1].dev->wire, true);
	paged_answer(&s.paged, token, XRDMA_RESUME_REFUSE);
	wire_expect_send(&s.p.a, 1, XRDMA_WC_SUCCESS);
	wire_expect_send(&s.p.a, 2, XRDMA_WC_LOC_PROT_ERR);
	assert_memory_equal(s.p.b_mem, s.r.mem, 100);
}

/* The second page of the packet is refused, although the first one is there. */
static void a_refusal_is_that_of_one_page(void **state)
{
	struct scene s;
	u32 token;

	begin_at_a(state, &s);
	post_from(&s, XRDMA_OP_SEND, 1, 4000, 500);
	wire_settle(s.env);
	token = paged_expect(&s.paged, &s.r, 4000, false);
	paged_map(&s.r, 0, 1, false);
	paged_answer(&s.paged, token, XRDMA_RESUME_REFUSE);
	wire_settle(s.env);
	token = paged_expect(&s.paged, &s.r, 4096, false);
	paged_answer(&s.paged, token, XRDMA_RESUME_REFUSE);
	wire_expect_send(&s.p.a, 1, XRDMA_WC_LOC_PROT_ERR);
}

static void an_invalidated_key_ends_the_wait(void **state)
{
	struct xrdma_cmd cmd;
	struct xrdma_rsp rsp;
	struct xrdma_cqe cqe;
	__le32 *word;
	struct scene s;
	u64 at;

	begin(state, &s);
	post(&s, XRDMA_OP_WRITE, 1, 0, 5000);
	wire_settle(s.env);
	paged_expect(&s.paged, &s.r, 0, true);
	at = wire_alloc(s.p.b.host, 64, 64);
	word = wire_ptr(s.p.b.host, at);
	*word = cpu_to_le32(s.r.index);
	cmd = xrdma_make_invalidate(at, 1);
	model_cmd_execute(s.p.b.host->dev, &cmd, &rsp);
	assert_int_equal(rsp.status, XRDMA_CMD_OK);
	wire_settle(s.env); /* no time passes */
	assert_true(wire_poll_cq(&s.p.a.send_cq, &cqe));
	assert_int_equal(cqe.status, XRDMA_WC_REM_ACCESS_ERR);
	wire_expect_fault(s.p.b.host, &s.p.b, 0, XRDMA_FAULT_KEY_INVALID,
			  XRDMA_OP_WRITE, s.r.key);
	/* the late answer is ignored */
	paged_answer(&s.paged, le32_to_cpu(s.paged.last.token),
		     XRDMA_RESUME_AGAIN);
	wire_settle(s.env);
}

/* Each state that ends the work discards what waits; nothing is leaked. */
static void the_end_of_a_queue_pair_discards_what_waits(void **state)
{
	static const u8 states[] = {
		XRDMA_QPS_RESET, XRDMA_QPS_ERR, 0xff, /* 0xff: destroy */
	};
	struct scene s;
	unsigned int i;
	u32 token;

	for (i = 0; i < ARRAY_SIZE(states); i++) {
		begin(state, &s);
		post(&s, XRDMA_OP_WRITE, 1, 0, 5000);
		post(&s, XRDMA_OP_READ, 2, 0x2000, 5000);
		wire_settle(s.env);
		token = paged_expect(&s.paged, &s.r, 0, true);
		assert_int_equal(s.p.b.qp->tp->resp.parked.num, 6);
		if (states[i] == 0xff)
			assert_int_equal(model_qp_destroy(s.p.b.host->dev,
							  s.p.b.qpn),
					 XRDMA_CMD_OK);
		else
			wire_modify_state(&s.p.b, states[i]);
		paged_answer(&s.paged, token, XRDMA_RESUME_AGAIN);
		wire_settle(s.env);
		paged_expect_none(&s.paged);
		assert_int_equal(s.p.b.host->dev->pager.used, 0);
		wire_start_over(state);
	}
}

/* The reset of the device ends the test: wire_teardown() finds leaks. */
static void a_reset_ends_all_waits(void **state)
{
	struct scene s;

	begin(state, &s);
	post(&s, XRDMA_OP_WRITE, 1, 0, 5000);
	wire_settle(s.env);
	paged_expect(&s.paged, &s.r, 0, true);
	model_device_reset(s.p.b.host->dev);
	assert_null(s.p.b.host->dev->pager.eq);
	assert_int_equal(s.p.b.host->dev->pager.used, 0);
	assert_false(model_timer_armed(&s.p.b.host->dev->pager.timer));
}

/* A window has no memory of its own: the page fault is that of its region. */
static void a_window_over_a_paged_region(void **state)
{
	struct scene s;
	u32 mw, key;

	begin(state, &s);
	mw = wire_publish(s.p.b.host, 90, XRDMA_MPT_MW_1);
	key = xrdma_make_key(90, xrdma_key_byte(mw) + 1);
	wire_post_bind(&s.p.b, 3, &(struct wire_bind) {
		.key = mw, .new_key = key, .mr_key = s.r.key,
		.addr = s.r.addr + 0x3000, .length = 0x2000,
		.access = XRDMA_ACCESS_REMOTE_WRITE,
	});
	wire_expect_send(&s.p.b, 3, XRDMA_WC_SUCCESS);
	wire_post_signaled(&s.p.a, XRDMA_OP_WRITE, 4,
			   wire_sge(s.p.a_buf, 100, s.p.a_key),
			   s.r.addr + 0x3100, key);
	wire_settle(s.env);
	paged_serve(&s.paged, &s.r, 0x3100, true);
	wire_expect_send(&s.p.a, 4, XRDMA_WC_SUCCESS);
	assert_memory_equal(s.r.mem + 0x3100, s.p.a_mem, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(a_write_waits_with_all_that_follows, 2),
		WIRE_TEST(a_long_write_is_not_repeated, 2),
		WIRE_TEST(reads_need_no_right_to_write, 2),
		WIRE_TEST(a_send_takes_its_entry_once, 2),
		WIRE_TEST(an_atomic_is_executed_once, 2),
		WIRE_TEST(flush_needs_no_page, 2),
		WIRE_TEST(answers_wait_in_order, 2),
		WIRE_TEST(the_send_queue_stops_at_the_packet, 2),
		WIRE_TEST(the_ack_timeout_runs_after_the_wait, 2),
		WIRE_TEST(a_read_is_requested_when_its_memory_is_there, 2),
		WIRE_TEST(a_read_continues_at_the_missing_response, 2),
		WIRE_TEST(the_result_of_an_atomic_is_asked_for_again, 2),
		WIRE_TEST(refused_pages_end_both_sides, 2),
		WIRE_TEST(a_refused_send_waits_for_those_before, 2),
		WIRE_TEST(a_refusal_is_that_of_one_page, 2),
		WIRE_TEST(an_invalidated_key_ends_the_wait, 2),
		WIRE_TEST(the_end_of_a_queue_pair_discards_what_waits, 2),
		WIRE_TEST(a_reset_ends_all_waits, 2),
		WIRE_TEST(a_window_over_a_paged_region, 2),
	};

	return cmocka_run_group_tests_name("paging", tests, NULL, NULL);
}

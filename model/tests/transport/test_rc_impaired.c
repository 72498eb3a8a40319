// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of reliable connections over a wire with impairments: random operations
 * of several queue pairs in both directions, compared with the expectations of
 * impaired.c; with receive queues, with an SRQ, and as XRC. The last tests lose
 * so many frames that retries are exhausted: the status must be right, and no
 * operation may be executed twice.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/transport/impaired.h"

#define XRCD	3

static const char * const kind_names[] = {
	[IMP_RC] = "RC", [IMP_RC_SRQ] = "RC on an SRQ", [IMP_XRC] = "XRC",
};

/*
 * struct run - connections, their streams and receives
 * @qps: RC: side a and side b; XRC: initiator and target of each direction
 * @xrc_cq: CQs of XRC receives, by host
 * @finite: the number of retries is limited
 * @failed: status with which a stream failed, or 0
 */
struct run {
	struct wire_env *env;
	enum imp_kind kind;
	struct wire_qp qps[IMP_STREAMS][2];
	struct imp_stream streams[IMP_STREAMS];
	struct imp_pool pools[IMP_STREAMS];
	u32 num_pools;
	struct wire_cq xrc_cq[2];
	bool finite;
	u8 failed[IMP_STREAMS];
};

static void create_target(struct run *r, int host, struct wire_qp *qp)
{
	struct xrdma_cmd_create_qp p = {
		.xrcd = cpu_to_le32(XRCD),
		.type = XRDMA_QP_XRC_TGT,
	};

	memset(qp, 0, sizeof(*qp));
	qp->env = r->env;
	qp->host = &r->env->hosts[host];
	qp->qpn = qp->host->next_number++;
	p.qpn = cpu_to_le32(qp->qpn);
	assert_int_equal(model_qp_create(qp->host->dev, &p), XRDMA_CMD_OK);
	qp->qp = model_qp_get(qp->host->dev, qp->qpn);
}

static void connect(struct wire_qp *a, struct wire_qp *b,
		    const struct wire_params *params)
{
	wire_connect_one(a, b, params, params->psn, params->psn ^ 0x55);
	wire_connect_one(b, a, params, params->psn ^ 0x55, params->psn);
}

/* Return: the pool of the SRQ of the peer's host. */
static struct imp_pool *shared_pool(struct run *r, const struct wire_qp *peer)
{
	return &r->pools[peer->host - r->env->hosts];
}

static void make_rc(struct run *r, int i, const struct wire_params *params,
		    u32 total)
{
	bool srq = r->kind == IMP_RC_SRQ;
	struct wire_qp *a = &r->qps[i][0];
	struct wire_qp *b = &r->qps[i][1];
	int end;

	for (end = 0; end < 2; end++) {
		int host = end ? r->env->n - 1 : 0;

		wire_create_qp_on(r->env, host, XRDMA_QP_RC,
				  srq ? XRDMA_QP_SRQ : 0, IMP_LOG_DEPTH,
				  srq ? r->pools[host].srq.srqn : 0,
				  &r->qps[i][end]);
	}
	connect(a, b, params);
	for (end = 0; end < 2; end++) {
		struct imp_stream *s = &r->streams[2 * i + end];

		imp_make_stream(s, end ? b : a, end ? a : b, total);
		if (srq) {
			s->pool = shared_pool(r, s->peer);
			continue;
		}
		s->pool = &r->pools[r->num_pools++];
		imp_make_pool(s->pool, s->peer->host, s->peer, 0, 0);
	}
}

/* Stream i is from host i modulo 2 to the other host. */
static void make_xrc(struct run *r, int i, const struct wire_params *params,
		     u32 total)
{
	int from = i % r->env->n;
	struct imp_stream *s = &r->streams[i];
	struct wire_qp *ini = &r->qps[i][0];
	struct wire_qp *tgt = &r->qps[i][1];

	wire_create_qp(r->env, from, XRDMA_QP_XRC_INI, 0, IMP_LOG_DEPTH, ini);
	create_target(r, r->env->n - 1 - from, tgt);
	connect(ini, tgt, params);
	imp_make_stream(s, ini, tgt, total);
	s->pool = shared_pool(r, tgt);
	s->ext = s->pool->srq.srqn;
}

static void make_shared(struct run *r)
{
	bool xrc = r->kind == IMP_XRC;
	int i;

	if (r->kind == IMP_RC)
		return;
	r->num_pools = r->env->n;
	for (i = 0; i < r->env->n; i++) {
		struct wire_host *host = &r->env->hosts[i];

		if (xrc)
			wire_create_cq(host, 8, &r->xrc_cq[i]);
		imp_make_pool(&r->pools[i], host, NULL, xrc ? XRCD : 0,
			      xrc ? r->xrc_cq[i].cqn : 0);
	}
}

static struct wire_params params_of(const struct run *r, u64 seed, int i)
{
	struct wire_params params = wire_defaults;

	params.access |= XRDMA_ACCESS_FLUSH_GLOBAL |
			 XRDMA_ACCESS_FLUSH_PERSISTENT;
	params.min_rnr_timer = 6;
	params.timeout = 11;
	params.max_rd_atomic = 1 + seed % 16;
	params.max_dest_rd_atomic = params.max_rd_atomic;
	params.psn = (0xffff00 + 64 * i) & 0xffffff;
	params.path_mtu = 1 + (i + seed) % 5;
	if (r->finite) {
		params.retry_cnt = seed % 3;
		params.rnr_retry = seed % 4;
	}
	return params;
}

static void make_streams(struct run *r, u64 seed, u32 total)
{
	int i;

	make_shared(r);
	for (i = 0; i < IMP_STREAMS; i++) {
		struct wire_params params = params_of(r, seed, i);

		if (r->kind == IMP_XRC)
			make_xrc(r, i, &params, total);
		else if (i < IMP_QPS)
			make_rc(r, i, &params, total);
	}
}

static struct imp_stream *stream_to(struct run *r, const struct wire_host *host,
				    u32 qpn)
{
	int i;

	for (i = 0; i < IMP_STREAMS; i++)
		if (r->streams[i].peer->host == host &&
		    r->streams[i].peer->qpn == qpn)
			return &r->streams[i];
	fail_msg("a completion names unknown queue pair %#x", qpn);
	return NULL;
}

static void serve(struct run *r, struct imp_stream *s)
{
	struct xrdma_cqe cqe;

	while (wire_poll_cq(&s->qp->send_cq, &cqe))
		imp_check_send(s, &cqe);
	while (r->kind != IMP_XRC && wire_poll_cq(&s->peer->recv_cq, &cqe)) {
		assert_int_equal(le32_to_cpu(cqe.qpn), s->peer->qpn);
		imp_check_recv(s, &cqe);
	}
	while (s->posted < s->total && s->posted - s->completed < IMP_DEPTH &&
	       s->sent - s->received < IMP_DEPTH && imp_random(3))
		imp_post(s);
}

static void serve_all(struct run *r)
{
	struct xrdma_cqe cqe;
	u32 i;

	for (i = 0; i < IMP_STREAMS; i++)
		serve(r, &r->streams[i]);
	for (i = 0; r->kind == IMP_XRC && i < (u32)r->env->n; i++)
		while (wire_poll_cq(&r->xrc_cq[i], &cqe))
			imp_check_recv(stream_to(r, &r->env->hosts[i],
						 le32_to_cpu(cqe.qpn)), &cqe);
	for (i = 0; i < r->num_pools; i++)
		imp_feed(&r->pools[i]);
}

static bool finished(const struct run *r)
{
	int i;

	for (i = 0; i < IMP_STREAMS; i++)
		if (r->streams[i].completed < r->streams[i].total ||
		    r->streams[i].received < r->streams[i].sent)
			return false;
	return true;
}

static void run_streams(struct run *r)
{
	u64 end = model_loop_now(r->env->loop) + 4000000 * WIRE_MS;

	while (!finished(r)) {
		serve_all(r);
		if (wire_turn(r->env) || wire_turn(r->env))
			continue;
		if (fake_loop_next(r->env->loop) == UINT64_MAX)
			continue;
		fake_loop_advance(r->env->loop, fake_loop_next(r->env->loop));
		assert_true(model_loop_now(r->env->loop) < end);
	}
}

static void print_counts(const struct wire_env *env)
{
	const struct model_device *dev = env->hosts[0].dev;

	print_message("    %llu frames, %llu NAKs, %llu timeouts, %llu RNR\n",
		      dev->wire->tx_frames,
		      dev->stats[XRDMA_STAT_RETRANSMITS],
		      dev->stats[XRDMA_STAT_ACK_TIMEOUTS],
		      dev->stats[XRDMA_STAT_RNR_NAK]);
	print_message("    %llu duplicates, %llu gaps, %llu ICRC errors\n",
		      dev->stats[XRDMA_STAT_DUPLICATES],
		      dev->stats[XRDMA_STAT_OUT_OF_SEQUENCE],
		      dev->stats[XRDMA_STAT_RX_ICRC_ERRORS]);
}

static struct run *begin(enum imp_kind kind, int hosts, const char *impair,
			 u64 seed, u32 total, bool finite)
{
	struct run *r = calloc(1, sizeof(*r));
	void *state = NULL;
	int i;

	print_message("  %s, %d device(s), seed %llu: %s\n", kind_names[kind],
		      hosts, seed, impair);
	hosts == 1 ? wire_setup_1(&state) : wire_setup_2(&state);
	r->env = state;
	r->kind = kind;
	r->finite = finite;
	imp_seed(seed);
	make_streams(r, seed, total);
	for (i = 0; i < hosts; i++) {
		struct model_device *dev = r->env->hosts[i].dev;

		wire_impair(&r->env->hosts[i], impair);
		dev->wire->tx.rng += seed + i;
	}
	return r;
}

static void end(struct run *r)
{
	void *state = r->env;

	print_counts(r->env);
	wire_run(r->env, 1000 * WIRE_MS);
	assert_int_equal(wire_teardown(&state), 0);
	free(r);
}

static void impaired_run(enum imp_kind kind, int hosts, const char *impair,
			 u64 seed, u32 total)
{
	struct run *r = begin(kind, hosts, impair, seed, total, false);
	int i;

	run_streams(r);
	for (i = 0; i < IMP_STREAMS; i++)
		imp_end_stream(&r->streams[i]);
	end(r);
}

static u32 scale(u32 n)
{
	const char *factor = getenv("XRDMA_TEST_SCALE");

	return factor ? n * strtoul(factor, NULL, 0) : n;
}

static void sweep(const char *impair)
{
	u64 seeds = scale(2);
	u64 seed;
	int kind;

	for (seed = 1; seed <= seeds; seed++) {
		for (kind = 0; kind < IMP_KINDS; kind++) {
			impaired_run(kind, 1, impair, seed, 100);
			impaired_run(kind, 2, impair, seed, 100);
		}
	}
}

static void nothing_goes_wrong_on_a_good_wire(void **state)
{
	(void)state;
	sweep("none");
}

static void loss_is_repaired(void **state)
{
	(void)state;
	sweep("loss=0.1%");
	sweep("loss=1%");
	sweep("loss=5%");
}

static void duplicates_are_executed_once(void **state)
{
	(void)state;
	sweep("dup=20%");
}

static void reordering_is_repaired(void **state)
{
	(void)state;
	sweep("reorder=5%");
}

static void corruption_is_loss(void **state)
{
	(void)state;
	sweep("corrupt=3%");
}

static void delay_and_marks_change_nothing(void **state)
{
	(void)state;
	sweep("delay=300us,ecn=50%");
}

static void everything_at_once_is_repaired(void **state)
{
	(void)state;
	sweep("loss=3%,dup=3%,reorder=3%,corrupt=1%,ecn=10%,delay=20us");
}

static void serve_broken(struct run *r, int i)
{
	struct imp_stream *s = &r->streams[i];
	struct xrdma_cqe cqe;

	while (wire_poll_cq(&s->qp->send_cq, &cqe))
		imp_check_broken_send(s, &cqe, &r->failed[i]);
	while (wire_poll_cq(&s->peer->recv_cq, &cqe))
		imp_check_broken_recv(s, &cqe);
	while (s->posted < s->total && s->posted - s->completed < IMP_DEPTH &&
	       s->sent - s->received < IMP_DEPTH && !r->failed[i] &&
	       imp_random(3))
		imp_post(s);
	imp_feed(s->pool);
}

/* Return: true if each stream has completed, or has failed and been flushed. */
static bool is_over(const struct run *r)
{
	int i;

	for (i = 0; i < IMP_STREAMS; i++)
		if (r->streams[i].completed <
		    (r->failed[i] ? r->streams[i].posted : r->streams[i].total))
			return false;
	return true;
}

static void broken_run(int hosts, const char *impair, u64 seed, u32 *failures)
{
	struct run *r = begin(IMP_RC, hosts, impair, seed, 60, true);
	u64 end_ns = model_loop_now(r->env->loop) + 100000 * WIRE_MS;
	int i;

	while (!is_over(r)) {
		for (i = 0; i < IMP_STREAMS; i++)
			serve_broken(r, i);
		if (wire_turn(r->env) || wire_turn(r->env) ||
		    fake_loop_next(r->env->loop) == UINT64_MAX)
			continue;
		fake_loop_advance(r->env->loop, fake_loop_next(r->env->loop));
		assert_true(model_loop_now(r->env->loop) < end_ns);
	}
	for (i = 0; i < IMP_STREAMS; i++) {
		failures[r->failed[i]]++;
		imp_end_broken(&r->streams[i]);
	}
	end(r);
}

static void retries_end_on_a_lossy_wire(void **state)
{
	u32 failures[256] = { 0 };
	u64 seeds = scale(6);
	u64 seed;

	(void)state;
	for (seed = 1; seed <= seeds; seed++) {
		broken_run(1, "loss=40%", seed, failures);
		broken_run(2, "loss=40%", seed, failures);
		broken_run(2, "loss=20%,dup=20%,reorder=20%", seed, failures);
		broken_run(2, "loss=99%", seed, failures);
		broken_run(2, "none", seed, failures);
	}
	print_message("    %u completed, %u without ACK, %u without receive\n",
		      failures[0], failures[XRDMA_WC_RETRY_EXC_ERR],
		      failures[XRDMA_WC_RNR_RETRY_EXC_ERR]);
	assert_true(failures[0]);
	assert_true(failures[XRDMA_WC_RETRY_EXC_ERR]);
	assert_true(failures[XRDMA_WC_RNR_RETRY_EXC_ERR]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_goes_wrong_on_a_good_wire),
		cmocka_unit_test(loss_is_repaired),
		cmocka_unit_test(duplicates_are_executed_once),
		cmocka_unit_test(reordering_is_repaired),
		cmocka_unit_test(corruption_is_loss),
		cmocka_unit_test(delay_and_marks_change_nothing),
		cmocka_unit_test(everything_at_once_is_repaired),
		cmocka_unit_test(retries_end_on_a_lossy_wire),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Reliable connections over a bad wire: random operations of several queue
 * pairs, in both directions, against a model of memory. Exactly once and in
 * order, whatever is lost, doubled, overtaken or bent.
 *
 * The model knows one rule: the operations of a queue pair take effect at its
 * peer in the order in which they were posted. So it applies each one when it
 * is posted, and notes what the completion has to bring. The one exception is
 * the standard's (IBTA 10.8.3.3): what changes memory may overtake a READ that
 * is before it, unless it waits for a fence. So READs come from memory that is
 * never changed, or the next that changes memory has a fence.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire_env.h"

#define QPS		4
#define DEPTH		16
#define AREA		65536	/* of a queue pair, at its peer */
#define CHANGING	32768	/* the part of it that is written */
#define MAX_LEN		20000
#define SOURCE		0x100000

/* What a completion has to bring. */
struct expected {
	u64 at;		/* where a READ or an atomic delivers */
	u32 len;
	u8 opcode;
	u8 *data;
};

struct received {
	u32 len;
	bool imm;
	u32 imm_data;
	u8 opcode;
	u8 *data;
};

/* One direction of a connection: its operations, and its peer's memory. */
struct stream {
	struct wire_qp *qp;
	struct wire_qp *peer;
	u64 local;
	u32 lkey;
	u64 remote;
	u32 rkey;
	u64 recv_buf;
	u32 recv_key;
	u8 *model;
	struct expected out[DEPTH];
	struct received in[DEPTH];
	u32 posted;
	u32 completed;
	u32 sent;	/* operations that take a receive */
	u32 received;
	u32 total;
	bool fence;	/* for the next that changes memory */
};

struct run {
	struct wire_env *env;
	struct wire_qp qps[QPS][2];
	struct stream streams[QPS * 2];
};

static u64 rng;

static u32 rnd(u32 limit)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (rng >> 32) % limit;
}

static u32 random_length(void)
{
	switch (rnd(4)) {
	case 0:
		return rnd(16);
	case 1:
		return 1000 + rnd(50);
	case 2:
		return rnd(4) * 1024;
	default:
		return rnd(MAX_LEN);
	}
}

static u8 *copy(const u8 *data, u32 len)
{
	u8 *to = malloc(len ? len : 1);

	memcpy(to, data, len);
	return to;
}

static void make_stream(struct run *r, struct stream *s, struct wire_qp *qp,
			struct wire_qp *peer, u32 total)
{
	memset(s, 0, sizeof(*s));
	s->qp = qp;
	s->peer = peer;
	s->total = total;
	s->local = wire_alloc(qp->host, SOURCE + DEPTH * MAX_LEN, 4096);
	s->lkey = wire_region(qp->host, 200 + qp->qpn, s->local,
			      SOURCE + DEPTH * MAX_LEN, WIRE_ALL_RIGHTS);
	s->remote = wire_alloc(peer->host, AREA, 4096);
	s->rkey = wire_region(peer->host, 500 + peer->qpn, s->remote, AREA,
			      WIRE_ALL_RIGHTS);
	s->recv_buf = wire_alloc(peer->host, DEPTH * MAX_LEN, 4096);
	s->recv_key = wire_region(peer->host, 800 + peer->qpn, s->recv_buf,
				  DEPTH * MAX_LEN, WIRE_ALL_RIGHTS);
	wire_fill(wire_ptr(qp->host, s->local), SOURCE, qp->qpn + 3);
	wire_fill(wire_ptr(peer->host, s->remote), AREA, qp->qpn + 4);
	s->model = copy(wire_ptr(peer->host, s->remote), AREA);
	(void)r;
}

static u8 flags_of(struct stream *s, u8 opcode)
{
	bool changes = opcode != XRDMA_OP_READ && opcode != XRDMA_OP_SEND &&
		       opcode != XRDMA_OP_SEND_IMM;
	u8 flags = XRDMA_WQE_SIGNALED;

	if ((s->fence && changes) || !rnd(20)) {
		flags |= XRDMA_WQE_FENCE;
		s->fence = false;
	}
	return flags;
}

static void post(struct stream *s, u8 opcode, const struct xrdma_sge *sges,
		 u16 num, u64 offset, u32 imm, u64 swap_add, u64 compare)
{
	wire_post_send(s->qp, &(struct wire_wr) {
		.opcode = opcode,
		.flags = flags_of(s, opcode),
		.wr_id = s->posted, .sges = sges, .num_sge = num,
		.remote_addr = s->remote + offset, .rkey = s->rkey,
		.imm = imm, .swap_add = swap_add, .compare = compare,
	});
	s->posted++;
}

/* The source is never written, so a message may be sent again at any time. */
static void post_message(struct stream *s, u8 opcode)
{
	bool write = opcode == XRDMA_OP_WRITE || opcode == XRDMA_OP_WRITE_IMM;
	bool imm = opcode == XRDMA_OP_SEND_IMM || opcode == XRDMA_OP_WRITE_IMM;
	u32 len = random_length();
	u32 at = rnd(SOURCE - len);
	u32 cut = rnd(len + 1);
	u32 offset = rnd(CHANGING - len);
	u32 imm_data = rnd(1000000);
	struct xrdma_sge sges[2] = {
		wire_sge(s->local + at, cut, s->lkey),
		wire_sge(s->local + at + cut, len - cut, s->lkey),
	};
	const u8 *source = wire_ptr(s->qp->host, s->local + at);
	struct received *in = &s->in[s->sent % DEPTH];

	s->out[s->posted % DEPTH] = (struct expected) { .opcode = opcode };
	if (write)
		memcpy(s->model + offset, source, len);
	if (opcode != XRDMA_OP_WRITE) {
		in->len = len;
		in->imm = imm;
		in->imm_data = imm_data;
		in->opcode = write ? XRDMA_OP_RECV_WRITE_IMM : XRDMA_OP_RECV;
		in->data = write ? NULL : copy(source, len);
		s->sent++;
	}
	post(s, opcode, sges, 2, offset, imm_data, 0, 0);
}

static void post_read(struct stream *s)
{
	struct expected *out = &s->out[s->posted % DEPTH];
	bool changing = rnd(2);
	u32 offset = rnd(CHANGING - MAX_LEN) + (changing ? 0 : CHANGING);

	out->opcode = XRDMA_OP_READ;
	out->len = random_length();
	out->at = s->local + SOURCE + s->posted % DEPTH * MAX_LEN;
	out->data = copy(s->model + offset, out->len);
	post(s, XRDMA_OP_READ, (struct xrdma_sge[]) {
	     wire_sge(out->at, out->len, s->lkey) }, 1, offset, 0, 0, 0);
	s->fence |= changing;
}

static void post_atomic(struct stream *s, u8 opcode)
{
	struct expected *out = &s->out[s->posted % DEPTH];
	u32 offset = rnd(CHANGING / 8) * 8;
	u64 *target = (u64 *)(s->model + offset);
	u64 compare = opcode == XRDMA_OP_CMP_SWAP ? *target + rnd(2) : 0;
	u64 value = rnd(1000000);

	out->opcode = opcode;
	out->len = 8;
	out->at = s->local + SOURCE + s->posted % DEPTH * MAX_LEN;
	out->data = copy((u8 *)target, 8);
	if (opcode == XRDMA_OP_FETCH_ADD)
		*target += value;
	else if (*target == compare)
		*target = value;
	post(s, opcode, (struct xrdma_sge[]) {
	     wire_sge(out->at, 8, s->lkey) }, 1, offset, 0, value, compare);
}

static void post_something(struct stream *s)
{
	switch (rnd(7)) {
	case 0:
		post_message(s, XRDMA_OP_SEND);
		break;
	case 1:
		post_message(s, XRDMA_OP_SEND_IMM);
		break;
	case 2:
		post_message(s, XRDMA_OP_WRITE);
		break;
	case 3:
		post_message(s, XRDMA_OP_WRITE_IMM);
		break;
	case 4:
		post_read(s);
		break;
	case 5:
		post_atomic(s, XRDMA_OP_FETCH_ADD);
		break;
	default:
		post_atomic(s, XRDMA_OP_CMP_SWAP);
	}
}

static void check_send(struct stream *s, const struct xrdma_cqe *cqe)
{
	struct expected *out = &s->out[s->completed % DEPTH];

	if (cqe->status)
		fail_msg("QP %#x: operation %u: status %u", s->qp->qpn,
			 s->completed, cqe->status);
	assert_int_equal(le64_to_cpu(cqe->wr_id), s->completed);
	assert_int_equal(cqe->opcode, out->opcode);
	if (out->data) {
		assert_int_equal(le32_to_cpu(cqe->byte_len), out->len);
		assert_memory_equal(wire_ptr(s->qp->host, out->at), out->data,
				    out->len);
	}
	free(out->data);
	out->data = NULL;
	s->completed++;
}

static void check_recv(struct stream *s, const struct xrdma_cqe *cqe)
{
	struct received *in = &s->in[s->received % DEPTH];

	assert_int_equal(cqe->status, XRDMA_WC_SUCCESS);
	assert_int_equal(le64_to_cpu(cqe->wr_id), s->received);
	assert_int_equal(cqe->opcode, in->opcode);
	assert_int_equal(le32_to_cpu(cqe->byte_len), in->len);
	assert_int_equal(!!(le16_to_cpu(cqe->flags) & XRDMA_CQE_IMM), in->imm);
	if (in->imm)
		assert_int_equal(be32_to_cpu(cqe->imm), in->imm_data);
	if (in->data)
		assert_memory_equal(wire_ptr(s->peer->host, s->recv_buf +
					     s->received % DEPTH * MAX_LEN),
				    in->data, in->len);
	free(in->data);
	in->data = NULL;
	s->received++;
}

/* Post receives late now and then, so that RNR NAKs occur. */
static void feed_receives(struct stream *s)
{
	u32 posted = le32_to_cpu(s->peer->rec->rq_pi);
	struct xrdma_sge sge;

	if (rnd(8))
		return;
	while (posted - s->received < DEPTH && rnd(3)) {
		sge = wire_sge(s->recv_buf + posted % DEPTH * MAX_LEN, MAX_LEN,
			       s->recv_key);
		wire_post_recv(s->peer, posted++, &sge, 1);
	}
}

static void serve(struct stream *s)
{
	struct xrdma_cqe cqe;

	while (wire_poll_cq(&s->qp->send_cq, &cqe))
		check_send(s, &cqe);
	while (wire_poll_cq(&s->peer->recv_cq, &cqe))
		check_recv(s, &cqe);
	feed_receives(s);
	while (s->posted < s->total && s->posted - s->completed < DEPTH &&
	       s->sent - s->received < DEPTH && rnd(3))
		post_something(s);
}

static bool finished(const struct run *r)
{
	int i;

	for (i = 0; i < QPS * 2; i++)
		if (r->streams[i].completed < r->streams[i].total ||
		    r->streams[i].received < r->streams[i].sent)
			return false;
	return true;
}

static void run_streams(struct run *r)
{
	u64 end = xrdma_loop_now(r->env->loop) + 4000000 * WIRE_MS;
	int i;

	while (!finished(r)) {
		for (i = 0; i < QPS * 2; i++)
			serve(&r->streams[i]);
		if (wire_turn(r->env) || wire_turn(r->env))
			continue;
		if (fake_loop_next(r->env->loop) == UINT64_MAX)
			continue;
		fake_loop_advance(r->env->loop, fake_loop_next(r->env->loop));
		assert_true(xrdma_loop_now(r->env->loop) < end);
	}
}

static void check_memory(struct run *r)
{
	int i;

	for (i = 0; i < QPS * 2; i++) {
		struct stream *s = &r->streams[i];

		assert_memory_equal(wire_ptr(s->peer->host, s->remote),
				    s->model, AREA);
		free(s->model);
	}
}

static void print_counts(const struct wire_env *env)
{
	const struct xrdma_device *dev = env->hosts[0].dev;

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

static void impaired_run(int hosts, const char *impair, u64 seed, u32 total)
{
	struct wire_params params = wire_defaults;
	struct run *r = calloc(1, sizeof(*r));
	void *state = NULL;
	int i;

	print_message("  %d device(s), seed %llu: %s\n", hosts, seed, impair);
	hosts == 1 ? wire_setup_1(&state) : wire_setup_2(&state);
	r->env = state;
	rng = seed * 0x9e3779b97f4a7c15ULL + 1;
	params.log_depth = 4;
	params.min_rnr_timer = 6;
	params.timeout = 11;
	params.max_rd_atomic = 1 + seed % 16;
	params.max_dest_rd_atomic = params.max_rd_atomic;
	for (i = 0; i < QPS; i++) {
		params.psn = (0xffff00 + 64 * i) & 0xffffff;
		params.path_mtu = 1 + (i + seed) % 5;
		wire_connect(r->env, &r->qps[i][0], &r->qps[i][1], &params);
		make_stream(r, &r->streams[2 * i], &r->qps[i][0],
			    &r->qps[i][1], total);
		make_stream(r, &r->streams[2 * i + 1], &r->qps[i][1],
			    &r->qps[i][0], total);
	}
	for (i = 0; i < hosts; i++) {
		struct xrdma_device *dev = r->env->hosts[i].dev;

		assert_int_equal(xrdma_wire_impair(dev, "tx", impair), 0);
		dev->wire->tx.rng += seed + i;
	}
	run_streams(r);
	check_memory(r);
	print_counts(r->env);
	wire_run(r->env, 1000 * WIRE_MS);
	assert_int_equal(wire_teardown(&state), 0);
	free(r);
}

static u32 scale(u32 n)
{
	const char *factor = getenv("XRDMA_TEST_SCALE");

	return factor ? n * strtoul(factor, NULL, 0) : n;
}

static void sweep(const char *impair)
{
	u64 seeds = scale(3);
	u64 seed;

	for (seed = 1; seed <= seeds; seed++) {
		impaired_run(1, impair, seed, 150);
		impaired_run(2, impair, seed, 150);
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

static void duplicates_are_seen_through(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_goes_wrong_on_a_good_wire),
		cmocka_unit_test(loss_is_repaired),
		cmocka_unit_test(duplicates_are_seen_through),
		cmocka_unit_test(reordering_is_repaired),
		cmocka_unit_test(corruption_is_loss),
		cmocka_unit_test(delay_and_marks_change_nothing),
		cmocka_unit_test(everything_at_once_is_repaired),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

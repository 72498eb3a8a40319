// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posts random operations and checks their completions: see impaired.h.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/lib/wire_mw.h"
#include "tests/transport/impaired.h"

#define RIGHTS		(WIRE_ALL_RIGHTS | XRDMA_ACCESS_FLUSH_GLOBAL | \
			 XRDMA_ACCESS_FLUSH_PERSISTENT)
#define LOCAL_SIZE	(IMP_SOURCE + IMP_DEPTH * IMP_MAX_LEN)
#define INV_KEYS	8

static u64 rng;

void imp_seed(u64 seed)
{
	rng = seed * 0x9e3779b97f4a7c15ULL + 1;
}

u32 imp_random(u32 limit)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (rng >> 32) % limit;
}

static u32 random_length(void)
{
	switch (imp_random(4)) {
	case 0:
		return imp_random(16);
	case 1:
		return 1000 + imp_random(50);
	case 2:
		return imp_random(4) * 1024;
	default:
		return imp_random(IMP_MAX_LEN);
	}
}

static u8 *copy(const u8 *data, u32 len)
{
	u8 *to = malloc(len ? len : 1);

	memcpy(to, data, len);
	return to;
}

/* Make the pool of @qp; if it is NULL, create an SRQ and make its pool. */
void imp_make_pool(struct imp_pool *pool, struct wire_host *host,
		   struct wire_qp *qp, u32 xrcd, u32 cqn)
{
	memset(pool, 0, sizeof(*pool));
	pool->host = host;
	pool->qp = qp;
	pool->shared = !qp;
	pool->buf = wire_alloc(host, IMP_DEPTH * IMP_MAX_LEN, 4096);
	pool->key = wire_region(host, 800 + (qp ? qp->qpn : host->next_number),
				pool->buf, IMP_DEPTH * IMP_MAX_LEN, RIGHTS);
	if (pool->shared)
		wire_create_srq(host, IMP_LOG_DEPTH, xrcd, cqn, &pool->srq);
}

static void feed_one(struct imp_pool *pool)
{
	struct xrdma_sge sge;
	u32 i = 0;

	while (pool->busy[i])
		i++;
	sge = wire_sge(pool->buf + i * IMP_MAX_LEN, IMP_MAX_LEN, pool->key);
	pool->busy[i] = true;
	pool->order[pool->posted++ % IMP_DEPTH] = i;
	if (pool->shared)
		wire_post_srq(&pool->srq, i, &sge, 1);
	else
		wire_post_recv(pool->qp, i, &sge, 1);
}

/* Post receives, sometimes late, so that RNR NAKs occur. */
void imp_feed(struct imp_pool *pool)
{
	if (imp_random(8))
		return;
	while (pool->posted - pool->taken < IMP_DEPTH && imp_random(3))
		feed_one(pool);
}

/* Take a receive: the oldest one of a queue pair, any one of an SRQ. */
static const u8 *take(struct imp_pool *pool, u64 wr_id)
{
	assert_true(wr_id < IMP_DEPTH);
	assert_true(pool->busy[wr_id]);
	if (!pool->shared)
		assert_int_equal(wr_id, pool->order[pool->taken % IMP_DEPTH]);
	pool->busy[wr_id] = false;
	pool->taken++;
	return wire_ptr(pool->host, pool->buf + wr_id * IMP_MAX_LEN);
}

void imp_make_stream(struct imp_stream *s, struct wire_qp *qp,
		     struct wire_qp *peer, u32 total)
{
	u32 i;

	memset(s, 0, sizeof(*s));
	s->qp = qp;
	s->peer = peer;
	s->total = total;
	s->local = wire_alloc(qp->host, LOCAL_SIZE, 4096);
	s->lkey = wire_region(qp->host, 200 + qp->qpn, s->local, LOCAL_SIZE,
			      RIGHTS);
	s->remote = wire_alloc(peer->host, IMP_AREA, 4096);
	s->rkey = wire_region(peer->host, 500 + peer->qpn, s->remote, IMP_AREA,
			      RIGHTS);
	s->inv_keys = 2000 + peer->qpn * INV_KEYS;
	for (i = 0; i < INV_KEYS; i++)
		wire_publish(peer->host, s->inv_keys + i, XRDMA_MPT_FAST_REG);
	wire_fill(wire_ptr(qp->host, s->local), IMP_SOURCE, qp->qpn + 3);
	wire_fill(wire_ptr(peer->host, s->remote), IMP_AREA, qp->qpn + 4);
	s->model = copy(wire_ptr(peer->host, s->remote), IMP_AREA);
}

static bool changes(u8 opcode)
{
	return opcode != XRDMA_OP_READ && opcode != XRDMA_OP_SEND &&
	       opcode != XRDMA_OP_SEND_IMM && opcode != XRDMA_OP_SEND_INV &&
	       opcode != XRDMA_OP_FLUSH;
}

static void post(struct imp_stream *s, struct wire_wr *wr, u64 offset)
{
	wr->flags = XRDMA_WQE_SIGNALED;
	if ((s->fence && changes(wr->opcode)) || !imp_random(20)) {
		wr->flags |= XRDMA_WQE_FENCE;
		s->fence = false;
	}
	wr->wr_id = s->posted++;
	wr->remote_addr = s->remote + offset;
	wr->rkey = s->rkey;
	if (!wr->ext)
		wr->ext = s->ext;
	wire_post_send(s->qp, wr);
}

static void expect_recv(struct imp_stream *s, u8 opcode, u32 len, u32 value,
			const u8 *source)
{
	struct imp_received *in = &s->in[s->sent++ % IMP_DEPTH];
	bool write = opcode == XRDMA_OP_WRITE_IMM;

	in->len = len;
	in->value = value;
	in->flags = opcode == XRDMA_OP_SEND ? 0 :
		    opcode == XRDMA_OP_SEND_INV ? XRDMA_CQE_INV : XRDMA_CQE_IMM;
	in->opcode = write ? XRDMA_OP_RECV_WRITE_IMM : XRDMA_OP_RECV;
	in->data = write ? NULL : copy(source, len);
}

/* Post from memory that never changes, so that retransmissions are equal. */
static void post_message(struct imp_stream *s, u8 opcode)
{
	bool write = opcode == XRDMA_OP_WRITE || opcode == XRDMA_OP_WRITE_IMM;
	u32 len = random_length();
	u32 at = imp_random(IMP_SOURCE - len);
	u32 cut = imp_random(len + 1);
	u32 offset = imp_random(IMP_CHANGING - len);
	u32 value = imp_random(1000000);
	struct xrdma_sge sges[2] = {
		wire_sge(s->local + at, cut, s->lkey),
		wire_sge(s->local + at + cut, len - cut, s->lkey),
	};
	struct wire_wr wr = {
		.opcode = opcode, .sges = sges, .num_sge = 2, .imm = value,
	};
	const u8 *source = wire_ptr(s->qp->host, s->local + at);

	if (opcode == XRDMA_OP_SEND_INV) {
		value = xrdma_make_key(s->inv_keys + value % INV_KEYS, 0xa5);
		wr.inv_key = value;
	}
	s->out[s->posted % IMP_DEPTH] = (struct imp_expected) {
		.opcode = opcode };
	if (write)
		memcpy(s->model + offset, source, len);
	if (opcode != XRDMA_OP_WRITE)
		expect_recv(s, opcode, len, value, source);
	post(s, &wr, offset);
}

/* Record the expected data of a READ or an atomic, and their local memory. */
static struct imp_expected *expect_data(struct imp_stream *s, u8 opcode,
					const u8 *data, u32 len)
{
	struct imp_expected *out = &s->out[s->posted % IMP_DEPTH];

	out->opcode = opcode;
	out->len = len;
	out->at = s->local + IMP_SOURCE + s->posted % IMP_DEPTH * IMP_MAX_LEN;
	out->data = copy(data, len);
	return out;
}

static void post_read(struct imp_stream *s)
{
	bool changing = imp_random(2);
	u32 offset = imp_random(IMP_CHANGING - IMP_MAX_LEN) +
		     (changing ? 0 : IMP_CHANGING);
	struct imp_expected *out = expect_data(s, XRDMA_OP_READ,
					       s->model + offset,
					       random_length());
	struct xrdma_sge sge = wire_sge(out->at, out->len, s->lkey);
	struct wire_wr wr = {
		.opcode = XRDMA_OP_READ, .sges = &sge, .num_sge = 1,
	};

	post(s, &wr, offset);
	s->fence |= changing;
}

static void post_atomic(struct imp_stream *s, u8 opcode)
{
	u32 offset = imp_random(IMP_CHANGING / 8) * 8;
	u64 *target = (u64 *)(s->model + offset);
	u64 compare = opcode == XRDMA_OP_CMP_SWAP ?
		      *target + imp_random(2) : 0;
	u64 value = imp_random(1000000);
	struct imp_expected *out = expect_data(s, opcode, (u8 *)target, 8);
	struct xrdma_sge sge = wire_sge(out->at, 8, s->lkey);
	struct wire_wr wr = {
		.opcode = opcode, .sges = &sge, .num_sge = 1,
		.swap_add = value, .compare = compare,
	};

	if (opcode == XRDMA_OP_FETCH_ADD)
		*target += value;
	else if (*target == compare)
		*target = value;
	post(s, &wr, offset);
}

static void post_atomic_write(struct imp_stream *s)
{
	u32 offset = imp_random(IMP_CHANGING / 8) * 8;
	u64 value = imp_random(1000000) * 0x100000001ULL;
	struct wire_wr wr = {
		.opcode = XRDMA_OP_ATOMIC_WRITE, .swap_add = value,
	};

	s->out[s->posted % IMP_DEPTH] = (struct imp_expected) {
		.opcode = XRDMA_OP_ATOMIC_WRITE };
	memcpy(s->model + offset, &value, sizeof(value));
	post(s, &wr, offset);
}

static void post_flush(struct imp_stream *s)
{
	u32 len = random_length();
	struct wire_wr wr = {
		.opcode = XRDMA_OP_FLUSH, .inv_key = len,
		.ext = 1 + imp_random(3),
	};

	s->out[s->posted % IMP_DEPTH] = (struct imp_expected) {
		.opcode = XRDMA_OP_FLUSH };
	post(s, &wr, imp_random(IMP_AREA - len));
}

/* Post a random operation. XRC has neither FLUSH nor ATOMIC_WRITE. */
void imp_post(struct imp_stream *s)
{
	static const u8 messages[] = {
		XRDMA_OP_SEND, XRDMA_OP_SEND_IMM, XRDMA_OP_SEND_INV,
		XRDMA_OP_WRITE, XRDMA_OP_WRITE_IMM,
	};
	u32 what = imp_random(s->ext ? 8 : 10);

	switch (what) {
	case 5:
		post_read(s);
		break;
	case 6:
		post_atomic(s, XRDMA_OP_FETCH_ADD);
		break;
	case 7:
		post_atomic(s, XRDMA_OP_CMP_SWAP);
		break;
	case 8:
		post_atomic_write(s);
		break;
	case 9:
		post_flush(s);
		break;
	default:
		post_message(s, messages[what]);
	}
}

void imp_check_send(struct imp_stream *s, const struct xrdma_cqe *cqe)
{
	struct imp_expected *out = &s->out[s->completed % IMP_DEPTH];

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

void imp_check_recv(struct imp_stream *s, const struct xrdma_cqe *cqe)
{
	struct imp_received *in = &s->in[s->received % IMP_DEPTH];
	u16 flags = le16_to_cpu(cqe->flags);
	const u8 *data = take(s->pool, le64_to_cpu(cqe->wr_id));

	assert_int_equal(cqe->status, XRDMA_WC_SUCCESS);
	assert_true(s->received < s->sent);
	assert_int_equal(cqe->opcode, in->opcode);
	assert_int_equal(le32_to_cpu(cqe->byte_len), in->len);
	assert_int_equal(flags & (XRDMA_CQE_IMM | XRDMA_CQE_INV), in->flags);
	assert_int_equal(!!(flags & XRDMA_CQE_SRQ), s->pool->shared);
	if (in->flags & XRDMA_CQE_IMM)
		assert_int_equal(be32_to_cpu(cqe->imm), in->value);
	if (in->flags & XRDMA_CQE_INV)
		assert_int_equal(le32_to_cpu(cqe->inv_key), in->value);
	if (in->data)
		assert_memory_equal(data, in->data, in->len);
	free(in->data);
	in->data = NULL;
	s->received++;
}

/* Compare the peer's memory with the expected memory after all completions. */
void imp_end_stream(struct imp_stream *s)
{
	assert_memory_equal(wire_ptr(s->peer->host, s->remote), s->model,
			    IMP_AREA);
	free(s->model);
}

/*
 * Check a completion: the first send that fails has exhausted its retries, all
 * sends after it are flushed, no send before it is. @failed: its status, 0 as
 * long as no send has failed.
 */
void imp_check_broken_send(struct imp_stream *s, const struct xrdma_cqe *cqe,
			   u8 *failed)
{
	struct imp_expected *out = &s->out[s->completed % IMP_DEPTH];

	if (!*failed && !cqe->status) {
		imp_check_send(s, cqe);
		return;
	}
	if (*failed)
		assert_int_equal(cqe->status, XRDMA_WC_WR_FLUSH_ERR);
	else
		assert_true(cqe->status == XRDMA_WC_RETRY_EXC_ERR ||
			    cqe->status == XRDMA_WC_RNR_RETRY_EXC_ERR);
	if (!*failed)
		*failed = cqe->status;
	assert_int_equal(s->qp->qp->state, XRDMA_QPS_ERR);
	assert_int_equal(le64_to_cpu(cqe->wr_id), s->completed);
	free(out->data);
	out->data = NULL;
	s->completed++;
}

/* Check a receive: it is as expected and in order, or it is flushed. */
void imp_check_broken_recv(struct imp_stream *s, const struct xrdma_cqe *cqe)
{
	if (!cqe->status) {
		imp_check_recv(s, cqe);
		return;
	}
	assert_int_equal(cqe->status, XRDMA_WC_WR_FLUSH_ERR);
	assert_int_equal(s->peer->qp->state, XRDMA_QPS_ERR);
	take(s->pool, le64_to_cpu(cqe->wr_id));
}

/* Check the memory that no operation may change. */
void imp_end_broken(struct imp_stream *s)
{
	u32 i;

	assert_memory_equal(wire_ptr(s->peer->host, s->remote) + IMP_CHANGING,
			    s->model + IMP_CHANGING, IMP_AREA - IMP_CHANGING);
	for (i = 0; i < IMP_DEPTH; i++)
		free(s->in[i].data);
	free(s->model);
}

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of requests that take as many PSNs as there may be outstanding, and of
 * duplicates whose PSN was used long ago. The test is the peer.
 */
#include <string.h>

#include "tests/lib/wire_craft.h"
#include "transport/answer.h"

#define ACK	(MODEL_AETH_ACK | MODEL_AETH_NO_CREDITS)
#define MTU	256
#define ALL	0x80000000U /* bytes of the longest message */
#define HALF	0x800000U /* PSNs of a READ of ALL bytes */

/* First PSNs that the queue pair under test sends and expects, just before the wrap. */
#define PSN	(wire_defaults.psn)
#define RQ_PSN	(wire_defaults.psn ^ 0x55)

static void begin(void **state, struct craft *c)
{
	struct wire_params params = wire_defaults;

	params.path_mtu = 1;
	craft_begin(state, c, &params);
}

/* A READ whose data the device drops, since the null key has no memory. */
static void post_read(struct craft *c, u64 wr_id, u32 len)
{
	struct xrdma_sge sge = wire_sge(0, len, XRDMA_KEY_NULL);

	wire_post_signaled(&c->p.a, XRDMA_OP_READ, wr_id, sge, 0x1000, 0x77);
}

static void respond(struct craft *c, u8 opcode, u32 psn, u32 len)
{
	struct model_pkt pkt = craft_pkt(c, opcode, psn);

	pkt.syndrome = ACK;
	pkt.len = len;
	assert_int_equal(craft_send(c, &pkt, NULL), MODEL_RX_OK);
}

static void completed(struct craft *c, u64 wr_id)
{
	struct xrdma_cqe cqe;

	assert_true(wire_poll_cq(&c->p.a.send_cq, &cqe));
	assert_int_equal(le64_to_cpu(cqe.wr_id), wr_id);
	assert_int_equal(cqe.status, XRDMA_WC_SUCCESS);
}

static void expect_read(struct craft *c, u32 psn, u64 offset, u32 len)
{
	craft_expect(c, MODEL_BTH_READ_REQUEST, psn);
	assert_true(c->pkt.va == 0x1000 + offset);
	assert_int_equal(c->pkt.dma_len, len);
}

/* As if all responses before @psn had arrived. */
static void skip_to(struct craft *c, u32 psn)
{
	struct model_qp *qp = c->p.a.qp;

	psn &= MODEL_PSN_MASK;
	model_requester_entry(qp, qp->sq.ci)->resp_psn = psn;
	qp->tp->req.una_psn = psn;
}

static void the_longest_read_takes_two_requests(void **state)
{
	u64 part = (u64)MODEL_PSN_WINDOW * MTU;
	struct craft c;

	begin(state, &c);
	post_read(&c, 1, ALL);
	expect_read(&c, PSN, 0, part);
	respond(&c, MODEL_BTH_READ_RESP_FIRST, PSN, MTU);
	craft_expect_nothing(&c);
	skip_to(&c, PSN + MODEL_PSN_WINDOW - 1);
	respond(&c, MODEL_BTH_READ_RESP_LAST, PSN + MODEL_PSN_WINDOW - 1, MTU);
	expect_read(&c, PSN + MODEL_PSN_WINDOW, part, MTU);
	respond(&c, MODEL_BTH_READ_RESP_ONLY, PSN + MODEL_PSN_WINDOW, MTU);
	completed(&c, 1);
	post_read(&c, 2, 1);
	expect_read(&c, PSN + HALF, 0, 1);
}

/* The peer refuses a repeated request for more than the first one. */
static void a_repeated_part_ends_where_it_did(void **state)
{
	struct craft c;
	u32 skipped = 1000;

	begin(state, &c);
	post_read(&c, 1, ALL);
	expect_read(&c, PSN, 0, MODEL_PSN_WINDOW * MTU);
	skip_to(&c, PSN + skipped);
	respond(&c, MODEL_BTH_READ_RESP_MIDDLE, PSN + skipped + 1, MTU);
	expect_read(&c, PSN + skipped, skipped * MTU,
		    (MODEL_PSN_WINDOW - skipped) * MTU);
}

static void a_long_read_waits_for_acknowledgments(void **state)
{
	struct xrdma_sge sge;
	struct model_pkt pkt;
	struct craft c;

	begin(state, &c);
	sge = wire_sge(c.p.a_buf, 3 * MTU, c.p.a_key);
	wire_post_signaled(&c.p.a, XRDMA_OP_WRITE, 1, sge, 0x1000, 0x77);
	post_read(&c, 2, ALL - 2 * MTU);
	craft_expect(&c, MODEL_BTH_WRITE_FIRST, PSN);
	craft_expect(&c, MODEL_BTH_WRITE_MIDDLE, PSN + 1);
	craft_expect(&c, MODEL_BTH_WRITE_LAST, PSN + 2);
	craft_expect_nothing(&c);
	pkt = craft_pkt(&c, MODEL_BTH_ACK, PSN + 2);
	pkt.syndrome = ACK;
	assert_int_equal(craft_send(&c, &pkt, NULL), MODEL_RX_OK);
	completed(&c, 1);
	expect_read(&c, PSN + 3, 0, ALL - 2 * MTU);
}

static void a_read_takes_the_psns_that_are_left(void **state)
{
	struct xrdma_sge sge;
	struct craft c;

	begin(state, &c);
	sge = wire_sge(c.p.a_buf, 3 * MTU, c.p.a_key);
	wire_post_signaled(&c.p.a, XRDMA_OP_WRITE, 1, sge, 0x1000, 0x77);
	post_read(&c, 2, ALL - 4 * MTU);
	craft_expect(&c, MODEL_BTH_WRITE_FIRST, PSN);
	craft_expect(&c, MODEL_BTH_WRITE_MIDDLE, PSN + 1);
	craft_expect(&c, MODEL_BTH_WRITE_LAST, PSN + 2);
	expect_read(&c, PSN + 3, 0, ALL - 4 * MTU);
	skip_to(&c, PSN + 2);
	respond(&c, MODEL_BTH_READ_RESP_FIRST, PSN + 3, MTU);
	completed(&c, 1);
}

/* A region of all bus addresses. Return: its key. */
static u32 everything(struct craft *c)
{
	struct wire_host *host = c->p.a.host;
	u32 key = wire_region(host, 200, WIRE_IOVA, 8, XRDMA_ACCESS_REMOTE_READ);
	struct xrdma_mpt_entry *e = wire_ptr(host, host->mpt);

	e += 200;
	e->iova = 0;
	e->root = 0;
	e->offset = 0;
	e->length = cpu_to_le64(1ULL << 40);
	e->ctrl |= cpu_to_le64(XRDMA_MPT_IDENTITY);
	return key;
}

/* The device executes a READ, but sends none of its data. */
static void pass_read(struct craft *c, u32 psn, u32 key)
{
	struct model_pkt pkt = craft_pkt(c, MODEL_BTH_READ_REQUEST, psn);

	pkt.rkey = key;
	pkt.dma_len = ALL;
	assert_int_equal(craft_send(c, &pkt, NULL), MODEL_RX_OK);
	assert_false(c->p.a.qp->tp->resp.failed);
	model_answer_clear(c->p.a.qp);
}

static void fetch_add(struct craft *c, u32 psn)
{
	struct model_pkt pkt = craft_pkt(c, MODEL_BTH_FETCH_ADD, psn);

	pkt.swap_add = 1;
	assert_int_equal(craft_send(c, &pkt, NULL), MODEL_RX_OK);
}

static void a_record_does_not_answer_the_next_user_of_its_psn(void **state)
{
	struct craft c;
	u32 key;

	begin(state, &c);
	key = everything(&c);
	fetch_add(&c, RQ_PSN);
	craft_expect(&c, MODEL_BTH_ATOMIC_ACK, RQ_PSN);
	pass_read(&c, RQ_PSN + 1, key);
	pass_read(&c, RQ_PSN + 1 + HALF, key);
	assert_int_equal(c.p.a.qp->tp->resp.psn, (RQ_PSN + 1) & MODEL_PSN_MASK);
	fetch_add(&c, RQ_PSN);
	craft_expect_nothing(&c);
}

/* The furthest duplicate that can be told from a request for later. */
static void a_record_answers_half_of_all_psns(void **state)
{
	struct model_pkt pkt;
	struct craft c;
	u32 key;

	begin(state, &c);
	key = everything(&c);
	pass_read(&c, RQ_PSN, key);
	pkt = craft_pkt(&c, MODEL_BTH_READ_REQUEST, RQ_PSN);
	pkt.rkey = key;
	pkt.va = WIRE_IOVA;
	pkt.dma_len = 2;
	assert_int_equal(craft_send(&c, &pkt, NULL), MODEL_RX_OK);
	craft_expect(&c, MODEL_BTH_READ_RESP_ONLY, RQ_PSN);
	assert_int_equal(c.pkt.len, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(the_longest_read_takes_two_requests, 2),
		WIRE_TEST(a_repeated_part_ends_where_it_did, 2),
		WIRE_TEST(a_long_read_waits_for_acknowledgments, 2),
		WIRE_TEST(a_read_takes_the_psns_that_are_left, 2),
		WIRE_TEST(a_record_does_not_answer_the_next_user_of_its_psn, 2),
		WIRE_TEST(a_record_answers_half_of_all_psns, 2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of FLUSH and ATOMIC_WRITE, requester and responder: bytes on the wire,
 * rights, duplicates, retries, refused requests.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/lib/wire_craft.h"

#define ACK		(MODEL_AETH_ACK | MODEL_AETH_NO_CREDITS)
#define NAK(value)	(MODEL_AETH_NAK | MODEL_NAK_##value)
#define REQ_PSN		(wire_defaults.psn)
#define RESP_PSN	(wire_defaults.psn ^ 0x55)

#define GLOBAL		XRDMA_ACCESS_FLUSH_GLOBAL
#define PERSISTENT	XRDMA_ACCESS_FLUSH_PERSISTENT
#define ALL		(WIRE_ALL_RIGHTS | GLOBAL | PERSISTENT)

static struct wire_params params_with(u16 access)
{
	struct wire_params params = wire_defaults;

	params.access = access & ~XRDMA_ACCESS_LOCAL_WRITE;
	return params;
}

/* The test is the peer; the region of the device's side grants @access. */
static void begin(void **state, struct craft *c, u16 access)
{
	struct wire_params params = params_with(ALL);

	craft_begin(state, c, &params);
	c->p.a_key = wire_region(c->p.a.host, 50, c->p.a_buf, WIRE_BUF_SIZE,
				 access);
}

static void post_flush(struct wire_qp *qp, u64 wr_id, u32 ext, u64 addr,
		       u32 length, u32 rkey)
{
	wire_post_send(qp, &(struct wire_wr) {
		.opcode = XRDMA_OP_FLUSH, .flags = XRDMA_WQE_SIGNALED,
		.wr_id = wr_id, .ext = ext, .inv_key = length,
		.remote_addr = addr, .rkey = rkey,
	});
}

static void post_atomic_write(struct wire_qp *qp, u64 wr_id, u64 value,
			      u64 addr, u32 rkey)
{
	wire_post_send(qp, &(struct wire_wr) {
		.opcode = XRDMA_OP_ATOMIC_WRITE, .flags = XRDMA_WQE_SIGNALED,
		.wr_id = wr_id, .swap_add = value, .remote_addr = addr,
		.rkey = rkey,
	});
}

static void flush_on_the_wire(void **state)
{
	struct craft c;

	begin(state, &c, ALL);
	post_flush(&c.p.a, 1, XRDMA_FLUSH_GLOBAL | XRDMA_FLUSH_PERSISTENT,
		   0x12345678, 77, 0x4455);
	post_flush(&c.p.a, 2, XRDMA_FLUSH_GLOBAL | XRDMA_FLUSH_MR, 0, 0, 0x66);
	craft_expect(&c, MODEL_BTH_FLUSH, REQ_PSN);
	assert_int_equal(c.pkt.flush, 0x3);
	assert_true(c.pkt.va == 0x12345678);
	assert_int_equal(c.pkt.rkey, 0x4455);
	assert_int_equal(c.pkt.dma_len, 77);
	assert_int_equal(c.pkt.len, 0);
	craft_expect(&c, MODEL_BTH_FLUSH, REQ_PSN + 1);
	assert_int_equal(c.pkt.flush, 0x11);
	assert_int_equal(c.pkt.dma_len, 0);
	craft_expect_nothing(&c);
}

static void atomic_write_on_the_wire(void **state)
{
	static const u8 bytes[] = { 8, 7, 6, 5, 4, 3, 2, 1 };
	struct craft c;

	begin(state, &c, ALL);
	post_atomic_write(&c.p.a, 1, 0x0102030405060708, 0x1000, 0x77);
	craft_expect(&c, MODEL_BTH_ATOMIC_WRITE, REQ_PSN);
	assert_int_equal(c.pkt.len, 8);
	assert_int_equal(c.pkt.dma_len, 8);
	assert_true(c.pkt.va == 0x1000);
	assert_int_equal(c.pkt.rkey, 0x77);
	/* the bytes are in the order of memory, not of a big-endian number */
	assert_memory_equal(c.data, bytes, sizeof(bytes));
}

static void respond(struct craft *c, u8 opcode, u32 psn, u32 len)
{
	struct model_pkt pkt = craft_pkt(c, opcode, psn);

	pkt.syndrome = ACK;
	pkt.len = len;
	craft_send(c, &pkt, NULL);
	craft_turn(c);
}

static void completed(struct craft *c, u64 wr_id, u8 opcode, u8 status)
{
	struct xrdma_cqe cqe;

	assert_true(wire_poll_cq(&c->p.a.send_cq, &cqe));
	assert_int_equal(le64_to_cpu(cqe.wr_id), wr_id);
	assert_int_equal(cqe.status, status);
	assert_int_equal(cqe.opcode, opcode);
	assert_int_equal(le32_to_cpu(cqe.byte_len), 0);
}

/* An ACK does not complete a FLUSH: it shows that the response was lost. */
static void only_a_response_completes(void **state)
{
	struct xrdma_cqe cqe;
	struct craft c;

	begin(state, &c, ALL);
	post_flush(&c.p.a, 1, XRDMA_FLUSH_GLOBAL, 0x1000, 8, 0x77);
	post_atomic_write(&c.p.a, 2, 5, 0x1000, 0x77);
	craft_expect(&c, MODEL_BTH_FLUSH, REQ_PSN);
	craft_expect(&c, MODEL_BTH_ATOMIC_WRITE, REQ_PSN + 1);
	respond(&c, MODEL_BTH_ACK, REQ_PSN + 1, 0);
	assert_false(wire_poll_cq(&c.p.a.send_cq, &cqe));
	craft_expect(&c, MODEL_BTH_FLUSH, REQ_PSN);
	craft_expect(&c, MODEL_BTH_ATOMIC_WRITE, REQ_PSN + 1);
	respond(&c, MODEL_BTH_READ_RESP_ONLY, REQ_PSN, 0);
	completed(&c, 1, XRDMA_OP_FLUSH, XRDMA_WC_SUCCESS);
	respond(&c, MODEL_BTH_READ_RESP_ONLY, REQ_PSN + 1, 0);
	completed(&c, 2, XRDMA_OP_ATOMIC_WRITE, XRDMA_WC_SUCCESS);
	assert_int_equal(c.p.a.qp->tp->req.rd_atomic, 0);
}

static void a_response_with_data_is_bad(void **state)
{
	struct craft c;

	begin(state, &c, ALL);
	post_flush(&c.p.a, 1, XRDMA_FLUSH_GLOBAL, 0x1000, 8, 0x77);
	craft_expect(&c, MODEL_BTH_FLUSH, REQ_PSN);
	respond(&c, MODEL_BTH_READ_RESP_ONLY, REQ_PSN, 4);
	completed(&c, 1, XRDMA_OP_FLUSH, XRDMA_WC_BAD_RESP_ERR);
}

static void both_count_as_reads_in_flight(void **state)
{
	struct wire_params params = params_with(ALL);
	struct craft c;

	params.max_rd_atomic = 2;
	craft_begin(state, &c, &params);
	post_flush(&c.p.a, 1, XRDMA_FLUSH_GLOBAL, 0x1000, 8, 0x77);
	post_atomic_write(&c.p.a, 2, 5, 0x1000, 0x77);
	post_flush(&c.p.a, 3, XRDMA_FLUSH_GLOBAL, 0x1000, 8, 0x77);
	post_atomic_write(&c.p.a, 4, 5, 0x1000, 0x77);
	craft_expect(&c, MODEL_BTH_FLUSH, REQ_PSN);
	craft_expect(&c, MODEL_BTH_ATOMIC_WRITE, REQ_PSN + 1);
	craft_expect_nothing(&c);
	respond(&c, MODEL_BTH_READ_RESP_ONLY, REQ_PSN, 0);
	craft_expect(&c, MODEL_BTH_FLUSH, REQ_PSN + 2);
	craft_expect_nothing(&c);
	respond(&c, MODEL_BTH_READ_RESP_ONLY, REQ_PSN + 1, 0);
	craft_expect(&c, MODEL_BTH_ATOMIC_WRITE, REQ_PSN + 3);
}

static const struct bad_wqe {
	u8 opcode;
	u32 ext;
	u32 length;
	u8 flags;
	u16 num_sge;
	u64 compare;
} bad_wqes[] = {
	{ XRDMA_OP_FLUSH, 0, 8, 0, 0, 0 },
	{ XRDMA_OP_FLUSH, XRDMA_FLUSH_MR, 0, 0, 0, 0 },
	{ XRDMA_OP_FLUSH, XRDMA_FLUSH_GLOBAL | 4, 8, 0, 0, 0 },
	{ XRDMA_OP_FLUSH, XRDMA_FLUSH_GLOBAL | 0x20, 8, 0, 0, 0 },
	{ XRDMA_OP_FLUSH, XRDMA_FLUSH_GLOBAL | XRDMA_FLUSH_MR, 8, 0, 0, 0 },
	{ XRDMA_OP_FLUSH, XRDMA_FLUSH_GLOBAL, 8, 0, 1, 0 },
	{ XRDMA_OP_FLUSH, XRDMA_FLUSH_GLOBAL, 8, XRDMA_WQE_INLINE, 0, 0 },
	{ XRDMA_OP_ATOMIC_WRITE, 0, 0, 0, 1, 0 },
	{ XRDMA_OP_ATOMIC_WRITE, 0, 0, XRDMA_WQE_INLINE, 0, 0 },
	{ XRDMA_OP_ATOMIC_WRITE, 0, 0, 0, 0, 1 },
};

static void entries_that_are_wrong(void **state)
{
	struct wire_params params = params_with(ALL);
	struct wire_env *env = *state;
	struct xrdma_sge sge = { 0 };
	struct wire_pair p;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad_wqes); i++) {
		const struct bad_wqe *bad = &bad_wqes[i];

		wire_make_pair(env, &p, &params);
		wire_post_send(&p.a, &(struct wire_wr) {
			.opcode = bad->opcode, .wr_id = i, .ext = bad->ext,
			.flags = bad->flags | XRDMA_WQE_SIGNALED,
			.inv_key = bad->length, .num_sge = bad->num_sge,
			.sges = &sge, .compare = bad->compare,
			.remote_addr = p.b_buf, .rkey = p.b_key,
		});
		wire_expect_send(&p.a, i, XRDMA_WC_LOC_QP_OP_ERR);
	}
}

static struct model_pkt flush_pkt(const struct craft *c, u32 psn, u32 flush,
				  u32 length)
{
	struct model_pkt pkt = craft_pkt(c, MODEL_BTH_FLUSH, psn);

	pkt.flush = flush;
	pkt.dma_len = length;
	return pkt;
}

static struct model_pkt atomic_write_pkt(const struct craft *c, u32 psn)
{
	struct model_pkt pkt = craft_pkt(c, MODEL_BTH_ATOMIC_WRITE, psn);

	pkt.len = 8;
	pkt.dma_len = 8;
	return pkt;
}

static void expect_empty(struct craft *c, u32 psn, u32 msn)
{
	craft_expect(c, MODEL_BTH_READ_RESP_ONLY, psn);
	assert_int_equal(c->pkt.syndrome, ACK);
	assert_int_equal(c->pkt.len, 0);
	assert_int_equal(c->pkt.msn, msn);
}

static void atomic_writes_happen_once(void **state)
{
	static const u8 one[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	static const u8 two[] = { 9, 9, 9, 9, 9, 9, 9, 9 };
	struct model_pkt pkt;
	struct craft c;

	begin(state, &c, ALL);
	pkt = atomic_write_pkt(&c, RESP_PSN);
	assert_int_equal(craft_send(&c, &pkt, one), MODEL_RX_OK);
	expect_empty(&c, RESP_PSN, 1);
	assert_memory_equal(c.p.a_mem, one, 8);
	/* a duplicate is answered and changes no memory */
	memset(c.p.a_mem, 0x55, 8);
	assert_int_equal(craft_send(&c, &pkt, two), MODEL_RX_OK);
	expect_empty(&c, RESP_PSN, 1);
	assert_int_equal(c.p.a_mem[0], 0x55);
	pkt = atomic_write_pkt(&c, RESP_PSN + 1);
	craft_send(&c, &pkt, two);
	expect_empty(&c, RESP_PSN + 1, 2);
	assert_memory_equal(c.p.a_mem, two, 8);
	craft_expect_nothing(&c);
}

static void flushes_are_answered_in_order(void **state)
{
	struct model_pkt pkt;
	struct craft c;
	u8 value = 7;

	begin(state, &c, ALL);
	pkt = craft_pkt(&c, MODEL_BTH_WRITE_ONLY, RESP_PSN);
	pkt.len = 1;
	pkt.dma_len = 1;
	craft_send(&c, &pkt, &value);
	pkt = flush_pkt(&c, RESP_PSN + 1, XRDMA_FLUSH_GLOBAL, 8);
	assert_int_equal(craft_send(&c, &pkt, NULL), MODEL_RX_OK);
	pkt = flush_pkt(&c, RESP_PSN + 2, XRDMA_FLUSH_PERSISTENT, 8);
	craft_send(&c, &pkt, NULL);
	expect_empty(&c, RESP_PSN + 1, 2);
	assert_int_equal(c.p.a_mem[0], 7);
	expect_empty(&c, RESP_PSN + 2, 3);
	craft_send(&c, &pkt, NULL);
	expect_empty(&c, RESP_PSN + 2, 3);
	assert_int_equal(c.p.a.host->dev->stats[XRDMA_STAT_DUPLICATES], 1);
}

/* max_dest_rd_atomic requests are recorded to answer their duplicates. */
static void old_duplicates_are_not_answered(void **state)
{
	struct wire_params params = params_with(ALL);
	struct model_pkt pkt;
	struct craft c;
	u32 i;

	params.max_dest_rd_atomic = 2;
	craft_begin(state, &c, &params);
	for (i = 0; i < 3; i++) {
		pkt = atomic_write_pkt(&c, RESP_PSN + i);
		craft_send(&c, &pkt, NULL);
		expect_empty(&c, RESP_PSN + i, i + 1);
	}
	pkt = atomic_write_pkt(&c, RESP_PSN);
	craft_send(&c, &pkt, NULL);
	craft_expect_nothing(&c);
	pkt = atomic_write_pkt(&c, RESP_PSN + 1);
	craft_send(&c, &pkt, NULL);
	expect_empty(&c, RESP_PSN + 1, 3);
}

static void reserved_bits_of_a_flush_are_ignored(void **state)
{
	struct model_pkt pkt;
	struct craft c;

	begin(state, &c, ALL);
	pkt = flush_pkt(&c, RESP_PSN, 0xffffffc0 | XRDMA_FLUSH_GLOBAL, 8);
	craft_send(&c, &pkt, NULL);
	expect_empty(&c, RESP_PSN, 1);
}

/* FLUSH of a whole region ignores address and length, and checks the rights. */
static void a_whole_region_is_flushed(void **state)
{
	struct model_pkt pkt;
	struct craft c;

	begin(state, &c, ALL & ~PERSISTENT);
	pkt = flush_pkt(&c, RESP_PSN, XRDMA_FLUSH_GLOBAL | XRDMA_FLUSH_MR, 0);
	pkt.va = 5;
	craft_send(&c, &pkt, NULL);
	expect_empty(&c, RESP_PSN, 1);
	pkt.psn = (RESP_PSN + 1) & MODEL_PSN_MASK;
	pkt.dma_len = 0xffffffff;
	craft_send(&c, &pkt, NULL);
	expect_empty(&c, RESP_PSN + 1, 2);
	pkt.psn = (RESP_PSN + 2) & MODEL_PSN_MASK;
	pkt.flush = XRDMA_FLUSH_PERSISTENT | XRDMA_FLUSH_MR;
	pkt.dma_len = 0;
	craft_send(&c, &pkt, NULL);
	craft_expect_ack(&c, NAK(ACCESS), RESP_PSN + 2);
}

/* The virtual address must be aligned, not the memory behind it. */
static void the_address_must_be_aligned(void **state)
{
	struct xrdma_mpt_entry *e;
	struct model_pkt pkt;
	struct craft c;

	begin(state, &c, ALL);
	e = wire_ptr(c.p.a.host, c.p.a.host->mpt);
	e[60] = e[50];
	e[60].iova = cpu_to_le64(c.p.a_buf + 4);
	pkt = atomic_write_pkt(&c, RESP_PSN);
	pkt.rkey = xrdma_make_key(60, 0x5a);
	pkt.va = c.p.a_buf + 4;
	craft_send(&c, &pkt, NULL);
	craft_expect_ack(&c, NAK(INVALID), RESP_PSN);
}

static const struct refusal {
	const char *name;
	u16 mr_access;
	u16 qp_access;
	u8 opcode;
	u32 flush;
	s32 offset;
	u32 length;
	u32 len;
	u8 syndrome;
	u8 reason;
} refusals[] = {
	{ "no right to flush", WIRE_ALL_RIGHTS, ALL, MODEL_BTH_FLUSH,
	  XRDMA_FLUSH_GLOBAL, 0, 8, 0, NAK(ACCESS), XRDMA_FAULT_RIGHTS },
	{ "the other right", WIRE_ALL_RIGHTS | GLOBAL, ALL, MODEL_BTH_FLUSH,
	  XRDMA_FLUSH_PERSISTENT, 0, 8, 0, NAK(ACCESS), XRDMA_FAULT_RIGHTS },
	{ "one of two", WIRE_ALL_RIGHTS | PERSISTENT, ALL, MODEL_BTH_FLUSH,
	  XRDMA_FLUSH_GLOBAL | XRDMA_FLUSH_PERSISTENT, 0, 8, 0, NAK(ACCESS),
	  XRDMA_FAULT_RIGHTS },
	{ "no right of the queue pair", ALL, WIRE_ALL_RIGHTS | GLOBAL,
	  MODEL_BTH_FLUSH, XRDMA_FLUSH_PERSISTENT, 0, 8, 0, NAK(INVALID),
	  XRDMA_FAULT_QP_RIGHTS },
	{ "a range outside", ALL, ALL, MODEL_BTH_FLUSH, XRDMA_FLUSH_GLOBAL, 1,
	  WIRE_BUF_SIZE, 0, NAK(ACCESS), XRDMA_FAULT_RANGE },
	{ "no placement", ALL, ALL, MODEL_BTH_FLUSH, 0, 0, 8, 0, NAK(INVALID),
	  0 },
	{ "a placement that is none", ALL, ALL, MODEL_BTH_FLUSH, 0x5, 0, 8, 0,
	  NAK(INVALID), 0 },
	{ "a selectivity that is none", ALL, ALL, MODEL_BTH_FLUSH, 0x21, 0, 8,
	  0, NAK(INVALID), 0 },
	{ "no right to write", ALL & ~XRDMA_ACCESS_REMOTE_WRITE, ALL,
	  MODEL_BTH_ATOMIC_WRITE, 0, 0, 8, 8, NAK(ACCESS),
	  XRDMA_FAULT_RIGHTS },
	{ "no right of the queue pair to write", ALL,
	  ALL & ~XRDMA_ACCESS_REMOTE_WRITE, MODEL_BTH_ATOMIC_WRITE, 0, 0, 8, 8,
	  NAK(INVALID), XRDMA_FAULT_QP_RIGHTS },
	{ "not aligned", ALL, ALL, MODEL_BTH_ATOMIC_WRITE, 0, 4, 8, 8,
	  NAK(INVALID), XRDMA_FAULT_ALIGN },
	{ "behind the end", ALL, ALL, MODEL_BTH_ATOMIC_WRITE, 0, WIRE_BUF_SIZE,
	  8, 8, NAK(ACCESS), XRDMA_FAULT_RANGE },
	{ "payload too short", ALL, ALL, MODEL_BTH_ATOMIC_WRITE, 0, 0, 8, 7,
	  NAK(INVALID), 0 },
	{ "payload too long", ALL, ALL, MODEL_BTH_ATOMIC_WRITE, 0, 0, 8, 12,
	  NAK(INVALID), 0 },
	{ "length not 8", ALL, ALL, MODEL_BTH_ATOMIC_WRITE, 0, 0, 16, 8,
	  NAK(INVALID), 0 },
};

static u8 last_fault(struct wire_host *host, u8 *opcode)
{
	struct model_eq *eq = model_eq_get(host->dev, 0);
	const struct xrdma_eqe *eqe =
		wire_ptr(host, eq->ring.root & XRDMA_ROOT_ADDR);
	u8 reason = 0;
	u32 i;

	for (i = 0; xrdma_ring_valid(le32_to_cpu(eqe[i].own), i,
				     eq->log_depth); i++)
		if (eqe[i].event == XRDMA_EVENT_FAULT) {
			reason = eqe[i].reason;
			*opcode = eqe[i].opcode;
		}
	return reason;
}

static void refuse(void **state, const struct refusal *r)
{
	struct wire_params params = params_with(r->qp_access);
	u8 opcode = 0;
	struct model_pkt pkt;
	struct craft c;
	u8 before;

	craft_begin(state, &c, &params);
	c.p.a_key = wire_region(c.p.a.host, 50, c.p.a_buf, WIRE_BUF_SIZE,
				r->mr_access);
	before = c.p.a_mem[0];
	pkt = craft_pkt(&c, r->opcode, RESP_PSN);
	pkt.flush = r->flush;
	pkt.va += r->offset;
	pkt.dma_len = r->length;
	pkt.len = r->len;
	assert_int_equal(craft_send(&c, &pkt, NULL), MODEL_RX_OK);
	craft_expect_ack(&c, r->syndrome, RESP_PSN);
	assert_int_equal(last_fault(c.p.a.host, &opcode), r->reason);
	if (r->reason)
		assert_int_equal(opcode, r->flush ? XRDMA_OP_FLUSH :
						    XRDMA_OP_ATOMIC_WRITE);
	assert_int_equal(c.p.a.qp->state, XRDMA_QPS_ERR);
	assert_int_equal(c.p.a_mem[0], before);
}

static void refusals_name_their_reason(void **state)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(refusals); i++) {
		print_message("%s\n", refusals[i].name);
		if (i)
			assert_int_equal(wire_setup_2(state), 0);
		refuse(state, &refusals[i]);
		if (i + 1 < ARRAY_SIZE(refusals))
			wire_teardown(state);
	}
}

/* Two devices and a fence: bytes of the WRITE before are in memory. */
static void between_two_devices(void **state)
{
	struct wire_params params = params_with(ALL);
	struct wire_env *env = *state;
	struct wire_pair p;
	u32 i;

	params.max_rd_atomic = 3;
	params.max_dest_rd_atomic = 3;
	wire_make_pair(env, &p, &params);
	p.b_key = wire_region(p.b.host, 51, p.b_buf, WIRE_BUF_SIZE, ALL);
	for (i = 0; i < 40; i++) {
		post_atomic_write(&p.a, 2 * i, i, p.b_buf + 8 * i, p.b_key);
		post_flush(&p.a, 2 * i + 1, XRDMA_FLUSH_GLOBAL |
			   (i & 1 ? XRDMA_FLUSH_MR : 0), p.b_buf,
			   i & 1 ? 0 : 4096, p.b_key);
	}
	for (i = 0; i < 80; i++)
		wire_expect_send(&p.a, i, XRDMA_WC_SUCCESS);
	for (i = 0; i < 40; i++)
		assert_true(((u64 *)p.b_mem)[i] == i);
}

/* The peer sends a NAK: the entry completes with the matching status. */
static void refused_requests_fail(void **state)
{
	struct wire_params params = params_with(ALL);
	struct wire_env *env = *state;
	struct wire_pair p;

	wire_make_pair(env, &p, &params);
	post_flush(&p.a, 1, XRDMA_FLUSH_GLOBAL, p.b_buf, 8, p.b_key);
	wire_expect_send(&p.a, 1, XRDMA_WC_REM_ACCESS_ERR);
	wire_make_pair(env, &p, &params);
	post_atomic_write(&p.a, 2, 1, p.b_buf + 1, p.b_key);
	wire_expect_send(&p.a, 2, XRDMA_WC_REM_INV_REQ_ERR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(flush_on_the_wire, 2),
		WIRE_TEST(atomic_write_on_the_wire, 2),
		WIRE_TEST(only_a_response_completes, 2),
		WIRE_TEST(a_response_with_data_is_bad, 2),
		WIRE_TEST(both_count_as_reads_in_flight, 2),
		WIRE_TEST(entries_that_are_wrong, 2),
		WIRE_TEST(atomic_writes_happen_once, 2),
		WIRE_TEST(flushes_are_answered_in_order, 2),
		WIRE_TEST(old_duplicates_are_not_answered, 2),
		WIRE_TEST(reserved_bits_of_a_flush_are_ignored, 2),
		WIRE_TEST(a_whole_region_is_flushed, 2),
		WIRE_TEST(the_address_must_be_aligned, 2),
		WIRE_TEST(refusals_name_their_reason, 2),
		WIRE_TEST(between_two_devices, 2),
		WIRE_TEST(refused_requests_fail, 2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

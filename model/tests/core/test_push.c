// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of push: which bytes stand for an entry, and when. The entry in memory and the
 * one in the slot differ in their wr_id, so that the completion shows which one the
 * device has used.
 */
#include <string.h>

#include "tests/lib/core_env.h"

#define IN_SLOT		1000	/* added to the wr_id of an entry in a slot */

static struct {
	struct core_env *env;
	struct core_qp cqp;
} t;

static void offer(enum model_push_mode mode)
{
	t.env->dev->params.push = mode;
	assert_int_equal(model_push_init(t.env->dev), 0);
}

static int setup(void **state)
{
	core_setup(state);
	t.env = *state;
	t.env->no_shadow = true;
	offer(MODEL_PUSH_USE);
	core_make_queues(t.env);
	core_create_qp(t.env, 5, &t.cqp);
	core_to_rts(t.env, &t.cqp);
	return 0;
}

static int setup_shadow(void **state)
{
	t.env = core_setup_qp(state, &t.cqp);
	offer(MODEL_PUSH_USE);
	return 0;
}

static void write_slot(u32 page, u32 at, const void *buf, size_t len)
{
	model_device_write(t.env->dev, XRDMA_BAR_DB, XRDMA_BAR_DB_PUSH +
			   (u64)page * XRDMA_DB_PAGE_SIZE + at, buf, len);
}

static u32 posted(void)
{
	return le32_to_cpu(t.cqp.rec->sq_pi);
}

/* Post an entry to memory. Return: the entry as it is written to a slot. */
static struct xrdma_sq_wqe post(u64 wr_id)
{
	u32 slot = xrdma_ring_slot(posted(), CORE_WQ_LOG);
	struct xrdma_sq_wqe wqe;

	core_post_send(&t.cqp, XRDMA_WQE_SIGNALED, wr_id);
	memcpy(&wqe, t.cqp.sq + (slot << CORE_STRIDE_LOG), sizeof(wqe));
	wqe.wr_id = cpu_to_le64(wr_id + IN_SLOT);
	return wqe;
}

static void fill_slot(u32 at, const struct xrdma_sq_wqe *wqe)
{
	const u8 *bytes = (const void *)wqe;
	u32 i;

	for (i = 0; i < sizeof(*wqe); i += 8)
		write_slot(CORE_PAGE, at + i, bytes + i, 8);
}

static void ring(u32 pi, u32 at, u8 log)
{
	core_doorbell(t.env, CORE_PAGE, XRDMA_DB_SQ,
		      xrdma_make_push_db(5, pi, at, log));
}

static void push(u64 wr_id)
{
	struct xrdma_sq_wqe wqe = post(wr_id);

	fill_slot(0x40, &wqe);
	ring(posted(), 0x40, 6);
}

/* Return: wr_id of the completion with this index. */
static u64 done(u32 index)
{
	const struct xrdma_cqe *cqe;

	model_device_poll(t.env->dev);
	cqe = core_cqe(t.env, 1, index);
	assert_non_null(cqe);
	return le64_to_cpu(cqe->wr_id);
}

static void a_pushed_entry_is_not_read_from_memory(void **state)
{
	const struct model_pcie *entry = &t.env->dev->pcie[MODEL_PCIE_ENTRY];
	u64 reads = entry->reads;
	u32 i;

	(void)state;
	for (i = 0; i < 3; i++) {
		push(i);
		assert_int_equal(done(i), IN_SLOT + i);
	}
	assert_int_equal(entry->reads, reads);
	assert_int_equal(t.env->dev->push.used, 3);
}

/* Write-combining memory: pieces of any length, in any order, with others between. */
static void pieces_arrive_in_any_order(void **state)
{
	struct xrdma_sq_wqe wqe = post(7);
	const u8 *bytes = (const void *)&wqe;
	static const u8 pieces[][2] = {
		{ 24, 1 }, { 8, 8 }, { 28, 4 }, { 25, 1 }, { 0, 4 }, { 26, 2 },
		{ 16, 8 }, { 4, 4 },
	};
	u64 noise = ~0ULL;
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(pieces); i++) {
		write_slot(CORE_PAGE, 0x80 + pieces[i][0], bytes + pieces[i][0],
			   pieces[i][1]);
		write_slot(CORE_PAGE, 0x40, &noise, 8);
		write_slot(CORE_PAGE, 0xc0, &noise, 8);
		write_slot(CORE_PAGE + 1, 0x80, &noise, 8);
		model_device_poll(t.env->dev);
	}
	ring(1, 0x80, 6);
	assert_int_equal(done(0), IN_SLOT + 7);
}

static void a_later_write_does_not_change_the_copy(void **state)
{
	u64 noise = ~0ULL;

	(void)state;
	push(3);
	write_slot(CORE_PAGE, 0x40, &noise, 8);
	write_slot(CORE_PAGE, 0x58, &noise, 8);
	assert_int_equal(done(0), IN_SLOT + 3);
}

static void only_the_last_entry_is_in_the_slot(void **state)
{
	(void)state;
	post(0);
	post(1);
	push(2);
	assert_int_equal(done(0), 0);
	assert_int_equal(done(1), 1);
	assert_int_equal(done(2), IN_SLOT + 2);
}

static void a_doorbell_without_a_slot_uses_memory(void **state)
{
	(void)state;
	push(0);
	assert_int_equal(done(0), IN_SLOT);
	post(1);
	core_doorbell(t.env, CORE_PAGE, XRDMA_DB_SQ, xrdma_make_sq_db(5, 2));
	assert_int_equal(done(1), 1);
}

static void a_device_may_ignore_the_slot(void **state)
{
	(void)state;
	t.env->dev->params.push = MODEL_PUSH_IGNORE;
	push(4);
	assert_int_equal(done(0), 4);
	assert_int_equal(t.env->dev->push.used, 0);
}

/* The slot may have the next entry already. */
static void an_older_doorbell_brings_no_copy(void **state)
{
	struct xrdma_sq_wqe wqe;

	(void)state;
	mock_wire.hold = true;
	post(0);
	wqe = post(1);
	fill_slot(0, &wqe);
	core_doorbell(t.env, CORE_PAGE, XRDMA_DB_SQ, xrdma_make_sq_db(5, 2));
	ring(1, 0, 6);
	ring(2, 0, 6);
	mock_wire.hold = false;
	assert_int_equal(done(0), 0);
	assert_int_equal(done(1), 1);
}

/* A copy that nobody has used must not meet its index 2^32 entries later. */
static void a_copy_of_a_complete_entry_is_dropped(void **state)
{
	struct xrdma_sq_wqe wqe = post(0);

	(void)state;
	assert_int_equal(done(0), 0);
	fill_slot(0, &wqe);
	ring(1, 0, 6);
	assert_int_equal(t.cqp.qp->pushed.size, 64);
	post(1);
	assert_int_equal(done(1), 1);
	assert_int_equal(t.cqp.qp->pushed.size, 0);
}

static void the_doorbell_of_a_sleeping_queue_may_push(void **state)
{
	(void)state;
	assert_false(model_device_park(t.env->dev));
	push(0);
	assert_int_equal(done(0), IN_SLOT);
}

static void reset_drops_the_copy(void **state)
{
	(void)state;
	mock_wire.hold = true;
	push(0);
	assert_int_equal(core_status(t.env,
				     core_make_modify(5, XRDMA_QPS_RESET)),
			 XRDMA_CMD_OK);
	ring(1, 0x40, 6);
	assert_int_equal(t.cqp.qp->pushed.size, 0);
	t.cqp.rec->sq_pi = 0;
	mock_wire.hold = false;
	core_to_rts(t.env, &t.cqp);
	post(8);
	core_doorbell(t.env, CORE_PAGE, XRDMA_DB_SQ, xrdma_make_sq_db(5, 1));
	assert_int_equal(done(0), 8);
}

static void a_push_in_error_is_flushed(void **state)
{
	(void)state;
	assert_int_equal(core_status(t.env, core_make_modify(5, XRDMA_QPS_ERR)),
			 XRDMA_CMD_OK);
	push(6);
	assert_int_equal(core_cqe(t.env, 1, 0)->status, XRDMA_WC_WR_FLUSH_ERR);
}

static void ring_word(u32 page, u64 db)
{
	core_doorbell(t.env, page, XRDMA_DB_SQ, db);
	model_device_poll(t.env->dev);
}

static void bad_slots_are_refused(void **state)
{
	u64 misaligned = xrdma_make_push_db(5, 1, 0x40, 7);
	u64 no_size = xrdma_make_sq_db(5, 1) | 1 << XRDMA_DB_PUSH_AT_SHIFT;

	(void)state;
	post(0);
	ring_word(CORE_PAGE, misaligned);
	ring_word(CORE_PAGE, no_size);
	ring_word(CORE_PAGE, xrdma_make_push_db(5, 1, 0x80, 8));
	ring_word(CORE_PAGE + 1, xrdma_make_push_db(5, 1, 0, 6));
	assert_int_equal(t.env->dev->db_errors, 4);
	assert_null(core_cqe(t.env, 1, 0));
	t.cqp.qp->db_page = 0;
	ring_word(0, misaligned);
	ring_word(0, no_size);
	core_expect(t.env, MODEL_HERR_DOORBELL_PUSH, 2);
	ring_word(0, xrdma_make_push_db(77, 1, 0, 6));
	core_expect(t.env, MODEL_HERR_DOORBELL_QP, 1);
	assert_null(core_cqe(t.env, 1, 0));
}

static void a_device_without_push_refuses_slots(void **state)
{
	(void)state;
	model_push_destroy(t.env->dev);
	t.env->dev->push.mem = NULL;
	post(0);
	ring_word(CORE_PAGE, xrdma_make_push_db(5, 1, 0, 6));
	assert_int_equal(t.env->dev->db_errors, 1);
	assert_null(core_cqe(t.env, 1, 0));
}

/* Processors may read write-combining memory at any time. */
static void reads_return_zero(void **state)
{
	u64 value = ~0ULL;

	(void)state;
	write_slot(CORE_PAGE, 0, &value, 8);
	write_slot(0, 0, &value, 8);
	model_device_read(t.env->dev, XRDMA_BAR_DB, XRDMA_BAR_DB_PUSH, &value, 8);
	assert_int_equal(value, 0);
	assert_int_equal(t.env->dev->db_errors, 0);
}

static u32 random_below(u32 limit)
{
	static u32 state = 1;

	state = state * 1664525 + 1013904223;
	return ((u64)state * limit) >> 32;
}

/* A host that keeps the rules: each entry is executed, once and in order. */
static void random_pushes_execute_what_was_posted(void **state)
{
	struct xrdma_sq_wqe wqe;
	u32 i, kind;

	(void)state;
	for (i = 0; i < 2000; i++) {
		wqe = post(i);
		wqe.wr_id = cpu_to_le64(i);
		kind = random_below(3);
		if (kind)
			fill_slot(64 * kind, &wqe);
		if (kind == 2)
			ring(i + 1, 128, 6);
		else
			core_doorbell(t.env, CORE_PAGE, XRDMA_DB_SQ,
				      xrdma_make_sq_db(5, i + 1));
		if (random_below(4))
			model_device_park(t.env->dev);
		assert_int_equal(done(i), i);
		core_cq_rec(t.env, 1)->ci = cpu_to_le32(i + 1);
	}
	assert_in_range(t.env->dev->push.used, 500, 800);
}

/* A process cannot cause a host error, and the device stays inside of its pages. */
static void random_doorbells_of_a_process_are_survived(void **state)
{
	u32 i, size;
	u64 word;

	(void)state;
	for (i = 0; i < 20000; i++) {
		word = (u64)random_below(~0U) << 32 | random_below(~0U);
		size = 1U << random_below(4);
		write_slot(CORE_PAGE, random_below(XRDMA_DB_PAGE_SIZE / size) * size,
			   &word, size);
		if (random_below(2))
			word = (word & ~(u64)XRDMA_QPN_MASK) | 5;
		if (random_below(2))
			word = (u32)word | (u64)random_below(4) << 32;
		ring_word(CORE_PAGE, word);
		if (t.cqp.qp->state == XRDMA_QPS_RTS)
			continue;
		assert_int_equal(core_status(t.env,
					     core_make_modify(5, XRDMA_QPS_RESET)),
				 XRDMA_CMD_OK);
		core_to_rts(t.env, &t.cqp);
		core_cq_rec(t.env, 1)->ci =
			cpu_to_le32(model_cq_get(t.env->dev, 1)->pi);
	}
	assert_true(t.env->dev->push.used);
	assert_true(t.env->dev->db_errors);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, core_teardown)
#define T_SHADOW(name) \
	cmocka_unit_test_setup_teardown(name, setup_shadow, core_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_pushed_entry_is_not_read_from_memory),
		T(pieces_arrive_in_any_order),
		T(a_later_write_does_not_change_the_copy),
		T(only_the_last_entry_is_in_the_slot),
		T(a_doorbell_without_a_slot_uses_memory),
		T(a_device_may_ignore_the_slot),
		T(an_older_doorbell_brings_no_copy),
		T_SHADOW(a_copy_of_a_complete_entry_is_dropped),
		T_SHADOW(the_doorbell_of_a_sleeping_queue_may_push),
		T(reset_drops_the_copy),
		T(a_push_in_error_is_flushed),
		T(bad_slots_are_refused),
		T(a_device_without_push_refuses_slots),
		T(reads_return_zero),
		T(random_pushes_execute_what_was_posted),
		T(random_doorbells_of_a_process_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

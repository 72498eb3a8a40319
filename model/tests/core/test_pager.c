// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of page faults: which accesses share one, limits, answers, time. The
 * accesses are those of queue pairs without work; what the transport does is in
 * transport/test_paging.c.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/lib/wire_paged.h"

#define HUGE		0x200000ULL
#define SIZE		(HUGE * 20)
#define NUM_QPS		320
#define SECOND		(1000 * WIRE_MS)

/* struct scene - a paged region, and queue pairs in RESET */
struct scene {
	struct wire_env *env;
	struct model_device *dev;
	struct paged paged;
	struct paged_region r;
	struct wire_cq cq;
	struct model_qp *qps[NUM_QPS];
};

static struct model_qp *make_qp(struct scene *s)
{
	struct wire_host *host = &s->env->hosts[0];
	struct xrdma_cmd_create_qp p = {
		.qpn = cpu_to_le32(host->next_number),
		.pd = cpu_to_le32(WIRE_PD),
		.send_cqn = cpu_to_le32(s->cq.cqn),
		.recv_cqn = cpu_to_le32(s->cq.cqn),
		.sq_units = 1,
	};
	u64 addr = wire_alloc(host, 4096, 4096);

	memset(wire_ptr(host, addr), 0, 4096);
	p.root = cpu_to_le64(xrdma_make_root(addr, 0, 12));
	assert_int_equal(model_qp_create(host->dev, &p), XRDMA_CMD_OK);
	return model_qp_get(host->dev, host->next_number++);
}

static struct scene *begin(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));
	u32 i;

	assert_non_null(s);
	s->env = *state;
	s->dev = s->env->hosts[0].dev;
	paged_start(&s->env->hosts[0], &s->paged);
	paged_region(&s->env->hosts[0], &s->r, 77, SIZE);
	wire_create_cq(&s->env->hosts[0], 8, &s->cq);
	for (i = 0; i < NUM_QPS; i++)
		s->qps[i] = make_qp(s);
	return s;
}

static int access_by(struct scene *s, u32 i, enum model_wait_side side,
		     u64 pos, bool write)
{
	struct model_access_req req = {
		.qp = s->qps[i],
		.waiter = &s->qps[i]->waiters[side],
		.addr = s->r.addr + pos,
		.len = 8,
		.key = s->r.key,
		.rights = write ? XRDMA_ACCESS_LOCAL_WRITE : 0,
		.opcode = XRDMA_OP_SEND,
	};
	u8 bytes[8] = { 1 };

	return write ? model_access_write(s->dev, &req, bytes) :
		       model_access_read(s->dev, &req, bytes);
}

static int read_by(struct scene *s, u32 i, u64 pos)
{
	return access_by(s, i, MODEL_WAIT_REQUESTER, pos, false);
}

static int write_by(struct scene *s, u32 i, u64 pos)
{
	return access_by(s, i, MODEL_WAIT_REQUESTER, pos, true);
}

static bool waits(const struct scene *s, u32 i)
{
	return model_qp_waits(s->qps[i], MODEL_WAIT_REQUESTER);
}

static u32 num_waiting(const struct scene *s)
{
	u32 i, n = 0;

	for (i = 0; i < NUM_QPS; i++)
		n += waits(s, i);
	return n;
}

static void answer(struct scene *s, u32 token, u32 outcome)
{
	paged_answer(&s->paged, token, outcome);
	model_device_poll(s->dev);
}

static void many_waiters_share_one_page_fault(void **state)
{
	struct scene *s = begin(state);
	u32 i, token;

	for (i = 0; i < 128; i++)
		assert_int_equal(read_by(s, i, 4096 * i), MODEL_MISS);
	token = paged_expect(&s->paged, &s->r, 0, false);
	paged_expect_none(&s->paged);
	assert_int_equal(num_waiting(s), 128);
	assert_int_equal(s->dev->pager.used, 1);
	assert_int_equal(s->dev->stats[XRDMA_STAT_PAGE_FAULTS], 1);
	assert_int_equal(s->dev->stats[XRDMA_STAT_PAGE_WAITS], 128);
	answer(s, token, XRDMA_RESUME_AGAIN);
	assert_int_equal(num_waiting(s), 0);
	assert_int_equal(s->dev->pager.used, 0);
	/* a later miss is a page fault of its own, with another token */
	read_by(s, 3, 4096);
	assert_int_not_equal(paged_expect(&s->paged, &s->r, 4096, false),
			     token);
	free(s);
}

static void a_write_does_not_wait_for_a_read(void **state)
{
	struct scene *s = begin(state);

	read_by(s, 0, 0);
	paged_expect(&s->paged, &s->r, 0, false);
	write_by(s, 1, 64);
	paged_expect(&s->paged, &s->r, 64, true);
	read_by(s, 2, 128);
	read_by(s, 3, HUGE);
	paged_expect(&s->paged, &s->r, HUGE, false);
	paged_expect_none(&s->paged);
	/* a read waits for a write */
	write_by(s, 4, 2 * HUGE);
	paged_expect(&s->paged, &s->r, 2 * HUGE, true);
	read_by(s, 5, 2 * HUGE);
	paged_expect_none(&s->paged);
	assert_int_equal(num_waiting(s), 6);
	free(s);
}

static void the_parts_of_a_queue_pair_wait_apart(void **state)
{
	struct scene *s = begin(state);
	u32 token;

	access_by(s, 0, MODEL_WAIT_REQUESTER, 0, false);
	access_by(s, 0, MODEL_WAIT_RESPONDER, HUGE, false);
	access_by(s, 0, MODEL_WAIT_ANSWERS, 2 * HUGE, false);
	paged_expect(&s->paged, &s->r, 0, false);
	token = paged_expect(&s->paged, &s->r, HUGE, false);
	paged_expect(&s->paged, &s->r, 2 * HUGE, false);
	/* a part that waits raises nothing else */
	access_by(s, 0, MODEL_WAIT_ANSWERS, 3 * HUGE, false);
	paged_expect_none(&s->paged);
	answer(s, token, XRDMA_RESUME_AGAIN);
	assert_true(model_qp_waits(s->qps[0], MODEL_WAIT_REQUESTER));
	assert_false(model_qp_waits(s->qps[0], MODEL_WAIT_RESPONDER));
	assert_true(model_qp_waits(s->qps[0], MODEL_WAIT_ANSWERS));
	free(s);
}

/* Make queue pairs of 5 protection domains miss in a region of each domain. */
static void miss_in_domains(struct scene *s, u32 each)
{
	struct paged_region r;
	u32 pd, i;

	for (pd = 0; pd < 5; pd++) {
		paged_region(&s->env->hosts[0], &r, 200 + pd, 4096);
		for (i = 0; i < each; i++) {
			const struct model_miss miss = {
				.key = 200 + pd, .pos = i * HUGE, .len = 8,
				.expected = 8, .pd = pd, .write = true,
			};
			struct model_qp *qp = s->qps[pd * 64 + i];

			qp->pd = pd;
			model_pager_miss(s->dev,
					 &qp->waiters[MODEL_WAIT_REQUESTER],
					 &miss);
		}
	}
}

static void page_faults_are_limited(void **state)
{
	struct scene *s = begin(state);
	const struct model_miss more = {
		.key = 200, .pos = 70 * HUGE, .len = 8, .write = true,
	};
	u32 i, n, first = 0;

	miss_in_domains(s, 64);
	for (n = 0; paged_next(&s->paged); n++)
		if (!n)
			first = le32_to_cpu(s->paged.last.token);
	assert_int_equal(n, MODEL_PAGE_FAULTS);
	assert_int_equal(s->dev->pager.num_queued, 64);
	assert_int_equal(num_waiting(s), 320);
	/* a domain has a quarter: no page fault without a waiter either */
	model_pager_miss(s->dev, NULL, &more);
	paged_expect_none(&s->paged);
	/* the end of a page fault is the begin of the one that waits longest */
	answer(s, first, XRDMA_RESUME_AGAIN);
	assert_true(paged_next(&s->paged));
	assert_int_equal(le32_to_cpu(s->paged.last.key), 204);
	assert_int_equal(le64_to_cpu(s->paged.last.addr), 0);
	paged_expect_none(&s->paged);
	assert_int_equal(s->dev->pager.num_queued, 63);
	for (i = 0; i < NUM_QPS; i++)
		model_pager_cancel(&s->qps[i]->waiters[MODEL_WAIT_REQUESTER]);
	assert_int_equal(s->dev->pager.num_queued, 0);
	free(s);
}

static void a_domain_has_a_quarter(void **state)
{
	struct scene *s = begin(state);
	u32 i, n = 0;

	for (i = 0; i < 80; i++) {
		const struct model_miss miss = {
			.key = 200, .pos = i / 2 * HUGE, .len = 8,
			.pd = 3, .write = i % 2,
		};

		model_pager_miss(s->dev,
				 &s->qps[i]->waiters[MODEL_WAIT_REQUESTER],
				 &miss);
	}
	while (paged_next(&s->paged))
		n++;
	assert_int_equal(n, MODEL_PAGE_FAULTS_PD);
	assert_int_equal(s->dev->pager.num_queued, 80 - MODEL_PAGE_FAULTS_PD);
	/* another domain is not concerned */
	read_by(s, 100, 0);
	assert_true(paged_next(&s->paged));
	/* what waits to raise a page fault joins one that is there */
	wire_run(s->env, SECOND);
	for (n = 0; paged_next(&s->paged);)
		n++;
	assert_int_equal(n, 80 - MODEL_PAGE_FAULTS_PD);
	assert_int_equal(s->dev->pager.num_queued, 0);
	free(s);
}

static void a_refusal_needs_the_same_page(void **state)
{
	struct scene *s = begin(state);
	u32 token;

	read_by(s, 0, 100);
	read_by(s, 1, 5000);
	token = paged_expect(&s->paged, &s->r, 100, false);
	answer(s, token, XRDMA_RESUME_REFUSE);
	assert_int_equal(read_by(s, 1, 5000), MODEL_MISS);
	assert_int_equal(read_by(s, 0, 200), XRDMA_FAULT_TRANSLATION);
	/* the refusal is used up */
	assert_int_equal(read_by(s, 0, 200), MODEL_MISS);
	/* the page is there after all */
	token = paged_expect(&s->paged, &s->r, 5000, false);
	answer(s, token, XRDMA_RESUME_AGAIN);
	assert_int_equal(read_by(s, 0, 200), MODEL_MISS);
	token = paged_expect(&s->paged, &s->r, 200, false);
	paged_map(&s->r, 0, 1, false);
	answer(s, token, XRDMA_RESUME_REFUSE);
	assert_int_equal(read_by(s, 0, 200), 0);
	paged_unmap(&s->r, 0, 1);
	assert_int_equal(read_by(s, 0, 200), MODEL_MISS);
	free(s);
}

/* The driver may have looked for the page before the second access began. */
static void an_access_that_joins_is_not_refused(void **state)
{
	struct scene *s = begin(state);
	u32 token;

	read_by(s, 0, 100);
	read_by(s, 1, 100);
	token = paged_expect(&s->paged, &s->r, 100, false);
	answer(s, token, XRDMA_RESUME_REFUSE);
	assert_int_equal(read_by(s, 1, 100), MODEL_MISS);
	assert_int_equal(read_by(s, 0, 100), XRDMA_FAULT_TRANSLATION);
	token = paged_expect(&s->paged, &s->r, 100, false);
	answer(s, token, XRDMA_RESUME_REFUSE);
	assert_int_equal(read_by(s, 1, 100), XRDMA_FAULT_TRANSLATION);
	free(s);
}

/* The driver has refused to map the page for a write; it may be read. */
static void a_refused_write_does_not_refuse_a_read(void **state)
{
	struct scene *s = begin(state);
	u32 token;

	write_by(s, 0, 0);
	read_by(s, 1, 0);
	token = paged_expect(&s->paged, &s->r, 0, true);
	paged_expect_none(&s->paged);
	answer(s, token, XRDMA_RESUME_REFUSE);
	assert_int_equal(read_by(s, 1, 0), MODEL_MISS);
	paged_expect(&s->paged, &s->r, 0, false);
	assert_int_equal(write_by(s, 0, 0), XRDMA_FAULT_TRANSLATION);
	free(s);
}

static void later_is_a_pause(void **state)
{
	struct scene *s = begin(state);
	u32 token;

	read_by(s, 0, 0);
	token = paged_expect(&s->paged, &s->r, 0, false);
	answer(s, token, XRDMA_RESUME_LATER);
	/* the second answer to a page fault is ignored */
	answer(s, token, XRDMA_RESUME_AGAIN);
	assert_true(waits(s, 0));
	/* the page fault has ended */
	assert_int_equal(s->dev->pager.used, 0);
	wire_run(s->env, 9 * WIRE_MS);
	assert_true(waits(s, 0));
	/* another access raises a page fault of its own */
	read_by(s, 1, 0);
	token = paged_expect(&s->paged, &s->r, 0, false);
	answer(s, token, XRDMA_RESUME_AGAIN);
	assert_true(waits(s, 0));
	wire_run(s->env, 2 * WIRE_MS);
	assert_int_equal(num_waiting(s), 0);
	assert_int_equal(s->dev->pager.used, 0);
	free(s);
}

/* Answer LATER to the page fault of an access. Return: length of the pause in ms */
static u32 pause_of(struct scene *s, u32 i)
{
	u32 ms = 0;

	read_by(s, i, 0);
	answer(s, paged_expect(&s->paged, &s->r, 0, false),
	       XRDMA_RESUME_LATER);
	for (; waits(s, i) && ms < 2000; ms++)
		wire_run(s->env, WIRE_MS);
	return ms;
}

static void each_pause_in_a_row_is_twice_as_long(void **state)
{
	struct scene *s = begin(state);
	u32 i, ms, expected = 10;

	for (i = 0; i < 10; i++) {
		ms = pause_of(s, 0);
		assert_in_range(ms, expected, expected + 1);
		expected = expected < 1280 ? 2 * expected : 1280;
	}
	/* another outcome ends the row */
	read_by(s, 0, 0);
	answer(s, paged_expect(&s->paged, &s->r, 0, false), XRDMA_RESUME_AGAIN);
	assert_in_range(pause_of(s, 0), 10, 11);
	free(s);
}

/* Accesses that pause leave all page faults of their domain to others. */
static void pauses_take_no_page_fault(void **state)
{
	struct scene *s = begin(state);
	u32 i;

	for (i = 0; i < MODEL_PAGE_FAULTS_PD; i++) {
		assert_int_equal(read_by(s, i, HUGE * (i % 16) + 8),
				 MODEL_MISS);
		if (s->dev->pager.used)
			answer(s, paged_expect(&s->paged, &s->r,
					       HUGE * (i % 16) + 8, false),
			       XRDMA_RESUME_LATER);
	}
	assert_int_equal(s->dev->pager.used, 0);
	assert_int_equal(num_waiting(s), MODEL_PAGE_FAULTS_PD);
	read_by(s, MODEL_PAGE_FAULTS_PD, HUGE * 17);
	paged_expect(&s->paged, &s->r, HUGE * 17, false);
	free(s);
}

static void a_pause_ends_with_the_region(void **state)
{
	struct scene *s = begin(state);

	read_by(s, 0, 0);
	answer(s, paged_expect(&s->paged, &s->r, 0, false),
	       XRDMA_RESUME_LATER);
	model_pager_end_key(s->dev, s->r.key >> 8);
	assert_false(waits(s, 0));
	/* a queue pair that stops does not wait any more */
	read_by(s, 1, 0);
	answer(s, paged_expect(&s->paged, &s->r, 0, false),
	       XRDMA_RESUME_LATER);
	model_pager_cancel(&s->qps[1]->waiters[MODEL_WAIT_REQUESTER]);
	assert_false(waits(s, 1));
	wire_run(s->env, 20 * WIRE_MS);
	paged_expect_none(&s->paged);
	free(s);
}

static void a_page_fault_without_answer_ends(void **state)
{
	struct scene *s = begin(state);
	u32 token;

	read_by(s, 0, 0);
	token = paged_expect(&s->paged, &s->r, 0, false);
	wire_run(s->env, SECOND - WIRE_MS);
	assert_true(waits(s, 0));
	wire_run(s->env, 2 * WIRE_MS);
	assert_false(waits(s, 0));
	assert_int_equal(read_by(s, 0, 0), MODEL_MISS);
	paged_expect(&s->paged, &s->r, 0, false);
	/* the late answer does not end the new page fault */
	answer(s, token, XRDMA_RESUME_REFUSE);
	assert_true(waits(s, 0));
	free(s);
}

static void false_answers_are_host_errors(void **state)
{
	struct scene *s = begin(state);
	u32 token;

	read_by(s, 0, 0);
	token = paged_expect(&s->paged, &s->r, 0, false);
	answer(s, token + 1, XRDMA_RESUME_AGAIN);
	answer(s, token + MODEL_PAGE_FAULTS, XRDMA_RESUME_AGAIN);
	answer(s, token - MODEL_PAGE_FAULTS, XRDMA_RESUME_AGAIN);
	answer(s, UINT32_MAX, XRDMA_RESUME_AGAIN);
	answer(s, token, 3);
	assert_int_equal(s->env->hosts[0].herr->count[MODEL_HERR_RESUME_ENTRY],
			 5);
	s->env->hosts[0].expected = 5;
	assert_true(waits(s, 0));
	answer(s, token, XRDMA_RESUME_AGAIN);
	answer(s, token, XRDMA_RESUME_AGAIN);
	assert_false(waits(s, 0));
	free(s);
}

static void a_test_may_disturb_page_faults(void **state)
{
	struct scene *s = begin(state);
	struct model_pager_faults *f = &s->dev->pager.switches;
	u32 token;

	*f = (struct model_pager_faults) {
		.late = 1, .late_ns = 100 * WIRE_MS, .answers_lost = 1,
	};
	read_by(s, 0, 0);
	wire_run(s->env, 99 * WIRE_MS);
	paged_expect_none(&s->paged);
	wire_run(s->env, 2 * WIRE_MS);
	token = paged_expect(&s->paged, &s->r, 0, false);
	answer(s, token, XRDMA_RESUME_AGAIN);
	assert_true(waits(s, 0));
	answer(s, token, XRDMA_RESUME_AGAIN);
	assert_false(waits(s, 0));
	f->lost = 1;
	f->twice = 1;
	read_by(s, 0, 0);
	wire_run(s->env, SECOND);
	assert_false(waits(s, 0));
	paged_expect_none(&s->paged);
	read_by(s, 0, 0);
	token = paged_expect(&s->paged, &s->r, 0, false);
	assert_int_equal(paged_expect(&s->paged, &s->r, 0, false), token);
	paged_expect_none(&s->paged);
	assert_int_equal(s->dev->stats[XRDMA_STAT_PAGE_FAULTS], 3);
	free(s);
}

/* The driver reads no events for two seconds: the queue does not overflow. */
static void a_full_event_queue_loses_page_faults(void **state)
{
	struct scene *s = begin(state);
	u32 round;

	for (round = 0; round < 4; round++) {
		miss_in_domains(s, 64);
		wire_run(s->env, 2 * SECOND);
	}
	assert_true(s->dev->live);
	assert_int_equal(s->dev->stats[XRDMA_STAT_PAGE_FAULTS],
			 1U << PAGED_LOG);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(many_waiters_share_one_page_fault, 1),
		WIRE_TEST(a_write_does_not_wait_for_a_read, 1),
		WIRE_TEST(the_parts_of_a_queue_pair_wait_apart, 1),
		WIRE_TEST(page_faults_are_limited, 1),
		WIRE_TEST(a_domain_has_a_quarter, 1),
		WIRE_TEST(a_refusal_needs_the_same_page, 1),
		WIRE_TEST(an_access_that_joins_is_not_refused, 1),
		WIRE_TEST(a_refused_write_does_not_refuse_a_read, 1),
		WIRE_TEST(later_is_a_pause, 1),
		WIRE_TEST(each_pause_in_a_row_is_twice_as_long, 1),
		WIRE_TEST(pauses_take_no_page_fault, 1),
		WIRE_TEST(a_pause_ends_with_the_region, 1),
		WIRE_TEST(a_page_fault_without_answer_ends, 1),
		WIRE_TEST(false_answers_are_host_errors, 1),
		WIRE_TEST(a_test_may_disturb_page_faults, 1),
		WIRE_TEST(a_full_event_queue_loses_page_faults, 1),
	};

	return cmocka_run_group_tests_name("page faults", tests, NULL, NULL);
}

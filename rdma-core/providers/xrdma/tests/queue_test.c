// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of queues with random requests. Each entry that the fake device
 * executes and each completion that the provider reports is compared with the
 * request or the completion that it must be. Prints TAP.
 */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <ccan/array_size.h>

#include "setup.h"

#define MAX_LIST	6
#define MAX_PENDING	4096

/**
 * struct pending - completion that was not polled
 * @cqe: entry as the device wrote it
 * @qp: index of the queue pair in @pairs
 * @frees: number of work queue entries that the completion frees
 */
struct pending {
	struct xrdma_cqe cqe;
	int qp;
	uint32_t frees;
};

static struct pending pending[MAX_PENDING];
static unsigned int num_pending;
static uint64_t next_id;

/* ---- device ----------------------------------------------------------- */

static void complete(struct pair *pair, struct xrdma_cqe *cqe, uint32_t frees)
{
	uint64_t id = le64toh(cqe->wr_id);

	cqe->qpn = htole32(pair->dev.qpn);
	cqe->status = work_mix(id, 50) % 8 ? 0 : work_mix(id, 51) % 22;
	cqe->vendor_err = htole16(cqe->status);
	cqe->byte_len = htole32(work_mix(id, 52));
	cqe->src_qpn = htole32(work_mix(id, 53) & 0xffffff);
	cqe->pkey_index = htole16(work_mix(id, 54));
	cqe->sl = work_mix(id, 55) % 8;
	cqe->timestamp = htole64(work_mix(id, 56));
	fake_write_cqe(&dev_cq, cqe);

	CHECK(num_pending < MAX_PENDING);
	pending[num_pending++] = (struct pending) {
		.cqe = *cqe,
		.qp = pair - pairs,
		.frees = frees,
	};
}

static void execute_send(struct pair *pair)
{
	struct xrdma_sq_wqe *wqe = fake_next_send(&pair->dev);
	struct xrdma_cqe cqe = {};

	if (!wqe) {
		fake_sleep(&pair->dev);
		return;
	}
	work_check_send(wqe, pair->qp);
	pair->sq_unreported++;
	if (!(wqe->flags & XRDMA_WQE_SIGNALED))
		return;

	cqe.wr_id = wqe->wr_id;
	cqe.opcode = wqe->opcode;
	cqe.flags = htole16(XRDMA_CQE_SEND);
	cqe.wqe_index = htole16(pair->dev.sq_ci - 1);
	complete(pair, &cqe, pair->sq_unreported);
	pair->sq_unreported = 0;
	/* Overwrite the entry: the provider must not rely on its contents. */
	memset(wqe, 0xa5, (wqe->flags / 16 + 1) * 64);
}

static void execute_recv(struct pair *pair)
{
	struct xrdma_rq_wqe *wqe = fake_next_recv(&pair->dev);
	struct xrdma_cqe cqe = {};
	uint64_t id;

	if (!wqe)
		return;
	work_check_recv(wqe, pair->qp);
	id = le64toh(wqe->wr_id);
	cqe.wr_id = wqe->wr_id;
	cqe.opcode = work_mix(id, 60) % 2 ? XRDMA_OP_RECV : XRDMA_OP_RECV_WRITE_IMM;
	cqe.flags = htole16(1 << (1 + work_mix(id, 61) % 3) |
			    (work_mix(id, 63) % 2 ? XRDMA_CQE_IPV4 : 0));
	cqe.inv_key = htole32(work_mix(id, 62));
	complete(pair, &cqe, 1);
	memset(wqe, 0xa5, 1U << pair->dev.req.log_rq_stride);
}

/* ---- application ------------------------------------------------------- */

static void drop_pending(unsigned int num)
{
	num_pending -= num;
	memmove(pending, pending + num, num_pending * sizeof(pending[0]));
}

static void poll_some(int room)
{
	struct ibv_wc wc[8];
	int i, n;

	if (random_below(2))
		n = xrdma_poll_cq(&cq->verbs_cq.cq, room, wc);
	else
		n = work_poll_ex(&cq->verbs_cq.cq_ex, room, wc);
	CHECK(n >= 0 && n <= room);
	CHECK(n == room || n == num_pending);
	for (i = 0; i < n; i++) {
		struct pair *pair = &pairs[pending[i].qp];

		work_check_wc(&wc[i], &pending[i].cqe);
		if (le16toh(pending[i].cqe.flags) & XRDMA_CQE_SEND)
			pair->sq_used -= pending[i].frees;
		else
			pair->rq_used -= pending[i].frees;
	}
	drop_pending(n);
	CHECK(le32toh(cq->rec->ci) == cq->ci);
	CHECK(dev_cq.pi - cq->ci == num_pending);
}

/*
 * The request for the last free entry is signaled: without a completion the
 * queue would stay full.
 */
static uint64_t new_send_id(const struct pair *pair, uint32_t ahead)
{
	bool last = pair->sq_used + ahead + 1 >= pair->qp->sq.depth;

	return next_id++ << 1 | (last || random_below(4) == 0);
}

static void check_doorbell(struct pair *pair, bool was_asleep, int posted)
{
	uint64_t rung = fake_take_doorbell();

	if (posted && (was_asleep || !ctx->shadow_db)) {
		CHECK(rung == xrdma_make_sq_db(pair->dev.qpn, pair->qp->sq.pi));
		pair->dev.asleep = false;
	} else {
		CHECK(rung == FAKE_NO_DOORBELL);
	}
}

/* Post a list as far as there is room. Return: number of posted requests. */
static int post_list(struct pair *pair, struct work *work, int num)
{
	uint32_t free = pair->qp->sq.depth - pair->sq_used;
	struct ibv_send_wr *bad = NULL;
	int i, err;

	for (i = 0; i < num; i++)
		work[i].send.next = i + 1 < num ? &work[i + 1].send : NULL;
	err = xrdma_post_send(&pair->qp->verbs_qp.qp, &work[0].send, &bad);
	if (num > free) {
		CHECK(err == ENOMEM && bad == &work[free].send);
		return free;
	}
	CHECK(err == 0 && !bad);
	return num;
}

/* Post all requests in a batch, or none. Return: number of posted requests. */
static int post_batch(struct pair *pair, struct work *work, int num)
{
	uint32_t free = pair->qp->sq.depth - pair->sq_used;
	struct ibv_qp_ex *qpx = &pair->qp->verbs_qp.qp_ex;
	int i;

	ibv_wr_start(qpx);
	for (i = 0; i < num; i++)
		work_post_ex(qpx, &work[i]);
	if (random_below(8) == 0) {
		ibv_wr_abort(qpx);
		return 0;
	}
	CHECK(ibv_wr_complete(qpx) == (num > free ? ENOMEM : 0));
	return num > free ? 0 : num;
}

static void post_sends(struct pair *pair, int num)
{
	bool was_asleep = pair->dev.asleep;
	struct work work[MAX_LIST];
	int i, posted;

	for (i = 0; i < num; i++)
		work_make_send(&work[i], new_send_id(pair, i), pair->qp);
	if (random_below(2))
		posted = post_list(pair, work, num);
	else
		posted = post_batch(pair, work, num);
	for (i = 0; i < num; i++)
		work_check_key(&work[i], i < posted);
	pair->sq_used += posted;
	check_doorbell(pair, was_asleep, posted);
}

static void post_recvs(struct pair *pair, int num)
{
	uint32_t free = pair->qp->rq.depth - pair->rq_used;
	struct ibv_recv_wr *bad = NULL;
	struct work work[MAX_LIST];
	int i, err;

	for (i = 0; i < num; i++) {
		work_make_recv(&work[i], next_id++, pair->qp);
		work[i].recv.next = i + 1 < num ? &work[i + 1].recv : NULL;
	}
	err = xrdma_post_recv(&pair->qp->verbs_qp.qp, &work[0].recv, &bad);
	if (num > free) {
		CHECK(err == ENOMEM && bad == &work[free].recv);
		num = free;
	} else {
		CHECK(err == 0 && !bad);
	}
	pair->rq_used += num;
	CHECK(fake_take_doorbell() == FAKE_NO_DOORBELL);
}

/* ---- set-up ------------------------------------------------------------ */

/* Set the indexes of a new queue pair, as after that many requests. */
static void start_pair_at(struct pair *pair, uint32_t index)
{
	struct xrdma_qp *qp = pair->qp;

	qp->sq.pi = index;
	qp->sq.ci = index;
	qp->rq.pi = index;
	qp->rq.ci = index;
	qp->rec->sq_pi = htole32(index);
	qp->rec->rq_pi = htole32(index);
	qp->rec->sq_event = htole32(index);
	pair->dev.sq_ci = index;
	pair->dev.rq_ci = index;
}

/* ---- tests --------------------------------------------------------------- */

/* Drop the expected completions of a queue pair that was stopped. */
static void drop_pending_of(struct pair *pair)
{
	unsigned int i, left = 0;

	for (i = 0; i < num_pending; i++)
		if (pending[i].qp != pair - pairs)
			pending[left++] = pending[i];
	num_pending = left;
	pair->sq_used = 0;
	pair->rq_used = 0;
	pair->sq_unreported = 0;
}

static void reset_pair(struct pair *pair)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };

	CHECK(!xrdma_modify_qp(&pair->qp->verbs_qp.qp, &attr, IBV_QP_STATE));
	drop_pending_of(pair);
	pair->dev.sq_ci = 0;
	pair->dev.sq_place = 0;
	pair->dev.rq_ci = 0;
	pair->dev.asleep = true;
	CHECK(!pair->dev.rec->sq_pi && !pair->dev.rec->rq_pi &&
	      !pair->dev.rec->sq_event);
}

static void random_step(uint32_t depth)
{
	struct pair *pair = &pairs[random_below(QPS)];
	uint32_t dice = random_below(1000);
	int times = random_below(8);

	if (dice < 250) {
		post_sends(pair, 1 + random_below(MAX_LIST));
	} else if (dice < 400) {
		post_recvs(pair, 1 + random_below(MAX_LIST));
	} else if (dice < 600) {
		while (times-- && !pair->dev.asleep)
			execute_send(pair);
	} else if (dice < 720) {
		while (times--)
			execute_recv(pair);
	} else if (dice < 990) {
		poll_some(random_below(9));
	} else if (dice < 996) {
		reset_pair(pair);
	} else {
		destroy_pair(pair);
		drop_pending_of(pair);
		create_pair(pair, pair->dev.qpn, depth);
	}
	/* A sleeping device has no posted entries, or a doorbell is missing. */
	CHECK(!pair->dev.asleep ||
	      pair->dev.sq_ci == le32toh(pair->dev.rec->sq_pi));
}

static void random_traffic(bool shadow_db, uint32_t depth, uint32_t start)
{
	static const uint32_t qpns[QPS] = { 0x123455, 0x123456, 0xffffff };
	int i;

	setup(shadow_db, depth);
	num_pending = 0;
	start_cq_at(start);
	for (i = 0; i < QPS; i++) {
		create_pair(&pairs[i], qpns[i], depth);
		start_pair_at(&pairs[i], start);
	}
	for (i = 0; i < 200000; i++)
		random_step(depth);
	teardown();
}

static void traffic_with_every_doorbell(void)
{
	random_traffic(false, 16, 0);
}

static void traffic_with_shadow_doorbell(void)
{
	random_traffic(true, 16, 0);
}

static void traffic_while_indexes_wrap(void)
{
	random_traffic(true, 8, (uint32_t)-1000);
}

static void traffic_in_queues_of_one(void)
{
	random_traffic(true, 1, (uint32_t)-100);
}

/* One completion frees 65536 entries: its wqe_index has 16 bits. */
static void one_completion_frees_the_deepest_queue(void)
{
	struct pair *pair = &pairs[0];
	struct ibv_send_wr *bad;
	struct work work;
	uint32_t lap, i;

	setup(true, 65536 / 8);
	create_pair(pair, 7, 65536);
	for (lap = 0; lap < 3; lap++) {
		for (i = 0; i < 65536; i++) {
			work_make_send(&work, i << 1 | (i == 65535), pair->qp);
			CHECK(!xrdma_post_send(&pair->qp->verbs_qp.qp,
					       &work.send, &bad));
		}
		CHECK(xrdma_post_send(&pair->qp->verbs_qp.qp, &work.send,
				      &bad) == ENOMEM);
		pair->dev.asleep = false;
		pair->sq_used = 65536;
		while (!pair->dev.asleep)
			execute_send(pair);
		poll_some(8);
		CHECK(!pair->sq_used);
	}
	teardown();
}

/* ---- full queues ------------------------------------------------------- */

/* Post and execute a signaled send. Return: false if the send queue is full. */
static bool send_one(struct pair *pair)
{
	struct ibv_send_wr *bad;
	struct work work;

	work_make_send(&work, next_id++ << 1 | 1, pair->qp);
	if (xrdma_post_send(&pair->qp->verbs_qp.qp, &work.send, &bad))
		return false;
	pair->dev.asleep = false;
	execute_send(pair);
	return true;
}

/* A send queue and a completion queue of the same depth, both full. */
static struct pair *fill_queues(void)
{
	setup(true, 2);
	num_pending = 0;
	create_pair(&pairs[0], 7, 16);
	while (send_one(&pairs[0]))
		;
	CHECK(dev_cq.pi == 16 && dev_cq.log_depth == 4);
	return &pairs[0];
}

static void posting_within_a_batch_overruns_nothing(void)
{
	struct pair *pair = fill_queues();
	struct ibv_cq_ex *cqx = &cq->verbs_cq.cq_ex;
	struct ibv_poll_cq_attr attr = {};
	int i;

	CHECK(!ibv_start_poll(cqx, &attr));
	for (i = 0; i < 100; i++) {
		CHECK(send_one(pair) && !send_one(pair));
		CHECK(cqx->wr_id == le64toh(pending[0].cqe.wr_id));
		CHECK(ibv_wc_read_byte_len(cqx) ==
		      le32toh(pending[0].cqe.byte_len));
		drop_pending(1);
		CHECK(!ibv_next_poll(cqx));
	}
	ibv_end_poll(cqx);
	teardown();
}

/* Page of the array of completions that poll_cq() reaches last. */
static void *protected_page;
static int sent_during_poll;

/* Called within poll_cq(): post requests, as another thread may do. */
static void send_during_poll(int signal)
{
	CHECK(!mprotect(protected_page, 4096, PROT_READ | PROT_WRITE));
	while (send_one(&pairs[0]))
		sent_during_poll++;
}

static void posting_while_another_thread_polls_overruns_nothing(void)
{
	struct sigaction action = {
		.sa_handler = send_during_poll,
		.sa_flags = SA_RESETHAND,
	};
	struct pair *pair = fill_queues();
	struct sigaction old;
	struct ibv_wc *wc;
	int i;

	wc = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(wc != MAP_FAILED);
	/* Element 15, the last, is in the page that cannot be accessed. */
	protected_page = (void *)wc + 4096;
	wc = protected_page - 15 * sizeof(*wc);
	CHECK(!mprotect(protected_page, 4096, PROT_NONE));
	CHECK(!sigaction(SIGSEGV, &action, &old));
	CHECK(xrdma_poll_cq(&cq->verbs_cq.cq, 16, wc) == 16);
	CHECK(!sigaction(SIGSEGV, &old, &action));
	CHECK(action.sa_handler == SIG_DFL);
	for (i = sent_during_poll; i < 16; i++)
		CHECK(send_one(pair));
	CHECK(!send_one(pair));
	CHECK(!munmap(protected_page - 4096, 8192));
	teardown();
}

/* ---- arming -------------------------------------------------------------- */

static uint32_t arm(int solicited_only)
{
	CHECK(!xrdma_req_notify_cq(&cq->verbs_cq.cq, solicited_only));
	return le32toh(dev_cq.rec->arm);
}

static void arming_changes_the_arm_word_and_stays_for_any(void)
{
	setup(true, 16);
	CHECK(arm(1) == (1 << 2 | XRDMA_ARM_SOLICITED));
	CHECK(arm(0) == (2 << 2 | XRDMA_ARM_NEXT));
	CHECK(arm(1) == (3 << 2 | XRDMA_ARM_NEXT));
	xrdma_cq_event(&cq->verbs_cq.cq);
	CHECK(arm(1) == (4 << 2 | XRDMA_ARM_SOLICITED));
	teardown();
}

/* Completions that the application has not polled are not new. */
static void arming_by_doorbell_names_the_first_new_completion(void)
{
	struct xrdma_cqe cqe = {};

	setup(false, 16);
	fake_take_arming();
	CHECK(!arm(1));
	CHECK(fake_take_arming() ==
	      xrdma_make_arm_db(cq->cqn, XRDMA_ARM_SOLICITED, 0));
	fake_write_cqe(&dev_cq, &cqe);
	fake_write_cqe(&dev_cq, &cqe);
	CHECK(!arm(0));
	CHECK(fake_take_arming() ==
	      xrdma_make_arm_db(cq->cqn, XRDMA_ARM_NEXT, 2));
	CHECK(!arm(1));
	CHECK(fake_take_arming() ==
	      xrdma_make_arm_db(cq->cqn, XRDMA_ARM_NEXT, 2));
	teardown();
	setup(true, 16);
	CHECK(arm(0));
	CHECK(fake_take_arming() == FAKE_NO_DOORBELL);
	teardown();
}

static const struct test tests[] = {
	TEST(traffic_with_every_doorbell),
	TEST(traffic_with_shadow_doorbell),
	TEST(traffic_while_indexes_wrap),
	TEST(traffic_in_queues_of_one),
	TEST(one_completion_frees_the_deepest_queue),
	TEST(posting_within_a_batch_overruns_nothing),
	TEST(posting_while_another_thread_polls_overruns_nothing),
	TEST(arming_changes_the_arm_word_and_stays_for_any),
	TEST(arming_by_doorbell_names_the_first_new_completion),
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Test of the shadow doorbell with a device in another thread. The device
 * sleeps when it has executed all entries, and then waits for a doorbell. The
 * test fails if entries are posted and no doorbell comes. Prints TAP.
 */

#include <sched.h>
#include <string.h>
#include <time.h>

#include "../ring.h"
#include "fake_device.h"

#define POSTS		300000
#define TIMEOUT_S	10

static struct xrdma_qp *qp;
static struct xrdma_qp_rec *rec;
static unsigned int num_sleeps;

static bool take_doorbell(void)
{
	_Atomic(uint64_t) *db = (void *)fake_db_page;

	return atomic_exchange(db, FAKE_NO_DOORBELL) != FAKE_NO_DOORBELL;
}

/* Spin, but yield at times: there may be one processor for both threads. */
static void pause_or_yield(unsigned int *spins, time_t end)
{
	if (++*spins % 1000)
		return;
	CHECK(time(NULL) < end);
	sched_yield();
}

static void wait_for_doorbell(void)
{
	time_t end = time(NULL) + TIMEOUT_S;
	unsigned int spins = 0;

	num_sleeps++;
	while (!take_doorbell())
		pause_or_yield(&spins, end);
}

/* Spin for a random time, of up to about that of posting one request. */
static void spin_a_while(void)
{
	static uint32_t state = 1;
	atomic_uint i;

	state = state * 1664525 + 1013904223;
	for (i = 0; i < state >> 25; i++)
		;
}

static void *run_device(void *arg)
{
	uint32_t pi, ci = 0;

	while (ci != POSTS) {
		pi = xrdma_load_le32(&rec->sq_pi);
		if (pi != ci) {
			ci = pi;
			atomic_store(&qp->sq.ci, ci);
			continue;
		}
		spin_a_while();
		xrdma_store_le32(&rec->sq_event, ci);
		atomic_thread_fence(memory_order_seq_cst);
		if (xrdma_load_le32(&rec->sq_pi) == ci)
			wait_for_doorbell();
	}
	return NULL;
}

/*
 * Post a request as soon as the device has executed the one before, when the
 * device is about to sleep.
 */
static void post_one(void)
{
	struct ibv_send_wr *bad, wr = { .opcode = IBV_WR_SEND };
	time_t end = time(NULL) + TIMEOUT_S;
	unsigned int spins = 0;

	while (atomic_load(&qp->sq.ci) != qp->sq.pi)
		pause_or_yield(&spins, end);
	CHECK(!xrdma_post_send(&qp->verbs_qp.qp, &wr, &bad));
}

static struct xrdma_context *create(void)
{
	struct ibv_qp_init_attr attr = {
		.cap.max_send_wr = 64,
		.qp_type = IBV_QPT_RC,
	};
	struct xrdma_context *ctx = calloc(1, sizeof(*ctx));
	struct xrdma_pd pd = { .ibv_pd.context = &ctx->ibv_ctx.context };

	CHECK(ctx);
	ctx->db = fake_db_page;
	ctx->shadow_db = true;
	ctx->max_qp_wr = 64;
	ctx->max_cqe = 64;
	ctx->max_sge = 1;
	pthread_mutex_init(&ctx->qp_mutex, NULL);
	attr.send_cq = xrdma_create_cq(&ctx->ibv_ctx.context, 1, NULL, 0);
	CHECK(attr.send_cq);
	attr.recv_cq = attr.send_cq;
	fake_next_qpn = 5;
	qp = container_of(xrdma_create_qp(&pd.ibv_pd, &attr), struct xrdma_qp,
			  verbs_qp.qp);
	qp->verbs_qp.qp.state = IBV_QPS_RTS;
	rec = fake_last_qp.rec;
	return ctx;
}

int main(void)
{
	struct xrdma_context *ctx = create();
	struct ibv_cq *ibcq = qp->verbs_qp.qp.send_cq;
	pthread_t device;
	int i;

	fake_take_doorbell();
	CHECK(!pthread_create(&device, NULL, run_device, NULL));
	for (i = 0; i < POSTS; i++)
		post_one();
	CHECK(!pthread_join(device, NULL));
	printf("1..1\nok 1 - sleeping_device_is_always_woken # %u sleeps\n",
	       num_sleeps);

	CHECK(!xrdma_destroy_qp(&qp->verbs_qp.qp));
	CHECK(!xrdma_destroy_cq(ibcq));
	free(ctx);
	return 0;
}

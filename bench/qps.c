// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Creates RC queue pairs while few or many exist, as intervals for counter.c.
 *
 *   qps DEVICE
 */

#include "bench.h"
#include "marker.h"

#define SAMPLES	16

#define MAX_LIVE	16000

/* Numbers of queue pairs that exist during a measurement; ends with 0 */
static const int live[] = { 64, 1000, 4000, MAX_LIVE, 0 };

static struct ibv_qp *qp[MAX_LIVE + SAMPLES];

static struct ibv_qp *make_qp(struct ibv_pd *pd, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.qp_type = IBV_QPT_RC,
		.cap = {
			.max_send_wr = 16,
			.max_recv_wr = 16,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};

	return ibv_create_qp(pd, &init);
}

/* Creates queue pairs until there are @num, then measures further ones. */
static void measure(const char *device, struct ibv_pd *pd, struct ibv_cq *cq,
		    int from, int num)
{
	char figure[64];
	int i;

	for (i = from; i < num; i++) {
		qp[i] = make_qp(pd, cq);
		must(qp[i]);
	}
	snprintf(figure, sizeof(figure), "qp/create/%d", num);
	for (i = num; i < num + SAMPLES; i++) {
		interval_begin();
		qp[i] = make_qp(pd, cq);
		interval_end();
		must(qp[i]);
		bench_interval(figure, device);
	}
	for (i = num; i < num + SAMPLES; i++)
		must(!ibv_destroy_qp(qp[i]));
}

int main(int argc, char **argv)
{
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	int i;

	must(argc == 2);
	ctx = bench_open(argv[1]);
	pd = ibv_alloc_pd(ctx);
	must(pd);
	cq = ibv_create_cq(ctx, 64, NULL, NULL, 0);
	must(cq);
	for (i = 0; live[i]; i++)
		measure(argv[1], pd, cq, i ? live[i - 1] : 0, live[i]);
	/* the kernel destroys all queue pairs when the process exits */
	return 0;
}

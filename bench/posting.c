// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posts WRITEs and polls their completions, as intervals for counter.c, which
 * counts the instructions of both.
 *
 *   posting DEVICE GID-INDEX
 */

#include <unistd.h>
#include "endpoint.h"
#include "marker.h"

#define ROUNDS	31
#define LIST	16

static void make_writes(struct endpoint *ep, struct ibv_send_wr *wr,
			struct ibv_sge *sge)
{
	int i;

	for (i = 0; i < LIST; i++) {
		sge[i] = (struct ibv_sge) {
			.addr = (uintptr_t)ep->mem,
			.length = 64,
			.lkey = ep->mr->lkey,
		};
		wr[i] = (struct ibv_send_wr) {
			.next = i + 1 < LIST ? &wr[i + 1] : NULL,
			.sg_list = &sge[i],
			.num_sge = 1,
			.opcode = IBV_WR_RDMA_WRITE,
			.send_flags = IBV_SEND_SIGNALED,
			.wr.rdma.remote_addr = (uintptr_t)ep->mem + 4096,
			.wr.rdma.rkey = ep->mr->rkey,
		};
	}
}

/* Polls as one interval. The number of completions decides the figure. */
static int poll(struct endpoint *ep, int most)
{
	struct ibv_wc wc[LIST];
	int num, i;

	interval_begin();
	num = ibv_poll_cq(ep->cq[0], most, wc);
	interval_end();
	must(num >= 0);
	bench_interval(num == 0 ? "poll/empty" : num == most && most == 1 ?
		       "poll/one" : num == LIST ? "poll/list" : "poll/some",
		       ep->name);
	for (i = 0; i < num; i++)
		must(wc[i].status == IBV_WC_SUCCESS);
	return num;
}

/* Waits for the completion of one request. */
static void wait_for_one(struct endpoint *ep)
{
	do {
		usleep(ENDPOINT_SPIN_US);
	} while (!poll(ep, 1));
}

static void rounds(struct endpoint *ep)
{
	struct ibv_send_wr wr[LIST];
	struct ibv_sge sge[LIST], short_sge;
	struct ibv_send_wr short_wr;
	int round, left;

	make_writes(ep, wr, sge);
	short_wr = wr[LIST - 1];
	short_wr.send_flags |= IBV_SEND_INLINE;
	short_sge = sge[0];
	short_sge.length = ENDPOINT_INLINE;
	short_wr.sg_list = &short_sge;
	for (round = 0; round < ROUNDS; round++) {
		poll(ep, 1);
		endpoint_post(ep, &wr[LIST - 1], "post/one");
		wait_for_one(ep);
		endpoint_post(ep, &short_wr, "post/inline");
		wait_for_one(ep);
		endpoint_post(ep, wr, "post/list");
		for (left = LIST; left; left -= poll(ep, left))
			usleep(ENDPOINT_SPIN_US);
	}
}

int main(int argc, char **argv)
{
	struct endpoint ep;

	must(argc == 3);
	endpoint_open(&ep, argv[1], atoi(argv[2]));
	rounds(&ep);
	return 0;
}

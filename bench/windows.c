// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Allocates, binds and invalidates memory windows, as intervals for counter.c.
 * The interval of a bind or an invalidation is the post alone. With xrdma the
 * device does the rest of the work; with soft-RoCE the processor does it,
 * partly in the interval.
 *
 *   windows DEVICE GID-INDEX
 */

#include "endpoint.h"
#include "marker.h"

#define ROUNDS	31

static struct ibv_mw *alloc_window(struct endpoint *ep, enum ibv_mw_type type)
{
	struct ibv_mw *mw = ibv_alloc_mw(ep->pd, type);

	must(mw);
	return mw;
}

static struct ibv_mw_bind_info bind_info(struct endpoint *ep, size_t length)
{
	return (struct ibv_mw_bind_info) {
		.mr = ep->mr,
		.addr = (uintptr_t)ep->mem,
		.length = length,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ,
	};
}

static void type2(struct endpoint *ep)
{
	struct ibv_mw *mw = alloc_window(ep, IBV_MW_TYPE_2);
	uint32_t rkey = mw->rkey;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		struct ibv_send_wr bind = {
			.opcode = IBV_WR_BIND_MW,
			.send_flags = IBV_SEND_SIGNALED,
		};
		struct ibv_send_wr inval = {
			.opcode = IBV_WR_LOCAL_INV,
			.send_flags = IBV_SEND_SIGNALED,
		};

		rkey = ibv_inc_rkey(rkey);
		bind.bind_mw.mw = mw;
		bind.bind_mw.rkey = rkey;
		bind.bind_mw.bind_info = bind_info(ep, 4 * KIB);
		inval.invalidate_rkey = rkey;
		endpoint_post(ep, &bind, "window/bind2");
		endpoint_wait(ep, "window/bind2");
		/*
		 * soft-RoCE compares mw->rkey with the current key at the next
		 * bind
		 */
		mw->rkey = rkey;
		endpoint_post(ep, &inval, "window/invalidate");
		endpoint_wait(ep, "window/invalidate");
	}
	must(!ibv_dealloc_mw(mw));
}

static void type1(struct endpoint *ep)
{
	struct ibv_mw *mw = alloc_window(ep, IBV_MW_TYPE_1);
	int round, err;

	for (round = 0; round < ROUNDS; round++) {
		struct ibv_mw_bind bind = {
			.send_flags = IBV_SEND_SIGNALED,
			.bind_info = bind_info(ep, 4 * KIB),
		};

		interval_begin();
		err = ibv_bind_mw(ep->qp[0], mw, &bind);
		interval_end();
		must(!err);
		bench_interval("window/bind1", ep->name);
		endpoint_wait(ep, "window/bind1");
	}
	must(!ibv_dealloc_mw(mw));
}

/* Measures allocation and deallocation, each of which is a system call. */
static void life(struct endpoint *ep)
{
	struct ibv_mw *mw;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		interval_begin();
		mw = ibv_alloc_mw(ep->pd, IBV_MW_TYPE_2);
		interval_end();
		must(mw);
		bench_interval("window/alloc", ep->name);
		interval_begin();
		must(!ibv_dealloc_mw(mw));
		interval_end();
		bench_interval("window/dealloc", ep->name);
	}
}

int main(int argc, char **argv)
{
	struct endpoint ep;

	must(argc == 3);
	endpoint_open(&ep, argv[1], atoi(argv[2]));
	life(&ep);
	type2(&ep);
	type1(&ep);
	return 0;
}

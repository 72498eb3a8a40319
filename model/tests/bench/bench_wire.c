// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Measures one device that sends to itself: 64 KiB WRITEs and READs, 8-byte
 * WRITEs and SENDs, latency, datagrams. It prints figures and checks nothing.
 * bench_pair.c measures two devices.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/lib/wire_ud.h"

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* Keep @depth sends posted until @count have completed. Return: seconds. */
static double run(struct wire_qp *a, struct wire_qp *b, struct wire_wr *wr,
		  u32 count, u32 depth)
{
	struct xrdma_sge none = { 0 };
	u32 posted = 0, done = 0;
	struct xrdma_cqe cqe;
	double start = now();

	wr->flags |= XRDMA_WQE_SIGNALED;
	while (done < count) {
		while (posted < count && posted - done < depth) {
			if (wr->opcode == XRDMA_OP_SEND)
				wire_post_recv(b, posted, b ? wr->sges : &none, 1);
			wr->wr_id = posted++;
			wire_post_send(a, wr);
		}
		model_device_poll(a->host->dev);
		while (wire_poll_cq(&a->send_cq, &cqe)) {
			assert_int_equal(cqe.status, XRDMA_WC_SUCCESS);
			done++;
		}
		while (wire_poll_cq(&b->recv_cq, &cqe))
			;
	}
	return now() - start;
}

static void bench(void **state)
{
	static const struct {
		const char *name;
		u8 opcode;
		u32 len;
		u32 depth;
		u8 path_mtu;
		u32 count;
	} cases[] = {
		{ "WRITE 64 KiB", XRDMA_OP_WRITE, 65536, 16, 5, 40000 },
		{ "WRITE 64 KiB", XRDMA_OP_WRITE, 65536, 16, 3, 30000 },
		{ "READ 64 KiB", XRDMA_OP_READ, 65536, 16, 5, 40000 },
		{ "READ 64 KiB", XRDMA_OP_READ, 65536, 16, 3, 30000 },
		{ "SEND 64 KiB", XRDMA_OP_SEND, 65536, 16, 3, 30000 },
		{ "WRITE 8 B", XRDMA_OP_WRITE, 8, 64, 3, 1500000 },
		{ "SEND 8 B", XRDMA_OP_SEND, 8, 64, 3, 1500000 },
		{ "READ 8 B", XRDMA_OP_READ, 8, 64, 3, 1000000 },
		{ "WRITE 8 B, one by one", XRDMA_OP_WRITE, 8, 1, 3, 500000 },
	};
	struct wire_params params = wire_defaults;
	struct wire_env *env = *state;
	u64 buf = wire_alloc(&env->hosts[0], 0x100000, 4096);
	u32 key = wire_region(&env->hosts[0], 50, buf, 0x100000,
			      WIRE_ALL_RIGHTS);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct xrdma_sge sge = wire_sge(buf, cases[i].len, key);
		struct wire_wr wr = {
			.opcode = cases[i].opcode,
			.sges = &sge,
			.num_sge = 1,
			.remote_addr = buf + 0x80000,
			.rkey = key,
		};
		struct wire_qp a, b;
		double s;

		params.path_mtu = cases[i].path_mtu;
		wire_connect(env, &a, &b, &params);
		s = run(&a, &b, &wr, cases[i].count, cases[i].depth);
		printf("%-22s MTU %4u: %7.3f M/s %7.3f GB/s\n", cases[i].name,
		       128 << params.path_mtu, cases[i].count / s / 1e6,
		       (double)cases[i].count * cases[i].len / s / 1e9);
	}
}

/* Datagrams from one queue pair to another, with a receive for each. */
static void bench_datagrams(void **state)
{
	const u32 count = 1000000, depth = 16;
	struct wire_env *env = *state;
	u64 buf = wire_alloc(&env->hosts[0], 4096, 4096);
	u32 key = wire_region(&env->hosts[0], 50, buf, 4096, WIRE_ALL_RIGHTS);
	struct xrdma_sge from = wire_sge(buf, 64, key);
	struct xrdma_sge to = wire_sge(buf + 1024, 256, key);
	struct wire_dgram d = {
		.opcode = XRDMA_OP_SEND, .sges = &from, .num_sge = 1,
		.qkey = WIRE_QKEY, .av = wire_av(&env->hosts[0], 0),
	};
	u32 posted = 0, done = 0;
	struct xrdma_cqe cqe;
	struct wire_qp a, b;
	double start, s;

	wire_create_ud(env, 0, XRDMA_QP_UD, 0, &a);
	wire_create_ud(env, 0, XRDMA_QP_UD, 0, &b);
	d.dqpn = b.qpn;
	start = now();
	while (done < count) {
		while (posted < count && posted - done < depth) {
			wire_post_recv(&b, posted++, &to, 1);
			wire_post_ud(&a, &d);
		}
		model_device_poll(a.host->dev);
		while (wire_poll_cq(&b.recv_cq, &cqe)) {
			assert_int_equal(cqe.status, XRDMA_WC_SUCCESS);
			done++;
		}
	}
	s = now() - start;
	printf("%-22s           %7.3f M/s %7.3f GB/s\n", "datagrams of 64 B",
	       count / s / 1e6, count * 64.0 / s / 1e9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(bench, wire_setup_1,
						wire_teardown),
		cmocka_unit_test_setup_teardown(bench_datagrams, wire_setup_1,
						wire_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

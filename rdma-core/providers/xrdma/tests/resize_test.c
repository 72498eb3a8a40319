// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of completion queues that are resized while the fake device writes
 * entries. Each entry is polled once and in order. Prints TAP.
 */

#include <errno.h>
#include <string.h>

#include <ccan/array_size.h>

#include "setup.h"

static uint64_t next_written, next_polled;

/* Number of completions that were not polled. */
static uint32_t held(void)
{
	return next_written - next_polled;
}

static void write_some(void)
{
	struct xrdma_cqe cqe = { .opcode = XRDMA_OP_RECV };
	uint32_t num = random_below(6);

	while (num-- && held() < 1U << dev_cq.log_depth) {
		cqe.wr_id = htole64(next_written);
		cqe.byte_len = htole32(work_mix(next_written, 1));
		fake_write_cqe(&dev_cq, &cqe);
		next_written++;
	}
}

static void poll_some(int room)
{
	struct ibv_wc wc[8];
	int i, n = xrdma_poll_cq(&cq->verbs_cq.cq, room, wc);

	CHECK(n == (room < held() ? room : held()));
	for (i = 0; i < n; i++, next_polled++) {
		CHECK(wc[i].wr_id == next_polled);
		CHECK(wc[i].byte_len == (uint32_t)work_mix(next_polled, 1));
	}
	CHECK(le32toh(dev_cq.rec->ci) == cq->ci);
}

static int resize(int entries)
{
	int err;

	fake_resized_cq = &dev_cq;
	fake_during_command = write_some;
	err = xrdma_resize_cq(&cq->verbs_cq.cq, entries);
	fake_during_command = NULL;
	return err;
}

static void random_traffic(uint32_t start, int steps)
{
	int entries, err;

	setup(true, 8);
	start_cq_at(start);
	next_written = 0;
	next_polled = 0;
	while (steps--) {
		switch (random_below(16)) {
		case 0:
			entries = 1 + random_below(200);
			err = resize(entries);
			if (err) {
				CHECK(err == EINVAL && held() > 16);
				break;
			}
			CHECK(cq->verbs_cq.cq.cqe >= entries);
			CHECK(cq->verbs_cq.cq.cqe == 1 << dev_cq.log_depth);
			break;
		case 1 ... 8:
			write_some();
			break;
		default:
			poll_some(random_below(9));
		}
	}
	teardown();
}

static void completions_survive_resizing(void)
{
	random_traffic(0, 200000);
}

static void completions_survive_resizing_while_indexes_wrap(void)
{
	int i;

	for (i = 0; i < 300; i++)
		random_traffic((uint32_t)-100, 300);
}

static void resizing_keeps_the_arm_word(void)
{
	setup(true, 8);
	CHECK(!xrdma_req_notify_cq(&cq->verbs_cq.cq, 0));
	/* ibv_cmd_resize_cq() compares the arm words of both records. */
	CHECK(!resize(500));
	CHECK(!xrdma_req_notify_cq(&cq->verbs_cq.cq, 0));
	CHECK(le32toh(dev_cq.rec->arm) == (2 << 2 | XRDMA_ARM_NEXT));
	teardown();
}

static void wrong_sizes_are_refused(void)
{
	struct xrdma_cqe *ring;

	setup(true, 8);
	ring = cq->ring;
	CHECK(resize(0) == EINVAL && resize(-1) == EINVAL);
	CHECK(resize(ctx->max_cqe + 1) == EINVAL);
	CHECK(cq->ring == ring && cq->verbs_cq.cq.cqe == 64);
	teardown();
}

static const struct test tests[] = {
	TEST(completions_survive_resizing),
	TEST(completions_survive_resizing_while_indexes_wrap),
	TEST(resizing_keeps_the_arm_word),
	TEST(wrong_sizes_are_refused),
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}

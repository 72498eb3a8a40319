// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of push: the bytes that are written to a slot and the doorbell that follows,
 * which requests are pushed, and which queue pair has which slot. Prints TAP.
 */

#include <string.h>

#include <ccan/array_size.h>

#include "setup.h"

#define SLOTS	16	/* slots of 256 bytes */

static uint64_t words[XRDMA_DB_PAGE_SIZE / 8];
static uint8_t *const page = (uint8_t *)words;

/* A queue pair whose entries have room for this many inline bytes. */
static struct xrdma_qp *new_qp(enum ibv_qp_type type, uint32_t inline_bytes)
{
	struct ibv_qp_init_attr_ex attr = {
		.cap = {
			.max_send_wr = 8,
			.max_send_sge = 1,
			.max_inline_data = inline_bytes,
		},
		.qp_type = type,
	};

	fake_next_qpn++;
	return create_qp_of(&attr);
}

static void begin(void)
{
	setup(false, 8);
	ctx->max_inline = 512;
	ctx->push = page;
	memset(page, 0xee, sizeof(words));
	fake_next_qpn = 0x700;
}

static void end(struct xrdma_qp *qp)
{
	CHECK(!xrdma_destroy_qp(&qp->verbs_qp.qp));
	CHECK(!ctx->slots);
	teardown();
}

/* The entry that was posted last */
static const void *last_entry;

static void post(struct xrdma_qp *qp, uint32_t length, unsigned int flags)
{
	static uint8_t data[512];
	struct ibv_sge sge = { .addr = (uintptr_t)data, .length = length };
	struct ibv_send_wr *bad, wr = {
		.wr_id = length,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = flags,
		.sg_list = &sge,
		.num_sge = 1,
	};

	memset(data, length, sizeof(data));
	last_entry = qp->sq.ring + (size_t)qp->sq.place * 64;
	CHECK(!xrdma_post_send(&qp->verbs_qp.qp, &wr, &bad));
}

/* The device completes all entries, and the application has polled them. */
static void complete(struct xrdma_qp *qp)
{
	atomic_store(&qp->sq.ci, qp->sq.pi);
}

/* The last doorbell was a plain one, and the slot of the queue pair is untouched. */
static bool was_plain(const struct xrdma_qp *qp)
{
	return fake_take_doorbell() == xrdma_make_sq_db(qp->qpn, qp->sq.pi);
}

static void entries_are_pushed_whole(void)
{
	static const uint32_t lengths[] = { 0, 32, 33, 96, 97, 224 };
	static const uint8_t logs[] = { 6, 6, 7, 7, 8, 8 };
	static const uint32_t bytes[] = { 64, 64, 128, 128, 192, 256 };
	struct xrdma_qp *first, *qp;
	unsigned int i;

	begin();
	first = new_qp(IBV_QPT_RC, 32);
	qp = new_qp(IBV_QPT_RC, 224);
	CHECK(qp->slot == 256);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		memset(page, 0xee, sizeof(words));
		post(qp, lengths[i], IBV_SEND_INLINE);
		CHECK(fake_take_doorbell() ==
		      xrdma_make_push_db(qp->qpn, qp->sq.pi, 256, logs[i]));
		CHECK(!memcmp(page + 256, last_entry, bytes[i]));
		CHECK(page[255] == 0xee && page[256 + bytes[i]] == 0xee);
		CHECK(le32toh(qp->rec->sq_pi) == qp->sq.pi);
		complete(qp);
	}
	CHECK(!xrdma_destroy_qp(&first->verbs_qp.qp));
	end(qp);
}

static void other_requests_are_not_pushed(void)
{
	struct ibv_send_wr *bad, second = { .opcode = IBV_WR_SEND,
					    .send_flags = IBV_SEND_INLINE };
	struct ibv_send_wr first = second;
	struct xrdma_qp *qp;

	begin();
	qp = new_qp(IBV_QPT_RC, 400);
	post(qp, 100, 0);			/* not inline */
	CHECK(was_plain(qp));
	post(qp, 100, IBV_SEND_INLINE);		/* one is not complete */
	CHECK(was_plain(qp));
	complete(qp);
	post(qp, 225, IBV_SEND_INLINE);		/* too long */
	CHECK(was_plain(qp));
	complete(qp);
	first.next = &second;			/* two at once */
	CHECK(!xrdma_post_send(&qp->verbs_qp.qp, &first, &bad));
	CHECK(was_plain(qp));
	CHECK(page[0] == 0xee && !memcmp(page, page + 1, sizeof(words) - 1));
	end(qp);
}

/* An invalid request behind the only new entry, of whose place it has written a part */
static void an_entry_before_an_error_is_pushed(void)
{
	struct ibv_send_wr *bad, second = { .opcode = IBV_WR_RDMA_WRITE,
					    .send_flags = IBV_SEND_INLINE,
					    .num_sge = 1 };
	struct ibv_sge sge = { .length = 500 };
	struct ibv_send_wr first = { .opcode = IBV_WR_SEND, .wr_id = 7,
				     .send_flags = IBV_SEND_INLINE,
				     .next = &second };
	struct xrdma_qp *qp;

	begin();
	qp = new_qp(IBV_QPT_RC, 32);
	second.sg_list = &sge;
	last_entry = qp->sq.ring;
	CHECK(xrdma_post_send(&qp->verbs_qp.qp, &first, &bad) == EINVAL);
	CHECK(bad == &second);
	CHECK(fake_take_doorbell() ==
	      xrdma_make_push_db(qp->qpn, 1, qp->slot, 6));
	CHECK(!memcmp(page, last_entry, 64));
	end(qp);
}

static void slots_of_queue_pairs_differ(void)
{
	struct xrdma_qp *qp[SLOTS + 1];
	int i;

	begin();
	for (i = 0; i <= SLOTS; i++)
		qp[i] = new_qp(IBV_QPT_RC, i % 2 ? 224 : 480);
	for (i = 0; i < SLOTS; i++)
		CHECK(qp[i]->push == page + 256 * i);
	CHECK(!qp[SLOTS]->push && !~ctx->slots);
	post(qp[SLOTS], 8, IBV_SEND_INLINE);
	CHECK(was_plain(qp[SLOTS]));
	CHECK(!xrdma_destroy_qp(&qp[3]->verbs_qp.qp));
	qp[3] = new_qp(IBV_QPT_RC, 64);
	CHECK(qp[3]->push == page + 256 * 3);
	for (i = 1; i <= SLOTS; i++)
		CHECK(!xrdma_destroy_qp(&qp[i]->verbs_qp.qp));
	end(qp[0]);
}

static void without_a_page_nothing_is_pushed(void)
{
	struct xrdma_qp *qp;

	begin();
	ctx->push = NULL;
	qp = new_qp(IBV_QPT_RC, 224);
	CHECK(!qp->push);
	post(qp, 8, IBV_SEND_INLINE);
	CHECK(was_plain(qp));
	end(qp);
}

static const struct test tests[] = {
	TEST(entries_are_pushed_whole),
	TEST(other_requests_are_not_pushed),
	TEST(an_entry_before_an_error_is_pushed),
	TEST(slots_of_queue_pairs_differ),
	TEST(without_a_page_nothing_is_pushed),
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of ring arithmetic (xrdma-ring.h): indexes that wrap, phases, the
 * doorbell rule, arm words, and offsets of records. Slots, phases and the
 * doorbell rule are compared with results for indexes of 64 bits, which do not
 * wrap.
 */

#include <kunit/test.h>
#include <rdma/xrdma-ring.h>

/* Indexes near 0, and near multiples of the depth 8, 2^16, 2^31 and 2^32 */
static const u64 starts[] = {
	0, 1, 7, 8, 15, 0xfff8, 0xffff, 0x10000, 0x7ffffff9,
	0xfffffff0, 0xffffffff, 0x100000003ULL,
};

static void slot_is_index_modulo_depth(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(starts); i++)
		KUNIT_EXPECT_EQ(test, xrdma_ring_slot(starts[i], 3),
				(u32)(starts[i] % 8));
	KUNIT_EXPECT_EQ(test, xrdma_ring_slot(12345, 0), 0);
}

static void used_and_free_add_up_to_depth(struct kunit *test)
{
	u32 used;
	int i;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		for (used = 0; used <= 8; used++) {
			u32 ci = starts[i], pi = starts[i] + used;

			KUNIT_EXPECT_EQ(test, xrdma_ring_used(pi, ci), used);
			KUNIT_EXPECT_EQ(test, xrdma_ring_free(pi, ci, 3),
					8 - used);
		}
	}
}

static void phase_is_one_in_the_first_lap_then_alternates(struct kunit *test)
{
	u64 index;

	for (index = 0; index < 64; index++)
		KUNIT_EXPECT_EQ(test, xrdma_ring_phase(index, 3),
				(u32)(index / 8 % 2 == 0));
}

static void entry_is_valid_only_in_its_own_lap(struct kunit *test)
{
	u32 zeroed = 0, first = 1;

	KUNIT_EXPECT_FALSE(test, xrdma_ring_valid(zeroed, 0, 3));
	KUNIT_EXPECT_TRUE(test, xrdma_ring_valid(first, 7, 3));
	KUNIT_EXPECT_FALSE(test, xrdma_ring_valid(first, 8, 3));
	KUNIT_EXPECT_TRUE(test, xrdma_ring_valid(zeroed, 8, 3));
	KUNIT_EXPECT_TRUE(test, xrdma_ring_valid(first, 16, 3));
}

static void low_bits_name_an_index_ahead_of_the_consumer(struct kunit *test)
{
	u32 ahead;
	int i;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		for (ahead = 0; ahead < 0x10000; ahead += 0xfff) {
			u32 ci = starts[i], want = starts[i] + ahead;

			KUNIT_EXPECT_EQ(test,
					xrdma_ring_unwind_index(ci, (u16)want),
					want);
		}
	}
}

static void doorbell_is_needed_if_the_device_slept_in_between(struct kunit *test)
{
	u64 old, new, slept;
	int i;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		old = starts[i] + 16;
		for (new = old + 1; new < old + 9; new++) {
			for (slept = old - 12; slept < new; slept++)
				KUNIT_EXPECT_EQ(test,
						xrdma_db_needed(slept, new, old),
						slept >= old);
		}
	}
}

static void pushes_have_the_smallest_slot(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, xrdma_push_log(32), 6);
	KUNIT_EXPECT_EQ(test, xrdma_push_log(64), 6);
	KUNIT_EXPECT_EQ(test, xrdma_push_log(65), 7);
	KUNIT_EXPECT_EQ(test, xrdma_push_log(128), 7);
	KUNIT_EXPECT_EQ(test, xrdma_push_log(256), 8);
	KUNIT_EXPECT_EQ(test, xrdma_push_log(257), 0);
	KUNIT_EXPECT_EQ(test, xrdma_push_log(0xffffffff), 0);
}

static void a_doorbell_names_its_slot(struct kunit *test)
{
	u32 at;
	u8 log;
	u64 db;

	for (log = XRDMA_PUSH_LOG_MIN; log <= XRDMA_PUSH_LOG_MAX; log++) {
		for (at = 0; at < XRDMA_DB_PAGE_SIZE; at += 1U << log) {
			db = xrdma_make_push_db(0xffffff, 0x80000001, at, log);
			KUNIT_EXPECT_EQ(test, xrdma_db_push_size(db), 1U << log);
			KUNIT_EXPECT_EQ(test, xrdma_db_push_at(db), at);
			KUNIT_EXPECT_EQ(test, xrdma_db_index(db), 0x80000001);
			KUNIT_EXPECT_EQ(test, db & XRDMA_QPN_MASK, 0xffffff);
		}
	}
	KUNIT_EXPECT_EQ(test, xrdma_db_push_size(xrdma_make_sq_db(5, 6)), 0);
}

static void each_arming_is_another_word_of_the_given_type(struct kunit *test)
{
	u32 arm = 0xfffffffcU | XRDMA_ARM_SOLICITED;
	u32 next = xrdma_arm_next(arm, XRDMA_ARM_NEXT);

	KUNIT_EXPECT_EQ(test, next, XRDMA_ARM_NEXT);
	arm = xrdma_arm_next(next, XRDMA_ARM_SOLICITED);
	KUNIT_EXPECT_EQ(test, arm >> XRDMA_ARM_SN_SHIFT, 1);
	KUNIT_EXPECT_EQ(test, arm & XRDMA_ARM_TYPE_MASK, XRDMA_ARM_SOLICITED);
	KUNIT_EXPECT_NE(test, xrdma_arm_next(arm, XRDMA_ARM_SOLICITED), arm);
}

static void records_stand_behind_their_rings(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, xrdma_qp_sq_offset(3, 6), 512);
	KUNIT_EXPECT_EQ(test, xrdma_qp_sq_offset(0, 5), 64);
	KUNIT_EXPECT_EQ(test, xrdma_qp_rec_offset(4, 3, 3, 6), 512 + 50 * 64);
	KUNIT_EXPECT_EQ(test, xrdma_qp_rec_offset(4, 2, 3, 6), 512 + 34 * 64);
	KUNIT_EXPECT_EQ(test, xrdma_qp_rec_offset(0, 1, 0, 5), 128);
	KUNIT_EXPECT_EQ(test, xrdma_qp_rec_offset(0, 0, 0, 5), 128);
	KUNIT_EXPECT_EQ(test, xrdma_qp_rec_offset(15, 16, 0, 0),
			(32ULL << 20) + 1024);
	KUNIT_EXPECT_EQ(test, xrdma_cq_rec_offset(10), 64 << 10);
}

/* A queue of 4 entries of up to 3 units: entries begin in front of the tail. */
static void send_entries_follow_each_other(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, xrdma_sq_units(1), 1);
	KUNIT_EXPECT_EQ(test, xrdma_sq_units(64), 1);
	KUNIT_EXPECT_EQ(test, xrdma_sq_units(65), 2);
	KUNIT_EXPECT_EQ(test, xrdma_wqe_length(1), 0);
	KUNIT_EXPECT_EQ(test, xrdma_wqe_length(16), 0xf0);
	KUNIT_EXPECT_EQ(test, xrdma_wqe_units(0x2f), 3);
	KUNIT_EXPECT_EQ(test, xrdma_sq_next(9, 2, 12), 11);
	KUNIT_EXPECT_EQ(test, xrdma_sq_next(9, 3, 12), 0);
	KUNIT_EXPECT_EQ(test, xrdma_sq_next(11, 3, 12), 2);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(slot_is_index_modulo_depth),
	KUNIT_CASE(used_and_free_add_up_to_depth),
	KUNIT_CASE(phase_is_one_in_the_first_lap_then_alternates),
	KUNIT_CASE(entry_is_valid_only_in_its_own_lap),
	KUNIT_CASE(low_bits_name_an_index_ahead_of_the_consumer),
	KUNIT_CASE(doorbell_is_needed_if_the_device_slept_in_between),
	KUNIT_CASE(pushes_have_the_smallest_slot),
	KUNIT_CASE(a_doorbell_names_its_slot),
	KUNIT_CASE(each_arming_is_another_word_of_the_given_type),
	KUNIT_CASE(records_stand_behind_their_rings),
	KUNIT_CASE(send_entries_follow_each_other),
	{}
};

static struct kunit_suite ring_suite = {
	.name = "xrdma_ring",
	.test_cases = ring_cases,
};

kunit_test_suite(ring_suite);

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the encoders (xrdma_encode.h) and of the structures of the contract:
 * their bytes equal the golden bytes in the device specification. The cases are
 * in golden_cases.h, which the tests of a device in software use too.
 */

#include <kunit/test.h>
#include <linux/string.h>
#include "golden_cases.h"

static void golden_case_name(const struct golden_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(golden, golden_cases, golden_case_name);

static void structure_matches_specification(struct kunit *test)
{
	const struct golden_case *c = test->param_value;
	u8 bytes[XRDMA_GOLDEN_MAX] = {};

	c->make(bytes);
	KUNIT_EXPECT_MEMEQ(test, bytes, c->golden, c->size);
}

static void key_parts_survive_the_round_trip(struct kunit *test)
{
	u32 key = xrdma_make_key(0xabcdef, 0x12);

	KUNIT_EXPECT_EQ(test, key, 0xabcdef12);
	KUNIT_EXPECT_EQ(test, xrdma_key_index(key), 0xabcdef);
	KUNIT_EXPECT_EQ(test, xrdma_key_byte(key), 0x12);
	KUNIT_EXPECT_EQ(test, XRDMA_KEY_LOCAL_DMA, 0x00000001);
	KUNIT_EXPECT_EQ(test, XRDMA_KEY_NULL, 0x00000002);
}

static struct kunit_case encode_cases[] = {
	KUNIT_CASE_PARAM(structure_matches_specification, golden_gen_params),
	KUNIT_CASE(key_parts_survive_the_round_trip),
	{}
};

static struct kunit_suite encode_suite = {
	.name = "xrdma_encode",
	.test_cases = encode_cases,
};

kunit_test_suite(encode_suite);

MODULE_DESCRIPTION("KUnit tests of the XRDMA driver");
MODULE_LICENSE("Dual BSD/GPL");

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Compares structures of the contract, as the device's compiler lays them out,
 * with the golden bytes of the device specification. The cases are those of the
 * driver's KUnit suite.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <linux/array_size.h>
#include <linux/types.h>

/* Empty, so that the compiler warns of an example without a case. */
#define __maybe_unused

#include "golden_cases.h"

#define NUM_CASES		ARRAY_SIZE(golden_cases)

static void structure_matches_specification(void **state)
{
	const struct golden_case *c = *state;
	u8 bytes[XRDMA_GOLDEN_MAX] = {};

	c->make(bytes);
	assert_memory_equal(bytes, c->golden, c->size);
}

static void key_parts_survive_the_round_trip(void **state)
{
	u32 key = xrdma_make_key(0xabcdef, 0x12);

	(void)state;
	assert_int_equal(key, 0xabcdef12);
	assert_int_equal(xrdma_key_index(key), 0xabcdef);
	assert_int_equal(xrdma_key_byte(key), 0x12);
	assert_int_equal(XRDMA_KEY_LOCAL_DMA, 0x00000001);
	assert_int_equal(XRDMA_KEY_NULL, 0x00000002);
}

int main(void)
{
	struct CMUnitTest tests[NUM_CASES + 1] = {
		cmocka_unit_test(key_parts_survive_the_round_trip),
	};
	size_t i;

	for (i = 0; i < NUM_CASES; i++)
		tests[i + 1] = (struct CMUnitTest) {
			.name = golden_cases[i].name,
			.test_func = structure_matches_specification,
			.initial_state = (void *)&golden_cases[i],
		};
	return cmocka_run_group_tests_name("golden bytes", tests, NULL, NULL);
}

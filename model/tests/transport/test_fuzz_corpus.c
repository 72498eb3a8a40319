// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Runs every input of the fuzzer's corpus (fuzz/corpus.txt) once, so that bugs
 * which the fuzzer has found do not come back.
 */
#include "fuzz/fuzz.h"
#include "tests/lib/fuzz_corpus.h"

static void the_corpus_does_no_harm(void **state)
{
	(void)state;
	assert_true(fuzz_corpus_run("fuzz/corpus.txt",
				    LLVMFuzzerTestOneInput) > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_corpus_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

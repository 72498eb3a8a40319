// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Runs every input of the fuzzer's corpus (fuzz/corpus.txt) once, so that bugs
 * which the fuzzer has found do not come back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"

#define CORPUS		"fuzz/corpus.txt"
#define INPUT_MAX	65536

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Parse "name: hex". Return: bytes of @input, -1 for a comment line "# ...". */
static ssize_t parse(const char *line, u8 *input)
{
	const char *p = strchr(line, ':');
	ssize_t len = 0;

	if (*line == '#' || !p)
		return -1;
	for (p += 2; hex(p[0]) >= 0 && hex(p[1]) >= 0; p += 2)
		input[len++] = hex(p[0]) << 4 | hex(p[1]);
	assert_int_equal(*p, '\n');
	return len;
}

static void the_corpus_does_no_harm(void **state)
{
	FILE *file = fopen(CORPUS, "r");
	u8 *input = malloc(INPUT_MAX);
	unsigned int inputs = 0;
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	(void)state;
	assert_non_null(file);
	while (getline(&line, &room, file) > 0) {
		assert_true(strlen(line) < INPUT_MAX);
		len = parse(line, input);
		if (len < 0)
			continue;
		LLVMFuzzerTestOneInput(input, len);
		inputs++;
	}
	print_message("  %u inputs\n", inputs);
	assert_true(inputs > 20);
	free(line);
	free(input);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_corpus_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Corpora of the fuzzers: see fuzz_corpus.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lib/fuzz_corpus.h"

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

/* Run each input of a corpus once. Return: number of inputs. */
u32 fuzz_corpus_run(const char *path, int (*run)(const u8 *data, size_t size))
{
	FILE *file = fopen(path, "r");
	u8 *input = malloc(INPUT_MAX);
	char *line = NULL;
	size_t room = 0;
	u32 inputs = 0;
	ssize_t len;

	assert_non_null(file);
	while (getline(&line, &room, file) > 0) {
		assert_true(strlen(line) < INPUT_MAX);
		len = parse(line, input);
		if (len < 0)
			continue;
		run(input, len);
		inputs++;
	}
	print_message("  %u inputs\n", inputs);
	free(line);
	free(input);
	fclose(file);
	return inputs;
}

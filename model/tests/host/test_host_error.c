// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Tests of host errors: counters, names, bounded log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/host_error.h"

/* the original standard error, which the tests redirect */
static int saved_stderr;

static int setup(void **state)
{
	saved_stderr = dup(STDERR_FILENO);
	if (!freopen("/dev/null", "w", stderr))
		return -1;
	*state = model_host_errors_create();
	return !*state;
}

static int teardown(void **state)
{
	fflush(stderr);
	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	model_host_errors_destroy(*state);
	return 0;
}

static void counts_by_kind(void **state)
{
	struct model_host_errors *herr = *state;

	model_host_error(herr, MODEL_HERR_DMA_UNMAPPED, "a");
	model_host_error(herr, MODEL_HERR_CMD_STATE, "b");
	model_host_error(herr, MODEL_HERR_DMA_UNMAPPED, "c");
	assert_int_equal(herr->total, 3);
	assert_int_equal(herr->count[MODEL_HERR_DMA_UNMAPPED], 2);
	assert_int_equal(herr->count[MODEL_HERR_CMD_STATE], 1);
	assert_int_equal(herr->count[MODEL_HERR_REG_RESERVED], 0);
}

static void every_kind_has_a_distinct_name(void **state)
{
	unsigned int i, j;

	(void)state;
	assert_string_equal(model_host_error_name(MODEL_HERR_DOORBELL_RANGE),
			    "DOORBELL_RANGE");
	for (i = 0; i < MODEL_HERR_KINDS; i++)
		for (j = 0; j < i; j++)
			assert_string_not_equal(model_host_error_name(i),
						model_host_error_name(j));
}

static void log_keeps_kind_text_and_order(void **state)
{
	struct model_host_errors *herr = *state;
	const struct model_host_error_entry *first, *second;

	assert_int_equal(model_host_errors_kept(herr), 0);
	model_host_error(herr, MODEL_HERR_REG_ILLEGAL, "register 0x%x", 0x18);
	model_host_error(herr, MODEL_HERR_CMD_STATE, "second");
	assert_int_equal(model_host_errors_kept(herr), 2);
	first = model_host_errors_entry(herr, 0);
	second = model_host_errors_entry(herr, 1);
	assert_int_equal(first->kind, MODEL_HERR_REG_ILLEGAL);
	assert_string_equal(first->text, "register 0x18");
	assert_string_equal(second->text, "second");
	assert_true(first->time_ns && first->time_ns <= second->time_ns);
}

static void log_is_bounded_and_keeps_the_newest(void **state)
{
	struct model_host_errors *herr = *state;
	unsigned int i, n = MODEL_HOST_ERROR_LOG + 10;
	char text[16];

	for (i = 0; i < n; i++)
		model_host_error(herr, i % MODEL_HERR_KINDS, "%u", i);
	assert_int_equal(herr->total, n);
	assert_int_equal(model_host_errors_kept(herr), MODEL_HOST_ERROR_LOG);
	assert_string_equal(model_host_errors_entry(herr, 0)->text, "10");
	snprintf(text, sizeof(text), "%u", n - 1);
	assert_string_equal(model_host_errors_entry(herr,
						    MODEL_HOST_ERROR_LOG - 1)
			    ->text, text);
}

static void long_text_is_cut(void **state)
{
	struct model_host_errors *herr = *state;
	char text[1000];

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	model_host_error(herr, MODEL_HERR_CMD_STATE, "%s", text);
	assert_int_equal(strlen(model_host_errors_entry(herr, 0)->text),
			 sizeof(herr->log[0].text) - 1);
}

/* Count the lines that @n errors of one kind print */
static unsigned int lines_printed(struct model_host_errors *herr,
				  unsigned int n)
{
	int saved = dup(STDERR_FILENO);
	FILE *file = tmpfile();
	unsigned int lines = 0;
	int c;

	assert_non_null(file);
	fflush(stderr);
	dup2(fileno(file), STDERR_FILENO);
	while (n--)
		model_host_error(herr, MODEL_HERR_CMD_RESERVED, "again");
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	while ((c = fgetc(file)) != EOF)
		lines += c == '\n';
	fclose(file);
	return lines;
}

static void printing_is_bounded(void **state)
{
	assert_int_equal(lines_printed(*state, 1), 1);
	assert_in_range(lines_printed(*state, 1000), 2, 100);
	assert_int_equal(lines_printed(*state, 1000), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(counts_by_kind),
		TEST(every_kind_has_a_distinct_name),
		TEST(log_keeps_kind_text_and_order),
		TEST(log_is_bounded_and_keeps_the_newest),
		TEST(long_text_is_cut),
		TEST(printing_is_bounded),
	};

	return cmocka_run_group_tests_name("host_error", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands with wrong fields: each byte of the body of each command takes each of the
 * values that shifts, sizes and indexes could break on; and every input of the corpus
 * of the fuzzer of commands (fuzz/commands.txt).
 */
#include <linux/array_size.h>
#include <string.h>

#include "fuzz/fuzz_cmd.h"
#include "tests/lib/fuzz_corpus.h"

/* Object of the commands: its queue pair and its completion queue have number 15. */
#define N	15

static void run(struct fuzz_cmd_world *w, u16 opcode, u8 n)
{
	u8 kind;
	struct xrdma_cmd cmd;

	for (kind = 0; kind < FUZZ_CMD_OPCODES; kind++) {
		cmd = fuzz_cmd_make(w, kind, n, 0);
		if (le16_to_cpu(cmd.opcode) == opcode)
			break;
	}
	fuzz_cmd_post(w, &cmd);
	model_device_poll(w->dev);
}

/* Destroy what the command is going to create. */
static void prepare(struct fuzz_cmd_world *w, u16 opcode)
{
	switch (opcode) {
	case XRDMA_CMD_CREATE_EQ:
		run(w, XRDMA_CMD_DESTROY_EQ, N);
		break;
	case XRDMA_CMD_CREATE_CQ:
		run(w, XRDMA_CMD_DESTROY_QP, N);
		run(w, XRDMA_CMD_DESTROY_CQ, N);
		break;
	case XRDMA_CMD_CREATE_QP:
		run(w, XRDMA_CMD_DESTROY_QP, N);
		break;
	case XRDMA_CMD_CREATE_SRQ:
		run(w, XRDMA_CMD_DESTROY_SRQ, N);
		break;
	case XRDMA_CMD_CREATE_FLOW:
		run(w, XRDMA_CMD_DESTROY_FLOW, N);
		break;
	case XRDMA_CMD_CREATE_RSS:
		run(w, XRDMA_CMD_DESTROY_RSS, N);
		break;
	case XRDMA_CMD_ENABLE_ODP:
		fuzz_cmd_start(w);
		run(w, XRDMA_CMD_CREATE_EQ, 2);
		break;
	}
}

/* A command with one byte that is set to @value. */
static void run_with(struct fuzz_cmd_world *w, u8 kind, u32 at, u8 value)
{
	struct xrdma_cmd cmd = fuzz_cmd_make(w, kind, N, 0);

	prepare(w, le16_to_cpu(cmd.opcode));
	((u8 *)&cmd)[at] = value;
	fuzz_cmd_post(w, &cmd);
	model_device_poll(w->dev);
}

static void each_byte_of_each_command_is_checked(void **state)
{
	static const u8 values[] = {
		0, 1, 15, 16, 31, 32, 63, 64, 65, 127, 128, 255,
	};
	static struct fuzz_cmd_world w;
	u32 at, i;
	u8 kind;

	(void)state;
	for (kind = 0; kind < FUZZ_CMD_OPCODES; kind++) {
		fuzz_cmd_begin(&w);
		for (at = 0; at < sizeof(struct xrdma_cmd); at++)
			for (i = 0; i < ARRAY_SIZE(values); i++)
				run_with(&w, kind, at, values[i]);
		assert_true(model_device_live(w.dev));
		fuzz_cmd_end(&w);
	}
}

static void the_corpus_does_no_harm(void **state)
{
	(void)state;
	assert_true(fuzz_corpus_run("fuzz/commands.txt", fuzz_cmd_run) > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_byte_of_each_command_is_checked),
		cmocka_unit_test(the_corpus_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

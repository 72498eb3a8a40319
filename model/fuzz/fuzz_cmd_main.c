// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The entry of libFuzzer for the fuzzer of commands. The fuzzer of frames has its own
 * in fuzz_script.c, so this file is not part of the library of the tests.
 */
#include "fuzz/fuzz_cmd.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	return fuzz_cmd_run(data, size);
}

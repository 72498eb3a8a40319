/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Runs a corpus of a fuzzer: a file of lines "name: hex", each of them an input.
 */
#ifndef MODEL_TEST_FUZZ_CORPUS_H
#define MODEL_TEST_FUZZ_CORPUS_H

#include <linux/types.h>
#include <stddef.h>

u32 fuzz_corpus_run(const char *path, int (*run)(const u8 *data, size_t size));

#endif /* MODEL_TEST_FUZZ_CORPUS_H */

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A plugin for QEMU that counts the instructions that a guest executes between
 * two markers (marker.h), by address. The guest prints the name of the figure
 * for each interval; counts.py combines both.
 *
 *   -plugin counter.so,out=FILE
 *
 * FILE gets, for each interval in order, a line "interval", and a line "ADDRESS
 * COUNT" for each 16 bytes of code in which an instruction was executed.
 * Functions of the kernel begin at multiples of 16, so the sum over a function
 * is exact. All executed instructions are counted, also those of interrupts and
 * of the idle loop. The guest must have one processor.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "marker.h"
#include "qemu_plugin.h"

#define EXPORT		__attribute__((visibility("default")))
#define LOG_BUCKETS	20
#define BUCKETS		1048576U	/* 2^LOG_BUCKETS */
#define BUCKET_SHIFT	4	/* log2 of the bytes of code of a bucket */

EXPORT int qemu_plugin_version = QEMU_PLUGIN_API_VERSION;

static struct qemu_plugin_scoreboard *score;
static uint64_t address[BUCKETS];	/* address of each bucket; 0: free */
static uint64_t before[BUCKETS];	/* counts at the interval's begin */
static unsigned int used;
static FILE *out;

/* The bucket of an address, in a hash table from which nothing is removed. */
static unsigned int bucket_of(uint64_t vaddr)
{
	uint64_t key = vaddr >> BUCKET_SHIFT << BUCKET_SHIFT | 1;
	unsigned int i = key * 0x9e3779b97f4a7c15ULL >> (64 - LOG_BUCKETS);

	while (address[i] != key && address[i])
		i = (i + 1) % BUCKETS;
	if (!address[i]) {
		if (++used == BUCKETS) {
			fprintf(stderr, "counter: too much code\n");
			exit(1);
		}
		address[i] = key;
	}
	return i;
}

static void on_begin(unsigned int cpu, void *data)
{
	(void)data;
	memcpy(before, qemu_plugin_scoreboard_find(score, cpu), sizeof(before));
}

static void on_end(unsigned int cpu, void *data)
{
	const uint64_t *now = qemu_plugin_scoreboard_find(score, cpu);
	unsigned int i;

	(void)data;
	fprintf(out, "interval\n");
	for (i = 0; i < BUCKETS; i++)
		if (now[i] != before[i])
			fprintf(out, "%llx %llu\n",
				(unsigned long long)address[i] & ~1ULL,
				(unsigned long long)(now[i] - before[i]));
	fflush(out);
}

/* MARKER_DISP_* if the instruction is a marker, otherwise 0 */
static uint32_t marker_of(const struct qemu_plugin_insn *insn)
{
	unsigned char code[MARKER_SIZE];
	uint32_t disp;

	if (qemu_plugin_insn_data(insn, code, sizeof(code)) != MARKER_SIZE ||
	    code[0] != 0x0f || code[1] != 0x1f || code[2] != 0x80)
		return 0;
	memcpy(&disp, code + 3, sizeof(disp));
	return disp == MARKER_DISP_BEGIN || disp == MARKER_DISP_END ? disp : 0;
}

/* Counts all successive instructions of one bucket by one addition. */
static size_t count_row(struct qemu_plugin_tb *tb, size_t first, size_t num)
{
	struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, first);
	unsigned int bucket = bucket_of(qemu_plugin_insn_vaddr(insn));
	struct qemu_plugin_word word = { score, bucket * sizeof(uint64_t) };
	size_t next;

	for (next = first + 1; next < num; next++) {
		struct qemu_plugin_insn *other =
			qemu_plugin_tb_get_insn(tb, next);

		if (marker_of(other) ||
		    bucket_of(qemu_plugin_insn_vaddr(other)) != bucket)
			break;
	}
	qemu_plugin_insn_add(insn, QEMU_ADD, word, next - first);
	return next;
}

static qemu_plugin_exec_cb handler(uint32_t disp)
{
	return disp == MARKER_DISP_BEGIN ? on_begin : on_end;
}

static void on_translate(struct qemu_plugin_tb *tb, void *data)
{
	size_t num = qemu_plugin_tb_n_insns(tb);
	size_t i = 0;

	(void)data;
	while (i < num) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint32_t disp = marker_of(insn);

		if (disp) {
			qemu_plugin_register_vcpu_insn_exec_cb(insn,
							       handler(disp),
							       QEMU_NO_REGS,
							       NULL);
			i++;
		} else {
			i = count_row(tb, i, num);
		}
	}
}

EXPORT int qemu_plugin_install(uint64_t id,
			       const struct qemu_plugin_machine *machine,
			       int argc, char **argv)
{
	if (machine->version.cur < QEMU_PLUGIN_API_VERSION ||
	    !machine->system_emulation || machine->smp_vcpus != 1 ||
	    argc != 1 || strncmp(argv[0], "out=", 4)) {
		fprintf(stderr, "counter: wants out=FILE and one processor\n");
		return -1;
	}
	out = fopen(argv[0] + 4, "w");
	if (!out) {
		perror(argv[0] + 4);
		return -1;
	}
	score = qemu_plugin_scoreboard_new(BUCKETS * sizeof(uint64_t));
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate, NULL);
	return 0;
}

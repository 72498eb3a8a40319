/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The part of QEMU's plugin interface, version 7, that counter.c uses: Debian has
 * no package with QEMU's header. This file has no declaration of this project.
 */
#ifndef BENCH_QEMU_PLUGIN_H
#define BENCH_QEMU_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_API_VERSION		7

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_scoreboard;

/* Properties of the machine, which QEMU passes to a plugin when it loads it. */
struct qemu_plugin_machine {
	const char *target_name;
	struct {
		int min;
		int cur;
	} version;
	bool system_emulation;
	int smp_vcpus;
	int max_vcpus;
};

/* A 64-bit word at an offset of each processor's element. */
struct qemu_plugin_word {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
};

/* What to do with a word, inline. */
enum qemu_plugin_op {
	QEMU_ADD,
};

/* Which registers a callback touches. */
enum qemu_plugin_regs {
	QEMU_NO_REGS,
};

typedef void (*qemu_plugin_trans_cb)(struct qemu_plugin_tb *tb, void *data);
typedef void (*qemu_plugin_exec_cb)(unsigned int cpu, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, qemu_plugin_trans_cb cb,
					   void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qemu_plugin_exec_cb cb,
					    enum qemu_plugin_regs regs,
					    void *data);

#define qemu_plugin_insn_add qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu
void qemu_plugin_insn_add(struct qemu_plugin_insn *insn, enum qemu_plugin_op op,
			  struct qemu_plugin_word word, uint64_t value);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *
qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest,
			     size_t size);

struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t size);
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score,
				  unsigned int cpu);

#endif

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The script of the fuzzer of commands: a list of steps, each with a byte for the kind
 * of step, and its parameters. The bytes that a script lacks at its end are 0.
 *
 *   COMMAND   kind, object, how, changes: a command of fuzz_cmd_make()
 *   RAW       length (16 bits), bytes: a command that has these bytes
 *   POKE      page (16 bits), offset (16 bits), length (16 bits), bytes: the host
 *             writes to its memory
 *   WORD      page (16 bits), offset (16 bits), difference: the host adds a number to
 *             a word of 32 bits
 *   KEY       index, changes: a key entry of fuzz_cmd_key()
 *   DOORBELL  page, offset, log2 of the bytes, value (64 bits)
 *   REGISTER  offset (16 bits), log2 of the bytes, READ or not, value (64 bits)
 *   CONFIG    offset (16 bits), length, READ or not, value (64 bits)
 *   MAP       piece, rights: a mapping of DMA ends, and another one may begin
 *   MEMORY    push page or device memory, offset (16 bits), READ or not, value
 *   START     the driver resets and enables the device, without objects
 *   TIME      time passes until the next timer has fired
 *   TURN      number: the device does the work of as many turns
 *   SEND, RECV, PACKET   see fuzz_cmd_work.c
 *
 * Changes: number, and for each an offset (16 bits) and the exclusive or of a byte.
 */
#include <string.h>

#include "fuzz/fuzz_cmd.h"

enum step {
	STEP_COMMAND,
	STEP_RAW,
	STEP_POKE,
	STEP_WORD,
	STEP_KEY,
	STEP_DOORBELL,
	STEP_REGISTER,
	STEP_CONFIG,
	STEP_MAP,
	STEP_MEMORY,
	STEP_START,
	STEP_TIME,
	STEP_TURN,
	STEP_SEND,
	STEP_RECV,
	STEP_PACKET,
	STEPS
};

#define MAX_STEPS	64
#define MAX_CHANGES	8

/* Change bytes as the script says. */
void fuzz_cmd_xor(struct fuzz_cmd_script *s, void *buf, u32 len)
{
	u8 n = fuzz_cmd_8(s) % (MAX_CHANGES + 1);
	u32 at;

	while (n--) {
		at = fuzz_cmd_16(s) % len;
		((u8 *)buf)[at] ^= fuzz_cmd_8(s);
	}
}

static void step_command(struct fuzz_cmd_world *w, struct fuzz_cmd_script *s)
{
	u8 kind = fuzz_cmd_8(s), n = fuzz_cmd_8(s), how = fuzz_cmd_8(s);
	struct xrdma_cmd cmd = fuzz_cmd_make(w, kind, n, how);

	fuzz_cmd_xor(s, &cmd, sizeof(cmd));
	fuzz_cmd_post(w, &cmd);
	model_device_poll(w->dev);
}

static u32 take(struct fuzz_cmd_script *s, u8 *to, u32 room)
{
	u32 len = fuzz_cmd_16(s);

	if (len > room)
		len = room;
	if (len > s->left)
		len = s->left;
	memcpy(to, s->p, len);
	s->p += len;
	s->left -= len;
	return len;
}

static void step_raw(struct fuzz_cmd_world *w, struct fuzz_cmd_script *s)
{
	struct xrdma_cmd cmd = { 0 };

	take(s, (u8 *)&cmd, sizeof(cmd));
	fuzz_cmd_post(w, &cmd);
	model_device_poll(w->dev);
}

static u64 take_addr(struct fuzz_cmd_script *s)
{
	u32 page = fuzz_cmd_16(s) % (FUZZ_CMD_MEM / 4096);

	return FUZZ_CMD_PAGE(page) + fuzz_cmd_16(s) % 4096;
}

static void step_poke(struct fuzz_cmd_world *w, struct fuzz_cmd_script *s)
{
	u64 addr = take_addr(s);
	u8 buf[256];
	u32 len = take(s, buf, sizeof(buf));

	fuzz_cmd_poke(w, addr, buf, len);
}

static void step_word(struct fuzz_cmd_world *w, struct fuzz_cmd_script *s)
{
	u64 addr = take_addr(s) & ~3ULL;
	__le32 word;

	memcpy(&word, fuzz_cmd_ptr(w, addr), sizeof(word));
	word = cpu_to_le32(le32_to_cpu(word) + (signed char)fuzz_cmd_8(s));
	fuzz_cmd_poke(w, addr, &word, sizeof(word));
}

static void step_key(struct fuzz_cmd_world *w, struct fuzz_cmd_script *s)
{
	u8 n = fuzz_cmd_8(s);
	struct xrdma_mpt_entry e = fuzz_cmd_key(n);

	fuzz_cmd_xor(s, &e, sizeof(e));
	fuzz_cmd_key_write(w, n, &e);
}

/* An access to a BAR, as the server passes it on: aligned, and inside of the BAR. */
static void access(struct fuzz_cmd_world *w, unsigned int bar, u64 off, u8 log,
		   bool read, u64 value)
{
	size_t len = 1U << (log & 3);
	__le64 v = cpu_to_le64(value);

	off &= ~(u64)(len - 1);
	if (read)
		model_device_read(w->dev, bar, off, &v, len);
	else
		model_device_write(w->dev, bar, off, &v, len);
}

static void step_doorbell(struct fuzz_cmd_world *w, struct fuzz_cmd_script *s)
{
	u64 off = fuzz_cmd_8(s) % 4 * XRDMA_DB_PAGE_SIZE;
	u8 log;

	off += fuzz_cmd_8(s);
	log = fuzz_cmd_8(s);
	access(w, XRDMA_BAR_DB, off, log, log & 4, fuzz_cmd_64(s));
}

static void step_register(struct fuzz_cmd_world *w, struct fuzz_cmd_script *s)
{
	u64 off = fuzz_cmd_16(s) % 0x80;
	u8 log = fuzz_cmd_8(s);
	bool read = fuzz_cmd_8(s) & 1;

	if (!read)
		fuzz_cmd_unknown(w);
	access(w, XRDMA_BAR_REGS, off, log, read, fuzz_cmd_64(s));
}

static void step_config(struct fuzz_cmd_world *w, struct fuzz_cmd_script *s)
{
	u64 off = fuzz_cmd_16(s) % (MODEL_PCI_CONFIG_SIZE + 8);
	size_t len = fuzz_cmd_8(s) % 9;
	bool read = fuzz_cmd_8(s) & 1;
	u64 value = fuzz_cmd_64(s);

	if (read)
		model_pci_read(&w->pci, off, &value, len);
	else
		model_pci_write(&w->pci, off, &value, len);
}

static void step_map(struct fuzz_cmd_world *w, struct fuzz_cmd_script *s)
{
	u32 piece = fuzz_cmd_8(s) % FUZZ_CMD_PIECES;

	fuzz_cmd_map(w, piece, fuzz_cmd_8(s) &
		     (MODEL_DMA_READ | MODEL_DMA_WRITE));
}

static void step_memory(struct fuzz_cmd_world *w, struct fuzz_cmd_script *s)
{
	u8 how = fuzz_cmd_8(s);
	u64 off = fuzz_cmd_16(s);
	u8 log = fuzz_cmd_8(s);

	if (how & 1)
		access(w, XRDMA_BAR_DM, off % FUZZ_CMD_DM, log, how & 2,
		       fuzz_cmd_64(s));
	else
		access(w, XRDMA_BAR_DB, XRDMA_BAR_DB_PUSH + off, log, how & 2,
		       fuzz_cmd_64(s));
}

static void step_time(struct fuzz_cmd_world *w)
{
	u64 next = fake_loop_next(w->loop);

	if (next != UINT64_MAX)
		fake_loop_advance(w->loop, next);
}

static void step_turn(struct fuzz_cmd_world *w, struct fuzz_cmd_script *s)
{
	u8 turns = fuzz_cmd_8(s) % 32;

	do {
		model_device_poll(w->dev);
	} while (turns--);
}

static void do_step(struct fuzz_cmd_world *w, struct fuzz_cmd_script *s)
{
	static void (*const steps[STEPS])(struct fuzz_cmd_world *w,
					  struct fuzz_cmd_script *s) = {
		[STEP_COMMAND] = step_command,
		[STEP_RAW] = step_raw,
		[STEP_POKE] = step_poke,
		[STEP_WORD] = step_word,
		[STEP_KEY] = step_key,
		[STEP_DOORBELL] = step_doorbell,
		[STEP_REGISTER] = step_register,
		[STEP_CONFIG] = step_config,
		[STEP_MAP] = step_map,
		[STEP_MEMORY] = step_memory,
		[STEP_TURN] = step_turn,
		[STEP_SEND] = fuzz_cmd_step_send,
		[STEP_RECV] = fuzz_cmd_step_recv,
		[STEP_PACKET] = fuzz_cmd_step_packet,
	};
	enum step step = fuzz_cmd_8(s) % STEPS;

	if (step == STEP_START)
		fuzz_cmd_start(w);
	else if (step == STEP_TIME)
		step_time(w);
	else
		steps[step](w, s);
}

/* Run one input: called by libFuzzer, and by test_fuzz_commands.c. Return: 0. */
int fuzz_cmd_run(const u8 *data, size_t size)
{
	static struct fuzz_cmd_world world;
	struct fuzz_cmd_script s = { .p = data, .left = size };
	unsigned int steps = MAX_STEPS;

	fuzz_cmd_begin(&world);
	while (s.left && steps--) {
		do_step(&world, &s);
		fuzz_cmd_judge(&world);
	}
	fuzz_cmd_end(&world);
	return 0;
}

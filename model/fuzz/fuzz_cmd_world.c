// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The device of the fuzzer of commands, its memory and configuration space, and the
 * checks after each step. The process has one device, which is reset for each input.
 * The steps are in fuzz_cmd.c.
 */
#include <isa-l/crc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz_cmd.h"

#define ALL	(MODEL_DMA_READ | MODEL_DMA_WRITE)
#define TURNS	64 /* after the last step */

void fuzz_cmd_wrong(const char *what)
{
	fprintf(stderr, "fuzz_cmd: %s\n", what);
	abort();
}

static void no_irq(void *opaque, unsigned int vector)
{
	(void)opaque;
	if (vector >= XRDMA_MSIX_VECTORS)
		fuzz_cmd_wrong("a vector that does not exist");
}

static void unmapping(void *opaque, u64 iova, u64 len)
{
	struct fuzz_cmd_world *w = opaque;

	model_device_dma_unmap(w->dev, iova, len);
}

/* As host/vfu_dev.c does when configuration space changes. */
static void pci_changed(void *opaque)
{
	struct fuzz_cmd_world *w = opaque;
	bool on = model_pci_bus_master(&w->pci);

	if (on == w->dev->bus_master)
		return;
	model_dma_enable(w->dma, on);
	model_device_bus_master(w->dev, on);
}

static void pci_reset(void *opaque)
{
	struct fuzz_cmd_world *w = opaque;

	model_device_reset(w->dev);
}

static const struct model_pci_events pci_events = {
	.changed = pci_changed,
	.reset = pci_reset,
};

static void make_memory(struct fuzz_cmd_world *w)
{
	w->fd = memfd_create("host", MFD_CLOEXEC);
	assert_true(w->fd >= 0);
	assert_int_equal(ftruncate(w->fd, FUZZ_CMD_MEM), 0);
	w->mem = mmap(NULL, FUZZ_CMD_MEM, PROT_READ | PROT_WRITE, MAP_SHARED,
		      w->fd, 0);
	assert_ptr_not_equal(w->mem, MAP_FAILED);
}

static void make_device(struct fuzz_cmd_world *w)
{
	struct model_device_params params = {
		.transport = &model_roce_transport,
		.irq = no_irq,
		.vectors = XRDMA_MSIX_VECTORS,
		.mac = { 2 },
		.seed = 1,
		.push = MODEL_PUSH_USE,
		.dm_size = FUZZ_CMD_DM,
		.log_max_keys = XRDMA_LOG_MAX_KEYS,
	};

	w->loop = model_loop_create(0);
	w->dma = model_dma_create();
	w->herr = model_host_errors_create();
	params.loop = w->loop;
	params.dma = w->dma;
	params.herr = w->herr;
	w->dev = model_device_create(&params);
	assert_non_null(w->dev);
	model_dma_set_unmap_fn(w->dma, unmapping, w);
	model_pci_init(&w->pci, XRDMA_MSIX_VECTORS, &pci_events, w);
	make_memory(w);
}

/* Return: host memory, which the caller only reads, unless it calls fuzz_cmd_poke(). */
void *fuzz_cmd_ptr(struct fuzz_cmd_world *w, u64 addr)
{
	assert_true(addr >= FUZZ_CMD_IOVA && addr < FUZZ_CMD_IOVA + FUZZ_CMD_MEM);
	return w->mem + (addr - FUZZ_CMD_IOVA);
}

static u32 piece_crc(const struct fuzz_cmd_world *w, u32 piece)
{
	return crc32_gzip_refl(0, w->mem + (size_t)piece * FUZZ_CMD_PIECE,
			       FUZZ_CMD_PIECE);
}

/* Whether the device may write a piece. */
static bool writable(const struct fuzz_cmd_world *w, u32 piece)
{
	return w->rights[piece] & MODEL_DMA_WRITE && w->dev->bus_master &&
	       model_device_live(w->dev);
}

/* The host writes to its memory; what is beyond the end is left out. */
void fuzz_cmd_poke(struct fuzz_cmd_world *w, u64 addr, const void *buf, u32 len)
{
	u64 at = (addr - FUZZ_CMD_IOVA) % FUZZ_CMD_MEM;
	u32 i;

	if (len > FUZZ_CMD_MEM - at)
		len = FUZZ_CMD_MEM - at;
	memcpy(w->mem + at, buf, len);
	for (i = at / FUZZ_CMD_PIECE; len && i <= (at + len - 1) / FUZZ_CMD_PIECE;
	     i++)
		if (w->crc[i])
			w->crc[i] = piece_crc(w, i);
}

/* Map a piece with other rights than before; 0 unmaps it. */
void fuzz_cmd_map(struct fuzz_cmd_world *w, u32 piece, u8 rights)
{
	u64 iova = FUZZ_CMD_IOVA + (u64)piece * FUZZ_CMD_PIECE;

	if (w->rights[piece] == rights)
		return;
	if (w->rights[piece])
		assert_int_equal(model_dma_unmap(w->dma, iova, FUZZ_CMD_PIECE), 0);
	w->rights[piece] = rights;
	w->crc[piece] = piece_crc(w, piece);
	if (rights)
		assert_int_equal(model_dma_map(w->dma, iova, FUZZ_CMD_PIECE, rights,
					       w->fd, piece * FUZZ_CMD_PIECE), 0);
}

void fuzz_cmd_reg(struct fuzz_cmd_world *w, u32 reg, u64 value, size_t len)
{
	__le64 v = cpu_to_le64(value);

	model_device_write(w->dev, XRDMA_BAR_REGS, reg, &v, len);
}

/* The device may be enabled in this step: it may write until the step ends. */
void fuzz_cmd_unknown(struct fuzz_cmd_world *w)
{
	memset(w->crc, 0, sizeof(w->crc));
}

/* Reset and enable the device. */
void fuzz_cmd_start(struct fuzz_cmd_world *w)
{
	static const u8 zero[4096];

	fuzz_cmd_unknown(w);
	fuzz_cmd_reg(w, XRDMA_REG_CTRL, XRDMA_CTRL_RESET, 4);
	fuzz_cmd_poke(w, FUZZ_CMD_RSPS, zero, sizeof(zero));
	w->cmd_pi = 0;
	memset(w->sq_pi, 0, sizeof(w->sq_pi));
	memset(w->rq_pi, 0, sizeof(w->rq_pi));
	memset(w->srq_pi, 0, sizeof(w->srq_pi));
	fuzz_cmd_reg(w, XRDMA_REG_CMD_BASE, FUZZ_CMD_CMDS, 8);
	fuzz_cmd_reg(w, XRDMA_REG_RSP_BASE, FUZZ_CMD_RSPS, 8);
	fuzz_cmd_reg(w, XRDMA_REG_CMD_LOG, FUZZ_CMD_LOG, 4);
	fuzz_cmd_reg(w, XRDMA_REG_MPT_ROOT,
		     xrdma_make_root(FUZZ_CMD_MPT, 0, 16), 8);
	fuzz_cmd_reg(w, XRDMA_REG_CTRL, XRDMA_CTRL_ENABLE | XRDMA_CTRL_SHADOW_DB,
		     4);
}

/* Write a command to the ring and ring the doorbell. */
void fuzz_cmd_post(struct fuzz_cmd_world *w, const struct xrdma_cmd *cmd)
{
	u32 slot = xrdma_ring_slot(w->cmd_pi, FUZZ_CMD_LOG);

	fuzz_cmd_poke(w, FUZZ_CMD_CMDS + slot * sizeof(*cmd), cmd, sizeof(*cmd));
	fuzz_cmd_reg(w, XRDMA_REG_CMD_DB, ++w->cmd_pi, 4);
}

/* A correct command, which must succeed. */
static void must(struct fuzz_cmd_world *w, struct xrdma_cmd cmd)
{
	u32 slot = xrdma_ring_slot(w->cmd_pi, FUZZ_CMD_LOG);
	const struct xrdma_rsp *rsp = fuzz_cmd_ptr(w, FUZZ_CMD_RSPS);

	fuzz_cmd_post(w, &cmd);
	model_device_poll(w->dev);
	if (!xrdma_ring_valid(le32_to_cpu(rsp[slot].own), w->cmd_pi - 1, FUZZ_CMD_LOG))
		fuzz_cmd_wrong("a correct command has no reply");
	if (rsp[slot].status) {
		fprintf(stderr, "opcode %#x: status %u\n",
			le16_to_cpu(cmd.opcode), rsp[slot].status);
		fuzz_cmd_wrong("a correct command fails");
	}
}

/* Objects of each kind; queue pair n is connected to queue pair n ^ 8. */
static void make_objects(struct fuzz_cmd_world *w)
{
	static const u8 before[] = { 3, 4, 4, 4, 9, 9, 9 };
	static const u8 number[] = { 0, 0, 1, 2, 0, 1, 2 };
	u8 i, state;

	for (i = 0; i < sizeof(before); i++)
		must(w, fuzz_cmd_make(w, before[i], number[i], 0));
	for (i = 0; i < 16; i++)
		must(w, fuzz_cmd_make(w, 11, i, 0));
	for (i = 0; i < 8; i++)
		must(w, fuzz_cmd_make(w, 19, i, 0));
	for (i = 0; i < FUZZ_CMD_QPS; i++) {
		if (i == 8 + XRDMA_QP_GSI)
			continue;
		must(w, fuzz_cmd_make(w, 15, i, i == 7 || i == 15));
		for (state = XRDMA_QPS_INIT; state <= XRDMA_QPS_RTS; state++)
			must(w, fuzz_cmd_make(w, 16, i, state));
	}
	must(w, fuzz_cmd_make(w, 27, 0, 0));
}

static void make_tables(struct fuzz_cmd_world *w)
{
	__le64 all[256], half[256];
	struct xrdma_mpt_entry e;
	u64 entry;
	u32 i;

	for (i = 0; i < 256; i++) {
		entry = (FUZZ_CMD_DATA + i * 4096ULL) | XRDMA_MTT_VALID |
			XRDMA_MTT_BLOCK;
		all[i] = cpu_to_le64(entry);
		half[i] = cpu_to_le64(i & 1 ? entry | XRDMA_MTT_WRITE : 0);
	}
	fuzz_cmd_poke(w, FUZZ_CMD_TABLE, all, sizeof(all));
	fuzz_cmd_poke(w, FUZZ_CMD_PAGED, half, sizeof(half));
	for (i = 0; i < FUZZ_CMD_KEYS; i++) {
		e = fuzz_cmd_key(i);
		fuzz_cmd_key_write(w, i, &e);
	}
}

static void set_bus_master(struct fuzz_cmd_world *w)
{
	const u8 command[2] = { 0x06 }; /* memory space, bus master */

	model_pci_reset(&w->pci);
	pci_changed(w);
	assert_int_equal(model_pci_write(&w->pci, 4, command, 2), 0);
	assert_true(w->dev->bus_master);
}

/* Reset the function, and make its objects and memory. */
void fuzz_cmd_begin(struct fuzz_cmd_world *w)
{
	u32 i;

	if (!w->dev)
		make_device(w);
	model_device_reset(w->dev);
	memset(w->mem, 0, FUZZ_CMD_MEM);
	for (i = 0; i < FUZZ_CMD_PIECES; i++)
		fuzz_cmd_map(w, i, ALL);
	set_bus_master(w);
	fuzz_cmd_start(w);
	make_tables(w);
	make_objects(w);
	fuzz_cmd_judge(w);
}

static void check_memory(struct fuzz_cmd_world *w)
{
	u32 i;

	for (i = 0; i < FUZZ_CMD_PIECES; i++) {
		if (writable(w, i))
			w->crc[i] = 0;
		else if (!w->crc[i])
			w->crc[i] = piece_crc(w, i);
		else if (w->crc[i] != piece_crc(w, i))
			fuzz_cmd_wrong("the device has written memory without a right");
	}
}

/* Check the device after a step. */
void fuzz_cmd_judge(struct fuzz_cmd_world *w)
{
	const struct model_wire *wire = w->dev->wire;

	if (wire->pool.available + wire->arrived.count > wire->pool.total)
		fuzz_cmd_wrong("a frame buffer was freed twice");
	check_memory(w);
}

/* Number of queue pairs and shared receive queues that a completion queue lists */
static u32 users_of_cq(const struct model_cq *cq)
{
	const struct model_srq *srq;
	const struct model_qp *qp;
	u32 num = 0;

	TAILQ_FOREACH(qp, &cq->senders, send_link)
		num++;
	TAILQ_FOREACH(qp, &cq->receivers, recv_link)
		num++;
	TAILQ_FOREACH(srq, &cq->srqs, cq_link)
		num++;
	return num;
}

static u32 users_of_srq(const struct model_srq *srq)
{
	const struct model_qp *qp;
	u32 num = 0;

	TAILQ_FOREACH(qp, &srq->qps, srq_link)
		num++;
	return num;
}

static void check_counts(struct model_device *dev)
{
	static u32 cqs[MODEL_MAX_CQ], srqs[MODEL_MAX_SRQ];
	u32 eqs[MODEL_MAX_EQ] = { 0 }, i;
	struct model_qp *qp;

	memset(cqs, 0, sizeof(cqs));
	memset(srqs, 0, sizeof(srqs));
	for (i = 0; i < MODEL_MAX_QP; i++) {
		qp = dev->qps[i];
		if (!qp)
			continue;
		if (qp->send_cq)
			cqs[qp->send_cq->cqn]++;
		if (qp->recv_cq)
			cqs[qp->recv_cq->cqn]++;
		if (qp->flags & XRDMA_QP_SRQ)
			srqs[qp->srq->srqn]++;
	}
	for (i = 0; i < MODEL_MAX_SRQ; i++) {
		if (dev->srqs[i] && users_of_srq(dev->srqs[i]) != srqs[i])
			fuzz_cmd_wrong("users of a shared receive queue");
		if (dev->srqs[i] && dev->srqs[i]->cq)
			cqs[dev->srqs[i]->cq->cqn]++;
	}
	for (i = 0; i < MODEL_MAX_CQ; i++) {
		if (!dev->cqs[i])
			continue;
		if (users_of_cq(dev->cqs[i]) != cqs[i])
			fuzz_cmd_wrong("users of a completion queue");
		eqs[dev->cqs[i]->eq->eqn]++;
	}
	if (dev->pager.eq)
		eqs[dev->pager.eq->eqn]++;
	for (i = 0; i < MODEL_MAX_EQ; i++)
		if (dev->eqs[i] && dev->eqs[i]->users != eqs[i])
			fuzz_cmd_wrong("users of an event queue");
}

/* The device does the work that is left, and is reset. */
void fuzz_cmd_end(struct fuzz_cmd_world *w)
{
	const struct model_wire *wire = w->dev->wire;
	u32 turns = TURNS;

	while (turns-- && model_device_poll(w->dev))
		;
	fuzz_cmd_judge(w);
	check_counts(w->dev);
	model_device_reset(w->dev);
	if (wire->pool.available != wire->pool.total)
		fuzz_cmd_wrong("a frame buffer is lost");
	if (w->dev->num_active || !TAILQ_EMPTY(&w->dev->active) ||
	    !TAILQ_EMPTY(&w->dev->errors) || !TAILQ_EMPTY(&w->dev->answering) ||
	    !TAILQ_EMPTY(&w->dev->replaying))
		fuzz_cmd_wrong("a queue pair outlives the reset");
	if (w->dev->parked_bytes)
		fuzz_cmd_wrong("memory of packets that wait");
	if (fake_loop_next(w->loop) != UINT64_MAX)
		fuzz_cmd_wrong("a timer outlives the reset");
}

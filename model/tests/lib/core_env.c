// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fixture of the tests of core/: creates a device and guest memory, and posts
 * commands and work requests as a driver does. See core_env.h.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tests/lib/core_env.h"

static void count_irq(void *opaque, unsigned int vector)
{
	struct core_env *env = opaque;

	assert_true(vector < XRDMA_MSIX_VECTORS);
	env->irqs[vector]++;
}

static void map_memory(struct core_env *env)
{
	env->fd = memfd_create("guest", MFD_CLOEXEC);
	assert_true(env->fd >= 0);
	assert_int_equal(ftruncate(env->fd, CORE_MEM_SIZE), 0);
	env->mem = mmap(NULL, CORE_MEM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
			env->fd, 0);
	assert_ptr_not_equal(env->mem, MAP_FAILED);
	assert_int_equal(model_dma_map(env->dma, CORE_IOVA, CORE_MEM_SIZE,
				       MODEL_DMA_READ | MODEL_DMA_WRITE,
				       env->fd, 0), 0);
	env->next = CORE_IOVA;
}

static void unmapping(void *opaque, u64 iova, u64 len)
{
	struct core_env *env = opaque;

	if (env->dev)
		model_device_dma_unmap(env->dev, iova, len);
}

/* Make a device with guest memory and bus mastering, not enabled. */
int core_setup(void **state)
{
	struct core_env *env = calloc(1, sizeof(*env));
	struct model_device_params params = {
		.transport = &mock_transport,
		.irq = count_irq,
		.irq_opaque = env,
		.vectors = XRDMA_MSIX_VECTORS,
		.mac = { 0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0xee },
		.dm_size = CORE_DM_SIZE,
		.log_max_keys = XRDMA_LOG_MAX_KEYS,
	};

	assert_non_null(env);
	mock_wire = (struct mock_wire) { .carrier = true };
	env->loop = model_loop_create(0);
	env->dma = model_dma_create();
	env->herr = model_host_errors_create();
	model_dma_set_unmap_fn(env->dma, unmapping, env);
	model_dma_enable(env->dma, true);
	map_memory(env);
	params.loop = env->loop;
	params.dma = env->dma;
	params.herr = env->herr;
	env->dev = model_device_create(&params);
	assert_non_null(env->dev);
	model_device_bus_master(env->dev, true);
	*state = env;
	return 0;
}

int core_setup_enabled(void **state)
{
	core_setup(state);
	core_enable(*state);
	return 0;
}

static void make_eq(struct core_env *env, u32 eqn)
{
	u64 root = core_queue(env, CORE_EQ_LOG);
	struct xrdma_cmd cmd;

	cmd = xrdma_make_create_eq(eqn, eqn, CORE_EQ_LOG, root);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_OK);
}

static void make_cq(struct core_env *env, u32 cqn)
{
	u64 root = core_queue(env, CORE_CQ_LOG);
	struct xrdma_cmd cmd;

	cmd = xrdma_make_create_cq(cqn, 1, CORE_PAGE, CORE_CQ_LOG, root);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_OK);
}

/* Enable the device; make EQs 0 and 1, CQs 1 (sends) and 2, GID 0. */
void core_make_queues(struct core_env *env)
{
	struct xrdma_cmd gid = xrdma_make_cmd(XRDMA_CMD_SET_GID);

	core_enable(env);
	make_eq(env, 0);
	make_eq(env, 1);
	make_cq(env, 1);
	make_cq(env, 2);
	gid.set_gid.flags = cpu_to_le32(XRDMA_GID_VALID);
	gid.set_gid.gid[0] = 0xfe;
	gid.set_gid.gid[1] = 0x80;
	assert_int_equal(core_status(env, gid), XRDMA_CMD_OK);
	memset(env->irqs, 0, sizeof(env->irqs));
}

int core_setup_queues(void **state)
{
	core_setup(state);
	core_make_queues(*state);
	return 0;
}

/* Fails the test unless every host error was expected. */
int core_teardown(void **state)
{
	struct core_env *env = *state;
	u64 total = env->herr->total;
	u64 expected = env->expected;
	struct model_device *dev = env->dev;

	env->dev = NULL;
	model_device_destroy(dev);
	model_dma_destroy(env->dma);
	model_loop_destroy(env->loop);
	model_host_errors_destroy(env->herr);
	munmap(env->mem, CORE_MEM_SIZE);
	close(env->fd);
	free(env);
	if (total != expected)
		print_error("%llu host errors, %llu expected\n", total,
			    expected);
	return total == expected ? 0 : -1;
}

u64 core_alloc(struct core_env *env, u64 size, u64 align)
{
	u64 addr = (env->next + align - 1) & ~(align - 1);

	env->next = addr + size;
	assert_true(env->next <= CORE_IOVA + CORE_MEM_SIZE);
	return addr;
}

void *core_ptr(struct core_env *env, u64 addr)
{
	assert_true(addr >= CORE_IOVA && addr < CORE_IOVA + CORE_MEM_SIZE);
	return env->mem + (addr - CORE_IOVA);
}

/* Check that @count host errors of @kind have occurred, and expect them. */
void core_expect(struct core_env *env, enum model_host_error_kind kind,
		 u64 count)
{
	assert_int_equal(env->herr->count[kind], count);
	env->expected += count;
}

void core_write32(struct core_env *env, u32 reg, u32 value)
{
	__le32 v = cpu_to_le32(value);

	model_device_write(env->dev, XRDMA_BAR_REGS, reg, &v, sizeof(v));
}

void core_write64(struct core_env *env, u32 reg, u64 value)
{
	__le64 v = cpu_to_le64(value);

	model_device_write(env->dev, XRDMA_BAR_REGS, reg, &v, sizeof(v));
}

u32 core_read32(struct core_env *env, u32 reg)
{
	__le32 v;

	model_device_read(env->dev, XRDMA_BAR_REGS, reg, &v, sizeof(v));
	return le32_to_cpu(v);
}

u64 core_read64(struct core_env *env, u32 reg)
{
	__le64 v;

	model_device_read(env->dev, XRDMA_BAR_REGS, reg, &v, sizeof(v));
	return le64_to_cpu(v);
}

/* Write the registers that enabling requires, but do not enable. */
void core_set_up_rings(struct core_env *env)
{
	env->cmd_pi = 0;
	env->cmds = core_alloc(env, 128 << CORE_CMD_LOG, 4096);
	env->rsps = core_alloc(env, 128 << CORE_CMD_LOG, 4096);
	memset(core_ptr(env, env->rsps), 0, 128 << CORE_CMD_LOG);
	env->mpt = core_alloc(env, 0x200000, 0x200000);
	core_write64(env, XRDMA_REG_CMD_BASE, env->cmds);
	core_write64(env, XRDMA_REG_RSP_BASE, env->rsps);
	core_write32(env, XRDMA_REG_CMD_LOG, CORE_CMD_LOG);
	core_write64(env, XRDMA_REG_MPT_ROOT, xrdma_make_root(env->mpt, 0, 21));
}

void core_enable(struct core_env *env)
{
	core_set_up_rings(env);
	core_write32(env, XRDMA_REG_CTRL, XRDMA_CTRL_ENABLE |
		     (env->no_shadow ? 0 : XRDMA_CTRL_SHADOW_DB));
	assert_int_equal(core_read32(env, XRDMA_REG_STATUS),
			 XRDMA_STATUS_READY | XRDMA_STATUS_ENABLED);
}

static bool env_poll(void *opaque)
{
	struct core_env *env = opaque;

	return model_device_poll(env->dev);
}

static bool env_park(void *opaque)
{
	struct core_env *env = opaque;

	return env->awake || model_device_park(env->dev);
}

static void env_stop(void *opaque)
{
	model_loop_stop(opaque);
}

/* Run the loop for @ms milliseconds. */
void core_run_ms(struct core_env *env, unsigned int ms)
{
	static const struct model_loop_engine engine = {
		.poll = env_poll,
		.park = env_park,
	};
	struct timespec now;
	u64 now_ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	now_ns = now.tv_sec * 1000000000ULL + now.tv_nsec;
	env->stop.fn = env_stop;
	env->stop.opaque = env->loop;
	model_timer_arm(env->loop, &env->stop, now_ns + ms * 1000000ULL);
	model_loop_set_engine(env->loop, &engine, env);
	assert_int_equal(model_loop_run(env->loop), 0);
	model_loop_set_engine(env->loop, NULL, NULL);
}

/* Write a doorbell: @doorbell is XRDMA_DB_*. */
void core_doorbell(struct core_env *env, u32 page, u32 doorbell, u64 value)
{
	__le64 v = cpu_to_le64(value);

	model_device_write(env->dev, XRDMA_BAR_DB,
			   (u64)page * XRDMA_DB_PAGE_SIZE + doorbell, &v,
			   sizeof(v));
}

/* Ring the doorbell of a send queue, with an index that shadow doorbells ignore. */
void core_ring(struct core_env *env, u32 page, u32 qpn)
{
	core_doorbell(env, page, XRDMA_DB_SQ, qpn);
}

/* Write a command to the ring and ring the doorbell; do not run the loop. */
void core_post(struct core_env *env, const struct xrdma_cmd *cmd)
{
	u32 slot = xrdma_ring_slot(env->cmd_pi, CORE_CMD_LOG);
	struct xrdma_cmd *ring = core_ptr(env, env->cmds);

	ring[slot] = *cmd;
	ring[slot].id = cpu_to_le16(env->cmd_pi);
	core_write32(env, XRDMA_REG_CMD_DB, ++env->cmd_pi);
}

/* Return: the reply number @index, or NULL if it has not arrived. */
const struct xrdma_rsp *core_reply(struct core_env *env, u32 index)
{
	const struct xrdma_rsp *rsp = core_ptr(env, env->rsps);

	rsp += xrdma_ring_slot(index, CORE_CMD_LOG);
	return xrdma_ring_valid(le32_to_cpu(rsp->own), index, CORE_CMD_LOG) ?
	       rsp : NULL;
}

/* Post a command and wait for its reply; no other command is outstanding. */
const struct xrdma_rsp *core_cmd(struct core_env *env,
				 const struct xrdma_cmd *cmd)
{
	const struct xrdma_rsp *rsp;

	core_post(env, cmd);
	model_device_poll(env->dev);
	rsp = core_reply(env, env->cmd_pi - 1);
	assert_non_null(rsp);
	assert_int_equal(rsp->opcode, cmd->opcode);
	assert_int_equal(le16_to_cpu(rsp->id), (env->cmd_pi - 1) & 0xffff);
	return rsp;
}

u8 core_status(struct core_env *env, struct xrdma_cmd cmd)
{
	return core_cmd(env, &cmd)->status;
}

/* Return: status of a command whose only parameter is an object's number. */
u8 core_object(struct core_env *env, u16 opcode, u32 number)
{
	return core_status(env, xrdma_make_object_cmd(opcode, number));
}

u64 core_queue(struct core_env *env, u8 log_depth)
{
	u8 leaf = log_depth + 7;
	u64 addr;

	if (leaf < XRDMA_LEAF_SHIFT_MIN)
		leaf = XRDMA_LEAF_SHIFT_MIN;
	addr = core_alloc(env, 1ULL << leaf, 1ULL << leaf);
	memset(core_ptr(env, addr), 0, 1ULL << leaf);
	return xrdma_make_root(addr, 0, leaf);
}

static void *mem_ptr(struct core_env *env, const struct model_mem *mem)
{
	return core_ptr(env, (mem->root & XRDMA_ROOT_ADDR) + mem->base);
}

/* Return: the event number @index, or NULL if it has not arrived. */
const struct xrdma_eqe *core_eqe(struct core_env *env, u32 eqn, u32 index)
{
	struct model_eq *eq = model_eq_get(env->dev, eqn);
	const struct xrdma_eqe *eqe = mem_ptr(env, &eq->ring);

	eqe += xrdma_ring_slot(index, eq->log_depth);
	return xrdma_ring_valid(le32_to_cpu(eqe->own), index, eq->log_depth) ?
	       eqe : NULL;
}

struct xrdma_cq_rec *core_eq_rec(struct core_env *env, u32 eqn)
{
	return mem_ptr(env, &model_eq_get(env->dev, eqn)->rec);
}

/* Return: the completion number @index, or NULL if it has not arrived. */
const struct xrdma_cqe *core_cqe(struct core_env *env, u32 cqn, u32 index)
{
	struct model_cq *cq = model_cq_get(env->dev, cqn);
	const struct xrdma_cqe *cqe = mem_ptr(env, &cq->ring);

	cqe += xrdma_ring_slot(index, cq->log_depth);
	return xrdma_ring_valid(le32_to_cpu(cqe->own), index, cq->log_depth) ?
	       cqe : NULL;
}

struct xrdma_cq_rec *core_cq_rec(struct core_env *env, u32 cqn)
{
	return mem_ptr(env, &model_cq_get(env->dev, cqn)->rec);
}

void core_arm(struct xrdma_cq_rec *rec, u32 type)
{
	rec->arm = cpu_to_le32(xrdma_arm_next(le32_to_cpu(rec->arm), type));
}

/* CREATE_QP of an RC queue pair: 16 entries of 64 bytes in each queue. */
struct xrdma_cmd core_make_qp(struct core_env *env, u32 qpn)
{
	u64 addr = core_alloc(env, 4096, 4096);
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_CREATE_QP);

	memset(core_ptr(env, addr), 0, 4096);
	cmd.create_qp = (struct xrdma_cmd_create_qp) {
		.root = cpu_to_le64(xrdma_make_root(addr, 0, 12)),
		.qpn = cpu_to_le32(qpn),
		.pd = cpu_to_le32(7),
		.send_cqn = cpu_to_le32(1),
		.recv_cqn = cpu_to_le32(2),
		.db_page = cpu_to_le32(CORE_PAGE),
		.type = XRDMA_QP_RC,
		.log_sq_depth = CORE_WQ_LOG,
		.sq_units = 1,
		.log_rq_depth = CORE_WQ_LOG,
		.log_rq_stride = CORE_STRIDE_LOG,
	};
	return cmd;
}

void core_create_qp(struct core_env *env, u32 qpn, struct core_qp *cqp)
{
	assert_int_equal(core_status(env, core_make_qp(env, qpn)),
			 XRDMA_CMD_OK);
	cqp->qp = model_qp_get(env->dev, qpn);
	cqp->sq = mem_ptr(env, &cqp->qp->sq.ring);
	cqp->rq = mem_ptr(env, &cqp->qp->rq.ring);
	cqp->rec = mem_ptr(env, &cqp->qp->rec);
}

/* MODIFY_QP to @state with all required attributes. */
struct xrdma_cmd core_make_modify(u32 qpn, u8 state)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_MODIFY_QP);
	struct xrdma_qp_attr *attr = &cmd.modify_qp.attr;
	u32 mask = XRDMA_QPM_STATE;

	attr->state = state;
	switch (state) {
	case XRDMA_QPS_INIT:
		mask |= XRDMA_QPM_PKEY_INDEX | XRDMA_QPM_ACCESS;
		attr->access = cpu_to_le16(XRDMA_ACCESS_REMOTE_WRITE |
					   XRDMA_ACCESS_REMOTE_READ |
					   XRDMA_ACCESS_REMOTE_ATOMIC);
		break;
	case XRDMA_QPS_RTR:
		mask |= XRDMA_QPM_AV | XRDMA_QPM_PATH_MTU |
			XRDMA_QPM_DEST_QPN | XRDMA_QPM_RQ_PSN |
			XRDMA_QPM_MAX_DEST_RD_ATOMIC | XRDMA_QPM_MIN_RNR_TIMER;
		attr->path_mtu = 3;
		attr->dest_qpn = cpu_to_le32(qpn);
		attr->max_dest_rd_atomic = 16;
		attr->min_rnr_timer = 12;
		attr->av.hop_limit = 64;
		break;
	case XRDMA_QPS_RTS:
		mask |= XRDMA_QPM_TIMEOUT | XRDMA_QPM_RETRY_CNT |
			XRDMA_QPM_RNR_RETRY | XRDMA_QPM_SQ_PSN |
			XRDMA_QPM_MAX_RD_ATOMIC;
		attr->timeout = 14;
		attr->retry_cnt = 7;
		attr->rnr_retry = 7;
		attr->max_rd_atomic = 16;
		break;
	}
	cmd.modify_qp.qpn = cpu_to_le32(qpn);
	cmd.modify_qp.mask = cpu_to_le32(mask);
	return cmd;
}

void core_to_rts(struct core_env *env, struct core_qp *cqp)
{
	u8 state;

	for (state = XRDMA_QPS_INIT; state <= XRDMA_QPS_RTS; state++)
		assert_int_equal(core_status(env, core_make_modify(cqp->qp->qpn,
								   state)),
				 XRDMA_CMD_OK);
}

/* Do as core_setup_queues(), and bring queue pair 5 to RTS. */
struct core_env *core_setup_qp(void **state, struct core_qp *cqp)
{
	struct core_env *env;

	core_setup_queues(state);
	env = *state;
	core_create_qp(env, 5, cqp);
	core_to_rts(env, cqp);
	return env;
}

/* Post a send without ringing the doorbell. */
void core_post_send(struct core_qp *cqp, u8 flags, u64 wr_id)
{
	u32 pi = le32_to_cpu(cqp->rec->sq_pi);
	struct xrdma_sq_wqe wqe = {
		.opcode = XRDMA_OP_SEND,
		.flags = flags,
		.wr_id = cpu_to_le64(wr_id),
	};

	memcpy(cqp->sq + (xrdma_ring_slot(pi, CORE_WQ_LOG) << CORE_STRIDE_LOG),
	       &wqe, sizeof(wqe));
	cqp->rec->sq_pi = cpu_to_le32(pi + 1);
}

void core_post_recv(struct core_qp *cqp, u64 wr_id)
{
	u32 pi = le32_to_cpu(cqp->rec->rq_pi);
	struct xrdma_rq_wqe wqe = { .wr_id = cpu_to_le64(wr_id) };

	memcpy(cqp->rq + (xrdma_ring_slot(pi, CORE_WQ_LOG) << CORE_STRIDE_LOG),
	       &wqe, sizeof(wqe));
	cqp->rec->rq_pi = cpu_to_le32(pi + 1);
}

struct xrdma_mpt_entry *core_mpt(struct core_env *env, u32 index)
{
	return (struct xrdma_mpt_entry *)core_ptr(env, env->mpt) + index;
}

u32 core_region(struct core_env *env, u32 index, u64 addr, u64 length,
		u16 access)
{
	struct xrdma_mpt_entry *e = core_mpt(env, index);
	u32 key = xrdma_make_key(index, 0x5a);

	memset(e, 0, sizeof(*e));
	e->iova = cpu_to_le64(addr);
	e->length = cpu_to_le64(length);
	e->root = cpu_to_le64(xrdma_make_root(addr & ~0x1fffffULL, 0, 21));
	e->offset = cpu_to_le32(addr & 0x1fffff);
	e->ctrl = cpu_to_le64(xrdma_make_mpt_ctrl(XRDMA_MPT_VALID, XRDMA_MPT_MR,
						  key, 7, access));
	return key;
}

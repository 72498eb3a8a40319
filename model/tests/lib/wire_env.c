// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Devices, their hosts and a wire: see wire_env.h. Posting is in wire_post.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/lib/wire_env.h"

const struct wire_params wire_defaults = {
	.log_depth = 7,
	.path_mtu = 3,
	.timeout = 14,
	.retry_cnt = 7,
	.rnr_retry = 7,
	.min_rnr_timer = 12,
	.max_rd_atomic = 16,
	.max_dest_rd_atomic = 16,
	.access = XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ |
		  XRDMA_ACCESS_REMOTE_ATOMIC,
	.psn = 0xfffff0,
};

u8 wire_mpt_log = 21;

static void no_irq(void *opaque, unsigned int vector)
{
	(void)opaque;
	(void)vector;
}

static void unmapping(void *opaque, u64 iova, u64 len)
{
	struct wire_host *host = opaque;

	if (host->dev)
		model_device_dma_unmap(host->dev, iova, len);
}

static void make_memory(struct wire_host *host)
{
	host->fd = memfd_create("host", MFD_CLOEXEC);
	assert_true(host->fd >= 0);
	assert_int_equal(ftruncate(host->fd, WIRE_MEM_SIZE), 0);
	host->mem = mmap(NULL, WIRE_MEM_SIZE, PROT_READ | PROT_WRITE,
			 MAP_SHARED, host->fd, 0);
	assert_ptr_not_equal(host->mem, MAP_FAILED);
	assert_int_equal(model_dma_map(host->dma, WIRE_IOVA, WIRE_MEM_SIZE,
				       MODEL_DMA_READ | MODEL_DMA_WRITE,
				       host->fd, 0), 0);
	host->next = WIRE_IOVA;
}

u64 wire_alloc(struct wire_host *host, u64 size, u64 align)
{
	u64 addr = (host->next + align - 1) & ~(align - 1);

	host->next = addr + size;
	assert_true(host->next <= WIRE_IOVA + WIRE_MEM_SIZE);
	return addr;
}

void *wire_ptr(struct wire_host *host, u64 addr)
{
	assert_true(addr >= WIRE_IOVA && addr < WIRE_IOVA + WIRE_MEM_SIZE);
	return host->mem + (addr - WIRE_IOVA);
}

static void write64(struct wire_host *host, u32 reg, u64 value)
{
	__le64 v = cpu_to_le64(value);

	model_device_write(host->dev, XRDMA_BAR_REGS, reg, &v, sizeof(v));
}

static void write32(struct wire_host *host, u32 reg, u32 value)
{
	__le32 v = cpu_to_le32(value);

	model_device_write(host->dev, XRDMA_BAR_REGS, reg, &v, sizeof(v));
}

static void enable(struct wire_host *host)
{
	host->mpt = wire_alloc(host, 1ULL << wire_mpt_log, 1ULL << wire_mpt_log);
	write64(host, XRDMA_REG_CMD_BASE, wire_alloc(host, 4096, 4096));
	write64(host, XRDMA_REG_RSP_BASE, wire_alloc(host, 4096, 4096));
	write32(host, XRDMA_REG_CMD_LOG, 5);
	write64(host, XRDMA_REG_MPT_ROOT,
		xrdma_make_root(host->mpt, 0, wire_mpt_log));
	write32(host, XRDMA_REG_CTRL,
		XRDMA_CTRL_ENABLE | XRDMA_CTRL_SHADOW_DB);
	assert_true(model_device_enabled(host->dev));
}

/* Allocate a ring of 64-byte entries and its record, in one block. */
static u64 make_queue(struct wire_host *host, u8 log_depth, u64 *addr)
{
	u8 leaf = log_depth + 7;

	if (leaf < XRDMA_LEAF_SHIFT_MIN)
		leaf = XRDMA_LEAF_SHIFT_MIN;
	*addr = wire_alloc(host, 1ULL << leaf, 1ULL << leaf);
	memset(wire_ptr(host, *addr), 0, 1ULL << leaf);
	return xrdma_make_root(*addr, 0, leaf);
}

static void make_eq(struct wire_host *host, u32 eqn)
{
	struct xrdma_cmd_create_eq p = {
		.eqn = cpu_to_le32(eqn),
		.vector = cpu_to_le16(eqn),
		.log_depth = 12,
	};
	u64 addr;

	p.root = cpu_to_le64(make_queue(host, p.log_depth, &addr));
	assert_int_equal(model_eq_create(host->dev, &p), XRDMA_CMD_OK);
}

/* Set GID 0: IPv4, 1: IPv6, 2: IPv6 with a VLAN tag. */
static void make_gids(struct wire_host *host, int number)
{
	struct xrdma_cmd_set_gid p = {
		.flags = cpu_to_le32(XRDMA_GID_VALID | XRDMA_GID_IPV4),
		.gid = { [10] = 0xff, 0xff, 192, 168, 77, number + 1 },
	};

	memcpy(p.mac, host->mac, sizeof(p.mac));
	memcpy(host->gid, p.gid, sizeof(p.gid));
	assert_int_equal(model_gid_set(host->dev, &p), XRDMA_CMD_OK);
	p.index = cpu_to_le32(1);
	p.flags = cpu_to_le32(XRDMA_GID_VALID);
	memset(p.gid, 0, sizeof(p.gid));
	p.gid[0] = 0xfd;
	p.gid[15] = number + 1;
	assert_int_equal(model_gid_set(host->dev, &p), XRDMA_CMD_OK);
	p.index = cpu_to_le32(2);
	p.flags = cpu_to_le32(XRDMA_GID_VALID | XRDMA_GID_VLAN);
	p.vlan_tci = cpu_to_le16(100);
	p.gid[1] = 1;
	assert_int_equal(model_gid_set(host->dev, &p), XRDMA_CMD_OK);
}

static void port_up(struct wire_host *host)
{
	struct xrdma_cmd_modify_port p = {
		.flags = cpu_to_le32(XRDMA_PORT_UP),
		.mtu = cpu_to_le32(4500),
	};

	memcpy(p.mac, host->mac, sizeof(p.mac));
	assert_int_equal(model_port_modify(host->dev, &p), XRDMA_CMD_OK);
}

static void start_host(struct wire_host *host, int number)
{
	enable(host);
	host->next_number = 2;
	make_eq(host, 0);
	make_eq(host, 1);
	make_gids(host, number);
	port_up(host);
}

static void make_host(struct wire_env *env, int number)
{
	struct wire_host *host = &env->hosts[number];
	struct model_device_params params = {
		.transport = &model_roce_transport,
		.irq = no_irq,
		.irq_opaque = host,
		.vectors = XRDMA_MSIX_VECTORS,
		.mac = { 2, 0, 0, 0, 0, number + 1 },
		.seed = 1,
		.log_max_keys = XRDMA_LOG_MAX_KEYS,
	};

	memcpy(host->mac, params.mac, sizeof(host->mac));
	host->dma = model_dma_create();
	host->herr = model_host_errors_create();
	model_dma_set_unmap_fn(host->dma, unmapping, host);
	model_dma_enable(host->dma, true);
	make_memory(host);
	params.loop = env->loop;
	params.dma = host->dma;
	params.herr = host->herr;
	host->dev = model_device_create(&params);
	assert_non_null(host->dev);
	model_device_bus_master(host->dev, true);
	start_host(host, number);
}

/* Reset the device of host @number, and fill the host's memory with zeros. */
void wire_restart(struct wire_env *env, int number)
{
	struct wire_host *host = &env->hosts[number];

	model_device_reset(host->dev);
	memset(host->mem, 0, host->next - WIRE_IOVA);
	host->next = WIRE_IOVA;
	start_host(host, number);
}

static void make_wire(struct wire_env *env)
{
	struct model_why why;
	char spec[128];

	strcpy(env->dir, "/tmp/xrdma-wire-XXXXXX");
	assert_non_null(mkdtemp(env->dir));
	snprintf(spec, sizeof(spec), "local=%s/a,remote=%s/b", env->dir,
		 env->dir);
	assert_int_equal(model_wire_open(env->hosts[0].dev->wire, spec, &why), 0);
	snprintf(spec, sizeof(spec), "remote=%s/a,local=%s/b", env->dir,
		 env->dir);
	assert_int_equal(model_wire_open(env->hosts[1].dev->wire, spec, &why), 0);
}

static int setup(void **state, int n)
{
	struct wire_env *env = calloc(1, sizeof(*env));
	int i;

	assert_non_null(env);
	env->loop = model_loop_create(0);
	env->n = n;
	for (i = 0; i < n; i++)
		make_host(env, i);
	if (n == 2)
		make_wire(env);
	*state = env;
	return 0;
}

int wire_setup_1(void **state)
{
	return setup(state, 1);
}

int wire_setup_2(void **state)
{
	return setup(state, 2);
}

/* Return: false after unexpected host errors, or if a frame is leaked. */
static bool end_host(struct wire_host *host)
{
	struct model_device *dev = host->dev;
	bool ok = host->herr->total == host->expected;
	unsigned int i;

	for (i = 0; !ok && i < model_host_errors_kept(host->herr); i++)
		print_error("host error: %s\n",
			    model_host_errors_entry(host->herr, i)->text);
	model_device_reset(dev);
	if (dev->wire->pool.available != dev->wire->pool.total) {
		print_error("%u of %u frames were freed\n",
			    dev->wire->pool.available, dev->wire->pool.total);
		ok = false;
	}
	host->dev = NULL;
	model_device_destroy(dev);
	model_dma_destroy(host->dma);
	model_host_errors_destroy(host->herr);
	munmap(host->mem, WIRE_MEM_SIZE);
	close(host->fd);
	return ok;
}

int wire_teardown(void **state)
{
	struct wire_env *env = *state;
	bool ok = true;
	int i;

	for (i = 0; i < env->n; i++)
		ok &= end_host(&env->hosts[i]);
	model_loop_destroy(env->loop);
	if (env->n == 2)
		rmdir(env->dir);
	free(env);
	return ok ? 0 : -1;
}

/* Publish a region at bus address and IOVA @addr. Return: the key. */
u32 wire_region(struct wire_host *host, u32 index, u64 addr, u64 length,
		u16 access)
{
	struct xrdma_mpt_entry *e = wire_ptr(host, host->mpt);
	u32 key = xrdma_make_key(index, 0x5a);

	e += index;
	memset(e, 0, sizeof(*e));
	e->iova = cpu_to_le64(addr);
	e->length = cpu_to_le64(length);
	e->root = cpu_to_le64(xrdma_make_root(WIRE_IOVA, 0, 27));
	e->offset = cpu_to_le32(addr - WIRE_IOVA);
	e->ctrl = cpu_to_le64(xrdma_make_mpt_ctrl(XRDMA_MPT_VALID,
						  XRDMA_MPT_MR, key, WIRE_PD,
						  access));
	return key;
}

void wire_unregion(struct wire_host *host, u32 index)
{
	assert_int_equal(model_key_invalidate(host->dev, index),
			 XRDMA_INVAL_OK);
}

struct xrdma_sge wire_sge(u64 addr, u32 length, u32 lkey)
{
	return (struct xrdma_sge) {
		.addr = cpu_to_le64(addr),
		.length = cpu_to_le32(length),
		.lkey = cpu_to_le32(lkey),
	};
}

void wire_create_cq(struct wire_host *host, u8 log_depth, struct wire_cq *cq)
{
	struct xrdma_cmd_create_cq p = {
		.eqn = cpu_to_le32(1),
		.log_depth = log_depth,
	};
	u64 addr;

	cq->cqn = host->next_number++;
	cq->log_depth = log_depth;
	p.cqn = cpu_to_le32(cq->cqn);
	p.root = cpu_to_le64(make_queue(host, log_depth, &addr));
	cq->ring = wire_ptr(host, addr);
	cq->rec = wire_ptr(host, addr + xrdma_cq_rec_offset(log_depth));
	assert_int_equal(model_cq_create(host->dev, &p), XRDMA_CMD_OK);
}

/* Create a queue pair; it has no receive ring if @srqn is not 0. */
void wire_create_qp_on(struct wire_env *env, int host, u8 type, u8 flags,
		       u8 log_depth, u32 srqn, struct wire_qp *qp)
{
	bool has_rq = !(flags & XRDMA_QP_SRQ) && type != XRDMA_QP_XRC_INI;
	u8 leaf = log_depth + 9;
	struct xrdma_cmd_create_qp p = {
		.pd = cpu_to_le32(WIRE_PD),
		.type = type,
		.flags = flags,
		.srqn = cpu_to_le32(srqn),
		.log_sq_depth = log_depth,
		.sq_units = WIRE_SQ_UNITS,
		.log_rq_depth = has_rq ? log_depth : 0,
		.log_rq_stride = has_rq ? WIRE_RQ_STRIDE_LOG : 0,
	};
	u64 rec = xrdma_qp_rec_offset(log_depth, WIRE_SQ_UNITS,
				      p.log_rq_depth, p.log_rq_stride);
	u64 addr;

	memset(qp, 0, sizeof(*qp));
	qp->env = env;
	qp->host = &env->hosts[host];
	qp->log_depth = log_depth;
	wire_create_cq(qp->host, log_depth + 1, &qp->send_cq);
	wire_create_cq(qp->host, log_depth + 1, &qp->recv_cq);
	qp->qpn = type == XRDMA_QP_GSI ? XRDMA_QPN_GSI :
					 qp->host->next_number++;
	if (leaf < XRDMA_LEAF_SHIFT_MIN)
		leaf = XRDMA_LEAF_SHIFT_MIN;
	addr = wire_alloc(qp->host, 1ULL << leaf, 1ULL << leaf);
	memset(wire_ptr(qp->host, addr), 0, 1ULL << leaf);
	p.root = cpu_to_le64(xrdma_make_root(addr, 0, leaf));
	p.qpn = cpu_to_le32(qp->qpn);
	p.send_cqn = cpu_to_le32(qp->send_cq.cqn);
	if (type != XRDMA_QP_XRC_INI)
		p.recv_cqn = cpu_to_le32(qp->recv_cq.cqn);
	assert_int_equal(model_qp_create(qp->host->dev, &p), XRDMA_CMD_OK);
	qp->qp = model_qp_get(qp->host->dev, qp->qpn);
	qp->rq = wire_ptr(qp->host, addr);
	qp->sq = qp->rq + xrdma_qp_sq_offset(p.log_rq_depth, p.log_rq_stride);
	qp->rec = wire_ptr(qp->host, addr + rec);
}

void wire_create_qp(struct wire_env *env, int host, u8 type, u8 flags,
		    u8 log_depth, struct wire_qp *qp)
{
	wire_create_qp_on(env, host, type, flags, log_depth, 0, qp);
}

/* Remove attributes that this type of connection does not have. */
static void leave_out(u8 type, u32 *mask, struct xrdma_qp_attr *attr)
{
	if (type != XRDMA_QP_RC && type != XRDMA_QP_XRC_INI) {
		attr->retry_cnt = 0;
		attr->rnr_retry = 0;
		attr->max_rd_atomic = 0;
		*mask &= ~(XRDMA_QPM_RETRY_CNT | XRDMA_QPM_RNR_RETRY |
			   XRDMA_QPM_MAX_RD_ATOMIC);
	}
	if (type != XRDMA_QP_RC && type != XRDMA_QP_XRC_TGT) {
		attr->min_rnr_timer = 0;
		attr->max_dest_rd_atomic = 0;
		*mask &= ~(XRDMA_QPM_MIN_RNR_TIMER |
			   XRDMA_QPM_MAX_DEST_RD_ATOMIC);
	}
	if (type == XRDMA_QP_UC) {
		attr->timeout = 0;
		*mask &= ~XRDMA_QPM_TIMEOUT;
	}
}

static void modify(struct wire_qp *qp, u8 state, u32 mask,
		   const struct xrdma_qp_attr *attr)
{
	struct xrdma_cmd_modify_qp p = {
		.qpn = cpu_to_le32(qp->qpn),
		.attr = *attr,
	};

	leave_out(qp->qp->type, &mask, &p.attr);
	p.mask = cpu_to_le32(mask | XRDMA_QPM_STATE);
	p.attr.state = state;
	assert_int_equal(model_qp_modify(qp->host->dev, &p), XRDMA_CMD_OK);
}

void wire_modify_state(struct wire_qp *qp, u8 state)
{
	const struct xrdma_qp_attr none = { 0 };

	modify(qp, state, 0, &none);
}

void wire_connect_to_rtr(struct wire_qp *qp, const struct wire_qp *peer,
			 const struct wire_params *params, u32 rq_psn)
{
	const struct model_gid *gid =
		model_gid_get(peer->host->dev, params->gid_index);
	const struct xrdma_qp_attr init = {
		.access = cpu_to_le16(params->access),
	};
	struct xrdma_qp_attr rtr = {
		.path_mtu = params->path_mtu,
		.dest_qpn = cpu_to_le32(peer->qpn),
		.rq_psn = cpu_to_le32(rq_psn),
		.max_dest_rd_atomic = params->max_dest_rd_atomic,
		.min_rnr_timer = params->min_rnr_timer,
		.av = { .hop_limit = 64, .sgid_index = params->gid_index },
	};

	memcpy(rtr.av.dgid, gid->gid, sizeof(rtr.av.dgid));
	memcpy(rtr.av.dmac, gid->mac, sizeof(rtr.av.dmac));
	modify(qp, XRDMA_QPS_INIT, XRDMA_QPM_PKEY_INDEX | XRDMA_QPM_ACCESS,
	       &init);
	modify(qp, XRDMA_QPS_RTR, XRDMA_QPM_AV | XRDMA_QPM_PATH_MTU |
	       XRDMA_QPM_DEST_QPN | XRDMA_QPM_RQ_PSN |
	       XRDMA_QPM_MAX_DEST_RD_ATOMIC | XRDMA_QPM_MIN_RNR_TIMER, &rtr);
}

void wire_connect_one(struct wire_qp *qp, const struct wire_qp *peer,
		      const struct wire_params *params, u32 sq_psn, u32 rq_psn)
{
	const struct xrdma_qp_attr rts = {
		.timeout = params->timeout,
		.retry_cnt = params->retry_cnt,
		.rnr_retry = params->rnr_retry,
		.sq_psn = cpu_to_le32(sq_psn),
		.max_rd_atomic = params->max_rd_atomic,
	};

	wire_connect_to_rtr(qp, peer, params, rq_psn);
	modify(qp, XRDMA_QPS_RTS, XRDMA_QPM_TIMEOUT | XRDMA_QPM_RETRY_CNT |
	       XRDMA_QPM_RNR_RETRY | XRDMA_QPM_SQ_PSN |
	       XRDMA_QPM_MAX_RD_ATOMIC, &rts);
}

/* Create and connect @a on host 0 and @b on the last host. */
void wire_connect(struct wire_env *env, struct wire_qp *a, struct wire_qp *b,
		  const struct wire_params *params)
{
	wire_create_qp(env, 0, XRDMA_QP_RC, params->flags, params->log_depth,
		       a);
	wire_create_qp(env, env->n - 1, XRDMA_QP_RC, params->flags,
		       params->log_depth, b);
	wire_connect_one(a, b, params, params->psn, params->psn ^ 0x55);
	wire_connect_one(b, a, params, params->psn ^ 0x55, params->psn);
}

/* Fill memory with pseudorandom bytes that depend on @seed only. */
void wire_fill(u8 *mem, u32 len, u32 seed)
{
	u32 i;

	for (i = 0; i < len; i++) {
		seed = seed * 1664525 + 1013904223;
		mem[i] = seed >> 24;
	}
}

/*
 * Give each side of @p a buffer of @size bytes and a region of it, and fill the
 * buffer of side a. @a_index, @b_index: indexes of the keys; @access: rights.
 */
void wire_make_buffers(struct wire_pair *p, u64 size, u32 a_index, u32 b_index,
		       u16 access)
{
	p->a_buf = wire_alloc(p->a.host, size, 4096);
	p->b_buf = wire_alloc(p->b.host, size, 4096);
	p->a_key = wire_region(p->a.host, a_index, p->a_buf, size, access);
	p->b_key = wire_region(p->b.host, b_index, p->b_buf, size, access);
	p->a_mem = wire_ptr(p->a.host, p->a_buf);
	p->b_mem = wire_ptr(p->b.host, p->b_buf);
	wire_fill(p->a_mem, size, 1);
}

/* Connect two queue pairs with a buffer of WIRE_BUF_SIZE bytes on each side. */
void wire_make_pair(struct wire_env *env, struct wire_pair *p,
		    const struct wire_params *params)
{
	wire_connect(env, &p->a, &p->b, params);
	wire_make_buffers(p, WIRE_BUF_SIZE, 100 + p->a.qpn, 100 + p->b.qpn,
			  WIRE_ALL_RIGHTS);
	wire_fill(p->b_mem, WIRE_BUF_SIZE, 2);
}

/* Impair the frames that a host sends from now on. */
void wire_impair(struct wire_host *host, const char *spec)
{
	struct model_why why;

	if (model_wire_impair(host->dev->wire, "tx", spec, &why))
		fail_msg("%s: %s", spec, why.text);
}

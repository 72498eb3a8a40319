// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases for fast registration: REG_MR, LOCAL_INV and SEND_WITH_INV, valid ones
 * and ones that the device refuses. Memory windows are in ktest_mw.c.
 */

#include <linux/random.h>
#include <linux/slab.h>
#include "ktest.h"

/**
 * struct region - a fast-register region and its memory
 * @mem: the memory
 * @mr: the region
 */
struct region {
	struct ktest_mem mem;
	struct ib_mr *mr;
};

static int region_map(struct region *r, unsigned int offset)
{
	int num;

	num = ib_map_mr_sg(r->mr, r->mem.sg, r->mem.num, &offset,
			   PAGE_SIZE << r->mem.order);
	if (num < 0)
		return num;
	return num == r->mem.num ? 0 : -ENOSPC;
}

static void region_close(struct ktest *t, struct region *r)
{
	if (!IS_ERR_OR_NULL(r->mr))
		EXPECT_EQ(t, ib_dereg_mr(r->mr), 0);
	ktest_mem_free(t, &r->mem);
}

/* A region of @num pieces of KTEST_UNTOUCHED bytes, from byte @offset on */
static int region_open(struct ktest *t, struct region *r, struct ib_pd *pd,
		       unsigned int order, unsigned int num,
		       unsigned int offset)
{
	int err;

	memset(r, 0, sizeof(*r));
	err = ktest_mem_alloc(t, &r->mem, order, num);
	if (!err) {
		ktest_mem_fill(&r->mem, KTEST_UNTOUCHED);
		r->mr = ib_alloc_mr(pd, IB_MR_TYPE_MEM_REG, num);
		err = PTR_ERR_OR_ZERO(r->mr);
	}
	err = err ?: region_map(r, offset);
	EXPECT_EQ(t, err, 0);
	return err;
}

/* ---- data --------------------------------------------------------------- */

/* Writes and reads @len bytes at @at of a region that begins at @offset. */
static void move_bytes(struct ktest *t, struct region *r, unsigned int offset,
		       u64 at, u32 len)
{
	get_random_bytes(t->a.buf, len);
	EXPECT_EQ(t, ktest_write(t, 0, len, r->mr->iova + at, r->mr->rkey),
		  IB_WC_SUCCESS);
	EXPECT(t, ktest_mem_holds(&r->mem, offset + at, t->a.buf, len,
				  KTEST_UNTOUCHED));
	EXPECT_EQ(t, ktest_read(t, KTEST_BUF_SIZE / 2, len, r->mr->iova + at,
				r->mr->rkey), IB_WC_SUCCESS);
	EXPECT(t, !memcmp(t->a.buf, t->a.buf + KTEST_BUF_SIZE / 2, len));
	ktest_mem_fill(&r->mem, KTEST_UNTOUCHED);
}

static void region_works(struct ktest *t, unsigned int order, unsigned int num,
			 unsigned int offset)
{
	u64 size = ((u64)PAGE_SIZE << order) * num - offset;
	u32 len = min_t(u64, size, 100000);
	struct region r;

	if (!region_open(t, &r, t->pd, order, num, offset)) {
		EXPECT_EQ(t, r.mr->length, size);
		EXPECT_EQ(t, ktest_reg(t, r.mr, r.mr->rkey, KTEST_ALL),
			  IB_WC_SUCCESS);
		EXPECT_EQ(t, t->wc.opcode, IB_WC_REG_MR);
		move_bytes(t, &r, offset, 0, len);
		move_bytes(t, &r, offset, size - len, len);
		move_bytes(t, &r, offset, (size - len) / 2, len);
		move_bytes(t, &r, offset, size - 1, 1);
		EXPECT_EQ(t, ktest_inv(t, r.mr->rkey), IB_WC_SUCCESS);
		EXPECT_EQ(t, t->wc.opcode, IB_WC_LOCAL_INV);
	}
	region_close(t, &r);
}

static void one_page_is_registered(struct ktest *t)
{
	region_works(t, 0, 1, 0);
}

static void two_pages_are_registered_from_inside(struct ktest *t)
{
	region_works(t, 0, 2, 1234);
}

static void pages_of_4k_are_registered_512(struct ktest *t)
{
	region_works(t, 0, 512, 0);
}

static void pages_of_4k_are_registered_513(struct ktest *t)
{
	region_works(t, 0, 513, 4095);
}

static void pages_of_4k_are_registered_4096(struct ktest *t)
{
	region_works(t, 0, 4096, 100);
}

static void pages_of_64k_are_registered(struct ktest *t)
{
	region_works(t, 4, 20, 5000);
}

static void one_page_of_2m_is_registered(struct ktest *t)
{
	region_works(t, 9, 1, 4096 + 17);
}

static void pages_of_2m_are_registered(struct ktest *t)
{
	region_works(t, 9, 3, 1 << 20);
}

/* The consumer may choose another key byte for each registration. */
static void each_registration_has_its_own_key(struct ktest *t)
{
	struct region r;
	u32 i, old;

	if (region_open(t, &r, t->pd, 0, 4, 0))
		goto out;
	for (i = 0; i < 20; i++) {
		old = r.mr->rkey;
		ib_update_fast_reg_key(r.mr, ib_inc_rkey(r.mr->rkey));
		EXPECT_EQ(t, ktest_reg(t, r.mr, r.mr->rkey, KTEST_ALL),
			  IB_WC_SUCCESS);
		move_bytes(t, &r, 0, 100 * i, 4000);
		EXPECT_EQ(t, ktest_inv(t, r.mr->rkey), IB_WC_SUCCESS);
	}
	EXPECT_EQ(t, ktest_reg(t, r.mr, r.mr->rkey, KTEST_ALL), IB_WC_SUCCESS);
	EXPECT_EQ(t, ktest_write(t, 0, 8, r.mr->iova, old),
		  IB_WC_REM_ACCESS_ERR);
	EXPECT(t, ktest_mem_holds(&r.mem, 0, NULL, 0, KTEST_UNTOUCHED));
out:
	region_close(t, &r);
}

/* One list registers a region and sends from it, without waiting between. */
static void list_registers_and_sends(struct ktest *t)
{
	struct ib_send_wr send = { .opcode = IB_WR_SEND, .num_sge = 1 };
	struct ib_reg_wr reg = {
		.wr = { .opcode = IB_WR_REG_MR, .next = &send },
		.access = IB_ACCESS_LOCAL_WRITE,
	};
	struct ib_sge sge = { .length = 6000 };
	struct region r;
	int i;

	if (region_open(t, &r, t->pd, 0, 3, 3000))
		goto out;
	reg.mr = r.mr;
	reg.key = r.mr->lkey;
	sge.addr = r.mr->iova;
	sge.lkey = r.mr->lkey;
	send.sg_list = &sge;
	reg.wr.wr_cqe = &ktest_op_init(&t->op[0])->cqe;
	send.wr_cqe = &ktest_op_init(&t->op[1])->cqe;
	EXPECT_EQ(t, ktest_recv(t, &t->a, &t->op[2], 0, 8192), 0);
	EXPECT_EQ(t, ib_post_send(t->b.qp, &reg.wr, NULL), 0);
	for (i = 0; i < 3; i++) {
		EXPECT(t, ktest_wait(&t->op[i]));
		EXPECT_EQ(t, t->op[i].wc.status, IB_WC_SUCCESS);
	}
	EXPECT_EQ(t, t->op[2].wc.byte_len, 6000);
	EXPECT(t, !memchr_inv(t->a.buf, KTEST_UNTOUCHED, 6000));
out:
	region_close(t, &r);
}

/* After ib_map_mr_sg() alone, the old key still grants the old pages. */
static void new_pages_wait_for_their_registration(struct ktest *t)
{
	struct ktest_mem old = {};
	struct region r;

	if (region_open(t, &r, t->pd, 0, 4, 0))
		goto out;
	EXPECT_EQ(t, ktest_reg(t, r.mr, r.mr->rkey, KTEST_ALL), IB_WC_SUCCESS);
	old = r.mem;
	EXPECT_EQ(t, ktest_mem_alloc(t, &r.mem, 0, 4), 0);
	ktest_mem_fill(&r.mem, KTEST_UNTOUCHED);
	EXPECT_EQ(t, region_map(&r, 0), 0);
	EXPECT_EQ(t, ktest_to_state(t->b.qp, IB_QPS_ERR), 0);
	EXPECT_EQ(t, ktest_reg(t, r.mr, r.mr->rkey, KTEST_ALL),
		  IB_WC_WR_FLUSH_ERR);
	EXPECT_EQ(t, ktest_reconnect(t), 0);
	EXPECT_EQ(t, region_map(&r, 0), 0);
	EXPECT_EQ(t, ktest_write(t, 0, 16384, sg_dma_address(old.sg),
				 r.mr->rkey), IB_WC_SUCCESS);
	EXPECT(t, ktest_mem_holds(&old, 0, t->a.buf, 16384, 0));
	EXPECT(t, ktest_mem_holds(&r.mem, 0, NULL, 0, KTEST_UNTOUCHED));
	ktest_mem_fill(&old, KTEST_UNTOUCHED);
	EXPECT_EQ(t, ktest_inv(t, r.mr->rkey), IB_WC_SUCCESS);
	EXPECT_EQ(t, ktest_reg(t, r.mr, r.mr->rkey, KTEST_ALL), IB_WC_SUCCESS);
	move_bytes(t, &r, 0, 0, 16384);
	EXPECT(t, ktest_mem_holds(&old, 0, NULL, 0, KTEST_UNTOUCHED));
out:
	region_close(t, &r);
	ktest_mem_free(t, &old);
}

/* ---- invalidation ------------------------------------------------------- */

static int send_inv(struct ktest *t, u32 key)
{
	struct ib_sge sge = ktest_sge(t, &t->a, 0, 64);
	struct ib_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IB_WR_SEND_WITH_INV,
		.ex.invalidate_rkey = key,
	};
	int err;

	err = ktest_recv(t, &t->b, &t->op[0], 0, 4096);
	if (err)
		return err;
	err = ktest_do(t, t->a.qp, &wr);
	EXPECT(t, ktest_wait(&t->op[0]));
	return err;
}

static void region_that_is_not_registered_grants_nothing(struct ktest *t)
{
	struct region r;

	if (region_open(t, &r, t->pd, 0, 4, 0))
		goto out;
	EXPECT_EQ(t, ktest_write(t, 0, 8, r.mr->iova, r.mr->rkey),
		  IB_WC_REM_ACCESS_ERR);
	EXPECT_EQ(t, ktest_reconnect(t), 0);
	EXPECT_EQ(t, ktest_reg(t, r.mr, r.mr->rkey, KTEST_ALL), IB_WC_SUCCESS);
	EXPECT_EQ(t, ktest_inv(t, r.mr->rkey), IB_WC_SUCCESS);
	/* invalidating a region that is free already succeeds */
	EXPECT_EQ(t, ktest_inv(t, r.mr->rkey), IB_WC_SUCCESS);
	EXPECT_EQ(t, ktest_write(t, 0, 8, r.mr->iova, r.mr->rkey),
		  IB_WC_REM_ACCESS_ERR);
	EXPECT(t, ktest_mem_holds(&r.mem, 0, NULL, 0, KTEST_UNTOUCHED));
out:
	region_close(t, &r);
}

static void send_with_inv_invalidates(struct ktest *t)
{
	struct region r;

	if (region_open(t, &r, t->pd, 0, 4, 0))
		goto out;
	EXPECT_EQ(t, ktest_reg(t, r.mr, r.mr->rkey, KTEST_ALL), IB_WC_SUCCESS);
	move_bytes(t, &r, 0, 0, 4096);
	EXPECT_EQ(t, send_inv(t, r.mr->rkey), IB_WC_SUCCESS);
	EXPECT_EQ(t, t->op[0].wc.status, IB_WC_SUCCESS);
	EXPECT_EQ(t, t->op[0].wc.opcode, IB_WC_RECV);
	EXPECT_EQ(t, t->op[0].wc.wc_flags, IB_WC_WITH_INVALIDATE);
	EXPECT_EQ(t, t->op[0].wc.ex.invalidate_rkey, r.mr->rkey);
	EXPECT_EQ(t, t->op[0].wc.byte_len, 64);
	EXPECT_EQ(t, ktest_reg(t, r.mr, r.mr->rkey, KTEST_ALL), IB_WC_SUCCESS);
	EXPECT_EQ(t, send_inv(t, r.mr->rkey), IB_WC_SUCCESS);
	EXPECT_EQ(t, ktest_write(t, 0, 8, r.mr->iova, r.mr->rkey),
		  IB_WC_REM_ACCESS_ERR);
	EXPECT(t, ktest_mem_holds(&r.mem, 0, NULL, 0, KTEST_UNTOUCHED));
out:
	region_close(t, &r);
}

/* Bad keys: of another kind of region, without entry, with a wrong byte */
static void bad_remote_invalidation_ends_the_connection(struct ktest *t)
{
	struct region r;
	u32 bad[3];
	int i;

	if (region_open(t, &r, t->pd, 0, 1, 0))
		goto out;
	EXPECT_EQ(t, ktest_reg(t, r.mr, r.mr->rkey, KTEST_ALL), IB_WC_SUCCESS);
	bad[0] = t->mr->rkey;
	bad[1] = 0xffffff00;
	bad[2] = ib_inc_rkey(r.mr->rkey);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(t, send_inv(t, bad[i]), IB_WC_REM_ACCESS_ERR);
		EXPECT_EQ(t, t->op[0].wc.status, IB_WC_LOC_ACCESS_ERR);
		EXPECT_EQ(t, ktest_reconnect(t), 0);
	}
	move_bytes(t, &r, 0, 0, 4096);
out:
	region_close(t, &r);
}

/* Expects that a LOCAL_INV fails for this reason, then connects again. */
static void inv_fails(struct ktest *t, u32 key, int reason)
{
	EXPECT_EQ(t, ktest_inv(t, key), IB_WC_LOC_QP_OP_ERR);
	EXPECT_EQ(t, t->wc.vendor_err, reason);
	EXPECT_EQ(t, ktest_reconnect(t), 0);
}

static void bad_local_invalidation_is_refused(struct ktest *t)
{
	struct region r, other;

	memset(&other, 0, sizeof(other));
	if (region_open(t, &r, t->pd, 0, 1, 0) ||
	    region_open(t, &other, t->other_pd, 0, 1, 0))
		goto out;
	EXPECT_EQ(t, ktest_reg(t, r.mr, r.mr->rkey, KTEST_ALL), IB_WC_SUCCESS);
	inv_fails(t, t->mr->rkey, XRDMA_FAULT_TYPE);
	inv_fails(t, ib_inc_rkey(r.mr->rkey), XRDMA_FAULT_KEY_BYTE);
	inv_fails(t, other.mr->rkey, XRDMA_FAULT_PD);
	inv_fails(t, 0xffffff00, XRDMA_FAULT_KEY_INDEX);
	inv_fails(t, 0, XRDMA_FAULT_KEY_INVALID);
	move_bytes(t, &r, 0, 0, 4096);
out:
	region_close(t, &other);
	region_close(t, &r);
}

/* ---- refused ------------------------------------------------------------ */

static void reg_fails(struct ktest *t, struct ib_mr *mr, u32 key, int access,
		      int reason)
{
	EXPECT_EQ(t, ktest_reg(t, mr, key, access), IB_WC_MW_BIND_ERR);
	EXPECT_EQ(t, t->wc.vendor_err, reason);
	EXPECT_EQ(t, ktest_reconnect(t), 0);
}

static void bad_registration_is_refused(struct ktest *t)
{
	struct region r, other;
	u64 iova, length;

	memset(&other, 0, sizeof(other));
	if (region_open(t, &r, t->pd, 0, 2, 0) ||
	    region_open(t, &other, t->other_pd, 0, 2, 0))
		goto out;
	reg_fails(t, other.mr, other.mr->rkey, KTEST_ALL, XRDMA_FAULT_PD);
	reg_fails(t, r.mr, t->mr->rkey, KTEST_ALL, XRDMA_FAULT_TYPE);
	reg_fails(t, r.mr, 0xffffff00, KTEST_ALL, XRDMA_FAULT_KEY_INDEX);
	reg_fails(t, r.mr, 0, KTEST_ALL, XRDMA_FAULT_KEY_INVALID);
	reg_fails(t, r.mr, r.mr->rkey, IB_ACCESS_REMOTE_WRITE,
		  XRDMA_FAULT_RIGHTS);
	reg_fails(t, r.mr, r.mr->rkey, IB_ACCESS_REMOTE_ATOMIC,
		  XRDMA_FAULT_RIGHTS);
	iova = r.mr->iova;
	length = r.mr->length;
	r.mr->length = 0;
	reg_fails(t, r.mr, r.mr->rkey, KTEST_ALL, XRDMA_FAULT_RANGE);
	r.mr->length = length;
	r.mr->iova = -4096ULL;
	reg_fails(t, r.mr, r.mr->rkey, KTEST_ALL, XRDMA_FAULT_RANGE);
	r.mr->iova = iova;
	EXPECT_EQ(t, ktest_reg(t, r.mr, r.mr->rkey, KTEST_ALL), IB_WC_SUCCESS);
	reg_fails(t, r.mr, r.mr->rkey, KTEST_ALL, XRDMA_FAULT_NOT_FREE);
	move_bytes(t, &r, 0, 0, 8192);
out:
	region_close(t, &other);
	region_close(t, &r);
}

/* Requests before a bad REG_MR succeed, those after it are flushed. */
static void bad_registration_leaves_earlier_work_intact(struct ktest *t)
{
	struct ib_sge sge = ktest_sge(t, &t->b, 0, 100);
	struct ib_rdma_wr wr[2];
	struct ib_reg_wr reg = {
		.wr = { .opcode = IB_WR_REG_MR, .next = &wr[1].wr },
		.access = KTEST_ALL,
	};
	struct region r;
	int i;

	if (region_open(t, &r, t->other_pd, 0, 1, 0))
		goto out;
	reg.mr = r.mr;
	reg.key = r.mr->rkey;
	reg.wr.wr_cqe = &ktest_op_init(&t->op[2])->cqe;
	for (i = 0; i < 2; i++)
		wr[i] = (struct ib_rdma_wr) {
			.wr = {
				.wr_cqe = &ktest_op_init(&t->op[i])->cqe,
				.opcode = IB_WR_RDMA_WRITE,
				.sg_list = &sge,
				.num_sge = 1,
				.next = i ? NULL : &reg.wr,
			},
			.remote_addr = t->a.dma + 1000 + 100 * i,
			.rkey = t->mr->rkey,
		};
	memset(t->a.buf, KTEST_UNTOUCHED, 4096);
	EXPECT_EQ(t, ib_post_send(t->b.qp, &wr[0].wr, NULL), 0);
	for (i = 0; i < 3; i++)
		EXPECT(t, ktest_wait(&t->op[i]));
	EXPECT_EQ(t, t->op[0].wc.status, IB_WC_SUCCESS);
	EXPECT_EQ(t, t->op[2].wc.status, IB_WC_MW_BIND_ERR);
	EXPECT_EQ(t, t->op[1].wc.status, IB_WC_WR_FLUSH_ERR);
	EXPECT(t, !memcmp(t->a.buf + 1000, t->b.buf, 100));
	EXPECT(t, !memchr_inv(t->a.buf + 1100, KTEST_UNTOUCHED, 1000));
out:
	region_close(t, &r);
}

/* ---- bounds ------------------------------------------------------------- */

static void region_ends_where_it_ends(struct ktest *t)
{
	struct { s64 at; u32 len; } bad[] = {
		{ -1, 1 }, { -1, 100 }, { 0, 7193 }, { 7191, 2 }, { 7192, 1 },
	};
	struct region r;
	int i;

	if (region_open(t, &r, t->pd, 0, 2, 1000))
		goto out;
	EXPECT_EQ(t, ktest_reg(t, r.mr, r.mr->rkey, KTEST_ALL), IB_WC_SUCCESS);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(t, ktest_write(t, 0, bad[i].len,
					 r.mr->iova + bad[i].at, r.mr->rkey),
			  IB_WC_REM_ACCESS_ERR);
		EXPECT_EQ(t, ktest_reconnect(t), 0);
	}
	EXPECT(t, ktest_mem_holds(&r.mem, 0, NULL, 0, KTEST_UNTOUCHED));
	move_bytes(t, &r, 1000, 0, 7192);
out:
	region_close(t, &r);
}

static void rights_are_those_of_the_registration(struct ktest *t)
{
	struct region r;

	if (region_open(t, &r, t->pd, 0, 1, 0))
		goto out;
	EXPECT_EQ(t, ktest_reg(t, r.mr, r.mr->rkey, IB_ACCESS_REMOTE_READ),
		  IB_WC_SUCCESS);
	EXPECT_EQ(t, ktest_read(t, 0, 100, r.mr->iova, r.mr->rkey),
		  IB_WC_SUCCESS);
	EXPECT_EQ(t, ktest_write(t, 0, 100, r.mr->iova, r.mr->rkey),
		  IB_WC_REM_ACCESS_ERR);
	EXPECT(t, ktest_mem_holds(&r.mem, 0, NULL, 0, KTEST_UNTOUCHED));
	EXPECT_EQ(t, ktest_reconnect(t), 0);
	EXPECT_EQ(t, ktest_inv(t, r.mr->rkey), IB_WC_SUCCESS);
	EXPECT_EQ(t, ktest_reg(t, r.mr, r.mr->rkey, KTEST_ALL), IB_WC_SUCCESS);
	move_bytes(t, &r, 0, 0, 100);
out:
	region_close(t, &r);
}

static void region_that_is_gone_grants_nothing(struct ktest *t)
{
	struct region r;
	u64 addr;
	u32 key;

	if (region_open(t, &r, t->pd, 0, 1, 0))
		goto out;
	EXPECT_EQ(t, ktest_reg(t, r.mr, r.mr->rkey, KTEST_ALL), IB_WC_SUCCESS);
	addr = r.mr->iova;
	key = r.mr->rkey;
	EXPECT_EQ(t, ib_dereg_mr(r.mr), 0);
	r.mr = NULL;
	EXPECT_EQ(t, ktest_write(t, 0, 100, addr, key), IB_WC_REM_ACCESS_ERR);
	EXPECT(t, ktest_mem_holds(&r.mem, 0, NULL, 0, KTEST_UNTOUCHED));
out:
	region_close(t, &r);
}

/* ---- calls -------------------------------------------------------------- */

static void refused_alloc(struct ktest *t, enum ib_mr_type type, u32 num,
			  int err)
{
	struct ib_mr *mr = ib_alloc_mr(t->pd, type, num);

	EXPECT_EQ(t, PTR_ERR_OR_ZERO(mr), err);
	if (!IS_ERR(mr))
		ib_dereg_mr(mr);
}

static void limits_are_what_is_announced(struct ktest *t)
{
	u32 most = t->dev->attrs.max_fast_reg_page_list_len;

	EXPECT(t, t->dev->attrs.device_cap_flags &
		  IB_DEVICE_MEM_MGT_EXTENSIONS);
	EXPECT(t, most >= 512);
	refused_alloc(t, IB_MR_TYPE_MEM_REG, most, 0);
	refused_alloc(t, IB_MR_TYPE_MEM_REG, most + 1, -EINVAL);
	refused_alloc(t, IB_MR_TYPE_MEM_REG, 0, -EINVAL);
	refused_alloc(t, IB_MR_TYPE_SG_GAPS, 1, -EOPNOTSUPP);
}

static void pages_are_mapped_as_far_as_there_is_room(struct ktest *t)
{
	unsigned int offset = 0;
	struct region r;

	if (region_open(t, &r, t->pd, 0, 4, 0))
		goto out;
	EXPECT_EQ(t, ib_map_mr_sg(r.mr, r.mem.sg, 4, NULL, 2048), -EINVAL);
	EXPECT_EQ(t, ib_map_mr_sg(r.mr, r.mem.sg, 4, NULL, 12288), -EINVAL);
	EXPECT_EQ(t, ib_map_mr_sg(r.mr, r.mem.sg, 4, NULL, 1U << 31), -EINVAL);
	EXPECT_EQ(t, ib_map_mr_sg(r.mr, r.mem.sg, 0, NULL, 4096), -EINVAL);
	/* no memory is mapped to the region */
	EXPECT_EQ(t, ktest_reg(t, r.mr, r.mr->rkey, KTEST_ALL), -EINVAL);
	ib_dereg_mr(r.mr);
	r.mr = ib_alloc_mr(t->pd, IB_MR_TYPE_MEM_REG, 3);
	if (IS_ERR(r.mr))
		goto out;
	EXPECT_EQ(t, ktest_reg(t, r.mr, r.mr->rkey, KTEST_ALL), -EINVAL);
	EXPECT_EQ(t, ib_map_mr_sg(r.mr, r.mem.sg, 4, &offset, 4096), 3);
	EXPECT_EQ(t, r.mr->length, 3 * 4096);
	EXPECT_EQ(t, ktest_reg(t, r.mr, r.mr->rkey, KTEST_ALL), IB_WC_SUCCESS);
	move_bytes(t, &r, 0, 0, 3 * 4096);
out:
	region_close(t, &r);
}

static void nonsense_is_not_posted(struct ktest *t)
{
	struct ib_reg_wr reg = {
		.wr = { .opcode = IB_WR_REG_MR, .send_flags = IB_SEND_INLINE },
		.access = KTEST_ALL,
	};
	struct ib_send_wr inv = {
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = IB_SEND_INLINE,
	};
	struct region r;

	if (region_open(t, &r, t->pd, 0, 1, 0))
		goto out;
	EXPECT_EQ(t, ktest_reg(t, t->mr, t->mr->rkey, KTEST_ALL), -EINVAL);
	EXPECT_EQ(t, ktest_reg(t, r.mr, r.mr->rkey, 1 << 30), -EINVAL);
	EXPECT_EQ(t, ktest_reg(t, r.mr, r.mr->rkey, IB_ACCESS_ON_DEMAND),
		  -EINVAL);
	reg.mr = r.mr;
	reg.key = r.mr->rkey;
	EXPECT_EQ(t, ktest_do(t, t->b.qp, &reg.wr), -EINVAL);
	inv.ex.invalidate_rkey = r.mr->rkey;
	EXPECT_EQ(t, ktest_do(t, t->b.qp, &inv), -EINVAL);
	/* access flags that are only hints are ignored */
	EXPECT_EQ(t, ktest_reg(t, r.mr, r.mr->rkey,
			       KTEST_ALL | IB_ACCESS_RELAXED_ORDERING),
		  IB_WC_SUCCESS);
	move_bytes(t, &r, 0, 0, 4096);
out:
	region_close(t, &r);
}

const struct ktest_case ktest_reg_cases[] = {
	KTEST_CASE(one_page_is_registered),
	KTEST_CASE(two_pages_are_registered_from_inside),
	KTEST_CASE(pages_of_4k_are_registered_512),
	KTEST_CASE(pages_of_4k_are_registered_513),
	KTEST_CASE(pages_of_4k_are_registered_4096),
	KTEST_CASE(pages_of_64k_are_registered),
	KTEST_CASE(one_page_of_2m_is_registered),
	KTEST_CASE(pages_of_2m_are_registered),
	KTEST_CASE(each_registration_has_its_own_key),
	KTEST_CASE(list_registers_and_sends),
	KTEST_CASE(new_pages_wait_for_their_registration),
	KTEST_CASE(region_that_is_not_registered_grants_nothing),
	KTEST_CASE(send_with_inv_invalidates),
	KTEST_CASE(bad_remote_invalidation_ends_the_connection),
	KTEST_CASE(bad_local_invalidation_is_refused),
	KTEST_CASE(bad_registration_is_refused),
	KTEST_CASE(bad_registration_leaves_earlier_work_intact),
	KTEST_CASE(region_ends_where_it_ends),
	KTEST_CASE(rights_are_those_of_the_registration),
	KTEST_CASE(region_that_is_gone_grants_nothing),
	KTEST_CASE(limits_are_what_is_announced),
	KTEST_CASE(pages_are_mapped_as_far_as_there_is_room),
	KTEST_CASE(nonsense_is_not_posted),
	{}
};

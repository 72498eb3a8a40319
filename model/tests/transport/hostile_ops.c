// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Random keys and ranges that are often valid or nearly valid, and the
 * operations of the host in test_hostile.c: binds, registrations,
 * invalidations. Packets of the peer are in hostile_peer.c.
 */
#include <string.h>

#include "tests/lib/wire_mw.h"
#include "tests/transport/hostile_ops.h"

/* Return: true if an operation of @q with this key may be allowed. */
static bool may_be_allowed(const struct ref_key *k, const struct world_qp *q,
			   u32 kinds)
{
	if (k->pd != q->ref.pd || k->state == REF_DEAD)
		return false;
	if (kinds)
		return kinds >> k->kind & 1;
	return k->state == REF_LIVE &&
	       (k->kind != REF_MW2 || k->qpn == q->ref.qpn);
}

u32 pick_key(struct world *w, const struct world_qp *q, u32 kinds)
{
	u32 index = any(w, REF_KEYS);
	u32 tries = chance(w, 80) ? 40 : 0;

	while (tries-- && !may_be_allowed(&w->ref.keys[index], q, kinds))
		index = any(w, REF_KEYS);
	if (chance(w, 1))
		return any(w, 0);
	if (chance(w, 2))
		return w->ended;
	if (chance(w, 5))
		return index << 8 | any(w, 256);
	return index << 8 | w->ref.keys[index].byte;
}

/* Choose a range near an end of the key's range or of the address space. */
void pick_range(struct world *w, u32 key, u64 max, u64 *addr, u64 *length)
{
	const struct ref_key none = { .first = 0, .length = 64 };
	const struct ref_key *k = key >> 8 < REF_KEYS ?
				  &w->ref.keys[key >> 8] : &none;
	u64 lengths[] = { 0, 1, 8, any(w, 64), any(w, max + 1), max,
			  k->length, k->length, k->length + 1, k->length - 1 };
	u64 n = lengths[any(w, ARRAY_SIZE(lengths))];
	u64 last;

	*length = n <= max ? n : max;
	n = *length;
	last = k->first + k->length - n;
	switch (any(w, 16)) {
	case 0:
		*addr = k->first - 1;
		break;
	case 1:
		*addr = last + 1;
		break;
	case 2:
		*addr = k->first - n;
		break;
	case 3:
		*addr = k->first + k->length;
		break;
	case 4:
		*addr = -n;
		break;
	case 5:
		*addr = any(w, 2) ? -1ULL : any(w, 0);
		break;
	case 6 ... 8:
		*addr = last;
		break;
	case 9 ... 11:
		*addr = k->first;
		break;
	default:
		*addr = k->first + (n < k->length ? any(w, k->length - n + 1) :
						    0);
		if (chance(w, 50))
			*addr &= ~7ULL;
	}
}

void count(struct tally *t, int reason)
{
	t->done++;
	t->by_reason[reason]++;
}

/* Expect one fault record if @v is a refusal, otherwise none. */
void expect_fault(struct world *w, struct world_qp *q, const struct verdict *v,
		  struct xrdma_eqe like)
{
	const struct xrdma_eqe *eqe = world_fault(w);

	if (!v->reason) {
		assert_null(eqe);
		return;
	}
	assert_non_null(eqe);
	assert_int_equal(eqe->reason, v->reason);
	assert_int_equal(eqe->opcode, like.opcode);
	assert_int_equal(eqe->flags, like.flags);
	assert_int_equal(le32_to_cpu(eqe->key), v->key);
	assert_int_equal(le32_to_cpu(eqe->number), q->ref.qpn);
	assert_int_equal(le32_to_cpu(eqe->pd), q->ref.pd);
	assert_true(eqe->addr == like.addr && eqe->length == like.length);
	assert_null(world_fault(w));
}

/* Expect the completion of a work request that sends no packet. */
static void expect_local(struct world *w, struct world_qp *q,
			 const struct verdict *v, u8 status)
{
	struct wire_qp *qp = &q->c.p.a;
	struct xrdma_cqe cqe;

	model_qps_poll(w->host->dev);
	assert_true(wire_poll_cq(&qp->send_cq, &cqe));
	assert_int_equal(cqe.status, v->reason ? status : XRDMA_WC_SUCCESS);
	assert_int_equal(le16_to_cpu(cqe.vendor_err), v->reason);
	assert_false(wire_poll_cq(&qp->send_cq, &cqe));
	if (v->reason)
		world_reconnect(q);
}

static u32 pick_rights(struct world *w)
{
	u32 rights = any(w, 0) & (XRDMA_ACCESS_REMOTE_WRITE |
				  XRDMA_ACCESS_REMOTE_READ |
				  XRDMA_ACCESS_REMOTE_ATOMIC);

	if (chance(w, 20))
		rights |= XRDMA_ACCESS_ZERO_BASED;
	if (chance(w, 4))
		rights |= 1U << any(w, 32);
	return rights;
}

static struct ref_bind pick_bind(struct world *w, const struct world_qp *q)
{
	struct ref_bind b = {
		.key = pick_key(w, q, MW1 | MW2),
		.region_key = pick_key(w, q, FOR_ACCESS),
		.rights = pick_rights(w),
	};

	b.new_key = (b.key & ~0xffU) | any(w, 256);
	if (chance(w, 2))
		b.new_key = any(w, 0);
	pick_range(w, b.region_key, 8192, &b.addr, &b.length);
	if (chance(w, 10)) {
		b.length = 0;
		if (chance(w, 80)) {
			b.addr = 0;
			b.region_key = 0;
			b.rights = 0;
		}
	}
	return b;
}

void run_bind(struct world *w, struct world_qp *q, struct tally *t)
{
	struct ref_bind b = pick_bind(w, q);
	struct verdict v = ref_bind(&w->ref, &q->ref, &b);
	u32 old = 0;

	count(t, v.reason);
	wire_post_bind(&q->c.p.a, 1, &(struct wire_bind) {
		.key = b.key, .new_key = b.new_key, .mr_key = b.region_key,
		.access = b.rights, .addr = b.addr, .length = b.length,
	});
	expect_local(w, q, &v, XRDMA_WC_MW_BIND_ERR);
	expect_fault(w, q, &v, (struct xrdma_eqe) {
		.opcode = XRDMA_OP_BIND_MW, .addr = cpu_to_le64(b.addr),
		.length = cpu_to_le64(b.length),
	});
	if (!v.reason) {
		old = w->ref.keys[b.key >> 8].region;
		ref_do_bind(&w->ref, &q->ref, &b);
		world_check_entry(w, b.region_key >> 8);
		world_check_entry(w, old);
	}
	if (b.key >> 8 < REF_KEYS)
		world_check_entry(w, b.key >> 8);
}

void run_reg(struct world *w, struct world_qp *q, struct tally *t)
{
	u64 at = any(w, REF_ARENA - 8192);
	u64 length = any(w, 8193);
	u64 first = chance(w, 20) ? -length : any(w, 0) >> 1;
	u32 rights = any(w, 0) & 0x1f;
	bool paged = chance(w, 50);
	struct xrdma_reg_seg seg;
	struct verdict v;
	u32 key;

	/* queue pairs of the kernel only */
	q = &w->qps[WORLD_QPS / 2 + any(w, WORLD_QPS / 2)];
	key = (pick_key(w, q, FAST) & ~0xffU) | any(w, 256);
	if (chance(w, 50))
		rights |= XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_MW_BIND;
	if (chance(w, 5))
		rights |= 1U << any(w, 32);
	if (chance(w, 5))
		first = 1 - length;
	seg = (struct xrdma_reg_seg) {
		.iova = cpu_to_le64(first), .length = cpu_to_le64(length),
		.root = cpu_to_le64(world_root(w, paged)),
		.offset = cpu_to_le32(world_offset(w, paged, at)),
		.access = cpu_to_le32(rights),
	};
	v = ref_reg(&w->ref, &q->ref, key, rights, first, length);
	count(t, v.reason);
	wire_post_send(&q->c.p.a, &(struct wire_wr) {
		.opcode = XRDMA_OP_REG_MR, .flags = XRDMA_WQE_SIGNALED,
		.inv_key = key, .seg = &seg,
	});
	expect_local(w, q, &v, XRDMA_WC_MW_BIND_ERR);
	expect_fault(w, q, &v, (struct xrdma_eqe) {
		.opcode = XRDMA_OP_REG_MR, .addr = cpu_to_le64(first),
		.length = cpu_to_le64(length),
	});
	if (!v.reason)
		ref_do_reg(&w->ref, key, rights, first, length, at, paged);
	if (key >> 8 < REF_KEYS)
		world_check_entry(w, key >> 8);
}

void run_local_inv(struct world *w, struct world_qp *q, struct tally *t)
{
	u32 key = pick_key(w, q, chance(w, 90) ? FAST | MW2 : MW1);
	struct verdict v = ref_inval(&w->ref, &q->ref, key);

	count(t, v.reason);
	wire_post_inval(&q->c.p.a, 1, key);
	expect_local(w, q, &v, XRDMA_WC_LOC_QP_OP_ERR);
	expect_fault(w, q, &v, (struct xrdma_eqe) {
		.opcode = XRDMA_OP_LOCAL_INV });
	world_invalidated(w, &v, key);
}

/* Publish a key again, in state free, as a driver does: it grants nothing. */
static void publish_anew(struct world *w, u32 index)
{
	struct ref_key *k = &w->ref.keys[index];

	*k = (struct ref_key) {
		.kind = 1 + any(w, 3), .state = REF_FREE, .byte = k->byte + 1,
		.pd = 1 + any(w, WORLD_PDS),
	};
	world_publish(w, index);
}

/* INVALIDATE a key; a region with windows stays valid. Republish dead keys. */
void run_command(struct world *w, struct world_qp *q, struct tally *t)
{
	u32 index = chance(w, 50) ? w->used >> 8 : any(w, REF_KEYS);
	struct ref_key *k = &w->ref.keys[index];
	u32 region = k->region;
	int expected = XRDMA_INVAL_OK;

	(void)q;
	if (k->state == REF_DEAD)
		expected = XRDMA_INVAL_BAD_INDEX;
	else if (k->windows)
		expected = XRDMA_INVAL_BOUND;
	count(t, 0);
	assert_int_equal(model_key_invalidate(w->host->dev, index), expected);
	if (!expected) {
		w->ended = index << 8 | k->byte;
		ref_do_end(&w->ref, index);
		world_check_entry(w, region);
	}
	world_check_entry(w, index);
	if (k->state == REF_DEAD && chance(w, 90))
		publish_anew(w, index);
}

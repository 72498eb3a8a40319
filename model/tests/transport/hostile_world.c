// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The environment of test_hostile.c: publishes a million keys, and compares
 * memory and keys of the device with the reference. See hostile_world.h.
 */
#include <string.h>

#include "tests/transport/hostile_world.h"

#define RIGHTS	(XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ | \
		 XRDMA_ACCESS_REMOTE_ATOMIC)

/* Return: a random number below @below; any 64-bit number if @below is 0. */
u64 any(struct world *w, u64 below)
{
	u64 value = ref_random(&w->rng);

	return below ? value % below : value;
}

bool chance(struct world *w, u32 percent)
{
	return any(w, 100) < percent;
}

static struct xrdma_mpt_entry *entry(struct world *w, u32 index)
{
	return (struct xrdma_mpt_entry *)wire_ptr(w->host, w->host->mpt) +
	       index;
}

u64 world_root(const struct world *w, bool paged)
{
	return paged ? xrdma_make_root(w->table, 1, 12) :
		       xrdma_make_root(WIRE_IOVA, 0, 27);
}

u32 world_offset(const struct world *w, bool paged, u64 at)
{
	return paged ? at : w->arena + REF_MARGIN - WIRE_IOVA + at;
}

/* Write the expected entry of the key table for key index @index. */
static void encode(const struct world *w, u32 index, struct xrdma_mpt_entry *e)
{
	const struct ref_key *k = &w->ref.keys[index];
	u8 state = k->state == REF_LIVE ? XRDMA_MPT_VALID : XRDMA_MPT_FREE;
	bool region = k->kind == REF_MR || k->kind == REF_FAST;

	memset(e, 0, sizeof(*e));
	e->ctrl = cpu_to_le64(xrdma_make_mpt_ctrl(state, k->kind, k->byte,
						  k->pd, k->rights));
	if (k->state != REF_LIVE)
		return;
	e->iova = cpu_to_le64(k->first);
	e->length = cpu_to_le64(k->length);
	e->qpn = cpu_to_le32(k->qpn);
	if (region) {
		e->root = cpu_to_le64(world_root(w, k->paged));
		e->offset = cpu_to_le32(world_offset(w, k->paged, k->at));
		e->bound = cpu_to_le32(k->windows);
	} else {
		e->parent = cpu_to_le32(k->region);
		e->window_base = cpu_to_le64(k->at);
	}
}

void world_publish(struct world *w, u32 index)
{
	struct xrdma_mpt_entry e;

	encode(w, index, &e);
	*entry(w, index) = e;
}

void world_check_entry(struct world *w, u32 index)
{
	struct xrdma_mpt_entry e;

	encode(w, index, &e);
	if (w->ref.keys[index].state == REF_DEAD) {
		assert_int_equal(entry(w, index)->ctrl & ~cpu_to_le64(0xff), 0);
		return;
	}
	if (memcmp(entry(w, index), &e, sizeof(e)))
		fail_msg("key entry %#x differs from the reference", index);
}

/* Update the reference after an invalidation of @key with the outcome @v. */
void world_invalidated(struct world *w, const struct verdict *v, u32 key)
{
	u32 region;

	if (!v->reason) {
		region = w->ref.keys[key >> 8].region;
		ref_do_free(&w->ref, key);
		world_check_entry(w, region);
	}
	if (key >> 8 < REF_KEYS)
		world_check_entry(w, key >> 8);
}

void world_check_entries(struct world *w)
{
	u32 i;

	for (i = 0; i < REF_KEYS; i++)
		world_check_entry(w, i);
}

/* Compare the page around @byte of the reference, which has just changed. */
void world_check_near(struct world *w, const u8 *byte)
{
	u64 at = (byte - w->ref.bytes) & ~4095ULL;

	if (memcmp(w->ref.bytes + at, wire_ptr(w->host, w->arena + at), 4096))
		fail_msg("a byte changed near %#llx of the arena", at);
}

void world_check_bytes(struct world *w)
{
	const u8 *is = wire_ptr(w->host, w->arena);
	u32 i;

	if (!memcmp(w->ref.bytes, is, REF_BYTES))
		return;
	for (i = 0; w->ref.bytes[i] == is[i]; i++)
		;
	fail_msg("byte %#x of the arena changed", i);
}

/* Choose a range, at an end of the address space or anywhere. */
static void place(struct world *w, struct ref_key *k)
{
	k->length = 1 + any(w, 1ULL << (1 + any(w, 13)));
	k->at = any(w, REF_ARENA - k->length - 8);
	k->paged = chance(w, 50);
	switch (any(w, 4)) {
	case 0:
		k->first = 0;
		if (chance(w, 50))
			k->rights |= XRDMA_ACCESS_ZERO_BASED;
		break;
	case 1:
		k->first = -k->length;
		break;
	default:
		k->first = any(w, 0) >> 1 >> any(w, 40);
	}
	/* mostly with equal alignment of address and memory */
	if (chance(w, 80))
		k->at = (k->at & ~7ULL) | (k->first & 7);
}

static void make_region(struct world *w, u32 index)
{
	struct ref_key *k = &w->ref.keys[index];
	bool fast = chance(w, 20);

	*k = (struct ref_key) {
		.kind = fast ? REF_FAST : REF_MR,
		.state = fast && chance(w, 40) ? REF_FREE : REF_LIVE,
		.byte = any(w, 256),
		.pd = 1 + any(w, WORLD_PDS),
	};
	if (k->state == REF_FREE)
		return;
	k->rights = any(w, 0) & (RIGHTS | XRDMA_ACCESS_LOCAL_WRITE);
	if (chance(w, 80))
		k->rights |= XRDMA_ACCESS_MW_BIND;
	place(w, k);
}

/* Publish a window: free, or bound to a region if the rules allow it. */
static void make_window(struct world *w, u32 index)
{
	const struct ref_key *region;
	const struct ref_qp *qp = &w->qps[any(w, WORLD_QPS)].ref;
	u32 target = any(w, REF_KEYS);
	struct ref_bind b;

	w->ref.keys[index] = (struct ref_key) {
		.kind = chance(w, 60) ? REF_MW2 : REF_MW1, .state = REF_FREE,
		.byte = any(w, 256), .pd = qp->pd,
	};
	region = &w->ref.keys[target];
	if (region->state != REF_LIVE || region->kind > REF_FAST)
		return;
	b = (struct ref_bind) {
		.key = index << 8 | w->ref.keys[index].byte,
		.new_key = index << 8 | any(w, 256),
		.region_key = target << 8 | region->byte,
		.rights = any(w, 0) & RIGHTS,
		.length = 1 + any(w, region->length),
	};
	b.addr = region->first + any(w, region->length - b.length + 1);
	if (!ref_bind(&w->ref, qp, &b).reason)
		ref_do_bind(&w->ref, qp, &b);
}

static void make_keys(struct world *w)
{
	u32 i;

	for (i = 0; i < REF_KEYS; i++)
		if (chance(w, 70))
			make_region(w, i);
	for (i = 0; i < REF_KEYS; i++)
		if (w->ref.keys[i].state == REF_DEAD && chance(w, 95))
			make_window(w, i);
	for (i = 0; i < REF_KEYS; i++)
		if (w->ref.keys[i].state != REF_DEAD)
			world_publish(w, i);
}

static void make_memory(struct world *w)
{
	__le64 *table;
	u64 page;
	u32 i;

	w->arena = wire_alloc(w->host, REF_BYTES, 4096);
	w->table = wire_alloc(w->host, 4096, 4096);
	table = wire_ptr(w->host, w->table);
	for (i = 0; i < REF_ARENA / 4096; i++) {
		page = w->arena + REF_MARGIN + w->ref.shuffle[i] * 4096ULL;
		table[i] = cpu_to_le64(xrdma_make_mtt_block(page));
	}
	for (i = 0; i < REF_BYTES; i++)
		w->ref.bytes[i] = any(w, 0);
	memcpy(wire_ptr(w->host, w->arena), w->ref.bytes, REF_BYTES);
}

static const u16 qp_rights[WORLD_QPS] = {
	RIGHTS, RIGHTS, RIGHTS, RIGHTS, RIGHTS, RIGHTS,
	XRDMA_ACCESS_REMOTE_READ, RIGHTS & ~XRDMA_ACCESS_REMOTE_ATOMIC,
};

static struct wire_params params_of(const struct world_qp *q)
{
	struct wire_params params = wire_defaults;

	params.path_mtu = 5;
	params.timeout = 0;
	params.log_depth = 4;
	params.access = q->ref.rights;
	return params;
}

/* Create queue pair @i; the second half belongs to the kernel. */
static void make_qp(struct world *w, void **state, u32 i)
{
	struct world_qp *q = &w->qps[i];
	struct wire_params params;

	q->ref.rights = qp_rights[i];
	q->ref.pd = 1 + i % WORLD_PDS;
	params = params_of(q);
	q->c.env = *state;
	wire_create_qp(*state, 0, XRDMA_QP_RC, i < 4 ? 0 : XRDMA_QP_KERNEL,
		       params.log_depth, &q->c.p.a);
	q->c.p.b = q->c.p.a;
	q->c.p.b.qpn = 60000 + i;
	q->ref.qpn = q->c.p.a.qpn;
	q->c.p.a.qp->pd = q->ref.pd;
	world_reconnect(q);
}

/* Move a queue pair from any state to RTS, with empty queues. */
void world_reconnect(struct world_qp *q)
{
	const struct wire_params params = params_of(q);
	struct wire_qp *qp = &q->c.p.a;
	struct xrdma_cqe cqe;

	wire_modify_state(qp, XRDMA_QPS_RESET);
	while (wire_poll_cq(&qp->send_cq, &cqe) ||
	       wire_poll_cq(&qp->recv_cq, &cqe))
		;
	memset(qp->rec, 0, sizeof(*qp->rec));
	q->rq_psn = 0xfffffe;
	q->sq_psn = 0xfffffd;
	wire_connect_one(qp, &q->c.p.b, &params, q->sq_psn, q->rq_psn);
}

/* Return: the next fault record, or NULL; other events are skipped. */
const struct xrdma_eqe *world_fault(struct world *w)
{
	struct model_eq *eq = model_eq_get(w->host->dev, 0);
	const struct xrdma_eqe *ring =
		wire_ptr(w->host, eq->ring.root & XRDMA_ROOT_ADDR);
	struct xrdma_cq_rec *rec =
		wire_ptr(w->host, (eq->rec.root & XRDMA_ROOT_ADDR) +
			 eq->rec.base);
	const struct xrdma_eqe *eqe;

	for (;;) {
		eqe = ring + xrdma_ring_slot(w->eq_ci, eq->log_depth);
		if (!xrdma_ring_valid(le32_to_cpu(eqe->own), w->eq_ci,
				      eq->log_depth))
			return NULL;
		rec->ci = cpu_to_le32(++w->eq_ci);
		if (eqe->event == XRDMA_EVENT_FAULT)
			return eqe;
	}
}

void world_init(struct world *w, void **state, u64 seed)
{
	struct wire_env *env;
	u32 i;

	memset(w, 0, sizeof(*w));
	wire_mpt_log = REF_LOG_KEYS + 6;
	wire_setup_1(state);
	env = *state;
	w->host = &env->hosts[0];
	w->rng = seed;
	ref_init(&w->ref, seed);
	make_memory(w);
	for (i = 0; i < WORLD_QPS; i++)
		make_qp(w, state, i);
	make_keys(w);
}

void world_fini(struct world *w)
{
	ref_fini(&w->ref);
}

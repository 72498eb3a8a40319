// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The reference of hostile_ref.h. Ranges are compared with 128 bits; the
 * verdict has the first reason for a refusal.
 */
#include <stdlib.h>
#include <string.h>

#include <rdma/xrdma-abi.h>

#include "tests/transport/hostile_ref.h"

#define CHANGING	(XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_ATOMIC)

u64 ref_random(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

void ref_init(struct ref *ref, u64 seed)
{
	u32 pages = REF_ARENA / 4096;
	u32 i, other;
	u16 page;

	ref->keys = calloc(REF_KEYS, sizeof(*ref->keys));
	ref->bytes = calloc(1, REF_BYTES);
	if (!ref->keys || !ref->bytes)
		abort();
	for (i = 0; i < pages; i++)
		ref->shuffle[i] = i;
	for (i = 0; i < pages; i++) {
		other = ref_random(&seed) % pages;
		page = ref->shuffle[i];
		ref->shuffle[i] = ref->shuffle[other];
		ref->shuffle[other] = page;
	}
}

void ref_fini(struct ref *ref)
{
	free(ref->keys);
	free(ref->bytes);
}

static bool is_window(const struct ref_key *k)
{
	return k->kind >= REF_MW1;
}

/* Return: true if [addr, addr + n) is inside [first, first + length). */
static bool part_of(u64 first, u64 length, u64 addr, u64 n)
{
	unsigned __int128 end = (unsigned __int128)first + length;

	return addr >= first && (unsigned __int128)addr + n <= end;
}

static void refuse_if(struct verdict *v, bool condition, int reason)
{
	if (condition && !v->reason)
		v->reason = reason;
}

/* Return: the key's state, or NULL if the key does not exist. */
static const struct ref_key *find_key(const struct ref *ref, u32 key,
				      struct verdict *v)
{
	const struct ref_key *k = NULL;

	v->key = key;
	if (key >> 8 >= REF_KEYS) {
		v->reason = XRDMA_FAULT_KEY_INDEX;
		return NULL;
	}
	k = &ref->keys[key >> 8];
	if (k->state != REF_DEAD)
		return k;
	v->reason = XRDMA_FAULT_KEY_INVALID;
	return NULL;
}

struct verdict ref_access(const struct ref *ref, const struct ref_qp *qp,
			  const struct ref_access *a)
{
	bool atomic = a->right == XRDMA_ACCESS_REMOTE_ATOMIC;
	struct verdict v = { 0 };
	const struct ref_key *k;

	if (!a->length)
		return v;
	k = find_key(ref, a->key, &v);
	if (!k)
		return v;
	refuse_if(&v, k->byte != (a->key & 0xff), XRDMA_FAULT_KEY_BYTE);
	refuse_if(&v, k->state == REF_FREE, XRDMA_FAULT_KEY_FREE);
	refuse_if(&v, is_window(k) && !a->remote, XRDMA_FAULT_TYPE);
	refuse_if(&v, k->pd != qp->pd, XRDMA_FAULT_PD);
	refuse_if(&v, k->kind == REF_MW2 && k->qpn != qp->qpn, XRDMA_FAULT_QP);
	refuse_if(&v, a->right && !(k->rights & a->right), XRDMA_FAULT_RIGHTS);
	refuse_if(&v, !part_of(k->first, k->length, a->addr, a->length),
		  XRDMA_FAULT_RANGE);
	refuse_if(&v, atomic && a->addr % 8, XRDMA_FAULT_ALIGN);
	refuse_if(&v, a->remote && !(qp->rights & a->right),
		  XRDMA_FAULT_QP_RIGHTS);
	return v;
}

static void judge_region(const struct ref *ref, const struct ref_qp *qp,
			 const struct ref_bind *b, struct verdict *v)
{
	const struct ref_key *k = find_key(ref, b->region_key, v);
	bool zero = b->rights & XRDMA_ACCESS_ZERO_BASED;

	if (!k)
		return;
	refuse_if(v, k->byte != (b->region_key & 0xff), XRDMA_FAULT_KEY_BYTE);
	refuse_if(v, k->state == REF_FREE, XRDMA_FAULT_KEY_FREE);
	refuse_if(v, is_window(k), XRDMA_FAULT_TYPE);
	refuse_if(v, zero && k->rights & XRDMA_ACCESS_ZERO_BASED,
		  XRDMA_FAULT_TYPE);
	refuse_if(v, k->pd != qp->pd, XRDMA_FAULT_PD);
	refuse_if(v, !(k->rights & XRDMA_ACCESS_MW_BIND), XRDMA_FAULT_RIGHTS);
	refuse_if(v, b->rights & CHANGING &&
		  !(k->rights & XRDMA_ACCESS_LOCAL_WRITE), XRDMA_FAULT_RIGHTS);
	refuse_if(v, !part_of(k->first, k->length, b->addr, b->length),
		  XRDMA_FAULT_RANGE);
}

struct verdict ref_bind(const struct ref *ref, const struct ref_qp *qp,
			const struct ref_bind *b)
{
	const u32 remote = CHANGING | XRDMA_ACCESS_REMOTE_READ;
	struct verdict v = { 0 };
	const struct ref_key *k = find_key(ref, b->key, &v);
	bool one;

	if (!k)
		return v;
	one = k->kind == REF_MW1;
	refuse_if(&v, !one && k->byte != (b->key & 0xff), XRDMA_FAULT_KEY_BYTE);
	refuse_if(&v, !is_window(k), XRDMA_FAULT_TYPE);
	refuse_if(&v, k->pd != qp->pd, XRDMA_FAULT_PD);
	refuse_if(&v, !one && k->state == REF_LIVE, XRDMA_FAULT_NOT_FREE);
	refuse_if(&v, b->new_key >> 8 != b->key >> 8, XRDMA_FAULT_KEY_INDEX);
	refuse_if(&v, one && k->byte == (b->new_key & 0xff),
		  XRDMA_FAULT_KEY_BYTE);
	refuse_if(&v, !b->length &&
		  (!one || b->addr || b->region_key || b->rights),
		  XRDMA_FAULT_RANGE);
	refuse_if(&v, b->rights & ~(remote | XRDMA_ACCESS_ZERO_BASED),
		  XRDMA_FAULT_RIGHTS);
	refuse_if(&v, one && b->rights & XRDMA_ACCESS_ZERO_BASED,
		  XRDMA_FAULT_TYPE);
	if (!v.reason && b->length)
		judge_region(ref, qp, b, &v);
	return v;
}

struct verdict ref_reg(const struct ref *ref, const struct ref_qp *qp, u32 key,
		       u32 rights, u64 first, u64 length)
{
	struct verdict v = { 0 };
	const struct ref_key *k = find_key(ref, key, &v);

	if (!k)
		return v;
	refuse_if(&v, k->kind != REF_FAST, XRDMA_FAULT_TYPE);
	refuse_if(&v, k->pd != qp->pd, XRDMA_FAULT_PD);
	refuse_if(&v, k->state == REF_LIVE, XRDMA_FAULT_NOT_FREE);
	refuse_if(&v, rights & ~0x73fU, XRDMA_FAULT_RIGHTS);
	refuse_if(&v, rights & CHANGING && !(rights & XRDMA_ACCESS_LOCAL_WRITE),
		  XRDMA_FAULT_RIGHTS);
	refuse_if(&v, !length, XRDMA_FAULT_RANGE);
	refuse_if(&v, (unsigned __int128)first + length >
		  (unsigned __int128)1 << 64, XRDMA_FAULT_RANGE);
	return v;
}

struct verdict ref_inval(const struct ref *ref, const struct ref_qp *qp,
			 u32 key)
{
	struct verdict v = { 0 };
	const struct ref_key *k = find_key(ref, key, &v);

	if (!k)
		return v;
	refuse_if(&v, k->byte != (key & 0xff), XRDMA_FAULT_KEY_BYTE);
	refuse_if(&v, k->kind == REF_MR || k->kind == REF_MW1,
		  XRDMA_FAULT_TYPE);
	refuse_if(&v, k->pd != qp->pd, XRDMA_FAULT_PD);
	refuse_if(&v, k->kind == REF_MW2 && k->state == REF_LIVE &&
		  k->qpn != qp->qpn, XRDMA_FAULT_QP);
	refuse_if(&v, k->windows, XRDMA_FAULT_BOUND);
	return v;
}

/* If @k is a bound window, remove it from its region's count. */
static void unbind(struct ref *ref, const struct ref_key *k)
{
	if (is_window(k) && k->state == REF_LIVE)
		ref->keys[k->region].windows--;
}

void ref_do_free(struct ref *ref, u32 key)
{
	struct ref_key *k = &ref->keys[key >> 8];
	struct ref_key old = *k;

	unbind(ref, k);
	*k = (struct ref_key) {
		.kind = old.kind, .state = REF_FREE, .byte = key, .pd = old.pd,
	};
}

void ref_do_end(struct ref *ref, u32 index)
{
	unbind(ref, &ref->keys[index]);
	ref->keys[index].state = REF_DEAD;
}

void ref_do_bind(struct ref *ref, const struct ref_qp *qp,
		 const struct ref_bind *b)
{
	struct ref_key *k = &ref->keys[b->key >> 8];
	struct ref_key *region = &ref->keys[b->region_key >> 8];

	ref_do_free(ref, b->new_key);
	if (!b->length)
		return;
	k->state = REF_LIVE;
	k->rights = b->rights;
	k->qpn = k->kind == REF_MW2 ? qp->qpn : 0;
	k->region = b->region_key >> 8;
	k->first = b->rights & XRDMA_ACCESS_ZERO_BASED ? 0 : b->addr;
	k->length = b->length;
	k->at = b->addr - region->first;
	region->windows++;
}

void ref_do_reg(struct ref *ref, u32 key, u32 rights, u64 first, u64 length,
		u64 at, bool paged)
{
	struct ref_key *k = &ref->keys[key >> 8];

	k->state = REF_LIVE;
	k->byte = key;
	k->rights = rights;
	k->first = first;
	k->length = length;
	k->at = at;
	k->paged = paged;
}

/* Return: the expected byte at @addr of @key, whose access is allowed. */
u8 *ref_byte(struct ref *ref, u32 key, u64 addr)
{
	const struct ref_key *k = &ref->keys[key >> 8];
	u64 at = addr - k->first + k->at;

	if (is_window(k)) {
		k = &ref->keys[k->region];
		at += k->at;
	}
	if (k->paged)
		at = ref->shuffle[at / 4096] * 4096ULL + at % 4096;
	return ref->bytes + REF_MARGIN + at;
}

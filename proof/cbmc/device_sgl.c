// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The device against a hostile host: scatter-gather lists, of which a process
 * chooses every entry, as model/core/sgl.c uses them, compiled unchanged. Stubs
 * stand for the accesses by key: they check which part of the list and of the
 * packet is accessed. The check of an access is in rules_access.c.
 *
 * CBMC: --unwind 4 --slice-formula
 */

#include "proof.h"
#include "core/qp.h"
#include "core/access.h"

#define MODEL_DEVICE_H	/* sgl.c uses no field of the device */

#include "core/sgl.c"

#define ENTRIES_MAX	3

/* No packet is longer, see MODEL_FRAME_MAX. */
#define PACKET_MAX	8192

static struct xrdma_sge list[ENTRIES_MAX];
static struct model_sgl sgl = { .sge = list };
static struct model_qp qp;

/* The packet, of @want bytes */
static u32 want;
static u8 packet[PACKET_MAX];

/* The next byte of the list to copy: entry, and bytes of the entry before it */
static u32 entry, inside;
/* Bytes that were accessed; right that the accesses need; checked entries */
static u32 moved;
static u16 needed;
static u32 checked;
/* An access was refused, or its translation misses. */
static bool refused;
/* Bytes that could be translated; a checked entry is in a paged region. */
static u64 probed;
static bool any_paged;
static struct model_mem paged_mem = { .flags = MODEL_MEM_PAGED };
static struct model_mem other_mem;

static u32 length_of(u32 i)
{
	return le32_to_cpu(list[i].length);
}

/* An access that copies the next bytes of the packet */
static int next_access(const struct model_access_req *req, const u8 *buf)
{
	PROVE(req->qp == &qp && !req->remote && !req->aligned && !req->whole);
	PROVE(req->rights == needed && req->opcode == sgl.opcode && !refused);
	PROVE(buf == packet + moved && req->len && req->len <= want - moved);
	while (entry < sgl.num && inside == length_of(entry)) {
		entry++;
		inside = 0;
	}
	PROVE(entry < sgl.num);
	ASSUME(entry < sgl.num);
	PROVE(req->len <= length_of(entry) - inside);
	PROVE(req->addr == le64_to_cpu(list[entry].addr) + inside);
	PROVE(req->key == le32_to_cpu(list[entry].lkey));
	refused = nondet_truth();
	if (refused)
		return XRDMA_FAULT_RIGHTS;
	moved += (u32)req->len;
	inside += (u32)req->len;
	return 0;
}

int model_access_read(struct model_device *dev,
		      const struct model_access_req *req, void *buf)
{
	PROVE(dev == qp.dev && !needed);
	return next_access(req, buf);
}

int model_access_write(struct model_device *dev,
		       const struct model_access_req *req, const void *buf)
{
	PROVE(dev == qp.dev && needed == XRDMA_ACCESS_LOCAL_WRITE);
	return next_access(req, buf);
}

int model_access_check(struct model_device *dev,
		       const struct model_access_req *req,
		       struct model_target *acc)
{
	PROVE(dev == qp.dev && checked < sgl.num);
	PROVE(req->addr == le64_to_cpu(list[checked].addr));
	PROVE(req->len == le32_to_cpu(list[checked].length));
	PROVE(req->key == le32_to_cpu(list[checked].lkey));
	PROVE(req->rights == needed && !req->remote && req->qp == &qp);
	if (nondet_truth())
		return XRDMA_FAULT_RIGHTS;
	checked++;
	acc->mem = nondet_truth() ? &paged_mem : &other_mem;
	any_paged |= req->len && acc->mem == &paged_mem;
	return 0;
}

/* The rest of the next entry; a translation may miss at any byte of it. */
int model_access_probe(struct model_device *dev,
		       const struct model_access_req *req, u64 *done)
{
	while (entry < sgl.num && inside == length_of(entry)) {
		entry++;
		inside = 0;
	}
	PROVE(dev == qp.dev && entry < sgl.num && !refused);
	ASSUME(entry < sgl.num);
	PROVE(req->qp == &qp && !req->remote && !req->aligned && !req->whole);
	PROVE(req->rights == XRDMA_ACCESS_LOCAL_WRITE);
	PROVE(req->len && req->len == length_of(entry) - inside);
	PROVE(req->addr == le64_to_cpu(list[entry].addr) + inside);
	PROVE(req->key == le32_to_cpu(list[entry].lkey));
	refused = nondet_truth();
	*done = refused ? nondet_u64() : req->len;
	ASSUME(*done <= req->len && (!refused || *done < req->len));
	probed += *done;
	inside = length_of(entry);
	return refused ? XRDMA_FAULT_RIGHTS : 0;
}

static void any_list(void)
{
	u32 i;

	for (i = 0; i < ENTRIES_MAX; i++) {
		list[i].addr = nondet_u64();
		list[i].length = nondet_u32();
		list[i].lkey = nondet_u32();
	}
	sgl.num = nondet_u16();
	sgl.opcode = nondet_u8();
	ASSUME(sgl.num <= ENTRIES_MAX);
}

/*
 * Theorem: A copy between a packet and a scatter-gather list accesses exactly
 *	the bytes of the list that it names, in order, each access inside of one
 *	entry and under the key of the entry, and inside of the packet; it ends
 *	at the first refused access, and otherwise copies every byte.
 * Form: long
 * Solver: cadical
 * Holds for: lists of 1 to 3 entries of any addresses, lengths and keys; all
 *	positions; packets of up to 8192 bytes; both directions.
 * Assumes: the copy ends within the list, as the callers check.
 */
static void copies_stay_inside_the_list(void)
{
	u64 first, left;
	u32 i;
	int reason;

	any_list();
	entry = nondet_u32();
	inside = nondet_u32();
	want = nondet_u32();
	ASSUME(entry < sgl.num && inside <= length_of(entry));
	/* position in the list of the first byte to copy; bytes from it on */
	first = inside;
	left = length_of(entry) - inside;
	for (i = ENTRIES_MAX; i; i--) {
		if (i - 1 < entry)
			first += length_of(i - 1);
		else if (i - 1 > entry && i - 1 < sgl.num)
			left += length_of(i - 1);
	}
	ASSUME(want <= PACKET_MAX && want <= left);
	needed = nondet_truth() ? XRDMA_ACCESS_LOCAL_WRITE : 0;
	if (needed)
		reason = model_sgl_scatter(&qp, &sgl, first, packet, want);
	else
		reason = model_sgl_gather(&qp, &sgl, first, packet, want);
	REACHABLE(!reason && entry == 2 && first > moved && needed);
	REACHABLE(reason && moved && !needed);
	PROVE(refused ? reason == XRDMA_FAULT_RIGHTS : !reason);
	PROVE(reason || moved == want);
}

/*
 * Theorem: The length of a scatter-gather list is the sum of the lengths of its
 *	entries.
 * Holds for: lists of up to 3 entries of any lengths.
 * Assumes: nothing.
 */
static void length_is_exact(void)
{
	u64 length = 0;
	u32 i;

	any_list();
	for (i = 0; i < ENTRIES_MAX; i++)
		length += i < sgl.num ? length_of(i) : 0;
	REACHABLE(sgl.num == 3 && length >> 33);
	PROVE(model_sgl_length(&sgl) == length);
}

/*
 * Theorem: The check of a scatter-gather list checks each entry with its whole
 *	length, and succeeds only if no entry is refused; it then says whether an
 *	entry that is not empty is in a paged region.
 * Holds for: lists of up to 3 entries of any addresses, lengths and keys.
 * Assumes: nothing.
 */
static void all_entries_are_checked(void)
{
	bool paged;
	int reason;

	any_list();
	needed = nondet_truth() ? XRDMA_ACCESS_LOCAL_WRITE : 0;
	reason = model_sgl_check(&qp, &sgl, needed, &paged);
	REACHABLE(!reason && checked == 3 && paged);
	PROVE(reason || paged == any_paged);
	REACHABLE(reason && checked == 2);
	PROVE(reason ? checked < sgl.num : checked == sgl.num);
}

/*
 * Theorem: The probe of a scatter-gather list looks up exactly the bytes from a
 *	position to the end of the list, in order, under the keys of their
 *	entries, up to the first byte that misses or is refused, and returns the
 *	position of that byte, or the length of the list.
 * Form: long
 * Solver: cadical
 * Holds for: lists of 1 to 3 entries of any addresses, lengths and keys; all
 *	positions in the list.
 * Assumes: nothing.
 */
static void probes_find_the_first_miss(void)
{
	u64 first, off;
	int reason;
	u32 i;

	any_list();
	entry = nondet_u32();
	inside = nondet_u32();
	ASSUME(entry < sgl.num && inside <= length_of(entry));
	first = inside;
	for (i = 0; i < ENTRIES_MAX; i++)
		first += i < entry ? length_of(i) : 0;
	off = first;
	reason = model_sgl_probe(&qp, &sgl, &off);
	REACHABLE(!reason && entry == 2 && probed >> 33);
	REACHABLE(reason && probed && off > first);
	PROVE(refused ? reason == XRDMA_FAULT_RIGHTS : !reason);
	PROVE(off == first + probed);
	PROVE(reason || off == model_sgl_length(&sgl));
}

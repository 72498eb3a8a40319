/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA provider: contents of send entries. Each part of an entry is written by
 * one function here, for ibv_post_send() in post.c and the ibv_wr_*() calls in
 * wr.c. Those two files choose the entry and publish it.
 */

#ifndef XRDMA_PROVIDER_WQE_H
#define XRDMA_PROVIDER_WQE_H

#include <errno.h>
#include <string.h>

#include <util/compiler.h>

#include "xrdma.h"

/* enum ibv_send_flags; unsigned, as their complements are masks */
#define XRDMA_SEND_INLINE ((unsigned int)IBV_SEND_INLINE)
#define XRDMA_SEND_FLAGS (IBV_SEND_FENCE | IBV_SEND_SIGNALED | \
			  IBV_SEND_SOLICITED | XRDMA_SEND_INLINE)

#define XRDMA_NUM_OPS	(IBV_WR_ATOMIC_WRITE + 1)

/* Which members of its work request an operation uses. */
enum xrdma_op_flags {
	XRDMA_TAKES_IMM		= 1 << 0, /* immediate data */
	XRDMA_TAKES_REMOTE	= 1 << 1, /* remote address and key */
	XRDMA_TAKES_ATOMIC	= 1 << 2, /* XRDMA_TAKES_REMOTE, operands, 1 SGE */
	XRDMA_TAKES_INLINE	= 1 << 3, /* the payload may be inline */
	XRDMA_TAKES_KEY		= 1 << 4, /* key to invalidate */
	XRDMA_TAKES_BIND	= 1 << 5, /* window to bind */
	XRDMA_TAKES_DATA	= 1 << 6, /* a message: it has a payload */
	XRDMA_TAKES_VALUE	= 1 << 7, /* remote address and key, value */
	XRDMA_TAKES_RANGE	= 1 << 8, /* remote range to flush */
};

/**
 * struct xrdma_op - operation that can be posted
 * @opcode: enum xrdma_wqe_opcode
 * @flags: enum xrdma_op_flags
 */
struct xrdma_op {
	uint8_t opcode;
	uint16_t flags;
};

/* Indexed by enum ibv_wr_opcode; an opcode without an operation is all zero. */
extern const struct xrdma_op xrdma_ops[XRDMA_NUM_OPS];

/* The bits of XRDMA_ACCESS_WINDOW are the same in enum ibv_access_flags. */
static_assert((int)XRDMA_ACCESS_REMOTE_WRITE == (int)IBV_ACCESS_REMOTE_WRITE,
	      "access");
static_assert((int)XRDMA_ACCESS_REMOTE_READ == (int)IBV_ACCESS_REMOTE_READ,
	      "access");
static_assert((int)XRDMA_ACCESS_REMOTE_ATOMIC == (int)IBV_ACCESS_REMOTE_ATOMIC,
	      "access");
static_assert((int)XRDMA_ACCESS_ZERO_BASED == (int)IBV_ACCESS_ZERO_BASED,
	      "access");

/*
 * SOLICITED and INLINE have the same bits in an entry as in a request. FENCE in an entry
 * has the bit that SIGNALED has in a request, and SIGNALED the bit of FENCE.
 */
static_assert((int)XRDMA_WQE_SOLICITED == (int)IBV_SEND_SOLICITED &&
	      (int)XRDMA_WQE_INLINE == (int)IBV_SEND_INLINE &&
	      (int)XRDMA_WQE_FENCE == (int)IBV_SEND_FENCE << 1 &&
	      (int)XRDMA_WQE_SIGNALED == (int)IBV_SEND_SIGNALED >> 1, "flags");

/* The flags of an entry, of @send_flags in XRDMA_SEND_FLAGS */
static inline uint8_t xrdma_make_flags(unsigned int send_flags)
{
	unsigned int differ = (send_flags ^ send_flags >> 1) & 1;

	/* exchange bits 0 and 1, which changes both if they differ */
	return send_flags ^ differ * 3;
}

/**
 * xrdma_make_length() - add the length of an entry to its flags
 * @wqe: entry, of whose flags the length is 0
 * @data: where the payload of the entry begins
 * @bytes: bytes of payload
 *
 * Return: number of units.
 */
static inline uint32_t xrdma_make_length(struct xrdma_sq_wqe *wqe,
					 const void *data, uint32_t bytes)
{
	uint32_t head = data - (const void *)wqe;
	uint32_t units = xrdma_sq_units(head + bytes);

	wqe->flags |= xrdma_wqe_length(units);
	return units;
}

/**
 * xrdma_make_head() - write the fields that every send entry has, and the length 1
 * @wqe: entry
 * @opcode: enum xrdma_wqe_opcode
 * @send_flags: enum ibv_send_flags
 * @num_sge: number of scatter-gather entries, or of inline bytes
 * @wr_id: value that the completion reports
 */
static inline void xrdma_make_head(struct xrdma_sq_wqe *wqe, uint8_t opcode,
				   unsigned int send_flags, uint16_t num_sge,
				   uint64_t wr_id)
{
	wqe->opcode = opcode;
	wqe->flags = xrdma_make_flags(send_flags);
	wqe->num_sge = htole16(num_sge);
	wqe->ext = 0;
	wqe->wr_id = htole64(wr_id);
}

/**
 * xrdma_make_remote() - write address and key of the peer's memory
 * @wqe: entry
 * @addr: address in the peer's memory, or 0
 * @rkey: key of that memory, or 0
 *
 * Return: the part of the entry that follows struct xrdma_sq_wqe.
 */
static inline void *xrdma_make_remote(struct xrdma_sq_wqe *wqe, uint64_t addr,
				      uint32_t rkey)
{
	wqe->remote_addr = htole64(addr);
	wqe->rkey = htole32(rkey);
	return wqe + 1;
}

/**
 * xrdma_make_address() - write the destination of a datagram
 * @wqe: entry
 * @ah: address handle
 * @qpn: destination queue pair
 * @qkey: Q_Key of the destination
 *
 * Return: the part of the entry where the payload begins.
 */
static inline void *xrdma_make_address(struct xrdma_sq_wqe *wqe,
				       struct ibv_ah *ah, uint32_t qpn,
				       uint32_t qkey)
{
	struct xrdma_av *av = (void *)(wqe + 1);

	wqe->dqpn = htole32(qpn);
	wqe->qkey = htole32(qkey);
	*av = to_xah(ah)->av;
	return av + 1;
}

/**
 * xrdma_make_atomic() - write the operands of an atomic operation
 * @seg: segment for the operands
 * @swap_add: value to swap in, to add or to write
 * @compare: value to compare with, or 0
 *
 * Return: the part of the entry where the payload begins.
 */
static inline void *xrdma_make_atomic(struct xrdma_atomic_seg *seg,
				      uint64_t swap_add, uint64_t compare)
{
	seg->swap_add = htole64(swap_add);
	seg->compare = htole64(compare);
	return seg + 1;
}

static inline void xrdma_make_sge(struct xrdma_sge *to, uint64_t addr,
				  uint32_t length, uint32_t lkey)
{
	to->addr = htole64(addr);
	to->length = htole32(length);
	to->lkey = htole32(lkey);
}

static inline void xrdma_make_sges(struct xrdma_sge *to,
				   const struct ibv_sge *from, size_t num_sge)
{
	size_t i;

	if (likely(num_sge == 1)) {
		xrdma_make_sge(to, from->addr, from->length, from->lkey);
		return;
	}
	for (i = 0; i < num_sge; i++)
		xrdma_make_sge(&to[i], from[i].addr, from[i].length,
			       from[i].lkey);
}

/**
 * xrdma_add_inline() - append bytes to the inline payload of an entry
 * @to: where the payload begins
 * @used: bytes of payload that were copied before
 * @room: bytes of payload that fit into the entry
 * @from: bytes to append
 * @length: number of bytes to append
 *
 * Return: bytes of payload copied so far, or -EINVAL if @length does not fit.
 */
static inline int xrdma_add_inline(void *to, uint32_t used, uint32_t room,
				   const void *from, size_t length)
{
	if (unlikely(length > room - used))
		return -EINVAL;
	if (length)
		memcpy(to + used, from, length);
	return used + length;
}

/**
 * xrdma_make_bind() - write an entry that binds or unbinds a window
 * @wqe: entry; the caller adds the fields of xrdma_make_head()
 * @mw: window; its rkey becomes @key
 * @key: new key of the window
 * @info: region, range and rights
 *
 * The device checks whether region, range and rights are allowed. A window
 * cannot grant LOCAL_WRITE nor the optional rights. Applications ask for them
 * all the same, so these bits are dropped instead of refused.
 *
 * Return: 0; EINVAL: unknown rights, or a length without a region.
 */
static inline int xrdma_make_bind(struct xrdma_sq_wqe *wqe, struct ibv_mw *mw,
				  uint32_t key,
				  const struct ibv_mw_bind_info *info)
{
	struct xrdma_bind_seg *seg = xrdma_make_remote(wqe, 0, 0);
	unsigned int access = info->mw_access_flags;
	unsigned int known = XRDMA_ACCESS_WINDOW | IBV_ACCESS_LOCAL_WRITE |
			     IBV_ACCESS_OPTIONAL_RANGE;

	if (unlikely(access & ~known))
		return EINVAL;

	if (info->length) {
		if (unlikely(!info->mr))
			return EINVAL;
		seg->addr = htole64(info->addr);
		seg->mr_key = htole32(info->mr->lkey);
		seg->access = htole32(access & XRDMA_ACCESS_WINDOW);
	} else {
		seg->addr = 0;
		seg->mr_key = 0;
		seg->access = 0;
	}
	seg->length = htole64(info->length);
	seg->new_key = htole32(key);
	seg->reserved = 0;
	wqe->inv_key = htole32(mw->rkey);
	mw->rkey = key;
	return 0;
}

#endif /* XRDMA_PROVIDER_WQE_H */

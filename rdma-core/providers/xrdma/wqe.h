/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA provider: what a send entry says: each part of it is written by one
 * function here, for both ways to post. Must not know: rings, locks.
 */

#ifndef XRDMA_PROVIDER_WQE_H
#define XRDMA_PROVIDER_WQE_H

#include <errno.h>
#include <string.h>

#include <util/compiler.h>

#include "xrdma.h"

#define XRDMA_SEND_FLAGS (IBV_SEND_FENCE | IBV_SEND_SIGNALED | \
			  IBV_SEND_SOLICITED | IBV_SEND_INLINE)

#define XRDMA_NUM_OPS	(IBV_WR_ATOMIC_WRITE + 1)

/* What an operation takes from its work request. */
enum xrdma_op_flags {
	XRDMA_TAKES_IMM		= 1 << 0,
	XRDMA_TAKES_REMOTE	= 1 << 1,
	XRDMA_TAKES_ATOMIC	= 1 << 2,
	XRDMA_TAKES_INLINE	= 1 << 3,
	XRDMA_TAKES_KEY		= 1 << 4,
	XRDMA_TAKES_BIND	= 1 << 5,
	XRDMA_TAKES_DATA	= 1 << 6,
	XRDMA_TAKES_VALUE	= 1 << 7,
	XRDMA_TAKES_RANGE	= 1 << 8,
};

/**
 * struct xrdma_op - a posted operation
 * @opcode: enum xrdma_wqe_opcode
 * @flags: enum xrdma_op_flags
 */
struct xrdma_op {
	uint8_t opcode;
	uint16_t flags;
};

/* By enum ibv_wr_opcode; those that do not exist are all zero. */
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

static inline uint8_t xrdma_make_flags(unsigned int send_flags)
{
	uint8_t flags = 0;

	if (send_flags & IBV_SEND_SIGNALED)
		flags |= XRDMA_WQE_SIGNALED;
	if (send_flags & IBV_SEND_FENCE)
		flags |= XRDMA_WQE_FENCE;
	if (send_flags & IBV_SEND_SOLICITED)
		flags |= XRDMA_WQE_SOLICITED;
	if (send_flags & IBV_SEND_INLINE)
		flags |= XRDMA_WQE_INLINE;
	return flags;
}

/**
 * xrdma_make_head() - what every entry has
 * @wqe: entry
 * @opcode: enum xrdma_wqe_opcode
 * @send_flags: enum ibv_send_flags
 * @num_sge: scatter-gather entries, or bytes if inline
 * @wr_id: for the completion
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
 * xrdma_make_remote() - the peer's side of an operation
 * @wqe: entry
 * @addr: peer's address, or 0
 * @rkey: its key, or 0
 *
 * Return: where what follows the first 32 bytes begins.
 */
static inline void *xrdma_make_remote(struct xrdma_sq_wqe *wqe, uint64_t addr,
				      uint32_t rkey)
{
	wqe->remote_addr = htole64(addr);
	wqe->rkey = htole32(rkey);
	return wqe + 1;
}

/**
 * xrdma_make_address() - where a datagram goes
 * @wqe: entry
 * @ah: handle of the address
 * @qpn: destination
 * @qkey: its Q_Key
 *
 * Return: where the payload begins.
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
 * xrdma_make_atomic() - operands
 * @seg: where they go
 * @swap_add: to swap in, to add or to write
 * @compare: to compare with, or 0
 *
 * Return: where the payload begins.
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

	for (i = 0; i < num_sge; i++)
		xrdma_make_sge(&to[i], from[i].addr, from[i].length,
			       from[i].lkey);
}

/**
 * xrdma_add_inline() - copy a piece of payload into the entry
 * @to: where the payload begins
 * @used: bytes of it that are there
 * @room: bytes that fit
 * @from: piece
 * @length: bytes of it
 *
 * Return: bytes that are there now, or -EINVAL.
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
 * xrdma_make_bind() - an entry that binds or unbinds a window
 * @wqe: entry; all of it is written but its head
 * @mw: window; its key becomes @key
 * @key: of the window from now on
 * @info: grant
 *
 * Whether the grant is legal is for the device to say. LOCAL_WRITE is nothing
 * that a window could grant, but applications ask for it; like the optional
 * rights it is left out.
 *
 * Return: 0, or EINVAL: unknown rights, or no region.
 */
static inline int xrdma_make_bind(struct xrdma_sq_wqe *wqe, struct ibv_mw *mw,
				  uint32_t key,
				  const struct ibv_mw_bind_info *info)
{
	struct xrdma_bind_seg *seg = xrdma_make_remote(wqe, 0, 0);
	unsigned int access = info->mw_access_flags;

	if (unlikely(access & ~(XRDMA_ACCESS_WINDOW | IBV_ACCESS_LOCAL_WRITE |
				IBV_ACCESS_OPTIONAL_RANGE)))
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

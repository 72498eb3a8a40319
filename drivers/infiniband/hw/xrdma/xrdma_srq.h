/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA shared receive queues: xrdma_srq.c creates, changes and destroys
 * queues, xrdma_srq_post.c posts to kernel queues and finds the request of a
 * completion.
 */

#ifndef XRDMA_SRQ_H
#define XRDMA_SRQ_H

#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>
#include "xrdma_ubuf.h"
#include "xrdma_wq.h"

struct xrdma_buf;
struct xrdma_ibdev;
struct xrdma_srq_rec;

/**
 * struct xrdma_srq_tag - request in a shared receive queue of the kernel
 * @wr_id: wr_id of the work request
 * @next: number of the next tag. Free tag: next in the list of free tags,
 *	protected by xrdma_srq.lock. Taken tag: next in the poller's list
 * @posted: the request has not completed. The thread that changes @posted from
 *	true to false owns the tag until it frees it
 */
struct xrdma_srq_tag {
	u64 wr_id;
	u32 next;
	bool posted;
};

/**
 * struct xrdma_srq - shared receive queue
 * @ibsrq: verbs object
 * @srqn: number of the queue
 * @rq: ring; @rq.ci and @rq.done are not used, @rq.pi only in a kernel queue
 * @tags: kernel queue: one tag for each entry of the ring; requests complete in
 *	any order
 * @free_tag: first tag of the list of free tags; 1 << @rq.log_depth: none is
 *	free
 * @lock: kernel queue: protects @rq.pi, the free entries of the ring, @free_tag
 *	and the list of free tags
 * @buf: memory of ring and record of a kernel queue
 * @user: memory of ring and record of a user's queue; protected by @modify_lock
 * @rec: record of a kernel queue, in @buf; NULL: the queue is a user's
 * @modify_lock: serialises modify and query
 * @refs: references of interrupt handlers and of the owner
 * @free: completed when the last reference is dropped
 */
struct xrdma_srq {
	struct ib_srq ibsrq;
	u32 srqn;
	struct xrdma_wq rq;
	struct xrdma_srq_tag *tags;
	u32 free_tag;
	spinlock_t lock; /* @rq, @tags */
	struct xrdma_buf *buf;
	struct xrdma_ubuf user;
	struct xrdma_srq_rec *rec;
	struct mutex modify_lock; /* modify, query */
	refcount_t refs;
	struct completion free;
};

static inline struct xrdma_srq *to_xsrq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct xrdma_srq, ibsrq);
}

/* xrdma_srq.c */
int xrdma_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		     struct ib_udata *udata);
int xrdma_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		     enum ib_srq_attr_mask mask, struct ib_udata *udata);
int xrdma_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int xrdma_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);
struct xrdma_srq *xrdma_srq_get(struct xrdma_ibdev *xib, u32 srqn);
void xrdma_srq_put(struct xrdma_srq *srq);
void xrdma_srq_event(struct xrdma_ibdev *xib, u32 srqn, u8 event);

/* xrdma_srq_post.c */
int xrdma_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
			const struct ib_recv_wr **bad_wr);
bool xrdma_srq_take(struct xrdma_srq *srq, u64 tag, u64 *wr_id);
void xrdma_srq_free(struct xrdma_srq *srq, u32 first, u32 last);
void xrdma_srq_done(struct xrdma_srq *srq, u64 tag);

#endif /* XRDMA_SRQ_H */

/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA shared receive queues: xrdma_srq.c has the queues, xrdma_srq_post.c posts to
 * those of the kernel and finds the request of a completion.
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
 * struct xrdma_srq_tag - what a completion of a shared receive queue leads to
 * @wr_id: of the work request
 * @next: free: the next free one, under the queue's lock; taken: the poller's
 * @posted: not completed; who clears it has taken the place
 */
struct xrdma_srq_tag {
	u64 wr_id;
	u32 next;
	bool posted;
};

/**
 * struct xrdma_srq - shared receive queue
 * @ibsrq: verbs object
 * @srqn: number
 * @rq: ring; of a kernel queue @pi, under @lock, counts; @max_sge
 * @tags: of a kernel queue, one for each entry that is posted or taken: the
 *	device completes them in any order
 * @free_tag: first that is free; none: their number
 * @lock: producer and tags of a kernel queue
 * @buf: ring and record of a kernel queue
 * @user: ring and record of a user's
 * @rec: record of a kernel queue
 * @modify_lock: serialises modify and query
 * @refs: interrupt handlers and the owner
 * @free: when the last reference is gone
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

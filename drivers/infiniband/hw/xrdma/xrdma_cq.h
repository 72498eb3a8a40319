/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA completion queues: xrdma_cq.c creates and destroys them and reads their
 * rings, xrdma_cq_modify.c resizes and moderates them. Entries are decoded in
 * xrdma_poll.c.
 */

#ifndef XRDMA_CQ_H
#define XRDMA_CQ_H

#include <linux/mutex.h>
#include <linux/rbtree_types.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>
#include "xrdma_ubuf.h"

struct xrdma_buf;
struct xrdma_caps;
struct xrdma_cq_rec;
struct xrdma_cqe;
struct xrdma_dev;
struct xrdma_ibdev;
struct xrdma_srq;

/**
 * struct xrdma_cq - completion queue, of verbs or of the netdev
 * @ibcq: verbs object; unused in queues of the netdev
 * @cqn: number of the queue
 * @port: the queue is one of the netdev
 * @eqn: number of the event queue that gets the completion events
 * @log_depth: log2 of the number of entries; of a user's queue: protected by
 *	@resize_lock
 * @buf: memory of ring and record of a kernel queue
 * @user: memory of ring and record of a user's queue; protected by @resize_lock
 * @resize_lock: protects @user and @log_depth of a user's queue, and keeps the
 *	result of xrdma_cq_live() valid
 * @rec: record of a kernel queue, in @buf; NULL: the queue is a user's
 * @ci: consumer index; protected by @lock
 * @arm: arm word that the driver has written last; protected by @lock; only with
 *	shadow doorbells
 * @armed: the consumer has asked for an event and has not had it yet
 * @next_armed: the last request of the consumer for an event was for any
 *	completion; protected by @lock
 * @lock: protects the consumer side of a kernel queue: @ci, @arm, @next_armed,
 *	@closed, @dead, @send_qps and @recv_qps
 * @closed: the number may belong to another queue of the device soon: no doorbell
 *	may name it; protected by @lock
 * @comp: completion handler; called with interrupts off
 * @dead: kernel queue: the device will write no more entries, and requests
 *	complete in software; protected by @lock. User's queue: the process has
 *	been woken after the device's death
 * @send_qps: kernel queue pairs whose sends complete in this queue, sorted by
 *	number; protected by @lock
 * @recv_qps: kernel queue pairs whose receives complete in this queue, sorted
 *	by number; protected by @lock
 */
struct xrdma_cq {
	struct ib_cq ibcq;
	u32 cqn;
	bool port;
	u32 eqn;
	u8 log_depth;
	struct xrdma_buf *buf;
	struct xrdma_ubuf user;
	struct mutex resize_lock; /* @user, @log_depth, xrdma_cq_live() */
	struct xrdma_cq_rec *rec;
	u32 ci;
	u32 arm;
	bool armed;
	bool next_armed;
	spinlock_t lock; /* consumer side, of a kernel queue */
	bool closed;
	void (*comp)(struct xrdma_cq *cq);
	bool dead;
	struct rb_root send_qps;
	struct rb_root recv_qps;
};

static inline struct xrdma_cq *to_xcq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct xrdma_cq, ibcq);
}

/* xrdma_cq.c */
int xrdma_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		    struct uverbs_attr_bundle *attrs);
int xrdma_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int xrdma_pre_destroy_cq(struct ib_cq *ibcq);
void xrdma_post_destroy_cq(struct ib_cq *ibcq);
int xrdma_ucq_check(const struct xrdma_caps *caps, u32 entries, u64 addr,
		    u32 log_depth);
int xrdma_ucq_map(struct xrdma_ibdev *xib, struct xrdma_ubuf *ubuf, u64 addr,
		  u8 log_depth);
bool xrdma_cq_live(struct xrdma_ibdev *xib, struct xrdma_cq *cq);
int xrdma_kcq_create(struct xrdma_ibdev *xib, struct xrdma_cq *cq, u32 entries,
		     u32 eqn);
void xrdma_kcq_destroy(struct xrdma_ibdev *xib, struct xrdma_cq *cq);
struct xrdma_cqe *xrdma_cq_next(struct xrdma_cq *cq);
bool xrdma_cq_read(struct xrdma_cq *cq, struct xrdma_cqe *cqe);
void xrdma_cq_update_ci(struct xrdma_cq *cq);
void xrdma_cq_arm(struct xrdma_dev *xdev, struct xrdma_cq *cq, u32 type);
void xrdma_cq_drop_qp(struct xrdma_cq *cq, u32 qpn, struct xrdma_srq *srq);
void xrdma_cq_event(struct xrdma_ibdev *xib, u32 cqn, u8 event);
void xrdma_cq_completion(struct xrdma_ibdev *xib, u32 cqn);
void xrdma_cq_wake(struct xrdma_ibdev *xib, u32 cqn);

/* xrdma_cq_modify.c */
int xrdma_resize_user_cq(struct ib_cq *ibcq, unsigned int cqe,
			 struct ib_udata *udata);
int xrdma_modify_cq(struct ib_cq *ibcq, u16 count, u16 period);
int xrdma_cq_indexes(struct xrdma_ibdev *xib, struct xrdma_cq *cq, u32 *ci,
		     u32 *pi);

#endif /* XRDMA_CQ_H */

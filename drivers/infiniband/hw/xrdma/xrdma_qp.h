/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA queue pairs: xrdma_qp.c has what all have in common, xrdma_qp_verbs.c
 * creates and destroys them, xrdma_qp_modify.c has states and attributes. Rings in
 * the memory of the kernel are in xrdma_kqp.h, those of a process in xrdma_uqp.h.
 */

#ifndef XRDMA_QP_H
#define XRDMA_QP_H

#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/rbtree_types.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>
#include "xrdma_ubuf.h"
#include "xrdma_wq.h"

struct xrdma_buf;
struct xrdma_caps;
struct xrdma_cmd_create_qp;
struct xrdma_cq;
struct xrdma_dev;
struct xrdma_ibdev;
struct xrdma_qp_rec;
struct xrdma_srq;

/**
 * struct xrdma_qp - queue pair, of verbs or of the netdev
 * @ibqp: verbs object; of the netdev's, only its event handler is used
 * @xdev: device layer
 * @qpn: number
 * @type: enum xrdma_qp_type
 * @state: as last set or queried: the device may have moved on to ERR; written
 *	under @modify_lock
 * @sig_all: every send is signaled
 * @sq: send side
 * @rq: receive side
 * @sq_lock: producer of @sq
 * @rq_lock: producer of @rq
 * @buf: rings and record of a kernel queue pair
 * @user: rings and record of a user's
 * @rec: record of a kernel queue pair
 * @max_inline: inline bytes of a send
 * @modify_lock: serialises modify and query
 * @refs: interrupt handlers and the owner
 * @free: when the last reference is gone
 * @send_node: in the send CQ's send_qps
 * @recv_node: in the receive CQ's recv_qps
 */
struct xrdma_qp {
	struct ib_qp ibqp;
	struct xrdma_dev *xdev;
	u32 qpn;
	u8 type;
	u8 state;
	bool sig_all;
	struct xrdma_wq sq;
	struct xrdma_wq rq;
	spinlock_t sq_lock; /* producer of @sq */
	spinlock_t rq_lock; /* producer of @rq */
	struct xrdma_buf *buf;
	struct xrdma_ubuf user;
	struct xrdma_qp_rec *rec;
	u32 max_inline;
	struct mutex modify_lock; /* modify, query */
	refcount_t refs;
	struct completion free;
	struct rb_node send_node;
	struct rb_node recv_node;
};

/**
 * struct xrdma_qp_init - what a queue pair is, and what it needs
 * @type: enum xrdma_qp_type
 * @pdn: protection domain; 0: none
 * @xrcdn: XRC domain; 0: none
 * @send_cq: completion queue of sends, or NULL
 * @recv_cq: completion queue of receives, or NULL
 * @srq: shared receive queue, or NULL
 * @sig_all: every send is signaled
 * @sq_optional: a user's may have no send ring
 * @has_rq: there may be a receive ring
 * @send_wr: in the kernel: send entries wanted
 * @recv_wr: in the kernel: receive entries wanted; 0: no receive ring
 * @send_bytes: in the kernel: bytes that the longest send entry needs
 * @recv_sge: in the kernel: scatter-gather entries of a receive
 */
struct xrdma_qp_init {
	u8 type;
	u32 pdn;
	u32 xrcdn;
	struct xrdma_cq *send_cq;
	struct xrdma_cq *recv_cq;
	struct xrdma_srq *srq;
	bool sig_all;
	bool sq_optional;
	bool has_rq;
	u32 send_wr;
	u32 recv_wr;
	u32 send_bytes;
	u32 recv_sge;
};

/**
 * struct xrdma_qp_kind - what queue pairs of a type have
 * @known: there is such a type
 * @type: enum xrdma_qp_type
 * @sq: a send ring; of whole frames, perhaps none
 * @rq: a receive ring, if they have no SRQ
 * @srq: may have an SRQ
 * @user: processes may make one
 * @kernel: the kernel's consumers may
 * @cap: XRDMA_CAP_* that the device needs, or 0
 */
struct xrdma_qp_kind {
	bool known;
	u8 type;
	bool sq;
	bool rq;
	bool srq;
	bool user;
	bool kernel;
	u64 cap;
};

/**
 * struct xrdma_qp_depth - how far producer and device are
 * @sq_pi: entries posted to the send queue
 * @sq_ci: of these, completed
 * @rq_pi: entries posted to the receive queue
 * @rq_ci: of these, consumed
 *
 * All since the last reset, modulo 2^32; a user's @sq_pi and @rq_pi are what
 * the process has put there.
 */
struct xrdma_qp_depth {
	u32 sq_pi;
	u32 sq_ci;
	u32 rq_pi;
	u32 rq_ci;
};

static inline struct xrdma_qp *to_xqp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct xrdma_qp, ibqp);
}

/* xrdma_qp_verbs.c */
int xrdma_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr,
		    struct ib_udata *udata);
int xrdma_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);

/* xrdma_qp_modify.c */
int xrdma_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		    struct ib_udata *udata);
int xrdma_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		   struct ib_qp_init_attr *init_attr);
int xrdma_qp_depth(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		   struct xrdma_qp_depth *depth);

/* xrdma_qp.c */
struct xrdma_qp *xrdma_qp_get(struct xrdma_ibdev *xib, u32 qpn);
void xrdma_qp_put(struct xrdma_qp *qp);
void xrdma_qp_event(struct xrdma_ibdev *xib, u32 qpn, u8 event);
const struct xrdma_qp_kind *xrdma_qp_kind(enum ib_qp_type type);
u32 xrdma_sq_header(u8 type);
void xrdma_qp_limits(const struct xrdma_caps *caps, struct xrdma_qp *qp);
void xrdma_qp_caps(const struct xrdma_qp *qp, struct ib_qp_cap *cap);
void xrdma_make_create_qp(struct xrdma_cmd_create_qp *cmd,
			  const struct xrdma_qp_init *init);
int xrdma_qp_reserve(struct xrdma_ibdev *xib, struct xrdma_qp *qp);
int xrdma_qp_enable(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		    struct xrdma_cmd_create_qp *cmd);
int xrdma_qp_disable(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		     struct xrdma_cq *send_kcq, struct xrdma_cq *recv_kcq);

#endif /* XRDMA_QP_H */

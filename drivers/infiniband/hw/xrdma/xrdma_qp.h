/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA queue pairs: xrdma_qp.c has the code that all types share,
 * xrdma_qp_verbs.c the verbs that create and destroy, xrdma_qp_modify.c states
 * and attributes. Rings in kernel memory are in xrdma_kqp.h, rings of a process
 * in xrdma_uqp.h.
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
 * @ibqp: verbs object; a queue pair of the netdev uses only its event handler
 * @xdev: device layer
 * @qpn: number of the queue pair
 * @type: enum xrdma_qp_type
 * @state: enum xrdma_qp_state that was set or queried last; the device may have
 *	changed the state to ERR since then. Written under @modify_lock, read
 *	without a lock
 * @sig_all: every send is signaled
 * @port: the queue pair is one of the netdev
 * @sq: send ring
 * @rq: receive ring
 * @sq_lock: protects the producer index and the free entries of @sq
 * @rq_lock: protects the producer index and the free entries of @rq
 * @buf: memory of rings and record of a kernel queue pair
 * @user: memory of rings and record of a user's queue pair
 * @rec: record of a kernel queue pair, in @buf; else NULL
 * @max_inline: largest number of inline bytes in a send
 * @modify_lock: serialises modify and query
 * @refs: references of interrupt handlers and of the owner
 * @free: completed when the last reference is dropped
 * @send_node: node in xrdma_cq.send_qps of the send CQ
 * @recv_node: node in xrdma_cq.recv_qps of the receive CQ
 */
struct xrdma_qp {
	struct ib_qp ibqp;
	struct xrdma_dev *xdev;
	u32 qpn;
	u8 type;
	u8 state;
	bool sig_all;
	bool port;
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
 * struct xrdma_qp_init - parameters of a new queue pair
 * @type: enum xrdma_qp_type
 * @pdn: protection domain; 0: none
 * @xrcdn: XRC domain; 0: none
 * @send_cq: completion queue of sends, or NULL
 * @recv_cq: completion queue of receives, or NULL
 * @srq: shared receive queue, or NULL
 * @sig_all: every send is signaled
 * @sq_optional: a user's queue pair may have no send ring
 * @has_rq: the queue pair may have a receive ring
 * @send_wr: kernel queue pair: minimum number of send entries
 * @recv_wr: kernel queue pair: minimum number of receive entries; 0: no ring
 * @send_bytes: kernel queue pair: size of the longest send entry in bytes
 * @recv_sge: kernel queue pair: scatter-gather entries of a receive
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
	u64 send_bytes;
	u32 recv_sge;
};

/**
 * struct xrdma_qp_kind - properties of a type of queue pairs
 * @known: the driver has this type
 * @type: enum xrdma_qp_type
 * @sq: has a send ring; raw packet queue pairs may leave it out
 * @rq: has a receive ring unless the queue pair has an SRQ
 * @srq: may have an SRQ
 * @user: a process may create one
 * @kernel: a kernel consumer may create one
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
 * struct xrdma_qp_depth - producer and consumer indexes of a queue pair
 * @sq_pi: number of entries posted to the send ring
 * @sq_ci: number of entries of the send ring that have completed
 * @rq_pi: number of entries posted to the receive ring
 * @rq_ci: number of entries of the receive ring that the device has consumed
 *
 * All numbers count from the last transition to RESET, modulo 2^32. @sq_pi and
 * @rq_pi of a user's queue pair may be wrong: the process writes them.
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
bool xrdma_qp_get_live(struct xrdma_ibdev *xib, struct xrdma_qp *qp);
void xrdma_qp_put(struct xrdma_qp *qp);
void xrdma_qp_event(struct xrdma_ibdev *xib, u32 qpn, u8 event);
const struct xrdma_qp_kind *xrdma_qp_kind(enum ib_qp_type type);
u32 xrdma_sq_header(u8 type);
void xrdma_qp_limits(const struct xrdma_caps *caps, struct xrdma_qp *qp);
void xrdma_qp_caps(const struct xrdma_qp *qp, struct ib_qp_cap *cap);
void xrdma_make_create_qp(struct xrdma_cmd_create_qp *cmd,
			  const struct xrdma_qp_init *init);
int xrdma_qpn_reserve(struct xrdma_ibdev *xib, bool port, u32 *qpn);
int xrdma_qp_reserve(struct xrdma_ibdev *xib, struct xrdma_qp *qp);
int xrdma_qp_enable(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		    struct xrdma_cmd_create_qp *cmd);
int xrdma_qp_disable(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		     struct xrdma_cq *send_kcq, struct xrdma_cq *recv_kcq);

#endif /* XRDMA_QP_H */

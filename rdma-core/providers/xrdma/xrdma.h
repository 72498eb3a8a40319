/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA provider: the objects behind the verbs, their locks, and the prototypes
 * of all files. The commands to the driver are in xrdma-abi.h, access to rings
 * and records is in ring.h, the contents of send entries are in wqe.h.
 *
 * All layouts come from <rdma/xrdma-abi.h>. An index of a ring counts entries
 * since the ring was created, modulo 2^32. The depth of a ring is a power of
 * two.
 *
 * Locks:
 * - xrdma_cq.lock covers the ring, the consumer index, the arm word and the
 *   record of a completion queue. Its holder also advances xrdma_wq.ci of the
 *   work queues whose entries have completed; posters read xrdma_wq.ci without
 *   this lock.
 * - xrdma_wq.lock covers the ring and the producer index of a work queue.
 * - xrdma_context.qp_mutex serialises the writers of the table in which pollers
 *   look up queue pairs and work queues, and covers xrdma_context.slots. No
 *   command is issued under it: a command that destroys an object waits until
 *   the application has acknowledged events.
 *
 * The extended calls hold a lock from one call to another: start_poll() to
 * end_poll() hold xrdma_cq.lock, wr_start() to wr_complete() or wr_abort() hold
 * xrdma_wq.lock of the send queue. That lock also covers the state that these
 * calls keep: @current and @current_qp of struct xrdma_cq, and struct
 * xrdma_wr_batch.
 *
 * Order: qp_mutex is taken before the lock of one completion queue. The lock of
 * a send queue is taken before that of the receive queue of the same queue
 * pair; no function takes another lock with one of these two.
 *
 * An object of a thread domain has locks that are never taken.
 */

#ifndef XRDMA_PROVIDER_H
#define XRDMA_PROVIDER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/driver.h>
#include <rdma/xrdma-abi.h>
#include <rdma/xrdma-ring.h>
#include <util/util.h>

/* The table of queue pairs, indexed by QPN, has two levels. */
#define XRDMA_QP_LEAF_SHIFT	10
#define XRDMA_QP_LEAF_SIZE	BIT(XRDMA_QP_LEAF_SHIFT)
#define XRDMA_QP_TABLE_SIZE	((XRDMA_QPN_MASK >> XRDMA_QP_LEAF_SHIFT) + 1)

struct xrdma_op;
struct xrdma_qp;

/**
 * struct xrdma_lock - spinlock that an object of a single thread does not take
 * @spin: the lock
 * @elided: the application promised one thread: @spin is never taken
 */
struct xrdma_lock {
	pthread_spinlock_t spin;
	bool elided;
};

struct xrdma_pd;

/**
 * struct xrdma_buf - memory of rings and records, which the device accesses
 * @addr: first byte, page-aligned
 * @size: bytes, whole pages; 0: no memory was allocated
 * @domain: parent domain of the object that the memory belongs to, or NULL
 * @from_domain: the allocator of @domain gave the memory; else mmap() did
 */
struct xrdma_buf {
	void *addr;
	size_t size;
	struct xrdma_pd *domain;
	bool from_domain;
};

/**
 * struct xrdma_qp_leaf - second level of the table of queue pairs
 * @users: number of entries of @qp that are not NULL
 * @qp: queue pairs, by the low bits of their QPN
 */
struct xrdma_qp_leaf {
	unsigned int users;
	struct xrdma_qp *qp[XRDMA_QP_LEAF_SIZE];
};

/**
 * struct xrdma_context - an open device
 * @ibv_ctx: the context as libibverbs sees it
 * @db: doorbell page
 * @db_size: bytes mapped at @db, and at @push
 * @push: push page; NULL: there is none, or it is not used
 * @slots: parts of @push that queue pairs use, a bit for each 64 bytes
 * @shadow_db: the device reads indexes and arm words in records: a doorbell that
 *	it does not need may be skipped, and none arms a queue
 * @null_key: the device has XRDMA_KEY_NULL
 * @single_threaded: the application promised to use one thread only
 * @max_qp_wr: highest depth of a send or receive queue
 * @max_cqe: highest depth of a completion queue
 * @max_sge: highest number of scatter-gather entries of a work request
 * @max_inline: highest number of inline bytes of a work request
 * @qp_mutex: held to change @qp_table or @slots
 * @qp_table: first level of the table of queue pairs, by the high bits of the
 *	QPN
 */
struct xrdma_context {
	struct verbs_context ibv_ctx;
	void *db;
	size_t db_size;
	void *push;
	uint64_t slots;
	bool shadow_db;
	bool null_key;
	bool single_threaded;
	uint32_t max_qp_wr;
	uint32_t max_cqe;
	uint32_t max_sge;
	uint32_t max_inline;
	pthread_mutex_t qp_mutex;
	struct xrdma_qp_leaf *qp_table[XRDMA_QP_TABLE_SIZE];
};

/**
 * struct xrdma_td - thread domain: its objects are used by one thread at a time
 * @ibv_td: the domain as libibverbs sees it
 * @users: number of parent domains that name this thread domain
 */
struct xrdma_td {
	struct ibv_td ibv_td;
	atomic_uint users;
};

/**
 * struct xrdma_pd - protection domain or parent domain
 * @ibv_pd: the domain as libibverbs sees it; a parent domain has the handle of
 *	@base
 * @pdn: number of the domain in fault records; 0: the domain was imported
 * @users: protection domain: number of its parent domains; parent domain:
 *	number of buffers of queues that were created in it
 * @base: parent domain: its protection domain; protection domain: NULL
 * @td: parent domain: its thread domain, or NULL
 * @alloc: parent domain: the application's allocator, or NULL
 * @free: parent domain: frees memory that @alloc gave
 * @context: parent domain: argument of @alloc and @free
 */
struct xrdma_pd {
	struct ibv_pd ibv_pd;
	uint32_t pdn;
	atomic_uint users;
	struct xrdma_pd *base;
	struct xrdma_td *td;
	void *(*alloc)(struct ibv_pd *pd, void *context, size_t size,
		       size_t alignment, uint64_t type);
	void (*free)(struct ibv_pd *pd, void *context, void *addr,
		     uint64_t type);
	void *context;
};

/**
 * struct xrdma_ah - address handle
 * @ibv_ah: the handle as libibverbs sees it
 * @av: address vector, copied into each datagram's entry
 */
struct xrdma_ah {
	struct ibv_ah ibv_ah;
	struct xrdma_av av;
};

/**
 * struct xrdma_cq - completion queue
 * @verbs_cq: the queue as libibverbs sees it
 * @lock: covers all following members
 * @ring: entries
 * @rec: record, shared with the device
 * @ci: consumer index
 * @log_depth: log2 of the number of entries
 * @next_armed: the queue was armed for any completion, and the application has
 *	not fetched an event since
 * @arm: arm word that was written to @rec last; only with shadow doorbells
 * @consumed: list of the work queues whose member @consumed is not 0
 * @current: copy of the entry that the read functions of ibv_cq_ex report
 * @current_qp: queue pair of the entry in @current, or NULL
 * @cqn: number of the queue
 * @buf: memory of @ring and @rec
 */
struct xrdma_cq {
	struct verbs_cq verbs_cq;
	struct xrdma_lock lock;
	struct xrdma_cqe *ring;
	struct xrdma_cq_rec *rec;
	uint32_t ci;
	uint8_t log_depth;
	bool next_armed;
	uint32_t arm;
	struct xrdma_wq *consumed;
	struct xrdma_cqe current;
	struct xrdma_qp *current_qp;
	uint32_t cqn;
	struct xrdma_buf buf;
};

/**
 * struct xrdma_wq - work queue: a ring of send or receive entries
 * @lock: covers @ring and @pi
 * @ring: entries
 * @depth: number of entries, a power of two; 0: the queue does not exist
 * @pi: producer index
 * @place: send queue: place of the entry at @pi in @ring, in units of XRDMA_SQ_UNIT
 *	bytes
 * @ci: index of the oldest entry that the device may still read. A poller
 *	writes it under the lock of the completion queue; for a shared receive
 *	queue a poster writes it under @lock.
 * @consumed: number of entries from @ci on that have completed. A poller sets
 *	it to 0 again before it releases the lock of the completion queue.
 * @next_consumed: next work queue in the list xrdma_cq.consumed
 * @max_sge: number of scatter-gather entries that fit into an entry
 * @log_stride: other queues: log2 of the bytes of an entry
 * @units: send queue: units of the longest entry
 */
struct xrdma_wq {
	struct xrdma_lock lock;
	void *ring;
	uint32_t depth;
	uint32_t pi;
	uint32_t place;
	_Atomic(uint32_t) ci;
	uint32_t consumed;
	struct xrdma_wq *next_consumed;
	uint16_t max_sge;
	uint8_t log_stride;
	uint8_t units;
};

/**
 * struct xrdma_wr_batch - entries written since ibv_wr_start()
 * @start: producer index when ibv_wr_start() was called
 * @start_place: place of the entry at @start
 * @num_bound: number of entries that bind a window, which are in xrdma_qp.bound_mws
 * @err: errno of the first call that failed since, or 0
 * @no_target: the application has not set the address or the remote SRQ that
 *	the last entry needs
 * @wqe: last entry
 * @op: operation of @wqe
 * @data: where the payload of @wqe goes; NULL: the payload was set, or the
 *	operation has none
 */
struct xrdma_wr_batch {
	uint32_t start;
	uint32_t start_place;
	uint32_t num_bound;
	int err;
	bool no_target;
	struct xrdma_sq_wqe *wqe;
	const struct xrdma_op *op;
	void *data;
};

/**
 * struct xrdma_bound_mw - window that an entry of a batch binds
 * @mw: window
 * @rkey: key that it had before
 */
struct xrdma_bound_mw {
	struct ibv_mw *mw;
	uint32_t rkey;
};

/**
 * struct xrdma_qp - queue pair
 * @verbs_qp: the queue pair as libibverbs sees it
 * @sq: send queue
 * @rq: receive queue
 * @rec: record, shared with the device; NULL: neither @sq nor @rq exists
 * @db: doorbell of send queues
 * @push: slot of the push page, or NULL
 * @slot: offset of @push in the page
 * @qpn: number of the queue pair
 * @max_inline: inline bytes that fit into a send entry
 * @force_flags: flags added to each send request: IBV_SEND_SIGNALED or 0
 * @ops: operations that can be posted, bits by enum ibv_wr_opcode
 * @datagram: send entries have an address vector
 * @xrc: send entries name a shared receive queue of the peer
 * @shadow_db: as in struct xrdma_context
 * @batch: entries that the extended calls have written but not published
 * @bound_mws: the windows that @batch has bound, to restore their keys if the batch
 *	is dropped; NULL: ibv_wr_bind_mw() is not enabled
 * @buf: memory of the rings and @rec
 */
struct xrdma_qp {
	struct verbs_qp verbs_qp;
	struct xrdma_wq sq;
	struct xrdma_wq rq;
	struct xrdma_qp_rec *rec;
	void *db;
	void *push;
	uint32_t slot;
	uint32_t qpn;
	uint32_t max_inline;
	uint32_t force_flags;
	uint32_t ops;
	bool datagram;
	bool xrc;
	bool shadow_db;
	struct xrdma_wr_batch batch;
	struct xrdma_bound_mw *bound_mws;
	struct xrdma_buf buf;
};

/**
 * struct xrdma_srq - shared receive queue
 * @verbs_srq: the queue as libibverbs sees it
 * @wq: ring of receive entries
 * @rec: record, shared with the device
 * @srqn: number of the queue, which an XRC peer names to send to it
 * @buf: memory of the ring and @rec
 */
struct xrdma_srq {
	struct verbs_srq verbs_srq;
	struct xrdma_wq wq;
	struct xrdma_srq_rec *rec;
	uint32_t srqn;
	struct xrdma_buf buf;
};

/**
 * struct xrdma_rwq - receive work queue, for receive side scaling
 * @ibv_wq: the queue as libibverbs sees it
 * @qp: queue pair without a send queue, as which the device and the pollers
 *	treat the work queue
 */
struct xrdma_rwq {
	struct ibv_wq ibv_wq;
	struct xrdma_qp qp;
};

static inline struct xrdma_context *to_xctx(struct ibv_context *ibctx)
{
	return container_of(ibctx, struct xrdma_context, ibv_ctx.context);
}

static inline struct xrdma_pd *to_xpd(struct ibv_pd *ibpd)
{
	return container_of(ibpd, struct xrdma_pd, ibv_pd);
}

static inline struct xrdma_td *to_xtd(struct ibv_td *ibtd)
{
	return container_of(ibtd, struct xrdma_td, ibv_td);
}

static inline struct xrdma_ah *to_xah(struct ibv_ah *ibah)
{
	return container_of(ibah, struct xrdma_ah, ibv_ah);
}

static inline struct xrdma_cq *to_xcq(struct ibv_cq *ibcq)
{
	return container_of(ibcq, struct xrdma_cq, verbs_cq.cq);
}

static inline struct xrdma_qp *to_xqp(struct ibv_qp *ibqp)
{
	return container_of(ibqp, struct xrdma_qp, verbs_qp.qp);
}

static inline struct xrdma_srq *to_xsrq(struct ibv_srq *ibsrq)
{
	return container_of(ibsrq, struct xrdma_srq, verbs_srq.srq);
}

static inline struct xrdma_rwq *to_xrwq(struct ibv_wq *ibwq)
{
	return container_of(ibwq, struct xrdma_rwq, ibv_wq);
}

/*
 * Initialise the lock of an object that is created in @pd, which may be NULL.
 */
static inline void xrdma_lock_init(struct xrdma_lock *lock,
				   const struct xrdma_context *ctx,
				   const struct xrdma_pd *pd)
{
	pthread_spin_init(&lock->spin, PTHREAD_PROCESS_PRIVATE);
	lock->elided = ctx->single_threaded || (pd && pd->td);
}

static inline void xrdma_lock_destroy(struct xrdma_lock *lock)
{
	pthread_spin_destroy(&lock->spin);
}

static inline void xrdma_lock(struct xrdma_lock *lock)
{
	if (likely(!lock->elided))
		pthread_spin_lock(&lock->spin);
}

static inline void xrdma_unlock(struct xrdma_lock *lock)
{
	if (likely(!lock->elided))
		pthread_spin_unlock(&lock->spin);
}

/**
 * xrdma_log2_ceil() - log2 of a number, rounded up
 * @n: number
 *
 * Return: log2 of the smallest power of two that is not below @n; 0 for 0.
 */
static inline uint8_t xrdma_log2_ceil(uint64_t n)
{
	return n > 1 ? ilog64(n - 1) : 0;
}

static inline uint32_t xrdma_min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* buf.c */
int xrdma_alloc_buf(struct xrdma_buf *buf, struct xrdma_pd *pd, size_t size);
void xrdma_free_buf(struct xrdma_buf *buf);

/* ah_pd.c */
struct ibv_pd *xrdma_alloc_pd(struct ibv_context *ibctx);
int xrdma_dealloc_pd(struct ibv_pd *ibpd);
struct ibv_pd *xrdma_import_pd(struct ibv_context *ibctx, uint32_t handle);
void xrdma_unimport_pd(struct ibv_pd *ibpd);
struct ibv_ah *xrdma_create_ah(struct ibv_pd *ibpd, struct ibv_ah_attr *attr);
int xrdma_destroy_ah(struct ibv_ah *ibah);

/* domain.c */
struct ibv_td *xrdma_alloc_td(struct ibv_context *ibctx,
			      struct ibv_td_init_attr *attr);
int xrdma_dealloc_td(struct ibv_td *ibtd);
struct ibv_pd *
xrdma_alloc_parent_domain(struct ibv_context *ibctx,
			  struct ibv_parent_domain_init_attr *attr);
int xrdma_dealloc_parent_domain(struct xrdma_pd *pd);

/* mr.c */
struct ibv_mr *xrdma_reg_mr(struct ibv_pd *ibpd, void *addr, size_t length,
			    uint64_t hca_va, int access);
struct ibv_mr *xrdma_alloc_null_mr(struct ibv_pd *ibpd);
struct ibv_mr *xrdma_reg_dmabuf_mr(struct ibv_pd *ibpd, uint64_t offset,
				   size_t length, uint64_t iova, int fd,
				   int access);
int xrdma_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *ibpd,
		   void *addr, size_t length, int access);
int xrdma_dereg_mr(struct verbs_mr *vmr);
int xrdma_advise_mr(struct ibv_pd *ibpd, enum ibv_advise_mr_advice advice,
		    uint32_t flags, struct ibv_sge *sg_list, uint32_t num_sge);
struct ibv_mr *xrdma_import_mr(struct ibv_pd *ibpd, uint32_t handle);
void xrdma_unimport_mr(struct ibv_mr *ibmr);

/* mw.c */
struct ibv_mw *xrdma_alloc_mw(struct ibv_pd *ibpd, enum ibv_mw_type type);
int xrdma_dealloc_mw(struct ibv_mw *mw);

/* dm.c */
struct ibv_dm *xrdma_alloc_dm(struct ibv_context *ibctx,
			      struct ibv_alloc_dm_attr *attr);
int xrdma_free_dm(struct ibv_dm *ibdm);
struct ibv_dm *xrdma_import_dm(struct ibv_context *ibctx, uint32_t handle);
void xrdma_unimport_dm(struct ibv_dm *ibdm);
struct ibv_mr *xrdma_reg_dm_mr(struct ibv_pd *ibpd, struct ibv_dm *ibdm,
			       uint64_t offset, size_t length,
			       unsigned int access);

/* cq.c */
struct ibv_cq *xrdma_create_cq(struct ibv_context *ibctx, int cqe,
			       struct ibv_comp_channel *channel,
			       int comp_vector);
struct ibv_cq_ex *xrdma_create_cq_ex(struct ibv_context *ibctx,
				     struct ibv_cq_init_attr_ex *attr);
int xrdma_destroy_cq(struct ibv_cq *ibcq);
int xrdma_modify_cq(struct ibv_cq *ibcq, struct ibv_modify_cq_attr *attr);
int xrdma_alloc_cq_buf(struct xrdma_cq *cq, struct xrdma_pd *pd,
		       unsigned int entries);
void xrdma_remove_completions(struct xrdma_qp *qp);

/* cq_resize.c */
int xrdma_resize_cq(struct ibv_cq *ibcq, int cqe);

/* poll.c */
int xrdma_setup_poll(struct xrdma_cq *cq, uint64_t wc_flags);
int xrdma_poll_cq(struct ibv_cq *ibcq, int num_entries, struct ibv_wc *wc);
int xrdma_req_notify_cq(struct ibv_cq *ibcq, int solicited_only);
void xrdma_cq_event(struct ibv_cq *ibcq);

/* qp_table.c */
struct xrdma_qp *xrdma_find_qp(struct xrdma_context *ctx, uint32_t qpn);
int xrdma_insert_qp(struct xrdma_context *ctx, struct xrdma_qp *qp);
void xrdma_remove_qp(struct xrdma_context *ctx, struct xrdma_qp *qp);

/* qp_size.c */
uint32_t xrdma_qp_ops(enum ibv_qp_type type);
int xrdma_size_qp(const struct xrdma_context *ctx, struct xrdma_qp *qp,
		  const struct ibv_qp_init_attr_ex *attr);
int xrdma_size_rq(const struct xrdma_context *ctx, struct xrdma_wq *rq,
		  uint32_t max_wr, uint32_t max_sge);
int xrdma_alloc_rings(struct xrdma_qp *qp, struct xrdma_pd *pd);
void xrdma_report_cap(const struct xrdma_qp *qp, struct ibv_qp_cap *cap);

/* qp.c */
struct ibv_qp *xrdma_create_qp(struct ibv_pd *ibpd,
			       struct ibv_qp_init_attr *attr);
struct ibv_qp *xrdma_create_qp_ex(struct ibv_context *ibctx,
				  struct ibv_qp_init_attr_ex *attr);
int xrdma_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr,
		    int attr_mask);
int xrdma_query_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr,
		   int attr_mask, struct ibv_qp_init_attr *init_attr);
int xrdma_destroy_qp(struct ibv_qp *ibqp);

/* post.c */
int xrdma_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
		    struct ibv_send_wr **bad_wr);
int xrdma_bind_mw(struct ibv_qp *ibqp, struct ibv_mw *mw,
		  struct ibv_mw_bind *bind);
void xrdma_publish_sq(struct xrdma_qp *qp, uint32_t old,
		      const struct xrdma_sq_wqe *wqe);

/* push.c */
void xrdma_alloc_slot(struct xrdma_context *ctx, struct xrdma_qp *qp);
void xrdma_free_slot(struct xrdma_context *ctx, struct xrdma_qp *qp);
bool xrdma_push(struct xrdma_qp *qp, uint32_t old,
		const struct xrdma_sq_wqe *wqe);

/* recv.c */
int xrdma_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
		    struct ibv_recv_wr **bad_wr);
int xrdma_post_srq_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr,
			struct ibv_recv_wr **bad_wr);
int xrdma_post_wq_recv(struct ibv_wq *ibwq, struct ibv_recv_wr *wr,
		       struct ibv_recv_wr **bad_wr);

/* wr.c */
int xrdma_setup_wr(struct xrdma_qp *qp, uint64_t send_ops);

/* srq.c */
struct ibv_srq *xrdma_create_srq(struct ibv_pd *ibpd,
				 struct ibv_srq_init_attr *attr);
struct ibv_srq *xrdma_create_srq_ex(struct ibv_context *ibctx,
				    struct ibv_srq_init_attr_ex *attr);
int xrdma_modify_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr,
		     int attr_mask);
int xrdma_query_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr);
int xrdma_destroy_srq(struct ibv_srq *ibsrq);
int xrdma_get_srq_num(struct ibv_srq *ibsrq, uint32_t *srq_num);

/* xrc.c */
struct ibv_xrcd *xrdma_open_xrcd(struct ibv_context *ibctx,
				 struct ibv_xrcd_init_attr *attr);
int xrdma_close_xrcd(struct ibv_xrcd *ibxrcd);
struct ibv_qp *xrdma_open_qp(struct ibv_context *ibctx,
			     struct ibv_qp_open_attr *attr);

/* rwq.c */
struct ibv_wq *xrdma_create_wq(struct ibv_context *ibctx,
			       struct ibv_wq_init_attr *attr);
int xrdma_modify_wq(struct ibv_wq *ibwq, struct ibv_wq_attr *attr);
int xrdma_destroy_wq(struct ibv_wq *ibwq);
struct ibv_rwq_ind_table *
xrdma_create_rwq_ind_table(struct ibv_context *ibctx,
			   struct ibv_rwq_ind_table_init_attr *attr);
int xrdma_destroy_rwq_ind_table(struct ibv_rwq_ind_table *table);
int xrdma_cmd_create_rss(struct ibv_context *ibctx, struct xrdma_qp *qp,
			 struct ibv_qp_init_attr_ex *attr);

/* flow.c */
struct ibv_flow *xrdma_create_flow(struct ibv_qp *ibqp,
				   struct ibv_flow_attr *attr);
int xrdma_destroy_flow(struct ibv_flow *flow);

#endif /* XRDMA_PROVIDER_H */

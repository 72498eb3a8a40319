/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA objects layer: one container for each verbs object, and the netdev of
 * the same function. Must not know registers: what the hardware is asked goes
 * through xrdma_dev.h.
 *
 * Lifetime: a verbs object is born by its ib_core call, published to interrupt
 * context (xrdma_ibdev.cqs, .qps, .srqs) when the device knows it, and looked up
 * there by number. For a queue pair or shared receive queue, an event handler
 * takes the xarray's lock and a reference (xrdma_qp.refs, xrdma_srq.refs); destroy
 * unpublishes, tells the device, drops its own reference and waits for the last
 * one. For a completion queue it takes neither: destroy unpublishes, tells the
 * device, and waits until no handler runs (xrdma_eqs_sync()). Polling finds the
 * queue pairs of a completion queue in the queue itself (xrdma_cq.send_qps,
 * .recv_qps), under its lock.
 *
 * Locks, in the order in which they nest:
 *
 *	xrdma_function.lock	whether there is a device (sleeping)
 *	the RTNL		queues of the netdev, state of the port (sleeping)
 *	a dma-buf's reservation	held while its key is made and invalidated
 *	xrdma_qp.modify_lock	state and attributes (sleeping)
 *	xrdma_srq.modify_lock	ring and limit (sleeping)
 *	xrdma_cq.resize_lock	ring of a user's completion queue, and whether a
 *				queue is there (sleeping)
 *	xrdma_inval.sending	a few fences at a time (sleeping)
 *	xrdma_dev.silence_lock	reset of a dead device (sleeping)
 *	xrdma_ucontext.lock	keys of a user context
 *	an event queue's lock	held while consumers' handlers run
 *	xrdma_ibdev.cqs' lock	likewise, when the device is dead
 *	xrdma_qp.sq_lock	send ring of a kernel queue pair
 *	xrdma_qp.rq_lock	receive ring of a kernel queue pair
 *	xrdma_cq.lock		consumer side of a kernel completion queue
 *	xrdma_srq.lock		ring and tags of a kernel shared receive queue
 *	xrdma_cmdq's lock	innermost
 *
 * Memory of a region is released only after the device has answered the
 * INVALIDATE of its key, or has been reset (xrdma_mr_release()).
 */

#ifndef XRDMA_VERBS_H
#define XRDMA_VERBS_H

#include <linux/idr.h>
#include <linux/rbtree_types.h>
#include <linux/refcount.h>
#include <linux/scatterlist.h>
#include <linux/xarray.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>
#include "xrdma_dev.h"
#include "xrdma_fault.h"
#include "xrdma_quarantine.h"

struct gen_pool;
struct p2pdma_provider;
struct uapi_definition;
struct xrdma_cc_dir;
struct xrdma_counters;
struct xrdma_faults;
struct xrdma_keys;
struct xrdma_inval;
struct xrdma_netdev;
struct xrdma_srq;

/**
 * struct xrdma_ibdev - the RDMA device of a function, and what it shares with
 *	the netdev; one for each life, from reset to reset
 * @ibdev: verbs device
 * @hw: device layer
 * @keys: key table
 * @inval: batches of INVALIDATE
 * @quarantine: memory that a dead device may still use
 * @faults: records of refused accesses
 * @counters: counter sets, or NULL: the device has none
 * @cc: files of congestion control, or NULL: the device has none
 * @qps: struct xrdma_qp and the netdev's, by number; xrdma_numbers_init()
 * @cqs: struct xrdma_cq and the netdev's, by number; xrdma_numbers_init()
 * @srqs: struct xrdma_srq, by number; xrdma_numbers_init()
 * @next_qpn: where the search for a free QPN begins
 * @next_cqn: where the search for a free CQN begins
 * @next_srqn: where the search for a free SRQN begins
 * @flush_work: of xrdma_flush_dead()
 * @flushing: requests complete in software: xrdma_flush_begin(); set once, read
 *	without a lock
 * @pds: numbers of protection domains
 * @xrcds: numbers of XRC domains
 * @flows: numbers of flow rules
 * @db_pages: pages of the doorbell BAR; page 0 is the kernel's
 * @dm_pool: device memory that is free, by physical address; NULL: the device
 *	has none
 * @netdev: Ethernet port of the same function, or NULL: it is not attached
 */
struct xrdma_ibdev {
	struct ib_device ibdev;
	struct xrdma_dev hw;
	struct xrdma_keys *keys;
	struct xrdma_inval *inval;
	struct xrdma_quarantine quarantine;
	struct xrdma_faults *faults;
	struct xrdma_counters *counters;
	struct xrdma_cc_dir *cc;
	struct xarray qps;
	struct xarray cqs;
	struct xarray srqs;
	u32 next_qpn;
	u32 next_cqn;
	u32 next_srqn;
	struct work_struct flush_work;
	bool flushing;
	struct ida pds;
	struct ida xrcds;
	struct ida flows;
	struct ida db_pages;
	struct gen_pool *dm_pool;
	struct net_device *netdev;
};

/**
 * struct xrdma_ubuf - rings and record in the memory of a process
 * @umem: pinned; NULL: there are none
 * @mtt: translation of @umem
 * @spare: takes their place in quarantine, when their owner is gone
 * @held: of a @spare: in xrdma_quarantine.ubufs
 */
struct xrdma_ubuf {
	struct ib_umem *umem;
	struct xrdma_mtt mtt;
	struct xrdma_ubuf *spare;
	struct list_head held;
};

/**
 * struct xrdma_mmap_entry - pages of a BAR that a process may map
 * @entry: known to ib_core; lives as long as a mapping does
 * @phys: their physical address
 * @device_memory: they are memory; else a page of doorbells
 */
struct xrdma_mmap_entry {
	struct rdma_user_mmap_entry entry;
	phys_addr_t phys;
	bool device_memory;
};

/**
 * struct xrdma_ucontext - user context
 * @ibuc: verbs object
 * @db_page: number of its doorbell page
 * @db_entry: the same page, for ib_core
 * @lock: protects @windows and @regions
 * @windows: struct xrdma_mw
 * @regions: struct xrdma_mr, but for those of dma-bufs
 * @revoked: it ends, and the keys of all @windows and @regions have been
 *	invalidated
 */
struct xrdma_ucontext {
	struct ib_ucontext ibuc;
	u32 db_page;
	struct rdma_user_mmap_entry *db_entry;
	spinlock_t lock; /* windows, regions */
	struct list_head windows;
	struct list_head regions;
	bool revoked;
};

/**
 * struct xrdma_pd - protection domain
 * @ibpd: verbs object
 * @pdn: its number
 */
struct xrdma_pd {
	struct ib_pd ibpd;
	u32 pdn;
};

struct xrdma_xrcd {
	struct ib_xrcd ibxrcd;
	u32 xrcdn;
};

struct xrdma_ah {
	struct ib_ah ibah;
	struct xrdma_av av;
};

/**
 * struct xrdma_mr - memory region
 * @ibmr: verbs object
 * @umem: pinned memory, of user regions
 * @mtt: translation, but of DMA regions; of device memory, only its offset
 * @ctx_entry: in xrdma_ucontext.regions, unless it is the kernel's or of a
 *	dma-buf; later in xrdma_quarantine.regions, if a dead device may still
 *	use its memory
 * @key_index: entry in the key table
 * @access: enum xrdma_access, as published
 * @dmabuf: @umem is that of a dma-buf
 * @revoked: the owner of the dma-buf has taken the memory back, and the key is
 *	invalid; under xrdma_dmabuf_lock()
 */
struct xrdma_mr {
	struct ib_mr ibmr;
	struct ib_umem *umem;
	struct xrdma_mtt mtt;
	struct list_head ctx_entry;
	u32 key_index;
	u16 access;
	bool dmabuf;
	bool revoked;
};

/**
 * struct xrdma_mw - memory window
 * @ibmw: verbs object; the byte of its key is the consumer's
 * @ctx_entry: in xrdma_ucontext.windows, unless it is the kernel's
 * @key_index: entry in the key table
 */
struct xrdma_mw {
	struct ib_mw ibmw;
	struct list_head ctx_entry;
	u32 key_index;
};

/**
 * struct xrdma_cq - completion queue, of verbs or of the netdev
 * @ibcq: verbs object; unused for the netdev's
 * @cqn: number
 * @eqn: its event queue
 * @log_depth: log2 of the entries; under @resize_lock
 * @buf: ring and record of a kernel queue
 * @user: ring and record of a user's queue; under @resize_lock
 * @resize_lock: serialises changes of the ring, moderation and the end of the
 *	queue with each other and with readers
 * @rec: record of a kernel queue, in @buf; else NULL
 * @ci: consumer index, under @lock
 * @arm: arm word, under @lock
 * @armed: an event is due
 * @lock: consumer side of a kernel queue
 * @comp: completion handler; interrupt context
 * @dead: entries of the device are over, the rest is completed in software;
 *	under @lock; of a user's queue: its process has been woken
 * @send_qps: kernel queue pairs that send to it, by number; under @lock
 * @recv_qps: kernel queue pairs that receive to it, by number; under @lock
 */
struct xrdma_cq {
	struct ib_cq ibcq;
	u32 cqn;
	u32 eqn;
	u8 log_depth;
	struct xrdma_buf *buf;
	struct xrdma_ubuf user;
	struct mutex resize_lock; /* @user, @log_depth, xrdma_cq_live() */
	struct xrdma_cq_rec *rec;
	u32 ci;
	u32 arm;
	bool armed;
	spinlock_t lock; /* consumer side, of a kernel queue */
	void (*comp)(struct xrdma_cq *cq);
	bool dead;
	struct rb_root send_qps;
	struct rb_root recv_qps;
};

/* Bytes of an entry in the rings of queue pairs, work queues and SRQs, log2 */
#define XRDMA_SQ_LOG_STRIDE_MIN		6 /* room to bind and to register */
#define XRDMA_RQ_LOG_STRIDE_MIN		5
#define XRDMA_LOG_STRIDE_MAX		10

/**
 * struct xrdma_wq - one side of a kernel queue pair
 * @buf: holds the ring
 * @offset: of the ring in @buf, in bytes, a multiple of those of an entry
 * @wr_id: of each entry; what a completion says is never trusted
 * @pi: producer index, under the lock of this side
 * @done: entries whose completion has been polled, under the CQ's lock
 * @ci: consumer index: entries before it may be written again; moved by the
 *	poller, read by the producer
 * @log_depth: log2 of the entries
 * @log_stride: log2 of the bytes of an entry; 0: no queue
 * @max_sge: scatter-gather entries of an entry
 */
struct xrdma_wq {
	const struct xrdma_buf *buf;
	u32 offset;
	u64 *wr_id;
	u32 pi;
	u32 done;
	u32 ci;
	u8 log_depth;
	u8 log_stride;
	u8 max_sge;
};

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

static inline struct xrdma_ibdev *to_xibdev(struct ib_device *ibdev)
{
	return container_of(ibdev, struct xrdma_ibdev, ibdev);
}

static inline struct xrdma_ibdev *xdev_to_xibdev(struct xrdma_dev *xdev)
{
	return container_of(xdev, struct xrdma_ibdev, hw);
}

static inline struct xrdma_ucontext *to_xucontext(struct ib_ucontext *ibuc)
{
	return container_of(ibuc, struct xrdma_ucontext, ibuc);
}

static inline struct xrdma_pd *to_xpd(struct ib_pd *ibpd)
{
	return container_of(ibpd, struct xrdma_pd, ibpd);
}

static inline struct xrdma_xrcd *to_xxrcd(struct ib_xrcd *ibxrcd)
{
	return container_of(ibxrcd, struct xrdma_xrcd, ibxrcd);
}

static inline struct xrdma_ah *to_xah(struct ib_ah *ibah)
{
	return container_of(ibah, struct xrdma_ah, ibah);
}

static inline struct xrdma_mr *to_xmr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct xrdma_mr, ibmr);
}

static inline struct xrdma_mw *to_xmw(struct ib_mw *ibmw)
{
	return container_of(ibmw, struct xrdma_mw, ibmw);
}

static inline struct xrdma_cq *to_xcq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct xrdma_cq, ibcq);
}

static inline struct xrdma_qp *to_xqp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct xrdma_qp, ibqp);
}

/* After a command failed: can the device yet act as if it had not? */
static inline bool xrdma_may_touch(const struct xrdma_dev *xdev)
{
	return xrdma_dead(xdev) && !xrdma_quiet(xdev);
}

static inline void *xrdma_wq_entry(const struct xrdma_wq *wq, u32 index)
{
	u32 slot = xrdma_ring_slot(index, wq->log_depth);

	return xrdma_buf_at(wq->buf, wq->offset + (slot << wq->log_stride));
}

/* Producer: entries that may be written */
static inline u32 xrdma_wq_room(const struct xrdma_wq *wq)
{
	/* pairs with xrdma_wq_release(): the poller is done with them */
	return xrdma_ring_free(wq->pi, smp_load_acquire(&wq->ci),
			       wq->log_depth);
}

/* Entries up to @last are done; the producer gets them after the CQ has room. */
static inline u64 xrdma_wq_consume(struct xrdma_wq *wq, u32 last)
{
	wq->done = last + 1;
	return wq->wr_id[xrdma_ring_slot(last, wq->log_depth)];
}

/* Poller: what is done may be written again */
static inline void xrdma_wq_release(struct xrdma_wq *wq)
{
	/* pairs with xrdma_wq_room() */
	smp_store_release(&wq->ci, wq->done);
}

#include "xrdma_mem.h"

/* xrdma_ctx.c: user contexts, doorbell pages, mappings */
extern const struct uapi_definition xrdma_uapi_defs[];
extern const struct ib_device_ops xrdma_export_ops;
int xrdma_alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata);
void xrdma_dealloc_ucontext(struct ib_ucontext *ibuc);
int xrdma_query_ucontext(struct ib_ucontext *ibuc,
			 struct uverbs_attr_bundle *attrs);
int xrdma_mmap(struct ib_ucontext *ibuc, struct vm_area_struct *vma);
void xrdma_mmap_free(struct rdma_user_mmap_entry *entry);
int xrdma_mmap_get_pfns(struct rdma_user_mmap_entry *entry,
			struct phys_vec *phys,
			struct p2pdma_provider **provider);
struct rdma_user_mmap_entry *
xrdma_pgoff_to_mmap_entry(struct ib_ucontext *ibuc, off_t offset);
void xrdma_disassociate_ucontext(struct ib_ucontext *ibuc);
void xrdma_ufile_hw_cleanup(struct ib_uverbs_file *ufile);

/* xrdma_pd.c: protection domains and XRC domains */
int xrdma_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int xrdma_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int xrdma_alloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata);
int xrdma_dealloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata);

/* xrdma_ah.c: addresses of datagrams and connections, multicast groups */
void xrdma_make_av(struct xrdma_av *av, const struct rdma_ah_attr *attr);
void xrdma_read_av(struct rdma_ah_attr *attr, struct xrdma_av *av);
bool xrdma_ah_attr_ok(const struct xrdma_caps *caps,
		      const struct rdma_ah_attr *attr);
int xrdma_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		    struct ib_udata *udata);
int xrdma_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int xrdma_destroy_ah(struct ib_ah *ibah, u32 flags);
int xrdma_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
int xrdma_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);

/* xrdma_query.c */
int xrdma_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
		       struct ib_udata *udata);
int xrdma_query_port(struct ib_device *ibdev, u32 port,
		     struct ib_port_attr *attr);
int xrdma_get_port_immutable(struct ib_device *ibdev, u32 port,
			     struct ib_port_immutable *immutable);
enum ib_mtu xrdma_active_mtu(struct xrdma_ibdev *xib);
enum rdma_link_layer xrdma_get_link_layer(struct ib_device *ibdev, u32 port);
int xrdma_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey);
void xrdma_get_dev_fw_str(struct ib_device *ibdev, char *str);
int xrdma_add_gid(const struct ib_gid_attr *attr, void **context);
int xrdma_del_gid(const struct ib_gid_attr *attr, void **context);

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
void xrdma_cq_arm(struct xrdma_cq *cq, u32 type);
void xrdma_cq_forget(struct xrdma_cq *cq, u32 qpn, struct xrdma_srq *srq);
void xrdma_cq_event(struct xrdma_ibdev *xib, u32 cqn, u8 event);
void xrdma_cq_completion(struct xrdma_ibdev *xib, u32 cqn);
void xrdma_cq_wake(struct xrdma_ibdev *xib, u32 cqn);

/* xrdma_cq_modify.c */
int xrdma_resize_user_cq(struct ib_cq *ibcq, unsigned int cqe,
			 struct ib_udata *udata);
int xrdma_modify_cq(struct ib_cq *ibcq, u16 count, u16 period);
int xrdma_cq_indexes(struct xrdma_ibdev *xib, struct xrdma_cq *cq, u32 *ci,
		     u32 *pi);

/* xrdma_ubuf.c: rings in the memory of a process */
bool xrdma_ubuf_ring_ok(const struct xrdma_caps *caps, u8 log_depth,
			u8 log_stride, u8 log_stride_min);
int xrdma_ubuf_map(struct xrdma_ibdev *xib, struct xrdma_ubuf *ubuf, u64 addr,
		   u64 size);
void xrdma_ubuf_unmap(struct xrdma_ibdev *xib, struct xrdma_ubuf *ubuf);
void xrdma_ubuf_swap(struct xrdma_ubuf *a, struct xrdma_ubuf *b);

/* xrdma_qp_verbs.c, xrdma_qp_modify.c, xrdma_qp.c, xrdma_kqp.c */
int xrdma_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr,
		    struct ib_udata *udata);
int xrdma_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		    struct ib_udata *udata);
int xrdma_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		   struct ib_qp_init_attr *init_attr);
int xrdma_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);
void xrdma_qp_event(struct xrdma_ibdev *xib, u32 qpn, u8 event);

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

int xrdma_kqp_create(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		     const struct xrdma_qp_init *init);
int xrdma_kqp_stop(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		   struct xrdma_cq *send_cq, struct xrdma_cq *recv_cq);
void xrdma_kqp_free(struct xrdma_ibdev *xib, struct xrdma_qp *qp, bool keep);
int xrdma_kqp_destroy(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		      struct xrdma_cq *send_cq, struct xrdma_cq *recv_cq);
void xrdma_qp_caps(const struct xrdma_qp *qp, struct ib_qp_cap *cap);

/* xrdma_post.c */
int xrdma_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		    const struct ib_send_wr **bad_wr);
int xrdma_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		    const struct ib_recv_wr **bad_wr);
void xrdma_publish_sq(struct xrdma_qp *qp, u32 old_pi);
void xrdma_publish_rq(struct xrdma_qp *qp);

/* xrdma_wqe.c */
int xrdma_make_send(struct xrdma_qp *qp, struct xrdma_sq_wqe *wqe,
		    const struct ib_send_wr *wr);
void xrdma_make_recv(struct xrdma_rq_wqe *wqe, const struct ib_recv_wr *wr,
		     u64 wr_id);

/* xrdma_poll.c */
int xrdma_poll_cq(struct ib_cq *ibcq, int num_entries, struct ib_wc *wc);
int xrdma_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);

/**
 * xrdma_flushing() - do requests complete in software?
 * @xib: the device
 *
 * Context: any.
 * Return: true after xrdma_flush_begin(). That comes after the device has been
 * silenced, since consumers free the memory of requests that have completed.
 */
static inline bool xrdma_flushing(const struct xrdma_ibdev *xib)
{
	/* pairs with xrdma_flush_begin(): what the device wrote is there */
	return smp_load_acquire(&xib->flushing);
}

/* xrdma_flush.c */
void xrdma_flush_init(struct xrdma_ibdev *xib);
void xrdma_flush_exit(struct xrdma_ibdev *xib);
void xrdma_flush_begin(struct xrdma_ibdev *xib);
void xrdma_flush_dead(struct xrdma_ibdev *xib);
int xrdma_flush_poll(struct xrdma_cq *cq, int num, struct ib_wc *wc);
bool xrdma_flush_pending(struct xrdma_cq *cq);

/* xrdma_netdev.c: the Ethernet port, which outlives the device */
struct net_device *xrdma_netdev_create(struct xrdma_ibdev *xib);
void xrdma_netdev_destroy(struct net_device *ndev);
int xrdma_netdev_attach(struct xrdma_ibdev *xib, struct net_device *ndev);
void xrdma_netdev_detach(struct xrdma_ibdev *xib);
void xrdma_netdev_link(struct xrdma_ibdev *xib, bool up);

#endif /* XRDMA_VERBS_H */

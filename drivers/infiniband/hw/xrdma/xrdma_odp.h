/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA on-demand paging: struct xrdma_odp, the memory of a paged region, struct
 * xrdma_span, 1 GiB of it, and struct xrdma_odp_owner, the address space that
 * pays for it. xrdma_odp_owner.c has owners and the lifetime of a region's
 * memory, xrdma_odp.c creates and frees paged regions, xrdma_span.c creates and
 * frees spans and follows changes of the mappings of the process, xrdma_page_in.c
 * brings pages of the process into memory, xrdma_odp_map.c maps them,
 * xrdma_odp_dmabuf.c maps memory of a dma-buf, xrdma_odp_fault.c handles page
 * faults of the device, xrdma_odp_verbs.c has the verb advise_mr, capabilities
 * and counters.
 *
 * The memory of a paged region belongs to a process, or to a dma-buf whose
 * exporter may move the memory.
 *
 * Whoever maps pages works in two kinds of steps. A step that brings pages into
 * memory or looks them up may wait as long as a disk, a file server or another
 * process likes. It holds references to the address space (mmget()), to the
 * memory of struct xrdma_odp (xrdma_odp_hold()) and to the module, and uses
 * neither the region nor the device. A step that writes tables or answers the
 * device is bounded, and runs between xrdma_odp_begin() and xrdma_odp_end().
 * xrdma_odp_detach() waits for steps of the second kind only. So a page that
 * never arrives delays no deregistration, reset or removal: when it arrives,
 * xrdma_odp_begin() fails, and the last reference frees the memory.
 *
 * A kernel without CONFIG_INFINIBAND_ON_DEMAND_PAGING has none of these files.
 */

#ifndef XRDMA_ODP_H
#define XRDMA_ODP_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/hmm.h>
#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include "xrdma_sparse.h"

/* Page faults that one address space may have in progress */
#define XRDMA_OWNER_SLOTS	32
/* Runs of xrdma_odp_ahead_work() that one address space may have in progress */
#define XRDMA_OWNER_AHEADS	2

/* log2 of the bytes that an entry of a root of level 4 maps */
#define XRDMA_UPPER_SHIFT	(XRDMA_SPAN_SHIFT + XRDMA_MTT_BITS)
/* End of the positions that a root of level 4 maps. Processes may have more. */
#define XRDMA_ODP_MAX_END	(1ULL << (XRDMA_UPPER_SHIFT + XRDMA_MTT_BITS))

struct xrdma_eqe;
struct xrdma_ibdev;
struct xrdma_key_grant;
struct xrdma_mr;
struct xrdma_odp;
struct xrdma_odp_dev;
struct xrdma_prefetch;

/**
 * enum xrdma_odp_stat - counters of a paged region
 * @XRDMA_ODP_FAULTS: page faults of the device that were handled
 * @XRDMA_ODP_PAGES: pages of 4 KiB that were mapped
 * @XRDMA_ODP_INVALIDATIONS: changes of mappings that took pages from the device
 * @XRDMA_ODP_PREFETCHES: pages of 4 KiB that were asked for by advise_mr
 * @XRDMA_ODP_WAITS: page faults that were answered with XRDMA_RESUME_LATER:
 *	memory was short, the mapping changed all the time, the same page fault
 *	was in progress, or the owner had XRDMA_OWNER_SLOTS of them in progress
 * @XRDMA_ODP_NUM_STATS: number of counters
 */
enum xrdma_odp_stat {
	XRDMA_ODP_FAULTS,
	XRDMA_ODP_PAGES,
	XRDMA_ODP_INVALIDATIONS,
	XRDMA_ODP_PREFETCHES,
	XRDMA_ODP_WAITS,
	XRDMA_ODP_NUM_STATS
};

/**
 * struct xrdma_page_fault - a page fault in progress
 * @work: runs xrdma_page_fault_work()
 * @odp: the region, with a reference of xrdma_odp_hold(); NULL: the slot is free
 * @pos: first position that misses
 * @need: number of bytes without which the access does not make progress
 * @expected: number of bytes that the message is going to access
 * @token: names the page fault in the answer
 * @write: the access is a write
 * @prefetch: the slot is in use by advise_mr, which waits there; NULL: for a page
 *	fault of the device
 */
struct xrdma_page_fault {
	struct work_struct work;
	struct xrdma_odp *odp;
	u64 pos;
	u64 need;
	u64 expected;
	u32 token;
	bool write;
	struct xrdma_prefetch *prefetch;
};

/**
 * struct xrdma_odp_owner - an address space with paged regions
 * @entry: entry in the table of owners
 * @refs: regions, of all devices
 * @mm: the address space, with a reference that does not keep it alive
 * @lock: protects @faults; interrupts are off
 * @faults: page faults in progress. Only this address space uses them, so pages
 *	of it that do not arrive take nothing away from others
 * @aheads: number of runs of xrdma_odp_ahead_work() in progress
 * @scarce: held while pages are brought into memory when memory is short.
 *	Outside of it, there may be enough for one caller and not for two
 * @short_until: time in jiffies until which no allocation is tried, because the
 *	last one failed; protected by @scarce, read without it
 * @short_ms: length of the pause that ends at @short_until, likewise; 0: the
 *	last allocation succeeded
 */
struct xrdma_odp_owner {
	struct hlist_node entry;
	refcount_t refs;
	struct mm_struct *mm;
	spinlock_t lock; /* faults */
	struct xrdma_page_fault faults[XRDMA_OWNER_SLOTS];
	atomic_t aheads;
	struct mutex scarce; /* memory that is short */
	unsigned long short_until;
	unsigned int short_ms;
};

/**
 * struct xrdma_odp - memory of a paged region
 * @xib: the device; used between xrdma_odp_begin() and xrdma_odp_end(), and by
 *	notifiers, which xrdma_odp_free() removes
 * @mr: the region, likewise
 * @owner: the address space that registered the region
 * @mm: address space of the process, that of @owner; NULL: the memory belongs to
 *	the dma-buf xrdma_mr.umem, whose reservation then protects the tables, too
 * @base: virtual address of position 0, or offset of position 0 in the dma-buf;
 *	a multiple of XRDMA_SPAN_SIZE
 * @first: position of the first page
 * @end: position behind the last page
 * @refs: references to this structure and its spans
 * @users: the registration, and each xrdma_odp_begin()
 * @idle: completed when @users is 0
 * @kept: xrdma_odp_keep() has kept the pages, and removed the notifiers
 * @grow: protects @spans and @uppers, and the tables above the spans. Memory is
 *	allocated under this lock, so no MMU notifier takes it
 * @spans: spans by position >> XRDMA_SPAN_SHIFT
 * @uppers: tables of level 3 below a root of level 4: pages by number
 * @next_fault: end of the pages that the last page fault has mapped. A page fault
 *	there continues a sequence. Read and written without a lock, since it only
 *	determines how much is mapped
 * @mapped: number of bytes that the last page fault has mapped, likewise
 * @ahead_from: first position of the last two runs of @ahead, likewise
 * @ahead_end: end of the positions of these runs, likewise
 * @ahead_size: number of bytes that the next run of @ahead maps, likewise
 * @ahead_lock: held while 2 MiB are mapped by @ahead, or while a page fault maps
 *	pages that @ahead may be mapping. Without it, both would clear a new huge
 *	page, and the process would use one of them
 * @ahead: runs xrdma_odp_ahead_work()
 * @ahead_flags: enum xrdma_odp_map_flags for the pages that @ahead maps
 * @stats: counters, by enum xrdma_odp_stat
 */
struct xrdma_odp {
	struct xrdma_ibdev *xib;
	struct xrdma_mr *mr;
	struct xrdma_odp_owner *owner;
	struct mm_struct *mm;
	u64 base;
	u64 first;
	u64 end;
	refcount_t refs;
	refcount_t users;
	struct completion idle;
	bool kept;
	struct mutex grow; /* spans, uppers */
	struct xarray spans;
	struct xarray uppers;
	u64 next_fault;
	u64 mapped;
	u64 ahead_from;
	u64 ahead_end;
	u64 ahead_size;
	struct mutex ahead_lock; /* pages that are mapped ahead */
	struct work_struct ahead;
	u32 ahead_flags;
	atomic64_t stats[XRDMA_ODP_NUM_STATS];
};

/**
 * struct xrdma_span - 1 GiB of the memory of a paged region
 * @notifier: reports changes of the mappings of these addresses; not used for
 *	memory of a dma-buf
 * @odp: the region
 * @pos: position of the first byte, a multiple of XRDMA_SPAN_SIZE
 * @lock: protects @top and the tables below it, and @kept. The MMU notifier and
 *	the notification of a dma-buf take it, maybe while the kernel reclaims
 *	memory; so nothing is allocated under this lock
 * @top: table of level 2; NULL: nothing has been mapped
 * @kept: the pages of all entries have a reference each, because a device that
 *	could not be silenced may access them
 */
struct xrdma_span {
	struct mmu_interval_notifier notifier;
	struct xrdma_odp *odp;
	u64 pos;
	struct mutex lock; /* top, kept */
	struct xrdma_sparse_table *top;
	bool kept;
};

/* enum xrdma_odp_map_flags - how xrdma_odp_map() maps memory */
enum xrdma_odp_map_flags {
	XRDMA_ODP_MAP_WRITE	= 1 << 0, /* the device is going to write */
	XRDMA_ODP_MAP_PRESENT	= 1 << 1, /* map only pages that are present */
	XRDMA_ODP_MAP_AHEAD	= 1 << 2, /* the device may never access them */
};

/* Does a look-up show that a page has to be brought into memory? */
static inline bool xrdma_pfn_misses(unsigned long hmm_pfn, bool write)
{
	return !(hmm_pfn & HMM_PFN_VALID) || (write && !(hmm_pfn & HMM_PFN_WRITE));
}

/* Does a registration name the whole address space of the process? */
static inline bool xrdma_odp_is_implicit(u64 start, u64 length)
{
	return !start && length == U64_MAX;
}

#ifdef CONFIG_INFINIBAND_ON_DEMAND_PAGING

/* xrdma_odp_owner.c */
int xrdma_odp_init(void);
void xrdma_odp_exit(void);
bool xrdma_odp_queue(struct work_struct *work);
struct xrdma_odp_owner *xrdma_odp_owner_get(struct mm_struct *mm,
					    work_func_t fault);
void xrdma_odp_owner_put(struct xrdma_odp_owner *owner);
bool xrdma_odp_begin(struct xrdma_odp *odp);
void xrdma_odp_end(struct xrdma_odp *odp);
void xrdma_odp_hold(struct xrdma_odp *odp);
void xrdma_odp_put(struct xrdma_odp *odp);

/* xrdma_odp.c */
bool xrdma_odp_is_possible(struct xrdma_ibdev *xib);
int xrdma_odp_attach(struct xrdma_ibdev *xib, struct xrdma_mr *mr, u64 start,
		     u64 length);
int xrdma_odp_attach_dmabuf(struct xrdma_ibdev *xib, struct xrdma_mr *mr,
			    u64 offset, u64 length);
void xrdma_odp_detach(struct xrdma_mr *mr);
void xrdma_odp_keep(struct xrdma_odp *odp);
void xrdma_odp_free(struct xrdma_mr *mr);

/* xrdma_span.c */
struct xrdma_span *xrdma_odp_span(struct xrdma_odp *odp, u64 pos);
int xrdma_span_grow(struct xrdma_span *span);
void xrdma_span_keep(struct xrdma_span *span);
void xrdma_span_retire(struct xrdma_span *span);
void xrdma_span_sync(struct xrdma_span *span, u64 from, u64 to);
void xrdma_odp_zap(struct xrdma_odp *odp);
struct xrdma_sparse_table *xrdma_odp_alloc_table(struct xrdma_ibdev *xib);
void xrdma_odp_free_table(struct xrdma_ibdev *xib,
			  struct xrdma_sparse_table *table);

/* xrdma_page_in.c */
int xrdma_page_check(struct mm_struct *mm, u64 address, bool write);
u64 xrdma_page_allowed(struct mm_struct *mm, u64 start, u64 end);
int xrdma_page_in(struct xrdma_odp *odp, u64 address, const unsigned long *pfns,
		  unsigned long num, u32 flags);

/* xrdma_odp_map.c */
int xrdma_odp_map(struct xrdma_odp *odp, u64 pos, u64 bytes, u64 need,
		  u32 flags, u64 *mapped_end);

/* xrdma_odp_dmabuf.c */
int xrdma_odp_map_dmabuf(struct xrdma_odp *odp, u64 pos, u64 end, u32 flags);

/* xrdma_odp_fault.c */
int xrdma_odp_create(struct xrdma_ibdev *xib);
void xrdma_odp_close(struct xrdma_ibdev *xib);
void xrdma_odp_destroy(struct xrdma_ibdev *xib);
void xrdma_odp_event(struct xrdma_ibdev *xib, const struct xrdma_eqe *eqe);
void xrdma_page_fault_work(struct work_struct *work);
void xrdma_odp_ahead_work(struct work_struct *work);
int xrdma_odp_prefetch(struct xrdma_odp *odp, u64 pos, u64 bytes, u32 flags);
int xrdma_odp_publish(struct xrdma_odp *odp, u32 key_index);
void xrdma_odp_unpublish(struct xrdma_odp *odp, u32 key_index);
struct xrdma_odp *xrdma_odp_get(struct xrdma_ibdev *xib, u32 key_index);

/* xrdma_odp_verbs.c */
extern const struct ib_device_ops xrdma_odp_ops;
void xrdma_odp_fill_caps(const struct xrdma_ibdev *xib,
			 struct ib_device_attr *attr);

#else /* CONFIG_INFINIBAND_ON_DEMAND_PAGING */

static inline int xrdma_odp_create(struct xrdma_ibdev *xib)
{
	return 0;
}

static inline int xrdma_odp_init(void)
{
	return 0;
}

static inline void xrdma_odp_exit(void)
{
}

static inline void xrdma_odp_close(struct xrdma_ibdev *xib)
{
}

static inline void xrdma_odp_keep(struct xrdma_odp *odp)
{
}

static inline void xrdma_odp_destroy(struct xrdma_ibdev *xib)
{
}

static inline void xrdma_odp_event(struct xrdma_ibdev *xib,
				   const struct xrdma_eqe *eqe)
{
}

static inline bool xrdma_odp_is_possible(struct xrdma_ibdev *xib)
{
	return false;
}

static inline int xrdma_odp_attach(struct xrdma_ibdev *xib, struct xrdma_mr *mr,
				   u64 start, u64 length)
{
	return -EOPNOTSUPP;
}

static inline int xrdma_odp_attach_dmabuf(struct xrdma_ibdev *xib,
					  struct xrdma_mr *mr, u64 offset,
					  u64 length)
{
	return -EOPNOTSUPP;
}

static inline void xrdma_odp_zap(struct xrdma_odp *odp)
{
}

static inline void xrdma_odp_detach(struct xrdma_mr *mr)
{
}

static inline void xrdma_odp_free(struct xrdma_mr *mr)
{
}

static inline int xrdma_odp_publish(struct xrdma_odp *odp, u32 key_index)
{
	return 0;
}

static inline void xrdma_odp_fill_caps(const struct xrdma_ibdev *xib,
				       struct ib_device_attr *attr)
{
}

#endif /* CONFIG_INFINIBAND_ON_DEMAND_PAGING */

#endif /* XRDMA_ODP_H */

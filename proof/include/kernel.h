/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Stand-ins for what the proved files of the driver use of the kernel: types, and
 * functions whose meaning needs no kernel. A harness defines the functions that
 * are only declared here. The headers in proof/include/linux/ and
 * proof/include/asm/ include this file; those of the verbs are in
 * proof/include/rdma/.
 */

#ifndef PROOF_KERNEL_H
#define PROOF_KERNEL_H

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>
#include <linux/array_size.h>
#include <linux/bitfield.h>
#include <linux/compiler.h>
#include <linux/types.h>

typedef u64 dma_addr_t;
typedef u64 phys_addr_t;
typedef unsigned int gfp_t;

#define __iomem
#define __printf(a, b)		__attribute__((format(printf, a, b)))
#define fallthrough		__attribute__((fallthrough))
#define likely(x)		(x)
#define unlikely(x)		(x)
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define min(a, b)		((a) < (b) ? (a) : (b))
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b) ({		\
	type __a = (a);			\
	type __b = (b);			\
	__a > __b ? __a : __b;		\
})
#define max(a, b)		max_t(__typeof__(a), a, b)
#define READ_ONCE(x)		(x)
/* a proof executes one thread, in which each access is in order */
#define smp_load_acquire(p)	(*(p))
/* see smp_load_acquire() */
#define smp_store_release(p, v)	(*(p) = (v))
#define container_of(ptr, type, member)					\
	((type *)((char *)(ptr) - offsetof(type, member)))

/* The first byte that is not @c, or NULL; the caller only compares with NULL. */
static inline void *memchr_inv(const void *mem, int c, size_t n)
{
	const u8 *p = mem;
	size_t i;

	for (i = 0; i < n; i++)
		if (p[i] != c)
			return (void *)(p + i);
	return NULL;
}

/* log2, rounded up; 0 for 0 and 1 */
static inline int order_base_2(u64 n)
{
	return n > 1 ? 64 - __builtin_clzll(n - 1) : 0;
}

static inline int ilog2(u64 n)
{
	return 63 - __builtin_clzll(n);
}

/* ---- lists ---- */

struct list_head {
	struct list_head *next, *prev;
};

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline void list_add_tail(struct list_head *entry,
				 struct list_head *head)
{
	entry->next = head;
	entry->prev = head->prev;
	head->prev->next = entry;
	head->prev = entry;
}

void list_splice_init(struct list_head *list, struct list_head *head);

#define list_entry(ptr, type, member)	container_of(ptr, type, member)
#define list_for_each_entry(pos, head, member)				\
	for (pos = list_entry((head)->next, typeof(*pos), member);	\
	     &pos->member != (head);					\
	     pos = list_entry(pos->member.next, typeof(*pos), member))
#define list_for_each_entry_safe(pos, n, head, member)			\
	for (pos = list_entry((head)->next, typeof(*pos), member),	\
	     n = list_entry(pos->member.next, typeof(*pos), member);	\
	     &pos->member != (head);					\
	     pos = n, n = list_entry(n->member.next, typeof(*n), member))

/* ---- trees ---- */

/*
 * @entry: the structure that the node belongs to, which rb_entry() computes from the
 * address of the node in the kernel. CBMC is slow for such addresses.
 */
struct rb_node {
	struct rb_node *rb_left, *rb_right;
	void *entry;
};

struct rb_root {
	struct rb_node *rb_node;
};

#define rb_entry(ptr, type, member)	((type *)(ptr)->entry)

void rb_add(struct rb_node *node, struct rb_root *tree,
	    bool (*less)(struct rb_node *a, const struct rb_node *b));
void rb_erase(struct rb_node *node, struct rb_root *tree);

/* ---- locks, work, devices: types only ---- */

struct mutex {
	int any;
};

struct rw_semaphore {
	int held;
};

struct spinlock {
	int any;
};

struct hlist_node {
	void *next;
};

struct work_struct;
typedef void (*work_func_t)(struct work_struct *work);

struct work_struct {
	int any;
};

struct mmu_interval_notifier {
	int any;
};

struct workqueue_struct;

extern struct workqueue_struct *system_bh_wq, *system_long_wq;
bool queue_work(struct workqueue_struct *queue, struct work_struct *work);

#define irqreturn_t		int
#define pci_ers_result_t	int
#define pci_channel_state_t	int
#define IRQ_HANDLED		1
#define PCI_IRQ_MSIX		4
#define IS_ENABLED(CONFIG_option)	1
#define kvzalloc_flex(object, array, number)	((void)(number), NULL)

struct refcount_struct {
	int any;
};

typedef struct spinlock spinlock_t;
typedef struct refcount_struct refcount_t;

struct completion {
	int any;
};

struct delayed_work {
	struct work_struct work;
};

#define to_delayed_work(work)	((struct delayed_work *)(work))
#define INIT_DELAYED_WORK(work, function) ((void)(work), (void)(function))

bool schedule_delayed_work(struct delayed_work *work, unsigned long delay);
bool cancel_delayed_work(struct delayed_work *work);
bool cancel_delayed_work_sync(struct delayed_work *work);

struct xarray {
	int any;
};

struct ida {
	int any;
};

int ida_alloc_range(struct ida *ida, u32 min, u32 max, gfp_t flags);
void ida_free(struct ida *ida, u32 number);

/* CBMC does not keep a number that is converted to a pointer. */
static int proof_errno;
static char proof_error;

#define ERR_PTR(err)		(proof_errno = (err), (void *)&proof_error)
#define PTR_ERR(ptr)		((void)(ptr), proof_errno)
#define IS_ERR(ptr)		((const void *)(ptr) == &proof_error)

struct device {
	int any;
};

struct pci_dev {
	struct device dev;
};

#define mutex_init(lock)	((void)(lock))
#define mutex_destroy(lock)	((void)(lock))
#define mutex_lock(lock)	((void)(lock))
#define mutex_unlock(lock)	((void)(lock))

#define spin_lock_init(lock)	((void)(lock))
#define refcount_set(refs, n)	((refs)->any = (n))
#define refcount_inc(refs)	((refs)->any++)
#define refcount_dec_and_test(refs) (!--(refs)->any)
#define init_completion(done)	((void)(done))
#define complete(done)		((void)(done))
#define wait_for_completion(done) ((void)(done))

void writel(u32 value, void __iomem *addr);
void writeq(u64 value, void __iomem *addr);

/* ---- numbers of objects: a harness defines what it uses ---- */

struct xa_limit {
	u32 min;
	u32 max;
};

#define XA_LIMIT(first, last)	((struct xa_limit) { first, last })
#define xa_lock_irqsave(xa, flags) ((void)(xa), (flags) = 0)
#define xa_unlock_irqrestore(xa, flags) ((void)(xa), (void)(flags))

int xa_alloc_cyclic_irq(struct xarray *xa, u32 *id, void *entry,
			struct xa_limit limit, u32 *next, gfp_t flags);
int xa_insert_irq(struct xarray *xa, unsigned long id, void *entry,
		  gfp_t flags);
void *xa_store_irq(struct xarray *xa, unsigned long id, void *entry,
		   gfp_t flags);
void *xa_erase_irq(struct xarray *xa, unsigned long id);
void *xa_load(struct xarray *xa, unsigned long id);

/* ---- bitmaps, atomic and per-CPU variables: a proof executes one thread ---- */

struct atomic {
	int counter;
};

typedef struct atomic atomic_t;

#define atomic64_t		u64

struct percpu_counter {
	long any;
};

struct local_lock {
	int any;
};

typedef struct local_lock local_lock_t;

#define U64_MAX			(~0ULL)
#define U8_MAX			0xff
#define U16_MAX			0xffff
#define BITS_PER_LONG		64
#define BITS_TO_LONGS(bits)	(((bits) + BITS_PER_LONG - 1) / BITS_PER_LONG)
#define DECLARE_BITMAP(name, bits) unsigned long name[BITS_TO_LONGS(bits)]
#undef __counted_by
#define __counted_by(member)
#define static_assert(...)	_Static_assert(__VA_ARGS__, "")
#define __percpu
#define VLAN_N_VID		4096
#define VLAN_VID_MASK		0x0fff
#define round_down(x, y)	((x) & ~((y) - 1))
#define xchg(ptr, value) ({		\
	typeof(ptr) __ptr = (ptr);	\
	typeof(*__ptr) __old = *__ptr;	\
	*__ptr = (value);		\
	__old;				\
})
#define swap(a, b) do {			\
	typeof(a) __old = (a);		\
	(a) = (b);			\
	(b) = __old;			\
} while (0)
#undef WRITE_ONCE /* of the device */
#define WRITE_ONCE(x, value)	((x) = (value))
#define dma_wmb()		((void)0)
#define dma_rmb()		((void)0)
#define dma_mb()		((void)0)
/* see smp_load_acquire() */
#define mb()			((void)0)
/* see smp_load_acquire() */
#define smp_mb__before_atomic()	((void)0)
#define rcu_read_lock()		((void)0)
#define rcu_read_unlock()	((void)0)
#define spin_lock(lock)		((void)(lock))
#define spin_unlock(lock)	((void)(lock))
#define spin_lock_irq(lock)	((void)(lock))
#define spin_unlock_irq(lock)	((void)(lock))
#define spin_lock_irqsave(lock, flags)		((void)(lock), (flags) = 0)
#define spin_unlock_irqrestore(lock, flags)	((void)(lock), (void)(flags))
#define lockdep_assert_held(lock)		((void)(lock))
#define local_lock(lock)	((void)(lock))
#define local_unlock(lock)	((void)(lock))
#define this_cpu_ptr(ptr)	(ptr)

static inline bool test_bit(u32 bit, const unsigned long *map)
{
	return map[bit / BITS_PER_LONG] >> (bit % BITS_PER_LONG) & 1;
}

static inline bool test_and_set_bit(u32 bit, unsigned long *map)
{
	bool old = test_bit(bit, map);

	map[bit / BITS_PER_LONG] |= 1UL << (bit % BITS_PER_LONG);
	return old;
}

static inline void clear_bit_unlock(u32 bit, unsigned long *map)
{
	map[bit / BITS_PER_LONG] &= ~(1UL << (bit % BITS_PER_LONG));
}

#define for_each_clear_bit_from(bit, map, end)				\
	for (; (bit) < (end); (bit)++)					\
		if (!test_bit(bit, map))

static inline void atomic_inc(atomic_t *v)
{
	v->counter++;
}

static inline void atomic_dec(atomic_t *v)
{
	v->counter--;
}

u32 get_random_u32_below(u32 bound);
void percpu_counter_inc(struct percpu_counter *counter);
void percpu_counter_sub(struct percpu_counter *counter, long amount);

/* ---- pages and DMA ---- */

#define PAGE_SIZE		4096

#define GFP_KERNEL_ACCOUNT	0x1
#define __GFP_ZERO		0x2
#define GFP_KERNEL		0x4

/**
 * struct page - a page, of which the driver uses these fields
 * @lru: entry in a list
 * @private: number of the owner
 */
struct page {
	struct list_head lru;
	unsigned long private;
};

#define page_private(page)		((page)->private)
#define set_page_private(page, value)	((page)->private = (value))

enum dma_data_direction {
	DMA_BIDIRECTIONAL,
	DMA_TO_DEVICE,
};

/**
 * struct scatterlist - a piece of memory that is mapped for DMA
 * @dma_address: bus address
 * @dma_length: bytes
 * @chain: the next array of entries, if this entry only names it
 */
struct scatterlist {
	dma_addr_t dma_address;
	unsigned int dma_length;
	struct scatterlist *chain;
};

struct sg_table {
	struct scatterlist *sgl;
	unsigned int nents;
};

#define sg_dma_address(sg)	((sg)->dma_address)
#define sg_dma_len(sg)		((sg)->dma_length)
#define sg_is_chain(sg)		((sg)->chain)
#define sg_chain_ptr(sg)	((sg)->chain)

#define PAGE_ALIGNED(addr)	(!((addr) & 0xfff))

void *kmalloc_array(size_t n, size_t size, gfp_t flags);
void kfree(const void *mem);
void *kvcalloc(size_t n, size_t size, gfp_t flags);
void kvfree(const void *mem);
struct page *alloc_pages_node(int node, gfp_t flags, unsigned int order);
void __free_page(struct page *page);
void *page_address(const struct page *page);
int dev_to_node(struct device *dev);
dma_addr_t dma_map_page(struct device *dev, struct page *page, size_t offset,
			size_t size, enum dma_data_direction dir);
void dma_unmap_page(struct device *dev, dma_addr_t addr, size_t size,
		    enum dma_data_direction dir);
int dma_mapping_error(struct device *dev, dma_addr_t addr);
void dma_sync_single_for_device(struct device *dev, dma_addr_t addr,
				size_t size, enum dma_data_direction dir);
void *dma_alloc_coherent(struct device *dev, size_t size, dma_addr_t *addr,
			 gfp_t flags);
void dma_free_coherent(struct device *dev, size_t size, void *mem,
		       dma_addr_t addr);
void cond_resched(void);

#endif /* PROOF_KERNEL_H */

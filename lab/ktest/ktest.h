/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Types and functions that the files of the kernel verbs tests (ktest_*.c)
 * share. The tests are a client of InfiniBand core, and use only interfaces
 * that other kernel consumers can use: verbs, xrdma-bind.h, xrdma-flush.h, and
 * the reasons in vendor_err. ktest_mw.h has what only the window cases share.
 *
 * A case is a function whose name states the behaviour that it checks. It runs
 * with two queue pairs of the device connected to each other: near (a), far
 * (b).
 */

#ifndef XRDMA_KTEST_H
#define XRDMA_KTEST_H

#include <linux/completion.h>
#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>
#include <rdma/xrdma-abi.h>
#include <rdma/xrdma-bind.h>

#define KTEST_BUF_SIZE	(256 * 1024)
#define KTEST_WRS	64
#define KTEST_CQES	256
#define KTEST_OPS	(2 * KTEST_WRS)

/* Value of each byte of test memory before anything is written to it */
#define KTEST_UNTOUCHED	0xee

#define KTEST_ALL	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
			 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC)
#define KTEST_BINDABLE	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_MW_BIND)

/**
 * struct ktest_op - a work request and its completion
 * @cqe: identifies this structure in the completion
 * @wc: the last completion
 * @done: completed when @wc is written
 * @count: number of completions
 */
struct ktest_op {
	struct ib_cqe cqe;
	struct ib_wc wc;
	struct completion done;
	int count;
};

/**
 * struct ktest_side - one end of a connection
 * @cq: completion queue of sends and receives
 * @qp: queue pair
 * @buf: memory of KTEST_BUF_SIZE bytes
 * @dma: bus address of @buf
 */
struct ktest_side {
	struct ib_cq *cq;
	struct ib_qp *qp;
	u8 *buf;
	u64 dma;
};

/**
 * struct ktest - the case that runs
 * @dev: the device
 * @gid_index: index of the GID that both ends use
 * @pd: protection domain of both ends
 * @other_pd: another protection domain
 * @mr: region of all bus addresses, with the rights of KTEST_ALL
 * @poll: context in which InfiniBand core polls the completion queues
 * @a: near end
 * @b: far end
 * @op: work requests, all zero at the beginning of a case
 * @wc: completion of the last request of ktest_do()
 * @failed: true after an expectation was not met
 */
struct ktest {
	struct ib_device *dev;
	int gid_index;
	struct ib_pd *pd;
	struct ib_pd *other_pd;
	struct ib_mr *mr;
	enum ib_poll_context poll;
	struct ktest_side a;
	struct ktest_side b;
	struct ktest_op op[KTEST_OPS];
	struct ib_wc wc;
	bool failed;
};

struct ktest_case {
	const char *name;
	void (*run)(struct ktest *t);
};

#define KTEST_CASE(function) { .name = #function, .run = function }

extern const struct ktest_case ktest_verbs_cases[];
extern const struct ktest_case ktest_queues_cases[];
extern const struct ktest_case ktest_rings_cases[];
extern const struct ktest_case ktest_events_cases[];
extern const struct ktest_case ktest_place_cases[];
extern const struct ktest_case ktest_reg_cases[];
extern const struct ktest_case ktest_refused_cases[];
extern const struct ktest_case ktest_mw_cases[];
extern const struct ktest_case ktest_mw_bad_cases[];
extern const struct ktest_case ktest_dead_cases[];
extern const struct ktest_case ktest_bench_cases[];

/* ktest_main.c */
__printf(1, 2) void ktest_say(const char *format, ...);
void ktest_fail(struct ktest *t, const char *where, int line, const char *what,
		s64 is, s64 wanted);

#define EXPECT_EQ(t, is, wanted) do {					\
	s64 is_ = (s64)(is), wanted_ = (s64)(wanted);			\
									\
	if (is_ != wanted_)						\
		ktest_fail(t, __func__, __LINE__, #is, is_, wanted_);	\
} while (0)

#define EXPECT(t, condition) EXPECT_EQ(t, !!(condition), true)

/* ktest_rig.c */
int ktest_setup(struct ktest *t);
void ktest_teardown(struct ktest *t);
int ktest_open_qp(struct ktest *t, struct ktest_side *side,
		  enum ib_sig_type sig, u32 inline_data);
struct ib_qp_init_attr ktest_least_attr(struct ib_cq *send_cq,
					struct ib_cq *recv_cq);
bool ktest_open_least(struct ktest *t, ib_comp_handler handler, void *context,
		      struct ib_cq **cq, struct ib_qp **qp);
int ktest_own_address(struct ktest *t, struct rdma_ah_attr *attr);
int ktest_connect(struct ktest *t, struct ib_qp *a, struct ib_qp *b);
int ktest_reconnect(struct ktest *t);
int ktest_to_state(struct ib_qp *qp, enum ib_qp_state state);
int ktest_to_err(struct ib_qp *qp);

struct ktest_op *ktest_op_init(struct ktest_op *op);
bool ktest_wait(struct ktest_op *op);
struct ib_sge ktest_sge(struct ktest *t, struct ktest_side *side, u32 off,
			u32 len);
int ktest_recv(struct ktest *t, struct ktest_side *side, struct ktest_op *op,
	       u32 off, u32 len);
int ktest_rdma(struct ktest *t, struct ktest_side *side, struct ktest_op *op,
	       struct ib_rdma_wr *wr, u32 off, u32 len);
int ktest_do(struct ktest *t, struct ib_qp *qp, struct ib_send_wr *wr);
int ktest_write(struct ktest *t, u32 off, u32 len, u64 addr, u32 key);
int ktest_read(struct ktest *t, u32 off, u32 len, u64 addr, u32 key);
int ktest_reg(struct ktest *t, struct ib_mr *mr, u32 key, int access);
int ktest_inv(struct ktest *t, u32 key);
int ktest_bind(struct ktest *t, struct ib_mw *mw, u32 key, struct ib_mr *mr,
	       u64 addr, u64 length, int access);

/* ktest_mem.c */

/**
 * struct ktest_mem - memory in pieces whose bus addresses are not contiguous
 * @order: log2 of the number of pages of a piece
 * @num: number of pieces
 * @piece: kernel address of each piece
 * @sg: one entry for each piece, mapped for DMA
 */
struct ktest_mem {
	unsigned int order;
	unsigned int num;
	u8 **piece;
	struct scatterlist *sg;
};

int ktest_mem_alloc(struct ktest *t, struct ktest_mem *mem, unsigned int order,
		    unsigned int num);
void ktest_mem_free(struct ktest *t, struct ktest_mem *mem);
void ktest_mem_fill(struct ktest_mem *mem, u8 value);
bool ktest_mem_holds(const struct ktest_mem *mem, u64 off, const u8 *data,
		     u32 len, u8 elsewhere);

#endif /* XRDMA_KTEST_H */

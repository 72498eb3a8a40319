/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * On-demand paging: page faults without an answer, and the accesses that wait.
 *
 * A page fault is held for each 2 MiB of a region, and for reads and writes
 * apart. Each queue pair has a waiter for each part of it that can wait. The
 * waiter remembers what its access needs; it waits for the answer to a page
 * fault, or until the pager may raise one. When the wait ends, the pager calls
 * model_qp_ops.resume(), and the transport repeats the access, which is checked
 * and translated again.
 *
 * pager.c holds the page faults, resume.c reads the answers of the driver.
 * Translations miss in xlat.c, core/access.c calls the pager.
 */
#ifndef MODEL_PAGER_H
#define MODEL_PAGER_H

#include <linux/bits.h>
#include <linux/types.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "base/loop.h"
#include "core/xlat.h"
#include "xrdma_hw.h"

struct model_device;
struct model_eq;
struct model_page_fault;
struct model_qp;

/* Log2 of the number of page faults without an answer. */
#define MODEL_PAGE_FAULTS_LOG		8
#define MODEL_PAGE_FAULTS		BIT(MODEL_PAGE_FAULTS_LOG)
/* Page faults without an answer of the queue pairs of a protection domain. */
#define MODEL_PAGE_FAULTS_PD		(MODEL_PAGE_FAULTS / 4)
/* Log2 of the bytes for which one page fault is held. */
#define MODEL_PAGE_FAULT_SHIFT		21
/* Time without an answer after which a translation is tried again. */
#define MODEL_PAGE_FAULT_NS		1000000000ULL
/* Pause after the first XRDMA_RESUME_LATER. */
#define MODEL_PAGE_LATER_NS		10000000ULL
/* How often the pause is doubled, at most. */
#define MODEL_PAGE_LATER_DOUBLED	7

/*
 * Result of an access, instead of 0 or enum xrdma_fault_reason: a translation
 * misses, and nothing is refused. The waiter of the access, if it has one,
 * waits; the caller repeats the access after model_qp_ops.resume().
 */
#define MODEL_MISS			(-1)

/**
 * enum model_wait_side - parts of a queue pair that wait for pages
 * @MODEL_WAIT_REQUESTER: the send queue, and responses to its requests
 * @MODEL_WAIT_RESPONDER: requests of the peer
 * @MODEL_WAIT_ANSWERS: data of READs of the peer
 * @MODEL_WAIT_SIDES: number of parts
 */
enum model_wait_side {
	MODEL_WAIT_REQUESTER,
	MODEL_WAIT_RESPONDER,
	MODEL_WAIT_ANSWERS,
	MODEL_WAIT_SIDES,
};

/**
 * struct model_miss - what an access needs from the first missing position on
 * @key: key index of the region
 * @pos: first position that misses
 * @len: bytes that the access needs from @pos on
 * @expected: bytes that the message is going to access from @pos on
 * @qpn: number of the queue pair
 * @pd: protection domain of the queue pair
 * @opcode: enum xrdma_wqe_opcode
 * @write: the access is a write
 * @remote: the peer requests the access
 */
struct model_miss {
	u32 key;
	u64 pos;
	u64 len;
	u64 expected;
	u32 qpn;
	u32 pd;
	u8 opcode;
	bool write;
	bool remote;
};

/**
 * struct model_waiter - a part of a queue pair that can wait
 * @qp: the queue pair
 * @side: the part
 * @waiting: the part waits
 * @fault: @waiting: page fault whose answer ends the wait; NULL: the wait is
 *	for the permission to raise one, on model_pager.queue, or @paused
 * @paused: @waiting: until @pause_end_ns, on model_pager.paused
 * @pause_end_ns: time at which a pause ends
 * @pauses: number of pauses in a row, at most MODEL_PAGE_LATER_DOUBLED
 * @miss: what the access needs, if @waiting
 * @joined: the event of @fault was written before the wait began. Then the
 *	driver may have looked for the page before the access, so its refusal
 *	does not apply to this waiter
 * @refused: the driver has refused @refused_miss: if the repeated access
 *	misses in the same 4 KiB, it is refused
 * @refused_miss: the miss for which the driver was asked
 * @link: link of model_page_fault.waiters, model_pager.queue or .paused
 *
 * Other files only read @waiting and @refused.
 */
struct model_waiter {
	struct model_qp *qp;
	enum model_wait_side side;
	bool waiting;
	struct model_page_fault *fault;
	bool paused;
	u64 pause_end_ns;
	u32 pauses;
	struct model_miss miss;
	bool joined;
	bool refused;
	struct model_miss refused_miss;
	TAILQ_ENTRY(model_waiter) link;
};

TAILQ_HEAD(model_waiters, model_waiter);

/**
 * enum model_page_fault_state - state of a page fault
 * @MODEL_PAGE_FAULT_FREE: the structure is unused
 * @MODEL_PAGE_FAULT_LATE: a test delays the event until @event_ns
 * @MODEL_PAGE_FAULT_ASKED: the driver has been asked
 */
enum model_page_fault_state {
	MODEL_PAGE_FAULT_FREE,
	MODEL_PAGE_FAULT_LATE,
	MODEL_PAGE_FAULT_ASKED,
};

/**
 * struct model_page_fault - a page fault
 * @state: enum model_page_fault_state
 * @generation: number of page faults that this structure has held; the upper
 *	24 bits of a token
 * @miss: the access that raised the page fault
 * @deadline_ns: time at which the accesses are repeated without an answer
 * @event_ns: LATE: time at which the event is written
 * @waiters: parts of queue pairs that wait
 */
struct model_page_fault {
	u8 state;
	u32 generation;
	struct model_miss miss;
	u64 deadline_ns;
	u64 event_ns;
	struct model_waiters waiters;
};

/**
 * struct model_pager_faults - faults of the pager, for tests; a reset keeps
 * them
 * @late: number of next events to delay by @late_ns
 * @late_ns: the delay
 * @lost: number of next events not to write
 * @twice: number of next events to write twice
 * @answers_lost: number of next answers not to read
 */
struct model_pager_faults {
	u32 late;
	u64 late_ns;
	u32 lost;
	u32 twice;
	u32 answers_lost;
};

/**
 * struct model_pager - page faults of a device
 * @eq: event queue of page faults; NULL before ENABLE_ODP
 * @ring: the resume ring
 * @log_entries: log2 of the number of entries of @ring
 * @pi: producer index of the host
 * @ci: number of answers read, modulo 2^32
 * @faults: the page faults, by the lower 8 bits of the token
 * @used: number of page faults in @faults
 * @queue: parts of queue pairs that wait until a page fault may be raised
 * @num_queued: number of parts in @queue
 * @paused: parts of queue pairs that wait after XRDMA_RESUME_LATER
 * @serve: a page fault has ended since @queue was served
 * @timer: fires at the earliest time of a page fault
 * @switches: faults that tests have set
 */
struct model_pager {
	struct model_eq *eq;
	struct model_mem ring;
	u8 log_entries;
	u32 pi;
	u32 ci;
	struct model_page_fault faults[MODEL_PAGE_FAULTS];
	u32 used;
	struct model_waiters queue;
	u32 num_queued;
	struct model_waiters paused;
	bool serve;
	struct model_timer timer;
	struct model_pager_faults switches;
};

/* pager.c: page faults and waiters */
void model_pager_init(struct model_device *dev);
void model_pager_reset(struct model_device *dev);
void model_pager_init_qp(struct model_qp *qp);
int model_pager_miss(struct model_device *dev, struct model_waiter *waiter,
		     const struct model_miss *miss);
void model_pager_hit(struct model_waiter *waiter, u32 key, u64 pos, u64 len);
void model_pager_cancel(struct model_waiter *waiter);
void model_pager_end_key(struct model_device *dev, u32 key);
void model_pager_answer(struct model_device *dev, u32 token, u32 outcome);
void model_pager_serve(struct model_device *dev);

/* resume.c: ENABLE_ODP and the resume ring */
enum xrdma_cmd_status model_resume_enable(struct model_device *dev,
					  const struct xrdma_cmd_enable_odp *p);
void model_resume_doorbell(struct model_device *dev, u32 pi);
bool model_resume_poll(struct model_device *dev);

#endif /* MODEL_PAGER_H */

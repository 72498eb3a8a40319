/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Faults that a user of verbs asks for, to run the error paths of a program: the
 * list of the faults that have not happened yet. The files that serve requests
 * ask this list whether a fault happens now, and report the fault as they report
 * a real one. This file knows no queue, no packet and no time limit except that
 * of a silence.
 *
 * A fault counts what it waits for, such as requests of a queue pair, from the
 * time when it was set, and then happens once. A fault of a key happens at each
 * access from then on. The object's end removes its faults.
 *
 * The commands are in inject_control.c, delayed completions in late.c, the link
 * in wire/wire.c, faults for tests of the driver in device_control.h and
 * chaos.h.
 */
#ifndef MODEL_INJECT_H
#define MODEL_INJECT_H

#include <linux/bits.h>
#include <linux/types.h>
#include <stdbool.h>

/* Largest number of faults that wait. */
#define MODEL_INJECT_MAX	64
/* Number of a silence that concerns the whole port. */
#define MODEL_INJECT_PORT	0xffffffffU

/**
 * enum model_inject_kind - kind of a fault; number of the object
 * @MODEL_INJECT_SEND: QPN; a send completes in error
 * @MODEL_INJECT_RECV: QPN; a receive completes in error
 * @MODEL_INJECT_LATE_SEND: QPN; the completion of a send is written late
 * @MODEL_INJECT_LATE_RECV: QPN; the completion of a receive is written late
 * @MODEL_INJECT_LOST_SEND: QPN; the completion of a send is not written
 * @MODEL_INJECT_LOST_RECV: QPN; the completion of a receive is not written
 * @MODEL_INJECT_CQ_OVERRUN: CQN; a completion finds no room
 * @MODEL_INJECT_KEY: key; accesses are refused, as if the key were invalid
 * @MODEL_INJECT_SILENCE: QPN or MODEL_INJECT_PORT; received frames are dropped
 * @MODEL_INJECT_LINK_DOWN: the link was cut; is never in the list
 * @MODEL_INJECT_EVENT: an asynchronous event was raised; is never in the list
 * @MODEL_INJECT_KINDS: number of kinds
 */
enum model_inject_kind {
	MODEL_INJECT_SEND,
	MODEL_INJECT_RECV,
	MODEL_INJECT_LATE_SEND,
	MODEL_INJECT_LATE_RECV,
	MODEL_INJECT_LOST_SEND,
	MODEL_INJECT_LOST_RECV,
	MODEL_INJECT_CQ_OVERRUN,
	MODEL_INJECT_KEY,
	MODEL_INJECT_SILENCE,
	MODEL_INJECT_LINK_DOWN,
	MODEL_INJECT_EVENT,
	MODEL_INJECT_KINDS,
};

/* Kinds whose object is a queue pair, as a mask of BIT(kind). */
#define MODEL_INJECT_OF_QP						\
	(BIT(MODEL_INJECT_SEND) | BIT(MODEL_INJECT_RECV) |		\
	 BIT(MODEL_INJECT_LATE_SEND) | BIT(MODEL_INJECT_LATE_RECV) |	\
	 BIT(MODEL_INJECT_LOST_SEND) | BIT(MODEL_INJECT_LOST_RECV) |	\
	 BIT(MODEL_INJECT_SILENCE))

/**
 * struct model_inject - a fault
 * @kind: enum model_inject_kind
 * @status: SEND, RECV: enum xrdma_wc_status
 * @number: number of the object
 * @nth: the fault happens at the nth occasion; 1: at the next one; not used by
 *	SILENCE
 * @ns: LATE: delay of the completion, in ns; SILENCE: time of its end, in ns
 */
struct model_inject {
	u8 kind;
	u8 status;
	u32 number;
	u32 nth;
	u64 ns;
};

/**
 * struct model_injects - the faults of a device
 * @num: number of faults that wait
 * @waiting: faults that wait, in the order in which they were set
 * @done: number of faults that have happened, by kind: of KEY the accesses that
 *	were refused, of SILENCE the frames that were dropped
 */
struct model_injects {
	u32 num;
	struct model_inject waiting[MODEL_INJECT_MAX];
	u64 done[MODEL_INJECT_KINDS];
};

int model_inject_add(struct model_injects *list,
		     const struct model_inject *fault);
bool model_inject_step(struct model_injects *list, enum model_inject_kind kind,
		       u32 number, struct model_inject *fault);
bool model_inject_refuses(struct model_injects *list, u32 key);
bool model_inject_silent(struct model_injects *list, u32 number, u64 now_ns);
void model_inject_expire(struct model_injects *list, u64 now_ns);
void model_inject_forget(struct model_injects *list, u64 kinds, u32 number);
void model_inject_forget_keys(struct model_injects *list, u32 index);
void model_inject_clear(struct model_injects *list);

#endif /* MODEL_INJECT_H */

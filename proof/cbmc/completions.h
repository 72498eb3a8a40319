/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The device in harnesses of completions: core/completion.c, which fills a
 * completion, compiled unchanged. A stub stands for the ring of the completion
 * queue: device_cq.c proves that the device writes each completion as it is filled,
 * and ring.c that a reader finds it.
 */

#ifndef PROOF_COMPLETIONS_H
#define PROOF_COMPLETIONS_H

#include <string.h>
#include "proof.h"
#include "device_objects.h"
#include "no_faults.h"

/* counters are no subject of the theorems */
static inline void model_qp_stat_add(const struct model_qp *qp,
				     enum xrdma_stat stat, u64 n)
{
	(void)qp;
	(void)stat;
	(void)n;
}

/* see model_qp_stat_add() */
static inline void model_set_stat_add(const struct model_qp *qp,
				      enum xrdma_stat stat, u64 n)
{
	(void)qp;
	(void)stat;
	(void)n;
}

/* Copy a MAC address: CBMC is slow for the bytes of memcpy(). */
static void copy_mac(u8 *to, const u8 *from, size_t len)
{
	PROVE(len == 6);
	to[0] = from[0];
	to[1] = from[1];
	to[2] = from[2];
	to[3] = from[3];
	to[4] = from[4];
	to[5] = from[5];
}

#define memcpy(to, from, len)	copy_mac(to, from, len)
#include "core/completion.c"

/* Entries of the send queue follow each other anywhere. */
void model_sq_pass(struct model_qp *q, const struct xrdma_sq_wqe *wqe)
{
	(void)wqe;
	q->sq.ci++;
}

/* Entries of the rings of work requests */
#define DEPTH		16
#define LOG_DEPTH	4

static struct model_device dev;
static struct model_cq device_cq;
static struct model_srq device_srq;
static struct model_qp device_qp;

/* Completions that the device has written; what the host does about the last one */
static u32 pushed;
static void poll_host(const struct xrdma_cqe *cqe);

/* The host reads a completion as soon as the device has written it. */
void model_late_push(struct model_device *device, struct model_cq *queue,
		     const struct xrdma_cqe *cqe, u64 delay_ns)
{
	struct xrdma_cqe written = *cqe, any;

	PROVE(device == &dev && queue == &device_cq && !pushed);
	PROVE(!delay_ns);
	pushed++;
	/* not initialised: any time and phase */
	written.timestamp = any.timestamp;
	written.own = any.own;
	poll_host(&written);
}

bool model_chaos_wqe(struct model_chaos *chaos, void *wqe, size_t len)
{
	(void)chaos;
	(void)wqe;
	(void)len;
	return false;
}

/* A queue pair, and an entry that it has taken of its shared receive queue */
static void any_device(bool has_srq)
{
	device_qp.dev = &dev;
	device_qp.qpn = nondet_u32();
	device_qp.send_cq = &device_cq;
	device_qp.recv_cq = &device_cq;
	device_qp.srq = has_srq ? &device_srq : NULL;
	device_qp.taken = has_srq;
}

/*
 * What IBTA calls the operations that complete: the numbers are those that
 * libibverbs and the kernel's verbs have in common.
 */
static int wc_opcode(u8 opcode)
{
	switch (opcode) {
	case 1:		/* SEND */
	case 2:		/* SEND_IMM */
	case 3:		/* SEND_INV */
		return 0;
	case 4:		/* WRITE */
	case 5:		/* WRITE_IMM */
		return 1;
	case 6:		/* READ */
		return 2;
	case 7:		/* CMP_SWAP */
		return 3;
	case 8:		/* FETCH_ADD */
		return 4;
	case 9:		/* BIND_MW */
		return 5;
	case 10:	/* LOCAL_INV */
		return 6;
	case 11:	/* REG_MR: of the kernel only */
		return 10;
	case 12:	/* FLUSH */
		return 8;
	case 13:	/* ATOMIC_WRITE */
		return 9;
	case 128:	/* receive */
		return 128;
	case 129:	/* receive of WRITE_IMM */
		return 129;
	default:
		return -1;
	}
}

/* The states of completions that the specification has */
static bool is_status(u8 status)
{
	return status <= 2 || (status >= 4 && status <= 13) || status == 16 ||
	       status == 19 || status == 21;
}

#endif /* PROOF_COMPLETIONS_H */

/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A fake device for tests of the provider. It replaces driver and hardware, and
 * advances its indexes when a test calls its functions. It does not use the
 * provider's objects. Tests create those with setup.h.
 */

#ifndef FAKE_DEVICE_H
#define FAKE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <rdma/xrdma-abi.h>
#include <rdma/xrdma-ring.h>

/* As assert(), but also in a build with NDEBUG. */
#define CHECK(cond)							\
	do {								\
		if (!(cond)) {						\
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond); \
			fflush(stdout);					\
			abort();					\
		}							\
	} while (0)

#define FAKE_NO_DOORBELL	UINT64_MAX

/**
 * struct fake_cq - completion queue as the device sees it
 * @ring: entries
 * @rec: record
 * @log_depth: log2 of the number of entries
 * @pi: producer index
 */
struct fake_cq {
	struct xrdma_cqe *ring;
	struct xrdma_cq_rec *rec;
	uint8_t log_depth;
	uint32_t pi;
};

/**
 * struct fake_qp - queue pair as the device sees it
 * @req: request of the provider
 * @sq: send ring
 * @rq: receive ring
 * @rec: record
 * @qpn: number of the queue pair
 * @sq_ci: index of the next send entry to execute
 * @sq_place: its place in @sq, in units of 64 bytes
 * @rq_ci: index of the next receive entry to consume
 * @asleep: the device looks at the send ring after the next doorbell only
 */
struct fake_qp {
	struct xrdma_ureq_create_qp req;
	void *sq;
	void *rq;
	struct xrdma_qp_rec *rec;
	uint32_t qpn;
	uint32_t sq_ci;
	uint32_t sq_place;
	uint32_t rq_ci;
	bool asleep;
};

/**
 * struct fake_srq - shared receive queue as the device sees it
 * @req: request of the provider
 * @ring: entries
 * @rec: record
 */
struct fake_srq {
	struct xrdma_ureq_create_srq req;
	void *ring;
	struct xrdma_srq_rec *rec;
};

extern struct fake_cq fake_last_cq;
extern struct fake_qp fake_last_qp;
extern struct fake_srq fake_last_srq;
extern struct fake_cq *fake_resized_cq;
extern void (*fake_during_command)(void);
extern uint32_t fake_next_qpn;
extern int fake_create_error;
extern int fake_buffers;
extern __le64 fake_db_page[XRDMA_DB_PAGE_SIZE / 8];

uint64_t fake_take_doorbell(void);
uint64_t fake_take_arming(void);
void fake_write_cqe(struct fake_cq *cq, const struct xrdma_cqe *cqe);
struct xrdma_sq_wqe *fake_next_send(struct fake_qp *qp);
struct xrdma_rq_wqe *fake_next_recv(struct fake_qp *qp);
struct xrdma_rq_wqe *fake_next_srq_recv(struct fake_srq *srq);
void fake_sleep(struct fake_qp *qp);

#endif /* FAKE_DEVICE_H */

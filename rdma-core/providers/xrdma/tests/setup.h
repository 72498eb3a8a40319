/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the tests share: a context with one completion queue and a few queue
 * pairs, each with the provider's and the device's side; random numbers; and
 * the list of tests. Requests and their checks are in work.h.
 */

#ifndef SETUP_H
#define SETUP_H

#include "work.h"

#define QPS		3

/**
 * struct pair - queue pair, its device side, and numbers that a test expects
 * @qp: the provider's side
 * @dev: the device's side
 * @sq_used: number of send entries that are not free
 * @rq_used: number of receive entries that are not free
 * @sq_unreported: number of send entries executed since the last completion
 */
struct pair {
	struct xrdma_qp *qp;
	struct fake_qp dev;
	uint32_t sq_used;
	uint32_t rq_used;
	uint32_t sq_unreported;
};

extern struct xrdma_context *ctx;
extern struct xrdma_cq *cq;
extern struct fake_cq dev_cq;
extern struct pair pairs[QPS];

void setup(bool shadow_db, uint32_t depth);
struct xrdma_qp *create_qp_of(struct ibv_qp_init_attr_ex *attr);
struct ibv_qp *create_qp(struct ibv_qp_cap *cap);
void create_pair(struct pair *pair, uint32_t qpn, uint32_t depth);
void destroy_pair(struct pair *pair);
void teardown(void);

/* A test, and its name in the output. */
struct test {
	const char *name;
	void (*run)(void);
};

#define TEST(name) { #name, name }

int run_tests(const struct test *tests, int num);
uint32_t random_below(uint32_t limit);
void start_cq_at(uint32_t index);
void refuse_qp(struct ibv_qp_init_attr_ex attr, int error);

#endif /* SETUP_H */

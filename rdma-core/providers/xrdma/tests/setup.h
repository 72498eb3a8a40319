/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A context with one completion queue and a few queue pairs, each known from
 * the provider's side and from the device's. Must not know: what they are
 * used for.
 */

#ifndef SETUP_H
#define SETUP_H

#include "work.h"

#define QPS		3

/**
 * struct pair - a queue pair, its device side, and the reference
 * @qp: the provider's
 * @dev: the device's
 * @sq_used: send entries that are not free
 * @rq_used: receive entries that are not free
 * @sq_unreported: send entries executed since the last completion
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

/* Tests with names, as TAP. */
struct test {
	const char *name;
	void (*run)(void);
};

#define TEST(name) { #name, name }

int run_tests(const struct test *tests, int num);

#endif /* SETUP_H */

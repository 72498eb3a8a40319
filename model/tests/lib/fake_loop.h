/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A loop whose time stands still until the test lets it pass. Stands in for
 * loop.c.
 */
#ifndef XRDMA_TEST_FAKE_LOOP_H
#define XRDMA_TEST_FAKE_LOOP_H

#include "base/loop.h"

void fake_loop_watches(struct xrdma_loop *loop);
u64 fake_loop_next(const struct xrdma_loop *loop);
void fake_loop_advance(struct xrdma_loop *loop, u64 to_ns);

#endif /* XRDMA_TEST_FAKE_LOOP_H */

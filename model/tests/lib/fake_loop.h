/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * An event loop whose time advances only when the test calls
 * fake_loop_advance(). fake_loop.c replaces base/loop.c in such tests.
 */
#ifndef MODEL_TEST_FAKE_LOOP_H
#define MODEL_TEST_FAKE_LOOP_H

#include "base/loop.h"

void fake_loop_watches(struct model_loop *loop);
u64 fake_loop_next(const struct model_loop *loop);
void fake_loop_advance(struct model_loop *loop, u64 to_ns);
void fake_loop_work(struct model_loop *loop, u64 turn_ns);

#endif /* MODEL_TEST_FAKE_LOOP_H */

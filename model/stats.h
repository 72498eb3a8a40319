/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The transport's part of the control socket: its sections of "stats", and
 * "quit". Reads other parts' counters; owns none.
 */
#ifndef XRDMA_MODEL_STATS_H
#define XRDMA_MODEL_STATS_H

#include "engine.h"

int xrdma_stats_register(struct xrdma_env *env);

#endif /* XRDMA_MODEL_STATS_H */

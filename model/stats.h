/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The control socket's sections of "stats" about loop, DMA, vfio-user server and
 * host errors, and "quit". The counters are those of the parts; the device's own
 * sections are in core/device_control.c and wire/wire_control.c.
 */
#ifndef MODEL_STATS_H
#define MODEL_STATS_H

#include "engine.h"

int model_stats_register(struct model_env *env);

#endif /* MODEL_STATS_H */

/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The sections of "stats" about loop, DMA, vfio-user server and host errors,
 * and the command "quit" of the control socket. The sections about the device
 * are in core/device_control.c, core/chaos.c and wire/wire_control.c.
 */
#ifndef MODEL_STATS_H
#define MODEL_STATS_H

#include "engine.h"

int model_stats_register(struct model_env *env);

#endif /* MODEL_STATS_H */

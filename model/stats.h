/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The sections of "stats" about loop, DMA, vfio-user server and host errors,
 * and two commands of the control socket. The sections about the device are in
 * core/device_control.c, core/chaos.c and wire/wire_control.c.
 *
 *   {"cmd":"pending", "on":true}
 *	sets the bit Transactions Pending of the function, which resets do not
 *	clear: a fault for tests. "on":false ends the fault
 *   {"cmd":"quit"}
 *	ends the process
 */
#ifndef MODEL_STATS_H
#define MODEL_STATS_H

#include "engine.h"

int model_stats_register(struct model_env *env);

#endif /* MODEL_STATS_H */

/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The interface between the engine (the device behind the BARs, core/device.h)
 * and the process. main.c makes the loop, the vfio-user server and the control
 * socket, then the engine. The engine attaches the device to them by these
 * functions:
 *
 *   model_vfu_attach()		BAR accesses, reset, bus mastering, unmaps
 *   model_loop_set_engine()	polling
 *   model_control_add_*()	statistics and fault commands
 */
#ifndef MODEL_ENGINE_H
#define MODEL_ENGINE_H

#include "base/control.h"
#include "base/loop.h"
#include "core/push.h"
#include "host/dma.h"
#include "host/host_error.h"
#include "host/vfu.h"

struct model_engine;

/**
 * struct model_env - parameters of an engine; outlives the engine
 * @loop: timers, descriptors, the time
 * @dma: guest memory
 * @vfu: vfio-user server, which sends the interrupts
 * @control: control socket, or NULL if there is none
 * @herr: record of host errors
 * @wire: addresses of the wire, as model_wire_open() takes them, or NULL
 * @impair: impairments of sent frames, as model_impair_parse() takes them, or
 *	NULL
 * @capture: file for frames that are sent and received, or NULL
 * @mac: permanent MAC address of the port
 * @seed: seed of all random numbers of the device
 * @mw_2a: windows of type 2 are 2A, else 2B
 * @no_shadow_db: the device does not have XRDMA_CAP_SHADOW_DB
 * @push: what the device does with pushed entries
 * @dm_size: bytes of device memory, as of model_dm_init()
 * @dm_mapped: clients may map the device memory, instead of trapping each
 *	access
 * @log_max_keys: log2 of the number of key indexes
 */
struct model_env {
	struct model_loop *loop;
	struct model_dma *dma;
	struct model_vfu *vfu;
	struct model_control *control;
	struct model_host_errors *herr;
	const char *wire;
	const char *impair;
	const char *capture;
	u8 mac[6];
	u64 seed;
	bool mw_2a;
	bool no_shadow_db;
	enum model_push_mode push;
	u64 dm_size;
	bool dm_mapped;
	u8 log_max_keys;
};

/**
 * model_engine_create - make the device and attach it
 * @env: parameters of the engine
 *
 * Return: the engine, or NULL with errno set.
 */
struct model_engine *model_engine_create(const struct model_env *env);

/**
 * model_engine_destroy - free the device
 * @engine: the engine; the server and the loop must not call it any more
 */
void model_engine_destroy(struct model_engine *engine);

#endif /* MODEL_ENGINE_H */

/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Where the engine (the device behind the BARs) meets the process around it.
 * main.c makes the loop, the vfio-user server and the control socket, then the
 * engine, which attaches itself to them:
 *
 *   model_vfu_attach()		BAR accesses, reset, bus mastering, unmaps
 *   model_loop_set_engine()	polling
 *   model_control_add_*()	statistics and fault commands
 */
#ifndef MODEL_ENGINE_H
#define MODEL_ENGINE_H

#include "base/control.h"
#include "base/loop.h"
#include "host/dma.h"
#include "host/host_error.h"
#include "host/vfu.h"

struct model_engine;

/**
 * struct model_env - what an engine lives in; outlives the engine
 * @loop: timers, descriptors, the time
 * @dma: guest memory
 * @vfu: interrupts
 * @control: control socket, or NULL if there is none
 * @herr: ledger of host errors
 * @wire: far end of the wire, as of model_wire_open(), or NULL
 * @impair: impairments of what is sent, as of model_impair_parse(), or NULL
 * @capture: file for frames that are sent and received, or NULL
 * @mac: permanent MAC address of the port
 * @seed: of everything random in the device
 * @mw_2a: windows of type 2 are 2A, else 2B
 * @dm_size: bytes of device memory, as of model_dm_init()
 * @dm_mapped: clients map it, instead of trapping each access
 * @log_max_keys: log2 of the key indexes
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
	u64 dm_size;
	bool dm_mapped;
	u8 log_max_keys;
};

/**
 * model_engine_create - make the device and attach it
 * @env: its surroundings
 *
 * Return: the engine, or NULL with errno set.
 */
struct model_engine *model_engine_create(const struct model_env *env);

/**
 * model_engine_destroy - free the device
 * @engine: the engine; the server and the loop call it no more
 */
void model_engine_destroy(struct model_engine *engine);

#endif /* MODEL_ENGINE_H */

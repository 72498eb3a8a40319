/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Where the engine (the device behind the BARs) meets the process around it.
 * main.c makes the loop, the vfio-user server and the control socket, then the
 * engine, which attaches itself to them:
 *
 *   xrdma_vfu_attach()		BAR accesses, reset, bus mastering, unmaps
 *   xrdma_loop_set_engine()	polling
 *   xrdma_control_add_*()	statistics and fault commands
 */
#ifndef XRDMA_MODEL_ENGINE_H
#define XRDMA_MODEL_ENGINE_H

#include "base/control.h"
#include "base/loop.h"
#include "host/dma.h"
#include "host/host_error.h"
#include "host/vfu.h"

struct xrdma_engine;

/**
 * struct xrdma_env - what an engine lives in; outlives the engine
 * @loop: timers, descriptors, the time
 * @dma: guest memory
 * @vfu: interrupts
 * @control: control socket, or NULL if there is none
 * @herr: ledger of host errors
 * @wire: far end of the wire, as of xrdma_wire_open(), or NULL
 * @impair: impairments of what is sent, as of xrdma_impair_parse(), or NULL
 * @capture: file for frames that are sent and received, or NULL
 * @mac: permanent MAC address of the port
 * @seed: of everything random in the device
 * @mw_2a: windows of type 2 are 2A, else 2B
 * @dm_size: bytes of device memory, as of xrdma_dm_init()
 * @dm_mapped: clients map it, instead of trapping each access
 * @log_max_keys: log2 of the key indexes
 */
struct xrdma_env {
	struct xrdma_loop *loop;
	struct xrdma_dma *dma;
	struct xrdma_vfu *vfu;
	struct xrdma_control *control;
	struct xrdma_host_errors *herr;
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
 * xrdma_engine_create - make the device and attach it
 * @env: its surroundings
 *
 * Return: the engine, or NULL with errno set.
 */
struct xrdma_engine *xrdma_engine_create(const struct xrdma_env *env);

/**
 * xrdma_engine_destroy - free the device
 * @engine: the engine; the server and the loop call it no more
 */
void xrdma_engine_destroy(struct xrdma_engine *engine);

#endif /* XRDMA_MODEL_ENGINE_H */

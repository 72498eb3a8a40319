// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The engine: makes a device (core/device.c) with its transport
 * (transport/transport.c), and attaches the device to the vfio-user server, the
 * loop and the control socket, which main.c makes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "core/device.h"
#include "core/device_control.h"
#include "core/inject_control.h"
#include "engine.h"
#include "transport/transport.h"
#include "wire/wire.h"

struct model_engine {
	const struct model_env *env;
	struct model_device *dev;
};

static void engine_read(void *opaque, unsigned int bar, u64 off, void *buf,
			size_t len)
{
	model_device_read(opaque, bar, off, buf, len);
}

static void engine_write(void *opaque, unsigned int bar, u64 off,
			 const void *buf, size_t len)
{
	model_device_write(opaque, bar, off, buf, len);
}

static void engine_reset(void *opaque)
{
	model_device_reset(opaque);
}

static void engine_bus_master(void *opaque, bool on)
{
	model_device_bus_master(opaque, on);
}

static void engine_dma_unmap(void *opaque, u64 iova, u64 len)
{
	model_device_dma_unmap(opaque, iova, len);
}

static const struct model_vfu_ops vfu_ops = {
	.read = engine_read,
	.write = engine_write,
	.reset = engine_reset,
	.bus_master = engine_bus_master,
	.dma_unmap = engine_dma_unmap,
};

static bool engine_poll(void *opaque)
{
	return model_device_poll(opaque);
}

static bool engine_park(void *opaque)
{
	return model_device_park(opaque);
}

static const struct model_loop_engine loop_engine = {
	.poll = engine_poll,
	.park = engine_park,
};

static void engine_irq(void *opaque, unsigned int vector)
{
	model_vfu_irq(opaque, vector);
}

static struct model_device *make_device(const struct model_env *env)
{
	struct model_device_params params = {
		.loop = env->loop,
		.dma = env->dma,
		.herr = env->herr,
		.transport = &model_roce_transport,
		.irq = engine_irq,
		.irq_opaque = env->vfu,
		.vectors = model_vfu_vectors(env->vfu),
		.seed = env->seed,
		.mw_2a = env->mw_2a,
		.no_shadow_db = env->no_shadow_db,
		.push = env->push,
		.dm_size = env->dm_size,
		.log_max_keys = env->log_max_keys,
	};

	memcpy(params.mac, env->mac, sizeof(params.mac));
	return model_device_create(&params);
}

static int add_control(const struct model_env *env, struct model_device *dev)
{
	int err;

	if (!env->control)
		return 0;
	err = model_device_add_control(dev, env->control);
	if (!err)
		err = model_chaos_add_control(&dev->chaos, env->control);
	if (!err)
		err = model_inject_add_control(dev, env->control);
	return err ? err : model_wire_add_control(dev->wire, env->control);
}

static int open_wire(const struct model_env *env, struct model_device *dev)
{
	struct model_why why;
	int err = 0;

	if (env->impair)
		err = model_wire_impair(dev->wire, "tx", env->impair, &why);
	if (err)
		model_err("--impair %s: %s", env->impair, why.text);
	if (!err && env->capture)
		err = model_capture_open(&dev->wire->capture, env->capture);
	if (err || !env->wire)
		return err;
	err = model_wire_open(dev->wire, env->wire, &why);
	if (err)
		model_err("--wire %s: %s", env->wire, why.text);
	return err;
}

static int add_memory(const struct model_env *env, struct model_device *dev)
{
	if (env->push != MODEL_PUSH_NONE)
		model_vfu_add_push_pages(env->vfu);
	if (!dev->dm.size)
		return 0;
	model_vfu_add_memory(env->vfu, XRDMA_BAR_DM, dev->dm.size);
	if (!env->dm_mapped)
		return 0;
	return model_vfu_offer_mmap(env->vfu, XRDMA_BAR_DM, dev->dm.fd);
}

/**
 * model_engine_create - make the device and attach it
 * @env: parameters of the engine
 *
 * Return: the engine, or NULL with errno set.
 */
struct model_engine *model_engine_create(const struct model_env *env)
{
	struct model_engine *engine = calloc(1, sizeof(*engine));
	int err;

	if (!engine)
		return NULL;
	engine->env = env;
	engine->dev = make_device(env);
	if (!engine->dev) {
		free(engine);
		errno = ENOMEM;
		return NULL;
	}
	err = add_memory(env, engine->dev);
	if (!err)
		err = open_wire(env, engine->dev);
	if (!err)
		err = add_control(env, engine->dev);
	if (err) {
		model_engine_destroy(engine);
		errno = -err;
		return NULL;
	}
	model_vfu_attach(env->vfu, &vfu_ops, engine->dev);
	model_loop_set_engine(env->loop, &loop_engine, engine->dev);
	return engine;
}

/**
 * model_engine_destroy - free the device
 * @engine: the engine; the server and the loop must not call it any more
 */
void model_engine_destroy(struct model_engine *engine)
{
	model_device_destroy(engine->dev);
	free(engine);
}

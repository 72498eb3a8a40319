// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The sections of "stats" about loop, DMA, vfio-user server and host errors,
 * and the commands "quit" and "pending". base/loop.c, host/dma.c, host/vfu.c and
 * host/host_error.c count; the sections about the device are in
 * core/device_control.c.
 */
#include <linux/array_size.h>

#include "base/request.h"
#include "stats.h"

static void add_u64(struct json_object *object, const char *name, u64 value)
{
	json_object_object_add(object, name, json_object_new_uint64(value));
}

static struct json_object *host_errors(void *opaque)
{
	const struct model_env *env = opaque;

	return json_object_new_uint64(env->herr->total);
}

/* The kinds of host errors that have occurred, each with its number */
static struct json_object *host_error_kinds(void *opaque)
{
	const struct model_env *env = opaque;
	struct json_object *object = json_object_new_object();
	unsigned int i;

	for (i = 0; i < MODEL_HERR_KINDS; i++)
		if (env->herr->count[i])
			add_u64(object, model_host_error_name(i),
				env->herr->count[i]);
	return object;
}

static struct json_object *host_error_log(void *opaque)
{
	const struct model_env *env = opaque;
	struct json_object *array = json_object_new_array();
	unsigned int i;

	for (i = 0; i < model_host_errors_kept(env->herr); i++) {
		const struct model_host_error_entry *entry =
			model_host_errors_entry(env->herr, i);
		struct json_object *object = json_object_new_object();

		add_u64(object, "time_ns", entry->time_ns);
		json_object_object_add(object, "kind",
				       json_object_new_string(model_host_error_name(entry->kind)));
		json_object_object_add(object, "text",
				       json_object_new_string(entry->text));
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *dma(void *opaque)
{
	const struct model_env *env = opaque;
	const struct model_dma_stats *stats = model_dma_stats(env->dma);
	struct json_object *object = json_object_new_object();

	add_u64(object, "live", stats->live);
	add_u64(object, "live_bytes", stats->live_bytes);
	add_u64(object, "peak", stats->peak);
	add_u64(object, "maps", stats->maps);
	add_u64(object, "unmaps", stats->unmaps);
	add_u64(object, "files", stats->files);
	return object;
}

static struct json_object *msix(void *opaque)
{
	const struct model_env *env = opaque;
	const struct model_vfu_stats *stats = model_vfu_stats(env->vfu);
	struct json_object *object = json_object_new_object();

	add_u64(object, "vectors", model_vfu_vectors(env->vfu));
	add_u64(object, "vectors_enabled", model_vfu_vectors_enabled(env->vfu));
	add_u64(object, "irqs", stats->irqs);
	add_u64(object, "irqs_dropped", stats->irqs_dropped);
	return object;
}

static struct json_object *vfu(void *opaque)
{
	const struct model_env *env = opaque;
	const struct model_vfu_stats *stats = model_vfu_stats(env->vfu);
	struct json_object *object = json_object_new_object();

	add_u64(object, "connects", stats->connects);
	add_u64(object, "messages", stats->messages);
	add_u64(object, "bad_messages", stats->bad_messages);
	add_u64(object, "resets", stats->resets);
	json_object_object_add(object, "bus_master",
			       json_object_new_boolean(model_vfu_bus_master(env->vfu)));
	return object;
}

static struct json_object *loop(void *opaque)
{
	const struct model_env *env = opaque;
	const struct model_loop_stats *stats = model_loop_stats(env->loop);
	struct json_object *object = json_object_new_object();

	add_u64(object, "turns", stats->turns);
	add_u64(object, "busy", stats->busy);
	add_u64(object, "sleeps", stats->sleeps);
	add_u64(object, "refused", stats->refused);
	return object;
}

static int quit(void *opaque, struct json_object *request,
		struct json_object *reply)
{
	const struct model_env *env = opaque;

	(void)request;
	(void)reply;
	model_loop_stop(env->loop);
	return 0;
}

static int pending(void *opaque, struct json_object *request,
		   struct json_object *reply)
{
	struct model_request r = model_request(request, reply, "on");
	bool on = model_request_bool(&r, "on");
	const struct model_env *env = opaque;

	if (!r.err)
		model_vfu_set_pending(env->vfu, on);
	return r.err;
}

static const struct {
	const char *name;
	model_control_section_fn fn;
} sections[] = {
	{ "host_errors", host_errors },
	{ "host_error_kinds", host_error_kinds },
	{ "host_error_log", host_error_log },
	{ "dma", dma },
	{ "msix", msix },
	{ "vfu", vfu },
	{ "loop", loop },
};

/**
 * model_stats_register - register commands and sections of the process
 * @env: environment of the engine; the engine need not exist yet
 *
 * Return: 0, or -ENOSPC.
 */
int model_stats_register(struct model_env *env)
{
	unsigned int i;
	int err;

	err = model_control_add_command(env->control, "quit", quit, env);
	if (!err)
		err = model_control_add_command(env->control, "pending",
						pending, env);
	for (i = 0; !err && i < ARRAY_SIZE(sections); i++)
		err = model_control_add_section(env->control, sections[i].name,
						sections[i].fn, env);
	return err;
}

/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The control socket: how tests and users look into the device process and
 * steer it. One JSON object per line in, one per line back, in order; several
 * clients at once.
 *
 *   {"cmd":"stats"}  ->  {"ok":true, "host_errors":0, "dma":{...}, ...}
 *   {"cmd":"nonsense"}  ->  {"ok":false, "error":"Operation not supported"}
 *
 * Knows nothing of the commands but "stats", whose sections are registered.
 */
#ifndef MODEL_CONTROL_H
#define MODEL_CONTROL_H

#include <json-c/json.h>

#include "base/loop.h"

struct model_control;

/**
 * typedef model_control_fn - a command
 * @opaque: as registered
 * @request: the whole request
 * @reply: an object to add to; "ok" is added afterwards
 *
 * Return: 0, or a negative errno, of which the text is added as "error" unless
 * the function added one of its own.
 */
typedef int (*model_control_fn)(void *opaque, struct json_object *request,
				struct json_object *reply);

/**
 * typedef model_control_section_fn - a section of "stats"
 * @opaque: as registered
 *
 * Return: a new JSON value of any type; the caller owns it.
 */
typedef struct json_object *(*model_control_section_fn)(void *opaque);

struct model_control *model_control_create(struct model_loop *loop,
					   const char *path);
void model_control_destroy(struct model_control *control);
int model_control_add_command(struct model_control *control, const char *name,
			      model_control_fn fn, void *opaque);
int model_control_add_section(struct model_control *control, const char *name,
			      model_control_section_fn fn, void *opaque);

#endif /* MODEL_CONTROL_H */

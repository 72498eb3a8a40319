/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The control socket: tests and users read statistics of the device process and
 * send commands to it. Each request is a JSON object on a line; the reply to
 * each request is a JSON object on a line, in the order of the requests. Up to
 * 16 clients can be connected.
 *
 *   {"cmd":"stats"}  ->  {"ok":true, "host_errors":0, "dma":{...}, ...}
 *   {"cmd":"stat"}  ->  {"ok":false, "error":"cmd: no such word: 'stat'; ..."}
 *
 * control.c implements only the command "stats". Other files register the
 * sections of "stats" and all other commands: stats.c, core/device_control.c,
 * core/inject_control.c, core/chaos.c and wire/wire_control.c. request.h reads
 * the members of a request.
 */
#ifndef MODEL_CONTROL_H
#define MODEL_CONTROL_H

#include <json-c/json.h>

#include "base/loop.h"

struct model_control;

/**
 * typedef model_control_fn - function that runs a command
 * @opaque: as registered
 * @request: the whole request
 * @reply: object to which the function adds its results; the server adds "ok"
 *	afterwards
 *
 * Return: 0, or a negative errno. The server adds the text of the errno as
 * "error" unless the function has added an "error".
 */
typedef int (*model_control_fn)(void *opaque, struct json_object *request,
				struct json_object *reply);

/**
 * typedef model_control_section_fn - function that makes a section of "stats"
 * @opaque: as registered
 *
 * Return: a new JSON value of any type; the caller owns it.
 */
typedef struct json_object *(*model_control_section_fn)(void *opaque);

struct model_control *model_control_create(struct model_loop *loop,
					   const char *path);
void model_control_destroy(struct model_control *control);
int model_control_dir(const struct model_control *control);
int model_control_add_command(struct model_control *control, const char *name,
			      model_control_fn fn, void *opaque);
int model_control_add_section(struct model_control *control, const char *name,
			      model_control_section_fn fn, void *opaque);

#endif /* MODEL_CONTROL_H */

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The control socket: its clients, the table of commands and the table of
 * statistics sections. The entries of the tables are registered by stats.c,
 * core/device_control.c, core/inject_control.c, core/chaos.c and
 * wire/wire_control.c. The members of a request are read by request.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/control.h"
#include "base/log.h"
#include "base/request.h"
#include "base/unix_socket.h"
#include "base/why.h"

#define MAX_CLIENTS	16
#define MAX_ENTRIES	64
#define MAX_LINE	65536

/**
 * struct control_client - a connection
 * @control: the server of the client
 * @watch: the socket of the client
 * @line: received bytes that are not handled yet
 * @line_len: number of bytes in @line
 * @out: text being sent, or NULL
 * @out_pos: offset in @out of the first byte that is not sent
 * @out_len: number of bytes in @out
 */
struct control_client {
	struct model_control *control;
	struct model_watch watch;
	char line[MAX_LINE];
	size_t line_len;
	char *out;
	size_t out_pos;
	size_t out_len;
};

struct control_entry {
	const char *name;
	model_control_fn command;
	model_control_section_fn section;
	void *opaque;
};

/* @dir is the directory of the socket, open only as a place for openat() */
struct model_control {
	struct model_loop *loop;
	struct model_unix_name name;
	int dir;
	struct model_watch listener;
	struct control_client *clients[MAX_CLIENTS];
	struct control_entry entries[MAX_ENTRIES];
	unsigned int n_entries;
};

static void client_close(struct control_client *client)
{
	struct model_control *control = client->control;
	unsigned int i;

	model_loop_unwatch(control->loop, &client->watch);
	close(client->watch.fd);
	for (i = 0; i < MAX_CLIENTS; i++)
		if (control->clients[i] == client)
			control->clients[i] = NULL;
	free(client->out);
	free(client);
}

/* Send as much of @out as the socket takes; false if the client was closed */
static bool client_flush(struct control_client *client)
{
	ssize_t n;

	while (client->out_pos < client->out_len) {
		n = model_unix_send(client->watch.fd,
				    client->out + client->out_pos,
				    client->out_len - client->out_pos, -1);
		if (n == -EAGAIN) {
			model_loop_rewatch(client->control->loop,
					   &client->watch, EPOLLOUT);
			return true;
		}
		if (n < 0) {
			client_close(client);
			return false;
		}
		client->out_pos += n;
	}
	free(client->out);
	client->out = NULL;
	return true;
}

static bool client_send(struct control_client *client,
			struct json_object *reply)
{
	const char *text;
	size_t len;

	text = json_object_to_json_string_length(reply, JSON_C_TO_STRING_PLAIN,
						 &len);
	client->out = text ? malloc(len + 1) : NULL;
	if (!client->out) {
		client_close(client);
		return false;
	}
	memcpy(client->out, text, len);
	client->out[len] = '\n';
	client->out_pos = 0;
	client->out_len = len + 1;
	return client_flush(client);
}

static int refuse_command(const struct model_control *control,
			  const char *name, struct json_object *reply)
{
	struct model_request r = { .reply = reply };
	const char *words[MAX_ENTRIES];
	struct model_why why;
	unsigned int i;

	for (i = 0; i < control->n_entries; i++)
		words[i] = control->entries[i].command ?
			   control->entries[i].name : NULL;
	model_why(&why, -ENOTSUP, "cmd: no such word: '%s'; words: ", name);
	model_why_list(&why, words, i);
	return model_request_refuse(&r, &why);
}

static int run_command(struct model_control *control,
		       struct json_object *request, struct json_object *reply)
{
	struct model_request r = { .reply = reply };
	struct json_object *name;
	unsigned int i;

	if (!json_object_is_type(request, json_type_object) ||
	    !json_object_object_get_ex(request, "cmd", &name) ||
	    !json_object_is_type(name, json_type_string))
		return model_request_fail(&r, "not an object with a word 'cmd'");
	for (i = 0; i < control->n_entries; i++) {
		struct control_entry *entry = &control->entries[i];

		if (entry->command &&
		    !strcmp(entry->name, json_object_get_string(name)))
			return entry->command(entry->opaque, request, reply);
	}
	return refuse_command(control, json_object_get_string(name), reply);
}

static bool client_request(struct control_client *client, const char *line)
{
	struct json_object *request = json_tokener_parse(line);
	struct json_object *reply = json_object_new_object();
	bool alive;
	int err;

	err = run_command(client->control, request, reply);
	if (err && !json_object_object_get_ex(reply, "error", NULL))
		json_object_object_add(reply, "error",
				       json_object_new_string(strerror(-err)));
	json_object_object_add(reply, "ok", json_object_new_boolean(!err));
	alive = client_send(client, reply);
	json_object_put(reply);
	json_object_put(request);
	return alive;
}

/*
 * Handle whole lines until a reply has to wait; false if the client was closed
 */
static bool client_lines(struct control_client *client)
{
	char *end;

	while (!client->out &&
	       (end = memchr(client->line, '\n', client->line_len))) {
		*end++ = '\0';
		if (!client_request(client, client->line))
			return false;
		client->line_len -= end - client->line;
		memmove(client->line, end, client->line_len);
	}
	if (client->line_len < MAX_LINE)
		return true;
	model_warn("control: line too long");
	client_close(client);
	return false;
}

static void client_ready(void *opaque, u32 events)
{
	struct control_client *client = opaque;
	ssize_t n;

	(void)events;
	if (client->out) {
		if (!client_flush(client) || client->out ||
		    !client_lines(client) || client->out)
			return;
		model_loop_rewatch(client->control->loop, &client->watch,
				   EPOLLIN);
		return;
	}
	n = read(client->watch.fd, client->line + client->line_len,
		 MAX_LINE - client->line_len);
	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0) {
		client_close(client);
		return;
	}
	client->line_len += n;
	client_lines(client);
}

static int client_open(struct model_control *control, int fd)
{
	struct control_client *client;
	unsigned int i;
	int err;

	for (i = 0; i < MAX_CLIENTS && control->clients[i]; i++)
		;
	if (i == MAX_CLIENTS)
		return -EUSERS;
	client = calloc(1, sizeof(*client));
	if (!client)
		return -ENOMEM;
	client->control = control;
	client->watch.fd = fd;
	client->watch.fn = client_ready;
	client->watch.opaque = client;
	err = model_loop_watch(control->loop, &client->watch, EPOLLIN);
	if (err)
		free(client);
	else
		control->clients[i] = client;
	return err;
}

static void listener_ready(void *opaque, u32 events)
{
	struct model_control *control = opaque;
	int fd = model_unix_accept(control->listener.fd);
	int err;

	(void)events;
	if (fd < 0)
		return;
	err = client_open(control, fd);
	if (err) {
		model_warn("control: client refused: %s", strerror(-err));
		close(fd);
	}
}

static int stats_command(void *opaque, struct json_object *request,
			 struct json_object *reply)
{
	struct model_control *control = opaque;
	unsigned int i;

	(void)request;
	for (i = 0; i < control->n_entries; i++) {
		struct control_entry *entry = &control->entries[i];

		if (entry->section)
			json_object_object_add(reply, entry->name,
					       entry->section(entry->opaque));
	}
	return 0;
}

static int add_entry(struct model_control *control,
		     const struct control_entry *entry)
{
	if (control->n_entries == MAX_ENTRIES)
		return -ENOSPC;
	control->entries[control->n_entries++] = *entry;
	return 0;
}

/**
 * model_control_add_command - register a command
 * @control: the server
 * @name: value of "cmd"; not copied
 * @fn: function that runs the command
 * @opaque: first argument of @fn
 *
 * Return: 0, or -ENOSPC when the table is full.
 */
int model_control_add_command(struct model_control *control, const char *name,
			      model_control_fn fn, void *opaque)
{
	const struct control_entry entry = {
		.name = name, .command = fn, .opaque = opaque
	};

	return add_entry(control, &entry);
}

/**
 * model_control_add_section - register a section of "stats"
 * @control: the server
 * @name: key in the reply; not copied
 * @fn: function that makes the value of the key
 * @opaque: first argument of @fn
 *
 * Return: 0, or -ENOSPC when the table is full.
 */
int model_control_add_section(struct model_control *control, const char *name,
			      model_control_section_fn fn, void *opaque)
{
	const struct control_entry entry = {
		.name = name, .section = fn, .opaque = opaque
	};

	return add_entry(control, &entry);
}

/* Return: the directory of @path, open as a place, or a negative errno. */
static int open_dir(const char *path)
{
	char *copy = strdup(path);
	int fd;

	if (!copy)
		return -ENOMEM;
	fd = open(dirname(copy), O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	free(copy);
	return fd;
}

/* Listen at @path. Return: 0 or a negative errno. */
static int start(struct model_control *control, const char *path)
{
	control->dir = open_dir(path);
	if (control->dir < 0)
		return control->dir;
	control->listener.fd = model_unix_listen(path, &control->name);
	if (control->listener.fd >= 0)
		return 0;
	close(control->dir);
	return control->listener.fd;
}

/**
 * model_control_create - listen for control clients
 * @loop: loop that runs the server
 * @path: path of the Unix socket; replaces a socket that exists
 *
 * Return: the server, or NULL with errno set.
 */
struct model_control *model_control_create(struct model_loop *loop,
					   const char *path)
{
	struct model_control *control = calloc(1, sizeof(*control));
	int err;

	if (!control)
		return NULL;
	control->loop = loop;
	err = start(control, path);
	if (err) {
		free(control);
		errno = -err;
		return NULL;
	}
	control->listener.fn = listener_ready;
	control->listener.opaque = control;
	model_loop_watch(loop, &control->listener, EPOLLIN);
	model_control_add_command(control, "stats", stats_command, control);
	return control;
}

/**
 * model_control_dir - get the directory in which commands make files
 * @control: the server
 *
 * Return: the directory of the socket, open with O_PATH; valid as long as
 * @control.
 */
int model_control_dir(const struct model_control *control)
{
	return control->dir;
}

/**
 * model_control_destroy - close all clients and remove the socket
 * @control: the server
 */
void model_control_destroy(struct model_control *control)
{
	unsigned int i;

	for (i = 0; i < MAX_CLIENTS; i++)
		if (control->clients[i])
			client_close(control->clients[i]);
	model_loop_unwatch(control->loop, &control->listener);
	close(control->listener.fd);
	model_unix_unbind(&control->name);
	close(control->dir);
	free(control);
}

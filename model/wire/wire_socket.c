// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The socket to the far end of the wire. The routing of frames is in
 * wire/wire.c.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire/wire_socket.h"

#define SPEC_MAX	256
#define BURST		64
#define SOCKET_BUFFER	(4 << 20)

static int parse_path(struct sockaddr_un *addr, const char *path)
{
	if (!*path || strlen(path) >= sizeof(addr->sun_path))
		return -EINVAL;
	addr->sun_family = AF_UNIX;
	strcpy(addr->sun_path, path);
	return 0;
}

/* "local=PATH,remote=PATH", in any order. */
static int parse_spec(struct model_wire_socket *socket, const char *spec)
{
	struct sockaddr_un local = { 0 };
	struct sockaddr_un remote = { 0 };
	char buf[SPEC_MAX];
	char *rest = buf;
	char *item;

	if (strlen(spec) >= sizeof(buf))
		return -EINVAL;
	strcpy(buf, spec);
	while ((item = strsep(&rest, ",")) != NULL) {
		if (!strncmp(item, "local=", 6) &&
		    !parse_path(&local, item + 6))
			continue;
		if (!strncmp(item, "remote=", 7) &&
		    !parse_path(&remote, item + 7))
			continue;
		return -EINVAL;
	}
	if (!local.sun_family || !remote.sun_family)
		return -EINVAL;
	socket->local = local;
	socket->remote = remote;
	return 0;
}

/* Return: false if the far end has no room, so the frame must wait. */
static bool try_send(struct model_wire_socket *s,
		     const struct model_frame *frame)
{
	if (sendto(s->watch.fd, frame->data, frame->len, MSG_DONTWAIT,
		   (struct sockaddr *)&s->remote, sizeof(s->remote)) >= 0)
		return true;
	if (errno == EAGAIN || errno == EWOULDBLOCK)
		return false;
	s->lost++;
	return true;
}

static void send_backlog(struct model_wire_socket *s)
{
	while (s->backlog.head && try_send(s, s->backlog.head))
		model_frame_put(s->pool, model_frameq_pop(&s->backlog));
	if (!s->backlog.head)
		model_loop_rewatch(s->loop, &s->watch, EPOLLIN);
}

/* Return: false if no frame has arrived or no frame buffer is free. */
static bool receive(struct model_wire_socket *s)
{
	struct model_frame *frame = model_frame_get(s->pool);
	ssize_t len;

	if (!frame)
		return false;
	len = recv(s->watch.fd, frame->data, sizeof(frame->data),
		   MSG_DONTWAIT | MSG_TRUNC);
	if (len > 0 && len <= MODEL_FRAME_MAX) {
		frame->len = len;
		s->arrived(s->opaque, frame);
		return true;
	}
	if (len > 0)
		s->oversized++;
	model_frame_put(s->pool, frame);
	return len >= 0;
}

static void socket_ready(void *opaque, u32 events)
{
	struct model_wire_socket *s = opaque;
	unsigned int burst = BURST;

	if (events & EPOLLOUT)
		send_backlog(s);
	while (burst-- && s->room(s->opaque) && receive(s))
		;
}

static int open_socket(struct model_wire_socket *s)
{
	int size = SOCKET_BUFFER;

	s->watch.fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			     0);
	if (s->watch.fd < 0)
		return -errno;
	setsockopt(s->watch.fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	unlink(s->local.sun_path);
	if (bind(s->watch.fd, (struct sockaddr *)&s->local,
		 sizeof(s->local)))
		return -errno;
	s->watch.fn = socket_ready;
	s->watch.opaque = s;
	return model_loop_watch(s->loop, &s->watch, EPOLLIN);
}

/**
 * model_socket_open() - open the socket to a far end
 * @s: the socket, not open
 * @spec: "local=PATH,remote=PATH"; a file at the local path is removed
 *
 * Return: 0 or a negative errno.
 */
int model_socket_open(struct model_wire_socket *s, const char *spec)
{
	int err;

	err = parse_spec(s, spec);
	if (err)
		return err;
	err = open_socket(s);
	if (err && s->watch.fd >= 0)
		close(s->watch.fd);
	s->open = !err;
	return err;
}

/**
 * model_socket_close() - close the socket
 * @s: the socket; frames that wait for the far end are lost
 */
void model_socket_close(struct model_wire_socket *s)
{
	struct model_frame *frame;

	if (!s->open)
		return;
	s->open = false;
	while ((frame = model_frameq_pop(&s->backlog)) != NULL)
		model_frame_put(s->pool, frame);
	model_loop_unwatch(s->loop, &s->watch);
	close(s->watch.fd);
	unlink(s->local.sun_path);
}

/**
 * model_socket_send() - send a frame to the far end
 * @s: the socket, open
 * @frame: the frame; the caller no longer owns it
 */
void model_socket_send(struct model_wire_socket *s, struct model_frame *frame)
{
	if (!s->backlog.head && try_send(s, frame)) {
		model_frame_put(s->pool, frame);
		return;
	}
	if (s->backlog.count >= MODEL_SOCKET_BACKLOG) {
		s->lost++;
		model_frame_put(s->pool, frame);
		return;
	}
	if (!s->backlog.head)
		model_loop_rewatch(s->loop, &s->watch,
				   EPOLLIN | EPOLLOUT);
	model_frameq_push(&s->backlog, frame);
}

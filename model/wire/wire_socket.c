// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The socket to the far end of the wire.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "core/device.h"
#include "wire/wire.h"

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
static int parse_spec(struct xrdma_wire_socket *socket, const char *spec)
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

/* Return: false if the frame must wait. */
static bool try_send(struct xrdma_wire *wire, const struct xrdma_frame *frame)
{
	struct xrdma_wire_socket *s = &wire->socket;

	if (sendto(s->watch.fd, frame->data, frame->len, MSG_DONTWAIT,
		   (struct sockaddr *)&s->remote, sizeof(s->remote)) >= 0)
		return true;
	if (errno == EAGAIN || errno == EWOULDBLOCK)
		return false;
	s->lost++;
	return true;
}

static void send_backlog(struct xrdma_wire *wire)
{
	struct xrdma_wire_socket *s = &wire->socket;

	while (s->backlog.head && try_send(wire, s->backlog.head))
		xrdma_frame_put(&wire->pool, xrdma_frameq_pop(&s->backlog));
	if (!s->backlog.head)
		xrdma_loop_rewatch(wire->dev->params.loop, &s->watch, EPOLLIN);
}

/* Return: false if nothing was there. */
static bool receive(struct xrdma_wire *wire)
{
	struct xrdma_frame *frame = xrdma_frame_get(&wire->pool);
	ssize_t len;

	if (!frame)
		return false;
	len = recv(wire->socket.watch.fd, frame->data, sizeof(frame->data),
		   MSG_DONTWAIT | MSG_TRUNC);
	if (len > 0 && len <= XRDMA_FRAME_MAX) {
		frame->len = len;
		xrdma_wire_arrived(wire, frame);
		return true;
	}
	if (len > 0)
		wire->socket.oversized++;
	xrdma_frame_put(&wire->pool, frame);
	return len >= 0;
}

static void socket_ready(void *opaque, u32 events)
{
	struct xrdma_wire *wire = opaque;
	unsigned int burst = BURST;

	if (events & EPOLLOUT)
		send_backlog(wire);
	while (burst-- && wire->arrived.count < XRDMA_WIRE_FRAMES / 2 &&
	       receive(wire))
		;
}

static int open_socket(struct xrdma_wire *wire)
{
	struct xrdma_wire_socket *s = &wire->socket;
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
	s->watch.opaque = wire;
	return xrdma_loop_watch(wire->dev->params.loop, &s->watch, EPOLLIN);
}

/**
 * xrdma_wire_open() - connect the wire to a far end
 * @dev: the device; its wire has no far end
 * @spec: "local=PATH,remote=PATH"; a file at the local path is removed
 *
 * Return: 0 or a negative errno.
 */
int xrdma_wire_open(struct xrdma_device *dev, const char *spec)
{
	struct xrdma_wire *wire = dev->wire;
	int err;

	err = parse_spec(&wire->socket, spec);
	if (err)
		return err;
	err = open_socket(wire);
	if (err && wire->socket.watch.fd >= 0)
		close(wire->socket.watch.fd);
	wire->socket.open = !err;
	return err;
}

/**
 * xrdma_wire_close() - take the far end away
 * @wire: the wire; frames that wait are lost
 */
void xrdma_wire_close(struct xrdma_wire *wire)
{
	struct xrdma_wire_socket *s = &wire->socket;
	struct xrdma_frame *frame;

	if (!s->open)
		return;
	s->open = false;
	while ((frame = xrdma_frameq_pop(&s->backlog)) != NULL)
		xrdma_frame_put(&wire->pool, frame);
	xrdma_loop_unwatch(wire->dev->params.loop, &s->watch);
	close(s->watch.fd);
	unlink(s->local.sun_path);
}

/**
 * xrdma_socket_send() - send a frame to the far end
 * @wire: the wire; its socket is open
 * @frame: the frame; no longer the caller's
 */
void xrdma_socket_send(struct xrdma_wire *wire, struct xrdma_frame *frame)
{
	struct xrdma_wire_socket *s = &wire->socket;

	if (!s->backlog.head && try_send(wire, frame)) {
		xrdma_frame_put(&wire->pool, frame);
		return;
	}
	if (s->backlog.count >= XRDMA_SOCKET_BACKLOG) {
		s->lost++;
		xrdma_frame_put(&wire->pool, frame);
		return;
	}
	if (!s->backlog.head)
		xrdma_loop_rewatch(wire->dev->params.loop, &s->watch,
				   EPOLLIN | EPOLLOUT);
	xrdma_frameq_push(&s->backlog, frame);
}

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The connection to the far end of the wire. The kinds of far ends are in
 * wire_dgram.c, wire_tap.c and wire_packet.c; the routing of frames is in
 * wire/wire.c.
 */

#include <errno.h>
#include <linux/array_size.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/log.h"
#include "wire/wire_socket.h"

#define BURST		64

static const struct model_wire_kind * const kinds[] = {
	&model_wire_unix,
	&model_wire_tap,
	&model_wire_packet,
	&model_wire_udp,
};

static int refuse_word(struct model_why *why, int len, const char *word)
{
	char known[160] = "";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		snprintf(known + strlen(known), sizeof(known) - strlen(known),
			 "%s%s", i ? "; " : "", kinds[i]->grammar);
	return model_why(why, -EINVAL, "unknown word '%.*s'; known: %s", len,
			 word, known);
}

/* Return: the kind that has the first word of @spec, or NULL. */
static const struct model_wire_kind *find_kind(const char *spec, size_t len)
{
	const char * const *word;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		for (word = kinds[i]->words; *word; word++)
			if (strlen(*word) == len && !strncmp(*word, spec, len))
				return kinds[i];
	return NULL;
}

/* Warn once, until another error occurs or a frame was sent. */
static void warn(struct model_wire_socket *s, int err)
{
	if (s->end.ifindex && s->warned != err)
		model_warn("wire: %s takes no frame: %s", s->end.name,
			   strerror(-err));
	s->warned = err;
}

/* Return: false if the far end has no room, so the frame must wait. */
static bool try_send(struct model_wire_socket *s,
		     const struct model_frame *frame)
{
	int err = s->kind->send(&s->end, frame);

	if (err == -EAGAIN)
		return false;
	if (err) {
		s->lost++;
		warn(s, err);
	} else {
		s->warned = 0;
	}
	return true;
}

static bool has_out(const struct model_wire_socket *s)
{
	return s->end.out != s->end.fd;
}

/* Wait for received frames unless @deaf, and for room if @sends. */
static void rewatch(struct model_wire_socket *s, bool sends)
{
	model_loop_rewatch(s->loop, &s->watch,
			   (s->deaf ? 0 : EPOLLIN) |
			   (sends && !has_out(s) ? EPOLLOUT : 0));
}

/* Return: 0 or a negative errno. */
static int wait_for_room(struct model_wire_socket *s)
{
	if (has_out(s))
		return model_loop_watch(s->loop, &s->out_watch, EPOLLOUT);
	rewatch(s, true);
	return 0;
}

static void wait_no_more(struct model_wire_socket *s)
{
	if (has_out(s))
		model_loop_unwatch(s->loop, &s->out_watch);
	else
		rewatch(s, false);
}

static void send_backlog(struct model_wire_socket *s)
{
	if (!s->backlog.head)
		return;
	while (s->backlog.head && try_send(s, s->backlog.head))
		model_frame_put(s->pool, model_frameq_pop(&s->backlog));
	if (!s->backlog.head)
		wait_no_more(s);
}

static void out_ready(void *opaque, u32 events)
{
	(void)events;
	send_backlog(opaque);
}

/**
 * model_socket_drop() - drop the frames that wait for the far end
 * @s: the socket
 */
void model_socket_drop(struct model_wire_socket *s)
{
	struct model_frame *frame;

	if (!s->backlog.head)
		return;
	while ((frame = model_frameq_pop(&s->backlog)) != NULL)
		model_frame_put(s->pool, frame);
	if (!s->gone)
		wait_no_more(s);
}

/**
 * model_socket_listen() - receive frames again
 * @s: the socket, @deaf; the owner has room for frames
 */
void model_socket_listen(struct model_wire_socket *s)
{
	s->deaf = false;
	if (!s->gone)
		rewatch(s, s->backlog.head);
}

/* The kernel has removed the interface. Its descriptor stays ready for ever. */
static void lose_interface(struct model_wire_socket *s)
{
	if (s->gone)
		return;
	model_warn("wire: %s no longer exists", s->end.name);
	s->gone = true;
	model_loop_unwatch(s->loop, &s->watch);
	s->lost += s->backlog.count;
	model_socket_drop(s);
	s->link_changed(s->opaque);
}

/* Return: false if no frame has arrived or no frame buffer is free. */
static bool receive(struct model_wire_socket *s)
{
	u64 oversized = s->end.oversized;
	struct model_frameq out = { 0 };
	struct model_frame *frame;
	int err = s->kind->receive(&s->end, &out);

	while ((frame = model_frameq_pop(&out)) != NULL)
		s->arrived(s->opaque, frame);
	if (!oversized && s->end.oversized)
		model_warn("wire: a received frame was longer than %d bytes, and was dropped; the MTU of the far end must be at most %d",
			   MODEL_FRAME_MAX, MODEL_FRAME_MTU);
	if (err == -EBADFD && s->end.ifindex)
		lose_interface(s);
	return !err;
}

static void socket_ready(void *opaque, u32 events)
{
	struct model_wire_socket *s = opaque;
	unsigned int burst = BURST;

	if (events & EPOLLOUT)
		send_backlog(s);
	while (burst-- && s->room(s->opaque) && receive(s))
		;
	if (s->deaf || s->gone || s->room(s->opaque))
		return;
	s->deaf = true;
	rewatch(s, s->backlog.head);
}

static void netdev_changed(void *opaque)
{
	struct model_wire_socket *s = opaque;

	model_info("wire: %s is %s", s->end.name,
		   s->netdev.up ? "up" : "down");
	s->link_changed(s->opaque);
}

static int start_netdev(struct model_wire_socket *s)
{
	if (!s->end.ifindex)
		return 0;
	s->netdev = (struct model_netdev) {
		.loop = s->loop,
		.ifindex = s->end.ifindex,
		.changed = netdev_changed,
		.opaque = s,
	};
	return model_netdev_open(&s->netdev);
}

static int start(struct model_wire_socket *s, struct model_why *why)
{
	int err = start_netdev(s);

	if (err)
		return model_why(why, err, "rtnetlink: %s", strerror(-err));
	s->watch.fd = s->end.fd;
	s->watch.fn = socket_ready;
	s->watch.opaque = s;
	s->out_watch.fd = s->end.out;
	s->out_watch.fn = out_ready;
	s->out_watch.opaque = s;
	err = model_loop_watch(s->loop, &s->watch, EPOLLIN);
	if (!err)
		return 0;
	if (s->end.ifindex)
		model_netdev_close(&s->netdev);
	return model_why(why, err, "%s", strerror(-err));
}

/* Close the descriptors, and free what model_wire_kind.open() has allocated. */
static void release(struct model_wire_socket *s)
{
	if (has_out(s))
		close(s->end.out);
	close(s->end.fd);
	if (s->end.local.addr.sun_family)
		model_unix_unbind(&s->end.local);
	free(s->end.buffer);
	s->end.buffer = NULL;
}

/**
 * model_socket_open() - open the connection to a far end
 * @s: the socket, not open
 * @spec: specification that one of the kinds takes
 * @why: reason of a failure
 *
 * Return: 0 or a negative errno.
 */
int model_socket_open(struct model_wire_socket *s, const char *spec,
		      struct model_why *why)
{
	size_t len = strcspn(spec, "=");
	int err;

	s->kind = spec[len] ? find_kind(spec, len) : NULL;
	if (!s->kind)
		return refuse_word(why, len, spec);
	s->end = (struct model_wire_end) {
		.fd = -1,
		.out = -1,
		.pool = s->pool,
		.oversized = s->end.oversized,
	};
	s->gone = false;
	s->deaf = false;
	s->warned = 0;
	err = s->kind->open(&s->end, spec, why);
	if (err)
		return err;
	err = start(s, why);
	if (err)
		release(s);
	s->open = !err;
	return err;
}

/**
 * model_socket_close() - close the connection
 * @s: the socket; frames that wait for the far end are lost
 */
void model_socket_close(struct model_wire_socket *s)
{
	if (!s->open)
		return;
	s->open = false;
	model_socket_drop(s);
	if (s->end.ifindex)
		model_netdev_close(&s->netdev);
	if (!s->gone)
		model_loop_unwatch(s->loop, &s->watch);
	release(s);
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
	if (s->gone || s->backlog.count >= MODEL_SOCKET_BACKLOG ||
	    (!s->backlog.head && wait_for_room(s))) {
		s->lost++;
		model_frame_put(s->pool, frame);
		return;
	}
	model_frameq_push(&s->backlog, frame);
}

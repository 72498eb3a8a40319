/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The connection to the far end of the wire: watches its descriptor and its
 * link, and queues frames while the far end has no room. What a far end can be
 * is in wire/wire_kind.h; the wire itself is in wire/wire.c.
 */
#ifndef MODEL_WIRE_SOCKET_H
#define MODEL_WIRE_SOCKET_H

#include <linux/types.h>
#include <stdbool.h>

#include "base/loop.h"
#include "wire/frame.h"
#include "wire/netdev.h"
#include "wire/wire_kind.h"

/*
 * Largest number of frames that wait for the far end; further frames are lost.
 */
#define MODEL_SOCKET_BACKLOG	2048

/**
 * struct model_wire_socket - the connection
 * @loop: loop that watches the descriptor; set by the owner, like the next five
 *	fields
 * @pool: pool for received frames, and of frames that have been sent
 * @room: return true if the socket may receive one more frame
 * @arrived: called for a frame from the far end, which the owner owns from now
 *	on
 * @link_changed: called when the result of model_socket_link() has changed
 * @opaque: first argument of @room, @arrived and @link_changed
 * @open: the far end is open
 * @gone: the network interface of the far end no longer exists
 * @kind: kind of the far end, if @open
 * @end: the far end, if @open
 * @netdev: the network interface of the far end, if it has one
 * @watch: descriptor of the far end in the loop
 * @out_watch: model_wire_end.out in the loop while frames wait; unused if it is the
 *	descriptor of @watch
 * @deaf: there was no room for received frames, so @watch does not wait for them
 * @backlog: frames that wait until the far end has room
 * @lost: number of frames lost because the far end did not exist, was too slow
 *	or refused them
 * @warned: the last error about which the log has a warning, or 0
 */
struct model_wire_socket {
	struct model_loop *loop;
	struct model_frame_pool *pool;
	bool (*room)(void *opaque);
	void (*arrived)(void *opaque, struct model_frame *frame);
	void (*link_changed)(void *opaque);
	void *opaque;
	bool open;
	bool gone;
	const struct model_wire_kind *kind;
	struct model_wire_end end;
	struct model_netdev netdev;
	struct model_watch watch;
	struct model_watch out_watch;
	bool deaf;
	struct model_frameq backlog;
	u64 lost;
	int warned;
};

int model_socket_open(struct model_wire_socket *s, const char *spec,
		      struct model_why *why);
void model_socket_close(struct model_wire_socket *s);
void model_socket_send(struct model_wire_socket *s, struct model_frame *frame);
void model_socket_listen(struct model_wire_socket *s);
void model_socket_drop(struct model_wire_socket *s);

/**
 * model_socket_link() - check whether the far end can be reached
 * @s: the socket
 *
 * Return: false if the network interface of the far end is down, has no carrier
 * or no longer exists.
 */
static inline bool model_socket_link(const struct model_wire_socket *s)
{
	return !s->open || !s->end.ifindex || (s->netdev.up && !s->gone);
}

#endif /* MODEL_WIRE_SOCKET_H */

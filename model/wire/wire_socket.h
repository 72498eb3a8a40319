/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The socket to the far end of the wire: a Unix datagram socket. Each datagram
 * is one Ethernet frame, as in QEMU's "-netdev dgram" with Unix addresses. The
 * wire itself is in wire/wire.c.
 */
#ifndef MODEL_WIRE_SOCKET_H
#define MODEL_WIRE_SOCKET_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/un.h>

#include "base/loop.h"
#include "wire/frame.h"

/*
 * Largest number of frames that wait for the far end; further frames are lost.
 */
#define MODEL_SOCKET_BACKLOG	256

/**
 * struct model_wire_socket - the socket
 * @loop: loop that watches the socket; set by the owner, like the next four
 *	fields
 * @pool: pool for received frames, and of frames that have been sent
 * @room: return true if the socket may receive one more frame
 * @arrived: called for a frame from the far end, which the owner owns from now
 *	on
 * @opaque: first argument of @room and @arrived
 * @open: the socket is open
 * @watch: descriptor of the socket in the loop
 * @local: address to which the socket is bound; the file is removed when the
 *	socket is closed
 * @remote: address of the far end; a socket need not exist there
 * @backlog: frames that wait until the far end has room
 * @lost: number of frames lost because the far end did not exist or was too
 *	slow
 * @oversized: number of received frames dropped because they were longer than
 *	MODEL_FRAME_MAX
 */
struct model_wire_socket {
	struct model_loop *loop;
	struct model_frame_pool *pool;
	bool (*room)(void *opaque);
	void (*arrived)(void *opaque, struct model_frame *frame);
	void *opaque;
	bool open;
	struct model_watch watch;
	struct sockaddr_un local;
	struct sockaddr_un remote;
	struct model_frameq backlog;
	u64 lost;
	u64 oversized;
};

int model_socket_open(struct model_wire_socket *s, const char *spec);
void model_socket_close(struct model_wire_socket *s);
void model_socket_send(struct model_wire_socket *s, struct model_frame *frame);

#endif /* MODEL_WIRE_SOCKET_H */

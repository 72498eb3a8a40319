/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The far end of the wire: a Unix datagram socket, each datagram one Ethernet
 * frame, as QEMU's "-netdev dgram" with Unix addresses has it.
 */
#ifndef MODEL_WIRE_SOCKET_H
#define MODEL_WIRE_SOCKET_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/un.h>

#include "base/loop.h"
#include "wire/frame.h"

/* Frames that wait while the other end is slow; more are lost. */
#define MODEL_SOCKET_BACKLOG	256

/**
 * struct model_wire_socket - the socket
 * @loop: watches it; this and the next four are set by the owner
 * @pool: where frames come from, and go to when they have been sent
 * @room: may one more frame arrive?
 * @arrived: a frame has come from the far end; it is the owner's from now on
 * @opaque: first argument of @room and @arrived
 * @open: it is in use
 * @watch: its descriptor in the loop
 * @local: address it is bound to, removed when it is closed
 * @remote: address of the other end, which may come and go
 * @backlog: frames that wait for room
 * @lost: frames lost, as the other end is not there or too slow
 * @oversized: frames received that were too long, and lost
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

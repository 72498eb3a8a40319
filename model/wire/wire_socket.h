/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The far end of the wire: a Unix datagram socket, each datagram one Ethernet
 * frame, as QEMU's "-netdev dgram" with Unix addresses has it.
 */
#ifndef XRDMA_MODEL_WIRE_SOCKET_H
#define XRDMA_MODEL_WIRE_SOCKET_H

#include <linux/types.h>
#include <sys/un.h>

#include "base/loop.h"
#include "wire/frame.h"

struct xrdma_wire;

/* Frames that wait while the other end is slow; more are lost. */
#define XRDMA_SOCKET_BACKLOG	256

/**
 * struct xrdma_wire_socket - the socket
 * @open: it is in use
 * @watch: its descriptor in the loop
 * @local: address it is bound to, removed when it is closed
 * @remote: address of the other end, which may come and go
 * @backlog: frames that wait for room
 * @lost: frames lost, as the other end is not there or too slow
 * @oversized: frames received that were too long, and lost
 */
struct xrdma_wire_socket {
	bool open;
	struct xrdma_watch watch;
	struct sockaddr_un local;
	struct sockaddr_un remote;
	struct xrdma_frameq backlog;
	u64 lost;
	u64 oversized;
};

int xrdma_wire_open(struct xrdma_device *dev, const char *spec);
void xrdma_wire_close(struct xrdma_wire *wire);
void xrdma_socket_send(struct xrdma_wire *wire, struct xrdma_frame *frame);

#endif /* XRDMA_MODEL_WIRE_SOCKET_H */

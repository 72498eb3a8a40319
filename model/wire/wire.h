/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The wire: where frames go and where they come from. A frame to one of the
 * owner's addresses comes back to the owner; all others leave through a socket,
 * if there is one. Both ways lead through the impairments. A capture shows what
 * the owner sends before them, and what the owner receives after them.
 *
 * Owns the frame buffers. Of a frame, the wire looks at the Ethernet header only;
 * what a received frame means is left to transport/rx.c.
 */
#ifndef XRDMA_MODEL_WIRE_H
#define XRDMA_MODEL_WIRE_H

#include <linux/types.h>

#include "base/loop.h"
#include "packet/net.h"
#include "wire/capture.h"
#include "wire/frame.h"
#include "wire/hold.h"
#include "wire/impair.h"
#include "wire/wire_socket.h"

struct xrdma_control;

/* Frame buffers of a device. */
#define XRDMA_WIRE_FRAMES	2048
/* Left to answers when requesters have taken the rest. */
#define XRDMA_WIRE_RESERVE	512
/* Frames on the way to ourselves at which requesters pause. */
#define XRDMA_WIRE_QUEUE	96
/* Frames handled in one turn, and answers sent. */
#define XRDMA_WIRE_BUDGET	128

/**
 * struct xrdma_wire_ops - what a wire asks of its owner
 * @is_local: do frames to this MAC address come back to the owner?
 * @receive: handle a frame of which nothing is known
 * @cable_changed: xrdma_wire.cable has changed
 */
struct xrdma_wire_ops {
	bool (*is_local)(void *opaque, const u8 *mac);
	void (*receive)(void *opaque, const u8 *frame, u32 len);
	void (*cable_changed)(void *opaque);
};

/**
 * struct xrdma_wire - a wire
 * @loop: gives the time
 * @ops: its owner
 * @opaque: first argument of @ops
 * @pool: frame buffers
 * @arrived: frames to be handled
 * @hold: those that a test wants to be handled later
 * @tx: impairments of frames that we send
 * @rx: impairments of frames that come from the socket
 * @capture: of frames sent and received
 * @timer: when impairments let the next frame go
 * @socket: to the other end
 * @cable: the cable is plugged in
 * @port_up: the owner wants to send; set by the owner
 * @rx_frames: received frames by verdict, counted by the owner
 * @tx_frames: frames sent
 * @tx_down: frames not sent for want of a link
 * @tx_nowhere: frames lost as there is no socket
 * @tx_no_gid: packets not sent as the source GID is gone, counted by the owner
 */
struct xrdma_wire {
	struct xrdma_loop *loop;
	const struct xrdma_wire_ops *ops;
	void *opaque;
	struct xrdma_frame_pool pool;
	struct xrdma_frameq arrived;
	struct xrdma_hold hold;
	struct xrdma_impair tx;
	struct xrdma_impair rx;
	struct xrdma_capture capture;
	struct xrdma_timer timer;
	struct xrdma_wire_socket socket;
	bool cable;
	bool port_up;
	u64 rx_frames[XRDMA_RX_NUM];
	u64 tx_frames;
	u64 tx_down;
	u64 tx_nowhere;
	u64 tx_no_gid;
};

/* wire.c */
struct xrdma_wire *xrdma_wire_create(struct xrdma_loop *loop, u64 seed,
				     const struct xrdma_wire_ops *ops,
				     void *opaque);
void xrdma_wire_destroy(struct xrdma_wire *wire);
int xrdma_wire_open(struct xrdma_wire *wire, const char *spec);
void xrdma_wire_close(struct xrdma_wire *wire);
void xrdma_wire_reset(struct xrdma_wire *wire);
bool xrdma_wire_poll(struct xrdma_wire *wire);
struct xrdma_frame *xrdma_wire_frame(struct xrdma_wire *wire);
bool xrdma_wire_room(const struct xrdma_wire *wire);
void xrdma_wire_send(struct xrdma_wire *wire, struct xrdma_frame *frame);
void xrdma_wire_set_cable(struct xrdma_wire *wire, bool plugged);

/* wire_control.c */
int xrdma_wire_impair(struct xrdma_wire *wire, const char *direction,
		      const char *spec);
int xrdma_wire_add_control(struct xrdma_wire *wire,
			   struct xrdma_control *control);

#endif /* XRDMA_MODEL_WIRE_H */

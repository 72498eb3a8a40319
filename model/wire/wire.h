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
#ifndef MODEL_WIRE_H
#define MODEL_WIRE_H

#include <linux/types.h>

#include "base/loop.h"
#include "packet/net.h"
#include "wire/capture.h"
#include "wire/frame.h"
#include "wire/hold.h"
#include "wire/impair.h"
#include "wire/wire_socket.h"

struct model_control;

/* Frame buffers of a device. */
#define MODEL_WIRE_FRAMES	2048
/* Left to answers when requesters have taken the rest. */
#define MODEL_WIRE_RESERVE	512
/* Frames on the way to ourselves at which requesters pause. */
#define MODEL_WIRE_QUEUE	96
/* Frames handled in one turn, and answers sent. */
#define MODEL_WIRE_BUDGET	128

/**
 * struct model_wire_ops - what a wire asks of its owner
 * @is_local: do frames to this MAC address come back to the owner?
 * @receive: handle a frame of which nothing is known
 * @cable_changed: model_wire.cable has changed
 */
struct model_wire_ops {
	bool (*is_local)(void *opaque, const u8 *mac);
	void (*receive)(void *opaque, const u8 *frame, u32 len);
	void (*cable_changed)(void *opaque);
};

/**
 * struct model_wire - a wire
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
struct model_wire {
	struct model_loop *loop;
	const struct model_wire_ops *ops;
	void *opaque;
	struct model_frame_pool pool;
	struct model_frameq arrived;
	struct model_hold hold;
	struct model_impair tx;
	struct model_impair rx;
	struct model_capture capture;
	struct model_timer timer;
	struct model_wire_socket socket;
	bool cable;
	bool port_up;
	u64 rx_frames[MODEL_RX_NUM];
	u64 tx_frames;
	u64 tx_down;
	u64 tx_nowhere;
	u64 tx_no_gid;
};

/* wire.c */
struct model_wire *model_wire_create(struct model_loop *loop, u64 seed,
				     const struct model_wire_ops *ops,
				     void *opaque);
void model_wire_destroy(struct model_wire *wire);
int model_wire_open(struct model_wire *wire, const char *spec);
void model_wire_close(struct model_wire *wire);
void model_wire_reset(struct model_wire *wire);
bool model_wire_poll(struct model_wire *wire);
struct model_frame *model_wire_frame(struct model_wire *wire);
bool model_wire_room(const struct model_wire *wire);
void model_wire_send(struct model_wire *wire, struct model_frame *frame);
void model_wire_set_cable(struct model_wire *wire, bool plugged);

/* wire_control.c */
int model_wire_impair(struct model_wire *wire, const char *direction,
		      const char *spec);
int model_wire_add_control(struct model_wire *wire,
			   struct model_control *control);

#endif /* MODEL_WIRE_H */

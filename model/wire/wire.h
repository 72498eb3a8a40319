/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The wire sends and receives the frames of a device. A frame to one of the
 * owner's MAC addresses returns to the owner; other frames leave through a
 * socket, if it is open. Sent frames, and frames from the socket, are impaired.
 * A capture has sent frames before their impairment, and frames from the socket
 * after their impairment.
 *
 * The wire owns the frame buffers. Received frames are parsed in
 * transport/rx.c.
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
#include "wire/room.h"
#include "wire/wire_socket.h"

struct model_control;

/* Frame buffers of a device. */
#define MODEL_WIRE_FRAMES	4096
/*
 * Free frame buffers at which requesters pause; answers may use these buffers.
 */
#define MODEL_WIRE_RESERVE	512
/*
 * Frames that wait to be received, or to be sent to the far end, at which those who
 * send more of them pause.
 */
#define MODEL_WIRE_QUEUE	96
/* Largest number of frames handled, and of answers sent, in one turn. */
#define MODEL_WIRE_BUDGET	128

/**
 * struct model_wire_ops - functions of the owner of a wire
 * @is_local: return true if frames to this MAC address return to the owner
 * @ready: return false if a received frame has to wait, and all later frames
 *	behind it; model_wire_poll() asks again some time later
 * @receive: handle a received frame, which may have any contents;
 *	model_wire.taken_ns has its time
 * @burst_end: called after each burst of frames that were passed to @receive
 * @carrier_changed: called when the result of model_wire_carrier() may have
 *	changed
 */
struct model_wire_ops {
	bool (*is_local)(void *opaque, const u8 *mac);
	bool (*ready)(void *opaque, const u8 *frame, u32 len);
	void (*receive)(void *opaque, const u8 *frame, u32 len);
	void (*burst_end)(void *opaque);
	void (*carrier_changed)(void *opaque);
};

/**
 * struct model_wire - a wire
 * @loop: loop of the timer and of the time
 * @ops: functions of the owner
 * @opaque: first argument of @ops
 * @pool: frame buffers
 * @arrived: received frames that are not handled yet
 * @taken_ns: time at which the frame that the owner handles was taken from the
 *	wire
 * @hold: packets that a test holds back
 * @tx: impairments of frames that the owner sends
 * @rx: impairments of frames that arrive at the socket
 * @capture: capture of frames sent and received
 * @timer: fires when the next delayed or reordered frame is due
 * @retry: fires when the owner is to be asked again whether it is ready
 * @waiters: those who wait for room, by destination; used by the owner
 * @socket: socket to the far end
 * @cable: the cable is plugged in
 * @cable_timer: plugs the cable in again at @plug_ns
 * @plug_ns: time at which the cable is plugged in again; 0: no time is set
 * @port_up: the owner has set the port up; set by the owner
 * @rx_frames: number of received frames per verdict, counted by the owner
 * @tx_frames: number of frames sent
 * @tx_port_down: number of frames dropped because there was no carrier or the
 *	port was down
 * @tx_no_far_end: number of frames dropped because the socket was not open
 * @tx_no_gid: number of packets not sent because the source GID was removed,
 *	counted by the owner
 */
struct model_wire {
	struct model_loop *loop;
	const struct model_wire_ops *ops;
	void *opaque;
	struct model_frame_pool pool;
	struct model_frameq arrived;
	u64 taken_ns;
	struct model_hold hold;
	struct model_impair tx;
	struct model_impair rx;
	struct model_capture capture;
	struct model_timer timer;
	struct model_timer retry;
	struct model_room_list waiters[MODEL_DESTS];
	struct model_wire_socket socket;
	bool cable;
	struct model_timer cable_timer;
	u64 plug_ns;
	bool port_up;
	u64 rx_frames[MODEL_RX_NUM];
	u64 tx_frames;
	u64 tx_port_down;
	u64 tx_no_far_end;
	u64 tx_no_gid;
};

/**
 * model_wire_carrier() - check whether the wire can carry frames
 * @wire: the wire
 *
 * Return: false if the cable is unplugged, or the network interface at the far
 * end is down or gone.
 */
static inline bool model_wire_carrier(const struct model_wire *wire)
{
	return wire->cable && model_socket_link(&wire->socket);
}

/* wire.c */
struct model_wire *model_wire_create(struct model_loop *loop, u64 seed,
				     const struct model_wire_ops *ops,
				     void *opaque);
void model_wire_destroy(struct model_wire *wire);
int model_wire_open(struct model_wire *wire, const char *spec,
		    struct model_why *why);
void model_wire_close(struct model_wire *wire);
void model_wire_reset(struct model_wire *wire);
bool model_wire_poll(struct model_wire *wire);
struct model_frame *model_wire_frame(struct model_wire *wire);
enum model_dest model_wire_dest(const struct model_wire *wire, const u8 *mac);
u32 model_wire_room(const struct model_wire *wire, enum model_dest dest);
void model_wire_send(struct model_wire *wire, struct model_frame *frame);
void model_wire_set_cable(struct model_wire *wire, bool plugged);
int model_wire_unplug(struct model_wire *wire, u64 ns);

/* wire_control.c */
int model_wire_impair(struct model_wire *wire, const char *direction,
		      const char *spec, struct model_why *why);
int model_wire_add_control(struct model_wire *wire,
			   struct model_control *control);

#endif /* MODEL_WIRE_H */

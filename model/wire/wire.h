/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The wire: where frames go and where they come from. A frame to one of our
 * own addresses comes back to us; all others leave through a socket, if there
 * is one. Both ways lead through the impairments. A capture shows what the
 * device sends before them, and what it receives after them.
 *
 * Owns the frame buffers. Knows nothing of what is in a frame but its
 * Ethernet header.
 */
#ifndef XRDMA_MODEL_WIRE_H
#define XRDMA_MODEL_WIRE_H

#include <linux/types.h>

#include "base/loop.h"
#include "core/qp.h"
#include "packet/net.h"
#include "wire/capture.h"
#include "wire/frame.h"
#include "wire/hold.h"
#include "wire/impair.h"
#include "wire/wire_socket.h"

struct xrdma_control;
struct xrdma_device;

/* Frame buffers of a device. */
#define XRDMA_WIRE_FRAMES	2048
/* Left to answers when requesters have taken the rest. */
#define XRDMA_WIRE_RESERVE	512
/* Frames on the way to ourselves at which requesters pause. */
#define XRDMA_WIRE_QUEUE	96
/* Frames handled and answers sent in one turn. */
#define XRDMA_WIRE_BUDGET	128
/* Entries that a queue pair without a connection sends in one turn. */
#define XRDMA_WIRE_SENDS	64

/**
 * struct xrdma_wire - the wire engine of a device
 * @dev: the device
 * @pool: frame buffers
 * @arrived: frames to be handled
 * @hold: those that a test wants to be handled later
 * @tx: impairments of frames that we send
 * @rx: impairments of frames that come from the socket
 * @capture: of frames sent and received
 * @timer: when impairments let the next frame go
 * @socket: to the other end
 * @cable: the cable is plugged in
 * @answering: queue pairs with answers to send
 * @rx_frames: received frames by verdict
 * @tx_frames: frames sent
 * @tx_down: frames not sent for want of a link
 * @tx_nowhere: frames lost as there is no socket
 * @tx_no_gid: packets not sent as the source GID is gone
 * @wqe: scratch: the send queue entry being worked on
 */
struct xrdma_wire {
	struct xrdma_device *dev;
	struct xrdma_frame_pool pool;
	struct xrdma_frameq arrived;
	struct xrdma_hold hold;
	struct xrdma_impair tx;
	struct xrdma_impair rx;
	struct xrdma_capture capture;
	struct xrdma_timer timer;
	struct xrdma_wire_socket socket;
	bool cable;
	struct xrdma_qp_list answering;
	u64 rx_frames[XRDMA_RX_NUM];
	u64 tx_frames;
	u64 tx_down;
	u64 tx_nowhere;
	u64 tx_no_gid;
	u8 wqe[XRDMA_WQE_MAX] __attribute__((aligned(8)));
};

/* wire.c; xrdma_wire_init() and so on are in device.h */
struct xrdma_frame *xrdma_wire_frame(struct xrdma_device *dev);
bool xrdma_wire_room(const struct xrdma_device *dev);
bool xrdma_wire_run_sends(struct xrdma_qp *qp,
			  bool (*send_one)(struct xrdma_qp *qp));
void xrdma_wire_send(struct xrdma_device *dev, struct xrdma_frame *frame);
void xrdma_wire_arrived(struct xrdma_wire *wire, struct xrdma_frame *frame);
void xrdma_wire_answer(struct xrdma_qp *qp);
void xrdma_wire_no_answer(struct xrdma_qp *qp);
void xrdma_wire_set_cable(struct xrdma_device *dev, bool plugged);
bool xrdma_wire_is_local(const struct xrdma_device *dev, const u8 *mac);

/* wire_control.c */
int xrdma_wire_impair(struct xrdma_device *dev, const char *direction,
		      const char *spec);
int xrdma_wire_add_control(struct xrdma_device *dev,
			   struct xrdma_control *control);

#endif /* XRDMA_MODEL_WIRE_H */

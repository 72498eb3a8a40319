// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The wire: routing of frames, buffers, the turn of the wire engine.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/device.h"
#include "transport/answer.h"
#include "transport/rx.h"
#include "wire/wire.h"

static void timer_fired(void *opaque);

/**
 * xrdma_wire_init() - make the wire engine of a device
 * @dev: the device; its wire is set
 *
 * The wire has no far end until xrdma_wire_open().
 *
 * Return: 0 or -ENOMEM.
 */
int xrdma_wire_init(struct xrdma_device *dev)
{
	struct xrdma_wire *wire = calloc(1, sizeof(*wire));

	if (!wire)
		return -ENOMEM;
	if (xrdma_frame_pool_init(&wire->pool, XRDMA_WIRE_FRAMES)) {
		free(wire);
		return -ENOMEM;
	}
	wire->dev = dev;
	wire->cable = true;
	wire->tx.rng = dev->params.seed;
	wire->rx.rng = ~dev->params.seed;
	wire->timer.fn = timer_fired;
	wire->timer.opaque = wire;
	TAILQ_INIT(&wire->answering);
	dev->wire = wire;
	return 0;
}

/**
 * xrdma_wire_destroy() - free the wire engine
 * @dev: the device; there are no queue pairs any more
 */
void xrdma_wire_destroy(struct xrdma_device *dev)
{
	struct xrdma_wire *wire = dev->wire;

	xrdma_timer_cancel(dev->params.loop, &wire->timer);
	xrdma_wire_close(wire);
	xrdma_capture_close(&wire->capture);
	xrdma_frame_pool_fini(&wire->pool);
	free(wire);
	dev->wire = NULL;
}

static void drop_all(struct xrdma_wire *wire, struct xrdma_frameq *queue)
{
	struct xrdma_frame *frame;

	while ((frame = xrdma_frameq_pop(queue)) != NULL)
		xrdma_frame_put(&wire->pool, frame);
}

/**
 * xrdma_wire_reset() - forget all frames in flight
 * @dev: the device; queue pairs have been stopped
 */
void xrdma_wire_reset(struct xrdma_device *dev)
{
	struct xrdma_wire *wire = dev->wire;

	xrdma_timer_cancel(dev->params.loop, &wire->timer);
	drop_all(wire, &wire->arrived);
	drop_all(wire, &wire->hold.frames);
	wire->hold.num = 0;
	drop_all(wire, &wire->socket.backlog);
	xrdma_impair_flush(&wire->tx, &wire->pool);
	xrdma_impair_flush(&wire->rx, &wire->pool);
}

/**
 * xrdma_wire_carrier() - is there a link?
 * @dev: the device
 *
 * Return: true if the cable is plugged in; a device without a far end has a
 * link too, to itself.
 */
bool xrdma_wire_carrier(const struct xrdma_device *dev)
{
	return dev->wire->cable;
}

/**
 * xrdma_wire_set_cable() - plug the cable in or out
 * @dev: the device
 * @plugged: whether there is a link from now on
 */
void xrdma_wire_set_cable(struct xrdma_device *dev, bool plugged)
{
	if (dev->wire->cable == plugged)
		return;
	dev->wire->cable = plugged;
	xrdma_port_link_changed(dev);
}

/**
 * xrdma_wire_port_changed() - the port has new flags, MTU or MAC
 * @dev: the device
 *
 * All of them are looked at with each frame, so there is nothing to do.
 */
void xrdma_wire_port_changed(struct xrdma_device *dev)
{
	(void)dev;
}

/**
 * xrdma_wire_frame() - a buffer for a frame to be sent
 * @dev: the device
 *
 * Return: the frame, to be given to xrdma_wire_send(); NULL if there is none.
 */
struct xrdma_frame *xrdma_wire_frame(struct xrdma_device *dev)
{
	return xrdma_frame_get(&dev->wire->pool);
}

/**
 * xrdma_wire_room() - may a requester send one more frame?
 * @dev: the device
 *
 * Return: false while frames that are on their way should be handled first.
 */
bool xrdma_wire_room(const struct xrdma_device *dev)
{
	const struct xrdma_wire *wire = dev->wire;

	return wire->arrived.count < XRDMA_WIRE_QUEUE &&
	       wire->socket.backlog.count < XRDMA_WIRE_QUEUE &&
	       wire->pool.available > XRDMA_WIRE_RESERVE;
}

/**
 * xrdma_wire_run_sends() - send what is posted, where nothing is acknowledged
 * @qp: a queue pair without a connection
 * @send_one: sends its next entry; false if it is not to go on
 *
 * Return: true if there was work, or it waits for room: nobody would wake it.
 */
bool xrdma_wire_run_sends(struct xrdma_qp *qp,
			  bool (*send_one)(struct xrdma_qp *qp))
{
	unsigned int budget = XRDMA_WIRE_SENDS;
	u32 first = qp->req.next;

	while (budget-- && qp->state == XRDMA_QPS_RTS &&
	       qp->req.next != qp->sq.pi)
		if (!xrdma_wire_room(qp->dev) || !send_one(qp))
			return true;
	return qp->req.next != first;
}

/**
 * xrdma_wire_is_local() - is a MAC address one of ours?
 * @dev: the device
 * @mac: six bytes
 *
 * Return: true for that of the port and those of the GID table.
 */
bool xrdma_wire_is_local(const struct xrdma_device *dev, const u8 *mac)
{
	u32 i;

	if (!memcmp(mac, dev->port.mac, sizeof(dev->port.mac)))
		return true;
	for (i = 0; i < XRDMA_MAX_GID; i++)
		if (dev->gids[i].flags & XRDMA_GID_VALID &&
		    !memcmp(mac, dev->gids[i].mac, sizeof(dev->gids[i].mac)))
			return true;
	return false;
}

static void route(struct xrdma_wire *wire, struct xrdma_frame *frame)
{
	if (xrdma_wire_is_local(wire->dev, frame->data)) {
		xrdma_frameq_push(&wire->arrived, frame);
	} else if (wire->socket.open) {
		xrdma_socket_send(wire, frame);
	} else {
		wire->tx_nowhere++;
		xrdma_frame_put(&wire->pool, frame);
	}
}

static void route_all(struct xrdma_wire *wire, struct xrdma_frameq *queue)
{
	struct xrdma_frame *frame;

	while ((frame = xrdma_frameq_pop(queue)) != NULL)
		route(wire, frame);
}

static void arrive(struct xrdma_wire *wire, struct xrdma_frame *frame)
{
	xrdma_capture_frame(&wire->capture, frame->data, frame->len);
	xrdma_frameq_push(&wire->arrived, frame);
}

static void arrive_all(struct xrdma_wire *wire, struct xrdma_frameq *queue)
{
	struct xrdma_frame *frame;

	while ((frame = xrdma_frameq_pop(queue)) != NULL)
		arrive(wire, frame);
}

static void arm_timer(struct xrdma_wire *wire)
{
	u64 next_ns = xrdma_impair_next_ns(&wire->tx);
	u64 rx_ns = xrdma_impair_next_ns(&wire->rx);

	if (rx_ns < next_ns)
		next_ns = rx_ns;
	if (next_ns != UINT64_MAX)
		xrdma_timer_arm(wire->dev->params.loop, &wire->timer, next_ns);
}

static void timer_fired(void *opaque)
{
	struct xrdma_wire *wire = opaque;
	u64 now_ns = xrdma_loop_now(wire->dev->params.loop);
	struct xrdma_frameq out = { 0 };

	xrdma_impair_due(&wire->tx, now_ns, &out);
	route_all(wire, &out);
	xrdma_impair_due(&wire->rx, now_ns, &out);
	arrive_all(wire, &out);
	arm_timer(wire);
}

static bool may_send(const struct xrdma_wire *wire)
{
	return wire->cable && wire->dev->port.flags & XRDMA_PORT_UP;
}

/**
 * xrdma_wire_send() - send a frame
 * @dev: the device
 * @frame: from xrdma_wire_frame(); no longer the caller's
 */
void xrdma_wire_send(struct xrdma_device *dev, struct xrdma_frame *frame)
{
	struct xrdma_wire *wire = dev->wire;
	struct xrdma_frameq out = { 0 };

	if (!may_send(wire)) {
		wire->tx_down++;
		xrdma_frame_put(&wire->pool, frame);
		return;
	}
	wire->tx_frames++;
	xrdma_capture_frame(&wire->capture, frame->data, frame->len);
	if (!wire->tx.on) {
		route(wire, frame);
		return;
	}
	xrdma_impair_frame(&wire->tx, &wire->pool, frame,
			   xrdma_loop_now(dev->params.loop), &out);
	route_all(wire, &out);
	arm_timer(wire);
}

/**
 * xrdma_wire_arrived() - a frame came from the far end
 * @wire: the wire
 * @frame: the frame; no longer the caller's
 */
void xrdma_wire_arrived(struct xrdma_wire *wire, struct xrdma_frame *frame)
{
	struct xrdma_frameq out = { 0 };

	if (!wire->rx.on) {
		arrive(wire, frame);
		return;
	}
	xrdma_impair_frame(&wire->rx, &wire->pool, frame,
			   xrdma_loop_now(wire->dev->params.loop), &out);
	arrive_all(wire, &out);
	arm_timer(wire);
}

/**
 * xrdma_wire_answer() - a queue pair has answers to send
 * @qp: the queue pair
 */
void xrdma_wire_answer(struct xrdma_qp *qp)
{
	if (qp->resp.queued)
		return;
	qp->resp.queued = true;
	TAILQ_INSERT_TAIL(&qp->dev->wire->answering, qp, resp.link);
}

/**
 * xrdma_wire_no_answer() - a queue pair has no answers to send
 * @qp: the queue pair
 */
void xrdma_wire_no_answer(struct xrdma_qp *qp)
{
	if (!qp->resp.queued)
		return;
	qp->resp.queued = false;
	TAILQ_REMOVE(&qp->dev->wire->answering, qp, resp.link);
}

/* Each queue pair in turn sends some of its answers, until none can. */
static bool send_answers(struct xrdma_wire *wire)
{
	u32 budget = XRDMA_WIRE_BUDGET;
	struct xrdma_qp *qp;
	u32 sent;
	bool any = false;

	while (budget && (qp = TAILQ_FIRST(&wire->answering)) != NULL) {
		xrdma_wire_no_answer(qp);
		sent = xrdma_answer_some(qp, budget);
		if (!sent && qp->resp.queued)
			break;
		any |= sent;
		budget -= sent < budget ? sent : budget;
	}
	return any;
}

/**
 * xrdma_wire_poll() - a turn of the wire engine
 * @dev: the device
 *
 * Return: true if there was anything to do.
 */
bool xrdma_wire_poll(struct xrdma_device *dev)
{
	struct xrdma_wire *wire = dev->wire;
	u32 budget = XRDMA_WIRE_BUDGET;
	struct xrdma_frame *frame;
	bool any = wire->arrived.head;

	while (budget-- && (frame = xrdma_frameq_pop(&wire->arrived))) {
		if (xrdma_hold_frame(&wire->hold, &wire->pool, frame))
			continue;
		xrdma_rx_frame(dev, frame->data, frame->len);
		xrdma_frame_put(&wire->pool, frame);
	}
	if (dev->live && !TAILQ_EMPTY(&wire->answering))
		any |= send_answers(wire);
	return any;
}

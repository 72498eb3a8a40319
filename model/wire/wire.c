// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The wire: routing of frames, and their buffers. The connection to the far end
 * is in wire_socket.c, impairments are in impair.c, the commands of the control
 * socket in wire_control.c. Received frames are parsed in transport/rx.c.
 */

#include <errno.h>
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "wire/wire.h"

/* Time after which the owner is asked again whether it is ready */
#define RETRY_NS	50000
/* Bytes of the shortest RoCE frame: Ethernet, IPv4, UDP, BTH, ICRC */
#define ROCE_MIN	(14 + 20 + 8 + 12 + 4)

static void timer_fired(void *opaque);
static void plug_in(void *opaque);
static void retry_fired(void *opaque);
static void arrived(void *opaque, struct model_frame *frame);
static void link_changed(void *opaque);

/*
 * Whether the socket may receive a frame: a buffer is free, and a half of the buffers
 * is left to sent frames
 */
static bool socket_room(void *opaque)
{
	const struct model_wire *wire = opaque;

	return wire->pool.available &&
	       wire->arrived.count < MODEL_WIRE_FRAMES / 2;
}

/**
 * model_wire_create() - make a wire
 * @loop: loop of the timer and of the socket
 * @seed: seed of the impairments
 * @ops: functions of the owner
 * @opaque: first argument of @ops
 *
 * The wire has no far end until model_wire_open(), and sends nothing until
 * model_wire.port_up is set.
 *
 * Return: the wire, or NULL without memory.
 */
struct model_wire *model_wire_create(struct model_loop *loop, u64 seed,
				     const struct model_wire_ops *ops,
				     void *opaque)
{
	struct model_wire *wire = calloc(1, sizeof(*wire));
	int i;

	if (!wire)
		return NULL;
	if (model_frame_pool_init(&wire->pool, MODEL_WIRE_FRAMES)) {
		free(wire);
		return NULL;
	}
	for (i = 0; i < MODEL_DESTS; i++)
		TAILQ_INIT(&wire->waiters[i]);
	wire->loop = loop;
	wire->ops = ops;
	wire->opaque = opaque;
	wire->cable = true;
	wire->tx.rng = seed;
	wire->rx.rng = ~seed;
	wire->timer.fn = timer_fired;
	wire->timer.opaque = wire;
	wire->cable_timer.fn = plug_in;
	wire->cable_timer.opaque = wire;
	wire->retry.fn = retry_fired;
	wire->socket.loop = loop;
	wire->socket.pool = &wire->pool;
	wire->socket.room = socket_room;
	wire->socket.arrived = arrived;
	wire->socket.link_changed = link_changed;
	wire->socket.opaque = wire;
	return wire;
}

/**
 * model_wire_open() - connect the wire to a far end
 * @wire: the wire, without a far end
 * @spec: "local=PATH,remote=PATH", "tap=NAME", "packet=INTERFACE" or
 *	"udp=ADDRESS:PORT,ADDRESS:PORT", where the first address and path are
 *	those of this end; a socket at the local path is replaced
 * @why: reason of a failure
 *
 * Return: 0 or a negative errno.
 */
int model_wire_open(struct model_wire *wire, const char *spec,
		    struct model_why *why)
{
	return model_socket_open(&wire->socket, spec, why);
}

/**
 * model_wire_close() - disconnect the wire from its far end
 * @wire: the wire; frames that wait for the far end are lost
 */
void model_wire_close(struct model_wire *wire)
{
	model_socket_close(&wire->socket);
}

/**
 * model_wire_destroy() - free a wire
 * @wire: the wire
 */
void model_wire_destroy(struct model_wire *wire)
{
	model_timer_cancel(wire->loop, &wire->timer);
	model_timer_cancel(wire->loop, &wire->cable_timer);
	model_timer_cancel(wire->loop, &wire->retry);
	model_wire_close(wire);
	model_capture_close(&wire->capture);
	model_frame_pool_fini(&wire->pool);
	free(wire);
}

static void drop_all(struct model_wire *wire, struct model_frameq *queue)
{
	struct model_frame *frame;

	while ((frame = model_frameq_pop(queue)) != NULL)
		model_frame_put(&wire->pool, frame);
}

/**
 * model_wire_reset() - drop all frames in flight, remove all hold rules, and
 * set the port down
 * @wire: the wire
 */
void model_wire_reset(struct model_wire *wire)
{
	wire->port_up = false;
	model_timer_cancel(wire->loop, &wire->timer);
	model_timer_cancel(wire->loop, &wire->retry);
	drop_all(wire, &wire->arrived);
	drop_all(wire, &wire->hold.frames);
	wire->hold.num = 0;
	model_socket_drop(&wire->socket);
	model_impair_flush(&wire->tx, &wire->pool);
	model_impair_flush(&wire->rx, &wire->pool);
}

/* The network interface of the far end was set up or down, or is gone. */
static void link_changed(void *opaque)
{
	struct model_wire *wire = opaque;

	wire->ops->carrier_changed(wire->opaque);
}

static void set_cable(struct model_wire *wire, bool plugged)
{
	wire->plug_ns = 0;
	if (wire->cable == plugged)
		return;
	wire->cable = plugged;
	wire->ops->carrier_changed(wire->opaque);
}

static void plug_in(void *opaque)
{
	set_cable(opaque, true);
}

/**
 * model_wire_set_cable() - plug or unplug the cable
 * @wire: the wire
 * @plugged: true to plug the cable; a wire without a far end has a cable too,
 *	which returns frames to the owner
 */
void model_wire_set_cable(struct model_wire *wire, bool plugged)
{
	model_timer_cancel(wire->loop, &wire->cable_timer);
	set_cable(wire, plugged);
}

/**
 * model_wire_unplug() - unplug the cable for a time
 * @wire: the wire
 * @ns: time after which the cable is plugged in again
 *
 * Return: 0; -EBUSY if the cable is unplugged; -ENOMEM.
 */
int model_wire_unplug(struct model_wire *wire, u64 ns)
{
	u64 plug_ns = model_loop_now(wire->loop) + ns;
	int err;

	if (!wire->cable)
		return -EBUSY;
	err = model_timer_arm(wire->loop, &wire->cable_timer, plug_ns);
	if (err)
		return err;
	set_cable(wire, false);
	wire->plug_ns = plug_ns;
	return 0;
}

/**
 * model_wire_frame() - take a buffer for a frame to be sent
 * @wire: the wire
 *
 * Return: the frame, which the caller passes to model_wire_send(); NULL if all
 * buffers are in use.
 */
struct model_frame *model_wire_frame(struct model_wire *wire)
{
	return model_frame_get(&wire->pool);
}

/**
 * model_wire_dest() - find out where a frame goes
 * @wire: the wire
 * @mac: destination address of the frame
 *
 * Return: the destination whose room the frame needs.
 */
enum model_dest model_wire_dest(const struct model_wire *wire, const u8 *mac)
{
	if (mac[0] & 1)
		return MODEL_DEST_BOTH;
	return wire->ops->is_local(wire->opaque, mac) ? MODEL_DEST_LOCAL :
							MODEL_DEST_FAR;
}

/* Return: number of frames that may be appended to @queue. */
static u32 queue_room(const struct model_frameq *queue)
{
	return queue->count < MODEL_WIRE_QUEUE ?
	       MODEL_WIRE_QUEUE - queue->count : 0;
}

/**
 * model_wire_room() - count the frames that may be sent now
 * @wire: the wire
 * @dest: their destination
 *
 * Return: 0 while too many frames wait to be received by @dest, or while too few
 * buffers are free.
 */
u32 model_wire_room(const struct model_wire *wire, enum model_dest dest)
{
	u32 near = queue_room(&wire->arrived);
	u32 far = queue_room(&wire->socket.backlog);

	if (wire->pool.available <= MODEL_WIRE_RESERVE)
		return 0;
	if (dest == MODEL_DEST_BOTH)
		return near < far ? near : far;
	return dest == MODEL_DEST_LOCAL ? near : far;
}

/* Return: true if a frame is RoCE in IPv4 or IPv6, without a VLAN tag. */
static bool is_roce(const struct model_frame *frame)
{
	const u8 *l3 = frame->data + ETH_HLEN;

	if (frame->len < ROCE_MIN)
		return false;
	switch (model_get16(frame->data + 2 * ETH_ALEN)) {
	case ETH_P_IP:
		return l3[0] == 0x45 && !(model_get16(l3 + 6) & 0x3fff) &&
		       l3[9] == IPPROTO_UDP &&
		       model_get16(l3 + 22) == MODEL_ROCE_UDP_PORT;
	case ETH_P_IPV6:
		return l3[6] == IPPROTO_UDP &&
		       model_get16(l3 + 42) == MODEL_ROCE_UDP_PORT;
	default:
		return false;
	}
}

/*
 * The frame is at this end of the wire: its time is now. Nothing uses the time of
 * a RoCE frame, so that of the turn, which costs less, is enough for it.
 */
static void take(struct model_wire *wire, struct model_frame *frame)
{
	frame->taken_ns = is_roce(frame) ? model_loop_now(wire->loop) :
					   model_loop_clock(wire->loop);
	model_frameq_push(&wire->arrived, frame);
}

static void route(struct model_wire *wire, struct model_frame *frame)
{
	if (wire->ops->is_local(wire->opaque, frame->data)) {
		take(wire, frame);
	} else if (wire->socket.open) {
		model_socket_send(&wire->socket, frame);
	} else {
		wire->tx_no_far_end++;
		model_frame_put(&wire->pool, frame);
	}
}

static void route_all(struct model_wire *wire, struct model_frameq *queue)
{
	struct model_frame *frame;

	while ((frame = model_frameq_pop(queue)) != NULL)
		route(wire, frame);
}

static void arrive(struct model_wire *wire, struct model_frame *frame)
{
	model_capture_frame(&wire->capture, frame->data, frame->len);
	take(wire, frame);
}

static void arrive_all(struct model_wire *wire, struct model_frameq *queue)
{
	struct model_frame *frame;

	while ((frame = model_frameq_pop(queue)) != NULL)
		arrive(wire, frame);
}

static void arm_timer(struct model_wire *wire)
{
	u64 next_ns = model_impair_next_ns(&wire->tx);
	u64 rx_ns = model_impair_next_ns(&wire->rx);

	if (rx_ns < next_ns)
		next_ns = rx_ns;
	if (next_ns != UINT64_MAX)
		model_timer_arm(wire->loop, &wire->timer, next_ns);
}

static void timer_fired(void *opaque)
{
	struct model_wire *wire = opaque;
	u64 now_ns = model_loop_now(wire->loop);
	struct model_frameq out = { 0 };

	model_impair_due(&wire->tx, now_ns, &out);
	route_all(wire, &out);
	model_impair_due(&wire->rx, now_ns, &out);
	arrive_all(wire, &out);
	arm_timer(wire);
}

static bool may_send(const struct model_wire *wire)
{
	return model_wire_carrier(wire) && wire->port_up;
}

/**
 * model_wire_send() - send a frame
 * @wire: the wire
 * @frame: frame from model_wire_frame(); the caller no longer owns it
 */
void model_wire_send(struct model_wire *wire, struct model_frame *frame)
{
	struct model_frameq out = { 0 };

	if (!may_send(wire)) {
		wire->tx_port_down++;
		model_frame_put(&wire->pool, frame);
		return;
	}
	wire->tx_frames++;
	model_capture_frame(&wire->capture, frame->data, frame->len);
	if (!wire->tx.on) {
		route(wire, frame);
		return;
	}
	model_impair_frame(&wire->tx, &wire->pool, frame,
			   model_loop_now(wire->loop), &out);
	route_all(wire, &out);
	arm_timer(wire);
}

/* Called for each frame that the socket receives from the far end. */
static void arrived(void *opaque, struct model_frame *frame)
{
	struct model_wire *wire = opaque;
	struct model_frameq out = { 0 };

	if (!wire->rx.on) {
		arrive(wire, frame);
		return;
	}
	model_impair_frame(&wire->rx, &wire->pool, frame,
			   model_loop_now(wire->loop), &out);
	arrive_all(wire, &out);
	arm_timer(wire);
}

/* The loop polls the device after each timer, and so asks the owner again. */
static void retry_fired(void *opaque)
{
	(void)opaque;
}

/* Return: false if the oldest frame has to wait. */
static bool owner_ready(struct model_wire *wire)
{
	const struct model_frame *frame = wire->arrived.head;

	if (wire->ops->ready(wire->opaque, frame->data, frame->len))
		return true;
	model_timer_arm(wire->loop, &wire->retry,
			model_loop_now(wire->loop) + RETRY_NS);
	return false;
}

/**
 * model_wire_poll() - pass frames that have arrived to the owner
 * @wire: the wire
 *
 * Return: true if the owner was passed at least one frame.
 */
bool model_wire_poll(struct model_wire *wire)
{
	u32 budget = MODEL_WIRE_BUDGET;
	struct model_frame *frame;
	bool any = false;

	while (budget-- && wire->arrived.head && owner_ready(wire)) {
		any = true;
		frame = model_frameq_pop(&wire->arrived);
		if (model_hold_frame(&wire->hold, &wire->pool, frame))
			continue;
		wire->taken_ns = frame->taken_ns;
		wire->ops->receive(wire->opaque, frame->data, frame->len);
		model_frame_put(&wire->pool, frame);
	}
	if (any)
		wire->ops->burst_end(wire->opaque);
	if (wire->socket.deaf && socket_room(wire))
		model_socket_listen(&wire->socket);
	return any;
}

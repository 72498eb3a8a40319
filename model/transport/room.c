// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Waiting for room on the wire; see room.h. requester.c, ud.c, eth_tx.c and
 * answer.c ask for room before each frame.
 */
#include "core/device.h"
#include "transport/room.h"
#include "wire/wire.h"

static struct model_wire *wire_of(const struct model_room_waiter *waiter)
{
	return waiter->qp->dev->wire;
}

static struct model_room_list *list_of(const struct model_room_waiter *waiter)
{
	return &wire_of(waiter)->waiters[waiter->dest];
}

/**
 * model_room_leave() - do not wait for room any more
 * @waiter: the waiter, on a list or not
 */
void model_room_leave(struct model_room_waiter *waiter)
{
	if (waiter->queued)
		TAILQ_REMOVE(list_of(waiter), waiter, link);
	waiter->queued = false;
	waiter->waits = false;
	waiter->used = false;
}

static void enqueue(struct model_room_waiter *waiter, enum model_dest dest)
{
	waiter->dest = dest;
	waiter->queued = true;
	TAILQ_INSERT_TAIL(list_of(waiter), waiter, link);
}

/* Whether anyone waits for room, or has to wait now. */
static bool crowded(const struct model_wire *wire)
{
	int i;

	for (i = 0; i < MODEL_DESTS; i++)
		if (!TAILQ_EMPTY(&wire->waiters[i]))
			return true;
	return !model_wire_room(wire, MODEL_DEST_BOTH);
}

/**
 * model_room_ask() - ask whether a frame may be sent, or else wait
 * @waiter: requester or answers of a queue pair
 * @mac: destination address of the frame, or NULL if it is not known
 *
 * While others wait, only a waiter that was woken may send. A waiter that has sent
 * a frame and finds no room for the next one is the last one in the list.
 *
 * Return: false if there is no room; then model_room_waiter.wake is called when
 * there is room.
 */
bool model_room_ask(struct model_room_waiter *waiter, const u8 *mac)
{
	struct model_wire *wire = wire_of(waiter);
	enum model_dest dest;

	if (!crowded(wire))
		return true;
	dest = mac ? model_wire_dest(wire, mac) : MODEL_DEST_BOTH;
	if (waiter->dest != dest)
		model_room_leave(waiter);
	if (!waiter->waits && model_wire_room(wire, dest) &&
	    (waiter->queued || TAILQ_EMPTY(&wire->waiters[dest]))) {
		waiter->used = true;
		return true;
	}
	if (waiter->used)
		model_room_leave(waiter);
	if (!waiter->queued)
		enqueue(waiter, dest);
	waiter->waits = true;
	return false;
}

/**
 * model_room_end() - end the turn of a waiter
 * @waiter: the waiter; leaves its list, unless it waits
 */
void model_room_end(struct model_room_waiter *waiter)
{
	if (!waiter->waits)
		model_room_leave(waiter);
}

/**
 * model_room_ask_send() - as model_room_ask(), for the requester of a queue pair
 * @qp: the queue pair, which is not polled while it waits
 * @mac: destination address of the frame, or NULL if it is not known
 *
 * Return: false if the requester has to wait.
 */
bool model_room_ask_send(struct model_qp *qp, const u8 *mac)
{
	if (model_room_ask(&qp->rooms[MODEL_WAIT_REQUESTER], mac))
		return true;
	model_qp_deactivate(qp);
	return false;
}

/**
 * model_room_init() - initialize a waiter, which does not wait
 * @qp: the queue pair
 * @side: part of the queue pair
 * @wake: called when the part may send again
 */
void model_room_init(struct model_qp *qp, enum model_wait_side side,
		     void (*wake)(struct model_qp *qp))
{
	qp->rooms[side].qp = qp;
	qp->rooms[side].wake = wake;
}

/**
 * model_room_wake() - wake waiters, at most one for each frame of room
 * @dev: the device
 *
 * Return: true if a waiter was woken.
 */
bool model_room_wake(struct model_device *dev)
{
	struct model_room_waiter *waiter;
	bool any = false;
	u32 room;
	int i;

	for (i = 0; i < MODEL_DESTS; i++) {
		waiter = TAILQ_FIRST(&dev->wire->waiters[i]);
		room = waiter ? model_wire_room(dev->wire, i) : 0;
		for (; waiter && room--; waiter = TAILQ_NEXT(waiter, link)) {
			if (!waiter->waits)
				continue;
			waiter->waits = false;
			waiter->wake(waiter->qp);
			any = true;
		}
	}
	return any;
}

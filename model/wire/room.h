/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Room on the wire: how many frames may still be sent to a destination, and the
 * lists of those who wait for room. wire.c counts the room; transport/room.c
 * fills the lists, and wakes those who wait.
 */
#ifndef MODEL_ROOM_H
#define MODEL_ROOM_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/queue.h>

struct model_qp;

/**
 * enum model_dest - where a frame goes; each destination has room of its own
 * @MODEL_DEST_LOCAL: to the device that sends it
 * @MODEL_DEST_FAR: to the far end
 * @MODEL_DEST_BOTH: to both, or to either: multicast frames, and frames whose
 *	destination is not known yet
 * @MODEL_DESTS: number of destinations
 */
enum model_dest {
	MODEL_DEST_LOCAL,
	MODEL_DEST_FAR,
	MODEL_DEST_BOTH,
	MODEL_DESTS,
};

/**
 * struct model_room_waiter - a part of a queue pair that may wait for room
 * @link: link of the list of @dest, if @queued
 * @qp: the queue pair
 * @wake: called when the part may send again
 * @dest: destination of the list that the waiter is on
 * @queued: the waiter is on a list. It keeps its place until it has sent a frame
 * @waits: the waiter is on a list, and was not woken
 * @used: the waiter has sent a frame since it was woken
 */
struct model_room_waiter {
	TAILQ_ENTRY(model_room_waiter) link;
	struct model_qp *qp;
	void (*wake)(struct model_qp *qp);
	enum model_dest dest;
	bool queued;
	bool waits;
	bool used;
};

TAILQ_HEAD(model_room_list, model_room_waiter);

#endif /* MODEL_ROOM_H */

/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Requesters and answers that wait for room on the wire. They sleep in a list for
 * each destination, and are woken in the order in which they began to wait. How
 * much room there is, is in wire/wire.c.
 */
#ifndef MODEL_TRANSPORT_ROOM_H
#define MODEL_TRANSPORT_ROOM_H

#include <linux/types.h>
#include <stdbool.h>

#include "core/pager.h"
#include "wire/room.h"

struct model_device;
struct model_qp;

void model_room_init(struct model_qp *qp, enum model_wait_side side,
		     void (*wake)(struct model_qp *qp));
bool model_room_ask(struct model_room_waiter *waiter, const u8 *mac);
void model_room_end(struct model_room_waiter *waiter);
void model_room_leave(struct model_room_waiter *waiter);
bool model_room_ask_send(struct model_qp *qp, const u8 *mac);
bool model_room_wake(struct model_device *dev);

#endif /* MODEL_TRANSPORT_ROOM_H */

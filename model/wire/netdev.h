/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The state of a network interface of this machine: whether it is up and has a
 * carrier. An interface that no longer exists is down.
 */
#ifndef MODEL_NETDEV_H
#define MODEL_NETDEV_H

#include <stdbool.h>

#include "base/loop.h"

/**
 * struct model_netdev - an interface that is watched
 * @loop: loop that watches the interface; set by the owner, like the next three
 *	fields
 * @ifindex: number of the interface
 * @changed: called when @up has changed
 * @opaque: argument of @changed
 * @up: the interface can send and receive
 * @watch: a socket to which the kernel sends a message about each change of any
 *	interface
 */
struct model_netdev {
	struct model_loop *loop;
	int ifindex;
	void (*changed)(void *opaque);
	void *opaque;
	bool up;
	struct model_watch watch;
};

int model_netdev_open(struct model_netdev *netdev);
void model_netdev_close(struct model_netdev *netdev);

#endif /* MODEL_NETDEV_H */

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Watches the state of a network interface. The kernel reports each change of
 * any interface by rtnetlink. The contents of the reports are ignored, and the
 * state is read again, so a lost report does no harm. Frames are sent and
 * received in wire_tap.c and wire_packet.c.
 */

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire/netdev.h"

static bool is_up(int ifindex)
{
	struct ifreq request = { .ifr_ifindex = ifindex };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool up;

	up = fd >= 0 && !ioctl(fd, SIOCGIFNAME, &request) &&
	     !ioctl(fd, SIOCGIFFLAGS, &request) &&
	     request.ifr_flags & IFF_UP && request.ifr_flags & IFF_RUNNING;
	if (fd >= 0)
		close(fd);
	return up;
}

static void reported(void *opaque, u32 events)
{
	struct model_netdev *netdev = opaque;
	char report[4096];
	bool up;

	(void)events;
	while (recv(netdev->watch.fd, report, sizeof(report), MSG_DONTWAIT) > 0 ||
	       errno == ENOBUFS)
		;
	up = is_up(netdev->ifindex);
	if (up == netdev->up)
		return;
	netdev->up = up;
	netdev->changed(netdev->opaque);
}

/**
 * model_netdev_open() - watch an interface
 * @netdev: filled in by the owner; @up is set
 *
 * Return: 0 or a negative errno.
 */
int model_netdev_open(struct model_netdev *netdev)
{
	const struct sockaddr_nl links = {
		.nl_family = AF_NETLINK,
		.nl_groups = RTMGRP_LINK,
	};
	int err = 0;

	netdev->watch.fd = socket(AF_NETLINK,
				  SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
				  NETLINK_ROUTE);
	if (netdev->watch.fd < 0)
		return -errno;
	netdev->watch.fn = reported;
	netdev->watch.opaque = netdev;
	if (bind(netdev->watch.fd, (const struct sockaddr *)&links,
		 sizeof(links)))
		err = -errno;
	if (!err)
		err = model_loop_watch(netdev->loop, &netdev->watch, EPOLLIN);
	if (err)
		close(netdev->watch.fd);
	netdev->up = is_up(netdev->ifindex);
	return err;
}

/**
 * model_netdev_close() - watch an interface no longer
 * @netdev: the interface, of which model_netdev_open() has succeeded
 */
void model_netdev_close(struct model_netdev *netdev)
{
	model_loop_unwatch(netdev->loop, &netdev->watch);
	close(netdev->watch.fd);
}

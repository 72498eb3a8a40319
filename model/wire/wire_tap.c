// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A far end that is a TAP: the kernel's network interface at the other end of
 * the cable, which can be a port of a Linux bridge. All offloads of the TAP are
 * off, so that the kernel completes checksums and segments TCP before the frame
 * arrives here. The state of the interface is in wire/netdev.c.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "wire/wire_kind.h"

static int tap_send(struct model_wire_end *end,
		    const struct model_frame *frame)
{
	return write(end->fd, frame->data, frame->len) < 0 ? -errno : 0;
}

/* read() cuts a frame off at the size of the buffer, which therefore is larger */
static int tap_receive(struct model_wire_end *end, struct model_frameq *out)
{
	struct model_frame *frame = model_frame_get(end->pool);
	ssize_t len;
	u8 more;
	struct iovec parts[] = {
		{ frame ? frame->data : NULL, sizeof(frame->data) },
		{ &more, sizeof(more) },
	};

	if (!frame)
		return -ENOBUFS;
	len = readv(end->fd, parts, 2);
	if (len < 0) {
		int err = -errno;

		model_frame_put(end->pool, frame);
		return err;
	}
	model_wire_end_take(end, frame, len, out);
	return 0;
}

static int attach(struct model_wire_end *end)
{
	struct ifreq request = { .ifr_flags = IFF_TAP | IFF_NO_PI };

	strcpy(request.ifr_name, end->name);
	if (ioctl(end->fd, TUNSETIFF, &request) ||
	    ioctl(end->fd, TUNSETOFFLOAD, 0))
		return -errno;
	/* the kernel has replaced "%d" in the name by a number */
	strcpy(end->name, request.ifr_name);
	end->ifindex = if_nametoindex(end->name);
	return end->ifindex ? 0 : -errno;
}

static const char *explain(int err)
{
	switch (err) {
	case -EBUSY:
		return "another process uses this TAP";
	case -EINVAL:
		return "an interface of this name is no TAP, or a TAP with other flags";
	case -EPERM:
		return "a TAP is made with CAP_NET_ADMIN, or used by its owner";
	default:
		return strerror(-err);
	}
}

static int tap_open(struct model_wire_end *end, const char *spec,
		    struct model_why *why)
{
	const char *name = spec + strlen("tap=");
	int err;

	if (!*name || strlen(name) >= IFNAMSIZ)
		return model_why(why, -EINVAL,
				 "'%s' is no name of 1 to %d characters", name,
				 IFNAMSIZ - 1);
	strcpy(end->name, name);
	end->fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (end->fd < 0)
		return model_why(why, -errno, "/dev/net/tun: %s",
				 strerror(errno));
	end->out = end->fd;
	err = attach(end);
	if (!err)
		return 0;
	close(end->fd);
	return model_why(why, err, "%s: %s", name, explain(err));
}

/* A TAP */
const struct model_wire_kind model_wire_tap = {
	.words = { "tap" },
	.grammar = "tap=NAME",
	.open = tap_open,
	.send = tap_send,
	.receive = tap_receive,
};

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A far end that is a network interface of this machine: the device sends by the
 * interface and receives what arrives there (a packet socket). The interface may
 * be a port of a container, or a NIC of a real network. What this machine itself
 * sends by the interface is not received. The state of the interface is in
 * wire/netdev.c.
 *
 * The kernel removes the VLAN tag of received frames, and may hand over frames
 * whose checksum is not complete, or which several frames have been merged into.
 * This file puts the tag back; offload.c does the other two.
 */

#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/bytes.h"
#include "wire/offload.h"
#include "wire/wire_kind.h"

#define TAG_BYTES	4
/* the longest frame that the kernel merges without BIG TCP, and a tag */
#define BUFFER_BYTES	(TAG_BYTES + ETH_HLEN + TAG_BYTES + 65536)
#define SOCKET_BUFFER	(8 << 20)

static int packet_send(struct model_wire_end *end,
		       const struct model_frame *frame)
{
	struct virtio_net_hdr nothing_left = { 0 };
	struct iovec parts[] = {
		{ &nothing_left, sizeof(nothing_left) },
		{ (void *)frame->data, frame->len },
	};

	return writev(end->fd, parts, 2) < 0 ? -errno : 0;
}

/* Put back the tag that the kernel has removed; return the start of the frame. */
static u8 *put_tag(struct msghdr *msg, u8 *data)
{
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(msg);
	struct tpacket_auxdata aux;

	if (!cmsg || cmsg->cmsg_level != SOL_PACKET ||
	    cmsg->cmsg_type != PACKET_AUXDATA)
		return data;
	memcpy(&aux, CMSG_DATA(cmsg), sizeof(aux));
	if (!(aux.tp_status & TP_STATUS_VLAN_VALID))
		return data;
	memmove(data - TAG_BYTES, data, 2 * ETH_ALEN);
	data -= TAG_BYTES;
	model_put16(data + 12, aux.tp_status & TP_STATUS_VLAN_TPID_VALID ?
		    aux.tp_vlan_tpid : ETH_P_8021Q);
	model_put16(data + 14, aux.tp_vlan_tci);
	return data;
}

static int packet_receive(struct model_wire_end *end, struct model_frameq *out)
{
	u8 *data = end->buffer + TAG_BYTES;
	struct virtio_net_hdr todo;
	union {
		char bytes[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
		struct cmsghdr align;
	} control;
	struct iovec parts[] = {
		{ &todo, sizeof(todo) },
		{ data, BUFFER_BYTES - TAG_BYTES },
	};
	struct msghdr msg = {
		.msg_iov = parts,
		.msg_iovlen = 2,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	ssize_t len = recvmsg(end->fd, &msg, MSG_DONTWAIT);
	u8 *start;

	if (len < 0)
		return -errno;
	len -= sizeof(todo);
	if (len < ETH_HLEN)
		return 0;
	start = put_tag(&msg, data);
	if (start != data)
		todo.csum_start += TAG_BYTES;
	len += data - start;
	if (msg.msg_flags & MSG_TRUNC ||
	    model_offload_finish(&todo, start, len, end->pool, out) == -EMSGSIZE)
		end->oversized++;
	return 0;
}

static bool is_ethernet(int fd, const char *name)
{
	struct ifreq request = { 0 };

	strcpy(request.ifr_name, name);
	return !ioctl(fd, SIOCGIFHWADDR, &request) &&
	       request.ifr_hwaddr.sa_family == ARPHRD_ETHER;
}

static int set_options(int fd, int ifindex)
{
	struct packet_mreq all = {
		.mr_ifindex = ifindex,
		.mr_type = PACKET_MR_PROMISC,
	};
	int on = 1, size = SOCKET_BUFFER;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on,
		       sizeof(on)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all,
		       sizeof(all)))
		return -errno;
	return 0;
}

/* The socket receives nothing before bind() names the interface. */
static int attach(struct model_wire_end *end)
{
	const struct sockaddr_ll addr = {
		.sll_family = AF_PACKET,
		.sll_protocol = htobe16(ETH_P_ALL),
		.sll_ifindex = end->ifindex,
	};
	int err;

	if (!is_ethernet(end->fd, end->name))
		return -EPFNOSUPPORT;
	err = set_options(end->fd, end->ifindex);
	if (err)
		return err;
	if (bind(end->fd, (const struct sockaddr *)&addr, sizeof(addr)))
		return -errno;
	return 0;
}

static int packet_open(struct model_wire_end *end, const char *spec,
		       struct model_why *why)
{
	const char *name = spec + strlen("packet=");
	int err;

	end->ifindex = if_nametoindex(name);
	if (!end->ifindex || strlen(name) >= sizeof(end->name))
		return model_why(why, -ENODEV, "there is no interface '%s'",
				 name);
	strcpy(end->name, name);
	end->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (end->fd < 0)
		return model_why(why, -errno,
				 "a packet socket needs CAP_NET_RAW: %s",
				 strerror(errno));
	end->out = end->fd;
	err = attach(end);
	if (!err)
		end->buffer = malloc(BUFFER_BYTES);
	if (end->buffer)
		return 0;
	close(end->fd);
	if (err == -EPFNOSUPPORT)
		return model_why(why, err, "'%s' is no Ethernet interface", name);
	return model_why(why, err ? err : -ENOMEM, "%s: %s", name,
			 strerror(err ? -err : ENOMEM));
}

/* A network interface of this machine */
const struct model_wire_kind model_wire_packet = {
	.words = { "packet" },
	.grammar = "packet=INTERFACE",
	.open = packet_open,
	.send = packet_send,
	.receive = packet_receive,
};

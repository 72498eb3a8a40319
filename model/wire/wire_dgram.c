// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Far ends that are datagram sockets: Unix sockets and UDP. Each datagram is one
 * Ethernet frame, as in QEMU's "-netdev dgram". The sockets are watched in
 * wire/wire_socket.c.
 */

#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire/wire_kind.h"

#define SPEC_MAX	256
#define SOCKET_BUFFER	(4 << 20)

static int dgram_send(int fd, const struct model_frame *frame)
{
	return send(fd, frame->data, frame->len, MSG_DONTWAIT) < 0 ? -errno : 0;
}

/*
 * Connect to the far end, and send. A far end that is connected to the address of
 * this end takes frames from that address only.
 */
static int unix_connect_send(struct model_wire_end *end,
			     const struct model_frame *frame)
{
	const struct sockaddr *to = (const struct sockaddr *)&end->remote;

	if (!connect(end->out, to, sizeof(end->remote)))
		return dgram_send(end->out, frame);
	if (errno == EPERM &&
	    sendto(end->fd, frame->data, frame->len, MSG_DONTWAIT, to,
		   sizeof(end->remote)) >= 0)
		return 0;
	return -errno;
}

/*
 * The far end may not exist yet, and may be replaced by another socket with the
 * same path: the socket is connected again when it is connected to no socket.
 */
static int unix_send(struct model_wire_end *end,
		     const struct model_frame *frame)
{
	int err = dgram_send(end->out, frame);

	if (err == -ENOTCONN || err == -ECONNREFUSED || err == -EPERM)
		err = unix_connect_send(end, frame);
	return err;
}

static int udp_send(struct model_wire_end *end,
		    const struct model_frame *frame)
{
	return dgram_send(end->fd, frame);
}

static int dgram_receive(struct model_wire_end *end, struct model_frameq *out)
{
	struct model_frame *frame = model_frame_get(end->pool);
	ssize_t len;

	if (!frame)
		return -ENOBUFS;
	len = recv(end->fd, frame->data, sizeof(frame->data),
		   MSG_DONTWAIT | MSG_TRUNC);
	if (len < 0) {
		int err = -errno;

		model_frame_put(end->pool, frame);
		return err;
	}
	model_wire_end_take(end, frame, len, out);
	return 0;
}

static int parse_path(struct sockaddr_un *addr, const char *path,
		      struct model_why *why)
{
	if (!*path || strlen(path) >= sizeof(addr->sun_path))
		return model_why(why, -EINVAL,
				 "'%s' is no path of 1 to %zu characters", path,
				 sizeof(addr->sun_path) - 1);
	addr->sun_family = AF_UNIX;
	strcpy(addr->sun_path, path);
	return 0;
}

/* "local=PATH,remote=PATH", in any order. */
static int parse_unix(struct model_wire_end *end, char *spec,
		      struct model_why *why)
{
	int err = 0;
	char *item;

	while (!err && (item = strsep(&spec, ",")) != NULL) {
		if (!strncmp(item, "local=", 6))
			err = parse_path(&end->local.addr, item + 6, why);
		else if (!strncmp(item, "remote=", 7))
			err = parse_path(&end->remote, item + 7, why);
		else
			err = model_why(why, -EINVAL,
					"unknown word '%s'; known: local=PATH, remote=PATH",
					item);
	}
	if (err)
		return err;
	if (end->local.addr.sun_family && end->remote.sun_family)
		return 0;
	return model_why(why, -EINVAL,
			 "both local=PATH and remote=PATH are needed");
}

/* Return: a socket, or -1. */
static int make_socket(int family)
{
	int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int size = SOCKET_BUFFER;

	if (fd < 0)
		return fd;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	return fd;
}

/* Close the sockets after a system call has failed. */
static int fail(struct model_wire_end *end, const char *what,
		struct model_why *why)
{
	int err = -errno;

	if (end->out >= 0 && end->out != end->fd)
		close(end->out);
	if (end->fd >= 0)
		close(end->fd);
	return model_why(why, err, "%s: %s", what, strerror(-err));
}

/*
 * A socket that is connected is ready only while its far end has room, but it also
 * receives from that far end only. So there are two sockets: a connected one sends.
 */
static int unix_open(struct model_wire_end *end, const char *spec,
		     struct model_why *why)
{
	char buf[SPEC_MAX];
	int err;

	if (strlen(spec) >= sizeof(buf))
		return model_why(why, -EINVAL, "too long");
	strcpy(buf, spec);
	err = parse_unix(end, buf, why);
	if (err)
		return err;
	end->fd = make_socket(AF_UNIX);
	end->out = make_socket(AF_UNIX);
	if (end->fd < 0 || end->out < 0)
		return fail(end, "socket", why);
	err = model_unix_bind(end->fd, &end->local);
	if (!err)
		return 0;
	close(end->fd);
	return model_why(why, err, "%s: %s", end->local.addr.sun_path,
			 strerror(-err));
}

/* "192.0.2.1:4000" or "[2001:db8::1]:4000"; the text is changed. */
static int parse_inet(struct addrinfo **info, char *text,
		      struct model_why *why)
{
	const struct addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_DGRAM,
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
	};
	char *port = strrchr(text, ':');
	size_t len;

	if (!port)
		return model_why(why, -EINVAL, "'%s' has no port, like 192.0.2.1:4000",
				 text);
	*port++ = 0;
	len = strlen(text);
	if (len > 1 && text[0] == '[' && text[len - 1] == ']') {
		text[len - 1] = 0;
		text++;
	}
	if (!*text || !*port || getaddrinfo(text, port, &hints, info))
		return model_why(why, -EINVAL,
				 "'%s' and '%s' are no numeric address and port, like 192.0.2.1:4000 or [2001:db8::1]:4000",
				 text, port);
	return 0;
}

/*
 * The socket is connected, so that the kernel drops datagrams from any other
 * address.
 */
static int connect_udp(struct model_wire_end *end, const struct addrinfo *local,
		       const struct addrinfo *remote, struct model_why *why)
{
	if (local->ai_family != remote->ai_family)
		return model_why(why, -EINVAL,
				 "one address is IPv4, the other IPv6");
	end->fd = make_socket(local->ai_family);
	end->out = end->fd;
	if (end->fd < 0)
		return fail(end, "socket", why);
	if (bind(end->fd, local->ai_addr, local->ai_addrlen))
		return fail(end, "local address", why);
	if (connect(end->fd, remote->ai_addr, remote->ai_addrlen))
		return fail(end, "remote address", why);
	return 0;
}

static int udp_open(struct model_wire_end *end, const char *spec,
		    struct model_why *why)
{
	struct addrinfo *local, *remote;
	char buf[SPEC_MAX];
	char *far;
	int err;

	if (strlen(spec) >= sizeof(buf))
		return model_why(why, -EINVAL, "too long");
	strcpy(buf, spec + strlen("udp="));
	far = strchr(buf, ',');
	if (!far)
		return model_why(why, -EINVAL,
				 "two addresses are needed, with a comma between them");
	*far++ = 0;
	err = parse_inet(&local, buf, why);
	if (err)
		return err;
	err = parse_inet(&remote, far, why);
	if (!err) {
		err = connect_udp(end, local, remote, why);
		freeaddrinfo(remote);
	}
	freeaddrinfo(local);
	return err;
}

/* A pair of Unix sockets */
const struct model_wire_kind model_wire_unix = {
	.words = { "local", "remote" },
	.grammar = "local=PATH,remote=PATH",
	.open = unix_open,
	.send = unix_send,
	.receive = dgram_receive,
};

/* Ethernet frames in UDP datagrams */
const struct model_wire_kind model_wire_udp = {
	.words = { "udp" },
	.grammar = "udp=ADDRESS:PORT,ADDRESS:PORT",
	.open = udp_open,
	.send = udp_send,
	.receive = dgram_receive,
};

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Unix stream sockets with descriptor passing. The messages on these sockets
 * are in base/control.c and host/vfu.c.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/unix_socket.h"

/*
 * Must be even: CMSG_SPACE() of an odd number has room for one descriptor more
 */
#define FDS_PER_RECEIVE	16

#define BACKLOG		16

/* Return: 0 if the path is free or names a socket, else -EADDRINUSE */
static int check_name(const char *path)
{
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT ? 0 : -errno;
	return S_ISSOCK(st.st_mode) ? 0 : -EADDRINUSE;
}

/*
 * Bind and listen at PATH.new, then rename to PATH: a client that finds PATH
 * can connect.
 */
static int bind_and_listen(int sock, const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int err = check_name(path);
	int len;

	if (err)
		return err;
	len = snprintf(addr.sun_path, sizeof(addr.sun_path), "%s.new", path);
	if (len < 0 || (size_t)len >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	unlink(addr.sun_path);
	if (bind(sock, (struct sockaddr *)&addr, sizeof(addr)))
		return -errno;
	if (!listen(sock, BACKLOG) && !rename(addr.sun_path, path))
		return 0;
	err = -errno;
	unlink(addr.sun_path);
	return err;
}

/**
 * model_unix_listen - make a listening socket
 * @path: path of the socket; replaces a socket, but no other kind of file
 *
 * Return: the descriptor, or a negative errno.
 */
int model_unix_listen(const char *path)
{
	int sock, err;

	sock = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (sock < 0)
		return -errno;
	err = bind_and_listen(sock, path);
	if (err) {
		close(sock);
		return err;
	}
	return sock;
}

/**
 * model_unix_accept - accept the next client
 * @listener: a listening socket
 *
 * Return: the descriptor, or a negative errno.
 */
int model_unix_accept(int listener)
{
	int sock;

	sock = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	return sock < 0 ? -errno : sock;
}

/**
 * model_unix_send - send as many bytes as the socket takes now
 * @sock: the socket
 * @buf: the bytes
 * @len: number of bytes, not 0
 * @fd: a descriptor to pass with the first byte, or -1
 *
 * Return: bytes sent, or a negative errno.
 */
ssize_t model_unix_send(int sock, const void *buf, size_t len, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { (void *)buf, len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *cmsg;
	ssize_t n;

	if (fd >= 0) {
		msg.msg_control = control;
		msg.msg_controllen = sizeof(control);
		cmsg = CMSG_FIRSTHDR(&msg);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	}
	n = sendmsg(sock, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
	return n < 0 ? -errno : n;
}

/* Append the descriptors of a message, or close them if @fds has no room */
static int take_fds(struct msghdr *msg, int *fds, unsigned int *n_fds,
		    unsigned int max_fds)
{
	int received[FDS_PER_RECEIVE];
	struct cmsghdr *cmsg;
	size_t n = 0, i;

	for (cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET ||
		    cmsg->cmsg_type != SCM_RIGHTS)
			continue;
		n = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(received, CMSG_DATA(cmsg), n * sizeof(int));
		break;
	}
	if (!(msg->msg_flags & MSG_CTRUNC) && n <= max_fds - *n_fds) {
		memcpy(fds + *n_fds, received, n * sizeof(int));
		*n_fds += n;
		return 0;
	}
	for (i = 0; i < n; i++)
		close(received[i]);
	return -EMSGSIZE;
}

/**
 * model_unix_receive - receive the bytes and descriptors that have arrived
 * @sock: the socket
 * @buf: buffer for the bytes
 * @len: size of @buf in bytes, not 0
 * @fds: array to which received descriptors are appended
 * @n_fds: number of descriptors in @fds, updated
 * @max_fds: number of descriptors that fit in @fds
 *
 * Return: bytes received, 0 at the end of the stream, -EMSGSIZE if there were
 * too many descriptors (all of the message are closed), or another negative
 * errno.
 */
ssize_t model_unix_receive(int sock, void *buf, size_t len, int *fds,
			   unsigned int *n_fds, unsigned int max_fds)
{
	union {
		char bytes[CMSG_SPACE(FDS_PER_RECEIVE * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { buf, len };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	ssize_t n;
	int err;

	n = recvmsg(sock, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0)
		return -errno;
	err = take_fds(&msg, fds, n_fds, max_fds);
	return err ? err : n;
}

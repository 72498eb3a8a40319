// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Names of Unix sockets, and Unix stream sockets with descriptor passing. The
 * messages on these sockets are in base/control.c and host/vfu.c.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
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

/**
 * model_unix_bind - give a socket its name
 * @sock: the socket
 * @name: name of the socket, whose @addr is set; replaces a socket, but no other
 *	kind of file; @dev and @ino are set
 *
 * Only the user of this process may connect.
 *
 * Return: 0 or a negative errno.
 */
int model_unix_bind(int sock, struct model_unix_name *name)
{
	const char *path = name->addr.sun_path;
	int err = check_name(path);
	struct stat st;

	if (err)
		return err;
	unlink(path);
	/* the mode of the socket is the mode of the file that bind() makes */
	if (fchmod(sock, MODEL_UNIX_MODE) ||
	    bind(sock, (struct sockaddr *)&name->addr, sizeof(name->addr)) ||
	    lstat(path, &st))
		return -errno;
	name->dev = st.st_dev;
	name->ino = st.st_ino;
	return 0;
}

/**
 * model_unix_unbind - remove the file of a socket
 * @name: name of the socket; a file that has replaced the socket stays
 */
void model_unix_unbind(const struct model_unix_name *name)
{
	const char *path = name->addr.sun_path;
	struct stat st;

	if (!lstat(path, &st) && st.st_dev == name->dev &&
	    st.st_ino == name->ino)
		unlink(path);
}

static int set_path(struct model_unix_name *name, const char *path,
		    const char *end)
{
	int len;

	name->addr.sun_family = AF_UNIX;
	len = snprintf(name->addr.sun_path, sizeof(name->addr.sun_path),
		       "%s%s", path, end);
	return len < 0 || (size_t)len >= sizeof(name->addr.sun_path) ?
	       -ENAMETOOLONG : 0;
}

/*
 * Bind and listen at PATH.new, then rename to PATH: a client that finds PATH
 * can connect.
 */
static int bind_and_listen(int sock, const char *path,
			   struct model_unix_name *name)
{
	int err = check_name(path);

	if (!err)
		err = set_path(name, path, ".new");
	if (!err)
		err = model_unix_bind(sock, name);
	if (err)
		return err;
	if (!listen(sock, BACKLOG) && !rename(name->addr.sun_path, path))
		return set_path(name, path, "");
	err = -errno;
	model_unix_unbind(name);
	return err;
}

/**
 * model_unix_listen - make a listening socket
 * @path: path of the socket; replaces a socket, but no other kind of file
 * @name: filled in, for model_unix_unbind()
 *
 * Return: the descriptor, or a negative errno.
 */
int model_unix_listen(const char *path, struct model_unix_name *name)
{
	int sock, err;

	sock = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (sock < 0)
		return -errno;
	err = bind_and_listen(sock, path, name);
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

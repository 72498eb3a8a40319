/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Names of Unix sockets; Unix stream sockets with descriptor passing,
 * non-blocking, for the servers of this process. The messages on these sockets
 * are in base/control.c and host/vfu.c; datagram sockets of the wire are in
 * wire/wire_dgram.c.
 */
#ifndef MODEL_UNIX_SOCKET_H
#define MODEL_UNIX_SOCKET_H

#include <stddef.h>
#include <sys/types.h>
#include <sys/un.h>

/* Mode of the sockets: whoever may connect can do everything to the device */
#define MODEL_UNIX_MODE		0600

/**
 * struct model_unix_name - the name of a socket of this process
 * @addr: the path
 * @dev: device of the file; @dev and @ino tell the socket from a later file of
 *	the same name
 * @ino: inode of the file
 */
struct model_unix_name {
	struct sockaddr_un addr;
	dev_t dev;
	ino_t ino;
};

int model_unix_bind(int sock, struct model_unix_name *name);
void model_unix_unbind(const struct model_unix_name *name);
int model_unix_listen(const char *path, struct model_unix_name *name);
int model_unix_accept(int listener);
ssize_t model_unix_send(int sock, const void *buf, size_t len, int fd);
ssize_t model_unix_receive(int sock, void *buf, size_t len, int *fds,
			   unsigned int *n_fds, unsigned int max_fds);

#endif /* MODEL_UNIX_SOCKET_H */

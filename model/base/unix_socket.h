/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Unix stream sockets with descriptor passing, non-blocking, for the servers
 * of this process. The messages on these sockets are in base/control.c and
 * host/vfu.c; datagram sockets of the wire are in wire/wire_dgram.c.
 */
#ifndef MODEL_UNIX_SOCKET_H
#define MODEL_UNIX_SOCKET_H

#include <stddef.h>
#include <sys/types.h>

int model_unix_listen(const char *path);
int model_unix_accept(int listener);
ssize_t model_unix_send(int sock, const void *buf, size_t len, int fd);
ssize_t model_unix_receive(int sock, void *buf, size_t len, int *fds,
			   unsigned int *n_fds, unsigned int max_fds);

#endif /* MODEL_UNIX_SOCKET_H */

/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Unix stream sockets with descriptor passing, non-blocking, for the servers
 * of this process. Knows nothing of what is said over them.
 */
#ifndef XRDMA_MODEL_UNIX_SOCKET_H
#define XRDMA_MODEL_UNIX_SOCKET_H

#include <stddef.h>
#include <sys/types.h>

int xrdma_unix_listen(const char *path);
int xrdma_unix_accept(int listener);
ssize_t xrdma_unix_send(int sock, const void *buf, size_t len, int fd);
ssize_t xrdma_unix_receive(int sock, void *buf, size_t len, int *fds,
			   unsigned int *n_fds, unsigned int max_fds);

#endif /* XRDMA_MODEL_UNIX_SOCKET_H */

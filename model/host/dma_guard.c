// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The handler of SIGBUS. The kernel sends SIGBUS for an access to guest memory
 * that the client has taken away, by shrinking the file after DMA_MAP, and for
 * one that the kernel has no memory for. The handler replaces the memory by
 * zeroes, so that the access can be repeated. The loop then reports a host
 * error, and later accesses to these DMA mappings fail.
 *
 * A signal has one handler in a process, so this file has one object.
 */
#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "host/dma_guard.h"

/*
 * @watch has an eventfd that the handler signals; @before is the action of
 * SIGBUS outside of guest memory.
 */
static struct {
	struct model_loop *loop;
	struct model_dma *dma;
	struct model_host_errors *herr;
	struct model_watch watch;
	struct sigaction before;
} guard;

static void handle(int number, siginfo_t *info, void *context)
{
	int before = errno;
	u64 one = 1;

	(void)context;
	if (!model_dma_replace(guard.dma, info->si_addr))
		sigaction(number, &guard.before, NULL);
	else if (write(guard.watch.fd, &one, sizeof(one)) < 0)
		errno = 0;	/* the counter is full, so the loop wakes up */
	errno = before;
}

static void replaced(void *opaque, u32 events)
{
	u64 count, bytes;

	(void)opaque;
	(void)events;
	if (read(guard.watch.fd, &count, sizeof(count)) < 0)
		return;
	bytes = model_dma_forget_lost(guard.dma);
	model_host_error(guard.herr, MODEL_HERR_DMA_LOST,
			 "mappings of %llu bytes", bytes);
}

/**
 * model_dma_guard_begin - handle SIGBUS
 * @loop: loop that reports the host errors
 * @dma: the DMA mappings
 * @herr: record of host errors
 *
 * Return: 0 or a negative errno.
 */
int model_dma_guard_begin(struct model_loop *loop, struct model_dma *dma,
			  struct model_host_errors *herr)
{
	const struct sigaction action = {
		.sa_sigaction = handle,
		.sa_flags = SA_SIGINFO,
	};
	int err;

	guard.watch.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (guard.watch.fd < 0)
		return -errno;
	guard.watch.fn = replaced;
	guard.loop = loop;
	guard.dma = dma;
	guard.herr = herr;
	err = model_loop_watch(loop, &guard.watch, EPOLLIN);
	if (err)
		close(guard.watch.fd);
	else
		sigaction(SIGBUS, &action, &guard.before);
	return err;
}

/**
 * model_dma_guard_end - restore the action of SIGBUS
 */
void model_dma_guard_end(void)
{
	sigaction(SIGBUS, &guard.before, NULL);
	model_loop_unwatch(guard.loop, &guard.watch);
	close(guard.watch.fd);
}

/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The interface between wire/wire_socket.c, which watches the descriptor to the
 * far end, and the kinds of far ends: datagram sockets (wire_dgram.c), a TAP
 * (wire_tap.c), a network interface of this machine (wire_packet.c). A kind
 * knows neither the loop nor the wire.
 */
#ifndef MODEL_WIRE_KIND_H
#define MODEL_WIRE_KIND_H

#include <linux/types.h>
#include <sys/un.h>

#include "base/unix_socket.h"
#include "base/why.h"
#include "wire/frame.h"

/**
 * struct model_wire_end - the far end, as its kind sees it
 * @fd: the descriptor
 * @out: descriptor that sends and that is ready when the far end has room: @fd, or a
 *	socket of its own
 * @pool: pool for received frames
 * @local: name of a Unix socket, whose file is removed at the end; empty for
 *	other kinds
 * @remote: address of the Unix socket to which frames are sent; unused by other
 *	kinds
 * @ifindex: network interface whose state is the state of the link; 0 if the
 *	link is always up
 * @name: name of that interface when it was opened
 * @buffer: memory for one frame that is longer than a port's, or NULL
 * @oversized: number of received frames dropped because they were too long
 */
struct model_wire_end {
	int fd;
	int out;
	struct model_frame_pool *pool;
	struct model_unix_name local;
	struct sockaddr_un remote;
	int ifindex;
	char name[16];
	u8 *buffer;
	u64 oversized;
};

/**
 * struct model_wire_kind - a kind of far end
 * @words: words with which a specification of this kind begins, NULL at the end
 * @grammar: what a specification of this kind looks like
 * @open: open the far end that the specification names; on failure release
 *	everything, and write the reason; @fd and @out are -1 before
 * @send: send a frame, which the caller keeps; return 0 or a negative errno,
 *	-EAGAIN if the frame must wait
 * @receive: append the next received frame to @out, or several frames that
 *	arrived as one; return 0, also if the frame was dropped, or a negative
 *	errno: -EAGAIN if there is none, -ENOBUFS if the pool is empty
 */
struct model_wire_kind {
	const char *words[3];
	const char *grammar;
	int (*open)(struct model_wire_end *end, const char *spec,
		    struct model_why *why);
	int (*send)(struct model_wire_end *end,
		    const struct model_frame *frame);
	int (*receive)(struct model_wire_end *end, struct model_frameq *out);
};

/**
 * model_wire_end_take() - keep a frame that was received, or drop it
 * @end: the far end
 * @frame: the frame, from @end->pool
 * @len: bytes received, also those that did not fit into @frame; 0: no frame
 * @out: queue to which the frame is appended. A frame that is too long is counted
 *	and dropped instead
 */
static inline void model_wire_end_take(struct model_wire_end *end,
				       struct model_frame *frame, size_t len,
				       struct model_frameq *out)
{
	if (len && len <= MODEL_FRAME_MAX) {
		frame->len = len;
		model_frameq_push(out, frame);
		return;
	}
	if (len)
		end->oversized++;
	model_frame_put(end->pool, frame);
}

extern const struct model_wire_kind model_wire_unix;
extern const struct model_wire_kind model_wire_udp;
extern const struct model_wire_kind model_wire_tap;
extern const struct model_wire_kind model_wire_packet;

#endif /* MODEL_WIRE_KIND_H */

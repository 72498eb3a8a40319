// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The vfio-user server: its socket, the framing of messages, the descriptors
 * that accompany messages, and the replies. The handlers of the messages are in
 * vfu_dev.c and vfu_irq.c.
 *
 * No input of a client ends this process: an invalid message gets an errno as
 * the reply, and an invalid header closes the connection. Memory that the
 * client takes away is the subject of dma_guard.c; main.c ignores SIGPIPE.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/log.h"
#include "base/unix_socket.h"
#include "host/vfu_priv.h"

/**
 * struct vfu_command - one command
 * @name: name for diagnostics
 * @handle: handler of the command; returns 0 or a negative errno, which is the
 *	reply
 * @min_len: bytes of the body without its variable part
 * @max_fds: highest number of descriptors that may accompany the command
 */
struct vfu_command {
	const char *name;
	int (*handle)(struct model_vfu *vfu, struct vfu_request *req);
	size_t min_len;
	unsigned int max_fds;
};

static const struct vfu_command commands[VFU_COMMANDS] = {
	[VFU_VERSION] = {
		"VERSION", vfu_version, sizeof(struct vfu_version), 0
	},
	[VFU_DMA_MAP] = {
		"DMA_MAP", vfu_dma_map, sizeof(struct vfu_dma_map), 1
	},
	[VFU_DMA_UNMAP] = {
		"DMA_UNMAP", vfu_dma_unmap, sizeof(struct vfu_dma_unmap), 0
	},
	[VFU_DEVICE_GET_INFO] = {
		"DEVICE_GET_INFO", vfu_device_get_info,
		sizeof(struct vfu_device_info), 0
	},
	[VFU_DEVICE_GET_REGION_INFO] = {
		"DEVICE_GET_REGION_INFO", vfu_device_get_region_info,
		sizeof(struct vfu_region_info), 0
	},
	[VFU_DEVICE_GET_IRQ_INFO] = {
		"DEVICE_GET_IRQ_INFO", vfu_device_get_irq_info,
		sizeof(struct vfu_irq_info), 0
	},
	[VFU_DEVICE_SET_IRQS] = {
		"DEVICE_SET_IRQS", vfu_device_set_irqs,
		sizeof(struct vfu_irq_set), VFU_MAX_FDS
	},
	[VFU_REGION_READ] = {
		"REGION_READ", vfu_region_read, sizeof(struct vfu_region_io), 0
	},
	[VFU_REGION_WRITE] = {
		"REGION_WRITE", vfu_region_write,
		sizeof(struct vfu_region_io), 0
	},
	[VFU_DEVICE_RESET] = { "DEVICE_RESET", vfu_device_reset, 0, 0 },
	[VFU_REGION_WRITE_MULTI] = {
		"REGION_WRITE_MULTI", vfu_region_write_multi, sizeof(u64), 0
	},
};

static void close_fds(struct vfu_connection *conn)
{
	unsigned int i;

	for (i = 0; i < conn->n_fds; i++)
		if (conn->fds[i] >= 0)
			close(conn->fds[i]);
	conn->n_fds = 0;
}

/*
 * Close the connection, reset the device, remove the DMA mappings and eventfds
 */
static void disconnect(struct model_vfu *vfu, const char *why)
{
	struct vfu_connection *conn = &vfu->conn;

	model_info("client disconnected: %s", why);
	model_loop_unwatch(vfu->loop, &conn->watch);
	close(conn->watch.fd);
	close_fds(conn);
	conn->open = false;
	vfu_reset(vfu);
	vfu_irq_release(vfu);
	model_dma_unmap_all(vfu->dma);
	model_dma_release_files(vfu->dma);
	model_loop_watch(vfu->loop, &vfu->listener, EPOLLIN);
}

static void protocol_error(struct model_vfu *vfu, const char *why)
{
	model_warn("client violated the protocol: %s", why);
	vfu->stats.bad_messages++;
	disconnect(vfu, why);
}

/*
 * Send the rest of the reply, with descriptor @fd unless @fd is -1. If the
 * socket is full, receive no messages until the client has read the reply.
 */
static void send_out(struct model_vfu *vfu, int fd)
{
	struct vfu_connection *conn = &vfu->conn;
	ssize_t n;

	n = model_unix_send(conn->watch.fd, conn->out + conn->out_pos,
			    conn->out_len - conn->out_pos, fd);
	if (n < 0 && n != -EAGAIN) {
		disconnect(vfu, strerror(-n));
		return;
	}
	if (n > 0)
		conn->out_pos += n;
	if (conn->out_pos < conn->out_len)
		model_loop_rewatch(vfu->loop, &conn->watch, EPOLLOUT);
}

static void send_reply(struct model_vfu *vfu, const struct vfu_header *command,
		       const struct vfu_request *req, int err)
{
	struct vfu_connection *conn = &vfu->conn;
	struct vfu_header reply = {
		.id = command->id,
		.command = command->command,
		.size = sizeof(reply) + (err ? 0 : req->reply_len),
		.flags = VFU_TYPE_REPLY | (err ? VFU_ERROR : 0),
		.error = -err,
	};

	memcpy(conn->out, &reply, sizeof(reply));
	conn->out_pos = 0;
	conn->out_len = reply.size;
	send_out(vfu, err ? -1 : req->reply_fd);
}

static const struct vfu_command *find_command(const struct vfu_header *header)
{
	if (header->command >= VFU_COMMANDS ||
	    !commands[header->command].handle)
		return NULL;
	return &commands[header->command];
}

static int run_command(struct model_vfu *vfu, const struct vfu_header *header,
		       struct vfu_request *req)
{
	const struct vfu_command *command = find_command(header);

	model_dbg("%s: %u bytes, %u descriptors",
		  command ? command->name : "unknown command", header->size,
		  req->n_fds);
	if (!command)
		return -ENOTSUP;
	if (req->len < command->min_len || req->n_fds > command->max_fds)
		return -EINVAL;
	if (!vfu->conn.negotiated && header->command != VFU_VERSION)
		return -EINVAL;
	return command->handle(vfu, req);
}

static void handle_message(struct model_vfu *vfu,
			   const struct vfu_header *header,
			   const u8 *body, bool has_fds)
{
	struct vfu_connection *conn = &vfu->conn;
	struct vfu_request req = {
		.body = body,
		.len = header->size - sizeof(*header),
		.fds = conn->fds,
		.n_fds = has_fds ? conn->n_fds : 0,
		.reply = conn->out + sizeof(*header),
		.reply_fd = -1,
	};
	int err;

	err = run_command(vfu, header, &req);
	vfu->stats.messages++;
	if (has_fds)
		close_fds(conn);
	if (err) {
		vfu->stats.bad_messages++;
		model_info("command %u refused: %s", header->command,
			   strerror(-err));
	}
	if (!(header->flags & VFU_NO_REPLY))
		send_reply(vfu, header, &req, err);
	if (req.hang_up && conn->open)
		disconnect(vfu, "negotiation failed");
}

static bool valid_header(const struct vfu_header *header)
{
	return header->size >= sizeof(*header) &&
	       header->size <= VFU_MAX_MESSAGE &&
	       (header->flags & VFU_TYPE_MASK) == VFU_TYPE_COMMAND;
}

/* Copy the header at @pos; false if its bytes have not all arrived */
static bool peek_header(const struct vfu_connection *conn, size_t pos,
			struct vfu_header *header)
{
	if (conn->in_len - pos < sizeof(*header))
		return false;
	memcpy(header, conn->in + pos, sizeof(*header));
	return true;
}

/* Handle complete messages, until a reply has to wait for the client */
static void handle_messages(struct model_vfu *vfu)
{
	struct vfu_connection *conn = &vfu->conn;
	struct vfu_header header;

	while (conn->open && conn->out_pos == conn->out_len &&
	       peek_header(conn, conn->in_pos, &header)) {
		size_t pos = conn->in_pos;

		if (!valid_header(&header)) {
			protocol_error(vfu, "bad header");
			return;
		}
		if (conn->in_len - pos < header.size)
			return;
		conn->in_pos += header.size;
		handle_message(vfu, &header, conn->in + pos + sizeof(header),
			       conn->n_fds && conn->fds_pos == pos);
	}
}

/*
 * Descriptors arrive with the last bytes of a receive, so they belong to the
 * last message that starts in the received bytes.
 */
static size_t last_message(const struct vfu_connection *conn)
{
	struct vfu_header header;
	size_t pos = 0;

	while (peek_header(conn, pos, &header) && valid_header(&header) &&
	       header.size < conn->in_len - pos)
		pos += header.size;
	return pos;
}

/*
 * Return: number of bytes to receive. A partial message is completed first, so
 * that all of @fds belong to one message.
 */
static size_t receive_room(const struct vfu_connection *conn)
{
	struct vfu_header header;

	if (!conn->in_len)
		return sizeof(conn->in);
	if (!peek_header(conn, 0, &header))
		return sizeof(header) - conn->in_len;
	return header.size - conn->in_len;
}

/* Move a partial message to the start of the buffer */
static void compact(struct vfu_connection *conn)
{
	if (!conn->in_pos)
		return;
	memmove(conn->in, conn->in + conn->in_pos, conn->in_len - conn->in_pos);
	conn->in_len -= conn->in_pos;
	conn->fds_pos -= conn->in_pos;
	conn->in_pos = 0;
}

static void receive(struct model_vfu *vfu)
{
	struct vfu_connection *conn = &vfu->conn;
	unsigned int old_fds = conn->n_fds;
	ssize_t n;

	n = model_unix_receive(conn->watch.fd, conn->in + conn->in_len,
			       receive_room(conn), conn->fds, &conn->n_fds,
			       VFU_MAX_FDS);
	if (n == -EAGAIN)
		return;
	if (n == -EMSGSIZE) {
		protocol_error(vfu, "too many descriptors");
		return;
	}
	if (n <= 0) {
		disconnect(vfu, n ? strerror(-n) : "end of stream");
		return;
	}
	conn->in_len += n;
	if (conn->n_fds > old_fds)
		conn->fds_pos = last_message(conn);
	handle_messages(vfu);
	if (conn->open)
		compact(conn);
}

static void flush(struct model_vfu *vfu)
{
	struct vfu_connection *conn = &vfu->conn;

	send_out(vfu, -1);
	if (!conn->open || conn->out_pos < conn->out_len)
		return;
	model_loop_rewatch(vfu->loop, &conn->watch, EPOLLIN);
	handle_messages(vfu);
	if (conn->open)
		compact(conn);
}

static void client_ready(void *opaque, u32 events)
{
	struct model_vfu *vfu = opaque;
	struct vfu_connection *conn = &vfu->conn;

	if (conn->out_pos == conn->out_len)
		receive(vfu);
	else if (events & EPOLLOUT)
		flush(vfu);
	else
		disconnect(vfu, "connection closed with replies unread");
}

/* Accept a client; further clients wait in the backlog until it disconnects */
static void listener_ready(void *opaque, u32 events)
{
	struct model_vfu *vfu = opaque;
	struct vfu_connection *conn = &vfu->conn;
	int fd;

	(void)events;
	fd = model_unix_accept(vfu->listener.fd);
	if (fd < 0)
		return;
	conn->negotiated = false;
	conn->in_pos = 0;
	conn->in_len = 0;
	conn->n_fds = 0;
	conn->out_pos = 0;
	conn->out_len = 0;
	conn->watch.fd = fd;
	if (model_loop_watch(vfu->loop, &conn->watch, EPOLLIN)) {
		close(fd);
		return;
	}
	conn->open = true;
	vfu->stats.connects++;
	model_loop_unwatch(vfu->loop, &vfu->listener);
	model_info("client connected");
}

static void engine_dma_unmap(void *opaque, u64 iova, u64 len)
{
	struct model_vfu *vfu = opaque;

	vfu->ops->dma_unmap(vfu->opaque, iova, len);
}

static struct model_vfu *vfu_alloc(const struct model_vfu_params *params)
{
	struct model_vfu *vfu = calloc(1, sizeof(*vfu));
	unsigned int i;

	if (!vfu)
		return NULL;
	vfu->loop = params->loop;
	vfu->dma = params->dma;
	vfu->herr = params->herr;
	vfu->conn.watch.fn = client_ready;
	vfu->conn.watch.opaque = vfu;
	vfu->listener.fn = listener_ready;
	vfu->listener.opaque = vfu;
	for (i = 0; i < MODEL_PCI_BARS; i++)
		vfu->mmap_fd[i] = -1;
	model_pci_init(&vfu->pci, params->msix_vectors, &vfu_pci_events, vfu);
	vfu_irq_init(vfu);
	return vfu;
}

/**
 * model_vfu_create - make a server
 * @params: parameters of the server
 *
 * The server listens, but accepts clients only after model_vfu_attach().
 *
 * Return: the server, or NULL with errno set.
 */
struct model_vfu *model_vfu_create(const struct model_vfu_params *params)
{
	struct model_vfu *vfu = vfu_alloc(params);
	int fd;

	if (!vfu)
		return NULL;
	fd = model_unix_listen(params->path, &vfu->name);
	if (fd < 0) {
		free(vfu);
		errno = -fd;
		return NULL;
	}
	vfu->listener.fd = fd;
	return vfu;
}

/**
 * model_vfu_attach - set the device of the server, and accept clients
 * @vfu: a new server
 * @ops: the device
 * @opaque: first argument of @ops
 */
void model_vfu_attach(struct model_vfu *vfu, const struct model_vfu_ops *ops,
		      void *opaque)
{
	vfu->ops = ops;
	vfu->opaque = opaque;
	model_dma_set_unmap_fn(vfu->dma, engine_dma_unmap, vfu);
	model_loop_watch(vfu->loop, &vfu->listener, EPOLLIN);
}

/**
 * model_vfu_destroy - disconnect the client, remove the socket, free the server
 * @vfu: the server; its device must still exist, since a disconnect resets it
 */
void model_vfu_destroy(struct model_vfu *vfu)
{
	if (vfu->conn.open)
		disconnect(vfu, "the device process ends");
	model_loop_unwatch(vfu->loop, &vfu->listener);
	model_dma_set_unmap_fn(vfu->dma, NULL, NULL);
	close(vfu->listener.fd);
	model_unix_unbind(&vfu->name);
	free(vfu);
}

/**
 * model_vfu_set_pending - set or clear the bit Transactions Pending, for tests
 * @vfu: the server
 * @pending: value of the bit, which stays until the next call
 */
void model_vfu_set_pending(struct model_vfu *vfu, bool pending)
{
	model_pci_set_pending(&vfu->pci, pending);
}

/**
 * model_vfu_bus_master - check whether DMA and interrupts are possible
 * @vfu: the server
 *
 * Return: true with bus mastering on, in D0.
 */
bool model_vfu_bus_master(const struct model_vfu *vfu)
{
	return vfu->bus_master;
}

/**
 * model_vfu_stats - get the counters
 * @vfu: the server
 *
 * Return: the counters, which the server continues to update.
 */
const struct model_vfu_stats *model_vfu_stats(const struct model_vfu *vfu)
{
	return &vfu->stats;
}

/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Structures and functions that only the files of the vfio-user server use:
 * vfu.c (socket and messages), vfu_dev.c (the device and its regions),
 * vfu_irq.c (interrupts). The interface to other files is in vfu.h.
 */
#ifndef MODEL_VFU_PRIV_H
#define MODEL_VFU_PRIV_H

#include "base/unix_socket.h"
#include "host/pci.h"
#include "host/vfu.h"
#include "host/vfu_proto.h"

#define VFU_MAX_DATA	65536
#define VFU_MAX_FDS	16
#define VFU_MAX_MESSAGE	(sizeof(struct vfu_header) +			\
			 sizeof(struct vfu_region_io) + VFU_MAX_DATA)
#define VFU_IN_SIZE	(2 * VFU_MAX_MESSAGE)

/**
 * struct vfu_request - a message being handled
 * @body: bytes of the message after its header
 * @len: number of bytes in @body
 * @fds: descriptors of the message; a handler that keeps a descriptor replaces
 *	it by -1
 * @n_fds: number of descriptors in @fds
 * @reply: buffer for the body of the reply, VFU_MAX_MESSAGE less the header
 * @reply_len: number of bytes in @reply
 * @reply_fd: descriptor to send with the reply, or -1; not closed
 * @hang_up: close the connection after the reply
 */
struct vfu_request {
	const u8 *body;
	size_t len;
	int *fds;
	unsigned int n_fds;
	u8 *reply;
	size_t reply_len;
	int reply_fd;
	bool hang_up;
};

/**
 * struct vfu_connection - the connection to the client
 * @watch: socket of the client
 * @open: a client is connected
 * @negotiated: the server has accepted the version message of the client
 * @in: bytes received
 * @in_pos: offset in @in of the first byte that is not handled
 * @in_len: number of bytes in @in
 * @fds: descriptors received
 * @n_fds: number of descriptors in @fds
 * @fds_pos: offset in @in of the message to which @fds belong
 * @out: the reply being sent
 * @out_pos: offset in @out of the first byte that is not sent
 * @out_len: number of bytes in @out; equal to @out_pos when all bytes are sent
 */
struct vfu_connection {
	struct model_watch watch;
	bool open;
	bool negotiated;
	u8 in[VFU_IN_SIZE];
	size_t in_pos;
	size_t in_len;
	int fds[VFU_MAX_FDS];
	unsigned int n_fds;
	size_t fds_pos;
	u8 out[VFU_MAX_MESSAGE];
	size_t out_pos;
	size_t out_len;
};

/**
 * struct vfu_msix - interrupts
 * @eventfd: eventfd of each vector, -1 for a vector without an eventfd
 * @pending: bit of each vector: raised, but masked or without an eventfd
 * @table: the MSI-X table as written to BAR 0; the server only stores it
 */
struct vfu_msix {
	int eventfd[XRDMA_MSIX_VECTORS];
	u64 pending;
	u8 table[XRDMA_MSIX_VECTORS * 16];
};

/* struct model_vfu - the server; the engine knows the state @bus_master */
struct model_vfu {
	struct model_loop *loop;
	struct model_dma *dma;
	struct model_host_errors *herr;
	const struct model_vfu_ops *ops;
	void *opaque;
	struct model_unix_name name;
	struct model_watch listener;
	struct vfu_connection conn;
	struct model_pci pci;
	struct vfu_msix msix;
	int mmap_fd[MODEL_PCI_BARS];
	bool bus_master;
	struct model_vfu_stats stats;
};

/* vfu_dev.c */
extern const struct model_pci_events vfu_pci_events;
int vfu_version(struct model_vfu *vfu, struct vfu_request *req);
int vfu_device_get_info(struct model_vfu *vfu, struct vfu_request *req);
int vfu_device_get_region_info(struct model_vfu *vfu, struct vfu_request *req);
int vfu_device_reset(struct model_vfu *vfu, struct vfu_request *req);
int vfu_region_read(struct model_vfu *vfu, struct vfu_request *req);
int vfu_region_write(struct model_vfu *vfu, struct vfu_request *req);
int vfu_region_write_multi(struct model_vfu *vfu, struct vfu_request *req);
int vfu_dma_map(struct model_vfu *vfu, struct vfu_request *req);
int vfu_dma_unmap(struct model_vfu *vfu, struct vfu_request *req);
void vfu_reset(struct model_vfu *vfu);

/* vfu_irq.c */
void vfu_irq_init(struct model_vfu *vfu);
void vfu_irq_release(struct model_vfu *vfu);
void vfu_irq_reset(struct model_vfu *vfu);
void vfu_irq_state_changed(struct model_vfu *vfu);
bool vfu_irq_owns(u32 region, u64 off);
int vfu_irq_bar_read(struct model_vfu *vfu, u64 off, void *buf, size_t len);
int vfu_irq_bar_write(struct model_vfu *vfu, u64 off, const void *buf,
		      size_t len);
int vfu_device_get_irq_info(struct model_vfu *vfu, struct vfu_request *req);
int vfu_device_set_irqs(struct model_vfu *vfu, struct vfu_request *req);

#endif /* MODEL_VFU_PRIV_H */

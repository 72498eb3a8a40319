// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Interrupts of the vfio-user server: MSI-X vectors, one eventfd each, their
 * pending bits, and the part of BAR 0 that holds table and pending bit array.
 * The MSI-X capability is in host/pci.c.
 *
 * QEMU emulates the MSI-X table and does not forward accesses of the guest to
 * this server. A vector is delivered according to its eventfd, and the enable
 * and function mask bits of configuration space.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "host/vfu_priv.h"

#define TABLE_ENTRY_SIZE	16
#define TABLE_ENTRY_CONTROL	12
#define TABLE_ENTRY_MASKED	1

/* Size of the page of the MSI-X table, and of the page of the pending bits */
#define MSIX_PAGE		0x1000

/**
 * vfu_irq_init - initialize the interrupts: no vector has an eventfd
 * @vfu: a new server
 */
void vfu_irq_init(struct model_vfu *vfu)
{
	unsigned int i;

	for (i = 0; i < XRDMA_MSIX_VECTORS; i++)
		vfu->msix.eventfd[i] = -1;
	vfu_irq_reset(vfu);
}

/**
 * vfu_irq_reset - reset the MSI-X table and the pending bits
 * @vfu: the server
 *
 * The eventfds stay: the client sets them, and they are no state of the
 * function.
 */
void vfu_irq_reset(struct model_vfu *vfu)
{
	struct vfu_msix *msix = &vfu->msix;
	unsigned int i;

	msix->pending = 0;
	memset(msix->table, 0, sizeof(msix->table));
	for (i = 0; i < XRDMA_MSIX_VECTORS; i++)
		msix->table[i * TABLE_ENTRY_SIZE + TABLE_ENTRY_CONTROL] =
			TABLE_ENTRY_MASKED;
}

static void set_eventfd(struct model_vfu *vfu, unsigned int vector, int fd)
{
	int *slot = &vfu->msix.eventfd[vector];

	if (*slot >= 0)
		close(*slot);
	*slot = fd;
}

/**
 * vfu_irq_release - close all eventfds
 * @vfu: the server
 */
void vfu_irq_release(struct model_vfu *vfu)
{
	unsigned int i;

	for (i = 0; i < XRDMA_MSIX_VECTORS; i++)
		set_eventfd(vfu, i, -1);
}

/*
 * Deliver one vector, or set its pending bit if it is masked or has no eventfd
 */
static void deliver(struct model_vfu *vfu, unsigned int vector)
{
	struct vfu_msix *msix = &vfu->msix;
	u64 bit = BIT_ULL(vector);
	u64 one = 1;

	if (msix->eventfd[vector] < 0 || model_pci_msix_masked(&vfu->pci)) {
		msix->pending |= bit;
		return;
	}
	msix->pending &= ~bit;
	/*
	 * EAGAIN: the counter of the eventfd is at its maximum, so it is
	 * readable
	 */
	if (write(msix->eventfd[vector], &one, sizeof(one)) < 0 &&
	    errno != EAGAIN)
		model_warn("vector %u: eventfd: %s", vector, strerror(errno));
	vfu->stats.irqs++;
}

/**
 * model_vfu_irq - raise an MSI-X vector
 * @vfu: the server
 * @vector: the vector
 *
 * While MSI-X or bus mastering is off, or if the vector does not exist, the
 * interrupt is only counted in @irqs_dropped.
 */
void model_vfu_irq(struct model_vfu *vfu, unsigned int vector)
{
	if (vector >= model_pci_msix_vectors(&vfu->pci) ||
	    !model_pci_msix_enabled(&vfu->pci) ||
	    !model_pci_bus_master(&vfu->pci)) {
		vfu->stats.irqs_dropped++;
		return;
	}
	deliver(vfu, vector);
}

static void deliver_pending(struct model_vfu *vfu)
{
	u64 pending = vfu->msix.pending;
	unsigned int i;

	for (i = 0; pending; i++, pending >>= 1)
		if (pending & 1)
			deliver(vfu, i);
}

/**
 * vfu_irq_state_changed - deliver or clear pending vectors after a change of
 * the MSI-X bits or of bus mastering
 * @vfu: the server
 */
void vfu_irq_state_changed(struct model_vfu *vfu)
{
	if (!model_pci_msix_enabled(&vfu->pci))
		vfu->msix.pending = 0;
	else if (model_pci_bus_master(&vfu->pci))
		deliver_pending(vfu);
}

/**
 * model_vfu_vectors - get the size of the MSI-X table
 * @vfu: the server
 *
 * Return: number of vectors.
 */
unsigned int model_vfu_vectors(const struct model_vfu *vfu)
{
	return model_pci_msix_vectors(&vfu->pci);
}

/**
 * model_vfu_vectors_enabled - count the vectors that can be delivered
 * @vfu: the server
 *
 * Return: number of vectors with an eventfd; 0 while MSI-X is off.
 */
unsigned int model_vfu_vectors_enabled(const struct model_vfu *vfu)
{
	unsigned int i, n = 0;

	if (!model_pci_msix_enabled(&vfu->pci))
		return 0;
	for (i = 0; i < XRDMA_MSIX_VECTORS; i++)
		n += vfu->msix.eventfd[i] >= 0;
	return n;
}

static size_t table_size(const struct model_vfu *vfu)
{
	return model_vfu_vectors(vfu) * TABLE_ENTRY_SIZE;
}

/**
 * vfu_irq_owns - check for an access to the MSI-X table or the pending bits
 * @region: number of the BAR
 * @off: offset in the BAR
 *
 * Return: true if @off is in the pages of MSI-X table or pending bits. An
 * aligned access is completely inside or outside of these pages.
 */
bool vfu_irq_owns(u32 region, u64 off)
{
	return region == XRDMA_BAR_REGS && off >= XRDMA_MSIX_TABLE &&
	       off < XRDMA_MSIX_PBA + MSIX_PAGE;
}

/**
 * vfu_irq_bar_read - read table or pending bits
 * @vfu: the server
 * @off: offset in BAR 0 for which vfu_irq_owns() is true
 * @buf: buffer for the bytes
 * @len: bytes
 *
 * Return: 0. Bytes outside of table and pending bits read as zero.
 */
int vfu_irq_bar_read(struct model_vfu *vfu, u64 off, void *buf, size_t len)
{
	const u8 *pba = (const u8 *)&vfu->msix.pending;
	u8 *bytes = buf;
	u64 at;

	for (at = off; at < off + len; at++, bytes++) {
		u64 in_table = at - XRDMA_MSIX_TABLE;
		u64 in_pba = at - XRDMA_MSIX_PBA;

		if (in_table < table_size(vfu))
			*bytes = vfu->msix.table[in_table];
		else if (in_pba < sizeof(vfu->msix.pending))
			*bytes = pba[in_pba];
		else
			*bytes = 0;
	}
	return 0;
}

/**
 * vfu_irq_bar_write - write table or pending bits
 * @vfu: the server
 * @off: offset in BAR 0 for which vfu_irq_owns() is true
 * @buf: the bytes
 * @len: bytes
 *
 * Return: 0. Bytes outside of the table are dropped.
 */
int vfu_irq_bar_write(struct model_vfu *vfu, u64 off, const void *buf,
		      size_t len)
{
	u64 in_table = off - XRDMA_MSIX_TABLE;
	const u8 *bytes = buf;
	size_t i;

	for (i = 0; i < len && in_table + i < table_size(vfu); i++)
		vfu->msix.table[in_table + i] = bytes[i];
	return 0;
}

static unsigned int irq_count(const struct model_vfu *vfu, u32 index)
{
	return index == VFU_IRQ_MSIX ? model_vfu_vectors(vfu) : 0;
}

/**
 * vfu_device_get_irq_info - handle VFU_DEVICE_GET_IRQ_INFO
 * @vfu: the server
 * @req: the message
 *
 * Return: 0, or -EINVAL for an unknown interrupt type or no room for a reply.
 */
int vfu_device_get_irq_info(struct model_vfu *vfu, struct vfu_request *req)
{
	struct vfu_irq_info info;

	memcpy(&info, req->body, sizeof(info));
	if (info.argsz < sizeof(info) || info.index >= VFU_IRQS)
		return -EINVAL;
	info.argsz = sizeof(info);
	info.flags = VFU_IRQ_FLAG_EVENTFD;
	info.count = irq_count(vfu, info.index);
	memcpy(req->reply, &info, sizeof(info));
	req->reply_len = sizeof(info);
	return 0;
}

/*
 * Whether a descriptor is an eventfd. A write to another kind of file, such as
 * a pipe or a socket, can block or end this process, or change a file.
 */
static bool is_eventfd(int fd)
{
	static const char eventfd[] = "anon_inode:[eventfd]";
	char path[32], kind[sizeof(eventfd)];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, kind, sizeof(kind)) == sizeof(eventfd) - 1 &&
	       !memcmp(kind, eventfd, sizeof(eventfd) - 1);
}

/*
 * Set the eventfds of a range from the descriptors, or close them if none came
 */
static int assign_eventfds(struct model_vfu *vfu, const struct vfu_irq_set *set,
			   struct vfu_request *req)
{
	unsigned int i;

	if (req->n_fds && req->n_fds != set->count)
		return -EINVAL;
	for (i = 0; i < req->n_fds; i++)
		if (!is_eventfd(req->fds[i]))
			return -EINVAL;
	for (i = 0; i < set->count; i++) {
		int fd = -1;

		if (req->n_fds) {
			fd = req->fds[i];
			req->fds[i] = -1;
			/* an interrupt must never block the device */
			fcntl(fd, F_SETFL, O_NONBLOCK);
		}
		set_eventfd(vfu, set->start + i, fd);
	}
	vfu_irq_state_changed(vfu);
	return 0;
}

/* Raise the vectors of a range; with @flags, only those whose flag is not 0 */
static int trigger(struct model_vfu *vfu, const struct vfu_irq_set *set,
		   const u8 *flags, size_t n_flags)
{
	unsigned int i;

	if (flags && n_flags < set->count)
		return -EINVAL;
	for (i = 0; i < set->count; i++)
		if (!flags || flags[i])
			model_vfu_irq(vfu, set->start + i);
	return 0;
}

/**
 * vfu_device_set_irqs - handle VFU_DEVICE_SET_IRQS
 * @vfu: the server
 * @req: the message
 *
 * Return: 0, or -EINVAL for a type, range or combination of flags that the
 * function does not have, and for a descriptor that is no eventfd.
 */
int vfu_device_set_irqs(struct model_vfu *vfu, struct vfu_request *req)
{
	const u8 *data = req->body + sizeof(struct vfu_irq_set);
	size_t data_len = req->len - sizeof(struct vfu_irq_set);
	struct vfu_irq_set set;
	unsigned int count;

	memcpy(&set, req->body, sizeof(set));
	if (set.index >= VFU_IRQS)
		return -EINVAL;
	count = irq_count(vfu, set.index);
	if (set.start > count || set.count > count - set.start)
		return -EINVAL;
	switch (set.flags) {
	case VFU_IRQ_DATA_NONE | VFU_IRQ_ACTION_TRIGGER:
		if (set.count)
			return trigger(vfu, &set, NULL, 0);
		if (set.start)
			return -EINVAL;
		if (set.index == VFU_IRQ_MSIX)
			vfu_irq_release(vfu);
		return 0;
	case VFU_IRQ_DATA_BOOL | VFU_IRQ_ACTION_TRIGGER:
		return trigger(vfu, &set, data, data_len);
	case VFU_IRQ_DATA_EVENTFD | VFU_IRQ_ACTION_TRIGGER:
		return assign_eventfds(vfu, &set, req);
	default:
		return -EINVAL;
	}
}

// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Handlers of vfio-user messages: version and capabilities, regions and
 * accesses to them, DMA mappings, reset. Each handler gets a message of at
 * least the size in the table of vfu.c, which receives the messages. The
 * handlers of interrupts are in vfu_irq.c.
 */
#include <errno.h>
#include <json-c/json.h>
#include <linux/array_size.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "host/vfu_priv.h"

/*
 * Value of each capability that the server supports; the reply has those that
 * the client named. The server accepts more than max_dma_maps mappings, see
 * MODEL_DMA_MAPPINGS.
 */
static const struct {
	const char *name;
	const char *value;
} capabilities[] = {
	{ "max_data_xfer_size", "65536" },
	{ "max_dma_maps", "65535" },
	{ "max_msg_fds", "16" },
	{ "pgsizes", "4096" },
	{ "write_multiple", "true" },
};

static_assert(VFU_MAX_DATA == 65536 && VFU_MAX_FDS == 16);

static size_t print_capabilities(struct json_object *proposed, char *text,
				 size_t size)
{
	const char *separator = "";
	size_t len, i;

	len = snprintf(text, size, "{\"capabilities\":{");
	for (i = 0; i < ARRAY_SIZE(capabilities); i++) {
		if (!json_object_object_get_ex(proposed, capabilities[i].name,
					       NULL))
			continue;
		len += snprintf(text + len, size - len, "%s\"%s\":%s",
				separator, capabilities[i].name,
				capabilities[i].value);
		separator = ",";
	}
	len += snprintf(text + len, size - len, "}}");
	return len + 1;
}

/* Append the reply to @text, the NUL-terminated JSON text of the client */
static int negotiate(const char *text, struct vfu_request *req)
{
	struct json_object *root, *proposed = NULL;
	int err = -EINVAL;

	root = json_tokener_parse(text);
	if (!json_object_is_type(root, json_type_object))
		goto put_root;
	if (json_object_object_get_ex(root, "capabilities", &proposed) &&
	    !json_object_is_type(proposed, json_type_object))
		goto put_root;
	req->reply_len += print_capabilities(proposed,
					     (char *)req->reply +
					     req->reply_len, 512);
	err = 0;
put_root:
	json_object_put(root);
	return err;
}

/**
 * vfu_version - handle VFU_VERSION
 * @vfu: the server
 * @req: the message
 *
 * Return: 0; -EINVAL, which also disconnects the client, for an unsupported
 * major version, a malformed text, or a second negotiation.
 */
int vfu_version(struct model_vfu *vfu, struct vfu_request *req)
{
	const struct vfu_version reply = { VFU_VERSION_MAJOR,
					   VFU_VERSION_MINOR };
	const char *text = (const char *)req->body + sizeof(reply);
	size_t len = req->len - sizeof(reply);
	struct vfu_version version;

	memcpy(&version, req->body, sizeof(version));
	req->hang_up = true;
	if (vfu->conn.negotiated || version.major != VFU_VERSION_MAJOR)
		return -EINVAL;
	memcpy(req->reply, &reply, sizeof(reply));
	req->reply_len = sizeof(reply);
	if (len && (text[len - 1] || negotiate(text, req)))
		return -EINVAL;
	req->hang_up = false;
	vfu->conn.negotiated = true;
	return 0;
}

/**
 * vfu_device_get_info - handle VFU_DEVICE_GET_INFO
 * @vfu: the server
 * @req: the message
 *
 * Return: 0, or -EINVAL without room for the reply.
 */
int vfu_device_get_info(struct model_vfu *vfu, struct vfu_request *req)
{
	struct vfu_device_info info;

	(void)vfu;
	memcpy(&info, req->body, sizeof(info));
	if (info.argsz < sizeof(info))
		return -EINVAL;
	info.argsz = sizeof(info);
	info.flags = VFU_DEVICE_FLAG_RESET | VFU_DEVICE_FLAG_PCI;
	info.num_regions = VFU_REGIONS;
	info.num_irqs = VFU_IRQS;
	memcpy(req->reply, &info, sizeof(info));
	req->reply_len = sizeof(info);
	return 0;
}

static u64 region_size(const struct model_vfu *vfu, u32 region)
{
	if (region == VFU_REGION_CONFIG)
		return MODEL_PCI_CONFIG_SIZE;
	return model_pci_bar_size(&vfu->pci, region);
}

/**
 * vfu_device_get_region_info - handle VFU_DEVICE_GET_REGION_INFO
 * @vfu: the server
 * @req: the message
 *
 * Return: 0, or -EINVAL for an unknown region or no room for the reply.
 */
int vfu_device_get_region_info(struct model_vfu *vfu, struct vfu_request *req)
{
	struct vfu_region_info info;

	memcpy(&info, req->body, sizeof(info));
	if (info.argsz < sizeof(info) || info.index >= VFU_REGIONS)
		return -EINVAL;
	info.argsz = sizeof(info);
	info.flags = 0;
	info.cap_offset = 0;
	info.size = region_size(vfu, info.index);
	info.offset = 0;
	if (info.size)
		info.flags = VFU_REGION_FLAG_READ | VFU_REGION_FLAG_WRITE;
	if (info.index < MODEL_PCI_BARS && vfu->mmap_fd[info.index] >= 0) {
		info.flags |= VFU_REGION_FLAG_MMAP;
		req->reply_fd = vfu->mmap_fd[info.index];
	}
	memcpy(req->reply, &info, sizeof(info));
	req->reply_len = sizeof(info);
	return 0;
}

/**
 * model_vfu_offer_mmap - let the client map a BAR instead of trapping accesses
 * @vfu: the server, before a client connects
 * @bar: number of the BAR
 * @fd: memory of the size of the BAR; the caller owns it and keeps it open
 *
 * A mapped BAR is accessed without messages to the server. QEMU posts no writes
 * to any BAR once one BAR is mapped: each write waits for its reply.
 *
 * Return: 0, or -EINVAL for a BAR that does not exist, or BAR 0, which has the
 * MSI-X table.
 */
int model_vfu_offer_mmap(struct model_vfu *vfu, unsigned int bar, int fd)
{
	if (!model_pci_bar_size(&vfu->pci, bar) || bar == XRDMA_BAR_REGS)
		return -EINVAL;
	vfu->mmap_fd[bar] = fd;
	return 0;
}

/**
 * model_vfu_add_memory - add a prefetchable BAR of memory
 * @vfu: the server, before a client connects
 * @bar: number of a BAR that is not in use
 * @size: bytes, a power of two
 *
 * Accesses go through @read and @write of the engine; see also
 * model_vfu_offer_mmap().
 */
void model_vfu_add_memory(struct model_vfu *vfu, unsigned int bar, u64 size)
{
	model_pci_add_memory(&vfu->pci, bar, size);
}

/**
 * model_vfu_add_push_pages - make the BAR of the doorbells large enough for push
 * pages
 * @vfu: the server, before a client connects
 */
void model_vfu_add_push_pages(struct model_vfu *vfu)
{
	model_pci_add_push_pages(&vfu->pci);
}

/* Pass a change of bus mastering to the engine and the DMA mappings */
static void bus_master_changed(struct model_vfu *vfu)
{
	bool on = model_pci_bus_master(&vfu->pci);

	if (on == vfu->bus_master)
		return;
	vfu->bus_master = on;
	model_dma_enable(vfu->dma, on);
	if (vfu->ops->bus_master)
		vfu->ops->bus_master(vfu->opaque, on);
}

static void pci_changed(void *opaque)
{
	struct model_vfu *vfu = opaque;

	bus_master_changed(vfu);
	vfu_irq_state_changed(vfu);
}

/* Called when configuration space is reset: reset the rest of the function */
static void pci_reset(void *opaque)
{
	struct model_vfu *vfu = opaque;

	vfu_irq_reset(vfu);
	vfu->stats.resets++;
	vfu->ops->reset(vfu->opaque);
}

const struct model_pci_events vfu_pci_events = {
	.changed = pci_changed,
	.reset = pci_reset,
};

/**
 * vfu_reset - reset the function
 * @vfu: the server
 */
void vfu_reset(struct model_vfu *vfu)
{
	model_pci_reset(&vfu->pci);
	pci_reset(vfu);
}

/**
 * vfu_device_reset - handle VFU_DEVICE_RESET
 * @vfu: the server
 * @req: the message
 *
 * Return: 0.
 */
int vfu_device_reset(struct model_vfu *vfu, struct vfu_request *req)
{
	(void)req;
	vfu_reset(vfu);
	return 0;
}

/* Whether an access lies in its region and has an allowed size and alignment */
static bool access_allowed(const struct model_vfu *vfu,
			   const struct vfu_region_io *io)
{
	u64 size = region_size(vfu, io->region);
	u32 count = io->count;

	if (!count || count > size || io->offset > size - count)
		return false;
	if (io->region == VFU_REGION_CONFIG)
		return true;
	return count <= 8 && !(count & (count - 1)) &&
	       !(io->offset & (count - 1));
}

/*
 * While memory space is disabled, reads return all ones and writes are dropped
 */
static bool bar_answers(struct model_vfu *vfu, const struct vfu_region_io *io,
			const char *what)
{
	if (model_pci_memory_enabled(&vfu->pci))
		return true;
	model_host_error(vfu->herr, MODEL_HERR_BAR_DISABLED,
			 "%s of %u bytes at BAR%u + 0x%llx", what, io->count,
			 io->region, io->offset);
	return false;
}

static int region_read(struct model_vfu *vfu, const struct vfu_region_io *io,
		       void *buf)
{
	if (!access_allowed(vfu, io))
		return -EINVAL;
	if (io->region == VFU_REGION_CONFIG)
		return model_pci_read(&vfu->pci, io->offset, buf, io->count);
	if (!bar_answers(vfu, io, "read"))
		memset(buf, 0xff, io->count);
	else if (vfu_irq_owns(io->region, io->offset))
		vfu_irq_bar_read(vfu, io->offset, buf, io->count);
	else
		vfu->ops->read(vfu->opaque, io->region, io->offset, buf,
			       io->count);
	return 0;
}

static int region_write(struct model_vfu *vfu, const struct vfu_region_io *io,
			const void *buf)
{
	if (!access_allowed(vfu, io))
		return -EINVAL;
	if (io->region == VFU_REGION_CONFIG)
		return model_pci_write(&vfu->pci, io->offset, buf, io->count);
	if (!bar_answers(vfu, io, "write"))
		return 0;
	if (vfu_irq_owns(io->region, io->offset))
		vfu_irq_bar_write(vfu, io->offset, buf, io->count);
	else
		vfu->ops->write(vfu->opaque, io->region, io->offset, buf,
				io->count);
	return 0;
}

/**
 * vfu_region_read - handle VFU_REGION_READ
 * @vfu: the server
 * @req: the message
 *
 * Return: 0, or -EINVAL for an access outside of a region, or of a size or
 * alignment that is not allowed.
 */
int vfu_region_read(struct model_vfu *vfu, struct vfu_request *req)
{
	struct vfu_region_io io;
	int err;

	memcpy(&io, req->body, sizeof(io));
	err = region_read(vfu, &io, req->reply + sizeof(io));
	if (err)
		return err;
	memcpy(req->reply, &io, sizeof(io));
	req->reply_len = sizeof(io) + io.count;
	return 0;
}

/**
 * vfu_region_write - handle VFU_REGION_WRITE
 * @vfu: the server
 * @req: the message
 *
 * Return: as vfu_region_read(), also -EINVAL if the data is not @count bytes.
 */
int vfu_region_write(struct model_vfu *vfu, struct vfu_request *req)
{
	struct vfu_region_io io;
	int err;

	memcpy(&io, req->body, sizeof(io));
	if (req->len - sizeof(io) != io.count)
		return -EINVAL;
	err = region_write(vfu, &io, req->body + sizeof(io));
	if (err)
		return err;
	memcpy(req->reply, &io, sizeof(io));
	req->reply_len = sizeof(io);
	return 0;
}

/**
 * vfu_region_write_multi - handle VFU_REGION_WRITE_MULTI
 * @vfu: the server
 * @req: the message
 *
 * Return: 0; -EINVAL if the size of the message does not match the number of
 * writes, or if a write fails; then the writes before it are done and those
 * after it are not.
 */
int vfu_region_write_multi(struct model_vfu *vfu, struct vfu_request *req)
{
	struct vfu_write_one one;
	u64 count, i;
	int err;

	memcpy(&count, req->body, sizeof(count));
	if ((req->len - sizeof(count)) % sizeof(one) ||
	    (req->len - sizeof(count)) / sizeof(one) != count)
		return -EINVAL;
	for (i = 0; i < count; i++) {
		memcpy(&one, req->body + sizeof(count) + i * sizeof(one),
		       sizeof(one));
		if (one.io.count > sizeof(one.data))
			return -EINVAL;
		err = region_write(vfu, &one.io, one.data);
		if (err)
			return err;
	}
	memcpy(req->reply, &count, sizeof(count));
	req->reply_len = sizeof(count);
	return 0;
}

static unsigned int to_rights(u32 flags)
{
	return (flags & VFU_DMA_READABLE ? MODEL_DMA_READ : 0) |
	       (flags & VFU_DMA_WRITEABLE ? MODEL_DMA_WRITE : 0);
}

/**
 * vfu_dma_map - handle VFU_DMA_MAP
 * @vfu: the server
 * @req: the message, with one descriptor or none
 *
 * Return: 0, -EINVAL for unknown flags, or as model_dma_map().
 */
int vfu_dma_map(struct model_vfu *vfu, struct vfu_request *req)
{
	struct vfu_dma_map map;

	memcpy(&map, req->body, sizeof(map));
	if (map.argsz < sizeof(map) ||
	    map.flags & ~(VFU_DMA_READABLE | VFU_DMA_WRITEABLE))
		return -EINVAL;
	return model_dma_map(vfu->dma, map.address, map.size,
			     to_rights(map.flags),
			     req->n_fds ? req->fds[0] : -1, map.offset);
}

/**
 * vfu_dma_unmap - handle VFU_DMA_UNMAP
 * @vfu: the server
 * @req: the message
 *
 * Return: 0, -EINVAL for unknown flags, or as model_dma_unmap().
 */
int vfu_dma_unmap(struct model_vfu *vfu, struct vfu_request *req)
{
	struct vfu_dma_unmap unmap;
	int err = 0;

	memcpy(&unmap, req->body, sizeof(unmap));
	if (unmap.flags & ~VFU_UNMAP_ALL)
		return -EINVAL;
	if (unmap.flags & VFU_UNMAP_ALL)
		model_dma_unmap_all(vfu->dma);
	else
		err = model_dma_unmap(vfu->dma, unmap.address, unmap.size);
	if (err)
		return err;
	memcpy(req->reply, &unmap, sizeof(unmap));
	req->reply_len = sizeof(unmap);
	return 0;
}

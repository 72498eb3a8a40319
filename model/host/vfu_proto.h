/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The vfio-user protocol, version 0.0: message layouts and constants, after
 * its specification (docs/interop/vfio-user.rst of QEMU). Values are in the
 * byte order of the machine. The server is in vfu.c, vfu_dev.c and vfu_irq.c.
 */
#ifndef MODEL_VFU_PROTO_H
#define MODEL_VFU_PROTO_H

#include <assert.h>
#include <linux/types.h>

#define VFU_VERSION_MAJOR	0
#define VFU_VERSION_MINOR	0

/* Commands from the client to the server that the server handles */
#define VFU_VERSION			1
#define VFU_DMA_MAP			2
#define VFU_DMA_UNMAP			3
#define VFU_DEVICE_GET_INFO		4
#define VFU_DEVICE_GET_REGION_INFO	5
#define VFU_DEVICE_GET_IRQ_INFO		7
#define VFU_DEVICE_SET_IRQS		8
#define VFU_REGION_READ			9
#define VFU_REGION_WRITE		10
#define VFU_DEVICE_RESET		13
#define VFU_REGION_WRITE_MULTI		15
#define VFU_COMMANDS			16

/* header flags */
#define VFU_TYPE_MASK		0x0f
#define VFU_TYPE_COMMAND	0x00
#define VFU_TYPE_REPLY		0x01
#define VFU_NO_REPLY		0x10
#define VFU_ERROR		0x20

/**
 * struct vfu_header - first bytes of every message
 * @id: number that the sender of a command chooses, and the reply repeats
 * @command: VFU_* command
 * @size: bytes of the message, including this header
 * @flags: type and flag bits
 * @error: errno of a reply with VFU_ERROR
 */
struct vfu_header {
	u16 id;
	u16 command;
	u32 size;
	u32 flags;
	u32 error;
};

static_assert(sizeof(struct vfu_header) == 16);

/**
 * struct vfu_version - body of VFU_VERSION, command and reply
 * @major: major version; must be equal on both sides
 * @minor: minor version; both sides use the lower of the two
 *
 * A JSON text with its NUL may follow.
 */
struct vfu_version {
	u16 major;
	u16 minor;
};

/* flags of struct vfu_dma_map */
#define VFU_DMA_READABLE	0x1
#define VFU_DMA_WRITEABLE	0x2

/**
 * struct vfu_dma_map - body of VFU_DMA_MAP; a descriptor of the memory
 * accompanies it
 * @argsz: size of this structure
 * @flags: VFU_DMA_* bits
 * @offset: offset of the memory in the file
 * @address: first DMA address
 * @size: bytes
 */
struct vfu_dma_map {
	u32 argsz;
	u32 flags;
	u64 offset;
	u64 address;
	u64 size;
};

static_assert(sizeof(struct vfu_dma_map) == 32);

/* flags of struct vfu_dma_unmap, from VFIO */
#define VFU_UNMAP_ALL		0x2

/**
 * struct vfu_dma_unmap - body of VFU_DMA_UNMAP, command and reply
 * @argsz: largest size of the reply
 * @flags: VFU_UNMAP_ALL or 0
 * @address: first DMA address
 * @size: bytes
 */
struct vfu_dma_unmap {
	u32 argsz;
	u32 flags;
	u64 address;
	u64 size;
};

static_assert(sizeof(struct vfu_dma_unmap) == 24);

#define VFU_DEVICE_FLAG_RESET	0x1
#define VFU_DEVICE_FLAG_PCI	0x2

/**
 * struct vfu_device_info - body of VFU_DEVICE_GET_INFO, command and reply
 * @argsz: command: largest size of the reply; reply: size of this structure
 * @flags: VFU_DEVICE_FLAG_*
 * @num_regions: number of regions
 * @num_irqs: number of interrupt types
 */
struct vfu_device_info {
	u32 argsz;
	u32 flags;
	u32 num_regions;
	u32 num_irqs;
};

static_assert(sizeof(struct vfu_device_info) == 16);

/* regions of a PCI function, from VFIO: 0 to 5 are the BARs */
#define VFU_REGION_CONFIG	7
#define VFU_REGIONS		9

#define VFU_REGION_FLAG_READ	0x1
#define VFU_REGION_FLAG_WRITE	0x2
#define VFU_REGION_FLAG_MMAP	0x4

/**
 * struct vfu_region_info - body of VFU_DEVICE_GET_REGION_INFO, command and
 * reply
 * @argsz: command: largest size of the reply; reply: size of this structure
 * @flags: VFU_REGION_FLAG_*
 * @index: number of the region
 * @cap_offset: 0, since the reply has no capabilities
 * @size: bytes of the region; 0 if the function has no such region
 * @offset: offset for mmap() of the descriptor that accompanies
 *	VFU_REGION_FLAG_MMAP
 */
struct vfu_region_info {
	u32 argsz;
	u32 flags;
	u32 index;
	u32 cap_offset;
	u64 size;
	u64 offset;
};

static_assert(sizeof(struct vfu_region_info) == 32);

/* interrupt types of a PCI function, from VFIO */
#define VFU_IRQ_MSIX		2
#define VFU_IRQS		5

#define VFU_IRQ_FLAG_EVENTFD	0x1
#define VFU_IRQ_FLAG_NORESIZE	0x8

/**
 * struct vfu_irq_info - body of VFU_DEVICE_GET_IRQ_INFO, command and reply
 * @argsz: command: largest size of the reply; reply: size of this structure
 * @flags: VFU_IRQ_FLAG_*
 * @index: number of the interrupt type
 * @count: number of interrupts of this type
 */
struct vfu_irq_info {
	u32 argsz;
	u32 flags;
	u32 index;
	u32 count;
};

static_assert(sizeof(struct vfu_irq_info) == 16);

/* Flags of struct vfu_irq_set: one VFU_IRQ_DATA_* and one VFU_IRQ_ACTION_* */
#define VFU_IRQ_DATA_NONE	0x01
#define VFU_IRQ_DATA_BOOL	0x02
#define VFU_IRQ_DATA_EVENTFD	0x04
#define VFU_IRQ_ACTION_MASK	0x08
#define VFU_IRQ_ACTION_UNMASK	0x10
#define VFU_IRQ_ACTION_TRIGGER	0x20

/**
 * struct vfu_irq_set - body of VFU_DEVICE_SET_IRQS
 * @argsz: size of this structure and of the data that follows it
 * @flags: VFU_IRQ_DATA_* and VFU_IRQ_ACTION_*
 * @index: number of the interrupt type
 * @start: first interrupt
 * @count: number of interrupts
 *
 * With VFU_IRQ_DATA_BOOL, @count bytes follow.
 */
struct vfu_irq_set {
	u32 argsz;
	u32 flags;
	u32 index;
	u32 start;
	u32 count;
};

static_assert(sizeof(struct vfu_irq_set) == 20);

/**
 * struct vfu_region_io - body of VFU_REGION_READ and VFU_REGION_WRITE
 * @offset: offset in the region
 * @region: number of the region
 * @count: bytes of data
 *
 * The data follows this structure in a write and in the reply to a read.
 */
struct vfu_region_io {
	u64 offset;
	u32 region;
	u32 count;
};

static_assert(sizeof(struct vfu_region_io) == 16);

/**
 * struct vfu_write_one - one write of VFU_REGION_WRITE_MULTI
 * @io: place and number of bytes, 1 to 8
 * @data: the bytes; only the first @io.count are written
 */
struct vfu_write_one {
	struct vfu_region_io io;
	u8 data[8];
};

static_assert(sizeof(struct vfu_write_one) == 24);

#endif /* MODEL_VFU_PROTO_H */

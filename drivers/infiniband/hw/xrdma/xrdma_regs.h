/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA registers: PCI IDs, BARs, register offsets and fields. Capability bits
 * and structures in host memory are in xrdma_hw.h. Contract layer: includes
 * nothing of the driver, the PCI core or verbs.
 * Documentation/infiniband/xrdma-hw.rst specifies each register.
 */

#ifndef XRDMA_REGS_H
#define XRDMA_REGS_H

#include <linux/bits.h>
#include <linux/types.h>

#define XRDMA_PCI_VENDOR_ID		0x1af4
#define XRDMA_PCI_DEVICE_ID		0x10f0

/* Numbers of the BARs; each BAR has 64 bits. */
#define XRDMA_BAR_REGS			0 /* registers and MSI-X table */
#define XRDMA_BAR_DB			2 /* doorbells */
#define XRDMA_BAR_DM			4 /* device memory (optional) */

#define XRDMA_BAR_REGS_SIZE		0x10000   /* in bytes */
#define XRDMA_BAR_DB_SIZE		0x1000000 /* in bytes */
#define XRDMA_NUM_DB_PAGES		(XRDMA_BAR_DB_SIZE / 0x1000)
/* With XRDMA_CAP_PUSH the same number of push pages follows. */
#define XRDMA_BAR_DB_PUSH		XRDMA_BAR_DB_SIZE /* offset of the first */
#define XRDMA_BAR_DB_PUSH_SIZE		(2 * XRDMA_BAR_DB_SIZE) /* of BAR 2 */

/* Vector 0 signals command replies and the asynchronous event queue. */
#define XRDMA_MSIX_VECTORS		64
/* Offsets in BAR 0 of the MSI-X table and of its pending bits */
#define XRDMA_MSIX_TABLE		0x8000
#define XRDMA_MSIX_PBA			0x9000

/*
 * Registers are 32 bits wide, except those marked "64 bits", which are accessed
 * whole or as two 32-bit halves, the low half first. All registers of a device
 * that has been removed read as all ones.
 */
#define XRDMA_REG_MAGIC			0x0000
#define XRDMA_MAGIC			0x4d445258 /* "XRDM" in memory */

#define XRDMA_REG_VERSION		0x0004
#define XRDMA_VERSION_MAJOR		GENMASK(31, 16)
#define XRDMA_VERSION_MINOR		GENMASK(15, 0)
#define XRDMA_CONTRACT_MAJOR		3
#define XRDMA_CONTRACT_MINOR		2

#define XRDMA_REG_CAPS			0x0008 /* 64 bits, XRDMA_CAP_* */

#define XRDMA_REG_CTRL			0x0010
#define XRDMA_CTRL_ENABLE		BIT(0) /* start the device */
#define XRDMA_CTRL_RESET		BIT(1) /* start a reset; reads as zero */
/* with ENABLE: use shadow doorbells; needs XRDMA_CAP_SHADOW_DB */
#define XRDMA_CTRL_SHADOW_DB		BIT(2)

#define XRDMA_REG_STATUS		0x0014
/*
 * The last reset is over. READY alone, with ENABLED, FATAL and CODE clear, says
 * that the device is quiet
 */
#define XRDMA_STATUS_READY		BIT(0)
#define XRDMA_STATUS_ENABLED		BIT(1) /* the device runs */
#define XRDMA_STATUS_FATAL		BIT(2) /* the device has failed */
#define XRDMA_STATUS_CODE		GENMASK(15, 8) /* reason: XRDMA_FATAL_* */
#define XRDMA_FATAL_NONE		0
#define XRDMA_FATAL_BAD_CONFIG		1 /* ENABLE with illegal registers */
#define XRDMA_FATAL_DMA			2 /* ring or table is out of reach */
#define XRDMA_FATAL_INTERNAL		3 /* failure of the device */

/* Command ring and reply ring: 1 << CMD_LOG entries each, whole 4 KiB pages */
#define XRDMA_REG_CMD_BASE		0x0018 /* 64 bits, aligned to 4 KiB */
#define XRDMA_REG_RSP_BASE		0x0020 /* 64 bits, aligned to 4 KiB */
#define XRDMA_REG_CMD_LOG		0x0028 /* CMD_LOG, 5 to 10 */
#define XRDMA_CMD_LOG_MIN		5
#define XRDMA_CMD_LOG_MAX		10

/* A write of the producer index (modulo 2^32) starts all commands below it. */
#define XRDMA_REG_CMD_DB		0x002c
#define XRDMA_REG_MPT_ROOT		0x0030 /* 64 bits, XRDMA_ROOT_* */

/* Permanent MAC address, for a driver that cannot post QUERY_PORT yet */
#define XRDMA_REG_MAC_LO		0x0038 /* bytes 0 to 3, byte 0 lowest */
#define XRDMA_REG_MAC_HI		0x003c /* bytes 4 and 5 */

/*
 * A write of the producer index (modulo 2^32) of the resume ring makes the
 * device read all answers below it. Only with XRDMA_CAP_ODP
 */
#define XRDMA_REG_RESUME_DB		0x0040

/*
 * Device clock, in ns. A read of the low half fixes what following reads of the
 * high half return. Only devices with XRDMA_CAP_CLOCK have this register
 */
#define XRDMA_REG_CLOCK			0x0048 /* 64 bits */

#define XRDMA_REG_END			0x0050

#endif /* XRDMA_REGS_H */

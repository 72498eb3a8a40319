/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The PCI Express side of the function: configuration space and what its
 * writes mean (memory enable, bus mastering, MSI-X enable and mask, power
 * state, function level reset).
 *
 * Knows nothing of vfio-user and nothing of the device behind the BARs.
 */
#ifndef XRDMA_MODEL_PCI_H
#define XRDMA_MODEL_PCI_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "xrdma_regs.h"

#define XRDMA_PCI_REVISION		0x01
/* Ethernet controller: the function is a whole NIC, with RDMA on top */
#define XRDMA_PCI_CLASS			0x020000

#define XRDMA_PCI_CONFIG_SIZE		4096
#define XRDMA_PCI_BARS			6

/**
 * struct xrdma_pci_events - what configuration writes cause
 * @changed: one of the state functions below may answer differently now
 * @reset: a function level reset was asked for; configuration space has its
 *	reset values again when this is called. May be NULL, as may @changed.
 */
struct xrdma_pci_events {
	void (*changed)(void *opaque);
	void (*reset)(void *opaque);
};

/**
 * struct xrdma_pci - configuration space of one function
 * @config: the registers, little-endian
 * @writable: bits that software may write
 * @write_1_clear: bits that writing 1 clears
 * @reset_value: contents after reset
 * @bar_size: bytes of each BAR, a power of two; 0 for none
 * @events: how to tell the owner
 * @opaque: first argument of @events
 */
struct xrdma_pci {
	u8 config[XRDMA_PCI_CONFIG_SIZE];
	u8 writable[XRDMA_PCI_CONFIG_SIZE];
	u8 write_1_clear[XRDMA_PCI_CONFIG_SIZE];
	u8 reset_value[XRDMA_PCI_CONFIG_SIZE];
	u64 bar_size[XRDMA_PCI_BARS];
	const struct xrdma_pci_events *events;
	void *opaque;
};

void xrdma_pci_init(struct xrdma_pci *pci, unsigned int msix_vectors,
		    const struct xrdma_pci_events *events, void *opaque);
int xrdma_pci_read(const struct xrdma_pci *pci, u64 offset, void *buf,
		   size_t len);
int xrdma_pci_write(struct xrdma_pci *pci, u64 offset, const void *buf,
		    size_t len);
void xrdma_pci_reset(struct xrdma_pci *pci);

void xrdma_pci_add_memory(struct xrdma_pci *pci, unsigned int bar, u64 size);
u64 xrdma_pci_bar_size(const struct xrdma_pci *pci, unsigned int bar);
unsigned int xrdma_pci_msix_vectors(const struct xrdma_pci *pci);
bool xrdma_pci_memory_enabled(const struct xrdma_pci *pci);
bool xrdma_pci_bus_master(const struct xrdma_pci *pci);
bool xrdma_pci_msix_enabled(const struct xrdma_pci *pci);
bool xrdma_pci_msix_masked(const struct xrdma_pci *pci);

#endif /* XRDMA_MODEL_PCI_H */

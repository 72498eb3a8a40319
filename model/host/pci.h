/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The PCI Express side of the function: configuration space and what its
 * writes mean (memory enable, bus mastering, MSI-X enable and mask, power
 * state, function level reset).
 *
 * Knows nothing of vfio-user and nothing of the device behind the BARs.
 */
#ifndef MODEL_PCI_H
#define MODEL_PCI_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "xrdma_regs.h"

#define MODEL_PCI_REVISION		0x01
/* Ethernet controller: the function is a whole NIC, with RDMA on top */
#define MODEL_PCI_CLASS			0x020000

#define MODEL_PCI_CONFIG_SIZE		4096
#define MODEL_PCI_BARS			6

/**
 * struct model_pci_events - what configuration writes cause
 * @changed: one of the state functions below may answer differently now
 * @reset: a function level reset was asked for; configuration space has its
 *	reset values again when this is called. May be NULL, as may @changed.
 */
struct model_pci_events {
	void (*changed)(void *opaque);
	void (*reset)(void *opaque);
};

/**
 * struct model_pci - configuration space of one function
 * @config: the registers, little-endian
 * @writable: bits that software may write
 * @write_1_clear: bits that writing 1 clears
 * @reset_value: contents after reset
 * @bar_size: bytes of each BAR, a power of two; 0 for none
 * @events: how to tell the owner
 * @opaque: first argument of @events
 */
struct model_pci {
	u8 config[MODEL_PCI_CONFIG_SIZE];
	u8 writable[MODEL_PCI_CONFIG_SIZE];
	u8 write_1_clear[MODEL_PCI_CONFIG_SIZE];
	u8 reset_value[MODEL_PCI_CONFIG_SIZE];
	u64 bar_size[MODEL_PCI_BARS];
	const struct model_pci_events *events;
	void *opaque;
};

void model_pci_init(struct model_pci *pci, unsigned int msix_vectors,
		    const struct model_pci_events *events, void *opaque);
int model_pci_read(const struct model_pci *pci, u64 offset, void *buf,
		   size_t len);
int model_pci_write(struct model_pci *pci, u64 offset, const void *buf,
		    size_t len);
void model_pci_reset(struct model_pci *pci);

void model_pci_add_memory(struct model_pci *pci, unsigned int bar, u64 size);
u64 model_pci_bar_size(const struct model_pci *pci, unsigned int bar);
unsigned int model_pci_msix_vectors(const struct model_pci *pci);
bool model_pci_memory_enabled(const struct model_pci *pci);
bool model_pci_bus_master(const struct model_pci *pci);
bool model_pci_msix_enabled(const struct model_pci *pci);
bool model_pci_msix_masked(const struct model_pci *pci);

#endif /* MODEL_PCI_H */

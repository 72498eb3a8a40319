/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The PCI configuration space of the function, and the effects of writes to it
 * (memory enable, bus mastering, MSI-X enable and mask, power state, function
 * level reset).
 *
 * The vfio-user server, which receives the accesses, is in host/vfu_dev.c; the
 * MSI-X table is in host/vfu_irq.c; the registers behind the BARs are in
 * core/regs.c.
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
 * struct model_pci_events - functions that a configuration write calls
 * @changed: called when the result of model_pci_memory_enabled(),
 *	model_pci_bus_master(), model_pci_msix_enabled() or
 *	model_pci_msix_masked() may have changed; may be NULL
 * @reset: called for a function level reset, when configuration space has its
 *	reset values again; may be NULL
 */
struct model_pci_events {
	void (*changed)(void *opaque);
	void (*reset)(void *opaque);
};

/**
 * struct model_pci - configuration space of one function
 * @config: the registers, little-endian
 * @writable: mask of the bits that software can write
 * @write_1_clear: mask of the bits that software clears by writing 1
 * @reset_value: contents of @config after a reset
 * @bar_size: bytes of each BAR, a power of two; 0 if the BAR is not implemented
 * @events: functions of the owner; NULL for none
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
void model_pci_set_pending(struct model_pci *pci, bool pending);
void model_pci_reset(struct model_pci *pci);

void model_pci_add_memory(struct model_pci *pci, unsigned int bar, u64 size);
void model_pci_add_push_pages(struct model_pci *pci);
u64 model_pci_bar_size(const struct model_pci *pci, unsigned int bar);
unsigned int model_pci_msix_vectors(const struct model_pci *pci);
bool model_pci_memory_enabled(const struct model_pci *pci);
bool model_pci_bus_master(const struct model_pci *pci);
bool model_pci_msix_enabled(const struct model_pci *pci);
bool model_pci_msix_masked(const struct model_pci *pci);

#endif /* MODEL_PCI_H */

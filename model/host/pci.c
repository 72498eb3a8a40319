// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The PCI configuration space: a table of bytes with masks of the bits that
 * software can change, and the effects of writes. Register names and meanings
 * are those of the PCI and PCI Express base specifications. host/vfu_dev.c
 * handles the messages that access configuration space.
 */
#include <errno.h>
#include <linux/pci_regs.h>
#include <string.h>

#include "host/pci.h"

/* Offsets of the capabilities */
#define CAP_PM		0x40
#define CAP_MSIX	0x50
#define CAP_EXP		0x60

/* Power states, as encoded in PCI_PM_CTRL */
#define PM_D0		0
#define PM_D3HOT	3

/* Version of the PCI Express capability */
#define EXP_VERSION	2
/* Largest payload, as encoded in PCI_EXP_DEVCAP */
#define EXP_PAYLOAD_256B 1

#define MSIX_ENTRY_SIZE	16

static void put16(u8 *p, unsigned int offset, u16 value)
{
	p[offset] = value;
	p[offset + 1] = value >> 8;
}

static void put32(u8 *p, unsigned int offset, u32 value)
{
	put16(p, offset, value);
	put16(p, offset + 2, value >> 16);
}

static u16 get16(const u8 *p, unsigned int offset)
{
	return p[offset] | p[offset + 1] << 8;
}

static void set_capability(struct model_pci *pci, unsigned int offset, u8 id,
			   u8 next)
{
	pci->reset_value[offset + PCI_CAP_LIST_ID] = id;
	pci->reset_value[offset + PCI_CAP_LIST_NEXT] = next;
}

static void set_header(struct model_pci *pci)
{
	u8 *reset = pci->reset_value;

	put16(reset, PCI_VENDOR_ID, XRDMA_PCI_VENDOR_ID);
	put16(reset, PCI_DEVICE_ID, XRDMA_PCI_DEVICE_ID);
	put16(reset, PCI_STATUS, PCI_STATUS_CAP_LIST);
	put32(reset, PCI_CLASS_REVISION,
	      MODEL_PCI_CLASS << 8 | MODEL_PCI_REVISION);
	put16(reset, PCI_SUBSYSTEM_VENDOR_ID, XRDMA_PCI_VENDOR_ID);
	put16(reset, PCI_SUBSYSTEM_ID, XRDMA_PCI_DEVICE_ID);
	reset[PCI_CAPABILITY_LIST] = CAP_PM;

	put16(pci->writable, PCI_COMMAND,
	      PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_PARITY |
	      PCI_COMMAND_SERR | PCI_COMMAND_INTX_DISABLE);
	put16(pci->write_1_clear, PCI_STATUS,
	      PCI_STATUS_PARITY | PCI_STATUS_SIG_TARGET_ABORT |
	      PCI_STATUS_REC_TARGET_ABORT | PCI_STATUS_REC_MASTER_ABORT |
	      PCI_STATUS_SIG_SYSTEM_ERROR | PCI_STATUS_DETECTED_PARITY);
	pci->writable[PCI_CACHE_LINE_SIZE] = 0xff;
	pci->writable[PCI_INTERRUPT_LINE] = 0xff;
}

/* A 64-bit BAR takes the registers @bar and @bar + 1 */
static void set_bar(struct model_pci *pci, unsigned int bar, u64 size,
		    u32 flags)
{
	unsigned int offset = PCI_BASE_ADDRESS_0 + 4 * bar;
	u64 mask = ~(size - 1);

	pci->bar_size[bar] = size;
	put32(pci->reset_value, offset, PCI_BASE_ADDRESS_MEM_TYPE_64 | flags);
	put32(pci->writable, offset, mask & PCI_BASE_ADDRESS_MEM_MASK);
	put32(pci->writable, offset + 4, mask >> 32);
}

/* Only D0 and D3hot exist; a change from D3hot to D0 keeps all state */
static void set_pm(struct model_pci *pci)
{
	set_capability(pci, CAP_PM, PCI_CAP_ID_PM, CAP_MSIX);
	put16(pci->reset_value, CAP_PM + PCI_PM_PMC, 3);
	put16(pci->reset_value, CAP_PM + PCI_PM_CTRL, PCI_PM_CTRL_NO_SOFT_RESET);
	put16(pci->writable, CAP_PM + PCI_PM_CTRL, PCI_PM_CTRL_STATE_MASK);
}

static void set_msix(struct model_pci *pci, unsigned int vectors)
{
	u8 *reset = pci->reset_value;

	set_capability(pci, CAP_MSIX, PCI_CAP_ID_MSIX, CAP_EXP);
	put16(reset, CAP_MSIX + PCI_MSIX_FLAGS, vectors - 1);
	put32(reset, CAP_MSIX + PCI_MSIX_TABLE,
	      XRDMA_MSIX_TABLE | XRDMA_BAR_REGS);
	put32(reset, CAP_MSIX + PCI_MSIX_PBA,
	      XRDMA_MSIX_PBA | XRDMA_BAR_REGS);
	put16(pci->writable, CAP_MSIX + PCI_MSIX_FLAGS,
	      PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL);
}

/* An endpoint with function level reset on a link of 8 lanes at 8 GT/s */
static void set_express(struct model_pci *pci)
{
	u8 *reset = pci->reset_value;

	set_capability(pci, CAP_EXP, PCI_CAP_ID_EXP, 0);
	put16(reset, CAP_EXP + PCI_EXP_FLAGS,
	      EXP_VERSION | PCI_EXP_TYPE_ENDPOINT << 4);
	put32(reset, CAP_EXP + PCI_EXP_DEVCAP,
	      EXP_PAYLOAD_256B | PCI_EXP_DEVCAP_EXT_TAG |
	      PCI_EXP_DEVCAP_RBER | PCI_EXP_DEVCAP_FLR);
	put16(reset, CAP_EXP + PCI_EXP_DEVCTL,
	      PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_NOSNOOP_EN |
	      PCI_EXP_DEVCTL_READRQ_512B);
	put32(reset, CAP_EXP + PCI_EXP_LNKCAP,
	      PCI_EXP_LNKCAP_SLS_8_0GB | 8 << 4);
	put16(reset, CAP_EXP + PCI_EXP_LNKSTA,
	      PCI_EXP_LNKSTA_CLS_8_0GB | PCI_EXP_LNKSTA_NLW_X8);
	put32(reset, CAP_EXP + PCI_EXP_DEVCAP2, PCI_EXP_DEVCAP2_COMP_TMOUT_DIS);
	put32(reset, CAP_EXP + PCI_EXP_LNKCAP2,
	      PCI_EXP_LNKCAP2_SLS_2_5GB | PCI_EXP_LNKCAP2_SLS_5_0GB |
	      PCI_EXP_LNKCAP2_SLS_8_0GB);
	put16(reset, CAP_EXP + PCI_EXP_LNKCTL2, PCI_EXP_LNKCTL2_TLS_8_0GT);

	put16(pci->writable, CAP_EXP + PCI_EXP_DEVCTL,
	      PCI_EXP_DEVCTL_CERE | PCI_EXP_DEVCTL_NFERE |
	      PCI_EXP_DEVCTL_FERE | PCI_EXP_DEVCTL_URRE |
	      PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_PAYLOAD |
	      PCI_EXP_DEVCTL_EXT_TAG | PCI_EXP_DEVCTL_NOSNOOP_EN |
	      PCI_EXP_DEVCTL_READRQ);
	put16(pci->write_1_clear, CAP_EXP + PCI_EXP_DEVSTA,
	      PCI_EXP_DEVSTA_CED | PCI_EXP_DEVSTA_NFED |
	      PCI_EXP_DEVSTA_FED | PCI_EXP_DEVSTA_URD);
	put16(pci->writable, CAP_EXP + PCI_EXP_LNKCTL,
	      PCI_EXP_LNKCTL_ASPMC | PCI_EXP_LNKCTL_RCB |
	      PCI_EXP_LNKCTL_CCC | PCI_EXP_LNKCTL_ES);
	put16(pci->writable, CAP_EXP + PCI_EXP_DEVCTL2,
	      PCI_EXP_DEVCTL2_COMP_TIMEOUT |
	      PCI_EXP_DEVCTL2_COMP_TMOUT_DIS);
}

/**
 * model_pci_init - initialize configuration space to its reset state
 * @pci: the function
 * @msix_vectors: 1 to XRDMA_MSIX_VECTORS
 * @events: functions that configuration writes call; NULL for none
 * @opaque: first argument of @events
 */
void model_pci_init(struct model_pci *pci, unsigned int msix_vectors,
		    const struct model_pci_events *events, void *opaque)
{
	_Static_assert(XRDMA_MSIX_TABLE +
		       XRDMA_MSIX_VECTORS * MSIX_ENTRY_SIZE <=
		       XRDMA_MSIX_PBA, "MSI-X table overlaps PBA");

	memset(pci, 0, sizeof(*pci));
	pci->events = events;
	pci->opaque = opaque;
	set_header(pci);
	set_bar(pci, XRDMA_BAR_REGS, XRDMA_BAR_REGS_SIZE, 0);
	set_bar(pci, XRDMA_BAR_DB, XRDMA_BAR_DB_SIZE, 0);
	set_pm(pci);
	set_msix(pci, msix_vectors);
	set_express(pci);
	memcpy(pci->config, pci->reset_value, sizeof(pci->config));
}

static bool in_config(u64 offset, size_t len)
{
	return len <= MODEL_PCI_CONFIG_SIZE &&
	       offset <= MODEL_PCI_CONFIG_SIZE - len;
}

/**
 * model_pci_read - read configuration space
 * @pci: the function
 * @offset: offset of the first byte
 * @buf: buffer for the bytes
 * @len: number of bytes
 *
 * Return: 0, or -EINVAL outside of configuration space.
 */
int model_pci_read(const struct model_pci *pci, u64 offset, void *buf,
		   size_t len)
{
	if (!in_config(offset, len))
		return -EINVAL;
	memcpy(buf, pci->config + offset, len);
	return 0;
}

static void notify_changed(struct model_pci *pci)
{
	if (pci->events && pci->events->changed)
		pci->events->changed(pci->opaque);
}

static void function_level_reset(struct model_pci *pci)
{
	model_pci_reset(pci);
	if (pci->events && pci->events->reset)
		pci->events->reset(pci->opaque);
}

/* D1 and D2 are optional; a write of an unsupported state has no effect */
static void ignore_unsupported_power_state(struct model_pci *pci, u8 old)
{
	u8 *ctrl = &pci->config[CAP_PM + PCI_PM_CTRL];
	u8 state = *ctrl & PCI_PM_CTRL_STATE_MASK;

	if (state != PM_D0 && state != PM_D3HOT)
		*ctrl = old;
}

/* The FLR bit always reads as 0, so look for it in the written bytes */
static bool asks_for_reset(u64 offset, const u8 *buf, size_t len)
{
	u64 byte = CAP_EXP + PCI_EXP_DEVCTL + 1;

	if (byte < offset || byte - offset >= len)
		return false;
	return buf[byte - offset] & (PCI_EXP_DEVCTL_BCR_FLR >> 8);
}

/**
 * model_pci_write - write configuration space
 * @pci: the function
 * @offset: offset of the first byte
 * @buf: the bytes
 * @len: number of bytes
 *
 * Bits that are not writable keep their value, as on any PCI function.
 *
 * Context: calls @changed or @reset of struct model_pci_events.
 *
 * Return: 0, or -EINVAL outside of configuration space.
 */
int model_pci_write(struct model_pci *pci, u64 offset, const void *buf,
		    size_t len)
{
	u8 power_state = pci->config[CAP_PM + PCI_PM_CTRL];
	const u8 *bytes = buf;
	size_t i;

	if (!in_config(offset, len))
		return -EINVAL;
	for (i = 0; i < len; i++) {
		u8 *reg = &pci->config[offset + i];
		u8 mask = pci->writable[offset + i];

		*reg = (*reg & ~mask) | (bytes[i] & mask);
		*reg &= ~(bytes[i] & pci->write_1_clear[offset + i]);
	}
	ignore_unsupported_power_state(pci, power_state);
	if (asks_for_reset(offset, bytes, len))
		function_level_reset(pci);
	else
		notify_changed(pci);
	return 0;
}

/**
 * model_pci_reset - set every register to its reset value
 * @pci: the function
 *
 * Context: calls @changed of struct model_pci_events, not @reset.
 */
void model_pci_reset(struct model_pci *pci)
{
	memcpy(pci->config, pci->reset_value, sizeof(pci->config));
	notify_changed(pci);
}

/**
 * model_pci_set_pending - set or clear the bit Transactions Pending, for tests
 * @pci: the function
 * @pending: value of the bit, which a reset does not change
 */
void model_pci_set_pending(struct model_pci *pci, bool pending)
{
	unsigned int offset = CAP_EXP + PCI_EXP_DEVSTA;
	u16 bit = pending ? PCI_EXP_DEVSTA_TRPND : 0;

	put16(pci->reset_value, offset, bit);
	put16(pci->config, offset,
	      (get16(pci->config, offset) & ~PCI_EXP_DEVSTA_TRPND) | bit);
}

/**
 * model_pci_add_memory - add a prefetchable BAR
 * @pci: the function, after model_pci_init()
 * @bar: an even number, not in use
 * @size: bytes, a power of two
 */
void model_pci_add_memory(struct model_pci *pci, unsigned int bar, u64 size)
{
	set_bar(pci, bar, size, PCI_BASE_ADDRESS_MEM_PREFETCH);
	memcpy(pci->config, pci->reset_value, sizeof(pci->config));
}

/**
 * model_pci_add_push_pages - make the BAR of the doorbells large enough for push
 * pages
 * @pci: the function, after model_pci_init()
 */
void model_pci_add_push_pages(struct model_pci *pci)
{
	set_bar(pci, XRDMA_BAR_DB, XRDMA_BAR_DB_PUSH_SIZE, 0);
	memcpy(pci->config, pci->reset_value, sizeof(pci->config));
}

/**
 * model_pci_bar_size - get the size of a BAR
 * @pci: the function
 * @bar: BAR number; any value is allowed
 *
 * Return: bytes; 0 for a BAR that is not implemented, or that is the upper
 * half of a 64-bit BAR.
 */
u64 model_pci_bar_size(const struct model_pci *pci, unsigned int bar)
{
	return bar < MODEL_PCI_BARS ? pci->bar_size[bar] : 0;
}

/**
 * model_pci_msix_vectors - get the size of the MSI-X table
 * @pci: the function
 *
 * Return: number of vectors.
 */
unsigned int model_pci_msix_vectors(const struct model_pci *pci)
{
	u16 flags = get16(pci->config, CAP_MSIX + PCI_MSIX_FLAGS);

	return (flags & PCI_MSIX_FLAGS_QSIZE) + 1;
}

static bool in_d0(const struct model_pci *pci)
{
	u16 ctrl = get16(pci->config, CAP_PM + PCI_PM_CTRL);

	return (ctrl & PCI_PM_CTRL_STATE_MASK) == PM_D0;
}

/**
 * model_pci_memory_enabled - check whether the function responds to BAR
 * accesses
 * @pci: the function
 *
 * Return: true in D0 with memory space enabled.
 */
bool model_pci_memory_enabled(const struct model_pci *pci)
{
	return in_d0(pci) &&
	       get16(pci->config, PCI_COMMAND) & PCI_COMMAND_MEMORY;
}

/**
 * model_pci_bus_master - check whether the function may do DMA and raise MSI-X
 * @pci: the function
 *
 * Return: true in D0 with bus mastering enabled.
 */
bool model_pci_bus_master(const struct model_pci *pci)
{
	return in_d0(pci) &&
	       get16(pci->config, PCI_COMMAND) & PCI_COMMAND_MASTER;
}

/**
 * model_pci_msix_enabled - check whether MSI-X is enabled
 * @pci: the function
 *
 * Return: the MSI-X enable bit.
 */
bool model_pci_msix_enabled(const struct model_pci *pci)
{
	return get16(pci->config, CAP_MSIX + PCI_MSIX_FLAGS) &
	       PCI_MSIX_FLAGS_ENABLE;
}

/**
 * model_pci_msix_masked - check whether all vectors are masked
 * @pci: the function
 *
 * Return: the function mask bit of MSI-X.
 */
bool model_pci_msix_masked(const struct model_pci *pci)
{
	return get16(pci->config, CAP_MSIX + PCI_MSIX_FLAGS) &
	       PCI_MSIX_FLAGS_MASKALL;
}

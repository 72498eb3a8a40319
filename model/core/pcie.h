/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Counters of what crosses PCI Express: the device's reads and writes of host
 * memory, its interrupts, and the host's doorbells, each by what it is for. The
 * chapter "Budget" of the specification has the numbers of one operation.
 *
 * One operation is an access to bytes that are consecutive on the bus and in one
 * block of their translation. PCI Express splits long ones; core/xlat.c and the
 * files that own rings and records count whole ones. core/device_control.c
 * shows the counters.
 */
#ifndef MODEL_PCIE_H
#define MODEL_PCIE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * What an operation is for, each with the name in "stats". DATA: memory of regions.
 * ENTRY: work queue entries. INDEX: producer and consumer indexes that have changed.
 * POLL: reads of an index that has not. ARM: arm words. KEY: entries of the key
 * table. TABLE: entries of translation tables. CQE and EQE: entries of completion
 * and event queues. COMMAND: rings and arrays of commands. IRQ: MSI-X writes.
 * DOORBELL: writes of the host to doorbell pages. PUSH: to push pages.
 */
#define MODEL_PCIE_USES(X)	\
	X(DATA, "data")		\
	X(ENTRY, "entry")	\
	X(INDEX, "index")	\
	X(POLL, "poll")		\
	X(ARM, "arm")		\
	X(KEY, "key")		\
	X(TABLE, "table")	\
	X(CQE, "cqe")		\
	X(EQE, "eqe")		\
	X(COMMAND, "command")	\
	X(IRQ, "irq")		\
	X(DOORBELL, "doorbell")	\
	X(PUSH, "push")

#define MODEL_PCIE_SYMBOL(symbol, name) MODEL_PCIE_##symbol,
enum model_pcie_use {
	MODEL_PCIE_USES(MODEL_PCIE_SYMBOL)
	MODEL_NUM_PCIE_USES
};

/**
 * struct model_pcie - operations of one use
 * @reads: number of reads
 * @read_bytes: bytes of these reads
 * @writes: number of writes
 * @write_bytes: bytes of these writes
 */
struct model_pcie {
	u64 reads;
	u64 read_bytes;
	u64 writes;
	u64 write_bytes;
};

static inline void model_pcie_count(struct model_pcie *pcie, bool write,
				    size_t len)
{
	if (write) {
		pcie->writes++;
		pcie->write_bytes += len;
	} else {
		pcie->reads++;
		pcie->read_bytes += len;
	}
}

/* Count an operation of @dev, which has a member pcie[MODEL_NUM_PCIE_USES]. */
#define model_dev_pcie(dev, use, write, len) \
	model_pcie_count(&(dev)->pcie[use], write, len)

#endif /* MODEL_PCIE_H */

/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA PCI function: structures and prototypes of the glue layer.
 * xrdma_function.c decides when a device is brought up and taken down,
 * xrdma_life.c does it, xrdma_events.c delivers events, xrdma_ops.c lists the
 * verbs, and xrdma_main.c registers the PCI driver. No other file includes this
 * header.
 */

#ifndef XRDMA_FUNCTION_H
#define XRDMA_FUNCTION_H

#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

struct xrdma_event_ops;
struct xrdma_ibdev;

/**
 * struct xrdma_function - a PCI function that the driver is bound to
 * @pdev: the function
 * @lock: protects all fields below except @recovery and @restart; held while the
 *	device is brought up or down
 * @xib: the device, or NULL while it is down
 * @netdev: Ethernet port; created with the first device, destroyed with this
 *	structure
 * @name: name of the last RDMA device, which the next one gets too
 * @node_desc: node description of the last RDMA device, which the next one gets too
 * @net_cookie: cookie of the network namespace of the last RDMA device, which the
 *	next one gets too; 0: there was no RDMA device
 * @held: the device is not recovered: PCI core or power management decide when
 *	it is brought up
 * @up_at: time in jiffies at which @xib was brought up
 * @tries: number of recoveries planned since the device last worked for
 *	XRDMA_GOOD_HEALTH_JIFFIES
 * @recovery: takes a dead device down, and brings it up again
 * @restart: does the same after a reset of the bus
 */
struct xrdma_function {
	struct pci_dev *pdev;
	struct mutex lock; /* all below; outermost */
	struct xrdma_ibdev *xib;
	struct net_device *netdev;
	char name[IB_DEVICE_NAME_MAX];
	char node_desc[IB_DEVICE_NODE_DESC_MAX];
	u64 net_cookie;
	bool held;
	unsigned long up_at;
	unsigned int tries;
	struct delayed_work recovery;
	struct work_struct restart;
};

/* xrdma_ops.c */
extern const struct ib_device_ops xrdma_ops;

/* xrdma_events.c */
extern const struct xrdma_event_ops xrdma_event_ops;

/* xrdma_life.c */
int xrdma_life_begin(struct xrdma_function *fn);
void xrdma_life_end(struct xrdma_function *fn);

/* xrdma_function.c */
int xrdma_probe(struct pci_dev *pdev, const struct pci_device_id *id);
void xrdma_remove(struct pci_dev *pdev);
void xrdma_shutdown(struct pci_dev *pdev);
void xrdma_reset_prepare(struct pci_dev *pdev);
void xrdma_reset_done(struct pci_dev *pdev);
pci_ers_result_t xrdma_error_detected(struct pci_dev *pdev,
				      pci_channel_state_t state);
pci_ers_result_t xrdma_slot_reset(struct pci_dev *pdev);
void xrdma_error_resume(struct pci_dev *pdev);
int xrdma_suspend(struct device *dev);
int xrdma_resume(struct device *dev);

#endif /* XRDMA_FUNCTION_H */

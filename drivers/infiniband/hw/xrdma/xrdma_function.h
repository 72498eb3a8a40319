/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA PCI function: what the files of the glue share. xrdma_function.c decides
 * when there is a device, xrdma_life.c makes and ends it, xrdma_events.c takes its
 * events to objects, xrdma_ops.c lists the verbs, and xrdma_main.c registers the
 * PCI driver. No other file includes this header.
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
 * @lock: whether there is a device; protects all below
 * @xib: the device, from one reset to the next, or NULL
 * @netdev: its Ethernet port, from the first device to the end
 * @name: of the last RDMA device; the next one gets it
 * @held: somebody else decides when there will be a device again: nobody
 *	recovers it
 * @born: jiffies when @xib was brought up
 * @tries: how often it was to be recovered since it last was in good health
 * @recovery: takes a dead device down, and up again
 */
struct xrdma_function {
	struct pci_dev *pdev;
	struct mutex lock; /* all below; outermost */
	struct xrdma_ibdev *xib;
	struct net_device *netdev;
	char name[IB_DEVICE_NAME_MAX];
	bool held;
	unsigned long born;
	unsigned int tries;
	struct delayed_work recovery;
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

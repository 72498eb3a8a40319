/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA event queues: prototypes of xrdma_eq.c. The functions that handle
 * events are members of struct xrdma_event_ops in xrdma_dev.h.
 */

#ifndef XRDMA_EQ_H
#define XRDMA_EQ_H

#include <linux/types.h>

struct xrdma_dev;

/* xrdma_eq.c */
int xrdma_eqs_create(struct xrdma_dev *xdev);
void xrdma_eqs_stop(struct xrdma_dev *xdev);
void xrdma_eqs_destroy(struct xrdma_dev *xdev);
void xrdma_eqs_sync(struct xrdma_dev *xdev);
u32 xrdma_num_comp_vectors(const struct xrdma_dev *xdev);
int xrdma_comp_irq(const struct xrdma_dev *xdev, u32 comp_vector);
u32 xrdma_comp_eqn(const struct xrdma_dev *xdev, u32 comp_vector);
u32 xrdma_page_fault_eqn(const struct xrdma_dev *xdev);

#endif /* XRDMA_EQ_H */

/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA resume ring: answers to page faults. Page faults are handled in
 * xrdma_odp_fault.c.
 */

#ifndef XRDMA_RESUME_H
#define XRDMA_RESUME_H

#include <linux/types.h>

struct xrdma_dev;
struct xrdma_resume_ring;

/* xrdma_resume.c */
int xrdma_resume_create(struct xrdma_dev *xdev);
void xrdma_resume_destroy(struct xrdma_dev *xdev);
void xrdma_resume_answer(struct xrdma_dev *xdev, u32 token, u32 outcome);

#endif /* XRDMA_RESUME_H */

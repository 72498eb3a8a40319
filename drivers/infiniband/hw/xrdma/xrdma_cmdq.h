/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA command ring: functions of xrdma_cmdq.c, which posts commands and waits
 * for replies. The commands themselves are in xrdma_cmd.h.
 */

#ifndef XRDMA_CMDQ_H
#define XRDMA_CMDQ_H

#include <linux/types.h>

struct xrdma_cmd;
struct xrdma_dev;
struct xrdma_rsp;

/* xrdma_cmdq.c */
int xrdma_cmdq_create(struct xrdma_dev *xdev);
void xrdma_cmdq_destroy(struct xrdma_dev *xdev);
int xrdma_cmdq_exec(struct xrdma_dev *xdev, const struct xrdma_cmd *cmd,
		    struct xrdma_rsp *rsp, unsigned int timeout_ms);
void xrdma_cmdq_poll(struct xrdma_dev *xdev);
void xrdma_cmdq_progress(struct xrdma_dev *xdev, u32 *posted, u32 *answered);
void xrdma_cmdq_abort(struct xrdma_dev *xdev);

#endif /* XRDMA_CMDQ_H */

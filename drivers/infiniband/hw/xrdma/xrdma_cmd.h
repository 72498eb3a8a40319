/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA commands: xrdma_cmd_exec.c executes any command, xrdma_cmd.c and
 * xrdma_cmd_port.c have a typed function for each opcode. The layout of
 * commands is in xrdma_hw_cmd.h, the command ring in xrdma_cmdq.h.
 */

#ifndef XRDMA_CMD_H
#define XRDMA_CMD_H

#include "xrdma_hw.h"

struct xrdma_dev;

/* xrdma_cmd_exec.c */
int xrdma_cmd_exec(struct xrdma_dev *xdev, const struct xrdma_cmd *cmd,
		   struct xrdma_rsp *rsp);
int xrdma_cmd_exec_status(struct xrdma_dev *xdev, const struct xrdma_cmd *cmd);
int xrdma_cmd_exec_destroy(struct xrdma_dev *xdev, const struct xrdma_cmd *cmd);
int xrdma_cmd_destroy_outcome(struct xrdma_dev *xdev,
			      const struct xrdma_cmd *cmd, u8 status, int err);

/*
 * xrdma_cmd.c: commands about the device and its objects; all may sleep. On a
 * quiet device (xrdma_quiet()) the functions that destroy or invalidate
 * succeed. If they fail, the device may still access the memory of the object,
 * and the caller puts that memory into quarantine (xrdma_quarantine.h).
 */
int xrdma_cmd_query_device(struct xrdma_dev *xdev);
int xrdma_cmd_create_eq(struct xrdma_dev *xdev, u32 eqn, u16 vector,
			u8 log_depth, u64 root);
int xrdma_cmd_create_cq(struct xrdma_dev *xdev, u32 cqn, u32 eqn, u32 db_page,
			u8 log_depth, u64 root);
int xrdma_cmd_destroy_cq(struct xrdma_dev *xdev, u32 cqn);
int xrdma_cmd_resize_cq(struct xrdma_dev *xdev, u32 cqn, u8 log_depth, u64 root,
			u32 *index);
int xrdma_cmd_modify_cq(struct xrdma_dev *xdev, u32 cqn, u16 count, u16 period);
int xrdma_cmd_create_qp(struct xrdma_dev *xdev,
			const struct xrdma_cmd_create_qp *qp);
int xrdma_cmd_modify_qp(struct xrdma_dev *xdev, u32 qpn, u32 mask,
			const struct xrdma_qp_attr *attr);
int xrdma_cmd_query_qp(struct xrdma_dev *xdev, u32 qpn,
		       struct xrdma_rsp_query_qp *qp);
int xrdma_cmd_destroy_qp(struct xrdma_dev *xdev, u32 qpn, bool used);
int xrdma_cmd_create_srq(struct xrdma_dev *xdev,
			 const struct xrdma_cmd_create_srq *srq);
int xrdma_cmd_modify_srq(struct xrdma_dev *xdev,
			 const struct xrdma_cmd_modify_srq *srq);
int xrdma_cmd_query_srq(struct xrdma_dev *xdev, u32 srqn,
			struct xrdma_rsp_query_srq *srq);
int xrdma_cmd_destroy_srq(struct xrdma_dev *xdev, u32 srqn);
int xrdma_cmd_attach_mcast(struct xrdma_dev *xdev, u32 qpn, const u8 *gid);
int xrdma_cmd_detach_mcast(struct xrdma_dev *xdev, u32 qpn, const u8 *gid);
int xrdma_cmd_invalidate(struct xrdma_dev *xdev, dma_addr_t addr, u32 count);
int xrdma_cmd_enable_odp(struct xrdma_dev *xdev, dma_addr_t ring,
			 u8 log_entries, u32 eqn);
int xrdma_cmd_invalidate_range(struct xrdma_dev *xdev, u32 index, u64 pos,
			       u64 bytes);

/* xrdma_cmd_port.c: commands about the port; all may sleep */
int xrdma_cmd_query_port(struct xrdma_dev *xdev,
			 struct xrdma_rsp_query_port *port);
int xrdma_cmd_modify_port(struct xrdma_dev *xdev,
			  const struct xrdma_cmd_modify_port *port);
int xrdma_cmd_set_gid(struct xrdma_dev *xdev,
		      const struct xrdma_cmd_set_gid *gid);
int xrdma_cmd_stats_alloc(struct xrdma_dev *xdev);
void xrdma_cmd_stats_free(struct xrdma_dev *xdev);
int xrdma_cmd_query_stats(struct xrdma_dev *xdev, u32 counter, u64 *values);
int xrdma_cmd_bind_counter(struct xrdma_dev *xdev, u32 qpn, u32 counter);
int xrdma_cmd_query_cc(struct xrdma_dev *xdev, struct xrdma_cc *cc);
int xrdma_cmd_modify_cc(struct xrdma_dev *xdev, const struct xrdma_cc *cc);
int xrdma_cmd_create_flow(struct xrdma_dev *xdev, u32 flow, u32 qpn,
			  u16 priority, u16 flags,
			  const struct xrdma_flow_rule *rule);
int xrdma_cmd_destroy_flow(struct xrdma_dev *xdev, u32 flow);
int xrdma_cmd_create_rss(struct xrdma_dev *xdev,
			 const struct xrdma_cmd_create_rss *rss,
			 const __le32 *table);
int xrdma_cmd_destroy_rss(struct xrdma_dev *xdev, u32 qpn);

#endif /* XRDMA_CMD_H */

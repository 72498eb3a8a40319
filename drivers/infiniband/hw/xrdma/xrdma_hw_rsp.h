/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA replies to commands. Contract layer: must not know the driver, the PCI
 * core or verbs. Documentation/infiniband/xrdma-hw.rst explains each, with
 * golden bytes. Included by xrdma_hw.h.
 *
 * Everything is little-endian; a reserved field is zero.
 */

#ifndef XRDMA_HW_RSP_H
#define XRDMA_HW_RSP_H

#include "xrdma_hw_cmd.h"

enum xrdma_cmd_status {
	XRDMA_CMD_OK			= 0,
	XRDMA_CMD_BAD_OPCODE		= 1,
	XRDMA_CMD_BAD_PARAM		= 2, /* value out of range, reserved not 0 */
	XRDMA_CMD_BAD_NUMBER		= 3, /* no such object, or it exists */
	XRDMA_CMD_BAD_STATE		= 4, /* not allowed in this state */
	XRDMA_CMD_BUSY			= 5, /* object is in use by another */
	XRDMA_CMD_NO_RESOURCE		= 6,
	XRDMA_CMD_BAD_DMA		= 7, /* memory is out of reach */
	XRDMA_CMD_INTERNAL		= 8,
};

/**
 * struct xrdma_rsp_query_device - reply to QUERY_DEVICE
 * @fw_version: major in bits 63:32, minor in 31:16, patch in 15:0
 * @node_guid: as on the wire
 * @max_mr_size: longest region, in bytes
 * @max_qp: queue pairs; QPN 0 and 1 are reserved, numbers are below this
 * @max_cq: completion queues; numbers are below this
 * @max_srq: shared receive queues; numbers are below this
 * @max_eq: event queues, the asynchronous one included
 * @max_pd: protection domains; numbers are below this
 * @max_gid: entries of the GID table
 * @max_mcast: multicast groups
 * @log_max_qp_wr: log2 of the deepest send, receive or shared receive queue
 * @log_max_cqe: log2 of the deepest completion queue
 * @max_sge: scatter-gather entries of a work request
 * @max_rd_atomic: READs and atomics in flight, for each side of a queue pair
 * @log_max_keys: log2 of the key indexes, at most 24
 * @max_mtu: largest Ethernet payload
 * @max_inline: inline bytes
 * @reserved: 0
 * @reserved2: 0
 * @device_memory: bytes of BAR 4, a multiple of 4 KiB; 0 without
 *	XRDMA_CAP_DEVICE_MEMORY
 * @max_counters: counter sets, that of the port included; numbers are below
 *	this; 0 without XRDMA_CAP_COUNTERS
 * @max_flows: flow rules; numbers are below this; 0 without XRDMA_CAP_FLOW
 * @log_max_rss: log2 of the largest indirection table
 * @reserved3: 0
 */
struct xrdma_rsp_query_device {
	__le64 fw_version;
	__u8 node_guid[8];
	__le64 max_mr_size;
	__le32 max_qp;
	__le32 max_cq;
	__le32 max_srq;
	__le32 max_eq;
	__le32 max_pd;
	__le32 max_gid;
	__le32 max_mcast;
	__u8 log_max_qp_wr;
	__u8 log_max_cqe;
	__u8 max_sge;
	__u8 max_rd_atomic;
	__u8 log_max_keys;
	__u8 reserved;
	__le16 max_mtu;
	__le16 max_inline;
	__u8 reserved2[2];
	__le64 device_memory;
	__le32 max_counters;
	__le32 max_flows;
	__u8 log_max_rss;
	__u8 reserved3[7];
};

/**
 * struct xrdma_rsp_query_port - reply to QUERY_PORT
 * @flags: XRDMA_PORT_UP: the link is up
 * @speed: of the link, in Mbit/s
 * @mac: permanent address
 * @reserved: 0
 */
struct xrdma_rsp_query_port {
	__le32 flags;
	__le32 speed;
	__u8 mac[6];
	__u8 reserved[2];
};

/**
 * struct xrdma_rsp_query_qp - reply to QUERY_QP
 * @attr: present values
 * @sq_ci: send entries completed, modulo 2^32
 * @rq_ci: receive entries consumed, modulo 2^32
 */
struct xrdma_rsp_query_qp {
	struct xrdma_qp_attr attr;
	__le32 sq_ci;
	__le32 rq_ci;
};

/**
 * struct xrdma_rsp_resize_cq - reply to RESIZE_CQ
 * @index: of the first entry that the device writes to the new ring
 */
struct xrdma_rsp_resize_cq {
	__le32 index;
};

/**
 * struct xrdma_rsp_query_srq - reply to QUERY_SRQ
 * @limit: present limit; 0 when none is set, or its event was raised
 * @ci: entries consumed, modulo 2^32
 */
struct xrdma_rsp_query_srq {
	__le32 limit;
	__le32 ci;
};

/**
 * struct xrdma_rsp - entry of the reply ring
 * @opcode: of the command
 * @id: of the command
 * @status: enum xrdma_cmd_status; unless 0 the body is zero
 * @reserved: 0
 * @query_device: reply to QUERY_DEVICE
 * @query_port: reply to QUERY_PORT
 * @query_cc: reply to QUERY_CC
 * @resize_cq: reply to RESIZE_CQ
 * @query_qp: reply to QUERY_QP
 * @query_srq: reply to QUERY_SRQ
 * @body: any body
 * @reserved2: 0
 * @own: bit 0: phase, as in struct xrdma_cqe; written last
 *
 * Replies may come in another order than commands. Vector 0 is raised after
 * each.
 */
struct xrdma_rsp {
	__le16 opcode;
	__le16 id;
	__u8 status;
	__u8 reserved[3];
	union {
		struct xrdma_rsp_query_device query_device;
		struct xrdma_rsp_query_port query_port;
		struct xrdma_cc query_cc;
		struct xrdma_rsp_resize_cq resize_cq;
		struct xrdma_rsp_query_qp query_qp;
		struct xrdma_rsp_query_srq query_srq;
		__u8 body[112];
	};
	__le32 reserved2;
	__le32 own;
};

static_assert(sizeof(struct xrdma_rsp_query_device) == 88);
static_assert(sizeof(struct xrdma_rsp_query_port) == 16);
static_assert(sizeof(struct xrdma_rsp_query_qp) == 72);
static_assert(sizeof(struct xrdma_rsp_resize_cq) == 4);
static_assert(sizeof(struct xrdma_rsp_query_srq) == 8);
static_assert(sizeof(struct xrdma_rsp) == 128);

#endif /* XRDMA_HW_RSP_H */

/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA replies to commands: status codes and bodies. Commands are in
 * xrdma_hw_cmd.h; xrdma_hw.h includes this file. Contract layer: includes
 * nothing of the driver, the PCI core or verbs.
 * Documentation/infiniband/xrdma-hw.rst specifies each reply, with golden
 * bytes.
 *
 * Integers are little-endian; reserved fields are zero.
 */

#ifndef XRDMA_HW_RSP_H
#define XRDMA_HW_RSP_H

#include "xrdma_hw_cmd.h"

enum xrdma_cmd_status {
	XRDMA_CMD_OK			= 0, /* the command is done */
	XRDMA_CMD_BAD_OPCODE		= 1, /* device has no such command */
	XRDMA_CMD_BAD_PARAM		= 2, /* bad value, or reserved not 0 */
	XRDMA_CMD_BAD_NUMBER		= 3, /* no such object, or it exists */
	XRDMA_CMD_BAD_STATE		= 4, /* object is in the wrong state */
	XRDMA_CMD_BUSY			= 5, /* another object uses it */
	XRDMA_CMD_NO_RESOURCE		= 6, /* the device has no room for it */
	XRDMA_CMD_BAD_DMA		= 7, /* memory is out of reach */
	XRDMA_CMD_INTERNAL		= 8, /* the device failed */
};

/**
 * struct xrdma_rsp_query_device - reply to QUERY_DEVICE
 * @fw_version: firmware version: major in bits 63:32, minor in 31:16, patch in
 *	15:0
 * @node_guid: node GUID, in the byte order of the wire
 * @max_mr_size: length of the longest region, in bytes
 * @max_qp: number of queue pairs; QPNs are below this, QPN 0 and 1 are reserved
 * @max_cq: number of completion queues; CQNs are below this
 * @max_srq: number of shared receive queues; SRQNs are below this
 * @max_eq: number of event queues, including the asynchronous one
 * @max_pd: number of protection domains; their numbers are below this
 * @max_gid: number of entries of the GID table
 * @max_mcast: number of multicast groups
 * @log_max_qp_wr: log2 of the largest depth of a send, receive or shared
 *	receive queue
 * @log_max_cqe: log2 of the largest depth of a completion queue
 * @max_sge: largest number of scatter-gather entries of a work request
 * @max_rd_atomic: largest number of READs and atomics in flight, for each side
 *	of a queue pair
 * @log_max_keys: log2 of the number of key indexes, at most 24
 * @max_mtu: largest Ethernet payload, in bytes
 * @max_inline: largest number of inline bytes of a work request
 * @reserved: 0
 * @reserved2: 0
 * @device_memory: size of BAR 4 in bytes, a multiple of 4 KiB; 0 without
 *	XRDMA_CAP_DEVICE_MEMORY
 * @max_counters: number of counter sets, including that of the port; their
 *	numbers are below this; 0 without XRDMA_CAP_COUNTERS
 * @max_flows: number of flow rules; their numbers are below this; 0 without
 *	XRDMA_CAP_FLOW
 * @log_max_rss: log2 of the number of entries of the largest indirection table
 * @log_page_faults: log2 of the largest number of page faults without an
 *	answer, at most 15; 0 without XRDMA_CAP_ODP
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
	__u8 log_page_faults;
	__u8 reserved3[6];
};

/**
 * struct xrdma_rsp_query_port - reply to QUERY_PORT
 * @flags: XRDMA_PORT_UP if the link is up, else 0
 * @speed: speed of the link, in Mbit/s; 0 if the link is down
 * @mac: permanent MAC address
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
 * @attr: present attributes
 * @sq_ci: number of send entries completed, modulo 2^32
 * @rq_ci: number of receive entries consumed, modulo 2^32
 */
struct xrdma_rsp_query_qp {
	struct xrdma_qp_attr attr;
	__le32 sq_ci;
	__le32 rq_ci;
};

/**
 * struct xrdma_rsp_resize_cq - reply to RESIZE_CQ
 * @index: index of the first entry that the device writes to the new ring
 */
struct xrdma_rsp_resize_cq {
	__le32 index;
};

/**
 * struct xrdma_rsp_query_srq - reply to QUERY_SRQ
 * @limit: present limit; 0 if no limit is set or its event has been raised
 * @ci: number of entries consumed, modulo 2^32
 */
struct xrdma_rsp_query_srq {
	__le32 limit;
	__le32 ci;
};

/**
 * struct xrdma_rsp - entry of the reply ring
 * @opcode: opcode of the command
 * @id: id of the command
 * @status: enum xrdma_cmd_status; if it is not 0, the body is zero
 * @reserved: 0
 * @query_device: reply to QUERY_DEVICE
 * @query_port: reply to QUERY_PORT
 * @query_cc: reply to QUERY_CC
 * @resize_cq: reply to RESIZE_CQ
 * @query_qp: reply to QUERY_QP
 * @query_srq: reply to QUERY_SRQ
 * @body: bytes of the body of any reply
 * @reserved2: 0
 * @own: bit 0: phase, as in struct xrdma_cqe; the device writes this word last
 *
 * Replies may come in another order than their commands. The device raises
 * vector 0 after each reply.
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

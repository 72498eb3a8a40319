/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA commands and replies. Contract layer: must not know the driver, the PCI
 * core or verbs. Documentation/infiniband/xrdma-hw.rst explains each, with
 * golden bytes. Included by xrdma_hw.h.
 *
 * Everything is little-endian; a reserved field is zero.
 */

#ifndef XRDMA_HW_CMD_H
#define XRDMA_HW_CMD_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/types.h>
#include <rdma/xrdma-abi.h>

/* ---- commands -------------------------------------------------------- */

enum xrdma_cmd_opcode {
	XRDMA_CMD_NOP			= 0x00,
	XRDMA_CMD_QUERY_DEVICE		= 0x01,
	XRDMA_CMD_QUERY_PORT		= 0x02,
	XRDMA_CMD_MODIFY_PORT		= 0x03,
	XRDMA_CMD_SET_GID		= 0x04,
	XRDMA_CMD_QUERY_STATS		= 0x05,
	XRDMA_CMD_CREATE_EQ		= 0x10,
	XRDMA_CMD_DESTROY_EQ		= 0x11,
	XRDMA_CMD_CREATE_CQ		= 0x20,
	XRDMA_CMD_DESTROY_CQ		= 0x21,
	XRDMA_CMD_RESIZE_CQ		= 0x22,
	XRDMA_CMD_MODIFY_CQ		= 0x23,
	XRDMA_CMD_CREATE_QP		= 0x30,
	XRDMA_CMD_MODIFY_QP		= 0x31,
	XRDMA_CMD_QUERY_QP		= 0x32,
	XRDMA_CMD_DESTROY_QP		= 0x33,
	XRDMA_CMD_CREATE_SRQ		= 0x40,
	XRDMA_CMD_MODIFY_SRQ		= 0x41,
	XRDMA_CMD_QUERY_SRQ		= 0x42,
	XRDMA_CMD_DESTROY_SRQ		= 0x43,
	XRDMA_CMD_ATTACH_MCAST		= 0x50,
	XRDMA_CMD_DETACH_MCAST		= 0x51,
	XRDMA_CMD_INVALIDATE		= 0x60,
	XRDMA_CMD_RESUME		= 0x61, /* for on-demand paging */
};

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
 * struct xrdma_cmd_modify_port - body of MODIFY_PORT
 * @flags: XRDMA_PORT_*
 * @mtu: largest Ethernet payload, 68 to 4500
 * @eth_qpn: raw packet queue pair that receives what is not RoCE; 0: none
 * @mac: the port's address
 * @reserved: 0
 */
struct xrdma_cmd_modify_port {
	__le32 flags;
	__le32 mtu;
	__le32 eth_qpn;
	__u8 mac[6];
	__u8 reserved[2];
};

#define XRDMA_PORT_UP			BIT(0)
#define XRDMA_PORT_PROMISC		BIT(1)
#define XRDMA_PORT_ALLMULTI		BIT(2)

/**
 * struct xrdma_cmd_set_gid - body of SET_GID
 * @index: in the GID table
 * @flags: XRDMA_GID_*; without VALID the entry is cleared
 * @gid: as on the wire; IPv4 as ::ffff:a.b.c.d
 * @mac: source MAC of frames sent from this entry
 * @vlan_tci: VLAN tag of those frames, if XRDMA_GID_VLAN
 */
struct xrdma_cmd_set_gid {
	__le32 index;
	__le32 flags;
	__u8 gid[16];
	__u8 mac[6];
	__le16 vlan_tci;
};

#define XRDMA_GID_VALID			BIT(0)
#define XRDMA_GID_VLAN			BIT(1)
#define XRDMA_GID_IPV4			BIT(2)

/**
 * struct xrdma_cmd_query_stats - body of QUERY_STATS
 * @addr: where the device writes @count 64-bit counters, aligned to 8
 * @count: how many of enum xrdma_stat
 * @reserved: 0
 */
struct xrdma_cmd_query_stats {
	__le64 addr;
	__le32 count;
	__le32 reserved;
};

/**
 * struct xrdma_cmd_create_eq - body of CREATE_EQ
 * @root: translation of the ring, then (at byte 64 << @log_depth) the record
 * @eqn: number; 0 is the asynchronous event queue
 * @vector: MSI-X vector
 * @log_depth: log2 of the entries, 6 to 16
 * @reserved: 0
 */
struct xrdma_cmd_create_eq {
	__le64 root;
	__le32 eqn;
	__le16 vector;
	__u8 log_depth;
	__u8 reserved;
};

/**
 * struct xrdma_cmd_create_cq - body of CREATE_CQ and RESIZE_CQ
 * @root: translation of the ring, then (at byte 64 << @log_depth) the record
 * @cqn: number, 24 bits
 * @eqn: event queue of its completion events (RESIZE_CQ: 0)
 * @log_depth: log2 of the entries, 4 to 22
 * @reserved: 0
 */
struct xrdma_cmd_create_cq {
	__le64 root;
	__le32 cqn;
	__le32 eqn;
	__u8 log_depth;
	__u8 reserved[7];
};

/**
 * struct xrdma_cmd_object - body of the commands that only name an object
 * @number: EQN, CQN, QPN or SRQN
 */
struct xrdma_cmd_object {
	__le32 number;
};

enum xrdma_qp_type {
	XRDMA_QP_RC			= 0,
	XRDMA_QP_UC			= 1,
	XRDMA_QP_UD			= 2,
	XRDMA_QP_GSI			= 3, /* QPN 1 */
	XRDMA_QP_XRC_INI		= 4,
	XRDMA_QP_XRC_TGT		= 5,
	XRDMA_QP_RAW			= 6, /* whole Ethernet frames */
};

#define XRDMA_QP_SQ_SIG_ALL		BIT(0)
#define XRDMA_QP_KERNEL			BIT(1) /* may use REG_MR */
#define XRDMA_QP_SRQ			BIT(2) /* @srqn is valid */

/**
 * struct xrdma_cmd_create_qp - body of CREATE_QP
 * @root: translation of the send ring, the receive ring, and the record at the
 *	next multiple of 64 bytes
 * @qpn: number, 24 bits
 * @pd: protection domain, 24 bits
 * @send_cqn: completion queue of the send queue
 * @recv_cqn: completion queue of the receive queue
 * @srqn: shared receive queue, if XRDMA_QP_SRQ
 * @xrcd: XRC domain, of XRC types
 * @db_page: page of the doorbell BAR that may ring it
 * @type: enum xrdma_qp_type
 * @flags: XRDMA_QP_*
 * @log_sq_depth: log2 of the send entries, 0 to 15
 * @log_sq_stride: log2 of the bytes of a send entry, 6 to 10
 * @log_rq_depth: log2 of the receive entries, 0 to 15
 * @log_rq_stride: log2 of the bytes of a receive entry, 5 to 10; 0: none
 * @reserved: 0
 */
struct xrdma_cmd_create_qp {
	__le64 root;
	__le32 qpn;
	__le32 pd;
	__le32 send_cqn;
	__le32 recv_cqn;
	__le32 srqn;
	__le32 xrcd;
	__le32 db_page;
	__u8 type;
	__u8 flags;
	__u8 log_sq_depth;
	__u8 log_sq_stride;
	__u8 log_rq_depth;
	__u8 log_rq_stride;
	__u8 reserved[6];
};

enum xrdma_qp_state {
	XRDMA_QPS_RESET			= 0,
	XRDMA_QPS_INIT			= 1,
	XRDMA_QPS_RTR			= 2,
	XRDMA_QPS_RTS			= 3,
	XRDMA_QPS_SQD			= 4,
	XRDMA_QPS_SQE			= 5,
	XRDMA_QPS_ERR			= 6,
};

/* Rights of a queue pair are XRDMA_ACCESS_REMOTE_*. */

/**
 * struct xrdma_qp_attr - what MODIFY_QP sets and QUERY_QP returns
 * @state: enum xrdma_qp_state
 * @path_mtu: 1 to 5: 256 to 4096 bytes
 * @retry_cnt: 0 to 7
 * @rnr_retry: 0 to 7; 7: for ever
 * @timeout: local ACK timeout, 4.096 us * 2^n, 0 to 31; 0: none
 * @min_rnr_timer: 0 to 31, coded as IBTA 9.7.5.2.8 says
 * @max_rd_atomic: READs and atomics this side keeps in flight, 0 to 16
 * @max_dest_rd_atomic: those it answers at once, 0 to 16
 * @qkey: of datagrams
 * @rq_psn: expected PSN, 24 bits
 * @sq_psn: next PSN, 24 bits
 * @dest_qpn: of the connection
 * @access: enum xrdma_access, remote rights and MW_BIND only
 * @pkey_index: 0
 * @flags: XRDMA_QPA_*
 * @reserved: 0
 * @av: address vector of the connection
 */
struct xrdma_qp_attr {
	__u8 state;
	__u8 path_mtu;
	__u8 retry_cnt;
	__u8 rnr_retry;
	__u8 timeout;
	__u8 min_rnr_timer;
	__u8 max_rd_atomic;
	__u8 max_dest_rd_atomic;
	__le32 qkey;
	__le32 rq_psn;
	__le32 sq_psn;
	__le32 dest_qpn;
	__le16 access;
	__le16 pkey_index;
	__u8 flags;
	__u8 reserved[3];
	struct xrdma_av av;
};

#define XRDMA_QPA_SQ_DRAINING		BIT(0) /* QUERY_QP only */
#define XRDMA_QPA_SQD_NOTIFY		BIT(1) /* event when the SQ has drained */

/* Which fields of struct xrdma_qp_attr a MODIFY_QP sets. */
#define XRDMA_QPM_STATE			BIT(0)
#define XRDMA_QPM_PATH_MTU		BIT(1)
#define XRDMA_QPM_RETRY_CNT		BIT(2)
#define XRDMA_QPM_RNR_RETRY		BIT(3)
#define XRDMA_QPM_TIMEOUT		BIT(4)
#define XRDMA_QPM_MIN_RNR_TIMER		BIT(5)
#define XRDMA_QPM_MAX_RD_ATOMIC		BIT(6)
#define XRDMA_QPM_MAX_DEST_RD_ATOMIC	BIT(7)
#define XRDMA_QPM_QKEY			BIT(8)
#define XRDMA_QPM_RQ_PSN		BIT(9)
#define XRDMA_QPM_SQ_PSN		BIT(10)
#define XRDMA_QPM_DEST_QPN		BIT(11)
#define XRDMA_QPM_ACCESS		BIT(12)
#define XRDMA_QPM_PKEY_INDEX		BIT(13)
#define XRDMA_QPM_SQD_NOTIFY		BIT(14)
#define XRDMA_QPM_AV			BIT(15)

/**
 * struct xrdma_cmd_modify_qp - body of MODIFY_QP
 * @qpn: the queue pair
 * @mask: XRDMA_QPM_*; a field that is not named is 0
 * @attr: the new values
 */
struct xrdma_cmd_modify_qp {
	__le32 qpn;
	__le32 mask;
	struct xrdma_qp_attr attr;
};

/**
 * struct xrdma_cmd_create_srq - body of CREATE_SRQ
 * @root: translation of the ring, then (aligned to 64) a struct xrdma_qp_rec
 *	of which rq_pi is used, and sq_event as consumer index of the device
 * @srqn: number, 24 bits
 * @pd: protection domain
 * @xrcd: XRC domain, or 0
 * @cqn: completion queue of XRC, or 0
 * @limit: number of entries below which one SRQ_LIMIT event is raised; 0: none
 * @log_depth: log2 of the entries, 0 to 15
 * @log_stride: log2 of the bytes of an entry, 5 to 10
 * @reserved: 0
 */
struct xrdma_cmd_create_srq {
	__le64 root;
	__le32 srqn;
	__le32 pd;
	__le32 xrcd;
	__le32 cqn;
	__le32 limit;
	__u8 log_depth;
	__u8 log_stride;
	__u8 reserved[2];
};

/**
 * struct xrdma_cmd_invalidate - body of INVALIDATE
 * @addr: array of @count words, aligned to 8: a key index in bits 23:0, and in
 *	bits 31:24 0 before and enum xrdma_inval_status after
 * @count: 1 to 1024; 0: all keys of @pd, windows first
 * @pd: if @count is 0
 *
 * Completes when no access under those keys is in progress or can begin.
 */
struct xrdma_cmd_invalidate {
	__le64 addr;
	__le32 count;
	__le32 pd;
};

#define XRDMA_INVAL_INDEX		GENMASK(23, 0)
#define XRDMA_INVAL_STATUS		GENMASK(31, 24)
#define XRDMA_INVAL_MAX			1024

enum xrdma_inval_status {
	XRDMA_INVAL_OK			= 0,
	XRDMA_INVAL_BOUND		= 1, /* windows are bound; entry unchanged */
	XRDMA_INVAL_BAD_INDEX		= 2, /* entry is invalid, or not there */
};

/**
 * struct xrdma_cmd - entry of the command ring
 * @opcode: enum xrdma_cmd_opcode
 * @id: chosen by the driver, returned in the reply
 * @reserved: 0
 * @modify_port: body of MODIFY_PORT
 * @set_gid: body of SET_GID
 * @query_stats: body of QUERY_STATS
 * @create_eq: body of CREATE_EQ
 * @create_cq: body of CREATE_CQ and RESIZE_CQ
 * @create_qp: body of CREATE_QP
 * @modify_qp: body of MODIFY_QP
 * @create_srq: body of CREATE_SRQ
 * @invalidate: body of INVALIDATE
 * @object: body of the commands that only name an object
 * @body: any body
 */
struct xrdma_cmd {
	__le16 opcode;
	__le16 id;
	__le32 reserved;
	union {
		struct xrdma_cmd_modify_port modify_port;
		struct xrdma_cmd_set_gid set_gid;
		struct xrdma_cmd_query_stats query_stats;
		struct xrdma_cmd_create_eq create_eq;
		struct xrdma_cmd_create_cq create_cq;
		struct xrdma_cmd_create_qp create_qp;
		struct xrdma_cmd_modify_qp modify_qp;
		struct xrdma_cmd_create_srq create_srq;
		struct xrdma_cmd_invalidate invalidate;
		struct xrdma_cmd_object object;
		__u8 body[120];
	};
};

static_assert(sizeof(struct xrdma_cmd_modify_port) == 20);
static_assert(sizeof(struct xrdma_cmd_set_gid) == 32);
static_assert(sizeof(struct xrdma_cmd_query_stats) == 16);
static_assert(sizeof(struct xrdma_cmd_create_eq) == 16);
static_assert(sizeof(struct xrdma_cmd_create_cq) == 24);
static_assert(sizeof(struct xrdma_cmd_create_qp) == 48);
static_assert(sizeof(struct xrdma_qp_attr) == 64);
static_assert(sizeof(struct xrdma_cmd_modify_qp) == 72);
static_assert(sizeof(struct xrdma_cmd_create_srq) == 32);
static_assert(sizeof(struct xrdma_cmd_invalidate) == 16);
static_assert(sizeof(struct xrdma_cmd) == 128);

/* ---- replies --------------------------------------------------------- */

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
 * struct xrdma_rsp - entry of the reply ring
 * @opcode: of the command
 * @id: of the command
 * @status: enum xrdma_cmd_status; unless 0 the body is zero
 * @reserved: 0
 * @query_device: reply to QUERY_DEVICE
 * @query_port: reply to QUERY_PORT
 * @query_qp: reply to QUERY_QP
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
		struct xrdma_rsp_query_qp query_qp;
		__u8 body[112];
	};
	__le32 reserved2;
	__le32 own;
};

static_assert(sizeof(struct xrdma_rsp_query_device) == 72);
static_assert(sizeof(struct xrdma_rsp_query_port) == 16);
static_assert(sizeof(struct xrdma_rsp_query_qp) == 72);
static_assert(sizeof(struct xrdma_rsp) == 128);

#endif /* XRDMA_HW_CMD_H */
